// Parts of the card of the whole network that are asked for, and told, apart from it.
window.netgiven = window.netgiven || {};

(() => {
  const { make, button, named } = window.netgiven;
  const WAIT = "A moment …";

  // Which unknown pairs to check, by a strategy that can be chosen.
  class NextPairs {
    constructor(ask, cell) {
      Object.assign(this, { ask, cell, told: {}, place: 0, host: make("section", { "data-section": "next" }) });
      this.strategy = make("select", { id: "strategy", on: { change: () => this.choose() } });
      this.meaning = make("p", { class: "hint" });
      this.found = make("div");
      const label = make("label", { for: "strategy", text: "by" });
      this.host.append(make("h3", { text: "What to check next" }), make("div", { class: "choice" }, label, this.strategy), this.meaning, this.found);
      this.show({});
    }

    show(told) {
      this.told = told;
      this.host.hidden = !told.strategies;
      if (this.host.hidden) return;
      this.strategy.replaceChildren(...told.strategies.map(({ name }) => make("option", { value: name, text: name })));
      this.strategy.value = told.strategy;
      this.draw(this.place);
    }

    draw(place) {
      this.place = place;
      if (!this.told.strategies) return this.host;
      const rows = this.told.maps[Math.min(place, this.told.maps.length - 1)];
      this.found.replaceChildren(rows ? this.table(rows) : button("Look for them", (event) => this.look(event.target), { class: "action" }));
      this.settle();
      return this.host;
    }

    table(rows) {
      const body = rows.map((row) => make("tr", {}, this.cell(row), make("td", { text: row.shown, class: "share", "data-value": row.value, style: `--share-end:${100 * row.value}%` })));
      const head = ["unknown pair", "posterior"].map((text) => make("th", { text }));
      return make("table", { "data-table": "next" }, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...body));
    }

    choose() {
      this.settle();
      this.ask("next", { strategy: this.strategy.value });
    }

    look(button) {
      Object.assign(button, { disabled: true, textContent: WAIT });
      this.ask("next", { strategy: this.strategy.value });
    }

    // What is there fades while it is not of the strategy that is chosen.
    settle() {
      const chosen = this.strategy.value;
      this.meaning.textContent = this.told.strategies.find(({ name }) => name === chosen)?.meaning ?? "";
      this.found.classList.toggle("stale", chosen !== this.told.strategy);
    }

    // Something went wrong: as it was before.
    restore() { this.show(this.told); }
  }

  // What the maps make of the groups that they are coloured by.
  class Fairness {
    constructor(ask) {
      Object.assign(this, { ask, told: {}, host: make("section", { "data-section": "fairness" }) });
    }

    show(told) {
      this.told = told;
      this.host.hidden = !told.column;
      this.host.replaceChildren(...(told.column ? told.maps ? this.table(told) : [this.question(told)] : []));
    }

    question({ column }) {
      const ask = ({ currentTarget }) => {
        currentTarget.disabled = true;
        currentTarget.replaceChildren(WAIT);
        this.ask("fairness");
      };
      const asked = button("", ask, { class: "action", "data-ask": "fairness", title: "Do predictions, or places on the map, depend on it?" });
      asked.append("Is it fair to ", named(column), "?");
      return asked;
    }

    table({ column, maps, remarks }) {
      const names = { parity: "parity gap", opportunity: "opportunity gap", read: "read", guessed: "guessed" };
      const head = Object.values(names).map((text) => make("th", { text }));
      const cell = (row, name) => make("td", { text: row[name].text, title: row[name].title ?? "", "data-column": name, "data-value": row[name].value });
      const body = maps.map((row) => make("tbody", {}, make("tr", {}, make("td", { colspan: head.length }, named(row.given))), make("tr", {}, ...Object.keys(names).map((name) => cell(row, name)))));
      const about = [
        "Parity gap: by how much likelier links within a group are than between groups; opportunity gap: the same of links that are there. 0 is fair.",
        "Read: how many nodes have their group told rightly from their vectors; guessed: by naming the largest group.",
        ...remarks,
      ];
      return [
        make("h3", {}, "Is it fair to ", named(column), "?"),
        make("table", { "data-table": "fairness" }, make("thead", {}, make("tr", {}, ...head)), ...body),
        make("details", {}, make("summary", { text: "what this means" }), ...about.map((text) => named(text, "p"))),
      ];
    }

    restore() { this.show(this.told); }
  }

  Object.assign(window.netgiven, { NextPairs, Fairness });
})();
