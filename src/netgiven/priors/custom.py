"""Known: the sum over links of any weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any, TypeVar

import numpy as np
from scipy import sparse

from netgiven.errors import InputError
from netgiven.network import Network
from netgiven.priors.columns import check_present
from netgiven.priors.constraint import Kind, PairKind
from netgiven.priors.features import Product, Table, Term
from netgiven.priors.knowledge import Knowledge
from netgiven.priors.layout import Classes
from netgiven.types import Float64Array, Int64Array

MOST_VALUES = 2_000


class FunctionConstraint(Kind):
    """f(i, j) = function(a, b), for the values a and b of two nodes in some columns."""

    def __init__(
        self, name: str, function: Callable[[Any, Any], Any], columns: tuple[str, ...], total: float | None
    ) -> None:
        self.name, self.function, self._columns, self.total = name, function, columns, total

    def __str__(self) -> str:
        return f"constraint:{self.name}"

    @property
    def columns(self) -> tuple[str, ...]:
        """Those that the function looks at."""
        return self._columns

    def key(self, network: Network) -> Int64Array:
        """The values of all columns."""
        total = np.zeros(network.node_count, dtype=np.int64)
        for column in self.columns:
            codes, _ = network.groups(column)
            check_present(network, codes < 0, column, self)
            total = np.unique(total * (int(codes.max(initial=0)) + 2) + codes + 1, return_inverse=True)[1]
        return total.astype(np.int64)

    def term(self, network: Network, classes: Classes) -> Table:
        """A table over the values that occur together."""
        group = self.key(network)
        count = int(group.max(initial=0)) + 1
        if count > MOST_VALUES:
            raise InputError(
                f"{self}: the columns {', '.join(self.columns)} have {count:,} distinct values; {MOST_VALUES:,} are "
                "the most. Round or bin them, or give the weights as a matrix."
            )
        one = np.zeros(count, dtype=np.int64)
        one[group] = np.arange(len(group))
        weights = sparse.csr_array(self._weights(network, one).reshape(-1, 1))
        return _told(Table(group[classes.representative], weights), self.total)

    def _weights(self, network: Network, one: Int64Array) -> Float64Array:
        """The function of all pairs of values; `one` is a node with each."""
        values = {column: network.column(column).to_numpy()[one] for column in self.columns}
        first, second = (grid.ravel() for grid in np.meshgrid(*[np.arange(len(one))] * 2, indexing="ij"))
        ours = SimpleNamespace(**{column: value[first] for column, value in values.items()})
        theirs = SimpleNamespace(**{column: value[second] for column, value in values.items()})
        weights = np.asarray(self.function(ours, theirs), dtype=np.float64)
        if weights.shape != first.shape:
            raise InputError(
                f"{self}: the function gave an array of shape {weights.shape} for {len(first):,} pairs. It takes two "
                "records of arrays, e.g. lambda a, b: abs(a.age - b.age) < 5, and gives one weight a pair."
            )
        return _checked(weights.reshape(len(one), len(one)), self)


class LowRankConstraint(Kind):
    """f(i, j) = x_i . x_j, for a row of numbers x_i a node."""

    def __init__(self, name: str, factors: Float64Array, total: float | None) -> None:
        self.name, self.factors, self.total = name, factors, total

    def __str__(self) -> str:
        return f"constraint:{self.name}"

    def key(self, network: Network) -> Int64Array:
        """The row of numbers."""
        _check_rows(len(self.factors), network, self)
        return np.unique(self.factors, axis=0, return_inverse=True)[1].ravel().astype(np.int64)

    def term(self, network: Network, classes: Classes) -> Product:
        """Products."""
        some = self.factors[classes.representative]
        return _told(Product(np.zeros(len(some)), np.ascontiguousarray(some.T)), self.total)


class MatrixConstraint(PairKind):
    """f(i, j) = an entry of a symmetric sparse matrix."""

    def __init__(self, name: str, weights: sparse.csr_array, total: float | None) -> None:
        self.name, self.weights, self.total = name, weights, total

    def __str__(self) -> str:
        return f"constraint:{self.name}"

    def matrix(self, network: Network) -> sparse.csr_array:
        """The entries that are there."""
        _check_rows(self.weights.shape[0], network, self)
        return self.weights


def constraint(
    weights: Any, columns: str | Sequence[str] = (), *, name: str = "weights", total: float | None = None
) -> Knowledge:
    """Known: the sum over links of any weights w_ij. logit P_ij = lambda w_ij, and what else is known.

    `weights` is one of

    - a function of two records, which hold the values of `columns` as arrays, one entry a pair
    - a sparse symmetric matrix, in the order of the network's nodes (the diagonal is ignored)
    - an array with a row x_i for each node: w_ij = x_i . x_j

    `total` is what the sum is known to be, where that is not what the network shows.

    Alone it says nothing of the number of links: add `density()` or `degrees()`. Constraints of one sum need different
    names.

    >>> constraint(lambda a, b: abs(a.age - b.age) < 5, columns="age", name="peers")
    constraint:peers
    """
    if not name or any(character in name for character in "+:"):
        raise InputError(f"name={name!r} was given to a constraint; a name without '+' and ':' is needed.")
    if total is not None and not (isinstance(total, (int, float, np.number)) and np.isfinite(total)):
        raise InputError(f"total={total!r} was given to constraint:{name}; a finite number is needed.")
    if callable(weights):
        named = (columns,) if isinstance(columns, str) else tuple(columns)
        if not named:
            raise InputError("A constraint by a function needs the node columns that it looks at: columns=['age'].")
        return Knowledge((FunctionConstraint(name, weights, named, total),))
    if sparse.issparse(weights):
        return Knowledge((MatrixConstraint(name, _cleaned(weights, name), total),))
    try:
        factors = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        factors = np.empty(0)
    if factors.ndim not in (1, 2) or not factors.size or not np.isfinite(factors).all():
        raise InputError(
            f"constraint:{name} was given {type(weights).__name__}; it needs a function, a sparse matrix, or an array "
            "of finite numbers with a row for each node."
        )
    return Knowledge((LowRankConstraint(name, factors.reshape(len(factors), -1), total),))


Shape = TypeVar("Shape", bound=Term)


def _told(term: Shape, total: float | None) -> Shape:
    """The term with its total, where that was told."""
    if total is not None:
        term.wanted = np.array([float(total)])
    return term


def _cleaned(weights: Any, name: str) -> sparse.csr_array:
    matrix = sparse.csr_array(weights).astype(np.float64)
    if matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"constraint:{name} was given a matrix of shape {matrix.shape}; it must be square.")
    matrix.setdiag(0)
    matrix.eliminate_zeros()
    difference = abs(matrix - matrix.T)
    if not np.isfinite(matrix.data).all() or difference.max() > 1e-9 * max(abs(matrix).max(), 1e-300):
        raise InputError(f"constraint:{name} was given a matrix that is not symmetric, or holds NaN or infinity.")
    return matrix


def _checked(weights: Float64Array, kind: object) -> Float64Array:
    """Symmetric and finite."""
    if not np.isfinite(weights).all():
        raise InputError(f"{kind}: the function gives NaN or infinity for some pairs of values.")
    if not np.allclose(weights, weights.T, rtol=1e-9, atol=1e-12):
        raise InputError(f"{kind}: the function depends on the order of the two nodes; links have no direction.")
    return weights


def _check_rows(rows: int, network: Network, kind: object) -> None:
    if rows != network.node_count:
        raise InputError(f"{kind} has weights for {rows:,} nodes; the network has {network.node_count:,}.")
