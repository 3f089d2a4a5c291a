// A node that is not there: a star where it would be, with its links and what is likely.
window.netgiven = window.netgiven || {};

(() => {
  const { Overlay, Panel, hidden } = window.netgiven;
  const POINTS = 5, RADIUS = 11;
  const within = (value, most) => Math.min(Math.max(value, RADIUS + 2), most - RADIUS - 2);

  class Newcomer extends Overlay {
    constructor(panel, host, { place: [x, y], ends, likely }) {
      const { figure, nodes } = panel, number = panel.names.length; // it follows those that are there
      super({ figure, nodes, place: (node) => node === number ? this.edge() : panel.place(node) }, host);
      Object.assign(this, { number, there: { figure, x: { [number]: x }, y: { [number]: y } } });
      host.prepend(this.sheet); // below names and buttons
      const off = hidden.get(nodes), seen = (node) => !(off && off[node]);
      this.point(number, ends.filter(seen), likely.filter(seen));
    }

    // Where it is, in pixels from the upper left, in view or not.
    place() { return Panel.prototype.place.call(this.there, this.number); }

    // The same, or at the edge where it is out of view.
    edge() {
      const { inner_width: width, inner_height: height } = this.panel.figure, [left, top] = this.place();
      return [within(left, width), within(top, height)];
    }

    spot(context, node, larger) {
      if (node !== this.number) return super.spot(context, node, larger);
      const { inner_width: width, inner_height: height } = this.panel.figure, [left, top] = this.place();
      const inside = left >= 0 && left <= width && top >= 0 && top <= height;
      this.star(context, ...this.edge(), inside ? "new node" : "new node, out of view");
    }

    star(context, left, top, text) {
      const style = getComputedStyle(this.sheet), ground = getComputedStyle(document.body).backgroundColor;
      context.beginPath();
      for (let corner = 0; corner < 2 * POINTS; corner++) {
        const radius = corner % 2 ? RADIUS / 2 : RADIUS, angle = Math.PI * corner / POINTS;
        context.lineTo(left + radius * Math.sin(angle), top - radius * Math.cos(angle));
      }
      context.closePath();
      Object.assign(context, { fillStyle: style.color, strokeStyle: ground, lineWidth: 2, lineJoin: "round", font: `600 13px ${style.fontFamily}`, textBaseline: "middle" });
      context.stroke();
      context.fill();
      context.lineWidth = 4;
      const side = this.side(left, context.measureText(text).width + RADIUS + 8);
      context.textAlign = side < 0 ? "right" : "left";
      context.strokeText(text, left + side * (RADIUS + 5), top);
      context.fillText(text, left + side * (RADIUS + 5), top);
    }

    // Of the star, where its name stands: away from its links, where there is room.
    side(left, width) {
      const places = [...this.shown.ends, ...this.shown.guesses].map((node) => this.panel.place(node)[0]);
      const away = places.reduce((sum, place) => sum + place - left, 0) > 0 ? -1 : 1, end = left + away * width;
      return end >= 0 && end <= this.panel.figure.inner_width ? away : -away;
    }

    remove() { this.sheet.remove(); }
  }

  Object.assign(window.netgiven, { Newcomer });
})();
