// The highlighted node of a panel with its links, on a canvas above the figure, so that the figure is not drawn again.
window.netgiven = window.netgiven || {};

(() => {
  const { make, crowds } = window.netgiven;
  const MAX_NEIGHBOURS = 2000; // that are highlighted
  const NOTHING = { centre: -1, ends: [], guesses: [] };

  // The shapes that Bokeh draws, for a diameter of 1.
  const SHAPES = {
    triangle: [[0, -0.58], [0.5, 0.29], [-0.5, 0.29]],
    inverted_triangle: [[0, 0.58], [0.5, -0.29], [-0.5, -0.29]],
    square: [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]],
    diamond: [[0, -0.5], [0.33, 0], [0, 0.5], [-0.33, 0]],
  };

  const shade = (colour) => `#${(colour >>> 8).toString(16).padStart(6, "0")}`;

  function trace(context, marker, left, top, size) {
    context.beginPath();
    if (marker in SHAPES) for (const [x, y] of SHAPES[marker]) context.lineTo(left + size * x, top + size * y);
    else context.arc(left, top, size / 2, 0, 2 * Math.PI);
    context.closePath();
  }

  class Overlay {
    constructor(panel, host) {
      Object.assign(this, { panel, shown: NOTHING, sheet: make("canvas", { class: "overlay" }) });
      host.append(this.sheet);
    }

    // A node with its links, and its likeliest links dashed.
    point(centre, ends, guesses) {
      this.shown = { centre, ends: ends.slice(0, MAX_NEIGHBOURS), guesses };
      this.draw();
    }

    clear() {
      this.shown = NOTHING;
      this.draw();
    }

    draw() {
      const { centre, ends, guesses } = this.shown, { figure } = this.panel, context = this.fresh(figure);
      if (centre < 0) return;
      const ink = getComputedStyle(this.sheet).color;
      this.rays(context, centre, ends, { strokeStyle: ink, globalAlpha: 0.45, lineWidth: 1 }, []);
      this.rays(context, centre, guesses, { strokeStyle: ink, globalAlpha: 0.85, lineWidth: 1.4 }, [5, 4]);
      Object.assign(context, { globalAlpha: 1, lineWidth: 1.4, strokeStyle: ink });
      for (const node of [...ends, ...guesses]) this.spot(context, node, 1);
      this.spot(context, centre, 5);
    }

    fresh({ inner_width: width, inner_height: height }) {
      const finer = window.devicePixelRatio || 1;
      Object.assign(this.sheet, { width: Math.round(finer * width), height: Math.round(finer * height) }); // and empty
      const context = this.sheet.getContext("2d", { willReadFrequently: true }); // drawn by the processor, without waiting for the graphics card
      context.scale(finer, finer);
      context.clearRect(0, 0, width, height); // on some screens a new size does not clear the canvas
      return context;
    }

    rays(context, centre, ends, look, dash) {
      const from = this.panel.place(centre);
      Object.assign(context, look);
      context.setLineDash(dash);
      context.beginPath();
      for (const end of ends) {
        context.moveTo(...from);
        context.lineTo(...this.panel.place(end));
      }
      context.stroke();
      context.setLineDash([]);
    }

    spot(context, node, larger) {
      const { size, colour, marker } = this.panel.nodes.data;
      context.fillStyle = shade(colour[node]);
      const growth = crowds.get(this.panel.figure)?.growth ?? 1;
      trace(context, marker[node], ...this.panel.place(node), Math.max(growth * size[node], 5) + larger);
      context.fill();
      context.stroke();
    }
  }

  Object.assign(window.netgiven, { Overlay, shade, trace });
})();
