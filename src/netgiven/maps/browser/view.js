// The ranges of a panel: all nodes or a part of them, always with equal scales.
window.netgiven = window.netgiven || {};

if (!window.netgiven.showMost) (() => {
  const MARGIN = 38; // pixels around the outermost nodes, which leave room for the tools

  const TAIL = 0.025; // share of nodes at each side that may lie outside
  const EXTRA = 0.4; // relative to the extent of the other nodes

  const MAX_SORTED = 1e5;
  const extents = new WeakMap(); // of arrays that have been measured

  // The ranges of all values and of nearly all values: a few nodes far out would make the rest tiny.
  function extent(values) {
    if (!extents.has(values)) extents.set(values, measured(values));
    return extents.get(values);
  }

  // The shares at the ends are those of every k-th value if there are many.
  function measured(values) {
    const step = Math.ceil(values.length / MAX_SORTED), sorted = Float64Array.from({ length: Math.ceil(values.length / step) || 0 }, (_, place) => values[step * place]).filter(Number.isFinite).sort();
    if (!sorted.length) return { all: [-1, 1], most: [-1, 1] };
    const last = sorted.length - 1, low = sorted[Math.floor(TAIL * last)], high = sorted[Math.ceil((1 - TAIL) * last)];
    const wider = EXTRA * (high - low) || Infinity, all = [sorted[0], sorted[last]];
    for (const value of values) if (Number.isFinite(value)) [all[0], all[1]] = [Math.min(all[0], value), Math.max(all[1], value)];
    return { all, most: [Math.max(all[0], low - wider), Math.min(all[1], high + wider)] };
  }

  // Centre a panel on a point, with `unit` units per pixel.
  function look(figure, x, y, unit, home = false) {
    const width = unit * figure.inner_width / 2, height = unit * figure.inner_height / 2;
    const across = { start: x - width, end: x + width }, down = { start: y - height, end: y + height };
    if (home) {
      Object.assign(across, { reset_start: across.start, reset_end: across.end });
      Object.assign(down, { reset_start: down.start, reset_end: down.end });
    }
    figure.x_range.setv(across);
    figure.y_range.setv(down);
  }

  function show(figure, [left, right], [low, high], home) {
    const room = (size) => Math.max(size - 2 * MARGIN, size / 2);
    const unit = Math.max((right - left) / room(figure.inner_width), (high - low) / room(figure.inner_height), 1e-9);
    look(figure, (left + right) / 2, (low + high) / 2, unit, home);
  }

  function showMost(figure, nodes, number) {
    if (!(figure.inner_width > 0 && figure.inner_height > 0 && nodes.data[`x${number}`])) return;
    show(figure, extent(nodes.data[`x${number}`]).most, extent(nodes.data[`y${number}`]).most, true);
  }

  // Pan so that a point is in the middle, unless it is well within the panel already.
  function moveTo(figure, x, y) {
    const { start, end } = figure.x_range, { start: low, end: high } = figure.y_range;
    const inside = (value, from, to) => Math.abs(value - (from + to) / 2) < 0.45 * (to - from);
    if (!inside(x, start, end) || !inside(y, low, high)) look(figure, x, y, (end - start) / figure.inner_width);
  }

  Object.assign(window.netgiven, { extent, show, showMost, moveTo });
})();
