// Log-odds of pairs under the prior and under the map, as in model.py, and the likeliest links of a node.
window.netgiven = window.netgiven || {};

(() => {
  const CERTAIN = 512; // larger log-odds mean that the prior is certain of a pair

  const sure = (odds) => Math.abs(odds) > CERTAIN ? Math.sign(odds) * Infinity : odds;
  const probability = (odds) => odds >= 0 ? 1 / (1 + Math.exp(-odds)) : Math.exp(odds) / (1 + Math.exp(odds));

  // Prior log-odds of a node with all nodes: the sum of left(i) right(j) + right(i) left(j), of tables over groups, and of
  // listed values. One term after the other, so that a million nodes take milliseconds. The next call overwrites the result.
  function prior({ left, right, group, tables, width, begin, others, value }, count) {
    const columns = left.length / count, row = new Float64Array(count);
    const add = (own, term) => { for (let node = 0; node < count; node++) row[node] += own * term[node]; };
    const addTable = (place, codes) => { for (let node = 0; node < count; node++) row[node] += tables[place + codes[node]]; };
    function addListed(node) {
      for (let other = 0; other <= node; other++) {
        for (let place = begin[other]; place < begin[other + 1]; place++) {
          if (other === node) row[others[place]] += value[place];
          else if (others[place] === node) row[other] += value[place];
        }
      }
    }
    return (node) => {
      for (let other = 0; other < count; other++) row[other] = left[node] + left[other];
      for (let layer = 0, at = 0; layer < width.length; at += width[layer] ** 2, layer++) {
        addTable(at + group[layer * count + node] * width[layer], group.subarray(layer * count, (layer + 1) * count));
      }
      for (let column = 1; column < columns; column++) {
        const [l, r] = [left, right].map((term) => term.subarray(column * count, (column + 1) * count));
        add(l[node], r);
        add(r[node], l);
      }
      if (value.length) addListed(node);
      return row;
    };
  }

  // Log-odds of the prior, and what the map adds; x and y are drawn `scale` times as large as they were fitted. The last of the
  // two dimensions, or both, may repel.
  function odds({ prior: data, reach, stiffness, scale, repelling }, x, y) {
    const half = stiffness / 2 / scale ** 2;
    const apart = (place, repels) => (i, j) => repels ? 2 * place[i] * place[j] : (place[i] - place[j]) ** 2;
    const across = apart(x, repelling > 1), down = apart(y, repelling > 0);
    return { known: prior(data, x.length), gain: (i, j) => reach - half * (across(i, j) + down(i, j)) };
  }

  // The likeliest nodes that are neither the node itself nor linked to it; earlier ones first among equals.
  function likeliest({ known, gain }, node, count, linked, total) {
    const best = [], taken = new Set(linked), before = known(node);
    for (let other = 0, floor = -Infinity; other < total; other++) {
      const score = sure(before[other]) + gain(node, other);
      if (!(score > floor) || other === node || taken.has(other)) continue;
      let place = Math.min(best.length, count - 1);
      for (; place > 0 && best[place - 1].score < score; place--) best[place] = best[place - 1];
      best[place] = { other, score };
      if (best.length === count) floor = best[count - 1].score;
    }
    return best.map(({ other, score }) => {
      const posterior = probability(score), prior = probability(sure(before[other]));
      return { node: other, probability: posterior, prior, lift: posterior / prior };
    });
  }

  Object.assign(window.netgiven, { odds, likeliest });
})();
