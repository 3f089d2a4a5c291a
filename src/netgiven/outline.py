"""What is known of a network whose links lie on many machines."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from netgiven.edges import Cleaning
from netgiven.errors import InputError
from netgiven.network import Network
from netgiven.types import Int32Array, Int64Array


class Outline(Network):
    """The nodes of a network whose links no machine holds all: names, degrees, columns.

    What asks for the links themselves gets an error that says so.
    """

    def __init__(
        self, nodes: pd.Index[Any], degrees: Int64Array, cleaning: Cleaning, notes: tuple[str, ...] = ()
    ) -> None:
        indptr = np.concatenate([[0], np.cumsum(degrees)])
        fields = {"nodes": nodes, "indptr": indptr, "cleaning": cleaning, "notes": notes}
        for name, value in {**fields, "columns": pd.DataFrame(index=pd.RangeIndex(len(nodes)))}.items():
            object.__setattr__(self, name, value)

    @property
    def link_count(self) -> int:
        """Number of links, each counted once."""
        return int(self.indptr[-1]) // 2

    @property
    def indices(self) -> Int32Array:
        """Not here."""
        raise InputError(
            "This needs all links in one place, and the network lies in parts: given density or degrees, with the "
            "start smoothed or random, it can be embedded. For anything else, read it from one file."
        )
