// The table of nodes: sorted by any column, filtered, linked to the maps both ways. Only visible rows are drawn.
window.netgiven = window.netgiven || {};

(() => {
  const { make, button, named, plural } = window.netgiven;
  const ROW = 26, SPARE = 6;
  const NUMBERS = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 5 });
  const guarded = (text) => /^[=+\-@\t\r]/.test(text) ? `'${text}` : text; // spreadsheets would compute it
  const quoted = (text) => /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

  class NodeTable {
    constructor(host, { request, select, filtered, zoom }) {
      Object.assign(this, { host, request, select, filtered, zoom, columns: [], names: [], order: new Uint32Array(), filters: [], sorted: { column: null, down: false }, chosen: new Set() });
      this.count = make("span", { class: "hint", "aria-live": "polite" });
      this.tools = make("div", { class: "table-tools" });
      this.filterRow = make("div", { class: "filters" });
      this.head = make("div", { class: "row head", role: "row" });
      this.body = make("div", { class: "rows" });
      this.view = make("div", { class: "scroll", role: "table", "aria-label": "Nodes", tabindex: "0", on: { scroll: () => this.draw() } }, this.head, this.body);
      host.append(this.tools, this.filterRow, this.view);
    }

    get open() { return !this.host.hidden; }

    toggle(wanted = !this.open) {
      this.host.hidden = !wanted;
      if (wanted) this.request("table");
    }

    // ---- data

    show({ columns }, names, degrees) {
      if (!columns) return;
      this.names = names;
      const base = [{ name: "node", texts: names, numbers: null, values: (node) => names[node] }, { name: "degree", numbers: degrees, texts: null }];
      this.columns = [...base, ...columns].map((column) => ({ ...column, text: this.texts(column) }));
      this.filters = this.filters.filter(({ column }) => this.columns.some(({ name }) => name === column));
      this.update();
    }

    texts({ texts, numbers, values }) {
      if (values) return values;
      if (texts) return (node) => numbers[node] < 0 ? "" : texts[numbers[node]];
      return (node) => numbers[node] === null ? "" : NUMBERS.format(numbers[node]);
    }

    column(name) { return this.columns.find((column) => column.name === name); }

    // Columns, filters or the order have changed.
    update() {
      this.tools.replaceChildren(...this.buttons());
      this.filterRow.replaceChildren(...this.filters.map((filter, place) => this.filter(filter, place)));
      this.head.replaceChildren(...this.columns.map((column) => this.title(column)));
      this.choose();
    }

    // Which nodes pass the filters. What a filter consists of stays, so that Tab goes from one part of it to the next.
    choose() {
      const tests = this.filters.map((filter) => this.test(filter)).filter(Boolean);
      const all = Uint32Array.from(this.names.keys());
      this.order = tests.length ? all.filter((node) => tests.every((test) => test(node))) : all;
      this.sort();
      this.countRows();
      this.filtered(tests.length ? this.order : null);
      this.body.style.height = `${ROW * this.order.length}px`;
      this.draw();
    }

    sort() {
      const { column, down } = this.sorted, found = column && this.column(column);
      if (!found) return;
      const sign = down ? -1 : 1, { numbers, texts, values } = found;
      let key = numbers;
      if (texts && !values) {
        const ranks = new Int32Array(texts.length);
        [...texts.keys()].sort((one, other) => texts[one].localeCompare(texts[other])).forEach((place, rank) => { ranks[place] = rank; });
        key = numbers.map((place) => place < 0 ? null : ranks[place]);
      }
      const missing = (value) => value === null || value === undefined;
      if (values) this.order.sort((one, other) => sign * this.names[one].localeCompare(this.names[other]));
      else this.order.sort((one, other) => missing(key[one]) || missing(key[other]) ? missing(key[one]) - missing(key[other]) : sign * (key[one] - key[other]) || one - other);
    }

    // ---- filters

    test({ column, value, from, to }) {
      const found = this.column(column);
      if (!found) return null;
      const { numbers, texts, values } = found;
      if (values) return value ? (node) => this.names[node].toLowerCase().includes(value.toLowerCase()) : null;
      if (texts) return value === "" || value === undefined ? null : (node) => numbers[node] === Number(value);
      const low = from === "" || from === undefined ? -Infinity : Number(from), high = to === "" || to === undefined ? Infinity : Number(to);
      return (node) => numbers[node] !== null && numbers[node] >= low && numbers[node] <= high;
    }

    // The next thing to do is to fill in the new filter.
    addFilter(column) {
      this.filters.push({ column });
      this.update();
      this.filterRow.lastElementChild.querySelector("input, select").focus();
    }

    filter(filter, place) {
      const change = (name) => ({ change: ({ target }) => { filter[name] = target.value; this.choose(); } });
      const remove = button("×", () => { this.filters.splice(place, 1); this.update(); }, { class: "close", "aria-label": `Remove the filter by ${filter.column}`, "data-key": `remove ${place} ${filter.column}`, "data-else": "filter" });
      return make("span", { class: "filter" }, named(filter.column), ...this.inputs(filter, change), remove);
    }

    inputs(filter, change) {
      const { texts, values } = this.column(filter.column);
      if (values) return [make("input", { type: "search", value: filter.value ?? "", "aria-label": "Part of the name", on: change("value") })];
      if (!texts) return ["from", "to"].map((end) => make("input", { type: "number", step: "any", value: filter[end] ?? "", placeholder: end, "aria-label": `${filter.column} ${end}`, on: change(end) }));
      const list = make("select", { "aria-label": filter.column, on: change("value") }, make("option", { value: "", text: "any" }), ...texts.map((text, code) => make("option", { value: code, text })));
      list.value = filter.value ?? "";
      return [list];
    }

    // ---- parts

    buttons() {
      const add = make("select", { "aria-label": "Filter by", "data-action": "filter", "data-key": "filter", on: { change: ({ target }) => this.addFilter(target.value) } }, make("option", { value: "", text: "Filter by …" }), ...this.columns.map(({ name }) => make("option", { value: name, text: name })));
      this.take = button("Select these", () => this.select(Array.from(this.order)), { class: "action", "data-action": "select-rows" });
      return [this.count, add, this.take, button("Zoom to selection", () => this.zoom(), { class: "action", "data-action": "zoom" }), button("CSV", () => this.download(), { class: "action", title: "Download the rows as a table", "data-action": "csv" }), make("span", { class: "filler" }), button("×", () => this.close(), { class: "close", "aria-label": "Close the table", "data-else": "table-button" })];
    }

    countRows() {
      const several = this.order.length < this.names.length;
      this.take.disabled = !several || !this.order.length;
      this.count.textContent = several ? `${plural(this.order.length, "node")} of ${this.names.length.toLocaleString("en-US")}` : plural(this.names.length, "node");
    }

    close() {
      this.host.hidden = true;
      this.filters = [];
      this.filtered(null);
      this.closed?.();
    }

    title({ name }) {
      const { column, down } = this.sorted, mark = column === name ? (down ? " ▾" : " ▴") : "";
      const sort = () => { this.sorted = { column: name, down: column === name ? !down : !["node"].includes(name) }; this.view.scrollTop = 0; this.update(); };
      const title = button("", sort, { class: "name", title: `Sort by ${name}`, "data-sort": name, "data-key": `sort ${name}` });
      title.append(name, mark);
      return make("span", { role: "columnheader", "aria-sort": column === name ? (down ? "descending" : "ascending") : "none" }, title);
    }

    draw() {
      if (!this.open) return;
      const first = Math.max(Math.floor(this.view.scrollTop / ROW) - SPARE, 0), count = Math.ceil(this.view.clientHeight / ROW) + 2 * SPARE;
      const rows = Array.from(this.order.subarray(first, first + count), (node, place) => this.row(node, first + place));
      this.body.replaceChildren(...rows);
    }

    row(node, place) {
      const cells = this.columns.map(({ text, name }, column) => make("span", { role: "cell" }, column ? named(text(node)) : button(this.names[node], () => this.select([node]), { class: "name", title: this.names[node], "data-key": `row ${node}` })));
      return make("div", { class: this.chosen.has(node) ? "row chosen" : "row", role: "row", "data-node": node, style: `top:${ROW * place}px` }, ...cells);
    }

    // Nodes were selected on a map.
    mark(numbers) {
      this.chosen = new Set(numbers);
      if (!this.open) return;
      const place = numbers.length === 1 ? this.order.indexOf(numbers[0]) : -1, top = ROW * place, { scrollTop, clientHeight } = this.view;
      if (place >= 0 && (top < scrollTop || top > scrollTop + clientHeight - 3 * ROW)) this.view.scrollTop = Math.max(top - clientHeight / 2, 0);
      this.draw();
    }

    download() {
      const cell = ({ text, numbers, texts, values }, node) => quoted(texts || values ? guarded(text(node)) : numbers[node] === null ? "" : String(numbers[node]));
      const lines = [this.columns.map(({ name }) => quoted(guarded(name))).join(","), ...Array.from(this.order, (node) => this.columns.map((column) => cell(column, node)).join(","))];
      const address = URL.createObjectURL(new Blob([`${lines.join("\n")}\n`], { type: "text/csv" }));
      make("a", { href: address, download: "nodes.csv" }).click();
      setTimeout(() => URL.revokeObjectURL(address), 10000);
    }
  }

  Object.assign(window.netgiven, { NodeTable });
})();
