"""Means over the splits of what was filed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from netgiven.evaluation.reproduction.plan import Result, Row, Table
from netgiven.evaluation.reproduction.units import Filed
from netgiven.tasks.calibration import Reliability
from netgiven.types import Float64Array


class Spot(NamedTuple):
    """Mean, standard deviation over the splits (0 for a single one), and their number."""

    mean: float
    deviation: float
    splits: int

    @classmethod
    def over(cls, values: Sequence[float]) -> Spot:
        """Of so many values."""
        return cls(float(np.mean(values)), float(np.std(values, ddof=1)) if len(values) > 1 else 0.0, len(values))


class Summary:
    """What was filed of a table: its rows and networks, and the results of each pair of them."""

    def __init__(self, table: Table, filed: Sequence[Filed]) -> None:
        self.table = table
        self.filed = [one for one in filed if one.unit.table.name == table.name]
        self._results: dict[tuple[str, str], list[Result]] = defaultdict(list)
        for one in self.filed:
            self._results[one.unit.row.name, one.unit.network].append(one.result)

    @property
    def rows(self) -> list[Row]:
        """The methods of which there is something."""
        there = {row for row, _ in self._results}
        return [row for row in self.table.rows if row.name in there]

    @property
    def networks(self) -> list[str]:
        """The networks of which there is something."""
        there = {network for _, network in self._results}
        return [network for network in self.table.networks if network in there]

    def results(self, row: Row, network: str) -> list[Result]:
        """Those of all splits, in their order."""
        return self._results.get((row.name, network), [])

    def over_splits(self, row: Row, network: str, value: Callable[[Result], float | None]) -> Spot | None:
        """The mean of a value that some or all results have."""
        values = [value(result) for result in self.results(row, network)]
        there = [number for number in values if number is not None]
        return Spot.over(there) if there else None

    def measure(self, row: Row, network: str, name: str) -> Spot | None:
        """The mean of a measure."""
        return self.over_splits(row, network, lambda result: result.measures.get(name))

    def curve(self, row: Row, network: str) -> Float64Array | None:
        """The mean ROC curve."""
        curves = [result.curve for result in self.results(row, network) if result.curve]
        return np.mean(curves, axis=0) if curves else None

    def reliability(self, row: Row, network: str) -> Reliability | None:
        """That of the first split: each split has bins of its own."""
        return next((table for table in self.reliabilities(row, network)), None)

    def reliabilities(self, row: Row, network: str) -> list[Reliability]:
        """Those of all splits."""
        return [read_reliability(result) for result in self.results(row, network) if result.reliability]

    def details(self, row: Row, network: str) -> tuple[str, int]:
        """What the method told of itself over the splits, and how many these are; nothing where nothing was chosen."""
        told = [result.details for result in self.results(row, network) if result.details.get("trials")]
        names = dict.fromkeys(name for details in told for name in details)
        listed = (f"{name} {_range([details[name] for details in told if name in details])}" for name in names)
        return ", ".join(listed), len(told)


def _range(values: list[Any]) -> str:
    """From the least to the largest.

    >>> _range([64, 128, 64]), _range([5.5612, 5.5598])
    ('64 to 128', '5.6')
    """
    shown = sorted({f"{value:.2g}" if isinstance(value, float) else str(value) for value in values}, key=float)
    return shown[0] if len(shown) == 1 else f"{shown[0]} to {shown[-1]}"


def read_reliability(result: Result) -> Reliability:
    """The table that a result holds."""
    return Reliability(**{name: np.array(values) for name, values in result.reliability.items()})
