// The details of the highlighted node, or of all selected nodes; without any, what was given.
window.netgiven = window.netgiven || {};

(() => {
  const { make, button, named, plural, grouped, percent, times } = window.netgiven;
  const MAX_NAMES = 60; // in a list

  class Details {
    constructor(map, host, likely, choose, clear) {
      Object.assign(this, { map, host, likely, choose, clear, panel: 0, node: -1 });
      this.nothing();
    }

    nothing() {
      this.node = -1;
      const hint = "Point at a node to see its details. Click to select it; draw a lasso to select several.";
      this.host.replaceChildren(make("p", { class: "hint", text: hint }));
      this.showGiven();
    }

    // What each given thing explains, given the prior of one panel.
    showGiven() {
      const tabs = this.tabs(() => this.showGiven()), explained = this.map.explained[this.panel];
      this.likely.replaceChildren(make("h3", { text: "What was given, and what it explains", style: "margin-top:0" }), ...tabs, ...(explained ? this.given(explained) : [this.unexplained()]));
    }

    given({ lines, left, readable, proposals }) {
      const rows = lines.map(({ words, bits, percent: share }) => make("tr", {}, make("td", { class: "words", text: words }), make("td", { text: bits }), make("td", { text: share })));
      const head = ["", "bits per link", "share"].map((text) => make("th", { text }));
      const table = make("table", { class: "given" }, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows));
      const read = readable.flatMap(({ column, text, readable: yes }) => [named(column, "dt"), make("dd", { class: yes ? "" : "soft", text: `${yes ? "" : "no: "}${text}` })]);
      const still = read.length ? [make("h3", { text: "Can still be read from the map" }), make("dl", {}, ...read)] : [];
      const next = proposals.length ? [make("h3", { text: "To give next" }), ...proposals.map((text) => make("p", { class: "hint name", text }))] : [];
      return [table, make("p", { class: "hint", text: left }), ...still, ...next];
    }

    unexplained() {
      return make("p", { class: "hint", text: "This is not computed for more than 100,000 nodes; netgiven prior prints it." });
    }

    // A button for each panel, where there are several.
    tabs(show) {
      if (this.map.known.length < 2) return [];
      const one = (title, place) => button(title, () => { this.panel = place; show(); }, { "aria-pressed": String(place === this.panel), title });
      return [make("div", { class: "tabs" }, ...this.map.known.map(one))];
    }

    one(node, panel) {
      Object.assign(this, { node, panel });
      const { map } = this, others = map.neighbours(node);
      const facts = [["links", grouped(others.length)], ...map.facts(node)];
      const list = make("dl", {}, ...facts.flatMap(([name, value]) => [named(name, "dt"), named(value, "dd")]));
      const linked = others.length ? [make("h3", { text: "Linked to" }), this.list(others)] : [];
      this.host.replaceChildren(named(map.names.at(node), "h2"), list, ...linked, this.back());
      this.host.scrollTop = 0;
      this.showLikely();
    }

    // The likeliest links given the prior of one panel.
    showLikely() {
      const tabs = this.tabs(() => this.showLikely()), links = this.map.likeliest(this.node, this.panel);
      const heading = make("h3", { text: `Likeliest links that are not there${tabs.length ? ", given" : ""}`, style: "margin-top:0" });
      this.likely.replaceChildren(heading, ...tabs, links ? this.table(links) : this.unavailable());
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
        this.back(),
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

    back() { return button("What was given", this.clear, { class: "action" }); }

    link(node) {
      const shown = button(this.map.names.at(node), () => this.choose(node), { class: "name" });
      shown.title = this.map.names.at(node);
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
