// The keeper of the focus: when a change of the page takes away what had the focus, it goes to the twin of that, or near to it.
window.netgiven = window.netgiven || {};

(() => {
  const FOCUSABLE = "button, select, input, summary, a, [tabindex]", HEADINGS = "h1, h2, h3";
  const CHANGES = { subtree: true, childList: true, attributes: true, attributeFilter: ["hidden", "disabled", "inert", "class", "open"] };

  const usable = (element) => element.isConnected && !element.disabled && !element.closest("[inert]") && element.checkVisibility();

  // What an element and its twin have in common: parts that are drawn anew have a data-key, or else the same text.
  const keyOf = (element) => element.id || element.dataset.key || `${element.localName} ${element.getAttribute("aria-label") ?? element.textContent}`;

  const find = (area, key) => [...area.querySelectorAll(FOCUSABLE)].find((element) => keyOf(element) === key && usable(element));

  // Whether changes took the focus from an element; it is lost, too, if the element was moved.
  const taken = (element, changes) => !usable(element) || changes.some(({ removedNodes }) => [...removedNodes].some((node) => node.contains(element)));

  function ancestors(element) {
    const found = [];
    for (let place = element.parentElement; place; place = place.parentElement) found.push(place);
    return found;
  }

  class Focus {
    constructor(host) {
      this.host = host;
      this.observer = new MutationObserver((changes) => this.mend(changes));
      this.observer.observe(host, CHANGES);
      host.addEventListener("focusin", ({ target }) => { if (!this.moving) this.remember(target); });
      host.addEventListener("focusout", ({ target }) => { if (!this.moving) queueMicrotask(() => this.left(target)); });
      for (const input of ["keydown", "pointerdown"]) document.addEventListener(input, () => { this.byKeyboard = input === "keydown"; }, true);
    }

    // What has the focus, where it is, and where to go (data-else) if it has no twin.
    remember(element) {
      const around = ancestors(element);
      this.substitute = null;
      this.spot = { element, key: keyOf(element), otherwise: element.dataset.else, around, area: around.find(({ id }) => id) };
    }

    // The focus has left an element: either the user clicked elsewhere, or the page took it away.
    left(element) {
      const changes = this.observer.takeRecords();
      if (document.activeElement === document.body && !taken(element, changes)) this.spot = this.substitute = null;
      else this.mend(changes);
    }

    mend(changes) {
      const active = document.activeElement ?? document.body, nothing = active === document.body;
      if (!this.spot || (!nothing && active !== this.substitute && usable(active))) return;
      if (nothing && !taken(this.substitute ?? this.spot.element, changes)) return; // on its way, such as from one input to the next
      const twin = this.twin(), place = twin ?? this.nearby();
      if (place !== active) this.move(place);
      if (twin) this.remember(twin);
      else this.substitute = place; // until there is a twin again, such as the button after a fit
    }

    twin() {
      const { element, key, area, otherwise } = this.spot;
      if (usable(element)) return element;
      return (area && find(area, key)) ?? (otherwise && find(document, otherwise)) ?? null;
    }

    // The heading of the innermost part of the page that is still there, or a part that has a label.
    nearby() {
      for (const place of this.spot.around.filter(usable)) {
        if (place.matches(HEADINGS)) return place;
        const heading = [...place.querySelectorAll(":scope > :is(h1, h2, h3), :scope > .heading > h2")].find(usable);
        if (heading || place.hasAttribute("aria-label")) return heading ?? place;
      }
      return this.host;
    }

    move(place) {
      this.moving = true;
      if (!place.matches(FOCUSABLE)) this.makeFocusable(place);
      place.focus({ preventScroll: !this.byKeyboard }); // who clicks keeps looking at the same place
      this.moving = false;
    }

    // Only as long as it has the focus, or else headings would take it when they are clicked.
    makeFocusable(place) {
      place.tabIndex = -1;
      place.addEventListener("blur", () => place.removeAttribute("tabindex"), { once: true });
    }
  }

  Object.assign(window.netgiven, { Focus });
})();
