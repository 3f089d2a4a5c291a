// How a panel looks at its nodes: all of them, or a part, always with equal scales.
window.netgiven = window.netgiven || {};

if (!window.netgiven.showAll) (() => {
  const MARGIN = 38; // pixels around the outermost nodes, where the tools of a panel have their place

  function extent(values) {
    let low = Infinity, high = -Infinity;
    for (const value of values) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
    return low <= high ? [low, high] : [-1, 1];
  }

  // A panel that shows a point in its middle, with so many units to a pixel.
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

  function showAll(figure, nodes, number) {
    if (!(figure.inner_width > 0 && figure.inner_height > 0)) return;
    const [left, right] = extent(nodes.data[`x${number}`]), [low, high] = extent(nodes.data[`y${number}`]);
    const room = (size) => Math.max(size - 2 * MARGIN, size / 2);
    const unit = Math.max((right - left) / room(figure.inner_width), (high - low) / room(figure.inner_height), 1e-9);
    look(figure, (left + right) / 2, (low + high) / 2, unit, true);
  }

  // Move, without zooming, so that a point is in the middle; unless it is well within the panel already.
  function moveTo(figure, x, y) {
    const { start, end } = figure.x_range, { start: low, end: high } = figure.y_range;
    const inside = (value, from, to) => Math.abs(value - (from + to) / 2) < 0.45 * (to - from);
    if (!inside(x, start, end) || !inside(y, low, high)) look(figure, x, y, (end - start) / figure.inner_width);
  }

  Object.assign(window.netgiven, { look, showAll, moveTo });
})();
