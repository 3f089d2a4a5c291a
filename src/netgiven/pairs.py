"""Pairs of node names, as people give them, to pairs of node numbers."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from netgiven.cleaning import shown
from netgiven.errors import InputError
from netgiven.names import find_nodes

Integers = npt.NDArray[np.int64]


def number_pairs(nodes: pd.Index[Any], pairs: Any) -> tuple[Integers, Integers]:
    """Node numbers of the two ends of each pair: a sequence of pairs, an array with two columns, or a data frame.

    >>> number_pairs(pd.Index(["a", "b"]), [("b", "a")])
    (array([1]), array([0]))
    """
    first, second = _ends(pairs)
    return find_nodes(nodes, first), find_nodes(nodes, second)


def number_of(nodes: pd.Index[Any], name: Hashable) -> int:
    """The number of one node: where the name is known, `find_nodes` takes ten times as long.

    >>> number_of(pd.Index(["a", "b"]), "b")
    1
    """
    place: Any = nodes.get_loc(name) if name in nodes else find_nodes(nodes, [name])[0]
    return int(place)


def _ends(pairs: Any) -> tuple[Any, Any]:
    if isinstance(pairs, pd.DataFrame):
        if pairs.shape[1] < 2:
            raise InputError(f"Pairs need two columns, the two ends; {pairs.shape[1]} given.")
        return pd.Index(pairs.iloc[:, 0]), pd.Index(pairs.iloc[:, 1])
    if isinstance(pairs, np.ndarray) and pairs.ndim == 2 and pairs.shape[1] >= 2:
        return pd.Index(pairs[:, 0]), pd.Index(pairs[:, 1])
    rows = list(pairs)
    for number, row in enumerate(rows):
        if isinstance(row, str) or not hasattr(row, "__len__") or len(row) != 2:
            raise InputError(f"Pair {number + 1} is {shown(row)}; a pair is two node names.")
    return [row[0] for row in rows], [row[1] for row in rows]


def name_from_text(nodes: pd.Index[Any], text: str) -> Any:
    """A name as it was typed, in the kind that this network's names are of.

    >>> name_from_text(pd.Index([3, 5]), "5")
    5
    """
    if text in nodes:
        return text
    for kind in (int, float):
        try:
            if kind(text) in nodes:
                return kind(text)
        except ValueError:
            continue
    return text
