"""GML files."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from html.entities import name2codepoint
from typing import Any

import numpy as np
import pandas as pd

from netgiven.edges import Links
from netgiven.readers.columns import names_from_texts
from netgiven.readers.files import File
from netgiven.readers.lines import checked_text, shorten

_TOKEN = re.compile(r'\s*(?:#[^\n]*|"(?P<text>[^"]*)"|(?P<bracket>[\[\]])|(?P<word>[^\s\[\]"#]+)|$)')
_ENTITY = re.compile(r"&(?:#(?P<number>\d{1,7})|(?P<name>\w{2,8}));", re.ASCII)
Items = list[tuple[str, Any]]


def read_gml(file: File) -> Links:
    """Links from a GML file. Labels name the nodes where each node has one of its own, else ids do.

    >>> data = b'graph [ node [ id 1 label "ann" ] node [ id 2 label "bob" ] edge [ source 1 target 2 ] ]'
    >>> read_gml(File("friends.gml", ".gml", data)).names.tolist()
    ['ann', 'bob']
    """
    graphs = [value for key, value in _parse(file) if key == "graph" and isinstance(value, list)]
    if not graphs:
        raise file.error("there is no graph in the file; 'graph [' was expected.")
    graph = graphs[0]
    nodes = [dict(value) for key, value in graph if key == "node" and isinstance(value, list)]
    edges = [dict(value) for key, value in graph if key == "edge" and isinstance(value, list)]
    names, notes = _names(file, nodes)
    ends = _ends(file, nodes, edges)
    return Links(
        names,
        ends[:, 0],
        ends[:, 1],
        columns=_columns(nodes),
        weighted=any(str(edge.get("weight", edge.get("value", 1))) not in ("1", "1.0") for edge in edges),
        directed=str(dict(graph).get("directed", 0)) == "1",
        notes=(*notes, *(["Only the first graph of the file was read."] if len(graphs) > 1 else [])),
    )


def _tokens(file: File, text: str) -> Iterator[tuple[str, str, int]]:
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise file.error("a quotation mark is opened here and never closed.", _line(text, position))
        position = match.end()
        if match.lastgroup:
            yield match.lastgroup, match[match.lastgroup], match.start(match.lastgroup)


def _line(text: str, position: int) -> int:
    position = len(text) - len(text[position:].lstrip())
    return text.count("\n", 0, position) + 1


def _parse(file: File) -> Items:
    """Keys and values; a value is a text, a number, or again keys and values."""
    text = checked_text(file).decode("utf-8")
    stack: list[Items] = [[]]
    key: str | None = None
    for kind, token, position in _tokens(file, text):
        if token == "]" and kind == "bracket":
            if key is not None or len(stack) == 1:
                raise file.error("']' where a key or a value was expected.", _line(text, position))
            stack.pop()
        elif key is None:
            if kind != "word":
                raise file.error(f"{shorten(token)} where a key was expected.", _line(text, position))
            key = token
        else:
            inner: Items = []
            value = inner if kind == "bracket" else _ENTITY.sub(_character, token) if kind == "text" else _number(token)
            stack[-1].append((key, value))
            if kind == "bracket":
                stack.append(inner)
            key = None
    if key is not None or len(stack) > 1:
        raise file.error("the file ends before its last ']': it is cut off.", _line(text, len(text)))
    return stack[0]


def _character(entity: re.Match[str]) -> str:
    """What &amp; and &#233; stand for (the html module takes &#145; for a quotation mark, as browsers do)."""
    code = int(entity["number"] or 0) or name2codepoint.get(entity["name"] or "", 0)
    valid = 0 < code <= sys.maxunicode and not 0xD800 <= code < 0xE000
    return chr(code) if valid else entity[0]


def _number(word: str) -> int | float | str:
    for kind in (int, float):
        try:
            number = kind(word)
        except ValueError:
            continue
        return number if kind is float or str(number) == word else word
    return word


def _names(file: File, nodes: list[dict[str, Any]]) -> tuple[pd.Index[Any], list[str]]:
    ids = [_text(node.get("id")) for node in nodes]
    if None in ids:
        raise file.error(f"node number {ids.index(None) + 1} has no id.")
    if len(set(ids)) < len(ids):
        twice = next(iter(pd.Index(ids)[pd.Index(ids).duplicated()]))
        raise file.error(f"two nodes have the id {twice}.")
    labels = [_text(node.get("label")) for node in nodes]
    if labels and all(labels) and len(set(labels)) == len(labels):
        return names_from_texts([str(label) for label in labels]), []
    note = "Nodes are named by their ids: not each has a label of its own."
    return names_from_texts([str(name) for name in ids]), [note] if any(labels) else []


def _text(value: Any) -> str | None:
    return None if value is None or isinstance(value, list) else str(value)


def _ends(file: File, nodes: list[dict[str, Any]], edges: list[dict[str, Any]]) -> np.ndarray[Any, Any]:
    number = {_text(node.get("id")): position for position, node in enumerate(nodes)}
    ends = [[number.get(_text(edge.get(end)), -1) for end in ("source", "target")] for edge in edges]
    found = np.array(ends, dtype=np.int64).reshape(-1, 2)
    wrong = np.flatnonzero((found < 0).any(axis=1))
    if len(wrong):
        edge = edges[wrong[0]]
        told = f"from {edge.get('source')!r} to {edge.get('target')!r}"
        raise file.error(f"edge number {wrong[0] + 1} goes {told[:80]}; both must be ids of nodes.")
    return found


def _columns(nodes: list[dict[str, Any]]) -> pd.DataFrame:
    """Attributes of nodes; what is nested (where to draw a node, and how) is left out."""
    records = [
        {key: value for key, value in node.items() if key != "id" and not isinstance(value, list)} for node in nodes
    ]
    columns = pd.DataFrame(records, index=pd.RangeIndex(len(nodes)))
    labels = columns.get("label")
    if labels is not None and labels.notna().all() and labels.map(str).is_unique:
        columns = columns.drop(columns="label")  # they are the names
    return columns
