"""Known: how much nodes with equal or near values in a column link to each other."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from netgiven.errors import InputError
from netgiven.network import Network
from netgiven.priors.classes import Classes
from netgiven.priors.columns import check_column, groups_of, is_numeric, numbers_of
from netgiven.priors.density import density
from netgiven.priors.kind import Kind
from netgiven.priors.knowledge import Knowledge, word
from netgiven.priors.terms import Product, Table, Term
from netgiven.types import Int64Array


class Homophily(Kind):
    """equal: f(i, j) = 1 if the values are equal. near: f(i, j) = -(u_i - u_j)^2 / 2, in standard deviations."""

    def __init__(self, column: str, kind: str | None) -> None:
        self.column, self.kind = column, kind

    def __str__(self) -> str:
        return f"homophily:{self.column}" + (f":kind={self.kind}" if self.kind else "")

    def _near(self, network: Network) -> bool:
        return self.kind == "near" or (self.kind is None and is_numeric(network, self.column))

    @property
    def columns(self) -> tuple[str, ...]:
        """The one column."""
        return (self.column,)

    def key(self, network: Network) -> Int64Array:
        """The value."""
        if not self._near(network):
            return groups_of(network, self.column, self)[0]
        return np.unique(numbers_of(network, self.column, self), return_inverse=True)[1].astype(np.int64)

    def term(self, network: Network, classes: Classes) -> Term:
        """A table of ones on the diagonal, or -u_i^2 / 2 - u_j^2 / 2 + u_i u_j."""
        if self._near(network):
            numbers = numbers_of(network, self.column, self)
            spread = float(np.nanstd(numbers)) if np.isfinite(numbers).any() else 0.0
            values = np.nan_to_num((numbers - np.nanmean(numbers)) / spread) if spread else np.zeros(len(numbers))
            u = values[classes.representative]
            return Product(-(u**2) / 2, u[None])
        group, count = groups_of(network, self.column, self)
        return Table(group[classes.representative], sparse.csr_array(np.eye(max(count, 1)).reshape(-1, 1)))


@word("homophily")
def homophily(column: str, kind: str | None = None) -> Knowledge:
    """Known: how many links are between nodes with the same value of a column; or, where it holds numbers, how near
    the values of linked nodes are (the sum of squared differences over links).

    `kind` is "equal" or "near"; unless told, "near" for numbers and times and "equal" for all else. The number of links
    is known, too.

    >>> homophily("party")
    density+homophily:party
    """
    check_column(column, "homophily")
    if kind not in (None, "equal", "near"):
        raise InputError(f"homophily({column!r}, kind={kind!r}): the kind is 'equal' or 'near'.")
    return density() + Knowledge((Homophily(column, kind),))
