// The legend: groups that can be switched off, or a colour scale for numbers.
window.netgiven = window.netgiven || {};

(() => {
  const { make, button, named, mark, grouped } = window.netgiven;

  class Legend {
    constructor(host, data, change) {
      Object.assign(this, { host, data, change, on: data.groups.map(() => true) });
      host.append(this.heading());
      if (data.scale) host.append(...this.bar());
      this.items = data.groups.map((group, place) => this.item(group, place));
      if (data.groups.length > 1 || !data.scale) host.append(make("ul", {}, ...this.items));
      host.hidden = data.groups.length < 2 && !data.scale;
    }

    heading() {
      this.all = button("show all", () => this.set(() => true));
      this.all.hidden = true;
      return make("h2", {}, named(this.data.title), this.all);
    }

    item({ name, colour, marker, count }, place) {
      const toggle = button("", () => this.set((on, other) => other === place ? !on : on), { "aria-pressed": "true" });
      toggle.append(mark(colour, marker), named(name), make("span", { class: "count", text: grouped(count) }));
      const only = button("only", () => this.set((_, other) => other === place), { class: "only" });
      return make("li", {}, toggle, only);
    }

    bar() {
      const { colours, ticks } = this.data.scale;
      const shift = (share) => share < 0.06 ? 0 : share > 0.94 ? -100 : -50; // the outermost labels stay within the panel
      const marks = ticks.map(([share, text]) => make("span", { text, style: `left:${100 * share}%;transform:translateX(${shift(share)}%)` }));
      const gradient = `background:linear-gradient(to right, ${colours.join(", ")})`;
      return [make("div", { class: "bar", style: gradient }), make("div", { class: "ticks" }, ...marks)];
    }

    set(wanted) {
      this.on = this.on.map(wanted);
      this.items.forEach((item, place) => item.firstChild.setAttribute("aria-pressed", String(this.on[place])));
      this.all.hidden = this.on.every(Boolean);
      this.change(this.on);
    }
  }

  Object.assign(window.netgiven, { Legend });
})();
