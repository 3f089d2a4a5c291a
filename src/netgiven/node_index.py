"""Node numbers by names, with suggestions for names that are not there."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
import pandas as pd

from netgiven.edges import check_name, names_index, shown, to_python, typed_series
from netgiven.errors import InputError, UnknownNode
from netgiven.objects import pair_ends
from netgiven.types import Int64Array

Names = Iterable[Hashable]


def find_nodes(nodes: pd.Index[Any], names: Names) -> Int64Array:
    """Positions of `names` in `nodes`.

    Raises
    ------
    UnknownNode
        If a name is not there; the message suggests similar names.
    InputError
        If one text is given in place of a list.
    """
    if isinstance(names, str):
        raise InputError(f"A list of node names was expected, and one text given: {names!r}. Write [{names!r}].")
    if not isinstance(names, Iterable):
        raise InputError(f"A list of node names was expected, {shown(names)} given. Write [{shown(names)}].")
    wanted = names if isinstance(names, pd.Index) else names_index(typed_series(list(names)))
    numbers = nodes.get_indexer(wanted).astype(np.int64)
    if len(numbers) and numbers.min() < 0:
        missing = to_python(wanted[int(np.argmin(numbers))])
        raise UnknownNode(f"There is no node {shown(missing)} among the {len(nodes):,} nodes.{_hint(nodes, missing)}")
    return numbers


def _hint(nodes: pd.Index[Any], missing: Hashable) -> str:
    import difflib

    # difflib takes time quadratic in the length of names, so it gets the beginnings of some names.
    looks = {str(name)[:60]: name for name in nodes[:20_000].tolist()}
    alike = looks.get(str(missing))
    if alike is not None and type(alike) is not type(missing):
        return f" There is one of another type: {shown(alike)} is {type(alike).__name__}, not {type(missing).__name__}."
    near = difflib.get_close_matches(str(missing)[:60], list(looks), n=3)
    if near:
        return f" Did you mean {', '.join(near)}?"
    return f" The first ones are {', '.join(list(looks)[:3])}." if looks else ""


# ---- Pairs of names --------------------------------------------------------------------------------------------------


def number_pairs(nodes: pd.Index[Any], pairs: Any) -> tuple[Int64Array, Int64Array]:
    """Node numbers of the two ends of each pair: a sequence of pairs, an array, or a table of any library.

    >>> number_pairs(pd.Index(["a", "b"]), [("b", "a")])
    (array([1]), array([0]))
    """
    first, second = pair_ends(pairs, nodes)
    return find_nodes(nodes, first), find_nodes(nodes, second)


def number_of(nodes: pd.Index[Any], name: Hashable) -> int:
    """The number of one node, ten times as fast as `find_nodes`.

    >>> number_of(pd.Index(["a", "b"]), "b")
    1
    """
    check_name(name)
    place: Any = nodes.get_loc(name) if name in nodes else find_nodes(nodes, [name])[0]
    return int(place)


def name_from_text(nodes: pd.Index[Any], text: str) -> Any:
    """The node name that a typed text stands for: text, or a number if names are numbers.

    Parameters
    ----------
    nodes
        Names of nodes.
    text
        The text.

    Returns
    -------
    name
        The name; the text itself where no node is called so.

    Examples
    --------
    >>> name_from_text(pd.Index([3, 5]), "5")
    5
    """
    check_name(text)
    if text in nodes or not isinstance(text, str):
        return text
    for kind in (int, float):
        try:
            if kind(text) in nodes:
                return kind(text)
        except ValueError:
            continue
    return text
