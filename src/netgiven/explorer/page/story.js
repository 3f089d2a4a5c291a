// The ledger of what is given, the strip of all maps so far, and the groups that were found.
window.netgiven = window.netgiven || {};

(() => {
  const { make, button, named } = window.netgiven;
  const by = (id) => document.getElementById(id);
  const HINTS = {
    bits: "Bits per link that this adds to what stands above it; the share is that of all that could be explained.",
    read: "How many nodes' values their ten nearest neighbours on the map predict, in cross-validation. The line is the share of the largest group, which a blind guess would reach.",
    tell: "Tell it, and fit the map again without it.",
  };

  class Ledger {
    constructor({ tell, untell }) { Object.assign(this, { tell, untell, told: [] }); }

    show({ lines = [], proposals = [], readable = [] }) {
      by("ledger").replaceChildren(...lines.map((line) => this.line(line)));
      by("proposals").replaceChildren(...(proposals.length ? [make("h3", { text: "To tell next" })] : []), ...proposals.map((one) => this.proposal(one)));
      by("readable").replaceChildren(...readable.flatMap((one) => this.map(one, readable.length > 1)));
    }

    line({ knowledge, words, bits, share, percent }) {
      const back = button("×", () => this.untell(knowledge), { class: "close", title: "Take it back", "aria-label": `Take back: ${words}`, "data-key": `untell ${knowledge}` });
      const entry = make("li", { title: knowledge, "data-knowledge": knowledge }, make("span", { class: "words", text: words }), ...(knowledge && this.told.length > 1 ? [back] : []));
      entry.append(make("i", { style: `--share-end:${100 * Math.min(Math.max(share, 0), 1)}%` }), make("b", { text: `${bits} bits · ${percent}`, title: HINTS.bits, "data-share": share, "data-bits": bits }));
      return entry;
    }

    proposal({ knowledge, text }) {
      const tell = button("Tell it", () => this.tell(knowledge), { class: "action", title: HINTS.tell, "data-key": `tell ${knowledge}`, "data-tell": knowledge });
      return make("div", { class: "proposal" }, named(text, "p"), tell);
    }

    map({ given, columns }, several) {
      if (!columns.length) return [];
      const rows = columns.map(({ column, read, largest, text }) => make("div", { class: "bar-row frequent", title: `${text}. ${HINTS.read}`, "data-column": column, "data-read": read }, named(column), make("i", { style: `--share-end:${100 * read}%; --overall:${100 * largest}%` }), make("b", { text: `${Math.round(100 * read)} %` })));
      const heading = several ? make("h3", {}, "Still readable, given ", named(given)) : make("h3", { text: "Still readable from the map" });
      return [heading, ...rows];
    }
  }

  // Small pictures of all maps so far; a click shows one, the button beside it puts it next to the one that is shown.
  class Strip {
    constructor(request, colour) { Object.assign(this, { request, colour, message: {} }); }

    show(message) {
      this.message = message;
      const { maps = [], shown = [] } = message;
      by("strip").hidden = maps.length < 2;
      by("strip").replaceChildren(...maps.map((map, place) => this.entry(map, place, shown)));
    }

    entry({ given, gain, dots }, place, shown) {
      const picture = make("canvas", { width: 96, height: 72, "aria-hidden": "true" });
      this.draw(picture, dots);
      const on = shown.includes(place);
      const show = button("", () => this.request("show", { places: [place] }), { "aria-pressed": String(on), title: `Map ${place + 1}, given ${given}: it adds ${gain}`, "data-map": place, "data-key": `map ${place}` });
      show.append(picture, make("small", { class: "name", text: `${place + 1} ${given}` }));
      const beside = button("+", () => this.request("show", { places: [shown[0], place] }), { class: "beside", title: "Show it beside the current map", "aria-label": `Show map ${place + 1} beside the current map`, "data-beside": place, "data-key": `beside ${place}`, "data-else": `map ${place}` });
      return make("span", { class: "entry" }, show, ...(on ? [] : [beside]));
    }

    draw(picture, dots) {
      const context = picture.getContext("2d"), { width, height } = picture, edge = 6, side = height - 2 * edge;
      dots.forEach(([x, y], place) => {
        context.fillStyle = this.colour(this.message.sample[place]);
        context.fillRect((width - side) / 2 + side * x / 100 - 1.5, height - edge - side * y / 100 - 1.5, 3, 3);
      });
    }
  }

  // Names of found groups on the maps, and a list of them.
  class FoundGroups {
    constructor(request) {
      Object.assign(this, { request, message: {}, host: make("section", { "data-section": "groups" }), labels: [] });
    }

    show(message) { this.message = message; }

    draw(index) {
      const { maps, offer, searching } = this.message;
      this.host.hidden = !maps && !offer && !searching;
      const find = button("Find groups", () => this.request("groups"), { class: "action", "data-action": "groups", "data-key": "groups" });
      const wait = make("p", { class: "hint", text: "Looking for groups …" });
      this.host.replaceChildren(make("h3", { text: "Groups in what remains" }), ...(maps ? this.list(maps[Math.min(index, maps.length - 1)], index) : [offer ? find : wait]));
      return this.host;
    }

    list({ groups, text }, index) {
      const tell = button("Tell these groups", () => this.request("tell_groups", { index }), { class: "action", "data-action": "tell_groups", "data-key": "tell_groups", title: "Make them a column, tell it, and see what remains then." });
      return [make("p", { class: "hint", text }), ...groups.map((group) => this.item(group, index)), ...(groups.length ? [tell] : [])];
    }

    item({ number, name, size, links, expected, typical, frequent }, index) {
      const select = button("", () => this.request("select_group", { index, number }), { class: "name", "data-group": number, "data-key": `group ${number}`, title: `${frequent || "no value is more frequent than elsewhere"}; typical: ${typical.join(", ")}` });
      select.append(named(name), make("small", { text: `${size.toLocaleString("en-US")} nodes · ${links} links, ${expected} expected` }));
      return make("p", { class: "found" }, select);
    }

    // Names at the middle of each group, on every panel.
    label(panels, hosts) {
      for (const label of this.labels) label.element.remove();
      const groups = (panel) => this.message.maps?.[panel.number]?.groups ?? [];
      this.labels = panels.flatMap((panel) => groups(panel).map((group) => {
        const element = button(group.name, () => this.request("select_group", { index: panel.number, number: group.number }), { class: "group-label name", title: `${group.name}: ${group.size} nodes`, tabindex: "-1" });
        hosts[panel.number].append(element);
        return { element, panel, place: group.place };
      }));
      this.move();
    }

    move() {
      const taken = [];
      for (const { element, panel: { figure }, place: [x, y] } of this.labels) {
        const { x_range: across, y_range: down, inner_width: width, inner_height: height } = figure;
        const left = width * (x - across.start) / (across.end - across.start), top = height * (1 - (y - down.start) / (down.end - down.start));
        const half = 4 * element.textContent.length + 8;
        const collides = taken.some(([other, l, t, h]) => other === figure && Math.abs(l - left) < half + h && Math.abs(t - top) < 20);
        element.hidden = collides || left < 0 || left > width || top < 0 || top > height;
        if (!element.hidden) taken.push([figure, left, top, half]);
        Object.assign(element.style, { left: `${left}px`, top: `${top}px` });
      }
    }

    hide(wanted) { for (const { element } of this.labels) element.classList.toggle("off", wanted); }
  }

  Object.assign(window.netgiven, { Ledger, Strip, FoundGroups });
})();
