// Nodes that glide from one map to the next, and names where there is room for them.
window.netgiven = window.netgiven || {};

(() => {
  const { make, showMost, hidden } = window.netgiven;
  const MILLISECONDS = 900, MAX_NAMES = 60, MAX_IN_VIEW = 400, FEW_NODES = 80, LINE = 15;
  const ease = (share) => share * share * (3 - 2 * share);

  // Move nodes and links of a panel from where they were to where they are now.
  class Glide {
    constructor(panel, from, done) {
      const { number, nodes: { data } } = panel;
      Object.assign(this, { panel, from, done, to: { x: Float32Array.from(data[`x${number}`]), y: Float32Array.from(data[`y${number}`]) } });
      this.begin = performance.now();
      this.put(0);
      requestAnimationFrame(() => this.step());
    }

    static most = 20000; // nodes

    static wanted(count) { return count <= Glide.most && !matchMedia("(prefers-reduced-motion: reduce)").matches; }

    step() {
      if (this.stopped) return;
      const share = Math.min((performance.now() - this.begin) / MILLISECONDS, 1);
      this.put(ease(share));
      if (share < 1) requestAnimationFrame(() => this.step());
      else this.done();
    }

    put(share) {
      const { panel, from, to } = this, { nodes, number } = panel, count = to.x.length;
      const x = new Float32Array(count), y = new Float32Array(count);
      for (let node = 0; node < count; node++) {
        x[node] = from.x[node] + share * (to.x[node] - from.x[node]);
        y[node] = from.y[node] + share * (to.y[node] - from.y[node]);
      }
      Object.assign(nodes.data, { [`x${number}`]: x, [`y${number}`]: y });
      Object.assign(panel, { x, y });
      if (panel.first.length) this.moveLinks(x, y);
      nodes.change.emit();
      showMost(panel.figure, nodes, number);
    }

    moveLinks(x, y) {
      const { first, second } = this.panel, take = (values, ends) => Float32Array.from(ends, (node) => values[node]);
      Object.assign(this.panel.links.data, { x: take(x, first), y: take(y, first), to_x: take(x, second), to_y: take(y, second) });
      this.panel.links.change.emit();
    }
  }

  // Names of nodes beside them, those with most links first, if few enough nodes are in view.
  class Names {
    constructor(panel, host) {
      Object.assign(this, { panel, sheet: make("canvas", { class: "overlay names" }) });
      host.prepend(this.sheet);
      const { degree } = panel.nodes.data;
      this.order = Uint32Array.from(panel.names.keys()).sort((one, other) => degree[other] - degree[one]);
    }

    draw(wanted = true) {
      const { figure } = this.panel, { inner_width: width, inner_height: height } = figure, finer = window.devicePixelRatio || 1;
      Object.assign(this.sheet, { width: Math.round(finer * width), height: Math.round(finer * height) });
      const { start, end, reset_start, reset_end } = figure.x_range, enlarged = (reset_end - reset_start) / (end - start) > 1.4;
      if (!wanted || !(enlarged || this.order.length <= FEW_NODES)) return;
      const inView = this.inView(width, height);
      if (inView.length > MAX_IN_VIEW) return;
      const context = this.sheet.getContext("2d", { willReadFrequently: true });
      context.scale(finer, finer);
      this.write(context, inView, width);
    }

    inView(width, height) {
      const off = hidden.get(this.panel.nodes), found = [];
      for (const node of this.order) {
        if (off && off[node]) continue;
        const [left, top] = this.panel.place(node);
        if (left >= 0 && left <= width && top >= 0 && top <= height) found.push([node, left, top]);
        if (found.length > MAX_IN_VIEW) break;
      }
      return found;
    }

    write(context, inView, width) {
      const { size } = this.panel.nodes.data, taken = [], style = getComputedStyle(this.sheet);
      Object.assign(context, { font: "11px system-ui, sans-serif", textBaseline: "middle", fillStyle: style.color, strokeStyle: style.getPropertyValue("--background"), lineWidth: 3 });
      for (const [node, left, top] of inView.slice(0, 6 * MAX_NAMES)) {
        if (taken.length >= MAX_NAMES) return;
        const text = this.panel.names[node].slice(0, 40), wide = context.measureText(text).width, begin = left + size[node] / 2 + 3;
        const clear = begin + wide < width && !taken.some(([l, t, w]) => begin < l + w && l < begin + wide && Math.abs(t - top) < LINE);
        if (!clear) continue;
        taken.push([begin, top, wide]);
        context.strokeText(text, begin, top);
        context.fillText(text, begin, top);
      }
    }
  }

  Object.assign(window.netgiven, { Glide, Names });
})();
