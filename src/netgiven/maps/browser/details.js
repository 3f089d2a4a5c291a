// The details of the highlighted node, or of all selected nodes.
window.netgiven = window.netgiven || {};

(() => {
  const { make, button, named, plural, grouped, percent, times } = window.netgiven;
  const MAX_NAMES = 60; // in a list

  class Details {
    constructor(map, host, likely, choose) {
      Object.assign(this, { map, host, likely, choose, panel: 0, node: -1 });
      this.nothing();
    }

    nothing() {
      this.node = -1;
      const hint = "Point at a node to see its details. Click to select it; draw a lasso to select several.";
      this.host.replaceChildren(make("p", { class: "hint", text: hint }));
      this.likely.replaceChildren();
    }

    one(node, panel) {
      Object.assign(this, { node, panel });
      const { map } = this, others = map.neighbours(node);
      const facts = [["links", grouped(others.length)], ...map.facts(node)];
      const list = make("dl", {}, ...facts.flatMap(([name, value]) => [named(name, "dt"), named(value, "dd")]));
      const linked = others.length ? [make("h3", { text: "Linked to" }), this.list(others)] : [];
      this.host.replaceChildren(named(map.names[node], "h2"), list, ...linked);
      this.host.scrollTop = 0;
      this.showLikely();
    }

    // The likeliest links given the prior of one panel.
    showLikely() {
      const tabs = this.map.known.map((title, place) => button(title, () => { this.panel = place; this.showLikely(); }, { "aria-pressed": String(place === this.panel), title }));
      const links = this.map.likeliest(this.node, this.panel);
      const heading = make("h3", { text: `Likeliest links that are not there${tabs.length > 1 ? ", given" : ""}`, style: "margin-top:0" });
      const switches = tabs.length > 1 ? [make("div", { class: "tabs" }, ...tabs)] : [];
      this.likely.replaceChildren(heading, ...switches, links ? this.table(links) : this.unavailable());
    }

    unavailable() {
      return make("p", { class: "hint", text: "The prior has too many groups for a page; use likely_links in Python." });
    }

    table(links) {
      const head = ["node", "probability", "prior", "lift"].map((text) => make("th", { text }));
      const rows = links.map((link) => {
        const cell = (name, text) => make("td", { text, "data-column": name, "data-value": link[name] });
        const name = make("td", { "data-node": link.node }, this.link(link.node));
        return make("tr", {}, name, cell("probability", percent(link.probability)), cell("prior", percent(link.prior)), cell("lift", times(link.lift)));
      });
      return make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows));
    }

    many(chosen) {
      this.node = -1;
      const inside = this.map.linksAmong(chosen);
      const names = () => this.map.save(chosen);
      this.host.replaceChildren(
        make("h2", { text: `${plural(chosen.length, "node")} selected` }),
        make("p", { class: "hint", text: `${plural(inside, "link")} among them` }),
        button("Save their names", names, { class: "action" }),
        make("h3", { text: "Nodes" }),
        this.list(chosen),
      );
      this.host.scrollTop = 0;
      this.likely.replaceChildren(make("h3", { text: this.map.groupTitle, style: "margin-top:0" }), this.shares(chosen));
    }

    // How the selected nodes divide into groups.
    shares(chosen) {
      const counts = this.map.groupCounts(chosen);
      const head = ["group", "selected", "of all"].map((text) => make("th", { text }));
      const rows = counts.map(({ name, count, all }) => make("tr", {}, make("td", {}, named(name)), make("td", { text: grouped(count) }), make("td", { text: percent(count / all) })));
      return make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows));
    }

    link(node) {
      const shown = button(this.map.names[node], () => this.choose(node), { class: "name" });
      shown.title = this.map.names[node];
      return shown;
    }

    list(nodes) {
      const shown = Array.from(nodes.slice(0, MAX_NAMES), (node) => this.link(node));
      const more = nodes.length > MAX_NAMES ? [make("span", { class: "soft", text: `and ${grouped(nodes.length - MAX_NAMES)} more` })] : [];
      return make("div", { class: "others" }, ...shown, ...more);
    }
  }

  Object.assign(window.netgiven, { Details });
})();
