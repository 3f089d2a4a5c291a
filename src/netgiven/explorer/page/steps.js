// The left column: the network, the prior, and the fit.
window.netgiven = window.netgiven || {};

(() => {
  const { make, named } = window.netgiven;
  const by = (id) => document.getElementById(id);
  const MEGABYTE = 1 << 20;

  class Steps {
    constructor(request, limits) {
      Object.assign(this, { request, limits, maps: [], running: false, opened: false });
      by("open-example").addEventListener("click", () => this.reading(() => request("example")));
      this.chooser("open-links", "links-file", "network");
      this.chooser("open-nodes", "nodes-file", "nodes");
      this.chooser("open-unobserved", "unobserved-file", "unobserved");
      by("reach-kind").addEventListener("change", () => this.update());
      by("fit").addEventListener("click", () => this.fit(false));
      by("beside").addEventListener("click", () => this.fit(true));
      by("stop").addEventListener("click", () => request("stop"));
      by("copy").addEventListener("click", () => navigator.clipboard.writeText(by("knowledge-text").textContent));
      this.update();
    }

    // ---- 1

    chooser(button, input, kind) {
      by(button).addEventListener("click", () => by(input).click());
      by(input).addEventListener("change", () => {
        const [file] = by(input).files;
        by(input).value = "";
        if (file) this.upload(file, kind);
      });
    }

    async upload(file, kind) {
      const { token, max_megabytes } = this.limits();
      if (file.size > max_megabytes * MEGABYTE) return this.showError("network", `${file.name} is larger than ${max_megabytes} MB, the limit for uploads. Start the explorer with a higher --max-megabytes, or name the file: netgiven explore FILE.`);
      this.reading(() => {});
      const headers = { "X-File-Name": encodeURIComponent(file.name) };
      try {
        const answer = await fetch(`upload/${token}/${kind}`, { method: "POST", body: file, headers });
        const error = answer.ok ? await answer.text() : `${file.name} was not accepted; reload this page.`;
        if (error) this.showError("network", error);
      } catch {
        this.showError("network", `${file.name} could not be sent: the file has changed, or the server has stopped.`);
      }
    }

    reading(action) {
      for (const where of ["network", "page"]) this.showError(where, "");
      by("step-network").classList.add("busy");
      action();
    }

    network({ title, size, notes, can_add_nodes, dimensions, unusable }) {
      by("step-network").classList.remove("busy");
      this.opened = Boolean(title);
      by("network").hidden = !title;
      by("network-hint").hidden = Boolean(title);
      if (!title) return this.update();
      by("network-title").textContent = title;
      by("network-size").textContent = size;
      by("open-nodes").hidden = !can_add_nodes;
      const texts = [...notes, ...unusable.map((text) => `Cannot be used as prior: ${text}`)];
      by("network-notes").hidden = !texts.length;
      by("network-notes").open = false;
      by("network-notes").firstElementChild.textContent = texts.length === 1 ? "1 note" : `${texts.length} notes`;
      by("network-notes").lastElementChild.replaceChildren(...texts.map((text) => named(text, "li")));
      by("dimensions").replaceChildren(...dimensions.map((number) => make("option", { value: number, text: number === 2 ? "2" : `${number}, 2 drawn` })));
      this.update();
    }

    // ---- 2

    knowledge({ options = [], chosen = [], text = "" }) {
      Object.assign(this, { options, chosen });
      const groups = Map.groupBy(options.map((option, index) => ({ ...option, index })), ({ column }) => column);
      const sections = [...groups].map(([column, entries]) => this.group(column, entries, new Set(chosen)));
      by("options").replaceChildren(...sections);
      by("knowledge-text").textContent = text;
      by("knowledge-text").title = text;
    }

    group(column, entries, chosen) {
      const heading = column === null ? [] : [make("h3", {}, make("span", { text: "column " }), named(column))];
      return make("fieldset", {}, ...heading, ...entries.map((entry) => this.option(entry, chosen.has(entry.index))));
    }

    option({ index, title, description, text }, checked) {
      const box = make("input", { type: "checkbox", value: index, "data-key": `option ${text}`, on: { change: () => this.choose() } });
      box.checked = checked;
      return make("label", { class: "option", title: `${description} (${text})` }, box, make("span", { text: title }));
    }

    // What was chosen before keeps its order; what is new comes last.
    choose() {
      const on = [...by("options").querySelectorAll("input:checked")].map((box) => Number(box.value));
      this.request("choose", { indices: [...this.chosen.filter((index) => on.includes(index)), ...on.filter((index) => !this.chosen.includes(index))] });
    }

    untell(knowledge) {
      this.request("choose", { indices: this.chosen.filter((index) => this.options[index].text !== knowledge) });
    }

    tell(knowledge) { this.request("tell", { knowledge, ...this.settings() }); }

    // ---- 3

    settings() {
      const manual = by("reach-kind").value === "manual";
      return { reach: manual ? by("reach").valueAsNumber : null, dimensions: Number(by("dimensions").value) };
    }

    fit(beside) {
      this.showError("fit", "");
      this.request("fit", { ...this.settings(), beside });
    }

    show({ running, stopping, maps = [], message = "", share = 0 }) {
      Object.assign(this, { running, maps });
      by("fit-message").textContent = message;
      by("progress").style.setProperty("--done", `${100 * share}%`);
      by("progress").setAttribute("aria-valuenow", Math.round(100 * share));
      by("progress").className = !running ? "" : share ? "on" : "on unknown";
      by("stop").disabled = Boolean(stopping);
      this.update();
    }

    update() {
      by("reach").disabled = by("reach-kind").value !== "manual";
      for (const step of ["step-knowledge", "step-map"]) this.enable(by(step), this.opened);
      by("stop").hidden = !this.running;
      by("fit").hidden = Boolean(this.running);
      by("fit").disabled = !this.opened;
      by("beside").hidden = this.running || !this.maps.length;
      by("open-unobserved").hidden = by("open-nodes").hidden;
    }

    // A step that is greyed out has a heading, but nothing in it can be reached.
    enable(step, wanted) {
      step.classList.toggle("disabled", !wanted);
      for (const part of step.children) part.inert = !wanted && part.localName !== "h2";
    }

    showError(where, message) {
      by(`${where}-error`).textContent = message;
      if (where === "network") by("step-network").classList.remove("busy"); // the server has finished with the file
    }
  }

  Object.assign(window.netgiven, { Steps });
})();
