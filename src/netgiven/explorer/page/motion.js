// Nodes that glide from one map to the next.
window.netgiven = window.netgiven || {};

(() => {
  const { showMost } = window.netgiven;
  const MILLISECONDS = 900;
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

  Object.assign(window.netgiven, { Glide });
})();
