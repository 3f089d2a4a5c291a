// The page of a map: reads its data, draws the panels, and connects legend, search and details.
window.netgiven = window.netgiven || {};

(() => {
  const { unpacked, neighbours, odds, likeliest, make, plural, showMost, Panel, Names, Legend, Search, Details, hidden } = window.netgiven;
  const LIKELY = 8; // likeliest links of a node that are listed
  const DRAWN = 3; // likeliest links of a node that are drawn

  const read = (id) => JSON.parse(document.getElementById(id).textContent);

  // The data of the network.
  class Atlas {
    constructor(data, nodes) {
      const { names, groups, panels } = data;
      Object.assign(this, { names, groups, known: panels.map(({ knowledge }) => knowledge), explained: panels.map(({ explained }) => explained), groupTitle: data.legend.title });
      this.own = data.own_names;
      const { columns, group, legend, links: { counts, others } } = data;
      Object.assign(this, { columns, group, legend, counts, others });
      this.odds = panels.map((panel, place) => panel.prior && odds(panel, nodes.data[`x${place}`], nodes.data[`y${place}`]));
    }

    // In sorted order. Their rows are made when they are first asked for.
    neighbours(node) {
      this.rows ??= neighbours(this.counts, this.others);
      return this.rows(node);
    }

    facts(node) {
      const own = this.own ? [["node", this.own.at(node)]] : [];
      const value = ({ codes, values, numbers: every }) => codes ? values.at(codes[node]) ?? "–" : Number.isNaN(every[node]) ? "–" : String(+every[node].toPrecision(6));
      return [...own, ...this.columns.map((column) => [column.name, value(column)])];
    }

    likeliest(node, panel) {
      const key = `${node} ${panel}`; // the details and the drawing ask for the same
      if (this.last?.key !== key) this.last = { key, links: this.odds[panel] && likeliest(this.odds[panel], node, LIKELY, this.neighbours(node), this.names.length) };
      return this.last.links;
    }

    linksAmong(chosen) {
      const within = new Set(chosen);
      return chosen.reduce((sum, node) => sum + this.neighbours(node).filter((other) => within.has(other)).length, 0) / 2;
    }

    groupCounts(chosen) {
      const counts = this.legend.groups.map(() => 0);
      for (const node of chosen) counts[this.group[node]]++;
      const rows = this.legend.groups.map(({ name, count }, place) => ({ name, count: counts[place], all: count }));
      return rows.filter(({ count }) => count).sort((one, other) => other.count - one.count);
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
      const text = chosen.map((node) => `${(this.own ?? this.names).at(node)}\n`).join("");
      const link = make("a", { download: "selected.txt", href: URL.createObjectURL(new Blob([text], { type: "text/plain" })) });
      link.click();
      URL.revokeObjectURL(link.href);
    }
  }

  class Page {
    constructor(data, nodes, panels) {
      Object.assign(this, { nodes, panels, atlas: new Atlas(data, nodes), hovered: -1 });
      setTimeout(() => this.atlas.neighbours(0), 500); // before somebody points at a node
      const at = (id) => document.getElementById(id);
      const choose = (node) => this.choose(node);
      this.details = new Details(this.atlas, at("node"), at("likely"), choose, () => this.clear());
      this.legend = new Legend(at("legend"), data.legend, (on) => this.switch(on));
      const names = { names: data.names, degree: (node) => this.atlas.neighbours(node).length };
      this.search = new Search(at("search"), at("found"), names, choose);
      this.listen();
    }

    listen() {
      this.panels.forEach((panel) => {
        panel.figure.on_event("mousemove", (event) => this.hover(panel.at(event), panel.number));
        panel.figure.on_event("mouseleave", () => this.hover(-1, panel.number));
        panel.written = new Names(panel);
        for (const range of [panel.figure.x_range, panel.figure.y_range]) {
          range.connect(range.change, () => { panel.look(); panel.showName(this.labelled()); panel.written.request(); });
        }
      });
      this.nodes.selected.connect(this.nodes.selected.properties.indices.change, () => this.select());
      document.addEventListener("keydown", ({ key, target }) => {
        const typing = target.matches?.("input");
        if (key === "Escape" && !typing) this.clear();
        if (key === "/" && !typing) setTimeout(() => this.search.box.focus());
      });
      document.getElementById("theme").addEventListener("click", () => this.setTheme(theme() === "dark" ? "light" : "dark"));
      this.setTheme(theme());
    }

    // The node whose name is shown: the hovered one, or the selected one.
    labelled() {
      const [kept, ...more] = this.nodes.selected.indices;
      return this.hovered >= 0 ? this.hovered : kept === undefined || more.length ? -1 : kept;
    }

    hover(node, number) {
      if (node === this.hovered) return;
      this.hovered = node;
      for (const panel of this.panels) panel.showName(this.labelled());
      if (this.nodes.selected.indices.length) return;
      if (node >= 0) this.details.one(node, number);
      this.point(node >= 0 ? [node] : []);
    }

    choose(node) {
      this.nodes.selected.indices = [node];
      for (const panel of this.panels) panel.bring(node);
    }

    clear() {
      this.nodes.selected.indices = [];
      this.select(); // also where none was selected, but one was pointed at
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
        panel.showName(this.labelled());
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
      for (const panel of this.panels) {
        panel.refresh((place) => this.atlas.ends(place));
        panel.written.request();
      }
    }

    setTheme(name) {
      document.documentElement.dataset.theme = name;
      for (const panel of this.panels) {
        panel.ink(name);
        panel.written.request();
      }
    }
  }

  const theme = () => document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");

  function makeFrame(data) {
    document.documentElement.dataset.theme = theme();
    document.getElementById("title").textContent = data.title;
    document.getElementById("about").textContent = `${plural(data.names.length, "node")} · ${plural(data.link_count, "link")} · ${data.about}`;
    const host = document.getElementById("panels");
    host.style.setProperty("--columns", Math.min(data.panels.length, 4));
    return data.panels.map(({ title }) => {
      const plot = make("div", { class: "plot" }, make("div"));
      const heading = data.panels.length > 1 ? [make("h2", { text: title, title })] : [];
      host.append(make("section", { class: "panel" }, ...heading, plot));
      return plot;
    });
  }

  // Many nodes are not in Bokeh's document.
  function fillNodes(nodes, { nodes: columns, group, legend }) {
    const markers = legend.groups.map(({ marker }) => marker);
    nodes.setv({ data: { ...columns, marker: Array.from(group, (one) => markers[one]) } }, { sync: false });
  }

  const frame = () => new Promise(requestAnimationFrame);

  // The nodes are drawn before the rest of the data is decoded.
  async function start() {
    const packed = read("map"), { links, columns, own_names, panels: given, ...first } = packed;
    const [{ document: drawing, roots }, drawn] = [read("drawing"), await unpacked(first)];
    const plots = makeFrame({ ...packed, ...drawn });
    plots.forEach((plot, place) => { plot.firstChild.id = `plot-${place}`; });
    const targets = Object.fromEntries(roots.map((root, place) => [root, `plot-${place}`]));
    await Bokeh.embed.embed_items({ map: drawing }, [{ docid: "map", roots: targets, root_ids: roots }]);
    const whole = Bokeh.documents[Bokeh.documents.length - 1], nodes = whole.get_model_by_name("nodes");
    if (drawn.nodes.size) fillNodes(nodes, drawn);
    const panels = plots.map((plot, place) => new Panel(whole, nodes, place, plot, drawn.names));
    for (const panel of panels) showMost(panel.figure, nodes, panel.number);
    if (drawn.nodes.size) await frame().then(frame);
    window.netgiven.page = new Page({ ...drawn, ...await unpacked({ links, columns, own_names, panels: given }) }, nodes, panels);
  }

  start();
})();
