"""Averages of stored results over the splits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from experiments.paper.plan import Result, Row, Table
from experiments.paper.run import StoredResult
from netgiven.tasks.calibration import Reliability
from netgiven.types import Float64Array


class Average(NamedTuple):
    """Mean and standard deviation (0 for a single split) over the splits, and their number."""

    mean: float
    deviation: float
    splits: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Average:
        """Average one value per split."""
        return cls(float(np.mean(values)), float(np.std(values, ddof=1)) if len(values) > 1 else 0.0, len(values))


class Summary:
    """The stored results of a table, by row and network."""

    def __init__(self, table: Table, stored: Sequence[StoredResult]) -> None:
        self.table = table
        self.stored = [one for one in stored if one.unit.table.name == table.name]
        self._results: dict[tuple[str, str], list[Result]] = defaultdict(list)
        for one in self.stored:
            self._results[one.unit.row.name, one.unit.network].append(one.result)

    @property
    def rows(self) -> list[Row]:
        """The methods with results."""
        present = {row for row, _ in self._results}
        return [row for row in self.table.rows if row.name in present]

    @property
    def networks(self) -> list[str]:
        """The networks with results."""
        present = {network for _, network in self._results}
        return [network for network in self.table.networks if network in present]

    def results(self, row: Row, network: str) -> list[Result]:
        """Results of all splits, in their order."""
        return self._results.get((row.name, network), [])

    def over_splits(self, row: Row, network: str, value: Callable[[Result], float | None]) -> Average | None:
        """The average of a value over the results that have it; None if none has."""
        values = [value(result) for result in self.results(row, network)]
        present = [number for number in values if number is not None]
        return Average.of(present) if present else None

    def measure(self, row: Row, network: str, name: str) -> Average | None:
        """The average of a measure."""
        return self.over_splits(row, network, lambda result: result.measures.get(name))

    def curve(self, row: Row, network: str) -> Float64Array | None:
        """The mean ROC curve."""
        curves = [result.curve for result in self.results(row, network) if result.curve]
        return np.mean(curves, axis=0) if curves else None

    def reliability(self, row: Row, network: str) -> Reliability | None:
        """The reliability on the first split; bins differ between splits."""
        return next((table for table in self.reliabilities(row, network)), None)

    def reliabilities(self, row: Row, network: str) -> list[Reliability]:
        """The reliability on each split."""
        return [read_reliability(result) for result in self.results(row, network) if result.reliability]

    def details(self, row: Row, network: str) -> tuple[str, int]:
        """Selected settings as ranges over the splits, and the number of splits; 0 if nothing was selected."""
        selected = [result.details for result in self.results(row, network) if result.details.get("trials")]
        names = dict.fromkeys(name for details in selected for name in details)
        listed = (f"{name} {_range([details[name] for details in selected if name in details])}" for name in names)
        return ", ".join(listed), len(selected)


def _range(values: list[Any]) -> str:
    """The smallest and the largest value.

    >>> _range([64, 128, 64]), _range([5.5612, 5.5598])
    ('64 to 128', '5.6')
    """
    shown = sorted({f"{value:.2g}" if isinstance(value, float) else str(value) for value in values}, key=float)
    return shown[0] if len(shown) == 1 else f"{shown[0]} to {shown[-1]}"


def read_reliability(result: Result) -> Reliability:
    """The reliability table in a result."""
    return Reliability(**{name: np.array(values) for name, values in result.reliability.items()})
