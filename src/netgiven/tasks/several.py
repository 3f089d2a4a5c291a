"""Several pieces of knowledge, as they are given to be compared."""

from __future__ import annotations

from collections.abc import Sequence

from netgiven.errors import InputError
from netgiven.network import Network
from netgiven.priors import Knowledge, parse_knowledge
from netgiven.priors.given import Given


def parse_several(given: Sequence[Given]) -> list[Given]:
    """Each of them, read where it is a text; a single one is no list."""
    if isinstance(given, (str, Knowledge)) or not given:
        raise InputError(f"{given!r} was given to compare; a list is needed, e.g. ['density', 'degrees'].")
    return [parse_knowledge(one) if isinstance(one, str) else one for one in given]


def check_columns(network: Network, known: Sequence[Given]) -> None:
    """A sentence before the first of many fits, if a column that is asked for is not there."""
    kinds = [kind for one in known if isinstance(one, Knowledge) for kind in one.kinds]
    for name in dict.fromkeys(name for kind in kinds for name in kind.columns):
        network.column(name)
