// Which nodes are drawn: all, those of groups that are switched on, or, of many nodes, those in view. If too many are in
// view, an image of their density is drawn instead: each pixel has the mean colour of its nodes, and is more opaque the
// more there are.
window.netgiven = window.netgiven || {};

if (!window.netgiven.crowd) (() => {
  const FAINTEST = 0.45; // opacity of a pixel with one node on it
  const UNSELECTED = 0.12; // relative opacity while other nodes are selected
  const MAX_PIXELS = 2e6;

  function inView(figure, nodes, number) {
    const { start, end } = figure.x_range, { start: low, end: high } = figure.y_range;
    const x = nodes.data[`x${number}`], y = nodes.data[`y${number}`], off = window.netgiven.hidden.get(nodes);
    const found = [];
    for (let node = 0; node < x.length; node++) {
      if (!(off && off[node]) && x[node] >= start && x[node] <= end && y[node] >= low && y[node] <= high) found.push(node);
    }
    return found;
  }

  // The sums of red, green and blue and the number of nodes of each pixel.
  class Pixels {
    constructor(figure, nodes, number) {
      const finer = Math.min(1, Math.sqrt(MAX_PIXELS / figure.inner_width / figure.inner_height));
      this.columns = Math.max(1, Math.round(finer * figure.inner_width));
      this.rows = Math.max(1, Math.round(finer * figure.inner_height));
      this.sums = new Float32Array(4 * this.rows * this.columns);
      Object.assign(this, { figure, data: nodes.data, x: nodes.data[`x${number}`], y: nodes.data[`y${number}`], most: 1 });
    }

    add(found) {
      const { columns, rows, x, y, data: { size, colour }, figure: { x_range: across, y_range: down } } = this;
      for (const node of found) {
        const radius = size[node] / 2, column = columns * (x[node] - across.start) / (across.end - across.start);
        const row = rows * (y[node] - down.start) / (down.end - down.start);
        for (let j = Math.max(0, Math.ceil(row - radius)); j < Math.min(rows, row + radius); j++) {
          const half = Math.sqrt(radius ** 2 - (j - row) ** 2);
          for (let i = Math.max(0, Math.ceil(column - half)); i < Math.min(columns, column + half); i++) this.dab(4 * (j * columns + i), colour[node]);
        }
      }
    }

    dab(place, colour) {
      const { sums } = this;
      sums[place] += colour >>> 24;
      sums[place + 1] += (colour >>> 16) & 255;
      sums[place + 2] += (colour >>> 8) & 255;
      if (++sums[place + 3] > this.most) this.most = sums[place + 3];
    }

    // Write each pixel that has nodes to an image, over what is there.
    write(image, strength) {
      const { sums, most } = this, opacity = (count) => FAINTEST + (1 - FAINTEST) * Math.log(count) / Math.log(most + 1);
      for (let place = 0; place < sums.length; place += 4) {
        const count = sums[place + 3];
        if (!count) continue;
        for (let part = 0; part < 3; part++) image[place + part] = sums[place + part] / count;
        image[place + 3] = 255 * strength * opacity(count);
      }
    }
  }

  function paint(figure, picture, nodes, number, found) {
    const kept = new Set(nodes.selected.indices), source = picture.data_source, Image = source.data.image[0].constructor;
    const rest = new Pixels(figure, nodes, number), chosen = new Pixels(figure, nodes, number), { rows, columns } = rest;
    const buffer = new ArrayBuffer(4 * rows * columns), bytes = new Uint8ClampedArray(buffer);
    rest.add(kept.size ? found.filter((node) => !kept.has(node)) : found);
    rest.write(bytes, kept.size ? UNSELECTED : 1);
    chosen.add(kept.size ? found.filter((node) => kept.has(node)) : []);
    chosen.write(bytes, 1);
    const { start, end } = figure.x_range, { start: low, end: high } = figure.y_range;
    const place = { image: [new Image(buffer, [rows, columns])], x: [start], y: [low], dw: [end - start], dh: [high - low] };
    source.setv({ data: place }, { sync: false });
  }

  function show(figure, filter, picture, nodes, number) {
    const off = window.netgiven.hidden.get(nodes);
    if (!picture) {
      const shown = off ? Array.from(off.keys()).filter((node) => !off[node]) : null;
      return filter.setv({ indices: shown }, { sync: false });
    }
    const found = inView(figure, nodes, number), few = found.length <= picture.tags[0];
    filter.setv({ indices: few ? found : [] }, { sync: false });
    picture.setv({ visible: !few }, { sync: false });
    if (!few) paint(figure, picture, nodes, number, found);
  }

  const waiting = new WeakSet();

  // At most once per frame, however often the view changes.
  function crowd(figure, filter, picture, nodes, number) {
    if (waiting.has(figure)) return;
    waiting.add(figure);
    requestAnimationFrame(() => {
      waiting.delete(figure);
      show(figure, filter, picture, nodes, number);
    });
  }

  // Bokeh selects only the nodes that it draws; those behind the image of the density are selected here.
  function enclose(figure, picture, nodes, number, { geometry, final }) {
    if (!picture.visible || !final || geometry.type !== "poly") return;
    const x = nodes.data[`x${number}`], y = nodes.data[`y${number}`];
    nodes.selected.indices = inView(figure, nodes, number).filter((node) => inside(geometry, x[node], y[node]));
  }

  // Whether a ray to the right crosses the polygon an odd number of times.
  function inside({ x, y }, left, top) {
    let odd = false;
    for (let one = 0, other = x.length - 1; one < x.length; other = one++) {
      const crosses = (y[one] > top) !== (y[other] > top);
      if (crosses && left < x[one] + (x[other] - x[one]) * (top - y[one]) / (y[other] - y[one])) odd = !odd;
    }
    return odd;
  }

  Object.assign(window.netgiven, { crowd, enclose });
})();
