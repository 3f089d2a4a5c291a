// A new node: a star at its position, with its links and likely links.
window.netgiven = window.netgiven || {};

(() => {
  const { Overlay, Panel, hidden } = window.netgiven;
  const POINTS = 5, RADIUS = 11;
  const clamp = (value, size) => Math.min(Math.max(value, RADIUS + 2), size - RADIUS - 2);

  class NewNode extends Overlay {
    constructor(panel, host, { position: [x, y], linked, likely }) {
      const { figure, nodes } = panel, number = panel.names.length; // follows the numbers of the network's nodes
      super({ figure, nodes, place: (node) => node === number ? this.edge() : panel.place(node) }, host);
      Object.assign(this, { number, position: { figure, x: { [number]: x }, y: { [number]: y } } });
      host.prepend(this.sheet); // below labels and buttons
      const off = hidden.get(nodes), visible = (node) => !(off && off[node]);
      this.point(number, linked.filter(visible), likely.filter(visible));
    }

    // Its position in pixels from the upper left, which may be out of view.
    place() { return Panel.prototype.place.call(this.position, this.number); }

    // The same, moved to the edge if it is out of view.
    edge() {
      const { inner_width: width, inner_height: height } = this.panel.figure, [left, top] = this.place();
      return [clamp(left, width), clamp(top, height)];
    }

    spot(context, node, larger) {
      if (node !== this.number) return super.spot(context, node, larger);
      const { inner_width: width, inner_height: height } = this.panel.figure, [left, top] = this.place();
      const inside = left >= 0 && left <= width && top >= 0 && top <= height;
      this.star(context, ...this.edge(), inside ? "new node" : "new node, out of view");
    }

    star(context, left, top, text) {
      const style = getComputedStyle(this.sheet), background = getComputedStyle(document.body).backgroundColor;
      context.beginPath();
      for (let corner = 0; corner < 2 * POINTS; corner++) {
        const radius = corner % 2 ? RADIUS / 2 : RADIUS, angle = Math.PI * corner / POINTS;
        context.lineTo(left + radius * Math.sin(angle), top - radius * Math.cos(angle));
      }
      context.closePath();
      Object.assign(context, { fillStyle: style.color, strokeStyle: background, lineWidth: 2, lineJoin: "round", font: `600 13px ${style.fontFamily}`, textBaseline: "middle" });
      context.stroke();
      context.fill();
      context.lineWidth = 4;
      const side = this.side(left, context.measureText(text).width + RADIUS + 8);
      context.textAlign = side < 0 ? "right" : "left";
      context.strokeText(text, left + side * (RADIUS + 5), top);
      context.fillText(text, left + side * (RADIUS + 5), top);
    }

    // The side of the star for its label: away from its links, if there is room.
    side(left, width) {
      const places = [...this.shown.ends, ...this.shown.guesses].map((node) => this.panel.place(node)[0]);
      const away = places.reduce((sum, place) => sum + place - left, 0) > 0 ? -1 : 1, end = left + away * width;
      return end >= 0 && end <= this.panel.figure.inner_width ? away : -away;
    }

    remove() { this.sheet.remove(); }
  }

  Object.assign(window.netgiven, { NewNode });
})();
