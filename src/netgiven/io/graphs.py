"""Graph formats: GraphML and GEXF by networkx, GML by igraph; JSON, adjacency lists and Pajek by parsers of our own.

Neither library reads Pajek files as they are written: see "Pajek" in docs/decisions.md.
"""

from __future__ import annotations

import io
import json
import re
import sys
import warnings
from dataclasses import dataclass, field, replace
from html.entities import name2codepoint
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from xml.parsers import expat

import numpy as np
import pandas as pd

from netgiven.edges import EdgeList, Weights, check_names, count_weights, names_index, typed_series
from netgiven.errors import InputError, require
from netgiven.io.files import File, numbered_lines, shorten, utf8_bytes
from netgiven.io.tables import names_from_texts
from netgiven.io.text import DELIMITER_NAMES, checked_delimiter, is_content
from netgiven.objects import adjacency_edges, each_once, mapping_edges, matrix_edges, networkx_edges, pair_edges
from netgiven.types import IntegerArray

_GENERATED_ID = re.compile(r"n?\d+")  # ids such as igraph and networkx write, with the name beside
_IGRAPH_SOURCE = re.compile(r"^Error at \S+: |\.? -- .*$", re.DOTALL)  # where in its source, and the kind of error
_IGRAPH_LINE = re.compile(r", line (\d+)")
_ENTITY = re.compile(r"&(?:#(?P<number>\d{1,7})|(?P<name>\w{2,8}));", re.ASCII)
_EXACT = 2.0**53  # whole numbers below it are exact as floats
_VERTEX = re.compile(r'\s*(\d{1,10})(?!\d)(?:\s+(?:"([^"]*)"|(\S+)))?', re.ASCII)
_LISTS = {"arcs", "edges", "arcslist", "edgeslist", "matrix"}

# ---- GraphML and GEXF ------------------------------------------------------------------------------------------------


def read_graphml(file: File) -> EdgeList:
    """Read links from a GraphML file."""
    return _read_xml(file, "GraphML", "read_graphml")


def read_gexf(file: File) -> EdgeList:
    """Read links from a GEXF file, as Gephi writes them."""
    return _read_xml(file, "GEXF", "read_gexf")


def check_xml(file: File) -> None:
    """Refuse what is not well-formed, and any document type: its entities could expand without limit."""

    def refuse(*_: Any) -> None:
        raise file.error("the file declares a document type (<!DOCTYPE ...>); remove it.", parser.CurrentLineNumber)

    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(file.data, True)
    except expat.ExpatError as error:
        raise file.error(f"this is not well-formed XML: {expat.ErrorString(error.code)}.", error.lineno) from error
    except InputError:
        raise
    except (ValueError, LookupError) as error:
        raise file.error(f"this is not readable XML ({error}).", 1) from error


def _read_xml(file: File, kind: str, function: str) -> EdgeList:
    networkx = require("networkx")
    check_xml(file)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            graph = getattr(networkx, function)(io.BytesIO(file.data))
            links = networkx_edges(graph)
    except InputError:
        raise
    except Exception as error:
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        raise file.error(f"the file cannot be read as {kind} ({reason[:200]}).") from error
    notes = tuple(f"While reading {kind}: {warning.message}" for warning in caught)
    return _named(replace(links, columns=_flat(links.columns), notes=notes))


def _flat(columns: pd.DataFrame) -> pd.DataFrame:
    """Drop nested columns: where to draw a node, and how."""
    nested = [
        name for name, values in columns.items() if values.map(lambda value: isinstance(value, (dict, list))).any()
    ]
    return columns.drop(columns=nested)


def _named(links: EdgeList) -> EdgeList:
    """Name nodes by the attribute `name` or `label` where ids are just numbers and these are distinct.

    Labels that repeat the ids, as GEXF has them, say nothing, and are dropped.
    """
    ids = [str(name) for name in links.names]
    if all(map(_GENERATED_ID.fullmatch, ids)):
        for key in ("name", "label"):
            labels = links.columns.get(key)
            if labels is not None and _can_name(labels):
                names = names_from_texts(labels.map(str).tolist())
                changed = [] if list(map(str, names)) == ids else [f"Nodes are named by their {key}, not by their id."]
                columns = links.columns.drop(columns=key)
                return replace(links, names=names, columns=columns, notes=(*links.notes, *changed))
    repeated = [key for key, labels in links.columns.items() if key == "label" and labels.map(str).tolist() == ids]
    return replace(links, names=names_from_texts(ids), columns=links.columns.drop(columns=repeated))


def _can_name(labels: pd.Series[Any]) -> bool:
    texts = labels.map(str)
    return bool(len(labels)) and bool(labels.notna().all()) and bool((texts != "").all()) and texts.is_unique


# ---- GML -------------------------------------------------------------------------------------------------------------


def read_gml(file: File) -> EdgeList:
    """Read links from a GML file. Labels name the nodes where all nodes have distinct ones, else ids do.

    >>> data = b'graph [ node [ id 1 label "ann" ] node [ id 2 label "bob" ] edge [ source 1 target 2 ] ]'
    >>> read_gml(File("friends.gml", ".gml", data)).names.tolist()
    ['ann', 'bob']
    """
    data = utf8_bytes(file)
    if b"\0" in data:
        raise file.error("the file holds a NUL character; GML is text.", data.count(b"\n", 0, data.index(b"\0")) + 1)
    # igraph decodes some entities and leaves others: it gets all of them escaped, and they are decoded below.
    graph = _igraph_gml(file, data.replace(b"&", b"&amp;"))
    attributes = {name: _decoded(graph.vs[name]) for name in graph.vs.attributes()}
    ends = np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2)
    names, columns, notes = _gml_names(file, attributes, graph.vcount())
    if len(re.findall(rb"^\s*graph\s*\[", data, re.MULTILINE)) > 1:
        notes.append("Only the first graph of the file was read.")
    frame = pd.DataFrame(columns, index=pd.RangeIndex(graph.vcount()))
    weights, directed = _gml_weights(graph.es), graph.is_directed()
    return EdgeList(names, ends[:, 0], ends[:, 1], frame, weights=weights, directed=directed, notes=tuple(notes))


def _igraph_gml(file: File, data: bytes) -> Any:
    igraph = require("igraph")
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # nested attributes (where to draw a node, and how) are left out
        path = Path(folder, "graph.gml")
        path.write_bytes(data)
        try:
            return igraph.Graph.Read_GML(str(path))
        except (igraph.InternalError, ValueError, OverflowError) as error:
            raise _gml_error(file, str(error)) from error


def _gml_error(file: File, message: str) -> InputError:
    reason, line = _IGRAPH_SOURCE.sub("", message), _IGRAPH_LINE.search(message)
    reason = _IGRAPH_LINE.sub("", reason)
    return file.error(f"the file cannot be read as GML: {reason[:200]}.", int(line[1]) if line else None)


def _decoded(values: list[Any]) -> list[Any]:
    """Return attribute values as they were written: whole numbers as integers, entities as characters, else None."""
    return [_ENTITY.sub(_character, value) or None if isinstance(value, str) else _number(value) for value in values]


def _character(entity: re.Match[str]) -> str:
    """Return what &amp; and &#233; stand for (the html module reads &#145; as a quotation mark, as browsers do)."""
    code = int(entity["number"] or 0) or name2codepoint.get(entity["name"] or "", 0)
    valid = 0 < code <= sys.maxunicode and not 0xD800 <= code < 0xE000
    return chr(code) if valid else entity[0]


def _number(value: Any) -> Any:
    if not isinstance(value, float):
        return value
    return int(value) if value.is_integer() and abs(value) < _EXACT else None if np.isnan(value) else value


def _gml_names(
    file: File, attributes: dict[str, list[Any]], count: int
) -> tuple[pd.Index[Any], dict[str, list[Any]], list[str]]:
    """Return names, the columns besides them, and notes."""
    ids = attributes.pop("id", [None] * count)
    if None in ids:
        raise file.error(f"node number {ids.index(None) + 1} has no id.")
    labels = attributes.get("label", [None] * count)
    if any(isinstance(value, float) for value in [*ids, *labels]):
        raise file.error(f"an id or label is not a whole number below {_EXACT:,.0f}; put labels in quotation marks.")
    if count and None not in labels and len(set(map(str, labels))) == count:
        del attributes["label"]
        return names_from_texts(list(map(str, labels))), attributes, []
    note = "Nodes are named by their ids: their labels are not distinct."
    return names_from_texts(list(map(str, ids))), attributes, [] if labels == [None] * count else [note]


def _gml_weights(edges: Any) -> Weights:
    """Count the weights of igraph's edges; those of edges without one are NaN or empty."""
    key = next((name for name in ("weight", "value") if name in edges.attributes()), None)
    return (count_weights([None if value == "" else value for value in edges[key]]) if key else None) or Weights()


# ---- JSON ------------------------------------------------------------------------------------------------------------

_EXPECTED = (
    'a network was expected: lists of nodes and links, {"nodes": [{"id": ...}], "links": [{"source": ...}]}; or the '
    'neighbours of each node, {"ann": ["bob"]}'
)


def read_json(file: File) -> EdgeList:
    """Read links from JSON: nodes and links, as networkx and D3 write them, or the neighbours of each node.

    Neighbours are in a list `adjacency` beside the nodes, as networkx writes them, or in an object of lists. A list of
    links is read as a table, or as pairs.

    >>> data = b'{"nodes": [{"id": "ann"}, {"id": "bob", "age": 7}], "links": [{"source": "ann", "target": "bob"}]}'
    >>> read_json(File("friends.json", ".json", data)).names.tolist()
    ['ann', 'bob']
    >>> read_json(File("friends.json", ".json", b'{"ann": ["bob", "cid"], "dan": []}')).names.tolist()
    ['ann', 'dan', 'bob', 'cid']
    """
    data = utf8_bytes(file)
    try:
        content = json.loads(data)
    except json.JSONDecodeError as error:
        raise file.error(f"this is not valid JSON: {error.msg}.", error.lineno) from error
    except (ValueError, RecursionError) as error:
        raise file.error(f"this is no JSON of a network ({type(error).__name__}: {str(error)[:100]}).") from error
    if isinstance(content, list) and content:
        records = all(isinstance(one, dict) for one in content)
        return pair_edges(pd.DataFrame(content) if records else _named_rows(content))
    if isinstance(content, dict) and content and "nodes" not in content:
        return _neighbour_lists(file, content)
    nodes = _records(file, content, ("nodes",))
    names, key = _json_names(file, nodes)
    columns = pd.DataFrame(nodes, index=pd.RangeIndex(len(nodes))).drop(columns=key or [], errors="ignore")
    links = _adjacency_links(file, names, content) if "adjacency" in content else _node_links(file, names, content)
    return replace(links, columns=_flat(columns), directed=content.get("directed") is True)


def _named_rows(rows: list[Any]) -> list[Any]:
    return [[_as_name(cell) for cell in row] if isinstance(row, list) else row for row in rows]


def _neighbour_lists(file: File, content: dict[str, Any]) -> EdgeList:
    """Return the links of an object that holds the neighbours of each node. Its keys are text, also if nodes are not.

    >>> _neighbour_lists(File("x.json", ".json", b""), {"1": [2, 3], "2": []}).names.tolist()
    [1, 2, 3]
    """
    if not all(isinstance(some, (list, dict)) for some in content.values()):
        raise file.error(f"{_EXPECTED}.")
    links = mapping_edges({key: _text_names(file, some) for key, some in content.items()})
    return replace(links, names=names_from_texts(links.names.tolist()))


def _text_names(file: File, neighbours: Any) -> Any:
    if isinstance(neighbours, dict):
        return neighbours
    if not all(isinstance(name, (str, int)) for name in neighbours):
        raise file.error(f"{_EXPECTED}; a name of a neighbour is neither text nor a whole number.")
    return list(map(str, neighbours))


def _adjacency_links(file: File, names: pd.Index[Any], content: dict[str, Any]) -> EdgeList:
    """Return the links of `adjacency`, a list of neighbours for each of the nodes."""
    lists = content["adjacency"]
    if not isinstance(lists, list) or len(lists) != len(names):
        raise file.error(f"'adjacency' was expected to be a list of neighbours for each of {len(names):,} nodes.")
    rows = [_records(file, {"adjacency": some}, ("adjacency",)) for some in lists]
    given = [_as_name(link.get("id")) for row in rows for link in row]
    second, notes = _json_places(file, names, given, len(given))
    first = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    weights = [link.get("weight") for row in rows for link in row]
    return replace(each_once(EdgeList(names, first, second), weights), notes=notes)


def _node_links(file: File, names: pd.Index[Any], content: dict[str, Any]) -> EdgeList:
    """Return the links of `links` or `edges`, a list of records with a source and a target."""
    links = _records(file, content, ("links", "edges"))
    given = [_as_name(link.get(end)) for end in ("source", "target") for link in links]
    places, notes = _json_places(file, names, given, len(links))
    first, second = places.reshape(2, -1)
    weights = count_weights([link.get("weight", link.get("value")) for link in links]) or Weights()
    return EdgeList(names, first, second, weights=weights, notes=notes)


def _records(file: File, content: Any, keys: tuple[str, ...]) -> list[dict[str, Any]]:
    found = next((content[key] for key in keys if key in content), None) if isinstance(content, dict) else None
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise file.error(f"{_EXPECTED}; there is no such list {' or '.join(map(repr, keys))}.")
    return found


def _json_names(file: File, nodes: list[dict[str, Any]]) -> tuple[pd.Index[Any], str | None]:
    """Return the names of nodes and the key that holds them; without one, nodes are numbered from 0."""
    key = next((key for key in ("id", "key", "name") if nodes and all(key in node for node in nodes)), None)
    names = [_as_name(node[key]) for node in nodes] if key else list(range(len(nodes)))
    for number, name in enumerate(names):
        if isinstance(name, dict):
            raise file.error(f"the {key} of node {number + 1} is {shorten(str(name))}; a name is text or a number.")
    return check_names(names_index(typed_series(names))), key


def _as_name(value: Any) -> Any:
    """Return a name; tuples are lists in JSON."""
    return tuple(map(_as_name, value)) if isinstance(value, list) else value


def _json_places(
    file: File, names: pd.Index[Any], given: list[Any], links: int
) -> tuple[IntegerArray, tuple[str, ...]]:
    """Return the numbers of nodes, by name or by position as D3 does, and notes; `links` is the number of links."""
    number = {name: place for place, name in enumerate(names.tolist())}
    try:
        places = [number.get(name, -1) for name in given]
    except TypeError as error:
        raise file.error(f"an end of a link is no name of a node ({error}).") from error
    notes: tuple[str, ...] = ()
    if given and max(places) < 0 and all(type(place) is int and 0 <= place < len(names) for place in given):
        places, notes = given, ("The ends of links were read as positions in the list of nodes, from 0.",)
    if min(places, default=0) < 0:
        wrong = places.index(-1)
        raise file.error(
            f"link {wrong % links + 1} has an end {shorten(str(given[wrong]))}, which is not among the nodes."
        )
    return np.array(places, dtype=np.int64), notes


# ---- adjacency lists -------------------------------------------------------------------------------------------------


def read_adjacency_list(file: File, delimiter: str | None = None) -> EdgeList:
    """Read links from lines of a node and its neighbours, as networkx writes them: `ann bob cid`.

    >>> links = read_adjacency_list(File("friends.adjlist", ".adjlist", b"# friends\\nann bob cid\\ndan\\n"))
    >>> links.names.tolist(), links.first.tolist(), links.second.tolist()
    (['ann', 'dan', 'bob', 'cid'], [0, 0], [2, 3])
    """
    lines = [line for _, line in numbered_lines(utf8_bytes(file)) if is_content(line)]
    mark = _name_delimiter(lines) if delimiter is None else checked_delimiter(delimiter)
    rows = [[name.strip(" \t\r\n") for name in line.rstrip("\r\n").split(mark)] for line in lines]
    rows = [[name for name in row if name] for row in rows]
    if not any(rows):
        raise file.error("there are no nodes; a line with a node and its neighbours was expected, 'ann bob cid'.")
    links = adjacency_edges((row[0], row[1:], [None] * (len(row) - 1)) for row in rows if row)
    notes = () if delimiter or mark is None else (f"Names are separated by {DELIMITER_NAMES[mark]}.",)
    return replace(links, names=names_from_texts(links.names.tolist()), notes=notes)


def _name_delimiter(lines: list[str]) -> str | None:
    """Return what separates the names on all lines that hold several; None for blanks."""
    several = [line for line in map(str.strip, lines) if re.search("[\t;, ]", line)]
    return next((mark for mark in "\t;," if several and all(mark in line for line in several)), None)


# ---- Pajek -----------------------------------------------------------------------------------------------------------


@dataclass
class _Pajek:
    """A network while it is read."""

    file: File
    count: int = 0
    labels: dict[int, str] = field(default_factory=dict)
    ends: list[tuple[int, int]] = field(default_factory=list)
    rows: list[list[float]] = field(default_factory=list)
    values: dict[str, list[float]] = field(default_factory=dict)
    weights: list[float] = field(default_factory=list)
    directed: bool = False
    ignored: set[str] = field(default_factory=set)


def read_pajek(file: File) -> EdgeList:
    """Read links from the first network of a Pajek file; partitions and vectors of a project become node columns.

    >>> data = b'*Vertices 3\\n1 "ann"\\n2 "bob"\\n*Edges\\n1 2\\n'
    >>> read_pajek(File("friends.net", ".net", data)).names.tolist()  # a node without label is named by its number
    ['ann', 'bob', '3']
    """
    network = _Pajek(file)
    section, title = "", ""
    for number, line in numbered_lines(utf8_bytes(file)):
        words = line.split()
        if not words or words[0].startswith("%"):
            continue
        if line.lstrip().startswith("*"):
            section, title = _begin(network, section, title, words, number)
        else:
            _take(network, section, title, line, number)
    if not network.count:
        raise file.error("there are no nodes; '*Vertices 3' was expected, with their number.")
    return _pajek_links(network)


def _begin(network: _Pajek, section: str, title: str, words: list[str], line: int) -> tuple[str, str]:
    name = words[0][1:].lower()
    rest = " ".join(words[1:])
    if name == "vertices":
        if section in ("partition", "vector"):  # the size of the network is repeated
            return section, title
        return ("ignored" if network.count else _vertices(network, rest, line)), ""
    if name in ("partition", "vector"):
        title = _free_title(network, rest or name)
        network.values[title] = []
        return name, title
    if name == "network":
        return ("ignored" if network.count else name), ""
    if name in _LISTS and section != "ignored":
        network.directed |= name.startswith("arcs")
        return name, ""
    network.ignored.add(words[0])
    return "ignored", ""


def _free_title(network: _Pajek, title: str) -> str:
    return title if title not in network.values else f"{title} {len(network.values) + 1}"


def _vertices(network: _Pajek, rest: str, line: int) -> str:
    count = rest.split()[:1]
    if not count or not count[0].isdecimal() or len(count[0]) > 10:
        raise network.file.error(f"the number of nodes was expected after *Vertices; {shorten(rest)} given.", line)
    network.count = int(count[0])
    network.file.check_nodes(network.count)
    return "vertices"


def _take(network: _Pajek, section: str, title: str, line: str, number: int) -> None:
    """Read one line of a section."""
    if section == "vertices":
        match = _VERTEX.match(line)
        node = int(match[1]) if match else 0
        if match is None or not 1 <= node <= network.count:
            raise _wrong(network, line, number, f"a node's number (1 to {network.count:,}) and label")
        network.labels[node] = match[2] if match[2] is not None else (match[3] or match[1])
    elif section in ("arcs", "edges"):
        first, second = _nodes(network, line, number, line.split()[:2])
        network.ends.append((first, second))
        network.weights.extend(_weight(line.split()[2:3]))
    elif section in ("arcslist", "edgeslist"):
        first, *others = _nodes(network, line, number, line.split())
        network.ends.extend((first, other) for other in others)
    elif section == "matrix":
        network.rows.append(_numbers(network, line, number))
    elif section in ("partition", "vector"):
        network.values[title].extend(_numbers(network, line, number)[:1])
    elif section == "":
        raise _wrong(network, line, number, "'*Vertices' and the number of nodes")


def _wrong(network: _Pajek, line: str, number: int, expected: str) -> Exception:
    return network.file.error(f"{shorten(line.rstrip())} was given; {expected} was expected.", number)


def _nodes(network: _Pajek, line: str, number: int, words: list[str]) -> list[int]:
    found = [abs(int(word)) if re.fullmatch(r"-?\d{1,10}", word, re.ASCII) else 0 for word in words]
    if len(found) < 2 or not all(1 <= node <= network.count for node in found):
        raise _wrong(network, line, number, f"the numbers of two nodes (1 to {network.count:,})")
    return found


def _weight(words: list[str]) -> list[float]:
    try:
        return [float(word) for word in words]
    except ValueError:  # a label or a colour
        return []


def _numbers(network: _Pajek, line: str, number: int) -> list[float]:
    try:
        return [float(word) for word in line.split()]
    except ValueError:
        raise _wrong(network, line, number, "numbers") from None


def _pajek_links(network: _Pajek) -> EdgeList:
    links = _from_matrix(network) if network.rows else None
    ends = np.array(network.ends, dtype=np.int64).reshape(-1, 2) - 1
    first, second = (ends[:, 0], ends[:, 1]) if links is None else (links.first, links.second)
    names, labels, notes = _pajek_names(network)
    columns = pd.DataFrame(labels | _pajek_columns(network, notes), index=pd.RangeIndex(network.count))
    if network.ignored:
        notes.append(f"Only the first network was read; ignored: {', '.join(sorted(network.ignored))[:200]}.")
    weights = (count_weights(network.weights) or Weights()) if links is None else links.weights
    directed = network.directed or (links is not None and links.directed)
    return EdgeList(names, first, second, columns, weights=weights, directed=directed, notes=tuple(notes))


def _from_matrix(network: _Pajek) -> EdgeList:
    if {len(row) for row in network.rows} != {network.count} or len(network.rows) != network.count:
        raise network.file.error(f"the *Matrix is not square: {network.count:,} rows of as many numbers were expected.")
    return matrix_edges(np.array(network.rows))


def _pajek_names(network: _Pajek) -> tuple[pd.Index[Any], dict[str, list[str]], list[str]]:
    labels = [network.labels.get(number) or str(number) for number in range(1, network.count + 1)]
    if len(set(labels)) == len(labels):
        return names_from_texts(labels), {}, []
    note = "Nodes are named by their numbers, as some labels are the same; the column 'label' has the labels."
    return pd.Index(np.arange(1, network.count + 1)), {"label": labels}, [note]


def _pajek_columns(network: _Pajek, notes: list[str]) -> dict[str, pd.Series[Any]]:
    columns: dict[str, pd.Series[Any]] = {}
    for title, values in network.values.items():
        if len(values) == network.count:
            whole = all(value.is_integer() and abs(value) < _EXACT for value in values)
            columns[title] = pd.Series(values).astype("int64") if whole else pd.Series(values)
        else:
            notes.append(f"{title!r} was ignored: it has {len(values):,} values for {network.count:,} nodes.")
    return columns
