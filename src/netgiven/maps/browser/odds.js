// Log-odds of pairs under the prior and under the map, as in model.py, and the likeliest links of a node.
window.netgiven = window.netgiven || {};

(() => {
  const { numbers } = window.netgiven;
  const CERTAIN = 512; // larger log-odds mean that the prior is certain of a pair

  const sure = (odds) => Math.abs(odds) > CERTAIN ? Math.sign(odds) * Infinity : odds;
  const probability = (odds) => odds >= 0 ? 1 / (1 + Math.exp(-odds)) : Math.exp(odds) / (1 + Math.exp(odds));

  // Prior log-odds of two nodes: the sum of left(i) right(j) + right(i) left(j), of tables over groups, and of listed values.
  function prior(data, count) {
    const left = numbers(data.left), right = numbers(data.right), group = numbers(data.group), table = numbers(data.tables);
    const columns = left.length / count, layers = data.width.length;
    const begin = numbers(data.begin), others = numbers(data.others), value = numbers(data.value);
    const listed = (first, second) => {
      for (let place = begin[first]; place < begin[first + 1]; place++) if (others[place] === second) return value[place];
      return 0;
    };
    return (first, second) => {
      let odds = left[first] + left[second];
      for (let layer = 0, at = 0; layer < layers; at += data.width[layer] ** 2, layer++) {
        odds += table[at + group[layer * count + first] * data.width[layer] + group[layer * count + second]];
      }
      for (let column = 1; column < columns; column++) {
        const i = column * count + first, j = column * count + second;
        odds += left[i] * right[j] + right[i] * left[j];
      }
      if (value.length) odds += listed(Math.min(first, second), Math.max(first, second));
      return sure(odds);
    };
  }

  // Log-odds of the prior and of the map; x and y are drawn `scale` times as large as they were fitted. The last of the two
  // dimensions, or both, may repel.
  function odds({ prior: data, reach, stiffness, scale, repelling }, x, y) {
    const known = prior(data, x.length), half = stiffness / 2 / scale ** 2;
    const apart = (place, repels) => (i, j) => repels ? 2 * place[i] * place[j] : (place[i] - place[j]) ** 2;
    const across = apart(x, repelling > 1), down = apart(y, repelling > 0);
    const gain = (i, j) => reach - half * (across(i, j) + down(i, j));
    return { known, whole: (i, j) => known(i, j) + gain(i, j) };
  }

  // The likeliest nodes that are neither the node itself nor linked to it; earlier ones first among equals.
  function likeliest({ known, whole }, node, count, linked, total) {
    const best = [], taken = new Set(linked);
    for (let other = 0; other < total; other++) {
      if (other === node || taken.has(other)) continue;
      const score = whole(node, other);
      if (score === -Infinity || (best.length === count && !(score > best[count - 1].score))) continue;
      let place = Math.min(best.length, count - 1);
      for (; place > 0 && best[place - 1].score < score; place--) best[place] = best[place - 1];
      best[place] = { other, score };
    }
    return best.map(({ other, score }) => {
      const posterior = probability(score), before = probability(known(node, other));
      return { node: other, probability: posterior, prior: before, lift: posterior / before };
    });
  }

  Object.assign(window.netgiven, { odds, likeliest });
})();
