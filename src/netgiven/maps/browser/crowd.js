// Which nodes are drawn: all, those of groups that are switched on, or, of too many, those in view. Where even these
// are too many, a picture of their density stands for them: each of its places has the mean colour of its nodes, and is
// the more opaque the more they are.
window.netgiven = window.netgiven || {};

if (!window.netgiven.crowd) (() => {
  const MOST = 30000; // in view, one by one
  const FAINTEST = 0.25;

  function inView(figure, nodes, number) {
    const { start, end } = figure.x_range, { start: low, end: high } = figure.y_range;
    const x = nodes.data[`x${number}`], y = nodes.data[`y${number}`], off = window.netgiven.hidden.get(nodes);
    const found = [];
    for (let node = 0; node < x.length; node++) {
      if (!(off && off[node]) && x[node] >= start && x[node] <= end && y[node] >= low && y[node] <= high) found.push(node);
    }
    return found;
  }

  const channel = (colour, place) => (colour >>> (24 - 8 * place)) & 255;

  function paint(figure, picture, nodes, number, found) {
    const source = picture.data_source, image = source.data.image[0], [rows, columns] = image.shape;
    const { start, end } = figure.x_range, { start: low, end: high } = figure.y_range;
    const x = nodes.data[`x${number}`], y = nodes.data[`y${number}`], colour = nodes.data.colour;
    const sums = new Float32Array(4 * rows * columns);
    let most = 1;
    for (const node of found) {
      const column = Math.min(columns - 1, Math.floor(columns * (x[node] - start) / (end - start)));
      const place = 4 * (columns * Math.min(rows - 1, Math.floor(rows * (y[node] - low) / (high - low))) + column);
      for (let part = 0; part < 3; part++) sums[place + part] += channel(colour[node], part);
      most = Math.max(most, ++sums[place + 3]);
    }
    const pixels = new Uint8ClampedArray(image.buffer, image.byteOffset, sums.length);
    for (let place = 0; place < sums.length; place += 4) {
      const count = sums[place + 3];
      for (let part = 0; part < 3; part++) pixels[place + part] = count ? sums[place + part] / count : 0;
      pixels[place + 3] = count ? 255 * (FAINTEST + (1 - FAINTEST) * Math.log1p(count) / Math.log1p(most)) : 0;
    }
    const place = { image: [image], x: [start], y: [low], dw: [end - start], dh: [high - low] };
    source.setv({ data: place }, { sync: false });
  }

  function show(figure, filter, picture, nodes, number) {
    const off = window.netgiven.hidden.get(nodes);
    if (!picture) {
      const shown = off ? Array.from(off.keys()).filter((node) => !off[node]) : null;
      return filter.setv({ indices: shown }, { sync: false });
    }
    const found = inView(figure, nodes, number), few = found.length <= MOST;
    filter.setv({ indices: few ? found : [] }, { sync: false });
    picture.setv({ visible: !few }, { sync: false });
    if (!few) paint(figure, picture, nodes, number, found);
  }

  const waiting = new WeakSet();

  // Once a frame at most, however often the view moves.
  function crowd(figure, filter, picture, nodes, number) {
    if (waiting.has(figure)) return;
    waiting.add(figure);
    requestAnimationFrame(() => {
      waiting.delete(figure);
      show(figure, filter, picture, nodes, number);
    });
  }

  Object.assign(window.netgiven, { crowd });
})();
