"""The script of the notebook's map in Chromium, with a model in place of the notebook's."""

import base64
import json

import numpy as np
import pytest

import netgiven as ng

pytest.importorskip("anywidget")
BYTES = ("positions", "sizes", "colours", "links")
PAGE = """<!DOCTYPE html><div id="map" style="width: 800px"></div><script type="module">
const values = JSON.parse(document.getElementById("values").textContent), heard = {};
const bytes = (text) => Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
for (const name of %s) values[name] = new DataView(bytes(values[name]).buffer);
window.model = {
  saved: 0, get: (name) => values[name],
  on: (name, act) => { heard[name] = act; }, off: (name) => { delete heard[name]; },
  set(name, value) { values[name] = value; heard[`change:${name}`]?.(); }, save_changes() { this.saved++; },
};
const script = new Blob([document.getElementById("script").textContent], { type: "text/javascript" });
window.end = (await import(URL.createObjectURL(script))).default.render({ model, el: document.getElementById("map") });
window.ready = true;
</script><script type="text/plain" id="script">%s</script><script type="application/json" id="values">%s</script>"""


def page_of(widget):
    """A page that mounts a widget."""
    values = {name: getattr(widget, name) for name in ("names", "titles", "legend", "background", "height", "numbers")}
    values |= {name: base64.b64encode(getattr(widget, name)).decode() for name in BYTES}
    return PAGE % (json.dumps(BYTES), widget._esm, json.dumps(values).replace("<", "\\u003c"))


@pytest.fixture(scope="module")
def embedding():
    return ng.embed(ng.datasets.company(people=60), dimensions=2, reach=2.0, shrinkage=0.0)


@pytest.fixture
def opened(open_tab, embedding, tmp_path):
    (tmp_path / "page.html").write_text(page_of(embedding.map(dark=False).widget()), encoding="utf-8")
    with open_tab(offline=True) as tab:
        tab.page.goto((tmp_path / "page.html").as_uri())
        tab.page.wait_for_function("window.ready && document.querySelector('canvas').width > 300")
        yield tab.page


def spots(page, embedding):
    """Where nodes are on the screen: all of them fit, with equal scales and a margin of 24 pixels."""
    box, places = page.locator("canvas").bounding_box(), embedding.positions
    low, high = places.min(axis=0), places.max(axis=0)
    scale = min((box["width"] - 50) / (high - low)[0], (box["height"] - 50) / (high - low)[1])
    middle = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
    return middle + (places - (low + high) / 2) * [scale, -scale]


def test_a_lasso_a_click_and_python_change_the_selection(opened, embedding):
    page, place = opened, spots(opened, embedding)
    box, edge = page.locator("canvas").bounding_box(), float(np.median(place[:, 0]))
    left, top, bottom = box["x"] + 2, box["y"] + 2, box["y"] + 474
    corners = [(left, top), (edge, top), (edge, bottom), (left, bottom)]
    page.mouse.move(*corners[0])
    page.mouse.down()
    for corner in [*corners[1:], corners[0]]:
        page.mouse.move(*corner, steps=4)
    page.mouse.up()
    found = page.evaluate("model.get('numbers')")
    sure = np.abs(place[:, 0] - edge) > 2  # pixels
    assert {node for node in found if sure[node]} == set(np.flatnonzero(sure & (place[:, 0] < edge)).tolist())
    assert page.evaluate("model.saved") == 1 and f"{len(found)} of 60 nodes selected" in page.inner_text(".bar")
    alone = max(range(60), key=lambda node: sorted(((place - place[node]) ** 2).sum(axis=1))[1])
    page.mouse.move(*place[alone])
    assert page.inner_text(".tip") == embedding.nodes[alone]
    page.mouse.click(*place[alone])
    assert page.evaluate("model.get('numbers')") == [alone]
    page.evaluate("model.set('numbers', [1, 2, 3])")
    assert "3 of 60 nodes selected" in page.inner_text("[role=status]")


def test_panning_and_zooming_keep_the_selection(opened, embedding):
    page, box = opened, opened.locator("canvas").bounding_box()
    page.evaluate("model.set('numbers', [5])")
    before = page.evaluate("document.querySelector('canvas').toDataURL()")
    page.click("button:has-text('pan')")
    page.mouse.move(box["x"] + 200, box["y"] + 200)
    page.mouse.wheel(0, -300)
    page.mouse.down()
    page.mouse.move(box["x"] + 260, box["y"] + 240, steps=3)
    page.mouse.up()
    page.wait_for_function("(before) => document.querySelector('canvas').toDataURL() !== before", arg=before)
    assert page.evaluate("model.get('numbers')") == [5] and page.evaluate("model.saved") == 0
    page.evaluate("end()")
