// A node that is not there: a star where it would be, with its links and what is likely.
window.netgiven = window.netgiven || {};

(() => {
  const { Overlay, Panel, hidden } = window.netgiven;
  const POINTS = 5, RADIUS = 11;
  const within = (value, most) => Math.min(Math.max(value, 2 * RADIUS), most - 2 * RADIUS);

  class Newcomer extends Overlay {
    constructor(panel, host, { place: [x, y], ends, likely }) {
      const { figure, nodes } = panel, number = panel.names.length; // it follows those that are there
      const here = { figure, x: { [number]: x }, y: { [number]: y } };
      super({ figure, nodes, place: (node) => node === number ? Panel.prototype.place.call(here, node) : panel.place(node) }, host);
      Object.assign(this, { number });
      host.prepend(this.sheet); // below names and buttons
      const off = hidden.get(nodes), seen = (node) => !(off && off[node]);
      this.point(number, ends.filter(seen), likely.filter(seen));
    }

    // A star that is out of view stands at the edge.
    spot(context, node, larger) {
      if (node !== this.number) return super.spot(context, node, larger);
      const { inner_width: width, inner_height: height } = this.panel.figure, [left, top] = this.panel.place(node);
      const inside = left >= 0 && left <= width && top >= 0 && top <= height;
      this.star(context, within(left, width), within(top, height), inside ? "new node" : "new node, out of view");
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
      context.textAlign = left > this.panel.figure.inner_width / 2 ? "right" : "left";
      const beside = left + (context.textAlign === "right" ? -1 : 1) * (RADIUS + 5);
      context.strokeText(text, beside, top);
      context.fillText(text, beside, top);
    }

    remove() { this.sheet.remove(); }
  }

  Object.assign(window.netgiven, { Newcomer });
})();
