// Arrays in the data of the page: numbers in base64.
window.netgiven = window.netgiven || {};

(() => {
  const KINDS = { int32: Int32Array, float32: Float32Array, float64: Float64Array };

  function bytes(base64) {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
    const text = atob(base64), whole = new Uint8Array(text.length);
    for (let place = 0; place < text.length; place++) whole[place] = text.charCodeAt(place);
    return whole;
  }

  const numbers = ({ kind, base64 }) => new KINDS[kind](bytes(base64).buffer);

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

  Object.assign(window.netgiven, { numbers, neighbours });
})();
