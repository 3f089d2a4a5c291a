"""GraphML and GEXF, by networkx."""

from __future__ import annotations

import io
import re
import warnings
from dataclasses import replace
from typing import Any
from xml.parsers import expat

import pandas as pd

from netgiven.edges import Links
from netgiven.errors import InputError, require
from netgiven.network import networkx_links
from netgiven.readers.columns import names_from_texts
from netgiven.readers.files import File

_MADE_UP = re.compile(r"n?\d+")  # ids such as igraph and networkx write, with the name beside


def read_graphml(file: File) -> Links:
    """Links from a GraphML file."""
    return _read(file, "GraphML", "read_graphml")


def read_gexf(file: File) -> Links:
    """Links from a GEXF file, as Gephi writes them."""
    return _read(file, "GEXF", "read_gexf")


def check_xml(file: File) -> None:
    """Refuse what is not well-formed, and any document type: its entities could grow without end."""

    def refuse(*_: Any) -> None:
        raise file.error("the file declares a document type (<!DOCTYPE ...>); remove it.", parser.CurrentLineNumber)

    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(file.data, True)
    except expat.ExpatError as error:
        raise file.error(f"this is not well-formed XML: {expat.ErrorString(error.code)}.", error.lineno) from error
    except (ValueError, LookupError) as error:
        raise file.error(f"this is not readable XML ({error}).", 1) from error


def _read(file: File, kind: str, function: str) -> Links:
    networkx = require("networkx")
    check_xml(file)
    try:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            graph = getattr(networkx, function)(io.BytesIO(file.data))
            links = networkx_links(graph)
    except InputError:
        raise
    except Exception as error:
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        raise file.error(f"the file cannot be read as {kind} ({reason[:200]}).") from error
    notes = tuple(f"While reading {kind}: {warning.message}" for warning in told)
    return _named(replace(links, columns=_flat(links.columns), notes=notes))


def _flat(columns: pd.DataFrame) -> pd.DataFrame:
    """Without what is nested: where to draw a node, and how."""
    nested = [
        name for name, values in columns.items() if values.map(lambda value: isinstance(value, (dict, list))).any()
    ]
    return columns.drop(columns=nested)


def _named(links: Links) -> Links:
    """Names from the attribute `name` or `label`, where ids are just numbers and each node has one of its own."""
    ids = [str(name) for name in links.names]
    if all(map(_MADE_UP.fullmatch, ids)):
        for key in ("name", "label"):
            labels = links.columns.get(key)
            if labels is not None and _can_name(labels):
                names = names_from_texts(labels.map(str).tolist())
                changed = [] if list(map(str, names)) == ids else [f"Nodes are named by their {key}, not by their id."]
                columns = links.columns.drop(columns=key)
                return replace(links, names=names, columns=columns, notes=(*links.notes, *changed))
    return replace(links, names=names_from_texts(ids))


def _can_name(labels: pd.Series[Any]) -> bool:
    texts = labels.map(str)
    return bool(len(labels)) and bool(labels.notna().all()) and bool((texts != "").all()) and texts.is_unique
