// What a pair of nodes means: log-odds of the prior and of the map, as in model.py, and the likeliest links of a node.
window.netgiven = window.netgiven || {};

(() => {
  const { numbers } = window.netgiven;
  const CERTAIN = 512; // log-odds beyond are those of pairs of which the prior is certain

  const sure = (odds) => Math.abs(odds) > CERTAIN ? Math.sign(odds) * Infinity : odds;
  const probability = (odds) => odds >= 0 ? 1 / (1 + Math.exp(-odds)) : 1 - 1 / (1 + Math.exp(odds));

  // A function of two nodes: sum of own(i) basis(j) + basis(i) own(j), of tables over groups, and of what is listed.
  function prior(told, count) {
    const own = numbers(told.own), basis = numbers(told.basis), group = numbers(told.group), table = numbers(told.tables);
    const columns = own.length / count, layers = told.width.length;
    const begin = numbers(told.begin), others = numbers(told.others), value = numbers(told.value);
    const listed = (first, second) => {
      for (let place = begin[first]; place < begin[first + 1]; place++) if (others[place] === second) return value[place];
      return 0;
    };
    return (first, second) => {
      let odds = own[first] + own[second];
      for (let layer = 0, at = 0; layer < layers; at += told.width[layer] ** 2, layer++) {
        odds += table[at + group[layer * count + first] * told.width[layer] + group[layer * count + second]];
      }
      for (let column = 1; column < columns; column++) {
        const i = column * count + first, j = column * count + second;
        odds += own[i] * basis[j] + basis[i] * own[j];
      }
      if (value.length) odds += listed(Math.min(first, second), Math.max(first, second));
      return sure(odds);
    };
  }

  // A map that answers for pairs: x and y are drawn `scale` times as large as they were fitted.
  function odds({ prior: told, reach, stiffness, scale }, x, y) {
    const known = prior(told, x.length), half = stiffness / 2 / scale ** 2;
    const gained = (i, j) => reach - half * ((x[i] - x[j]) ** 2 + (y[i] - y[j]) ** 2);
    return { known, whole: (i, j) => known(i, j) + gained(i, j) };
  }

  // The likeliest of all nodes that are neither the node itself nor linked to it; the earlier one among equals.
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
      const chance = probability(score), before = probability(known(node, other));
      return { node: other, probability: chance, prior: before, lift: chance / before };
    });
  }

  Object.assign(window.netgiven, { odds, likeliest });
})();
