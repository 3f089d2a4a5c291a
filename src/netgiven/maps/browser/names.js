// Names of nodes beside them where there is room, those with most links first: of a few nodes in view, or of the largest of many.
window.netgiven = window.netgiven || {};

(() => {
  const { make, hidden, hubsFirst, crowds, shade, trace } = window.netgiven;
  const MAX_NAMES = 60, MAX_IN_VIEW = 400, FEW_NODES = 80, LETTERS = 40, LINE = 16, APART = 6, TOOLS = 34;
  const LEAST = 5; // pixels across of a named node where others are not drawn one by one
  const ROOM = 26000; // square pixels for a name where the nodes in view are too many for names of all

  class Names {
    constructor(panel) {
      Object.assign(this, { panel, sheet: make("canvas", { class: "overlay names" }) });
      panel.overlay.sheet.before(this.sheet);
      this.order = hubsFirst(panel.nodes.data.size);
    }

    // At most once per frame.
    request() {
      this.waiting ??= requestAnimationFrame(() => {
        this.waiting = null;
        this.draw();
      });
    }

    draw(wanted = true) {
      const { figure } = this.panel, { inner_width: width, inner_height: height } = figure, finer = window.devicePixelRatio || 1;
      Object.assign(this.sheet, { width: Math.round(finer * width), height: Math.round(finer * height) }); // and empty
      this.written = [];
      if (!wanted || !(width > 0)) return;
      const inView = this.inView(width, height), most = inView.length > MAX_IN_VIEW ? Math.min(MAX_NAMES, width * height / ROOM) : MAX_NAMES;
      const context = this.sheet.getContext("2d", { willReadFrequently: true });
      context.scale(finer, finer);
      this.write(context, inView.slice(0, MAX_IN_VIEW), most, width, height);
    }

    // Those that may get a name, largest first.
    inView(width, height) {
      const { figure, names } = this.panel, { start, end, reset_start, reset_end } = figure.x_range;
      if (crowds.has(figure)) return crowds.get(figure).largest(MAX_IN_VIEW + 1);
      const enlarged = (reset_end - reset_start) / (end - start) > 1.4, found = [];
      if (!enlarged && names.length > FEW_NODES) return found;
      const off = hidden.get(this.panel.nodes);
      for (const node of this.order) {
        if (off && off[node]) continue;
        const [left, top] = this.panel.place(node);
        if (left >= 0 && left <= width && top >= 0 && top <= height) found.push(node);
        if (found.length > MAX_IN_VIEW) return [];
      }
      return found;
    }

    write(context, inView, most, width, height) {
      const { figure, names } = this.panel, { size } = this.panel.nodes.data, { growth = 1, dense = false } = crowds.get(figure) ?? {};
      this.look(context);
      for (const node of inView) {
        if (this.written.length >= most) return;
        const text = names.at(node).slice(0, LETTERS), [left, top] = this.panel.place(node);
        const radius = Math.max(growth * size[node], dense ? LEAST : 0) / 2, begin = left + radius + 3, first = left - radius, last = begin + context.measureText(text).width;
        const inside = last < width - TOOLS && top > LINE / 2 && top < height - LINE / 2;
        const clear = inside && !this.written.some((other) => first < other.last + APART && other.first < last + APART && Math.abs(other.top - top) < LINE);
        if (!clear) continue;
        this.written.push({ node, text, first, last, top });
        if (dense) this.dot(context, node, left, top, 2 * radius);
        context.strokeText(text, begin, top);
        context.fillText(text, begin, top);
      }
    }

    look(context) {
      const style = getComputedStyle(this.sheet), colours = { fillStyle: style.color, strokeStyle: style.getPropertyValue("--background") };
      Object.assign(context, { font: "12px system-ui, sans-serif", textBaseline: "middle", lineWidth: 3, lineJoin: "round", ...colours });
    }

    // The node that a name belongs to, where nodes are not drawn one by one.
    dot(context, node, left, top, size) {
      const { colour, marker } = this.panel.nodes.data;
      context.save();
      Object.assign(context, { fillStyle: shade(colour[node]), lineWidth: 1.5 });
      trace(context, marker[node], left, top, size);
      context.stroke();
      context.fill();
      context.restore();
    }
  }

  Object.assign(window.netgiven, { Names });
})();
