// The left column: the network, what is known of it, and the fit.
window.netgiven = window.netgiven || {};

(() => {
  const { make, named } = window.netgiven;
  const by = (id) => document.getElementById(id);
  const MEGABYTE = 1 << 20;

  class Steps {
    constructor(ask, settings) {
      Object.assign(this, { ask, settings, maps: [], running: false, opened: false });
      by("open-example").addEventListener("click", () => this.reading(() => ask("example")));
      this.chooser("open-links", "links-file", "network");
      this.chooser("open-nodes", "nodes-file", "nodes");
      by("reach-kind").addEventListener("change", () => this.settle());
      by("fit").addEventListener("click", () => this.fit(false));
      by("beside").addEventListener("click", () => this.fit(true));
      by("stop").addEventListener("click", () => ask("stop"));
      by("copy").addEventListener("click", () => navigator.clipboard.writeText(by("knowledge-text").textContent));
      this.settle();
    }

    // ---- 1

    chooser(button, input, part) {
      by(button).addEventListener("click", () => by(input).click());
      by(input).addEventListener("change", () => {
        const [file] = by(input).files;
        by(input).value = "";
        if (file) this.send(file, part);
      });
    }

    async send(file, part) {
      const { ticket, most } = this.settings();
      if (file.size > most * MEGABYTE) return this.complain("network", `${file.name} is larger than ${most} MB, the most that this page takes. Start it with a higher --most-megabytes, or name the file: netgiven explore FILE.`);
      this.reading(() => {});
      const headers = { "X-File-Name": encodeURIComponent(file.name) };
      try {
        const answer = await fetch(`send/${ticket}/${part}`, { method: "POST", body: file, headers });
        const problem = answer.ok ? await answer.text() : `${file.name} was not taken; load this page again.`;
        if (problem) this.complain("network", problem);
      } catch {
        this.complain("network", `${file.name} could not be sent: it was changed meanwhile, or the server is gone.`);
      }
    }

    reading(act) {
      for (const where of ["network", "page"]) this.complain(where, "");
      by("step-network").classList.add("busy");
      act();
    }

    network({ title, size, notes, can_add_nodes, dimensions, unusable }) {
      by("step-network").classList.remove("busy");
      this.opened = Boolean(title);
      by("network").hidden = !title;
      by("network-hint").hidden = Boolean(title);
      if (!title) return this.settle();
      by("network-title").textContent = title;
      by("network-size").textContent = size;
      by("open-nodes").hidden = !can_add_nodes;
      const told = [...notes, ...unusable.map((sentence) => `Cannot be known: ${sentence}`)];
      by("network-notes").hidden = !told.length;
      by("network-notes").open = false;
      by("network-notes").firstElementChild.textContent = told.length === 1 ? "1 note" : `${told.length} notes`;
      by("network-notes").lastElementChild.replaceChildren(...told.map((text) => named(text, "li")));
      by("dimensions").replaceChildren(...dimensions.map((number) => make("option", { value: number, text: number === 2 ? "2, as drawn" : `${number}, widest two drawn` })));
      this.settle();
    }

    // ---- 2

    knowledge({ options = [], chosen = [], text = "" }) {
      const groups = Map.groupBy(options.map((option, place) => ({ ...option, place })), ({ column }) => column);
      const sections = [...groups].map(([column, entries]) => this.group(column, entries, new Set(chosen)));
      by("options").replaceChildren(...sections);
      by("knowledge-text").textContent = text;
      by("knowledge-text").title = text;
    }

    group(column, entries, chosen) {
      const heading = column === null ? [] : [make("h3", {}, make("span", { text: "column " }), named(column))];
      return make("fieldset", {}, ...heading, ...entries.map((entry) => this.option(entry, chosen.has(entry.place))));
    }

    option({ place, title, sentence, text }, on) {
      const box = make("input", { type: "checkbox", value: place, on: { change: () => this.choose() } });
      box.checked = on;
      return make("label", { class: "option", title: `${sentence} (${text})` }, box, make("span", { text: title }));
    }

    choose() {
      const ticked = [...by("options").querySelectorAll("input:checked")].map((box) => Number(box.value));
      this.ask("choose", { places: ticked });
    }

    // ---- 3

    fit(beside) {
      const told = by("reach-kind").value === "told";
      this.complain("fit", "");
      this.ask("fit", { reach: told ? by("reach").valueAsNumber : null, dimensions: Number(by("dimensions").value), beside });
    }

    show({ running, stopping, maps = [], message = "", share = 0 }) {
      Object.assign(this, { running, maps });
      by("fit-message").textContent = message;
      by("progress").style.setProperty("--done", `${100 * share}%`);
      by("progress").setAttribute("aria-valuenow", Math.round(100 * share));
      by("progress").className = !running ? "" : share ? "on" : "on unknown";
      by("stop").disabled = Boolean(stopping);
      this.settle();
    }

    settle() {
      by("reach").disabled = by("reach-kind").value !== "told";
      by("step-knowledge").classList.toggle("waits", !this.opened);
      by("step-map").classList.toggle("waits", !this.opened);
      by("stop").hidden = !this.running;
      by("fit").hidden = Boolean(this.running);
      by("fit").disabled = !this.opened;
      by("beside").hidden = this.running || !this.maps.length;
    }

    complain(where, sentence) {
      const place = by(`${where}-problem`);
      place.textContent = sentence;
      if (where === "network") by("step-network").classList.remove("busy"); // the server has done with a file
    }
  }

  Object.assign(window.netgiven, { Steps });
})();
