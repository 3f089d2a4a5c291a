"""What can be given of a network: the kinds of knowledge that its columns allow, each with a sentence for a person."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from netgiven import priors
from netgiven.network import Network
from netgiven.priors import Knowledge
from netgiven.priors.columns import is_numeric

MOST_GROUPS = 200  # more are names rather than groups
FEW_NUMBERS = 20  # so many different numbers can be groups as well


@dataclass(frozen=True)
class Option:
    """A kind of knowledge that can be ticked: the column that it is about (or none), and what it says, in short and in
    a sentence.
    """

    column: str | None
    title: str
    sentence: str
    make: Callable[[], Knowledge]

    @property
    def text(self) -> str:
        """As the command line takes it."""
        return str(self.make().kinds[-1])


def options(network: Network) -> list[Option]:
    """All that can be given of this network.

    >>> from netgiven.datasets import company
    >>> [option.text for option in options(company(30))][:5]
    ['density', 'degrees', 'assortativity', 'common_neighbours', 'blocks:department']
    """
    general = [
        Option(None, "number of links", "How many links there are, and nothing else.", priors.density),
        Option(None, "links of each node", "How many links each node has.", priors.degrees),
        Option(None, "hubs and hubs", "How much nodes with many links link to each other.", priors.assortativity),
        Option(None, "friends of friends", "How much nodes with common neighbours link.", priors.common_neighbours),
    ]
    return general + [option for name in map(str, network.columns) for option in _of_column(network, name)]


def _of_column(network: Network, name: str) -> list[Option]:
    codes, values = network.groups(name)
    if _lacks_values(network, codes) or len(values) < 2 or not name:
        return []
    numeric = is_numeric(network, name)
    found = _of_numbers(name) if numeric else []
    if len(values) <= (FEW_NUMBERS if numeric else min(MOST_GROUPS, network.node_count // 2)):
        found += _of_groups(name, numeric)
    return found


def _of_groups(name: str, numeric: bool) -> list[Option]:
    blocks = Option(name, "its groups", "How densely groups link, within and between.", partial(priors.blocks, name))
    equal = Option(name, "like to like", "How many links are within one group.", partial(priors.homophily, name))
    each = "How many links each node has to each group."
    towards = Option(name, "links to each group", each, partial(priors.group_degrees, name))
    return [blocks, towards] if numeric else [blocks, equal, towards]


def _of_numbers(name: str) -> list[Option]:
    return [
        Option(name, "distance", "How many links there are at each distance.", partial(priors.order, name)),
        Option(name, "near to near", "How near the values of linked nodes are.", partial(priors.homophily, name)),
    ]


def _lacks_values(network: Network, codes: np.typing.NDArray[np.int32]) -> bool:
    return bool(((codes < 0) & (network.degrees > 0)).any())


def unusable(network: Network) -> list[str]:
    """A sentence for each column that cannot be given."""
    offered = {option.column for option in options(network)}
    return [f"{name}: {_reason(network, name)}." for name in map(str, network.columns) if name not in offered]


def _reason(network: Network, name: str) -> str:
    codes, values = network.groups(name)
    if _lacks_values(network, codes):
        return "some linked nodes have no value"
    return "all values are the same" if len(values) < 2 else "nearly every node has a value of its own"


def together(chosen: Sequence[Option]) -> Knowledge:
    """The sum of what is ticked; the density where nothing is.

    >>> together([])
    density
    """
    total = Knowledge(())
    for option in chosen:
        total = total + option.make()
    return total if chosen else priors.density()
