"""A map for other programs: GEXF for Gephi and networkx, and the table that Embedding Atlas opens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np
import pandas as pd

from netgiven.edges import to_python
from netgiven.errors import InputError
from netgiven.maps.marks import Marks
from netgiven.network import Network
from netgiven.types import Float32Array

LEAST_WIDTH = 1000  # of a map for Gephi, which counts in pixels: nodes are 2 to 25 wide
GEXF = "http://www.gexf.net/1.2draft"
NOT_IN_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
KINDS = {"boolean": "boolean", "integer": "long", "floating": "double"}  # of pandas and of GEXF; others are text
ATLAS_COLUMNS = ("node", "projection_x", "projection_y", "neighbors")  # as Embedding Atlas calls them


# ---- Gephi -----------------------------------------------------------------------------------------------------------


def write_gexf(target: Path, network: Network, positions: Float32Array, marks: Marks) -> None:
    """Write a map as GEXF, line by line: names, node columns, positions, sizes and colours of nodes, and links."""
    with target.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{line}\n" for line in _gexf_lines(network, positions, marks))


def _gexf_lines(network: Network, positions: Float32Array, marks: Marks) -> Iterator[str]:
    names, kinds = _texts(network.nodes), [_kind(values) for _, values in network.columns.items()]
    unit = pixels_per_unit(positions)
    keys = names if len(set(names)) == len(names) else [str(number) for number in range(len(names))]
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield f'<gexf xmlns="{GEXF}" xmlns:viz="{GEXF}/viz" version="1.2">'
    yield f"<meta><description>By netgiven; positions are {unit:g} times those of the map.</description></meta>"
    yield '<graph defaultedgetype="undirected" mode="static">'
    yield '<attributes class="node" mode="static">'
    for place, (title, kind) in enumerate(zip(_texts(network.columns.columns), kinds, strict=True)):
        yield f'<attribute id="{place}" title={quoteattr(title)} type="{kind}"/>'
    yield "</attributes>"
    yield "<nodes>"
    values = _values(network.columns, kinds)
    for key, name, value, view in zip(keys, names, values, _views(positions * unit, marks), strict=True):
        yield f"<node id={quoteattr(key)} label={quoteattr(name)}>{value}{view}</node>"
    yield "</nodes>"
    yield "<edges>"
    escaped = [quoteattr(key) for key in keys]
    for place, (first, second) in enumerate(network.links().tolist()):
        yield f'<edge id="{place}" source={escaped[first]} target={escaped[second]}/>'
    yield "</edges>"
    yield "</graph>"
    yield "</gexf>"


def pixels_per_unit(positions: Float32Array) -> float:
    """The power of ten that makes a map 1,000 to 10,000 pixels wide.

    >>> pixels_per_unit(np.array([[0.0, 0.0], [0.5, 3.0]]))
    1000.0
    """
    width = float(np.ptp(positions, axis=0).max()) if len(positions) else 0.0
    return float(10.0 ** np.ceil(np.log10(LEAST_WIDTH / width))) if width > 0 else 1.0


def _texts(values: pd.Index[Any]) -> list[str]:
    """Values as text, without characters that XML cannot hold."""
    return [NOT_IN_XML.sub("\ufffd", str(to_python(value))) for value in values]


def _kind(values: pd.Series[Any]) -> str:
    if pd.api.types.is_bool_dtype(values.dtype):
        return "boolean"
    return KINDS.get(pd.api.types.infer_dtype(values, skipna=True), "string")


def _values(columns: pd.DataFrame, kinds: list[str]) -> Iterator[str]:
    """The values of each node in its columns; those that are missing are left out."""
    texts = [_value_texts(columns.iloc[:, place], kind) for place, kind in enumerate(kinds)]
    for row in range(len(columns)):
        found = "".join(f'<attvalue for="{place}" value={text[row]}/>' for place, text in enumerate(texts) if text[row])
        yield f"<attvalues>{found}</attvalues>"


def _value_texts(values: pd.Series[Any], kind: str) -> list[str]:
    missing = values.isna().to_numpy()
    texts = _texts(pd.Index(values, dtype=object))
    if kind == "boolean":
        texts = [text.lower() for text in texts]
    return ["" if gone else quoteattr(text) for text, gone in zip(texts, missing, strict=True)]


def _views(positions: Float32Array, marks: Marks) -> Iterator[str]:
    places = np.round(positions.astype(np.float64), 4).tolist()
    for (x, y), size, colour in zip(places, marks.size.tolist(), marks.colour.tolist(), strict=True):
        shade = f'r="{colour >> 24}" g="{colour >> 16 & 255}" b="{colour >> 8 & 255}"'
        yield f'<viz:size value="{size:.4g}"/><viz:position x="{x}" y="{y}" z="0.0"/><viz:color {shade}/>'


# ---- Embedding Atlas -------------------------------------------------------------------------------------------------


def atlas_table(network: Network, positions: Float32Array) -> pd.DataFrame:
    """One row per node: its name, position, the rows and distances of the nodes that it is linked to, its columns."""
    taken = [name for name in ATLAS_COLUMNS if name in network.columns]
    if taken:
        raise InputError(f"The table of a map has a column {taken[0]!r} of its own; rename the node column.")
    table = {"node": network.nodes, "projection_x": positions[:, 0], "projection_y": positions[:, 1]}
    neighbours = {"neighbors": pd.Series(list(_neighbours(network, positions)), dtype=object)}
    return pd.concat([pd.DataFrame({**table, **neighbours}), network.columns], axis=1)


def _neighbours(network: Network, positions: Float32Array) -> Iterator[dict[str, list[Any]]]:
    """The linked nodes of each node, the nearest first."""
    for number, (begin, end) in enumerate(zip(network.indptr[:-1], network.indptr[1:], strict=True)):
        others = network.indices[begin:end]
        distances = np.linalg.norm(positions[others] - positions[number], axis=1)
        order = np.argsort(distances, kind="stable")
        yield {"ids": others[order].tolist(), "distances": distances[order].tolist()}
