// The right column: details of the network, a node, a pair, a group or a new node.
window.netgiven = window.netgiven || {};

(() => {
  const { make, button, named, breakable, NextPairs, Fairness, FoundGroups } = window.netgiven;

  const WORDS = {
    prior: "The probability of a link given only what you told.",
    posterior: "The probability given what you told and the map.",
    lift: "How many times likelier than what was given alone says.",
    surprise: "How improbable it is that a link is missing, or that it is there, in bits: 10 bits are one in a thousand.",
    gain: "What the map adds to what you told, in bits per link.",
    reach: "How much closeness can raise the log-odds of a link.",
  };
  const INTERVAL = "Uncertainty of the probability, given this network and assuming that the model is right.";

  class Cards {
    constructor(host, { select, request }) {
      Object.assign(this, { host, select, request, index: 0, message: {} });
      this.nextPairs = new NextPairs(request, (row) => this.pairCell(row, "next"));
      this.fairness = new Fairness(request);
      this.groups = new FoundGroups(request);
    }

    show(message) {
      this.message = message;
      const cards = { overview: "overview", node: "node", pair: "pair", group: "group", new_node: "newNode" };
      this.index = Math.min(this.index, Math.max((message.maps ?? []).length - 1, 0));
      const parts = message.kind in cards ? this[cards[message.kind]](message) : this.help();
      const same = this.host.dataset.kind === (message.kind ?? "");
      this.host.replaceChildren(...parts);
      this.host.dataset.kind = message.kind ?? "";
      if (!same) this.host.scrollTop = 0;
      this.announce(this.host.querySelector("h2")?.textContent ?? "");
    }

    // Screen readers announce what the card is about, not all of its numbers.
    announce(text) { document.getElementById("announce").textContent = text; }

    help() {
      const actions = { "Click a node": "shows its likeliest links", "Shift-click a second node": "explains the probability of a link between the two", "Draw a lasso": "shows how densely a group links, and how densely it is expected to" };
      return [make("h2", { text: "On a map" }), make("dl", { class: "help" }, ...Object.entries(actions).flatMap(([action, effect]) => [make("dt", { text: action }), make("dd", { text: effect })]))];
    }

    // ---- the network

    overview({ maps, orders, order }) {
      const { given, gain, status, reach, likely, surprising, warning } = maps[this.index];
      const facts = [["prior", given], ["reach", reach], ["information gain", gain], ["fit", status]];
      const search = button("Search", () => this.request("overview"), { class: "action" });
      return [
        make("h2", { text: "Network" }), this.tabs(maps), this.facts(facts),
        ...(warning ? [make("p", { class: "error", text: warning })] : []),
        this.groups.draw(this.index), this.nextPairs.draw(this.index),
        make("h3", { text: "Links that should be there" }),
        ...(likely ? [this.sorting(orders, order), this.pairs(likely, "likely")] : [search]),
        ...(surprising?.length ? [make("h3", { text: "Links that should not be there" }), this.pairs(surprising, "surprising")] : []),
        this.fairness.host,
        make("p", { class: "hint", text: "Click a node, shift-click a second one, or draw a lasso around a group." }),
      ];
    }

    sorting(orders, order) {
      const texts = { probability: "by probability", lift: "by lift, of the 200 likeliest", surprise: "by surprise" };
      const list = make("select", { "aria-label": "Sort links", "data-key": "sort", on: { change: ({ target }) => this.request("sort", { order: target.value }) } }, ...orders.map((one) => make("option", { value: one, text: texts[one] })));
      list.value = order;
      return make("label", { class: "choice" }, "Sorted ", list);
    }

    pairs(rows, kind) {
      const cells = rows.map((row) => [this.pairCell(row, kind), ...this.numbers(row), make("td", { text: row.bits, "data-column": "surprise", "data-value": row.surprise })]);
      const table = this.table("pair", cells, kind, ["prior", "posterior", "lift", "surprise"]);
      table.classList.add("pairs");
      return table;
    }

    pairCell({ names, numbers }, kind) {
      const pair = button("", () => this.select(numbers), { class: "pair", title: names.join(" – "), "data-key": `${kind} ${numbers}` });
      pair.append(named(names[0]), named(names[1]));
      return make("td", {}, pair);
    }

    // ---- a node

    node({ name, degree, values, number, maps }) {
      const map = maps[this.index];
      const facts = [["links", `${degree.toLocaleString("en-US")}, ${map.expected_degree} expected`], ...values];
      return [
        this.heading(named(name, "h2")), this.facts(facts), this.newNodeButton("this one"), this.tabs(maps),
        make("h3", { text: "Likeliest missing links" }), this.others(map.likely, "likely", number),
        make("h3", { text: map.neighbours.length < degree ? `Neighbours, the ${map.neighbours.length} likeliest` : "Neighbours" }),
        this.others(map.neighbours, "neighbours", number),
      ];
    }

    // Other nodes; a click shows the pair with `number`, or the node itself.
    others(rows, kind, number) {
      const cells = rows.map((row) => [make("td", { "data-node": row.number }, this.other(row, number)), ...this.numbers(row)]);
      return rows.length ? this.table("node", cells, kind) : make("p", { class: "hint", text: "none" });
    }

    other(row, number) {
      const [numbers, effect] = number === undefined ? [[row.number], "show the node"] : [[number, row.number], "show the pair"];
      return button(row.name, () => this.select(numbers), { class: "name", title: `${row.name}: ${effect}` });
    }

    numbers({ text, probability, prior }) {
      return [
        make("td", { text: text.prior, "data-value": prior, "data-column": "prior" }),
        make("td", { text: text.probability, "data-value": probability, "data-column": "probability", style: `--share-end:${100 * probability}%`, class: "share" }),
        make("td", { text: text.lift, "data-column": "lift" }),
      ];
    }

    // ---- a pair

    pair({ names, numbers, linked, common, maps }) {
      const ends = names.map((name, end) => button(name, () => this.select([numbers[end]]), { class: "name end", title: name }));
      const facts = [["linked", linked], ["common neighbours", common]];
      return [this.heading(make("h2", { text: "Pair" })), make("div", { class: "ends" }, ends[0], ends[1]), this.facts(facts), ...maps.flatMap((map) => this.prediction(map))];
    }

    prediction({ given, prior, probability, interval, lift, odds, distance, terms, reasons }) {
      const bar = ({ text, value }, label, ...more) => make("div", { class: "bar-row", "data-value": value, "data-column": label }, make("span", { text: label }), make("i", { style: `--share-end:${100 * value}%` }, ...more), make("b", { text }));
      const sum = [["prior log-odds", terms[0]], [`gain at distance ${distance}`, terms[1]], ["posterior log-odds", terms[2]]];
      return [
        make("h3", {}, "given ", breakable(given)),
        bar(prior, "prior"), bar(probability, "posterior", ...(interval ? [this.range(interval)] : [])),
        ...(interval ? [make("p", { class: "hint near", "data-low": interval.low, "data-high": interval.high, text: interval.text, title: INTERVAL })] : []),
        ...(lift ? [make("p", { class: "hint near", text: `lift ${lift}`, title: WORDS.lift })] : []),
        make("p", { class: "hint near odds", text: odds }),
        this.facts(sum, "sum"),
        ...(reasons.length ? [make("p", { class: "hint", text: "Links that raise the probability most" }), this.facts(reasons, "reasons")] : []),
      ];
    }

    range({ low, high }) {
      return make("span", { class: "range", style: `--low:${100 * low}%; --high:${100 * high}%` });
    }

    // ---- a group

    group({ size, maps, frequent_values }) {
      const files = ["nodes", "links"].map((kind) => button(kind, () => this.request("file", { kind, index: this.index }), { class: "action", "data-file": kind }));
      return [
        this.heading(make("h2", { text: `${size} nodes` })),
        ...maps.flatMap((map) => this.counts(map)),
        ...(frequent_values.length ? [make("h3", { text: "More frequent than in the network" }), ...frequent_values.map((entry) => this.share(entry))] : []),
        this.newNodeButton("these"),
        make("p", { class: "files" }, "Download ", ...files),
      ];
    }

    counts({ given, inside, outside }) {
      const row = (title, name) => make("tr", {}, make("td", { text: title }), make("td", { text: inside[name], "data-column": `inside ${name}` }), make("td", { text: outside[name], "data-column": `outside ${name}` }));
      const head = ["", "inside", "to the rest"].map((text) => make("th", { text }));
      const rows = [row("density", "density"), row("links", "links"), row("expected by prior", "by_prior"), row("expected by posterior", "by_posterior")];
      if (inside.error || outside.error) rows.push(row("", "error"));
      return [make("h3", {}, "given ", breakable(given)), make("table", { class: "counts" }, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows))];
    }

    share({ value, inside, overall, inside_text, overall_text }) {
      const bar = make("i", { style: `--share-end:${100 * inside}%; --overall:${100 * overall}%` });
      return make("div", { class: "bar-row frequent", title: `${inside_text} of the group, ${overall_text} of the network` }, named(value), bar, make("b", { text: inside_text }));
    }

    // ---- a new node

    newNodeButton(target) {
      const title = "Predict its position and its further links.";
      return make("p", { class: "actions" }, button(`Add a node linked to ${target}`, () => this.request("new_node"), { class: "action", title, "data-action": "new_node" }));
    }

    newNode({ target, count, needed, maps }) {
      const { error, likely, links } = maps[this.index];
      const found = [
        make("h3", { text: "Likeliest further links" }), this.others(likely, "likely"),
        make("h3", { text: links.length < count ? `Given links, the ${links.length} likeliest` : "Given links" }), this.others(links, "links"),
        make("p", { class: "hint", text: "The star marks the new node; all other nodes keep their positions." }),
      ];
      return [
        this.heading(make("h2", { text: "New node" })), this.facts([["linked to", target]]), ...needed.map((one) => this.value(one)), this.tabs(maps),
        ...(error ? [make("p", { class: "error", text: error })] : found),
      ];
    }

    // A value that a new node needs; the first entry means that none is chosen.
    value({ column, values, chosen }) {
      const entries = ["choose …", ...values].map((text, index) => make("option", { value: index - 1, text }));
      const list = make("select", { "data-needed": column, on: { change: () => this.request("new_node", { values: this.values() }) } }, ...entries);
      list.value = chosen ?? -1;
      return make("label", { class: "value" }, named(column), list);
    }

    values() {
      const lists = [...this.host.querySelectorAll("[data-needed]")].filter(({ value }) => Number(value) >= 0);
      return Object.fromEntries(lists.map((list) => [list.dataset.needed, Number(list.value)]));
    }

    // ---- parts

    heading(title) {
      return make("div", { class: "heading" }, title, button("×", () => this.select([]), { class: "close", title: "Clear the selection", "aria-label": "Clear the selection" }));
    }

    facts(entries, kind = "") {
      return make("dl", { class: kind }, ...entries.flatMap(([name, value]) => [make("dt", { class: "name", text: name, title: WORDS[name.replace("information ", "")] ?? name }), breakable(String(value), "dd")]));
    }

    tabs(maps) {
      const tab = ({ given }, index) => button(given, () => { this.index = index; this.show(this.message); }, { "aria-pressed": String(index === this.index), title: given });
      return make("div", { class: "tabs" }, ...(maps.length > 1 ? maps.map(tab) : []));
    }

    table(first, rows, kind = "likely", columns = ["prior", "posterior", "lift"]) {
      const head = [first, ...columns].map((text) => make("th", { text, title: WORDS[text] ?? "" }));
      const body = rows.map((cells) => make("tr", {}, ...cells));
      return make("table", { "data-table": kind }, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...body));
    }
  }

  Object.assign(window.netgiven, { Cards });
})();
