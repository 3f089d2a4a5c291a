// The legend: groups that can be switched off, or a bar of colours for numbers.
window.netgiven = window.netgiven || {};

(() => {
  const { make, button, named, mark, grouped } = window.netgiven;

  class Legend {
    constructor(host, told, change) {
      Object.assign(this, { host, told, change, on: told.groups.map(() => true) });
      host.append(this.heading());
      if (told.scale) host.append(...this.bar());
      this.items = told.groups.map((group, place) => this.item(group, place));
      if (told.groups.length > 1 || !told.scale) host.append(make("ul", {}, ...this.items));
      host.hidden = told.groups.length < 2 && !told.scale;
    }

    heading() {
      this.all = button("show all", () => this.set(() => true));
      this.all.hidden = true;
      return make("h2", {}, named(this.told.title), this.all);
    }

    item({ name, colour, marker, count }, place) {
      const toggle = button("", () => this.set((on, other) => other === place ? !on : on), { "aria-pressed": "true" });
      toggle.append(mark(colour, marker), named(name), make("span", { class: "count", text: grouped(count) }));
      const only = button("only", () => this.set((_, other) => other === place), { class: "only" });
      return make("li", {}, toggle, only);
    }

    bar() {
      const { colours, ticks } = this.told.scale;
      const shift = (share) => share < 0.06 ? 0 : share > 0.94 ? -100 : -50; // the outermost stay within
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
