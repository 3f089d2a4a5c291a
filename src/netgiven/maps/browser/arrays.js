// Arrays and texts in the data of the page: compressed, in base64.
window.netgiven = window.netgiven || {};

(() => {
  const KINDS = { int32: Int32Array, uint32: Uint32Array, float32: Float32Array, float64: Float64Array };

  function bytes(base64) {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
    const text = atob(base64), whole = new Uint8Array(text.length);
    for (let place = 0; place < text.length; place++) whole[place] = text.charCodeAt(place);
    return whole;
  }

  async function inflated(base64) {
    const { writable, readable } = new DecompressionStream("deflate"), writer = writable.getWriter();
    const written = writer.write(bytes(base64)).then(() => writer.close());
    const [plain] = await Promise.all([new Response(readable).arrayBuffer(), written]);
    return new Uint8Array(plain);
  }

  // The first bytes of all numbers come first, then all second ones, and so on: alike bytes side by side compress better.
  async function numbers({ kind, base64 }) {
    const planes = await inflated(base64), Kind = KINDS[kind], wide = Kind.BYTES_PER_ELEMENT, count = planes.length / wide;
    const whole = new Uint8Array(planes.length);
    for (let part = 0; part < wide; part++) {
      for (let place = 0, from = part * count; place < count; place++) whole[place * wide + part] = planes[from + place];
    }
    return new Kind(whole.buffer);
  }

  // Lower case of the same length.
  const folded = (text) => text.replaceAll("\u0130", "i").toLowerCase();

  // Many texts as one, each followed by a new line, so that a million of them cost little; `at` takes one out of it.
  class Texts {
    constructor(whole, lengths) {
      this.whole = whole;
      this.begin = new Int32Array(lengths.length + 1);
      lengths.forEach((length, place) => { this.begin[place + 1] = this.begin[place] + length + 1; });
    }

    static of(texts) { return texts instanceof Texts ? texts : new Texts(texts.map((text) => `${text}\n`).join(""), texts.map(({ length }) => length)); }

    get length() { return this.begin.length - 1; }

    at(place) { return place >= 0 && place < this.length ? this.whole.slice(this.begin[place], this.begin[place + 1] - 1) : undefined; }

    // Up to `count` texts that equal the wanted one, then those that begin with it, then those that contain it.
    find(text, count) {
      const wanted = folded(text), kinds = [[], [], []];
      this.folded ??= folded(this.whole);
      const { length } = wanted, begins = (place, from) => this.begin[place] === from;
      const equal = (place, from) => begins(place, from) && this.begin[place + 1] - 1 === from + length;
      this.search(`${wanted}\n`, kinds[0], count, equal, 0);
      this.search(`\n${wanted}`, kinds[1], count, (place, from) => begins(place, from) && !equal(place, from), 1);
      const first = kinds[0].length + kinds[1].length;
      if (first < count) this.search(wanted, kinds[2], count - first, (place) => !this.folded.startsWith(wanted, this.begin[place]), 0);
      return kinds.flat().slice(0, count);
    }

    // Add the texts that have a pattern at a place where it belongs; `before` is where in the pattern the wanted text begins.
    search(pattern, found, count, belongs, before) {
      if (before && this.folded.startsWith(pattern.slice(before)) && belongs(0, 0)) found.push(0);
      for (let from = this.folded.indexOf(pattern); from >= 0 && found.length < count; from = this.folded.indexOf(pattern, from + 1)) {
        const place = this.holding(from + before);
        if (belongs(place, from + before) && found.at(-1) !== place) found.push(place);
      }
    }

    // The text that holds a letter of the whole.
    holding(letter) {
      let low = 0, high = this.length;
      while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (this.begin[middle] <= letter) low = middle;
        else high = middle;
      }
      return low;
    }
  }

  // Data in which arrays and texts are decoded.
  async function unpacked(value) {
    if (typeof value !== "object" || value === null) return value;
    if (value.kind && value.base64) return numbers(value);
    if (value.lengths && value.base64) return new Texts(new TextDecoder("utf-8", { ignoreBOM: true }).decode(await inflated(value.base64)), await numbers(value.lengths));
    if (Array.isArray(value)) return Promise.all(value.map(unpacked));
    const parts = await Promise.all(Object.values(value).map(unpacked));
    return Object.fromEntries(Object.keys(value).map((name, place) => [name, parts[place]]));
  }

  // Sorted rows of all neighbours, from the neighbours of each node that have larger numbers.
  function neighbours(counts, others) {
    const begin = new Int32Array(counts.length + 1);
    const each = (use) => {
      for (let node = 0, place = 0; node < counts.length; node++) {
        for (const end = place + counts[node]; place < end; place++) use(node, others[place]);
      }
    };
    each((node, other) => { begin[node + 1]++; begin[other + 1]++; });
    for (let node = 0; node < counts.length; node++) begin[node + 1] += begin[node];
    const next = begin.slice(0, -1), row = new Int32Array(2 * others.length);
    each((node, other) => { row[next[other]++] = node; }); // the smaller ones first, so that rows are sorted
    each((node, other) => { row[next[node]++] = other; });
    return (node) => row.subarray(begin[node], begin[node + 1]);
  }

  Object.assign(window.netgiven, { unpacked, neighbours, Texts });
})();
