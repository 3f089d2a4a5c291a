// The box that finds nodes by a part of their names.
window.netgiven = window.netgiven || {};

(() => {
  const { make, named, plural, Texts } = window.netgiven;
  const MAX_RESULTS = 10;

  class Search {
    constructor(box, list, { names, degree }, choose) {
      Object.assign(this, { box, list, names: Texts.of(names), degree, choose, place: 0, found: [] });
      box.addEventListener("input", () => this.look());
      box.addEventListener("focus", () => this.look());
      box.addEventListener("blur", () => this.open(false));
      box.addEventListener("keydown", (event) => this.key(event));
    }

    look() {
      const text = this.box.value.trim();
      this.found = text ? this.names.find(text, MAX_RESULTS) : [];
      this.place = 0;
      const items = this.found.map((node, place) => this.item(node, place));
      const none = make("li", { class: "none", text: "No node has this in its name." });
      this.list.replaceChildren(...(items.length ? items : [none]));
      this.open(Boolean(text));
    }

    item(node, place) {
      const down = (event) => { event.preventDefault(); this.take(node); }; // before the box loses the focus
      const settings = { role: "option", "aria-selected": String(place === this.place), "data-node": node, id: `found-${place}`, on: { mousedown: down } };
      return make("li", settings, named(this.names.at(node)), make("span", { class: "count", text: plural(this.degree(node), "link") }));
    }

    key(event) {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step && this.found.length) {
        event.preventDefault();
        this.place = (this.place + step + this.found.length) % this.found.length;
        [...this.list.children].forEach((item, place) => item.setAttribute("aria-selected", String(place === this.place)));
        this.box.setAttribute("aria-activedescendant", this.list.children[this.place].id);
        this.list.children[this.place].scrollIntoView({ block: "nearest" });
      } else if (event.key === "Enter" && this.found.length) this.take(this.found[this.place]);
      else if (event.key === "Escape") { this.box.value = ""; this.open(false); }
    }

    take(node) {
      this.open(false);
      this.choose(node);
    }

    open(wanted) {
      this.list.hidden = !wanted;
      this.box.setAttribute("aria-expanded", String(wanted));
      if (!wanted) this.box.removeAttribute("aria-activedescendant");
    }
  }

  Object.assign(window.netgiven, { Search });
})();
