// The page: shows the messages of the server, and sends it requests.
window.netgiven = window.netgiven || {};

(() => {
  const { make, button, named, crowd, hidden, keep, showMost, Panel, Search, Steps, Cards, Legend, NewNode } = window.netgiven;
  const by = (id) => document.getElementById(id);
  const EMPTY_TEXTS = {
    empty: ["Explore a network", "Open a file of links, or try the example: a company with known departments and hidden project teams."],
    ready: ["Ready to fit a map", "Choose on the left what is already known, then fit the map."],
    fitting: ["Fitting", "Computing the first positions."],
  };

  class Page {
    constructor(channel, row) {
      Object.assign(this, { channel, row, names: [], panels: [], highlights: [], marks: [], newNodes: [], legend: {}, count: 0, maps: [], running: false });
      this.steps = new Steps((...request) => this.request(...request), () => JSON.parse(channel.upload));
      this.cards = new Cards(by("details"), { select: (numbers) => this.select(numbers), request: (...request) => this.request(...request) });
      this.listen();
      this.setDark(matchMedia("(prefers-color-scheme: dark)").matches);
      for (const name of ["names", "network", "knowledge", "fit", "legend", "details", "next_pairs", "fairness", "error", "file"]) this.follow(name);
      channel.properties.frame.change.connect(() => this.moved());
      row.properties.children.change.connect(() => this.redrawn());
      this.redrawn();
    }

    request(action, more = {}) {
      this.steps?.showError("page", "");
      this.channel.request = JSON.stringify({ action, count: ++this.count, ...more });
    }

    select(numbers) { this.request("select", { numbers }); }

    follow(name) {
      const show = () => this[`show_${name}`](JSON.parse(this.channel[name]));
      this.channel.properties[name].change.connect(show);
      show();
    }

    listen() {
      by("colour").addEventListener("change", () => this.request("colour", { column: by("colour").value }));
      by("theme").addEventListener("click", () => this.setDark(document.documentElement.dataset.theme !== "dark"));
      for (const file of document.querySelectorAll("#downloads [data-file]")) {
        file.addEventListener("click", () => this.request("file", { kind: file.dataset.file, index: this.cards.index }));
      }
      this.channel.document.on_event("connection_lost", () => { by("lost").hidden = false; });
      this.search = new Search(by("search"), by("found"), { names: [], degree: () => 0 }, (node) => this.find(node));
    }

    setDark(dark) {
      document.documentElement.dataset.theme = dark ? "dark" : "light";
      for (const panel of this.panels) panel.ink(document.documentElement.dataset.theme);
      for (const node of this.newNodes) node.draw();
    }

    // ---- messages of the server

    show_names(names) {
      this.names = names;
      Object.assign(this.search, { names, folded: names.map((name) => name.toLowerCase()), degree: (node) => this.nodes()?.data.degree[node] ?? 0 });
      by("search").value = "";
    }

    show_network(message) {
      this.steps.network(message);
      by("colour").replaceChildren(...(message.colours ?? []).map((name) => make("option", { value: name, text: name })));
      by("colour").value = this.legend.title ?? ""; // if the next legend is the same, there is no message about it
      this.opened = Boolean(message.title);
      this.update();
    }

    show_knowledge(message) { this.steps.knowledge(message); }

    show_fit(message) {
      this.steps.show(message);
      Object.assign(this, { running: message.running, maps: message.maps ?? [], fitIndex: message.index });
      this.update();
    }

    show_legend(legend) {
      if (!legend.groups) return;
      by("colour").value = legend.title;
      by("legend").replaceChildren();
      this.legend = legend;
      this.groups = new Legend(by("legend"), legend, () => this.hideGroups());
      this.hideGroups();
    }

    show_details(message) {
      this.cards.show(message);
      Object.assign(this, { highlights: message.highlights ?? [], marks: message.marks ?? [] });
      this.highlight();
    }

    show_next_pairs(message) { this.cards.nextPairs.show(message); }

    show_fairness(message) { this.cards.fairness.show(message); }

    show_error({ where, message }) {
      if (!where) return;
      this.steps.showError(where, message);
      if (where === "page" && message) for (const section of [this.cards.nextPairs, this.cards.fairness]) section.restore();
    }

    show_file({ token, name }) {
      if (token) make("a", { href: `download/${token}`, download: name }).click();
    }

    // ---- the maps

    nodes() { return this.panels[0]?.nodes; }

    // The figures have changed: once they are laid out, each gets an overlay for highlights.
    redrawn() {
      const figures = this.row.children;
      this.panels = [];
      by("overlays").replaceChildren();
      this.update();
      const laidOut = () => {
        if (figures !== this.row.children) return;
        if (figures.some(({ properties }) => properties.inner_width.is_unset)) requestAnimationFrame(laidOut);
        else this.cover(figures);
      };
      laidOut();
    }

    cover(figures) {
      const hosts = figures.map(() => make("div", { class: "plot" }));
      by("overlays").replaceChildren(...hosts);
      this.panels = hosts.map((host, number) => this.panel(host, number));
      this.hideGroups(); // as in the legend, also in a new map
      this.highlight();
    }

    panel(host, number) {
      // models of this figure only: the document may still hold those of the previous one
      const models = new Map([...this.row.children[number].references()].map((model) => [model.name, model]));
      const drawing = { get_model_by_name: (name) => models.get(name) ?? null };
      const panel = new Panel(drawing, models.get("nodes"), number, host, this.names);
      const { first, second } = panel.links.data;
      panel.ends = (link) => [first[link], second[link]];
      panel.ink(document.documentElement.dataset.theme);
      panel.figure.on_event("mousemove", (event) => this.hover(panel.at(event)));
      panel.figure.on_event("mouseleave", () => this.hover(-1));
      panel.figure.on_event("doubletap", (event) => keep(panel.figure, panel.nodes, number, event)); // quick clicks on two nodes are a double click
      for (const range of [panel.figure.x_range, panel.figure.y_range]) range.change.connect(() => this.zoomed(panel));
      return panel;
    }

    // Positions have changed; the server sends the next frame when this one is drawn.
    moved() {
      const { frame } = this.channel;
      for (const panel of this.panels) {
        panel.x = panel.nodes.data[`x${panel.number}`];
        panel.y = panel.nodes.data[`y${panel.number}`];
        if (panel.number === this.fitIndex) showMost(panel.figure, panel.nodes, panel.number);
        crowd(panel.figure, panel.renderer.view.filter, panel.picture, panel.nodes, panel.number);
      }
      requestAnimationFrame(() => { this.channel.drawn_frame = frame; });
    }

    zoomed(panel) {
      if (this.running) panel.farther.hidden = true;
      else panel.look();
      for (const node of this.newNodes) node.draw();
      this.showTip(-1);
    }

    highlight() {
      for (const panel of this.panels) {
        const { centre = -1, linked = [], likely = [] } = this.highlights[panel.number] ?? {};
        panel.point(centre, linked, likely);
        panel.fade(panel.nodes.selected.indices.length > 0);
      }
      for (const node of this.newNodes) node.remove();
      const marked = this.panels.filter(({ number }) => this.marks[number]);
      this.newNodes = marked.map((panel) => new NewNode(panel, by("overlays").children[panel.number], this.marks[panel.number]));
    }

    hover(node) { this.showTip(this.running ? -1 : node); }

    showTip(node) {
      for (const panel of this.panels) {
        panel.showName(node);
        if (!panel.tip.hidden) panel.tip.append(...this.facts(panel.nodes.data, node));
      }
    }

    facts({ degree, group }, node) {
      const { title, scale, groups } = this.legend;
      const links = `${degree[node].toLocaleString("en-US")} ${degree[node] === 1 ? "link" : "links"}`;
      return [links, ...(title && !scale ? [`${title}: ${groups[group[node]].name}`] : [])].map((text) => named(text, "small"));
    }

    find(node) {
      by("search").value = "";
      for (const panel of this.panels) panel.bring(node);
      this.select([node]);
    }

    hideGroups() {
      const nodes = this.nodes(), on = this.groups?.on ?? [];
      if (!nodes || (on.every(Boolean) && !hidden.has(nodes))) return;
      if (on.every(Boolean)) hidden.delete(nodes);
      else hidden.set(nodes, Uint8Array.from(nodes.data.group, (number) => on[number] ? 0 : 1));
      for (const panel of this.panels) panel.refresh(panel.ends);
    }

    update() {
      const drawn = this.row.children.length > 0;
      const state = !this.opened ? "empty" : this.running ? "fitting" : "ready";
      by("empty").hidden = drawn;
      by("empty").dataset.state = state;
      [by("empty").children[0].textContent, by("empty").children[1].textContent] = EMPTY_TEXTS[state];
      by("downloads").classList.toggle("off", !this.maps.length || this.running);
      for (const file of by("downloads").children) file.disabled = !this.maps.length || this.running;
      by("search").disabled = !this.maps.length || this.running;
      by("colour").disabled = !drawn;
      by("legend").hidden = !drawn;
      this.titles();
    }

    titles() {
      const chosen = JSON.parse(this.channel.knowledge).text ?? "";
      const titles = this.row.children.map((_, index) => {
        const fitting = this.running && index === this.fitIndex;
        const { given, text } = fitting ? { given: chosen, text: "fitting" } : this.maps[index] ?? { given: chosen, text: "" };
        const close = this.maps.length > 1 && !this.running ? [button("×", () => this.request("close", { index }), { class: "close", title: "Close this map", "aria-label": "Close this map" })] : [];
        return make("div", {}, make("span", { class: "soft", text: "given " }), named(given, "b"), make("span", { class: "soft", text }), ...close);
      });
      by("titles").replaceChildren(...titles);
    }
  }

  window.netgiven.explorer = { begin: (channel, row) => { window.netgiven.explorer.page = new Page(channel, row); } };
})();
