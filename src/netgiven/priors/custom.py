"""A constraint on the sum over links of any weights: a function of node columns, a sparse matrix, or inner products."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any, TypeVar

import numpy as np
from scipy import sparse

from netgiven.errors import InputError
from netgiven.network import Network
from netgiven.priors.constraints import Constraint, PairConstraint, check_present
from netgiven.priors.features import FeatureBlock, ProductFeatures, TableFeatures
from netgiven.priors.knowledge import Knowledge
from netgiven.priors.layout import Classes, without_diagonal
from netgiven.types import Float64Array, Int64Array

MAX_VALUES = 2_000

Block = TypeVar("Block", bound=FeatureBlock)


class FunctionConstraint(Constraint):
    """f(i, j) = function(a, b), for the values a and b of two nodes in some columns."""

    def __init__(
        self, name: str, function: Callable[[Any, Any], Any], columns: tuple[str, ...], total: float | None
    ) -> None:
        self.name, self.function, self._columns, self.total = name, function, columns, total

    def __str__(self) -> str:
        return f"constraint:{self.name}"

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the function reads."""
        return self._columns

    def node_keys(self, network: Network) -> Int64Array:
        """The values of all columns."""
        keys = np.zeros(network.node_count, dtype=np.int64)
        for column in self.columns:
            codes, _ = network.groups(column)
            check_present(network, codes < 0, column, self)
            keys = np.unique(keys * (int(codes.max(initial=0)) + 2) + codes + 1, return_inverse=True)[1]
        return keys.astype(np.int64)

    def features(self, network: Network, classes: Classes) -> TableFeatures:
        """A table over the combinations of values that occur."""
        group = self.node_keys(network)
        count = int(group.max(initial=0)) + 1
        if count > MAX_VALUES:
            raise InputError(
                f"{self}: the columns {', '.join(self.columns)} have {count:,} distinct values; {MAX_VALUES:,} are "
                "the most. Round or bin them, or give the weights as a matrix."
            )
        example = np.zeros(count, dtype=np.int64)
        example[group] = np.arange(len(group))
        weights = sparse.csr_array(self._weights(network, example).reshape(-1, 1))
        return _with_total(TableFeatures(group[classes.representative], weights), self.total)

    def _weights(self, network: Network, example: Int64Array) -> Float64Array:
        """Evaluate the function for all pairs of values; `example` holds one node with each."""
        values = {column: network.column(column).to_numpy()[example] for column in self.columns}
        first, second = (grid.ravel() for grid in np.meshgrid(*[np.arange(len(example))] * 2, indexing="ij"))
        a = SimpleNamespace(**{column: value[first] for column, value in values.items()})
        b = SimpleNamespace(**{column: value[second] for column, value in values.items()})
        weights = np.asarray(self.function(a, b), dtype=np.float64)
        if weights.shape != first.shape:
            raise InputError(
                f"{self}: the function gave an array of shape {weights.shape} for {len(first):,} pairs. It takes two "
                "records of arrays, e.g. lambda a, b: abs(a.age - b.age) < 5, and returns one weight per pair."
            )
        return _check_symmetric(weights.reshape(len(example), len(example)), self)


class LowRankConstraint(Constraint):
    """f(i, j) = x_i . x_j, for one row of numbers x_i per node."""

    def __init__(self, name: str, factors: Float64Array, total: float | None) -> None:
        self.name, self.factors, self.total = name, factors, total

    def __str__(self) -> str:
        return f"constraint:{self.name}"

    def node_keys(self, network: Network) -> Int64Array:
        """The row of numbers."""
        _check_rows(len(self.factors), network, self)
        return np.unique(self.factors, axis=0, return_inverse=True)[1].ravel().astype(np.int64)

    def features(self, network: Network, classes: Classes) -> ProductFeatures:
        """Inner products."""
        rows = self.factors[classes.representative]
        return _with_total(ProductFeatures(np.zeros(len(rows)), np.ascontiguousarray(rows.T)), self.total)


class MatrixConstraint(PairConstraint):
    """f(i, j) = an entry of a symmetric sparse matrix."""

    def __init__(self, name: str, weights: sparse.csr_array, total: float | None) -> None:
        self.name, self.weights, self.total = name, weights, total

    def __str__(self) -> str:
        return f"constraint:{self.name}"

    def matrix(self, network: Network) -> sparse.csr_array:
        """The matrix that was given."""
        _check_rows(self.weights.shape[0], network, self)
        return self.weights


def constraint(
    weights: Any, columns: str | Sequence[str] = (), *, name: str = "weights", total: float | None = None
) -> Knowledge:
    """Constrain the sum over links of any weights: logit P_ij = l w_ij, plus the other knowledge.

    Alone, it says nothing about the number of links, nor about pairs of weight 0, which is an error when it is fitted:
    add `density()` or `degrees()`. Constraints in one sum need different names.

    Parameters
    ----------
    weights : callable, sparse matrix or array
        One of

        - a function of two records, which hold the values of `columns` as arrays with one entry per pair. It must not
          depend on which node is first.
        - a sparse symmetric matrix, in the order of the network's nodes; its diagonal is ignored
        - an array with one row x_i per node: w_ij = x_i . x_j
    columns : str or sequence of str
        The node columns that a function reads.
    name : str
        The name of the constraint, without '+' and ':'.
    total : float, optional
        The expected sum. Default: the sum over the links of the network.

    Returns
    -------
    Knowledge
        One constraint.

    Raises
    ------
    InputError
        If the weights are none of the three, not symmetric or not finite, or the name or total is not valid. When
        fitted: if the weights do not fit the network, no network has the total, or nothing else is given and some pairs
        have weight 0.

    Examples
    --------
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
            raise InputError("A constraint by a function needs the node columns that it reads: columns=['age'].")
        return Knowledge((FunctionConstraint(name, weights, named, total),))
    if sparse.issparse(weights):
        return Knowledge((MatrixConstraint(name, _check_matrix(weights, name), total),))
    return Knowledge((LowRankConstraint(name, _check_factors(weights, name), total),))


def _check_factors(weights: Any, name: str) -> Float64Array:
    try:
        factors = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        factors = np.empty(0)
    if factors.ndim not in (1, 2) or not factors.size or not np.isfinite(factors).all():
        raise InputError(
            f"constraint:{name} was given {type(weights).__name__}; it needs a function, a sparse matrix, or an array "
            "of finite numbers with one row per node."
        )
    return factors.reshape(len(factors), -1)


def _check_matrix(weights: Any, name: str) -> sparse.csr_array:
    matrix = sparse.csr_array(weights).astype(np.float64)
    if matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"constraint:{name} was given a matrix of shape {matrix.shape}; it must be square.")
    matrix = without_diagonal(matrix)
    difference = abs(matrix - matrix.T)
    if not np.isfinite(matrix.data).all() or difference.max() > 1e-9 * max(abs(matrix).max(), 1e-300):
        raise InputError(f"constraint:{name} was given a matrix that is not symmetric, or holds NaN or infinity.")
    return matrix


def _check_symmetric(weights: Float64Array, constraint: Constraint) -> Float64Array:
    if not np.isfinite(weights).all():
        raise InputError(f"{constraint}: the function gives NaN or infinity for some pairs of values.")
    if not np.allclose(weights, weights.T, rtol=1e-9, atol=1e-12):
        raise InputError(f"{constraint}: the function depends on the order of the two nodes; links have no direction.")
    return weights


def _check_rows(rows: int, network: Network, constraint: Constraint | PairConstraint) -> None:
    if rows != network.node_count:
        raise InputError(f"{constraint} has weights for {rows:,} nodes; the network has {network.node_count:,}.")


def _with_total(block: Block, total: float | None) -> Block:
    """Return the block with the total that the user specified, if any."""
    if total is not None:
        block.user_totals = np.array([float(total)])
    return block
