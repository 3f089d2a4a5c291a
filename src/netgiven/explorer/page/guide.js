// A guided minute: the three moves of the example.
window.netgiven = window.netgiven || {};

(() => {
  const { make, button } = window.netgiven;

  const MOVES = [
    { text: "240 people who work together. All that is given so far is how many links each of them has. What else is there to see?", action: "Fit the map" },
    { text: "Five clusters: the departments. Everybody in the company knows these. Tell it, and look at what remains.", action: "Tell the departments" },
    { text: "The departments are gone, and projects appear, which nobody told it about: their names stand on the map. Say what you know, see what remains; now with a network of your own.", action: "" },
  ];

  class Guide {
    constructor(host, { fit, tell }) { Object.assign(this, { host, fit, tell, on: false, move: 0 }); }

    begin() { Object.assign(this, { on: true, move: 0 }); this.draw(); }

    end() { this.on = false; this.draw(); }

    // Go on where the maps are: none, one without departments, one with them.
    follow(maps, running) {
      if (!this.on) return;
      const told = maps.some(({ given }) => given.includes("department"));
      this.move = told ? 2 : maps.length ? 1 : 0;
      this.draw(running);
    }

    draw(running = false) {
      this.host.hidden = !this.on;
      if (!this.on) return;
      const { text, action } = MOVES[this.move];
      const act = button(running ? "Fitting …" : action, () => this.move === 0 ? this.fit() : this.tell("blocks:department"), { class: "primary", "data-key": "guide" });
      act.disabled = running;
      this.host.replaceChildren(make("b", { text: `${this.move + 1} of 3` }), make("p", { text }), ...(action ? [act] : []), button("×", () => this.end(), { class: "close", "aria-label": "End the tour" }));
    }
  }

  Object.assign(window.netgiven, { Guide });
})();
