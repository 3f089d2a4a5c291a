// The node at a position in a panel.
window.netgiven = window.netgiven || {};

if (!window.netgiven.nearest) (() => {
  const NEAR = 12; // pixels from the middle of a node
  const hidden = new WeakMap(); // by data source: which nodes are switched off

  function nearest(figure, nodes, number, x, y) {
    const pixel = (figure.x_range.end - figure.x_range.start) / figure.inner_width;
    const across = nodes.data[`x${number}`], down = nodes.data[`y${number}`], off = hidden.get(nodes);
    let found = -1, least = (NEAR * pixel) ** 2;
    for (let node = 0; node < across.length; node++) {
      const distance = (across[node] - x) ** 2 + (down[node] - y) ** 2;
      if (distance < least && !(off && off[node])) [found, least] = [node, distance];
    }
    return found;
  }

  // A click selects the node under it; with shift, in addition to those that are selected.
  function keep(figure, nodes, number, event) {
    const node = nearest(figure, nodes, number, event.x, event.y), before = nodes.selected.indices;
    if (!event.modifiers?.shift) nodes.selected.indices = node < 0 ? [] : [node];
    else if (node >= 0) {
      nodes.selected.indices = before.includes(node) ? before.filter((other) => other !== node) : [...before, node];
    }
  }

  Object.assign(window.netgiven, { hidden, nearest, keep });
})();
