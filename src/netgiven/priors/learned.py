"""A prior learned on one network and applied to another: last year's degrees, the mixing of groups in a census."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from netgiven.edges import shown
from netgiven.errors import InputError
from netgiven.network import Network
from netgiven.priors.prior import Prior
from netgiven.types import Int64Array


@dataclass(frozen=True, eq=False)
class Learned:
    """What a prior says of nodes that another network has, too.

    A node of the other network gets its groups from a node with the same values in the columns that the knowledge is
    about. What is known of single nodes, such as degrees, it gets from the node of the same name.
    """

    prior: Prior
    columns: pd.DataFrame  # of the network that the prior was learned on: those that the knowledge is about

    def __str__(self) -> str:
        return f"{self.prior.knowledge} (learned elsewhere)"

    def __add__(self, other: object) -> Learned:
        raise InputError(
            f"{self} stands alone: add up what is known first, then learn it, as in (a + b).learn(network)."
        )

    __radd__ = __add__

    def fit(self, network: Network) -> Prior:
        """The prior for the nodes of another network."""
        names = map(str, self.columns.columns)
        values = pd.DataFrame({name: network.column(name) for name in names}, index=range(network.node_count))
        by_value, by_name = self.twins(values), self.prior.nodes.get_indexer(network.nodes)
        prior = self.prior
        if prior.listed is not None and not prior.nodes.equals(network.nodes):
            raise InputError(
                f"{self} is about pairs of nodes: it needs a network with the same nodes in the same order."
            )
        return Prior(
            knowledge=str(self),
            nodes=network.nodes,
            own=np.stack([self._taken(row, by_value, by_name, network) for row in prior.own]),
            basis=np.stack([self._taken(row, by_value, by_name, network) for row in prior.basis]),
            group=np.stack([self._taken(row, by_value, by_name, network) for row in prior.group]),
            tables=prior.tables,
            width=prior.width,
            listed=prior.listed,
        )

    @cached_property
    def _kinds(self) -> npt.NDArray[np.intp]:
        """A number for each node of the learned network: the same for those with the same values."""
        return np.asarray(pd.factorize(self._keys(self.columns))[0])

    def _keys(self, columns: pd.DataFrame) -> pd.Index[Any]:
        """The values of each node, as one text."""
        texts = columns.astype("str").where(columns.notna(), "\0")
        return pd.Index(texts.agg("\1".join, axis=1) if len(texts.columns) else [""] * len(texts))

    def twins(self, values: pd.DataFrame) -> Int64Array:
        """For each row, a node of the learned network with the same values in all columns; -1 where there is none."""
        there = self._keys(self.columns)
        places = pd.Series(np.arange(len(there)), index=there)
        first = places[~places.index.duplicated()]
        return first.reindex(self._keys(values), fill_value=-1).to_numpy()

    def _taken(
        self, row: npt.NDArray[Any], by_value: Int64Array, by_name: npt.NDArray[np.intp], network: Network
    ) -> npt.NDArray[Any]:
        """A number for each node, by its values if these tell it, otherwise by its name."""
        told = pd.Series(row).groupby(self._kinds).nunique().max() == 1 if len(row) else True
        twins = by_value if told else by_name
        lost = np.flatnonzero(twins < 0)
        if len(lost):
            what = (
                f"has values in {', '.join(map(str, self.columns.columns))} that no node there has"
                if told
                else "is not there"
            )
            raise InputError(
                f"{self}: node {shown(network.nodes[lost[0]])} {what}, so nothing is known of it ({len(lost):,} such "
                "nodes). Learn on a network that holds them, or leave them out."
            )
        return row[twins]
