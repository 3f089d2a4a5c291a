// The panels of a map: what is pointed out in each of them.
window.netgiven = window.netgiven || {};

(() => {
  const { make, named, crowd, hidden, moveTo, nearest } = window.netgiven;
  const MOST = 2000; // neighbours that are pointed out
  const EMPTY = { x: [], y: [], to_x: [], to_y: [] };
  const INK = { light: "#202124", dark: "#E8EAED" };

  class Panel {
    constructor(document, nodes, number, host, names) {
      const model = (name) => document.get_model_by_name(`${name} ${number}`);
      Object.assign(this, { nodes, number, names, figure: model("panel"), renderer: model("points") });
      for (const name of ["links", "spokes", "guesses", "spots"]) this[name] = model(name);
      this.inked = ["points", "spots drawn"].map(model).concat(["spokes", "guesses"].map((name) => document.get_model_by_name(`${name} ${number} drawn`)));
      this.picture = model("density");
      this.lines = document.get_model_by_name(`links ${number} drawn`).glyph;
      this.opacity = this.lines.line_alpha.value;
      this.x = nodes.data[`x${number}`];
      this.y = nodes.data[`y${number}`];
      this.tip = make("div", { class: "tip name", hidden: "" });
      host.append(this.tip);
      const { x, y, to_x, to_y } = this.links.data;
      this.allLinks = { x, y, to_x, to_y };
    }

    // Nodes in the middle, their links, and dashed what is likely; the rest stays as it is.
    point(centres, neighbours, likely) {
      const off = hidden.get(this.nodes), seen = (node) => !(off && off[node]);
      const ends = centres.length === 1 ? Array.from(neighbours(centres[0])).filter(seen).slice(0, MOST) : [];
      const guessed = centres.length === 1 ? likely.filter(seen) : [];
      this.spokes.data = this.segments(centres[0], ends);
      this.guesses.data = this.segments(centres[0], guessed);
      this.spots.data = this.looks(centres.length === 1 ? [...ends, ...guessed, centres[0]] : [], centres[0]);
    }

    // Beside nodes that are kept, all links step back.
    fade(kept) { this.lines.line_alpha = { value: kept ? this.opacity / 3 : this.opacity }; }

    segments(from, ends) {
      if (!ends.length) return EMPTY;
      const { x, y } = this;
      const at = (values, node) => ends.map(() => values[node]), to = (values) => ends.map((end) => values[end]);
      return { x: at(x, from), y: at(y, from), to_x: to(x), to_y: to(y) };
    }

    looks(chosen, centre) {
      const { size, colour, marker } = this.nodes.data;
      const take = (values) => chosen.map((node) => values[node]);
      const sizes = chosen.map((node) => size[node] + (node === centre ? 5 : 1));
      return { x: take(this.x), y: take(this.y), size: sizes, colour: Uint32Array.from(take(colour)), marker: take(marker) };
    }

    // The name beside its node, where the node is in view.
    tell(node) {
      const { x_range: across, y_range: down, inner_width: width, inner_height: height } = this.figure;
      const left = width * (this.x[node] - across.start) / (across.end - across.start);
      const top = height * (1 - (this.y[node] - down.start) / (down.end - down.start));
      this.tip.hidden = node < 0 || !(left >= 0 && left <= width && top >= 0 && top <= height);
      if (this.tip.hidden) return;
      this.tip.textContent = this.names[node];
      const side = left > width / 2 ? { right: `${width - left + 14}px`, left: "auto" } : { left: `${left + 14}px`, right: "auto" };
      const edge = top > height / 2 ? { bottom: `${height - top + 10}px`, top: "auto" } : { top: `${top + 10}px`, bottom: "auto" };
      Object.assign(this.tip.style, side, edge);
    }

    at(event) { return nearest(this.figure, this.nodes, this.number, event.x, event.y); }

    bring(node) { moveTo(this.figure, this.x[node], this.y[node]); }

    // Nodes of groups that are switched off vanish, and so do their links.
    refresh(links) {
      crowd(this.figure, this.renderer.view.filter, this.picture, this.nodes, this.number);
      if (!this.allLinks.x.length) return;
      const off = hidden.get(this.nodes);
      const kept = Array.from(this.allLinks.x.keys()).filter((place) => !off || !links(place).some((node) => off[node]));
      const take = (values) => Float32Array.from(kept, (place) => values[place]);
      this.links.data = Object.fromEntries(Object.entries(this.allLinks).map(([name, values]) => [name, take(values)]));
    }

    ink(theme) { for (const { glyph } of this.inked) glyph.line_color = { value: INK[theme] }; }
  }

  Object.assign(window.netgiven, { Panel });
})();
