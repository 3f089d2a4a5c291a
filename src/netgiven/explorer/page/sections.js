// Sections of the overview that are requested and updated separately: pairs to check next, and fairness.
window.netgiven = window.netgiven || {};

(() => {
  const { make, button, named } = window.netgiven;
  const WAIT = "Computing …";

  // Which unobserved pairs to check, by a strategy that can be chosen.
  class NextPairs {
    constructor(request, cell) {
      Object.assign(this, { request, cell, message: {}, replies: {}, index: 0, host: make("section", { "data-section": "next-pairs" }) });
      this.strategy = make("select", { id: "strategy", on: { change: () => this.choose() } });
      this.description = make("p", { class: "hint" });
      this.found = make("div");
      const label = make("label", { for: "strategy", text: "by" });
      this.state = make("p", { class: "hint answers" });
      this.host.append(make("h3", { text: "What to check next" }), make("div", { class: "choice" }, label, this.strategy), this.description, this.found, this.state);
      this.show({});
    }

    show(message) {
      this.message = message;
      this.host.hidden = !message.strategies;
      if (this.host.hidden) return;
      this.strategy.replaceChildren(...message.strategies.map(({ name }) => make("option", { value: name, text: name })));
      this.strategy.value = message.strategy;
      this.draw(this.index);
    }

    draw(index) {
      this.index = index;
      if (!this.message.strategies) return this.host;
      const rows = this.message.maps[Math.min(index, this.message.maps.length - 1)];
      this.found.replaceChildren(rows ? this.table(rows) : button("Search", (event) => this.search(event.target), { class: "action" }));
      this.update();
      return this.host;
    }

    table(rows) {
      const body = rows.map((row) => make("tr", {}, this.cell(row), make("td", { text: row.text, class: "share", "data-value": row.probability, style: `--share-end:${100 * row.probability}%` }), this.asked(row)));
      const head = ["unobserved pair", "posterior", "linked?"].map((text) => make("th", { text }));
      return make("table", { "data-table": "next-pairs" }, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...body));
    }

    // Yes, no or skip; what was answered stays pressed until the map is fitted again.
    asked({ numbers, names }) {
      const said = this.replies.answers?.find((one) => String([...one.numbers].sort((a, b) => a - b)) === String([...numbers].sort((a, b) => a - b)))?.answer;
      const reply = (answer) => button(answer, () => this.request("answer", { numbers, answer }), { "aria-pressed": String(said === answer), "aria-label": `${names.join(" and ")} are linked: ${answer}`, "data-answer": answer, "data-key": `answer ${numbers} ${answer}` });
      return make("td", { class: "replies" }, ...["yes", "no", "skip"].map(reply));
    }

    answered(message) {
      this.replies = message;
      const { usable = 0, exported = 0, text = "" } = message;
      const refit = button(`Fit again with ${usable} ${usable === 1 ? "answer" : "answers"}`, (event) => { event.target.disabled = true; this.request("refit"); }, { class: "action", "data-action": "refit", "data-key": "refit" });
      const save = button("Download the answers", () => this.request("file", { kind: "answers", index: 0 }), { class: "action", "data-file": "answers" });
      this.state.replaceChildren(...(text ? [make("span", { class: "changed", text })] : []), ...(usable ? [refit] : []), ...(exported ? [save] : []));
      this.draw(this.index);
    }

    choose() {
      this.update();
      this.request("next_pairs", { strategy: this.strategy.value });
    }

    search(button) {
      Object.assign(button, { disabled: true, textContent: WAIT });
      this.request("next_pairs", { strategy: this.strategy.value });
    }

    // Results of another strategy than the chosen one are dimmed.
    update() {
      const chosen = this.strategy.value;
      this.description.textContent = this.message.strategies.find(({ name }) => name === chosen)?.description ?? "";
      this.found.classList.toggle("stale", chosen !== this.message.strategy);
    }

    // After an error: show the last result again.
    restore() { this.show(this.message); }
  }

  // How the maps treat the groups of the colour column.
  class Fairness {
    constructor(request) {
      Object.assign(this, { request, message: {}, host: make("section", { "data-section": "fairness" }) });
    }

    show(message) {
      this.message = message;
      this.host.hidden = !message.column;
      this.host.replaceChildren(...(message.column ? message.maps ? this.table(message) : [this.question(message)] : []));
    }

    question({ column }) {
      const send = ({ currentTarget }) => {
        currentTarget.disabled = true;
        currentTarget.replaceChildren(WAIT);
        this.request("fairness");
      };
      const question = button("", send, { class: "action", "data-action": "fairness", title: "Do predictions or positions depend on this column?" });
      question.append("Check fairness by ", named(column));
      return question;
    }

    table({ column, maps, remarks }) {
      const names = { parity: "parity gap", opportunity: "opportunity gap", accuracy: "accuracy", baseline: "baseline" };
      const head = Object.values(names).map((text) => make("th", { text }));
      const cell = (row, name) => make("td", { text: row[name].text, title: row[name].title ?? "", "data-column": name, "data-value": row[name].value });
      const body = maps.map((row) => make("tbody", {}, make("tr", {}, make("td", { colspan: head.length }, named(row.given))), make("tr", {}, ...Object.keys(names).map((name) => cell(row, name)))));
      const explanations = [
        "Parity gap: mean predicted probability within groups minus between groups; opportunity gap: the same for existing links only. 0 is fair.",
        "Accuracy: share of nodes whose group a classifier predicts correctly from their positions; baseline: share of the largest group.",
        ...remarks,
      ];
      return [
        make("h3", {}, "Fairness by ", named(column)),
        make("table", { "data-table": "fairness" }, make("thead", {}, make("tr", {}, ...head)), ...body),
        make("details", {}, make("summary", { text: "explanation" }), ...explanations.map((text) => named(text, "p"))),
      ];
    }

    restore() { this.show(this.message); }
  }

  Object.assign(window.netgiven, { NextPairs, Fairness });
})();
