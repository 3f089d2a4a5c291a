// Elements of the page. Text is always set as text, so that no name becomes markup.
window.netgiven = window.netgiven || {};

(() => {
  function make(tag, settings = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(settings)) {
      if (name === "on") for (const [event, act] of Object.entries(value)) element.addEventListener(event, act);
      else if (name === "text") element.textContent = value;
      else element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
  }

  const button = (text, click, settings = {}) => make("button", { type: "button", text, on: { click }, ...settings });

  // A name from the data: in its own writing direction, with the full name as tooltip.
  const named = (text, tag = "span") => make(tag, { class: "name", text, title: text });

  // What is given: broken between its parts, if it must be.
  function breakable(given, tag = "span") {
    const shown = named(given, tag);
    shown.replaceChildren(...given.split(/(?<=[+])/).flatMap((part) => [part, make("wbr")]));
    return shown;
  }

  // A mark of the legend, in the shape that Bokeh draws.
  function mark(colour, marker) {
    const ink = "http://www.w3.org/2000/svg";
    const points = { triangle: "7,2 13,12 1,12", inverted_triangle: "1,2 13,2 7,12", square: "2,2 12,2 12,12 2,12", diamond: "7,0 12,7 7,14 2,7" };
    const picture = document.createElementNS(ink, "svg");
    const shape = document.createElementNS(ink, marker in points ? "polygon" : "circle");
    const look = marker in points ? { points: points[marker] } : { cx: 7, cy: 7, r: 5.5 };
    for (const [name, value] of Object.entries({ width: 14, height: 14, "aria-hidden": true })) picture.setAttribute(name, value);
    for (const [name, value] of Object.entries({ ...look, fill: colour, stroke: "currentColor", "stroke-opacity": .35 })) shape.setAttribute(name, value);
    picture.append(shape);
    return picture;
  }

  const grouped = (number) => number.toLocaleString("en-US");
  const plural = (number, noun) => `${grouped(number)} ${noun}${number === 1 ? "" : "s"}`;
  function percent(share) {
    if (share === 0 || share === 1) return `${100 * share} %`;
    const hundred = 100 * share;
    if (hundred < 0.01) return "< 0.01 %";
    if (hundred > 99.99) return "> 99.99 %";
    return `${hundred < 1 ? hundred.toFixed(2) : hundred > 99 ? hundred.toFixed(2) : hundred.toFixed(1)} %`;
  }
  const times = (lift) => lift >= 100 ? `× ${grouped(Math.round(lift))}` : `× ${lift.toFixed(lift >= 10 ? 1 : 2)}`;

  Object.assign(window.netgiven, { make, button, named, breakable, mark, grouped, plural, percent, times });
})();
