"""Run what is missing, unit by unit. What cannot be run is told, and the rest is run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from netgiven.array_file import make_folder
from netgiven.errors import InputError
from netgiven.evaluation.reproduction.checkout import commit
from netgiven.evaluation.reproduction.plan import Data, Place, Problem, Sources, Table, Unit, plan
from netgiven.evaluation.reproduction.units import FOLDER, load_unit, save_unit

Watcher = Callable[[Unit, int, int], None]


class Wanted(NamedTuple):
    """What to run: tables on networks, so many splits; a quick run has one split and no slow baselines."""

    tables: Sequence[Table]
    networks: Sequence[str]
    splits: int = 10
    quick: bool = False


class Outcome(NamedTuple):
    """The fingerprints of what was at hand, and what could not be run."""

    fingerprints: dict[Place, str]
    problems: list[Problem]


def run(
    wanted: Wanted, sources: Sources, folder: Path, threads: int | None = None, watch: Watcher | None = None
) -> Outcome:
    """Run each unit that is not filed in the folder yet.

    `watch` is told a unit, how many were run before it, and how many there are to run.
    """
    make_folder(folder / FOLDER)
    data, problems = load_data(wanted.networks, sources)
    problems += [Problem(row.name, row.missing) for table in wanted.tables for row in table.rows if row.missing]
    fingerprints, more = _fingerprints(wanted.tables, data)
    units = [unit for unit in plan(wanted.tables, data, wanted.splits, wanted.quick) if unit.place in fingerprints]
    missing = [unit for unit in units if load_unit(unit, folder, fingerprints[unit.place]) is None]
    splits = _Splits(data)
    for number, unit in enumerate(missing):
        if watch is not None:
            watch(unit, number, len(missing))
        try:
            _run_unit(unit, splits, fingerprints[unit.place], folder, threads)
        except InputError as problem:
            more.append(Problem(f"{unit.row.name} on {unit.network}", str(problem)))
    return Outcome(fingerprints, list(dict.fromkeys(problems + more)))


def load_data(networks: Iterable[str], sources: Sources) -> tuple[dict[str, Data], list[Problem]]:
    """The networks that are at hand, and why the others are not."""
    data, problems = {}, []
    for network in networks:
        try:
            data[network] = sources[network]()
        except InputError as problem:
            problems.append(Problem(network, str(problem)))
    return data, problems


def _fingerprints(tables: Sequence[Table], data: Mapping[str, Data]) -> tuple[dict[Place, str], list[Problem]]:
    """Of each network in each table. Labels, which only some tables need, may be missing."""
    found, problems = {}, []
    for table in tables:
        for network in (name for name in table.networks if name in data):
            try:
                found[table.name, network] = table.fingerprint(data[network])
            except InputError as problem:
                problems.append(Problem(f"{table.title} on {network}", str(problem)))
    return found, problems


class _Splits:
    """Makes splits and keeps the last one: the methods that need it come one after the other."""

    def __init__(self, data: Mapping[str, Data]) -> None:
        self.data = data
        self._kept: tuple[Any, Any] = (None, None)

    def of(self, unit: Unit) -> Any:
        """The split of a unit."""
        key = (unit.place, unit.split)
        if self._kept[0] != key:
            self._kept = (key, unit.table.hide(self.data[unit.network], unit.split))
        return self._kept[1]


def _run_unit(unit: Unit, splits: _Splits, fingerprint: str, folder: Path, threads: int | None) -> None:
    if load_unit(unit, folder, fingerprint) is not None:  # another process has been here meanwhile
        return
    method = unit.row.make(unit.network, threads)
    result = unit.table.grade(method, splits.data[unit.network], splits.of(unit), unit.split)
    save_unit(unit, fingerprint, result, commit(), folder)
