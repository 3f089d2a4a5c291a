"""--unknown PAIRS and --known PAIRS, for commands that read a network."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from netgiven.cli.printing import tell
from netgiven.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from netgiven.network import Network

UnknownPairs = Annotated[
    Path | None,
    typer.Option("--unknown", help="Pairs of which nobody knows whether they are linked, two names a line."),
]
KnownPairs = Annotated[
    Path | None,
    typer.Option("--known", help="Pairs that are known to have no link; of all others that are no links nobody knows."),
]


def with_unknown(network: Network, unknown: Path | None, known: Path | None, nodes: Path | None) -> Network:
    """The network with the pairs of one of two files.

    Nodes of which no link is known stand in these pairs alone: they are taken from there, unless a table names all.
    """
    from netgiven.readers import read_pairs

    if unknown is not None and known is not None:
        raise InputError("Give --unknown or --known, not both: each says of all pairs whether they are known.")
    listed = unknown if known is None else known
    if listed is None:
        return network
    pairs, notes = read_pairs(listed, network.nodes)
    for note in notes:
        tell(note)
    if nodes is None:
        network = _with_nodes_of(network, pairs, listed)
    return network.with_known(pairs) if unknown is None else network.with_unknown(pairs)


def _with_nodes_of(network: Network, pairs: pd.DataFrame, listed: Path) -> Network:
    import pandas as pd

    from netgiven.analysis.add_nodes import joined_network, told_arrivals
    from netgiven.edges import counted

    named = pd.Index(pd.unique(pairs[["u", "v"]].to_numpy().ravel()))
    new = named[network.nodes.get_indexer(named) < 0]
    if not len(new):
        return network
    tell(f"{counted(len(new), 'node')} of {listed} without a link: {_some(new)}")
    return joined_network(
        network, told_arrivals(network, {name: [] for name in new}, pd.DataFrame(index=range(len(new))))
    )


def _some(names: pd.Index[Any]) -> str:
    """The first names of many."""
    from netgiven.edges import shown

    return ", ".join(shown(name) for name in names[:3]) + (" ..." if len(names) > 3 else "")
