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
    """Knowledge learned on one network, to be given for another; made by `Knowledge.learn`.

    Each node of the other network takes its groups and coefficients from a node of the first. Coefficients that depend
    only on the columns read by the constraints come from a node with the same values in these columns; those of single
    nodes, such as the multipliers of degrees, from the node of the same name.

    Parameters
    ----------
    prior : Prior
        The prior fitted to the first network.
    columns : pandas.DataFrame
        The columns of the first network that the constraints read.

    Examples
    --------
    >>> from netgiven import degrees
    >>> last_year = Network.from_edges([("a", "b"), ("b", "c"), ("c", "d")])
    >>> this_year = Network.from_edges([("a", "c"), ("b", "c")])
    >>> learned = degrees().learn(last_year)
    >>> learned.fit(this_year).probability("b", "c")
    1.0
    """

    prior: Prior
    columns: pd.DataFrame

    def __str__(self) -> str:
        return f"{self.prior.knowledge} (learned elsewhere)"

    def __add__(self, other: object) -> Learned:
        raise InputError(
            f"{self} cannot be added to: add up the knowledge first, then learn it, as in (a + b).learn(network)."
        )

    __radd__ = __add__

    def fit(self, network: Network) -> Prior:
        """Apply what was learned to the nodes of another network.

        Parameters
        ----------
        network : Network
            The network to be explained. Its links are not looked at.

        Returns
        -------
        Prior
            A prior for its nodes; `checks` is empty, because nothing was fitted here.

        Raises
        ------
        InputError
            If a node has no counterpart in the network that was learned from, or if the knowledge is about pairs of
            nodes and the nodes differ.
        """
        names = map(str, self.columns.columns)
        values = pd.DataFrame({name: network.column(name) for name in names}, index=range(network.node_count))
        by_value, by_name = self.match(values), self.prior.nodes.get_indexer(network.nodes)
        prior = self.prior
        if prior.listed is not None and not prior.nodes.equals(network.nodes):
            raise InputError(
                f"{self} is about pairs of nodes: it needs a network with the same nodes in the same order."
            )
        return Prior(
            knowledge=str(self),
            nodes=network.nodes,
            left=np.stack([self._transfer(row, by_value, by_name, network) for row in prior.left]),
            right=np.stack([self._transfer(row, by_value, by_name, network) for row in prior.right]),
            group=np.stack([self._transfer(row, by_value, by_name, network) for row in prior.group]),
            tables=prior.tables,
            width=prior.width,
            listed=prior.listed,
        )

    def match(self, values: pd.DataFrame) -> Int64Array:
        """Return, for each row, a node that was learned from with the same values in all columns; -1 for none."""
        texts = _joined_texts(self.columns)
        numbers = pd.Series(np.arange(len(texts)), index=texts)
        first = numbers[~numbers.index.duplicated()]
        return first.reindex(_joined_texts(values), fill_value=-1).to_numpy()

    @cached_property
    def _value_codes(self) -> npt.NDArray[np.intp]:
        """One integer per node that was learned from, the same for nodes with the same values."""
        return np.asarray(pd.factorize(_joined_texts(self.columns))[0])

    def _transfer(
        self, row: npt.NDArray[Any], by_value: Int64Array, by_name: npt.NDArray[np.intp], network: Network
    ) -> npt.NDArray[Any]:
        """Carry over one number per node: by the node's values if they determine the number, otherwise by its name."""
        determined = pd.Series(row).groupby(self._value_codes).nunique().max() == 1 if len(row) else True
        matches = by_value if determined else by_name
        missing = np.flatnonzero(matches < 0)
        if len(missing):
            reason = (
                f"has values in {', '.join(map(str, self.columns.columns))} that no node there has"
                if determined
                else "is not there"
            )
            raise InputError(
                f"{self}: node {shown(network.nodes[missing[0]])} {reason}, so nothing is known of it "
                f"({len(missing):,} such nodes). Learn on a network that holds them, or leave them out."
            )
        return row[matches]


def _joined_texts(columns: pd.DataFrame) -> pd.Index[Any]:
    """Join the values of each node into one text."""
    texts = pd.DataFrame({name: _texts(columns[name]) for name in columns}, index=columns.index)
    texts = texts.where(columns.notna(), "\0")
    return pd.Index(texts.agg("\1".join, axis=1) if len(texts.columns) else [""] * len(texts))


def _texts(values: pd.Series[Any]) -> pd.Series[Any]:
    """Values as text. Whole numbers are written alike, as integers or as floats: gaps make floats of integers."""
    if not pd.api.types.is_float_dtype(values.dtype):
        return values.astype("str")
    whole = values.notna() & (values % 1 == 0) & (values.abs() < 2**53)
    return values.astype("str").where(~whole, values.where(whole, 0).astype("int64").astype("str"))
