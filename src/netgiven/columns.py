"""Node columns: which hold groups, which hold numbers on a scale, and which groups are never linked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from netgiven.network import Network, hashable
from netgiven.types import BoolArray, Float64Array

FEW = 8  # a column with at most this many different numbers is one of groups
FEW_NUMBERS = 50  # whole numbers with at most this many different values, each of two nodes or more, may be codes
MAX_GROUPS = 200  # a column with more values may hold names rather than groups
NEARLY_ALL = 0.95  # of the nodes: with so many different texts, a column holds names
FIRST = 10_000  # nodes whose values tell most columns of names from columns of groups


def is_scale(column: pd.Series[Any]) -> bool:
    """Whether a column holds numbers with more than a few different values, and no codes of groups."""
    numeric = pd.api.types.is_numeric_dtype(column.dtype) and not pd.api.types.is_bool_dtype(column.dtype)
    if not numeric or pd.api.types.is_complex_dtype(column.dtype) or column.nunique() <= FEW:
        return False
    return not are_codes(column.dropna().to_numpy(dtype=np.float64))


def are_codes(values: Float64Array) -> bool:
    """Whether numbers are numbers of groups: whole, counted from 0 or 1 with few gaps, each of two nodes or more.

    >>> are_codes(np.arange(100) % 42.0), are_codes(np.arange(100) % 42.0 + 1980), are_codes(np.arange(100.0))
    (True, False, False)
    """
    found = np.unique(values)
    few = 1 < len(found) <= min(FEW_NUMBERS, len(values) // 2)
    whole = few and found[0] in (0, 1) and bool(np.all(found % 1 == 0))
    return whole and bool(found[-1] < 2 * len(found))


def columns_of_groups(network: Network, most: int = MAX_GROUPS) -> list[str]:
    """Columns that divide nodes into 2 groups or more, at most 200, of two nodes or more on average."""
    most = min(most, network.node_count // 2)
    names = (str(name) for name, values in network.columns.items() if not is_scale(values))
    return [name for name in names if not _has_more(network, name, most) and 2 <= len(network.groups(name)[1]) <= most]


def columns_of_many_groups(network: Network, least: int = MAX_GROUPS) -> dict[str, int]:
    """Columns with more groups, still of two nodes or more on average, and how many.

    >>> links = [(k, k + 1) for k in range(999)]
    >>> nodes = {"node": range(1000), "city": [f"city {k % 300}" for k in range(1000)], "name": map(str, range(1000))}
    >>> columns_of_many_groups(Network.from_edges(links, nodes))
    {'city': 300}
    """
    counts = {str(name): _count(values) for name, values in network.columns.items() if not is_scale(values)}
    return {name: count for name, count in counts.items() if least < count <= network.node_count // 2}


def _has_more(network: Network, name: str, most: int) -> bool:
    """Whether the first nodes have more values already: sorting a million names to count them takes a second."""
    return _count(network.column(name).iloc[:FIRST]) > most


def _count(values: pd.Series[Any]) -> int:
    try:
        return int(values.nunique())
    except TypeError:  # lists, for example; to ask before would take as long as to count
        return int(hashable(values).nunique())


def node_texts(network: Network) -> list[str]:
    """What nodes are called where they are shown: their names, or better texts if these are bare numbers.

    Better are those of the first column in which nearly every node has a text of its own; a node without one keeps its
    number.

    >>> nodes = {"node": [7, 8, 9], "kind": ["a", "a", "b"], "title": ["Emma", "Dune", "Kim"]}
    >>> node_texts(Network.from_edges([(7, 8), (8, 9)], nodes))
    ['Emma', 'Dune', 'Kim']
    >>> node_texts(Network.from_edges([("x", "y")], {"node": ["x", "y"], "title": ["Emma", "Dune"]}))
    ['x', 'y']
    """
    names = [str(name) for name in network.nodes]
    columns = network.columns.items() if _are_numbers(names) else ()
    for _, values in columns:
        if _are_names(values):
            return [
                text if isinstance(text, str) and text.strip() else name
                for name, text in zip(names, values, strict=True)
            ]
    return names


def _are_names(values: pd.Series[Any]) -> bool:
    """Whether a column holds texts, not numbers written as texts, of which nearly every node has its own."""
    if pd.api.types.is_numeric_dtype(values.dtype) or _count(values) < NEARLY_ALL * len(values):
        return False
    texts = [text for text in values if isinstance(text, str)]
    return len(texts) >= NEARLY_ALL * len(values) and not _are_numbers(texts)


def _are_numbers(texts: list[str]) -> bool:
    return all(text.isdecimal() for text in texts)


def groups_without_links(network: Network, column: str) -> BoolArray:
    """Which pairs of groups no link joins, once for each pair: the entry [a, b] with a <= b.

    >>> pairs = Network.from_edges([(0, 1), (2, 3)], {"node": range(4), "side": ["x", "y", "x", "y"]})
    >>> groups_without_links(pairs, "side").tolist()
    [[True, False], [False, True]]
    """
    codes, values = network.groups(column)
    first, second = np.repeat(codes, network.degrees), codes[network.indices]  # each link from both ends
    both = (first >= 0) & (second >= 0)
    linked = np.zeros((len(values), len(values)), dtype=bool)
    linked[first[both], second[both]] = True
    return np.asarray(np.triu(~linked))
