// The page: shows what the server tells, and asks it for what the visitor wants.
window.netgiven = window.netgiven || {};

(() => {
  const { make, button, named, crowd, hidden, keep, showMost, Panel, Search, Steps, Cards, Legend, Newcomer } = window.netgiven;
  const by = (id) => document.getElementById(id);
  const WORDS = {
    start: ["See what you did not know", "Open a file of links, or try the example: a company whose departments everybody knows, and whose project teams nobody has told."],
    ready: ["Ready for a map", "Tick on the left what you know already, then make the map."],
    wait: ["A moment", "The first positions are on their way."],
  };

  class Page {
    constructor(post, row) {
      Object.assign(this, { post, row, names: [], panels: [], pointed: [], marks: [], newcomers: [], legend: {}, count: 0, maps: [], running: false });
      this.steps = new Steps((...wish) => this.ask(...wish), () => JSON.parse(post.ticket));
      this.cards = new Cards(by("details"), { select: (numbers) => this.select(numbers), ask: (...wish) => this.ask(...wish) });
      this.listen();
      this.dark(matchMedia("(prefers-color-scheme: dark)").matches);
      for (const name of ["names", "network", "knowledge", "fit", "legend", "details", "next_pairs", "fairness", "problem", "file"]) this.follow(name);
      post.properties.frame.change.connect(() => this.moved());
      row.properties.children.change.connect(() => this.redrawn());
      this.redrawn();
    }

    ask(ask, more = {}) {
      this.steps?.complain("page", "");
      this.post.asked = JSON.stringify({ ask, count: ++this.count, ...more });
    }

    select(numbers) { this.ask("select", { numbers }); }

    follow(name) {
      const show = () => this[`show_${name}`](JSON.parse(this.post[name]));
      this.post.properties[name].change.connect(show);
      show();
    }

    listen() {
      by("colour").addEventListener("change", () => this.ask("colour", { column: by("colour").value }));
      by("theme").addEventListener("click", () => this.dark(document.documentElement.dataset.theme !== "dark"));
      for (const file of document.querySelectorAll("#take [data-file]")) {
        file.addEventListener("click", () => this.ask("file", { kind: file.dataset.file, place: this.cards.place }));
      }
      this.post.document.on_event("connection_lost", () => { by("lost").hidden = false; });
      this.search = new Search(by("search"), by("found"), { names: [], degree: () => 0 }, (node) => this.find(node));
    }

    dark(wanted) {
      document.documentElement.dataset.theme = wanted ? "dark" : "light";
      for (const panel of this.panels) panel.ink(document.documentElement.dataset.theme);
      for (const newcomer of this.newcomers) newcomer.draw();
    }

    // ---- what the server tells

    show_names(names) {
      this.names = names;
      Object.assign(this.search, { names, folded: names.map((name) => name.toLowerCase()), degree: (node) => this.nodes()?.data.degree[node] ?? 0 });
      by("search").value = "";
    }

    show_network(told) {
      this.steps.network(told);
      by("colour").replaceChildren(...(told.colours ?? []).map((name) => make("option", { value: name, text: name })));
      by("colour").value = this.legend.title ?? ""; // the next legend may be the same, and not be told again
      this.opened = Boolean(told.title);
      this.settle();
    }

    show_knowledge(told) { this.steps.knowledge(told); }

    show_fit(told) {
      this.steps.show(told);
      Object.assign(this, { running: told.running, maps: told.maps ?? [], place: told.place });
      this.settle();
    }

    show_legend(told) {
      if (!told.groups) return;
      by("colour").value = told.title;
      by("legend").replaceChildren();
      this.legend = told;
      this.groups = new Legend(by("legend"), told, () => this.switchOff());
      this.switchOff();
    }

    show_details(told) {
      this.cards.show(told);
      Object.assign(this, { pointed: told.pointed ?? [], marks: told.marks ?? [] });
      this.point();
    }

    show_next_pairs(told) { this.cards.next.show(told); }

    show_fairness(told) { this.cards.fairness.show(told); }

    show_problem({ where, sentence }) {
      if (!where) return;
      this.steps.complain(where, sentence);
      if (where === "page" && sentence) for (const section of [this.cards.next, this.cards.fairness]) section.restore();
    }

    show_file({ address, name }) {
      if (address) make("a", { href: `take/${address}`, download: name }).click();
    }

    // ---- the maps

    nodes() { return this.panels[0]?.nodes; }

    // There are other figures: once they have a size, each gets a sheet for what is pointed out.
    redrawn() {
      const figures = this.row.children;
      this.panels = [];
      by("overlays").replaceChildren();
      this.settle();
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
      this.switchOff(); // as the legend says, also where the map is a new one
      this.point();
    }

    panel(host, number) {
      // models by their names; in the document, those of the drawing before may still be there
      const models = new Map([...this.row.children[number].references()].map((model) => [model.name, model]));
      const drawing = { get_model_by_name: (name) => models.get(name) ?? null };
      const panel = new Panel(drawing, models.get("nodes"), number, host, this.names);
      const { first, second } = panel.links.data;
      panel.ends = (place) => [first[place], second[place]];
      panel.ink(document.documentElement.dataset.theme);
      panel.figure.on_event("mousemove", (event) => this.hover(panel.at(event)));
      panel.figure.on_event("mouseleave", () => this.hover(-1));
      panel.figure.on_event("doubletap", (event) => keep(panel.figure, panel.nodes, number, event)); // two quick clicks on two nodes
      for (const range of [panel.figure.x_range, panel.figure.y_range]) range.change.connect(() => this.looked(panel));
      return panel;
    }

    // Nodes are elsewhere; the server sends the next frame when this one is drawn.
    moved() {
      const { frame } = this.post;
      for (const panel of this.panels) {
        panel.x = panel.nodes.data[`x${panel.number}`];
        panel.y = panel.nodes.data[`y${panel.number}`];
        if (panel.number === this.place) showMost(panel.figure, panel.nodes, panel.number);
        crowd(panel.figure, panel.renderer.view.filter, panel.picture, panel.nodes, panel.number);
      }
      requestAnimationFrame(() => { this.post.drawn = frame; });
    }

    looked(panel) {
      if (this.running) panel.farther.hidden = true;
      else panel.look();
      for (const newcomer of this.newcomers) newcomer.draw();
      this.tell(-1);
    }

    point() {
      for (const panel of this.panels) {
        const { centre = -1, ends = [], likely = [] } = this.pointed[panel.number] ?? {};
        panel.point(centre, ends, likely);
        panel.fade(panel.nodes.selected.indices.length > 0);
      }
      for (const newcomer of this.newcomers) newcomer.remove();
      const marked = this.panels.filter(({ number }) => this.marks[number]);
      this.newcomers = marked.map((panel) => new Newcomer(panel, by("overlays").children[panel.number], this.marks[panel.number]));
    }

    hover(node) { this.tell(this.running ? -1 : node); }

    tell(node) {
      for (const panel of this.panels) {
        panel.tell(node);
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

    switchOff() {
      const nodes = this.nodes(), on = this.groups?.on ?? [];
      if (!nodes || (on.every(Boolean) && !hidden.has(nodes))) return;
      if (on.every(Boolean)) hidden.delete(nodes);
      else hidden.set(nodes, Uint8Array.from(nodes.data.group, (number) => on[number] ? 0 : 1));
      for (const panel of this.panels) panel.refresh(panel.ends);
    }

    settle() {
      const drawn = this.row.children.length > 0;
      const words = !this.opened ? "start" : this.running ? "wait" : "ready";
      by("empty").hidden = drawn;
      by("empty").dataset.state = words;
      [by("empty").children[0].textContent, by("empty").children[1].textContent] = WORDS[words];
      by("take").classList.toggle("off", !this.maps.length || this.running);
      for (const file of by("take").children) file.disabled = !this.maps.length || this.running;
      by("search").disabled = !this.maps.length || this.running;
      by("colour").disabled = !drawn;
      by("legend").hidden = !drawn;
      this.titles();
    }

    titles() {
      const known = JSON.parse(this.post.knowledge).text ?? "";
      const titles = this.row.children.map((_, place) => {
        const moving = this.running && place === this.place;
        const { given, told } = moving ? { given: known, told: "being made" } : this.maps[place] ?? { given: known, told: "" };
        const close = this.maps.length > 1 && !this.running ? [button("×", () => this.ask("close", { place }), { class: "close", title: "Put this map away", "aria-label": "Put this map away" })] : [];
        return make("div", {}, make("span", { class: "soft", text: "given " }), named(given, "b"), make("span", { class: "soft", text: told }), ...close);
      });
      by("titles").replaceChildren(...titles);
    }
  }

  window.netgiven.explorer = { begin: (post, row) => { window.netgiven.explorer.page = new Page(post, row); } };
})();
