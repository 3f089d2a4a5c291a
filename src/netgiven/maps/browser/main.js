// The page: reads what came with it, draws the panels, and ties everything together.
window.netgiven = window.netgiven || {};

(() => {
  const { numbers, neighbours, odds, likeliest, make, grouped, plural, Panel, Legend, Search, Details, hidden } = window.netgiven;
  const LIKELY = 8; // likeliest links of a node that are told
  const DRAWN = 3; // of which so many are drawn

  const read = (id) => JSON.parse(document.getElementById(id).textContent);

  // What is known of the network, beside how it is drawn.
  class Atlas {
    constructor(told, nodes) {
      const { names, groups, panels } = told;
      Object.assign(this, { names, groups, known: panels.map(({ knowledge }) => knowledge), groupTitle: told.legend.title });
      this.counts = numbers(told.links.counts);
      this.others = numbers(told.links.others);
      this.neighbours = neighbours(this.counts, this.others);
      this.group = numbers(told.group);
      this.legend = told.legend;
      this.columns = told.columns.map((column) => ({ ...column, codes: column.codes && numbers(column.codes), numbers: column.numbers && numbers(column.numbers) }));
      this.odds = panels.map((panel, place) => panel.prior && odds(panel, nodes.data[`x${place}`], nodes.data[`y${place}`]));
    }

    facts(node) {
      const value = ({ codes, values, numbers: every }) => codes ? values[codes[node]] ?? "–" : Number.isNaN(every[node]) ? "–" : String(+every[node].toPrecision(6));
      return this.columns.map((column) => [column.name, value(column)]);
    }

    likeliest(node, panel) {
      return this.odds[panel] && likeliest(this.odds[panel], node, LIKELY, this.neighbours(node), this.names.length);
    }

    linksAmong(chosen) {
      const within = new Set(chosen);
      return chosen.reduce((sum, node) => sum + this.neighbours(node).filter((other) => within.has(other)).length, 0) / 2;
    }

    groupCounts(chosen) {
      const counts = this.legend.groups.map(() => 0);
      for (const node of chosen) counts[this.group[node]]++;
      const told = this.legend.groups.map(({ name, count }, place) => ({ name, count: counts[place], all: count }));
      return told.filter(({ count }) => count).sort((one, other) => other.count - one.count);
    }

    // The two ends of a link, by its place among all.
    ends(place) {
      if (!this.first) {
        this.first = new Int32Array(this.others.length);
        for (let node = 0, at = 0; node < this.counts.length; node++) at = (this.first.fill(node, at, at + this.counts[node]), at + this.counts[node]);
      }
      return [this.first[place], this.others[place]];
    }

    save(chosen) {
      const text = chosen.map((node) => `${this.names[node]}\n`).join("");
      const link = make("a", { download: "selected.txt", href: URL.createObjectURL(new Blob([text], { type: "text/plain" })) });
      link.click();
      URL.revokeObjectURL(link.href);
    }
  }

  class Page {
    constructor(told, nodes, panels) {
      Object.assign(this, { nodes, panels, atlas: new Atlas(told, nodes), hovered: -1 });
      const at = (id) => document.getElementById(id);
      const choose = (node) => this.choose(node);
      this.details = new Details(this.atlas, at("node"), at("likely"), choose);
      this.legend = new Legend(at("legend"), told.legend, (on) => this.switch(on));
      const names = { names: told.names, degree: (node) => this.atlas.neighbours(node).length };
      this.search = new Search(at("search"), at("found"), names, choose);
      this.listen();
    }

    listen() {
      this.panels.forEach((panel) => {
        panel.figure.on_event("mousemove", (event) => this.hover(panel.at(event), panel.number));
        panel.figure.on_event("mouseleave", () => this.hover(-1, panel.number));
        for (const range of [panel.figure.x_range, panel.figure.y_range]) {
          range.connect(range.change, () => { panel.look(); panel.tell(this.told()); });
        }
      });
      this.nodes.selected.connect(this.nodes.selected.properties.indices.change, () => this.select());
      document.addEventListener("keydown", ({ key, target }) => {
        if (key === "Escape" && target === document.body) this.nodes.selected.indices = [];
        if (key === "/" && target === document.body) setTimeout(() => this.search.box.focus());
      });
      document.getElementById("theme").addEventListener("click", () => this.dress(theme() === "dark" ? "light" : "dark"));
      this.dress(theme());
    }

    // The node beside which its name stands: the hovered one, or the one that is kept.
    told() {
      const [kept, ...more] = this.nodes.selected.indices;
      return this.hovered >= 0 ? this.hovered : kept === undefined || more.length ? -1 : kept;
    }

    hover(node, number) {
      if (node === this.hovered) return;
      this.hovered = node;
      for (const panel of this.panels) panel.tell(this.told());
      if (this.nodes.selected.indices.length) return;
      if (node >= 0) this.details.one(node, number);
      this.point(node >= 0 ? [node] : []);
    }

    choose(node) {
      this.nodes.selected.indices = [node];
      for (const panel of this.panels) panel.bring(node);
    }

    select() {
      const chosen = Array.from(this.nodes.selected.indices);
      this.hovered = -1;
      if (chosen.length === 1) this.details.one(chosen[0], this.details.panel);
      else if (chosen.length) this.details.many(chosen);
      else this.details.nothing();
      this.point(chosen);
      for (const panel of this.panels) {
        panel.fade(chosen.length > 0);
        panel.tell(this.told());
      }
    }

    point(chosen) {
      const [centre, ends] = chosen.length === 1 ? [chosen[0], this.atlas.neighbours(chosen[0])] : [-1, []];
      const likely = (panel) => centre < 0 ? [] : (this.atlas.likeliest(centre, panel.number) ?? []).slice(0, DRAWN);
      for (const panel of this.panels) panel.point(centre, ends, likely(panel).map(({ node }) => node));
    }

    switch(on) {
      const off = this.atlas.group.map((group) => on[group] ? 0 : 1);
      if (on.every(Boolean)) hidden.delete(this.nodes);
      else hidden.set(this.nodes, off);
      for (const panel of this.panels) panel.refresh((place) => this.atlas.ends(place));
    }

    dress(name) {
      document.documentElement.dataset.theme = name;
      for (const panel of this.panels) panel.ink(name);
    }
  }

  const theme = () => document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");

  function frame(told) {
    document.documentElement.dataset.theme = theme();
    document.getElementById("title").textContent = told.title;
    document.getElementById("about").textContent = `${plural(told.names.length, "node")} · ${plural(told.link_count, "link")} · ${told.about}`;
    const host = document.getElementById("panels");
    host.style.setProperty("--columns", Math.min(told.panels.length, 4));
    return told.panels.map(({ title }) => {
      const plot = make("div", { class: "plot" }, make("div"));
      const heading = told.panels.length > 1 ? [make("h2", { text: title, title })] : [];
      host.append(make("section", { class: "panel" }, ...heading, plot));
      return plot;
    });
  }

  async function start() {
    const told = read("map"), { document: drawing, roots } = read("drawing");
    const plots = frame(told);
    plots.forEach((plot, place) => { plot.firstChild.id = `plot-${place}`; });
    const targets = Object.fromEntries(roots.map((root, place) => [root, `plot-${place}`]));
    await Bokeh.embed.embed_items({ map: drawing }, [{ docid: "map", roots: targets, root_ids: roots }]);
    const whole = Bokeh.documents[Bokeh.documents.length - 1], nodes = whole.get_model_by_name("nodes");
    const panels = plots.map((plot, place) => new Panel(whole, nodes, place, plot, told.names));
    window.netgiven.page = new Page(told, nodes, panels);
  }

  start();
})();
