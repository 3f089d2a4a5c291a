"""Whatever holds a network in Python."""

from __future__ import annotations

from os import PathLike
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from netgiven.errors import InputError
from netgiven.network import Network
from netgiven.readers.families import read


def as_network(thing: Any) -> Network:
    """A network from what people have: a Network, a path, a networkx or igraph graph, a matrix, a data frame of links.

    >>> as_network(np.array([[0, 1], [1, 0]]))
    Network: 2 nodes, 1 link
    """
    if isinstance(thing, Network):
        return thing
    if isinstance(thing, (str, PathLike)):
        return read(thing)
    if isinstance(thing, pd.DataFrame):
        return Network.from_pandas(thing)
    if sparse.issparse(thing) or isinstance(thing, np.ndarray):
        return Network.from_scipy(thing)
    if hasattr(thing, "get_edgelist"):
        return Network.from_igraph(thing)
    if hasattr(thing, "adj") and hasattr(thing, "is_directed"):
        return Network.from_networkx(thing)
    raise InputError(
        f"A network was expected, {type(thing).__name__} given. Make one with netgiven.read(path) or with "
        "Network.from_edges, from_pandas, from_scipy, from_networkx or from_igraph."
    )
