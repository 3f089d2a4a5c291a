// The page: shows the messages of the server, and sends it requests.
window.netgiven = window.netgiven || {};

(() => {
  const { make, button, named, breakable, grouped, crowd, hidden, keep, show, showMost, Panel, Search, Steps, Cards, Legend, NewNode, Ledger, Strip, NodeTable, Guide, Glide, Names, Focus, Texts } = window.netgiven;
  const by = (id) => document.getElementById(id);
  const MAX_GROWING = 20000; // nodes
  const EMPTY_TEXTS = {
    empty: ["Say what you know, see what remains", "Open a file of links, or try the example: a company with known departments and hidden project teams."],
    ready: ["Ready to fit a map", "Choose on the left what is already known, then fit the map."],
    fitting: ["Fitting", "Computing the first positions."],
  };

  class Page {
    constructor(channel, row) {
      Object.assign(this, { channel, row, names: [], panels: [], highlights: [], marks: [], newNodes: [], legend: {}, count: 0, maps: [], running: false });
      this.steps = new Steps((...request) => this.request(...request), () => JSON.parse(channel.upload));
      const request = (...request) => this.request(...request), select = (numbers) => this.select(numbers);
      this.cards = new Cards(by("details"), { select, request });
      this.ledger = new Ledger({ tell: (knowledge) => this.steps.tell(knowledge), untell: (knowledge) => this.steps.untell(knowledge) });
      this.strip = new Strip(request, (node) => this.colourOf(node));
      this.table = new NodeTable(by("node-table"), { request, select, filtered: (kept) => this.filter(kept), zoom: () => this.zoomToSelection() });
      this.guide = new Guide(by("guide"), { fit: () => this.steps.fit(false), tell: (knowledge) => this.steps.tell(knowledge) });
      this.focus = new Focus(document.querySelector("main"));
      this.listen();
      this.setDark(matchMedia("(prefers-color-scheme: dark)").matches);
      for (const name of ["names", "network", "knowledge", "fit", "legend", "details", "next_pairs", "fairness", "ledger", "strip", "groups", "table", "answers", "error", "file"]) this.follow(name);
      channel.properties.glides.change.connect(() => { this.gliding = true; });
      channel.properties.frame.change.connect(() => this.moved());
      row.properties.children.change.connect(() => this.redrawn());
      channel.properties.preparing.change.connect(() => this.update());
      this.redrawn();
      this.resume();
    }

    // After a reload, go on with the maps that were there; each tab has its own.
    resume() {
      const { token } = JSON.parse(this.channel.upload), before = sessionStorage.getItem("netgiven page");
      sessionStorage.setItem("netgiven page", token);
      if (before && before !== token && !this.maps.length) this.request("resume", { token: before });
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
      by("table-button").addEventListener("click", () => this.toggleTable());
      this.table.closed = () => by("table-button").setAttribute("aria-expanded", "false");
      by("open-example").addEventListener("click", () => { this.guideNext = true; });
      for (const opener of ["open-links", "open-nodes"]) by(opener).addEventListener("click", () => this.guide.end());
      for (const name of ["steps", "details"]) by(`fold-${name}`).addEventListener("click", () => this.fold(name));
      document.addEventListener("keydown", (event) => this.key(event));
      document.addEventListener("pointerdown", ({ target }) => { if (!by("downloads").contains(target)) by("downloads").open = false; });
      this.channel.document.on_event("connection_lost", () => { by("lost").hidden = false; });
      this.search = new Search(by("search"), by("found"), { names: [], degree: () => 0 }, (node) => this.find(node));
    }

    // Escape closes the open menu; else, as on map pages, it clears the selection, and / goes to the search.
    key({ key, target }) {
      const typing = target.matches?.("input, select, textarea");
      if (key === "Escape" && by("downloads").open) this.closeDownloads();
      else if (key === "Escape" && !typing && this.nodes()?.selected.indices.length) this.select([]);
      if (key === "/" && !typing) setTimeout(() => by("search").focus());
    }

    closeDownloads() {
      by("downloads").open = false;
      by("downloads").firstElementChild.focus();
    }

    fold(name) {
      const folded = by(`${name}-panel`).classList.toggle("folded");
      by(`fold-${name}`).setAttribute("aria-expanded", String(!folded));
    }

    toggleTable() {
      this.table.toggle();
      by("table-button").setAttribute("aria-expanded", String(this.table.open));
      if (!this.table.open) this.table.close();
    }

    setDark(dark) {
      document.documentElement.dataset.theme = dark ? "dark" : "light";
      for (const panel of this.panels) panel.ink(document.documentElement.dataset.theme);
      for (const node of this.newNodes) node.draw();
    }

    // ---- messages of the server

    show_names(names) {
      this.names = names;
      Object.assign(this.search, { names: Texts.of(names), degree: (node) => this.nodes()?.data.degree[node] ?? 0 });
      by("search").value = "";
      this.showJumps();
    }

    show_network(message) {
      this.steps.network(message);
      by("colour").replaceChildren(...(message.colours ?? []).map((name) => make("option", { value: name, text: name })));
      by("colour").value = this.legend.title ?? ""; // if the next legend is the same, there is no message about it
      this.opened = Boolean(message.title);
      if (this.opened && this.guideNext) this.guide.begin();
      this.guideNext = false;
      if (this.table.open) this.request("table");
      this.update();
    }

    show_knowledge(message) {
      this.steps.knowledge(message);
      this.ledger.told = message.chosen ?? [];
    }

    show_ledger(message) { this.ledger.show(message); }

    show_strip(message) {
      this.strip.show(message);
      this.showJumps();
      if (this.table.open && message.maps) this.request("table");
    }

    // Why nodes of large networks do not glide, where the maps to choose from are.
    showJumps() {
      by("jumps").hidden = by("strip").hidden || this.names.length <= Glide.most;
      by("jumps").textContent = `More than ${grouped(Glide.most)} nodes do not glide from map to map.`;
    }

    show_groups(message) {
      this.cards.groups.show(message);
      this.cards.groups.draw(this.cards.index);
      this.label();
    }

    show_table(message) { this.table.show(message, this.names, Array.from(this.nodes()?.data.degree ?? [])); }

    show_answers(message) { this.cards.nextPairs.answered(message); }

    show_fit(message) {
      this.steps.show(message);
      Object.assign(this, { running: message.running, maps: message.maps ?? [], fitIndex: message.index });
      this.guide.follow(this.maps, this.running);
      this.update();
    }

    show_legend(legend) {
      if (!legend.groups) return;
      by("colour").value = legend.title;
      by("legend").replaceChildren();
      this.legend = legend;
      this.groups = new Legend(by("legend"), legend, () => this.hideGroups());
      this.hideGroups();
      this.strip.show(this.strip.message);
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

    colourOf(node) {
      const colour = this.nodes()?.data.colour[node];
      return colour === undefined ? "#808080" : `#${(colour >>> 8).toString(16).padStart(6, "0")}`;
    }

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
      this.panels[0]?.nodes.properties.data.change.connect(() => this.glide());
      this.panels[0]?.nodes.selected.properties.indices.change.connect(() => this.table.mark(this.nodes().selected.indices));
      this.baseSize = this.nodes() && Float32Array.from(this.nodes().data.size);
      this.remember();
      this.hideGroups(); // as in the legend, also in a new map
      this.highlight();
      this.label();
      this.strip.show(this.strip.message);
    }

    // Where nodes are drawn, to begin the next glide with.
    remember() {
      for (const panel of this.panels) panel.was = { x: Float32Array.from(panel.x), y: Float32Array.from(panel.y) };
    }

    // New positions have come: move to them from where nodes were, if the server says that it is another map.
    glide() {
      if (!this.gliding) return;
      for (const panel of this.panels) {
        const { nodes: { data }, number, was } = panel, there = data[`x${number}`];
        const changed = there.length === was.x.length && there.some((x, node) => x !== was.x[node]);
        if (!changed) continue;
        if (panel.glide?.active) this.turn(panel);
        if (Glide.wanted(there.length)) this.start(panel);
        else queueMicrotask(() => this.jump(panel));
      }
      if (!this.panels.some(({ glide }) => glide?.active)) setTimeout(() => { if (this.gliding && !this.panels.some(({ glide }) => glide?.active)) this.arrived(); }, 100); // nothing has moved
    }

    jump(panel) {
      const { nodes, number, figure } = panel;
      Object.assign(panel, { x: nodes.data[`x${number}`], y: nodes.data[`y${number}`] });
      showMost(figure, nodes, number);
      crowd(figure, panel.renderer, panel.picture, nodes, number);
      this.arrived();
    }

    // Another map came while nodes were still gliding: they turn to it from where they are.
    turn(panel) {
      panel.glide.stopped = true;
      panel.was = { x: Float32Array.from(panel.x), y: Float32Array.from(panel.y) };
    }

    start(panel) {
      this.cards.groups.hide(true);
      const done = () => { panel.glide.active = false; this.arrived(); };
      const from = panel.was;
      panel.glide = { active: true }; // until the next task, when all columns have come
      queueMicrotask(() => {
        panel.glide = new Glide(panel, from, done);
        panel.glide.active = true;
      });
    }

    arrived() {
      this.gliding = false;
      this.remember();
      if (this.afterGlide) this.afterGlide();
      else this.settle();
      this.afterGlide = null;
    }

    // After nodes have moved: extents, names and labels of the maps are those of the new positions.
    settle() {
      for (const panel of this.panels) panel.settle();
      this.hideGroups();
      this.highlight();
      this.cards.groups.hide(false);
      this.label();
    }

    label() { this.cards.groups.label(this.panels, [...by("overlays").children]); }

    panel(host, number) {
      // models of this figure only: the document may still hold those of the previous one
      const models = new Map([...this.row.children[number].references()].map((model) => [model.name, model]));
      const drawing = { get_model_by_name: (name) => models.get(name) ?? null };
      const panel = new Panel(drawing, models.get("nodes"), number, host, this.names);
      const { first, second } = panel.links.data;
      Object.assign(panel, { first, second, ends: (link) => [first[link], second[link]] });
      panel.ink(document.documentElement.dataset.theme);
      panel.figure.on_event("mousemove", (event) => this.hover(panel.at(event)));
      panel.figure.on_event("mouseleave", () => this.hover(-1));
      panel.figure.on_event("doubletap", (event) => keep(panel.figure, panel.nodes, number, event)); // quick clicks on two nodes are a double click
      for (const range of [panel.figure.x_range, panel.figure.y_range]) range.change.connect(() => this.zoomed(panel));
      panel.written = new Names(panel);
      return panel;
    }

    // Positions have changed; the server sends the next frame when this one is drawn.
    moved() {
      const { frame } = this.channel;
      for (const panel of this.panels) {
        panel.x = panel.nodes.data[`x${panel.number}`];
        panel.y = panel.nodes.data[`y${panel.number}`];
        if (panel.number === this.fitIndex) showMost(panel.figure, panel.nodes, panel.number);
        crowd(panel.figure, panel.renderer, panel.picture, panel.nodes, panel.number);
      }
      const next = () => requestAnimationFrame(() => { this.channel.drawn_frame = frame; });
      if (this.gliding) this.afterGlide = next;
      else {
        this.remember();
        next();
      }
    }

    zoomed(panel) {
      if (this.running) panel.farther.hidden = true;
      else panel.look();
      for (const node of this.newNodes) node.draw();
      this.showTip(-1);
      this.cards.groups.move();
      panel.written?.draw(!this.running && !panel.glide?.active);
      this.grow(panel);
    }

    // Nodes are drawn larger where the map is enlarged.
    grow(panel) {
      const { figure: { x_range: range }, nodes } = panel;
      if (panel.number || !this.baseSize || nodes.data.size.length > MAX_GROWING || this.running || panel.glide?.active) return;
      const factor = Math.min(Math.max(((range.reset_end - range.reset_start) / (range.end - range.start)) ** 0.5, 1), 3);
      if (Math.abs(factor / (panel.factor ?? 1) - 1) < 0.1) return;
      panel.factor = factor;
      nodes.data.size = this.baseSize.map((size) => size * factor);
      nodes.change.emit();
    }

    // Only nodes that pass the filters of the table are drawn.
    filter(kept) {
      this.kept = kept && new Set(kept);
      this.hideGroups();
    }

    zoomToSelection() {
      const chosen = this.nodes()?.selected.indices ?? [];
      for (const panel of chosen.length ? this.panels : []) {
        const range = (values) => [Math.min(...chosen.map((node) => values[node])), Math.max(...chosen.map((node) => values[node]))];
        show(panel.figure, range(panel.x), range(panel.y), false);
      }
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
      const nodes = this.nodes(), on = this.groups?.on ?? [], all = on.every(Boolean) && !this.kept;
      if (!nodes || (all && !hidden.has(nodes))) return;
      if (all) hidden.delete(nodes);
      else hidden.set(nodes, Uint8Array.from(nodes.data.group, (number, node) => (on[number] ?? true) && (!this.kept || this.kept.has(node)) ? 0 : 1));
      for (const panel of this.panels) panel.refresh(panel.ends);
    }

    update() {
      const drawn = this.row.children.length > 0;
      const state = !this.opened ? "empty" : this.running ? "fitting" : "ready";
      by("empty").hidden = drawn;
      by("empty").dataset.state = state;
      [by("empty").children[0].textContent, by("empty").children[1].textContent] = EMPTY_TEXTS[state];
      by("empty").children[2].textContent = this.channel.preparing;
      const off = !this.maps.length || this.running;
      by("downloads").classList.toggle("off", off);
      by("downloads").inert = off;
      if (off) by("downloads").open = false;
      for (const file of [...by("downloads").querySelectorAll("button"), by("table-button"), by("search")]) file.disabled = off;
      by("colour").disabled = !drawn;
      by("legend").hidden = !drawn;
      this.titles();
    }

    titles() {
      const chosen = JSON.parse(this.channel.knowledge).text ?? "";
      const titles = this.row.children.map((_, index) => {
        const fitting = this.running && index === this.fitIndex;
        const { given, text } = fitting ? { given: chosen, text: "fitting" } : this.maps[index] ?? { given: chosen, text: "" };
        const close = this.maps.length > 1 && !this.running ? [button("×", () => this.request("close", { index }), { class: "close", title: "Close this map", "aria-label": "Close this map", "data-key": `close ${index}` })] : [];
        return make("div", {}, make("span", { class: "soft", text: "given " }), breakable(given, "b"), " ", make("span", { class: "soft", text }), ...close);
      });
      by("titles").replaceChildren(...titles);
    }
  }

  window.netgiven.explorer = { begin: (channel, row) => { window.netgiven.explorer.page = new Page(channel, row); } };
})();
