// Which nodes are drawn: all, those of groups that are switched on, or, of many nodes, those in view. If too many are in
// view, an image of their density is drawn instead: each pixel has the mean colour of its nodes, and is more opaque the
// more there are.
window.netgiven = window.netgiven || {};

if (!window.netgiven.crowd) (() => {
  const SIDE = 512; // cells of the grid along each axis
  const SHARES = 1 << 16; // of the range of sizes, by which nodes are sorted
  const FAINTEST = [0.85, 0.3]; // opacity of a pixel with one node on it: of few nodes, and of a million
  const UNSELECTED = 0.15; // relative opacity while other nodes are selected
  const MAX_PIXELS = 2e6;
  const GROWING = 0.3, LARGEST = 3; // nodes that are drawn one by one grow with this power of the zoom, up to so many times
  const QUICK = 40; // milliseconds: a density that takes longer is computed when the view rests, and moves with it until then
  const REST = 120;

  // The numbers 0 to count - 1, sorted by integer keys; equal ones in their order.
  function sorted(count, keys, key) {
    const begin = new Int32Array(keys + 1), order = new Int32Array(count), all = new Int32Array(count);
    for (let place = 0; place < count; place++) begin[(all[place] = key(place)) + 1]++;
    for (let one = 0; one < keys; one++) begin[one + 1] += begin[one];
    const next = begin.slice(0, -1);
    for (let place = 0; place < count; place++) order[next[all[place]]++] = place;
    return { begin, order };
  }

  // All nodes, those with most links first.
  function hubsFirst(size) {
    let low = Infinity, high = -Infinity;
    for (let node = 0; node < size.length; node++) [low, high] = [Math.min(low, size[node]), Math.max(high, size[node])];
    const share = (SHARES - 1) / (high - low || 1);
    return sorted(size.length, SHARES, (node) => Math.round(share * (high - size[node]))).order;
  }

  // Nodes by cells, row by row, so that those in view are found without looking at all. Places count in this order.
  class Grid {
    constructor(x, y) {
      Object.assign(this, { from: x, across: window.netgiven.extent(x).most, down: window.netgiven.extent(y).most });
      const { begin, order } = sorted(x.length, SIDE * SIDE, (node) => SIDE * this.cell(y[node], this.down) + this.cell(x[node], this.across));
      Object.assign(this, { begin, node: order, x: new Float32Array(x.length), y: new Float32Array(x.length), found: new Int32Array(x.length) });
      for (let place = 0; place < x.length; place++) [this.x[place], this.y[place]] = [x[order[place]], y[order[place]]];
    }

    // Cells at an edge also hold the nodes beyond it.
    cell(value, [low, high]) { return Math.min(SIDE - 1, Math.max(0, SIDE * (value - low) / (high - low || 1))) | 0; }

    // The places of the nodes in view that are not switched off.
    inView({ x_range: { start, end }, y_range: { start: low, end: high } }, off) {
      const { begin, x, y, node, found } = this, [first, last] = [start, end].map((value) => this.cell(value, this.across));
      let count = 0;
      for (let row = this.cell(low, this.down); row <= this.cell(high, this.down); row++) {
        for (let place = begin[SIDE * row + first]; place < begin[SIDE * row + last + 1]; place++) {
          const inside = x[place] >= start && x[place] <= end && y[place] >= low && y[place] <= high;
          if (inside && !(off && off[node[place]])) found[count++] = place;
        }
      }
      return found.subarray(0, count);
    }
  }

  // The sums of red, green and blue and the number of nodes of each pixel. A node covers two pixels by two.
  class Pixels {
    constructor(figure, grid, colour) {
      const finer = Math.min(1, Math.sqrt(MAX_PIXELS / figure.inner_width / figure.inner_height));
      this.columns = Math.max(2, Math.round(finer * figure.inner_width));
      this.rows = Math.max(2, Math.round(finer * figure.inner_height));
      this.sums = new Float32Array(4 * this.rows * this.columns);
      Object.assign(this, { figure, grid, colour });
    }

    // Add the nodes at some places for which `wanted`, if there is such an array, has the wanted value.
    add(found, wanted, value) {
      const { columns, rows, sums, colour, grid: { x, y, node }, figure: { x_range: across, y_range: down } } = this;
      const wide = (columns - 1) / (across.end - across.start), high = (rows - 1) / (down.end - down.start);
      for (let at = 0; at < found.length; at++) {
        const place = found[at], one = node[place];
        if (wanted && wanted[one] !== value) continue;
        const pixel = 4 * (columns * (high * (y[place] - down.start) | 0) + (wide * (x[place] - across.start) | 0)), shade = colour[one];
        sums[pixel] += shade >>> 24;
        sums[pixel + 1] += (shade >>> 16) & 255;
        sums[pixel + 2] += (shade >>> 8) & 255;
        sums[pixel + 3]++;
      }
    }

    // The opacity of a pixel by its number of nodes.
    opacity(strength) {
      const { sums } = this;
      let most = 1, all = 0;
      for (let place = 3; place < sums.length; place += 4) {
        most = Math.max(most, sums[place]);
        all += sums[place];
      }
      const crowded = Math.min(Math.max(Math.log10(all / 1e4) / 2, 0), 1), faintest = FAINTEST[0] + crowded * (FAINTEST[1] - FAINTEST[0]);
      return Float32Array.from({ length: 4 * most + 1 }, (_, count) => 255 * strength * (faintest + (1 - faintest) * Math.log(count) / Math.log(4 * most + 1)));
    }

    // Write each pixel that has nodes to an image, over what is there.
    write(image, strength) {
      const { sums, columns } = this, row = 4 * columns, opacity = this.opacity(strength);
      for (let place = 0; place < sums.length; place += 4) {
        const left = place >= 4 ? place - 4 : place, below = place >= row ? place - row : place, corner = Math.max(below - 4, 0);
        const count = sums[place + 3] + sums[left + 3] + sums[below + 3] + sums[corner + 3];
        if (!count) continue;
        for (let part = 0; part < 3; part++) image[place + part] = (sums[place + part] + sums[left + part] + sums[below + part] + sums[corner + part]) / count;
        image[place + 3] = opacity[count];
      }
    }
  }

  // 1 for each selected node, or nothing where no node is selected.
  function flags(selected, count) {
    if (!selected.length) return null;
    const chosen = new Uint8Array(count);
    for (const node of selected) chosen[node] = 1;
    return chosen;
  }

  // The nodes of a figure that has too many to draw all of them.
  class Crowd {
    constructor(figure, renderer, picture, nodes, number) {
      Object.assign(this, { figure, source: renderer.data_source, picture, nodes, number, took: 0, dense: true });
    }

    get x() { return this.nodes.data[`x${this.number}`]; }

    get y() { return this.nodes.data[`y${this.number}`]; }

    // The nodes by cells; anew after they have moved.
    get grid() {
      if (this.made?.from !== this.x) this.made = new Grid(this.x, this.y);
      return this.made;
    }

    // All nodes, those with most links first.
    get order() {
      this.all ??= hubsFirst(this.nodes.data.size);
      return this.all;
    }

    inView() { return this.grid.inView(this.figure, window.netgiven.hidden.get(this.nodes)); }

    // Up to `count` nodes in view, those with most links first.
    largest(count) {
      const { x_range: { start, end }, y_range: { start: low, end: high } } = this.figure, { x, y, order } = this;
      const places = this.inView(), off = window.netgiven.hidden.get(this.nodes), found = [];
      this.dense = places.length > this.picture.tags[0];
      if (!this.dense) return this.sorted(places).reverse().slice(0, count);
      for (let place = 0; place < order.length && found.length < count; place++) {
        const node = order[place];
        if (x[node] >= start && x[node] <= end && y[node] >= low && y[node] <= high && !(off && off[node])) found.push(node);
      }
      return found;
    }

    // The nodes at some places of the grid, those with most links last.
    sorted(places) {
      const { size } = this.nodes.data;
      return Array.from(places, (place) => this.grid.node[place]).sort((one, other) => size[one] - size[other] || other - one);
    }

    // At most once per frame, however often the view changes.
    request(moving) {
      clearTimeout(this.resting);
      if (moving && this.picture.visible && this.took > QUICK) this.resting = setTimeout(() => this.request(false), REST);
      else this.waiting ??= requestAnimationFrame(() => {
        this.waiting = null;
        this.show();
      });
    }

    show() {
      if (!this.x || !(this.figure.inner_width > 0)) return;
      const begin = performance.now(), found = this.inView(), few = found.length <= this.picture.tags[0];
      this.fill(few ? this.sorted(found) : []);
      this.picture.setv({ visible: !few }, { sync: false });
      if (!few) this.paint(found);
      this.took = performance.now() - begin;
    }

    // How many times larger nodes are drawn than in the whole map.
    get growth() {
      const { start, end, reset_start, reset_end } = this.figure.x_range;
      return Math.min(Math.max(((reset_end - reset_start) / (end - start)) ** GROWING || 1, 1), LARGEST);
    }

    // Draw some nodes one by one.
    fill(found) {
      if (!found.length && !this.source.data.x.length) return;
      const { x, y, growth, nodes: { data: { size, colour, marker }, selected } } = this, chosen = flags(selected.indices, x.length);
      const Colours = this.source.data.colour.constructor; // Bokeh's own arrays of colours
      const take = (Kind, value) => Kind.from(found, value), strength = (whole, faint) => take(Float32Array, (node) => chosen && !chosen[node] ? faint : whole);
      const places = { node: take(Int32Array, (node) => node), x: take(Float32Array, (node) => x[node]), y: take(Float32Array, (node) => y[node]) };
      const looks = { size: take(Float32Array, (node) => growth * size[node]), colour: new Colours(take(Uint32Array, (node) => colour[node]).buffer, [found.length]), marker: take(Array, (node) => marker[node]) };
      this.source.setv({ data: { ...places, ...looks, alpha: strength(0.85, 0.15), edge: strength(0.35, 0.08) } }, { sync: false });
    }

    paint(found) {
      const { figure, grid, picture: { data_source: source }, nodes: { data, selected } } = this;
      const chosen = flags(selected.indices, this.x.length), rest = new Pixels(figure, grid, data.colour), { rows, columns } = rest;
      const buffer = new ArrayBuffer(4 * rows * columns), bytes = new Uint8ClampedArray(buffer), Image = source.data.image[0].constructor;
      rest.add(found, chosen, 0);
      rest.write(bytes, chosen ? UNSELECTED : 1);
      if (chosen) {
        const kept = new Pixels(figure, grid, data.colour);
        kept.add(found, chosen, 1);
        kept.write(bytes, 1);
      }
      const { start, end } = figure.x_range, { start: low, end: high } = figure.y_range;
      const place = { image: [new Image(buffer, [rows, columns])], x: [start], y: [low], dw: [end - start], dh: [high - low] };
      source.setv({ data: place }, { sync: false });
    }
  }

  const crowds = new WeakMap(); // by figure

  // Draw the nodes of a figure; `moving` if only the view has changed.
  function crowd(figure, renderer, picture, nodes, number, moving = false) {
    if (picture) {
      if (!crowds.has(figure)) crowds.set(figure, new Crowd(figure, renderer, picture, nodes, number));
      return crowds.get(figure).request(moving);
    }
    const off = window.netgiven.hidden.get(nodes), shown = off ? Array.from(off.keys()).filter((node) => !off[node]) : null;
    renderer.view.filter.setv({ indices: shown }, { sync: false });
  }

  // Bokeh selects only the nodes that it draws; of many, all within a lasso or a box are selected here.
  function enclose(figure, nodes, { geometry, final }) {
    if (!final || geometry.type !== "poly" || !crowds.has(figure)) return;
    const shown = crowds.get(figure), { grid } = shown;
    nodes.selected.indices = Array.from(shown.inView().filter((place) => inside(geometry, grid.x[place], grid.y[place])), (place) => grid.node[place]).sort((one, other) => one - other);
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

  Object.assign(window.netgiven, { crowd, crowds, enclose, hubsFirst });
})();
