"""The page of a map: one HTML file that contains everything it needs and works without the internet."""

from __future__ import annotations

import base64
import html
import json
import re
import zlib
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
import pandas as pd

from netgiven.analysis.ledger import EmbeddedNetwork, Ledger, ledger, proposals, readable
from netgiven.columns import is_scale
from netgiven.edges import whole_percent
from netgiven.errors import require
from netgiven.maps.bokeh_figure import MAX_POINTS, Drawing, browser_file, draw
from netgiven.maps.marks import Marks
from netgiven.model import Spread
from netgiven.network import Network
from netgiven.priors import Prior
from netgiven.types import Float32Array

# files in maps/browser, in the order of a page: those that the explorer has, too, and those of exported maps alone
SHARED_SCRIPTS = ("dom", "arrays", "view", "pick", "crowd", "overlay", "names", "panels", "legend", "search")
SCRIPTS = (*SHARED_SCRIPTS, "odds", "details", "main")
NAME = "name"  # the node column with names to show, where links call nodes by numbers or codes
MAX_COLUMNS = 12  # of the node table that are shown
MAX_CELLS = 2_000_000  # of the tables of a prior; with more, the page would be too large to send
MAX_NODES_EXPLAINED = 100_000  # with more, to say what is explained would take longer than to draw the page
BELOW = 3  # with this many panels or more, the details stand below them instead of beside


class PlanarEmbedding(EmbeddedNetwork, Protocol):
    """What a map needs of an embedding in two dimensions."""

    @property
    def spread(self) -> Spread: ...  # noqa: D102
    @property
    def reach(self) -> float: ...  # noqa: D102


class PagePanel(NamedTuple):
    """One panel of a page."""

    positions: Float32Array  # as drawn, which is `scale` times as large as in the embedding
    scale: float
    embedding: PlanarEmbedding


def make_page(network: Network, panels: Sequence[PagePanel], marks: Marks, *, title: str, dark: bool | None) -> str:
    """The text of the page; `dark` is None for the preference of the reader's browser."""
    drawing = draw([panel.positions for panel in panels], marks, network.links(), dark=bool(dark))
    data = {
        "title": title,
        "about": _about(panels),
        "panels": [_panel_data(panel) for panel in panels],
        **_network_data(network, marks),
        "nodes": _many_nodes(drawing),
    }
    parts = {
        "theme": "" if dark is None else f' data-theme="{"dark" if dark else "light"}"',
        "title": html.escape(title),
        "layout": "below" if len(panels) >= BELOW else "beside",
        "style": browser_file("page.css"),
        "map": _json(data),
        "drawing": _json(_document(drawing)),
        "bokeh": _bokeh(),
        "script": "\n".join(browser_file(f"{name}.js") for name in SCRIPTS),
    }
    return re.sub(r"\{(\w+)\}", lambda place: parts[place[1]], browser_file("page.html"))


def in_frame(page: str, height: int = 640) -> str:
    """The page in a sandboxed frame, for use within another page such as a notebook."""
    style = f"width:100%;height:{height}px;border:1px solid #8884;border-radius:6px"
    return f'<iframe sandbox="allow-scripts allow-downloads" style="{style}" srcdoc="{html.escape(page)}"></iframe>'


def _bokeh() -> str:
    """The scripts of Bokeh."""
    resources = require("bokeh.resources", extra="explorer")
    scripts: str = resources.Resources(mode="inline", components=["bokeh", "bokeh-gl"]).render_js()
    return scripts


def _document(drawing: Drawing) -> dict[str, Any]:
    """The figures as a Bokeh document."""
    from bokeh.document import Document

    document = Document()
    for panel in drawing.panels:
        document.add_root(panel.figure)
    roots = [panel.figure.id for panel in drawing.panels]
    return _renumbered({"document": document.to_json(deferred=False), "roots": roots})


def _renumbered(document: dict[str, Any]) -> dict[str, Any]:
    """The document with models numbered from 1001, so that the same map gives the same bytes.

    Bokeh counts all models of a process.
    """
    numbers: dict[str, str] = {}
    renumbered: dict[str, Any] = json.loads(
        re.sub(
            r'"p\d+"',
            lambda number: numbers.setdefault(number[0], f'"p{len(numbers) + 1001}"'),
            json.dumps(document),
        )
    )
    return renumbered


def _many_nodes(drawing: Drawing) -> dict[str, Any]:
    """The numbers of each node, if there are many nodes: within the document of Bokeh they would not be compressed."""
    if len(drawing.nodes.data["size"]) <= MAX_POINTS:
        return {}
    columns = {name: _array(column) for name, column in drawing.nodes.data.items() if name != "marker"}
    drawing.nodes.data = {}  # markers are those of the groups in the legend
    return columns


def node_names(network: Network) -> list[str]:
    """What nodes are called on a page: their own names, or the column "name" of the node table, if it has one.

    >>> nodes = {"node": [17, 4, 9], "name": ["ann", "bob", None]}
    >>> node_names(Network.from_edges([(17, 4), (4, 9)], nodes=nodes))
    ['ann', 'bob', '9']
    """
    own = [str(name) for name in network.nodes]
    if NAME not in network.columns:
        return own
    column = network.column(NAME)
    there = column.notna().to_numpy()
    return [str(name) if known else number for name, known, number in zip(column, there, own, strict=True)]


def _network_data(network: Network, marks: Marks) -> dict[str, Any]:
    links = network.links()
    counts = np.bincount(links[:, 0], minlength=network.node_count).astype(np.int32)
    return {
        "names": _texts(node_names(network)),
        "own_names": _texts([str(name) for name in network.nodes]) if NAME in network.columns else None,
        "link_count": network.link_count,
        "links": {"counts": _array(counts), "others": _array(links[:, 1].astype(np.int32))},
        "columns": [_column(network, name) for name in _shown_columns(network)],
        "group": _array(marks.group),
        "legend": marks.legend(),
    }


def _shown_columns(network: Network) -> list[str]:
    return [str(name) for name in network.columns.columns if name != NAME][:MAX_COLUMNS]


def _column(network: Network, name: str) -> dict[str, Any]:
    """The values of a column: numbers, or codes of values that nodes share."""
    if is_scale(network.column(name)):
        return {"name": name, "numbers": _array(network.column(name).to_numpy(np.float64, na_value=np.nan))}
    codes, values = network.groups(name)
    return {"name": name, "codes": _array(codes), "values": _texts([str(value) for value in values])}


def _panel_data(panel: PagePanel) -> dict[str, Any]:
    prior, spread = panel.embedding.prior, panel.embedding.spread
    return {
        "title": f"given {prior.knowledge}",
        "knowledge": prior.knowledge,
        "reach": spread.reach(2),
        "stiffness": spread.stiffness,
        "repelling": spread.repelling,
        "scale": panel.scale,
        "prior": _prior_data(prior),
        "explained": _explained(panel.embedding),
    }


def _explained(embedding: PlanarEmbedding) -> dict[str, Any] | None:
    """What each given thing explains, what can still be read from the map, and what to give next."""
    if embedding.network.node_count > MAX_NODES_EXPLAINED:
        return None
    found, read = ledger(embedding.network, None, embedding), readable(embedding)
    proposed = proposals(embedding.network, None, embedding, read=read)
    return {
        "lines": ledger_data(found),
        "left": f"{found.left:.2f} of {found.cost:.2f} bits per link are not explained",
        "readable": readable_data(read),
        "proposals": [proposal.text for proposal in (*proposed, *proposed.untried)],
    }


def ledger_data(found: Ledger) -> list[dict[str, Any]]:
    """The rows of a ledger as a page shows them."""
    rows = found.table[["knowledge", "words", "bits", "share"]].itertuples(index=False, name=None)
    return [
        {
            "knowledge": str(knowledge),
            "words": str(words),
            "bits": f"{bits + 0.0:.2f}",  # adding 0 turns -0.0 into 0.0
            "share": float(share),
            "percent": whole_percent(share),
        }
        for knowledge, words, bits, share in rows
    ]


def readable_data(table: pd.DataFrame) -> list[dict[str, Any]]:
    """What can be read from a map, as a page shows it."""
    rows = table[["column", "read", "largest", "readable"]].itertuples(index=False, name=None)
    return [
        {
            "column": str(column),
            "read": float(read),
            "largest": float(largest),
            "readable": bool(is_readable),
            "text": f"{whole_percent(read)} of the nodes; the largest group has {whole_percent(largest)}",
        }
        for column, read, largest, is_readable in rows
    ]


def _prior_data(prior: Prior) -> dict[str, Any] | None:
    """The arrays from which odds.js computes prior log-odds; None where tables are too large for a page."""
    if len(prior.tables) > MAX_CELLS:
        return None
    count, listed = len(prior.nodes), prior.listed
    begin = np.zeros(count + 1) if listed is None else listed.indptr
    others = np.zeros(0) if listed is None else listed.indices
    value = np.zeros(0) if listed is None else listed.value[0]
    floats = {"left": prior.left, "right": prior.right, "tables": prior.tables, "value": value}
    integers = {"group": prior.group, "begin": begin, "others": others}
    return {
        "width": list(prior.width),
        **{name: _array(array.astype(np.float64)) for name, array in floats.items()},
        **{name: _array(array.astype(np.int32)) for name, array in integers.items()},
    }


def _about(panels: Sequence[PagePanel]) -> str:
    if len(panels) > 1:
        return f"under {len(panels)} priors"
    only = panels[0].embedding
    return f"given {only.prior.knowledge} · reach {only.spread.reach(2):.3g}"


def _array(array: npt.NDArray[Any]) -> dict[str, str]:
    """An array as arrays.js reads it, in little-endian order: the first bytes of all numbers, then all second ones."""
    little = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False).reshape(-1)
    planes = little.view(np.uint8).reshape(-1, little.itemsize).T
    return {"kind": array.dtype.name, "base64": _compressed(planes.tobytes())}


def _texts(texts: list[str]) -> dict[str, Any]:
    """Texts as arrays.js reads them: a new line after each, and their lengths as the browser counts them, in UTF-16."""
    lengths = [len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2 for text in texts]
    whole = "".join(f"{text}\n" for text in texts).encode("utf-8", "replace")
    return {"lengths": _array(np.array(lengths, dtype=np.int32)), "base64": _compressed(whole)}


def _compressed(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data)).decode("ascii")


def _json(value: Any) -> str:
    """JSON for a script element; no name in it can end the element."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
