// The panels of a map, with their highlighted nodes.
window.netgiven = window.netgiven || {};

(() => {
  const { make, button, Overlay, crowd, extent, hidden, moveTo, nearest, plural, show } = window.netgiven;
  const INK = { light: "#202124", dark: "#E8EAED" };

  class Panel {
    constructor(document, nodes, number, host, names) {
      const model = (name) => document.get_model_by_name(`${name} ${number}`);
      Object.assign(this, { nodes, number, names, figure: model("panel"), renderer: model("points") });
      this.links = model("links");
      this.picture = model("density");
      this.lines = document.get_model_by_name(`links ${number} drawn`).glyph;
      this.opacity = this.lines.line_alpha.value;
      this.x = nodes.data[`x${number}`];
      this.y = nodes.data[`y${number}`];
      this.overlay = new Overlay(this, host);
      this.tip = make("div", { class: "tip name", hidden: "" });
      this.measure();
      this.farther = button(this.countOutside(), () => show(this.figure, this.across.all, this.down.all), { class: "farther" });
      host.append(this.tip, this.farther);
      this.settle();
    }

    measure() {
      this.across = extent(this.x);
      this.down = extent(this.y);
    }

    // After nodes have moved.
    settle() {
      this.measure();
      this.farther.textContent = this.countOutside();
      this.look();
      const { x, y, to_x, to_y } = this.links.data;
      if (x.length >= (this.allLinks?.x.length ?? 0)) this.allLinks = { x, y, to_x, to_y }; // else some are hidden
    }

    // Highlight a node with its links and likeliest links, or nothing.
    point(centre, ends, likely) {
      const off = hidden.get(this.nodes), seen = (node) => !(off && off[node]);
      if (centre < 0 || !seen(centre)) this.overlay.clear();
      else this.overlay.point(centre, Array.from(ends).filter(seen), likely.filter(seen));
    }

    // While nodes are selected, all links are fainter.
    fade(selected) { this.lines.line_alpha = { value: selected ? this.opacity / 3 : this.opacity }; }

    // The position of a node in pixels from the upper left.
    place(node) {
      const { x_range: across, y_range: down, inner_width: width, inner_height: height } = this.figure;
      const left = width * (this.x[node] - across.start) / (across.end - across.start);
      return [left, height * (1 - (this.y[node] - down.start) / (down.end - down.start))];
    }

    // Show the name of a node beside it, if it is in view.
    showName(node) {
      const { inner_width: width, inner_height: height } = this.figure, [left, top] = this.place(node);
      this.tip.hidden = node < 0 || !(left >= 0 && left <= width && top >= 0 && top <= height);
      if (this.tip.hidden) return;
      this.tip.textContent = this.names.at(node);
      const side = left > width / 2 ? { right: `${width - left + 14}px`, left: "auto" } : { left: `${left + 14}px`, right: "auto" };
      const edge = top > height / 2 ? { bottom: `${height - top + 10}px`, top: "auto" } : { top: `${top + 10}px`, bottom: "auto" };
      Object.assign(this.tip.style, side, edge);
    }

    countOutside() {
      const { x, y, across: { most: [left, right] }, down: { most: [low, high] } } = this;
      let count = 0;
      for (let node = 0; node < this.names.length; node++) count += !(x[node] >= left && x[node] <= right && y[node] >= low && y[node] <= high);
      return `${plural(count, "node")} farther out`;
    }

    // Show how many nodes are farther out, unless all are in view.
    look() {
      const [left, right] = this.across.all, [low, high] = this.down.all, { x_range, y_range } = this.figure;
      const all = x_range.start <= left && x_range.end >= right && y_range.start <= low && y_range.end >= high;
      const none = String([this.across.most, this.down.most]) === String([this.across.all, this.down.all]);
      this.farther.hidden = all || none;
      this.overlay.draw();
    }

    at(event) { return nearest(this.figure, this.nodes, this.number, event.x, event.y); }

    bring(node) { moveTo(this.figure, this.x[node], this.y[node]); }

    // Hide nodes of groups that are switched off, and their links.
    refresh(links) {
      crowd(this.figure, this.renderer, this.picture, this.nodes, this.number);
      if (!this.allLinks.x.length) return;
      const off = hidden.get(this.nodes);
      const kept = Array.from(this.allLinks.x.keys()).filter((place) => !off || !links(place).some((node) => off[node]));
      const take = (values) => Float32Array.from(kept, (place) => values[place]);
      this.links.data = Object.fromEntries(Object.entries(this.allLinks).map(([name, values]) => [name, take(values)]));
    }

    ink(theme) {
      this.renderer.glyph.line_color = { value: INK[theme] };
      this.overlay.draw();
    }
  }

  Object.assign(window.netgiven, { Panel });
})();
