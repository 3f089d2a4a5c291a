"""Pajek networks (.net) and projects (.paj)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from netgiven.edges import Links
from netgiven.network import matrix_links
from netgiven.readers.columns import check_size, names_from_texts
from netgiven.readers.files import File
from netgiven.readers.lines import checked_text, lines_of, shorten

_VERTEX = re.compile(r'\s*(\d+)(?:\s+(?:"([^"]*)"|(\S+)))?', re.ASCII)
_LISTS = {"arcs", "edges", "arcslist", "edgeslist", "matrix"}


@dataclass
class _Network:
    """What was read so far."""

    file: File
    count: int = 0
    labels: dict[int, str] = field(default_factory=dict)
    ends: list[tuple[int, int]] = field(default_factory=list)
    rows: list[list[float]] = field(default_factory=list)
    values: dict[str, list[float]] = field(default_factory=dict)
    weighted: bool = False
    directed: bool = False
    ignored: set[str] = field(default_factory=set)


def read_pajek(file: File) -> Links:
    """Links from the first network of a Pajek file; partitions and vectors of a project become node columns.

    >>> data = b'*Vertices 3\\n1 "ann"\\n2 "bob"\\n*Edges\\n1 2\\n'
    >>> read_pajek(File("friends.net", ".net", data)).names.tolist()  # a node without label is named by its number
    ['ann', 'bob', '3']
    """
    network = _Network(file)
    section, title = "", ""
    for number, line in lines_of(checked_text(file)):
        words = line.split()
        if not words or words[0].startswith("%"):
            continue
        if line.lstrip().startswith("*"):
            section, title = _begin(network, section, title, words, number)
        else:
            _take(network, section, title, line, number)
    if not network.count:
        raise file.error("there are no nodes; '*Vertices 3' was expected, with their number.")
    return _links(network)


def _begin(network: _Network, section: str, title: str, words: list[str], line: int) -> tuple[str, str]:
    name = words[0][1:].lower()
    rest = " ".join(words[1:])
    if name == "vertices":
        if section in ("partition", "vector"):  # the size of the network, once more
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


def _free_title(network: _Network, title: str) -> str:
    return title if title not in network.values else f"{title} {len(network.values) + 1}"


def _vertices(network: _Network, rest: str, line: int) -> str:
    count = rest.split()[:1]
    if not count or not count[0].isdecimal() or len(count[0]) > 10:
        raise network.file.error(f"the number of nodes was expected after *Vertices; {shorten(rest)} given.", line)
    network.count = int(count[0])
    check_size(network.file, network.count, len(network.file.data))
    return "vertices"


def _take(network: _Network, section: str, title: str, line: str, number: int) -> None:
    """One line of a section."""
    if section == "vertices":
        match = _VERTEX.match(line)
        if match is None or not 1 <= int(match[1][:12]) <= network.count:
            raise _wrong(network, line, number, f"a node's number (1 to {network.count:,}) and label")
        network.labels[int(match[1])] = match[2] if match[2] is not None else (match[3] or match[1])
    elif section in ("arcs", "edges"):
        first, second = _nodes(network, line, number, line.split()[:2])
        network.ends.append((first, second))
        network.weighted |= _is_weight(line.split()[2:3])
    elif section in ("arcslist", "edgeslist"):
        first, *others = _nodes(network, line, number, line.split())
        network.ends.extend((first, other) for other in others)
    elif section == "matrix":
        network.rows.append(_numbers(network, line, number))
    elif section in ("partition", "vector"):
        network.values[title].extend(_numbers(network, line, number)[:1])
    elif section == "":
        raise _wrong(network, line, number, "'*Vertices' and the number of nodes")


def _wrong(network: _Network, line: str, number: int, expected: str) -> Exception:
    return network.file.error(f"{shorten(line.rstrip())} was given; {expected} was expected.", number)


def _nodes(network: _Network, line: str, number: int, words: list[str]) -> list[int]:
    found = [abs(int(word)) if re.fullmatch(r"-?\d{1,10}", word, re.ASCII) else 0 for word in words]
    if len(found) < 2 or not all(1 <= node <= network.count for node in found):
        raise _wrong(network, line, number, f"the numbers of two nodes (1 to {network.count:,})")
    return found


def _is_weight(words: list[str]) -> bool:
    try:
        return bool(words) and float(words[0]) != 1
    except ValueError:
        return False


def _numbers(network: _Network, line: str, number: int) -> list[float]:
    try:
        return [float(word) for word in line.split()]
    except ValueError:
        raise _wrong(network, line, number, "numbers") from None


def _links(network: _Network) -> Links:
    links = _from_matrix(network) if network.rows else None
    ends = np.array(network.ends, dtype=np.int64).reshape(-1, 2) - 1
    first, second = (ends[:, 0], ends[:, 1]) if links is None else (links.first, links.second)
    names, labels, notes = _names(network)
    columns = pd.DataFrame(labels | _columns(network, notes), index=pd.RangeIndex(network.count))
    if network.ignored:
        notes.append(f"Only the first network was read; ignored: {', '.join(sorted(network.ignored))[:200]}.")
    weighted = network.weighted or (links is not None and links.weighted)
    directed = network.directed or (links is not None and links.directed)
    return Links(names, first, second, columns, weighted=weighted, directed=directed, notes=tuple(notes))


def _from_matrix(network: _Network) -> Links:
    if {len(row) for row in network.rows} != {network.count} or len(network.rows) != network.count:
        raise network.file.error(f"the *Matrix is not square: {network.count:,} rows of as many numbers were expected.")
    return matrix_links(np.array(network.rows))


def _names(network: _Network) -> tuple[pd.Index[Any], dict[str, list[str]], list[str]]:
    labels = [network.labels.get(number) or str(number) for number in range(1, network.count + 1)]
    if len(set(labels)) == len(labels):
        return names_from_texts(labels), {}, []
    note = "Nodes are named by their numbers, as some labels are the same; the column 'label' has the labels."
    return pd.Index(np.arange(1, network.count + 1)), {"label": labels}, [note]


def _columns(network: _Network, notes: list[str]) -> dict[str, pd.Series[Any]]:
    columns: dict[str, pd.Series[Any]] = {}
    for title, values in network.values.items():
        if len(values) == network.count:
            whole = all(value.is_integer() for value in values)
            columns[title] = pd.Series(values).astype("int64") if whole else pd.Series(values)
        else:
            notes.append(f"{title!r} was ignored: it has {len(values):,} values for {network.count:,} nodes.")
    return columns
