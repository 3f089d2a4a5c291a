"""What to run: tables of methods and networks, and their units in the order in which they run."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.util import find_spec
from typing import Any, NamedTuple

from netgiven.errors import InputError
from netgiven.labels import Labels
from netgiven.network import Network


@dataclass(frozen=True)
class Data:
    """A network and, where it has them, its labels, which are read when first needed."""

    network: Network
    read_labels: Callable[[], Labels] | None = None

    @cached_property
    def labels(self) -> Labels:
        """The labels of the nodes."""
        if self.read_labels is None:
            raise InputError("This network has no labels to predict.")
        return self.read_labels()

    @cached_property
    def fingerprint(self) -> str:
        """A checksum of links and node columns."""
        checksum = hashlib.sha256(f"{self.network.node_count} nodes".encode())
        checksum.update(self.network.links().astype("<i4").tobytes())
        checksum.update(self.network.columns.to_csv(index=False).encode())
        return checksum.hexdigest()

    @cached_property
    def label_fingerprint(self) -> str:
        """A checksum of links, node columns and labels."""
        return hashlib.sha256(self.fingerprint.encode() + self.labels.pairs.astype("<i8").tobytes()).hexdigest()


TableNetwork = tuple[str, str]  # names of a table and a network
Sources = Mapping[str, Callable[[], Data]]  # loaders by network; they raise InputError if the data are missing


@dataclass(frozen=True)
class Result:
    """The result of a unit. Only `seconds` changes from run to run.

    - `curve`: true-positive rates at the false-positive rates `methods.FALSE_POSITIVE_RATES`
    - `reliability`: the columns of a `Reliability`
    - `details`: attributes of the method, e.g. settings that it selected
    """

    measures: dict[str, float]
    seconds: dict[str, float]
    curve: list[float] = field(default_factory=list)
    reliability: dict[str, list[float]] = field(default_factory=dict)
    details: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Row:
    """A method of a table.

    - `make(network, threads)`: the method for a network
    - `paper`: its row in the paper's table
    - `tolerance`: the largest expected difference from the paper
    - `most_splits`: largest number of splits, for slow methods, which a quick run leaves out
    - `needs`: a library that may not be installed
    - `drawn`: whether its ROC curve is drawn
    """

    name: str
    make: Callable[[str, int | None], Any]
    paper: str | None = None
    tolerance: float | None = None
    most_splits: int | None = None
    needs: str | None = None
    drawn: bool = False

    @property
    def missing(self) -> str:
        """Why it cannot be run; empty if it can."""
        if self.needs is None or find_spec(self.needs) is not None:
            return ""
        return f"{self.needs} is not installed: pip install --group experiments"


@dataclass(frozen=True)
class Table:
    """Methods against networks.

    - `networks`: titles of the networks by name
    - `measures`: what is reported, the most important first
    - `hide(data, seed)`: makes a split; `grade(method, data, split, seed)`: the result of a method on it
    - `fingerprint(data)`: a checksum of the data
    - `paper`: published numbers by measure, row and network
    """

    name: str
    title: str
    about: str
    networks: Mapping[str, str]
    measures: tuple[str, ...]
    rows: tuple[Row, ...]
    hide: Callable[[Data, int], Any]
    grade: Callable[[Any, Data, Any, int], Result]
    fingerprint: Callable[[Data], str] = lambda data: data.fingerprint
    paper: Mapping[str, Mapping[str, Mapping[str, float]]] = field(default_factory=dict)

    def published(self, measure: str, row: Row, network: str) -> float | None:
        """The paper's number; None if it has none."""
        return self.paper.get(measure, {}).get(row.paper or "", {}).get(network)


class Unit(NamedTuple):
    """One method on one split of one network: the smallest piece of work."""

    table: Table
    network: str
    row: Row
    split: int

    @property
    def table_network(self) -> TableNetwork:
        """Names of its table and its network."""
        return self.table.name, self.network

    def __str__(self) -> str:
        return f"{self.table.name}, {self.network}, split {self.split + 1}: {self.row.name}"


class Problem(NamedTuple):
    """What could not be run, and why."""

    what: str
    why: str


def plan(tables: Sequence[Table], networks: Iterable[str], splits: int, quick: bool = False) -> list[Unit]:
    """All units, split by split, so that an interrupted run has results for all methods and networks."""
    if splits < 1:
        raise InputError(f"{splits} splits were asked for; at least 1 is needed.")
    selected = set(networks)
    return [
        Unit(table, network, row, split)
        for split in range(1 if quick else splits)
        for table in tables
        for network in table.networks
        for row in table.rows
        if network in selected and not row.missing and _is_due(row, split, quick)
    ]


def _is_due(row: Row, split: int, quick: bool) -> bool:
    return row.most_splits is None or (not quick and split < row.most_splits)
