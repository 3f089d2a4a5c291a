"""The interface of a constraint on the expected network, and how constraints read node columns.

A constraint is a set of symmetric functions f_k of a pair of nodes. The prior is the distribution over networks of
maximum entropy under

    E[sum over pairs of f_k(i, j) a_ij]  =  sum over links of f_k(i, j)        for each k

which is a product of independent Bernoulli distributions with

    logit P_ij  =  sum over k of lambda_k f_k(i, j)

A `Constraint` depends on properties of the two nodes: it says which nodes it treats alike (`node_keys`) and evaluates
its functions on classes of such nodes (`features`: one of the blocks in `features.py`). A `PairConstraint` assigns a
weight to single pairs by a sparse matrix.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
import pandas as pd
from scipy import sparse

from netgiven.columns import FEW_NUMBERS
from netgiven.edges import shown
from netgiven.errors import InputError, is_one_of
from netgiven.network import Network
from netgiven.priors.features import FeatureBlock
from netgiven.priors.layout import Classes
from netgiven.types import BoolArray, Float64Array, Int64Array


class Constraint(ABC):
    """A constraint whose functions depend on the class of each node."""

    extends_to_new_nodes = False  # whether the features of a new node follow from its columns and its degree

    def with_uncertainty(self, uncertainty: float, replace: bool = False) -> Constraint:
        """Return the constraint with its uncertainty, where it has one and it is open or to be replaced."""
        return self

    @abstractmethod
    def __str__(self) -> str:
        """Return the text form, which `parse_knowledge` reads back."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Node columns that the constraint reads."""
        return ()

    @abstractmethod
    def node_keys(self, network: Network) -> Int64Array:
        """Return one integer per node; nodes with equal integers are treated alike."""

    @abstractmethod
    def features(self, network: Network, classes: Classes) -> FeatureBlock:
        """Return the functions f_k on classes of nodes."""


class PairConstraint(ABC):
    """A constraint with one function of pairs of nodes, given by a symmetric sparse matrix."""

    extends_to_new_nodes = False
    total: float | None = None  # the sum over links that the user specified; None: that of the network

    def with_uncertainty(self, uncertainty: float, replace: bool = False) -> PairConstraint:
        """Return the constraint: it is not about single nodes, so it has no uncertainty."""
        return self

    @abstractmethod
    def __str__(self) -> str:
        """Return the text form, which `parse_knowledge` reads back."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Node columns that the constraint reads: none."""
        return ()

    @abstractmethod
    def matrix(self, network: Network) -> sparse.csr_array:
        """Return f(i, j) for all pairs of nodes."""

    def node_keys(self, network: Network) -> Int64Array:
        """Return one integer per node: no two nodes are treated alike."""
        return np.arange(network.node_count)


MISSING_GROUP = "group"


def read_uncertainty(value: float | str | None) -> float | None:
    """Return an uncertainty as a number, or raise `InputError` if it is none; None is left open."""
    if value is None:
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = -1.0
    if not 0 <= number < 1:
        raise InputError(f"uncertainty={value!r} was given; it is a number from 0 (degrees as they are) to below 1.")
    return number


def check_column(column: object, name: str) -> str:
    """Return the name of a column, or raise `InputError` if it is none."""
    if not isinstance(column, str) or not column:
        raise InputError(f"{name} needs the name of a node column; {column!r} was given.")
    return column


def groups_of(network: Network, column: str, needed_by: object, missing: str | None = None) -> tuple[Int64Array, int]:
    """Return the group number of each node and the number of groups.

    Nodes without links may have no value, and all nodes if `missing` is "group": together they form one more group.
    """
    codes, values = network.groups(column)
    if missing is None:
        check_present(network, codes < 0, column, needed_by, group_advice(needed_by))
    return np.where(codes < 0, len(values), codes).astype(np.int64), len(values) + int((codes < 0).any())


def group_advice(needed_by: object) -> str:
    """Return what can be done about linked nodes without a group."""
    option = f"missing={MISSING_GROUP!r}, or {needed_by}:missing={MISSING_GROUP}"
    return f"Give each linked node a value, or make those without one a group of their own ({option})."


def numbers_of(network: Network, column: str, needed_by: object) -> Float64Array:
    """Return the value of each node as a number, seconds for a time; NaN only for nodes without links."""
    values = network.column(column)
    if pd.api.types.is_datetime64_any_dtype(values):
        numbers = (values - values.min()).dt.total_seconds().to_numpy(dtype=np.float64, na_value=np.nan)
    else:
        numbers = pd.to_numeric(values, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
        invalid = np.flatnonzero(np.isnan(numbers) & values.notna().to_numpy())
        if len(invalid):
            raise InputError(
                f"Column {column!r} holds {shown(values.iloc[invalid[0]])} for node "
                f"{shown(network.nodes[invalid[0]])}; {needed_by} needs numbers or times."
            )
    check_present(network, ~np.isfinite(numbers), column, needed_by)
    return np.where(np.isfinite(numbers), numbers, np.nan)


def is_numeric(network: Network, column: str) -> bool:
    """Return whether a column holds numbers or times rather than names of groups."""
    values = network.column(column)
    if pd.api.types.is_bool_dtype(values):
        return False
    return bool(pd.api.types.is_numeric_dtype(values) or pd.api.types.is_datetime64_any_dtype(values))


def may_be_codes(network: Network, column: str) -> bool:
    """Return whether a column of numbers may hold codes of groups: few different values, all of them whole.

    >>> columns = {"team": [3, 7, 7, 3], "height": [1.8, 1.7, 1.7, 1.8]}
    >>> network = Network.from_edges([(0, 1)], nodes={"node": [0, 1, 2, 3], **columns})
    >>> may_be_codes(network, "team"), may_be_codes(network, "height")
    (True, False)
    """
    values = network.column(column)
    if not is_numeric(network, column) or pd.api.types.is_datetime64_any_dtype(values):
        return False
    known = values.dropna()
    found = known.unique()
    return 1 < len(found) <= min(FEW_NUMBERS, len(known) // 2) and all(float(value).is_integer() for value in found)


def check_present(
    network: Network, missing: BoolArray, column: str, needed_by: object, advice: str = "Give each linked node a value."
) -> None:
    """Raise `InputError` if a node with links has no value."""
    affected = np.flatnonzero(missing & (network.degrees > 0))
    if len(affected):
        more = f" ({len(affected):,} such nodes)" if len(affected) > 1 else ""
        raise InputError(
            f"Node {shown(network.nodes[affected[0]])} has links but no value in column {column!r}, "
            f"which {needed_by} needs{more}. {advice}"
        )


def check_missing(missing: str | None, name: str) -> None:
    """Raise `InputError` if an option `missing` is not "group"."""
    if missing is not None and not is_one_of(missing, [MISSING_GROUP]):
        raise InputError(f"{name}(missing={missing!r}): nodes without a value can be a group of their own, 'group'.")


def missing_text(missing: str | None) -> str:
    """Return the option in the text form of a constraint."""
    return "" if missing is None else f":missing={missing}"
