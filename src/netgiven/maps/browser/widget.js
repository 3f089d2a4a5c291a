// The map of a notebook: panels on canvases that share a selection, which Python reads and sets as `numbers`.

const NEAR = 12; // pixels from the middle of a node
const MARGIN = 24; // pixels around the outermost nodes
const MANY = 5000; // with more nodes, they are drawn as squares, which are ten times as fast as circles
const FAINT = 0.12; // opacity of nodes that are not selected, while others are
const STILL = 4; // pixels that a click may move

const STYLE = `
  .netgiven { position: relative; font: 13px/1.4 system-ui, sans-serif; }
  .netgiven .bar { display: flex; flex-wrap: wrap; gap: 6px; align-items: center; padding: 4px 0; }
  .netgiven button { font: inherit; color: inherit; background: none; border: 1px solid #8886; border-radius: 6px; padding: 2px 9px; cursor: pointer; }
  .netgiven button[aria-pressed=true] { background: #8884; }
  .netgiven i { display: inline-block; width: 10px; height: 10px; border-radius: 5px; margin: 0 4px 0 6px; }
  .netgiven .panels { display: flex; gap: 8px; }
  .netgiven figure { flex: 1; min-width: 0; margin: 0; }
  .netgiven canvas { width: 100%; display: block; border: 1px solid #8884; border-radius: 6px; touch-action: none; }
  .netgiven .tip { position: absolute; pointer-events: none; padding: 2px 7px; border-radius: 5px; color: #fff; background: #222d; max-width: 320px; overflow-wrap: anywhere; unicode-bidi: isolate; }
`;

function make(tag, settings = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(settings)) {
    if (name === "text") element.textContent = value; // names are never markup
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

const numbers = (view, Kind) => new Kind(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength));
const css = (colour) => `#${(colour >>> 8).toString(16).padStart(6, "0")}`;

// Nodes by colour: a canvas fills one colour at a time.
function byColour(colours) {
  const groups = new Map();
  colours.forEach((colour, node) => groups.has(colour) ? groups.get(colour).push(node) : groups.set(colour, [node]));
  return [...groups].map(([colour, nodes]) => [css(colour), nodes]);
}

// Whether a ray to the right crosses the polygon an odd number of times.
function inside(polygon, x, y) {
  let odd = false;
  for (let one = 0, other = polygon.length - 1; one < polygon.length; other = one++) {
    const [left, top] = polygon[one], [right, bottom] = polygon[other];
    if ((top > y) !== (bottom > y) && x < left + (right - left) * (y - top) / (bottom - top)) odd = !odd;
  }
  return odd;
}

class Panel {
  constructor(shared, places, title) {
    Object.assign(this, { shared, places, lasso: null, waiting: false });
    this.canvas = make("canvas", { "aria-label": title, style: `height: ${shared.height}px` });
    this.element = make("figure", {}, make("figcaption", { text: title }), this.canvas);
    this.resizes = new ResizeObserver(() => this.resize());
    this.resizes.observe(this.canvas);
    this.listen();
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas, sharp = window.devicePixelRatio || 1;
    if (!width || !height) return;
    Object.assign(this.canvas, { width: width * sharp, height: height * sharp });
    Object.assign(this, { width, height, sharp });
    if (!this.scale) this.home();
    this.draw();
  }

  // All nodes, with equal scales.
  home() {
    let [left, right, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let place = 0; place < this.places.length; place += 2) {
      const x = this.places[place], y = this.places[place + 1];
      [left, right, low, high] = [Math.min(left, x), Math.max(right, x), Math.min(low, y), Math.max(high, y)];
    }
    if (left > right) [left, right, low, high] = [-1, 1, -1, 1];
    const wide = (this.width - 2 * MARGIN) / (right - left || 1), tall = (this.height - 2 * MARGIN) / (high - low || 1);
    this.scale = Math.max(Math.min(wide, tall), 1e-9);
    this.x = this.width / 2 - this.scale * (left + right) / 2;
    this.y = this.height / 2 + this.scale * (low + high) / 2;
  }

  // Where a node is on the canvas, in pixels.
  spot(node) {
    return [this.x + this.scale * this.places[2 * node], this.y - this.scale * this.places[2 * node + 1]];
  }

  zoom(factor, x, y) {
    this.scale *= factor;
    this.x = x + factor * (this.x - x);
    this.y = y + factor * (this.y - y);
    this.draw();
  }

  nearest(x, y) {
    let found = -1, least = NEAR ** 2;
    for (let node = 0; node < this.shared.names.length; node++) {
      const [across, down] = this.spot(node), distance = (across - x) ** 2 + (down - y) ** 2;
      if (distance < least) [found, least] = [node, distance];
    }
    return found;
  }

  enclosed() {
    const found = [];
    for (let node = 0; node < this.shared.names.length; node++) if (inside(this.lasso, ...this.spot(node))) found.push(node);
    return found;
  }

  // At most once per frame, however often something changes.
  draw() {
    if (this.waiting || !this.width) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.paint();
    });
  }

  paint() {
    const { shared, width, height, sharp } = this, pen = this.canvas.getContext("2d"), { chosen } = shared;
    pen.setTransform(sharp, 0, 0, sharp, 0, 0);
    pen.clearRect(0, 0, width, height);
    if (shared.background) {
      pen.fillStyle = shared.background;
      pen.fillRect(0, 0, width, height);
    }
    this.paintLinks(pen);
    pen.globalAlpha = chosen.size ? FAINT : 0.9;
    this.paintNodes(pen, chosen.size ? (node) => !chosen.has(node) : () => true);
    pen.globalAlpha = 1;
    if (chosen.size) this.paintNodes(pen, (node) => chosen.has(node));
    if (this.lasso) this.paintLasso(pen);
  }

  paintLinks(pen) {
    const { links } = this.shared;
    pen.beginPath();
    for (let place = 0; place < links.length; place += 2) {
      pen.moveTo(...this.spot(links[place]));
      pen.lineTo(...this.spot(links[place + 1]));
    }
    pen.strokeStyle = `rgba(128, 128, 128, ${Math.min(0.35, 600 / (links.length + 1))})`;
    pen.stroke();
  }

  paintNodes(pen, wanted) {
    const { groups, sizes, names } = this.shared, { places, scale, width, height } = this, square = names.length > MANY;
    for (const [colour, nodes] of groups) {
      pen.fillStyle = colour;
      pen.beginPath();
      for (const node of nodes) {
        if (!wanted(node)) continue;
        const radius = sizes[node] / 2, x = this.x + scale * places[2 * node], y = this.y - scale * places[2 * node + 1];
        if (x < -radius || y < -radius || x > width + radius || y > height + radius) continue;
        if (square) pen.fillRect(x - radius, y - radius, 2 * radius, 2 * radius);
        else {
          pen.moveTo(x + radius, y);
          pen.arc(x, y, radius, 0, 2 * Math.PI);
        }
      }
      pen.fill();
    }
  }

  paintLasso(pen) {
    pen.beginPath();
    for (const corner of this.lasso) pen.lineTo(...corner);
    pen.closePath();
    pen.fillStyle = "rgba(0, 114, 178, 0.12)";
    pen.strokeStyle = "#0072B2";
    pen.fill();
    pen.stroke();
  }

  listen() {
    const { canvas, shared } = this;
    const here = ({ clientX, clientY }) => {
      const box = canvas.getBoundingClientRect();
      return [clientX - box.left, clientY - box.top];
    };
    let begin = null, last = null;
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      [begin, last] = [here(event), here(event)];
      if (shared.tool === "lasso") this.lasso = [begin];
    });
    canvas.addEventListener("pointermove", (event) => {
      const [x, y] = here(event);
      shared.hover(begin ? -1 : this.nearest(x, y), event);
      if (!begin) return;
      if (this.lasso) this.lasso.push([x, y]);
      else [this.x, this.y] = [this.x + x - last[0], this.y + y - last[1]];
      last = [x, y];
      this.draw();
    });
    canvas.addEventListener("pointerup", (event) => {
      if (!begin) return;
      const moved = Math.hypot(last[0] - begin[0], last[1] - begin[1]) > STILL || this.lasso?.length > 8;
      if (moved && this.lasso) shared.choose(this.enclosed(), event.shiftKey);
      else if (!moved) shared.click(this.nearest(...last), event.shiftKey);
      [begin, last, this.lasso] = [null, null, null];
      this.draw();
    });
    canvas.addEventListener("pointerleave", (event) => shared.hover(-1, event));
    canvas.addEventListener("dblclick", () => {
      this.home();
      this.draw();
    });
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY / 400), ...here(event));
    }, { passive: false });
  }
}

function render({ model, el }) {
  const root = make("div", { class: "netgiven" }), tip = make("div", { class: "tip", hidden: "" });
  const count = make("span", { role: "status" }), bar = make("div", { class: "bar" }), row = make("div", { class: "panels" });
  const names = model.get("names"), panels = [];
  const select = (chosen) => {
    model.set("numbers", chosen);
    model.save_changes();
  };
  const shared = {
    names, tool: "lasso", chosen: new Set(model.get("numbers")), height: model.get("height"),
    background: model.get("background"),
    sizes: numbers(model.get("sizes"), Float32Array),
    links: numbers(model.get("links"), Int32Array),
    groups: byColour(numbers(model.get("colours"), Uint32Array)),
    choose: (found, more) => select(more ? [...new Set([...shared.chosen, ...found])] : found),
    click(node, more) {
      if (node < 0 || !more) return select(node < 0 ? [] : [node]);
      const without = [...shared.chosen].filter((other) => other !== node);
      select(without.length < shared.chosen.size ? without : [...without, node]);
    },
    hover(node, { clientX, clientY }) {
      tip.hidden = node < 0;
      if (node < 0) return;
      const box = root.getBoundingClientRect();
      tip.textContent = names[node];
      tip.style.left = `${clientX - box.left + 14}px`;
      tip.style.top = `${clientY - box.top + 10}px`;
    },
  };
  const tools = ["lasso", "pan"].map((tool) => {
    const button = make("button", { type: "button", text: tool, "aria-pressed": tool === shared.tool });
    button.addEventListener("click", () => {
      shared.tool = tool;
      for (const other of tools) other.setAttribute("aria-pressed", other === button);
    });
    return button;
  });
  const show = () => {
    shared.chosen = new Set(model.get("numbers"));
    count.textContent = `${shared.chosen.size.toLocaleString("en-US")} of ${names.length.toLocaleString("en-US")} nodes selected`;
    for (const panel of panels) panel.draw();
  };
  const places = numbers(model.get("positions"), Float32Array), each = 2 * names.length;
  model.get("titles").forEach((title, number) => panels.push(new Panel(shared, places.subarray(number * each, (number + 1) * each), title)));
  const entry = ([name, colour]) => make("span", {}, make("i", { style: `background: ${colour}` }), make("bdi", { text: name }));
  bar.append(...tools, count, ...model.get("legend").map(entry));
  row.append(...panels.map((panel) => panel.element));
  root.append(make("style", { text: STYLE }), bar, row, tip);
  el.append(root);
  model.on("change:numbers", show);
  show();
  return () => {
    model.off("change:numbers", show);
    for (const panel of panels) panel.resizes.disconnect();
  };
}

export default { render };
