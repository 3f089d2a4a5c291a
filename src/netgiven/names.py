"""Finding nodes by their names."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from netgiven.cleaning import names_index, plain, shown, typed_series
from netgiven.errors import InputError, UnknownNode

Names = Iterable[Hashable]


def find_nodes(nodes: pd.Index[Any], names: Names) -> npt.NDArray[np.int64]:
    """Positions of `names` in `nodes`; the first one that is not there is told, with the names nearest to it."""
    if isinstance(names, str):
        raise InputError(f"A list of node names was expected, and one text given: {names!r}. Write [{names!r}].")
    wanted = names if isinstance(names, pd.Index) else names_index(typed_series(list(names)))
    numbers = nodes.get_indexer(wanted).astype(np.int64)
    if len(numbers) and numbers.min() < 0:
        missing = plain(wanted[int(np.argmin(numbers))])
        told = f"There is no node {shown(missing)} among the {len(nodes):,} nodes."
        raise UnknownNode(told + _nearest(nodes, missing))
    return numbers


def _nearest(nodes: pd.Index[Any], missing: Hashable) -> str:
    import difflib

    # The time that difflib takes grows with the square of a name's length: it sees the beginnings of some names.
    looks = {str(name)[:60]: name for name in nodes[:20_000].tolist()}
    alike = looks.get(str(missing))
    if alike is not None and type(alike) is not type(missing):
        return f" There is one of another type: {shown(alike)} is {type(alike).__name__}, not {type(missing).__name__}."
    near = difflib.get_close_matches(str(missing)[:60], list(looks), n=3)
    if near:
        return f" Did you mean {', '.join(near)}?"
    return f" The first ones are {', '.join(list(looks)[:3])}." if looks else ""
