// The right column: what is told of everything, of a node, of a pair, of a group.
window.netgiven = window.netgiven || {};

(() => {
  const { make, button, named, NextPairs, Fairness } = window.netgiven;

  const SURE = "How far the probability could be off, as far as this one network tells, and if the model is right.";

  class Cards {
    constructor(host, { select, ask }) {
      Object.assign(this, { host, select, ask, place: 0, told: {} });
      this.next = new NextPairs(ask, (row) => this.pairCell(row));
      this.fairness = new Fairness(ask);
    }

    show(told) {
      this.told = told;
      const cards = { overview: "overview", node: "node", pair: "pair", group: "group", newcomer: "newcomer" };
      this.place = Math.min(this.place, Math.max((told.maps ?? []).length - 1, 0));
      const parts = told.kind in cards ? this[cards[told.kind]](told) : this.nothing();
      this.host.replaceChildren(...parts);
      this.host.dataset.kind = told.kind ?? "";
      this.host.scrollTop = 0;
    }

    nothing() {
      const ways = { "Click a node": "its likeliest links", "Click a second one with shift": "what speaks for a link between the two", "Draw a lasso": "how densely a group links, and how densely it should" };
      return [make("h2", { text: "On a map you can" }), make("dl", { class: "ways" }, ...Object.entries(ways).flatMap(([way, what]) => [make("dt", { text: way }), make("dd", { text: what })]))];
    }

    // ---- everything

    overview({ maps }) {
      const { given, bits, ending, reach, likely, warning } = maps[this.place];
      const facts = [["what is known", given], ["reach", reach], ["the map adds", bits], ["fit", ending]];
      const rows = likely && likely.map((row) => [this.pairCell(row), ...this.numbers(row)]);
      const search = button("Look for them", () => this.ask("overview"), { class: "action" });
      return [
        make("h2", { text: "The whole network" }), this.tabs(maps), this.facts(facts),
        ...(warning ? [make("p", { class: "problem", text: warning })] : []),
        this.fairness.host, this.next.draw(this.place),
        make("h3", { text: "Likeliest links that are not there" }),
        rows ? this.table("pair", rows) : search,
        make("p", { class: "hint", text: "Click a node to look at it; with shift, a second one. Draw a lasso around a group." }),
      ];
    }

    pairCell({ names, numbers }) {
      const both = button("", () => this.select(numbers), { class: "pair", title: names.join(" – ") });
      both.append(named(names[0]), named(names[1]));
      return make("td", {}, both);
    }

    // ---- a node

    node({ name, degree, values, number, maps }) {
      const map = maps[this.place];
      const facts = [["links", `${degree.toLocaleString("en-US")}, where ${map.expected_degree} are expected`], ...values];
      return [
        this.heading(named(name, "h2")), this.facts(facts), this.newcomerButton("this one"), this.tabs(maps),
        make("h3", { text: "Likeliest links that are not there" }), this.others(map.likely, "likely", number),
        make("h3", { text: map.neighbours.length < degree ? `Neighbours, the likeliest ${map.neighbours.length}` : "Neighbours" }),
        this.others(map.neighbours, "neighbours", number),
      ];
    }

    // Other nodes; each leads to its pair with `number`, or to itself.
    others(rows, kind, number) {
      const cells = rows.map((row) => [make("td", { "data-node": row.number }, this.other(row, number)), ...this.numbers(row)]);
      return rows.length ? this.table("node", cells, kind) : make("p", { class: "hint", text: "None." });
    }

    other(row, number) {
      const [numbers, what] = number === undefined ? [[row.number], "look at it"] : [[number, row.number], "look at the pair"];
      return button(row.name, () => this.select(numbers), { class: "name", title: `${row.name}: ${what}` });
    }

    numbers({ shown, value, before }) {
      return [
        make("td", { text: shown.prior, "data-value": before, "data-column": "prior" }),
        make("td", { text: shown.probability, "data-value": value, "data-column": "probability", style: `--share-end:${100 * value}%`, class: "share" }),
        make("td", { text: shown.lift, "data-column": "lift" }),
      ];
    }

    // ---- a pair

    pair({ names, numbers, linked, common, maps }) {
      const ends = names.map((name, end) => button(name, () => this.select([numbers[end]]), { class: "name end", title: name }));
      const facts = [["link", linked], ["common neighbours", common]];
      return [this.heading(make("h2", { text: "A pair" })), make("div", { class: "ends" }, ends[0], ends[1]), this.facts(facts), ...maps.flatMap((map) => this.steps(map))];
    }

    steps({ given, prior, probability, interval, lift, distance, terms, reasons }) {
      const bar = ({ text, value }, label, ...more) => make("div", { class: "bar-row", "data-value": value, "data-column": label }, make("span", { text: label }), make("i", { style: `--share-end:${100 * value}%` }, ...more), make("b", { text }));
      const sum = [["log-odds by what is known", terms[0]], [`nearness, at distance ${distance}`, terms[1]], ["together", terms[2]]];
      return [
        make("h3", {}, "given ", named(given)),
        bar(prior, "prior"), bar(probability, "posterior", ...(interval ? [this.range(interval)] : [])),
        ...(interval ? [make("p", { class: "hint near", "data-low": interval.low, "data-high": interval.high, text: interval.text, title: SURE })] : []),
        ...(lift ? [make("p", { class: "hint near", text: `${lift} the prior` })] : []),
        this.facts(sum, "sum"),
        ...(reasons.length ? [make("p", { class: "hint", text: "Links that raise it most" }), this.facts(reasons, "reasons")] : []),
      ];
    }

    range({ low, high }) {
      return make("span", { class: "range", style: `--low:${100 * low}%; --high:${100 * high}%` });
    }

    // ---- a group

    group({ size, maps, makeup }) {
      const files = ["nodes", "links"].map((kind) => button(kind, () => this.ask("file", { kind, place: this.place }), { class: "action", "data-file": kind }));
      return [
        this.heading(make("h2", { text: `${size} nodes` })),
        ...maps.flatMap((map) => this.counts(map)),
        ...(makeup.length ? [make("h3", { text: "More often than elsewhere" }), ...makeup.map((entry) => this.share(entry))] : []),
        this.newcomerButton("these"),
        make("p", { class: "files" }, "Download ", ...files),
      ];
    }

    counts({ given, inside, outside }) {
      const row = (title, name) => make("tr", {}, make("td", { text: title }), make("td", { text: inside[name], "data-column": `inside ${name}` }), make("td", { text: outside[name], "data-column": `outside ${name}` }));
      const head = ["", "inside", "to the rest"].map((text) => make("th", { text }));
      const rows = [row("density", "density"), row("links", "links"), row("prior expects", "by_prior"), row("posterior expects", "by_posterior")];
      if (inside.error || outside.error) rows.push(row("", "error"));
      return [make("h3", {}, "given ", named(given)), make("table", { class: "counts" }, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows))];
    }

    share({ value, here, whole, shown, shown_whole }) {
      const bar = make("i", { style: `--share-end:${100 * here}%; --whole:${100 * whole}%` });
      return make("div", { class: "bar-row makeup", title: `${shown} here, ${shown_whole} of all` }, named(value), bar, make("b", { text: shown }));
    }

    // ---- a new node

    newcomerButton(whom) {
      const title = "Where would it be on the map, and what else would it be linked to?";
      return make("p", { class: "actions" }, button(`A new node linked to ${whom}`, () => this.ask("newcomer"), { class: "action", title, "data-ask": "newcomer" }));
    }

    newcomer({ to, count, needed, maps }) {
      const { problem, likely, links } = maps[this.place];
      const found = [
        make("h3", { text: "Likeliest further links" }), this.others(likely, "likely"),
        make("h3", { text: links.length < count ? `The links that it was given, the likeliest ${links.length}` : "The links that it was given" }), this.others(links, "links"),
        make("p", { class: "hint", text: "All others stay where they are. The star is where it would be." }),
      ];
      return [
        this.heading(make("h2", { text: "A new node" })), this.facts([["linked to", to]]), ...needed.map((one) => this.value(one)), this.tabs(maps),
        ...(problem ? [make("p", { class: "problem", text: problem })] : found),
      ];
    }

    // A value that a new node needs: the first entry is none.
    value({ column, values, chosen }) {
      const entries = ["choose …", ...values].map((text, place) => make("option", { value: place - 1, text }));
      const list = make("select", { "data-needed": column, on: { change: () => this.ask("newcomer", { values: this.values() }) } }, ...entries);
      list.value = chosen ?? -1;
      return make("label", { class: "value" }, named(column), list);
    }

    values() {
      const lists = [...this.host.querySelectorAll("[data-needed]")].filter(({ value }) => Number(value) >= 0);
      return Object.fromEntries(lists.map((list) => [list.dataset.needed, Number(list.value)]));
    }

    // ---- parts

    heading(title) {
      return make("div", { class: "heading" }, title, button("×", () => this.select([]), { class: "close", title: "Select nothing", "aria-label": "Select nothing" }));
    }

    facts(entries, kind = "") {
      return make("dl", { class: kind }, ...entries.flatMap(([name, value]) => [named(name, "dt"), named(String(value), "dd")]));
    }

    tabs(maps) {
      const tab = ({ given }, place) => button(given, () => { this.place = place; this.show(this.told); }, { "aria-pressed": String(place === this.place), title: given });
      return make("div", { class: "tabs" }, ...(maps.length > 1 ? maps.map(tab) : []));
    }

    table(first, rows, kind = "likely") {
      const head = [first, "prior", "posterior", "lift"].map((text) => make("th", { text }));
      const body = rows.map((cells) => make("tr", {}, ...cells));
      return make("table", { "data-table": kind }, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...body));
    }
  }

  Object.assign(window.netgiven, { Cards });
})();
