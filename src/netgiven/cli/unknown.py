"""--unknown PAIRS and --known PAIRS, for commands that read a network."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from netgiven.cli.printing import tell
from netgiven.errors import InputError

if TYPE_CHECKING:
    from netgiven.network import Network

UnknownPairs = Annotated[
    Path | None,
    typer.Option("--unknown", help="Pairs of which nobody knows whether they are linked, two names a line."),
]
KnownPairs = Annotated[
    Path | None,
    typer.Option("--known", help="Pairs that are known to have no link; of all others that are no links nobody knows."),
]


def with_unknown(network: Network, unknown: Path | None, known: Path | None) -> Network:
    """The network with the pairs of one of two files."""
    from netgiven.readers import read_pairs

    if unknown is not None and known is not None:
        raise InputError("Give --unknown or --known, not both: each says of all pairs whether they are known.")
    listed = unknown if known is None else known
    if listed is None:
        return network
    pairs, notes = read_pairs(listed, network.nodes)
    for note in notes:
        tell(note)
    return network.with_known(pairs) if unknown is None else network.with_unknown(pairs)
