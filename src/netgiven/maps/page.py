"""The page to send: one HTML file with the map and all that it needs, which works without a network."""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from netgiven.errors import require
from netgiven.maps.bokeh_figure import Drawing, draw, script
from netgiven.maps.marks import Marks, is_scale
from netgiven.maps.panels import Placed
from netgiven.network import Network
from netgiven.priors import Prior
from netgiven.types import Float32Array

SCRIPTS = ("dom", "arrays", "odds", "view", "pick", "crowd", "overlay", "panels", "legend", "search", "details", "main")
MOST_COLUMNS = 12  # of nodes, that the page tells
MOST_CELLS = 2_000_000  # of a prior's tables; a page with more would be too large to send
BELOW = 3  # so many panels stand side by side, with what is told of nodes below them


def make_page(
    embeddings: Sequence[Placed], places: Sequence[Float32Array], scales: Sequence[float], marks: Marks, **look: Any
) -> str:
    """The page as text. `places` are positions as drawn, `scales` times as large as those of the embeddings.

    `look` has a `title`, and `dark`: True, False, or None for what the reader's browser prefers.
    """
    network, dark = embeddings[0].network, look["dark"]
    drawing = draw(places, marks, network.links(), dark=bool(dark))
    panels = [_panel(embedding, scale) for embedding, scale in zip(embeddings, scales, strict=True)]
    told = {"title": look["title"], "about": _about(embeddings), "panels": panels, **_told(network, marks)}
    parts = {
        "theme": "" if dark is None else f' data-theme="{"dark" if dark else "light"}"',
        "title": html.escape(look["title"]),
        "layout": "below" if len(places) >= BELOW else "beside",
        "style": script("page.css"),
        "map": _json(told),
        "drawing": _json(_document(drawing)),
        "bokeh": _bokeh(),
        "script": "\n".join(script(f"{name}.js") for name in SCRIPTS),
    }
    return re.sub(r"\{(\w+)\}", lambda place: parts[place[1]], script("page.html"))


def in_frame(page: str, height: int = 640) -> str:
    """A page within another one, such as a notebook, of which it sees and changes nothing."""
    style = f"width:100%;height:{height}px;border:1px solid #8884;border-radius:6px"
    return f'<iframe sandbox="allow-scripts allow-downloads" style="{style}" srcdoc="{html.escape(page)}"></iframe>'


# ---- Bokeh ---------------------------------------------------------------------------------------------------------


def _bokeh() -> str:
    resources = require("bokeh.resources", extra="explorer")
    whole: str = resources.Resources(mode="inline", components=["bokeh", "bokeh-gl"]).render_js()
    return whole


def _document(drawing: Drawing) -> dict[str, Any]:
    """The figures as a document that the browser builds; with numbers from 1 on, so that the same map gives the same
    bytes.
    """
    from bokeh.document import Document

    document = Document()
    for panel in drawing.panels:
        document.add_root(panel.figure)
    told = {"document": document.to_json(deferred=False), "roots": [panel.figure.id for panel in drawing.panels]}
    return _renumbered(told)


def _renumbered(told: dict[str, Any]) -> dict[str, Any]:
    """Models are numbered as they were made in this process, which another one does in another way."""
    text = json.dumps(told)
    known: dict[str, str] = {}
    whole: dict[str, Any] = json.loads(
        re.sub(r'"p\d+"', lambda found: known.setdefault(found[0], f'"p{len(known) + 1001}"'), text)
    )
    return whole


# ---- what the page knows -------------------------------------------------------------------------------------------


def _told(network: Network, marks: Marks) -> dict[str, Any]:
    links = network.links()
    above = np.bincount(links[:, 0], minlength=network.node_count).astype(np.int32)
    return {
        "names": [str(name) for name in network.nodes],
        "link_count": network.link_count,
        "links": {"counts": _numbers(above), "others": _numbers(links[:, 1].astype(np.int32))},
        "columns": [_column(network, str(name)) for name in network.columns.columns[:MOST_COLUMNS]],
        "group": _numbers(marks.group),
        "legend": marks.legend(),
    }


def _column(network: Network, name: str) -> dict[str, Any]:
    """Values of a column: numbers, or texts that many nodes may share."""
    if is_scale(network.column(name)):
        return {"name": name, "numbers": _numbers(network.column(name).to_numpy(np.float64, na_value=np.nan))}
    codes, values = network.groups(name)
    return {"name": name, "codes": _numbers(codes), "values": [str(value) for value in values]}


def _panel(embedding: Placed, scale: float) -> dict[str, Any]:
    spread = embedding.spread
    known = embedding.prior.knowledge
    told = {"title": f"given {known}", "knowledge": known, "reach": spread.reach(2), "stiffness": spread.stiffness}
    return {**told, "scale": scale, "prior": _prior(embedding.prior)}


def _prior(prior: Prior) -> dict[str, Any] | None:
    """What decides the log-odds of the prior, for odds.js; nothing where tables are too large for a page."""
    if len(prior.tables) > MOST_CELLS:
        return None
    count, listed = len(prior.nodes), prior.listed
    begin = np.zeros(count + 1) if listed is None else listed.indptr
    others = np.zeros(0) if listed is None else listed.indices
    value = np.zeros(0) if listed is None else listed.value[0]
    doubles = {"own": prior.own, "basis": prior.basis, "tables": prior.tables, "value": value}
    whole = {"group": prior.group, "begin": begin, "others": others}
    return {
        "width": list(prior.width),
        **{name: _numbers(array.astype(np.float64)) for name, array in doubles.items()},
        **{name: _numbers(array.astype(np.int32)) for name, array in whole.items()},
    }


def _about(embeddings: Sequence[Placed]) -> str:
    if len(embeddings) > 1:
        return f"under {len(embeddings)} priors"
    return f"given {embeddings[0].prior.knowledge} · reach {embeddings[0].spread.reach(2):.3g}"


def _numbers(array: npt.NDArray[Any]) -> dict[str, str]:
    """An array as odds.js and its like read it, in the byte order of browsers."""
    little = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False)
    return {"kind": array.dtype.name, "base64": base64.b64encode(little.tobytes()).decode("ascii")}


def _json(value: Any) -> str:
    """JSON that can stand in a script element: no name in it can end the element."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
