"""Run the units that are missing in a folder, one file per unit.

An interrupted run continues where it stopped, and several processes may work in one folder. What cannot be run is
listed, and the rest is run.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import netgiven
from experiments.paper.plan import Data, Problem, Result, Sources, Table, TableNetwork, Unit, plan
from netgiven.array_file import make_folder, write_atomically
from netgiven.datasets import public
from netgiven.errors import InputError
from netgiven.labels import Labels
from netgiven.network import Network

FOLDER = "units"
Callback = Callable[[Unit, int, int], None]  # called with a unit, the number of units done, and of units to run


class Request(NamedTuple):
    """What to run: tables on networks with a number of splits; a quick run has one split and no slow baselines."""

    tables: Sequence[Table]
    networks: Sequence[str]
    splits: int = 10
    quick: bool = False


class RunRecord(NamedTuple):
    """Fingerprints of the data that were available, and what could not be run."""

    fingerprints: dict[TableNetwork, str]
    problems: list[Problem]


def run(
    request: Request, sources: Sources, folder: Path, threads: int | None = None, callback: Callback | None = None
) -> RunRecord:
    """Run each unit that has no file in the folder yet; `callback` is called before each."""
    make_folder(folder / FOLDER)
    data, problems = load_data(request.networks, sources)
    problems += [Problem(row.name, row.missing) for table in request.tables for row in table.rows if row.missing]
    fingerprints, more = _fingerprints(request.tables, data)
    units = plan(request.tables, data, request.splits, request.quick)
    units = [unit for unit in units if unit.table_network in fingerprints]
    missing = [unit for unit in units if load_unit(unit, folder, fingerprints[unit.table_network]) is None]
    splits = _Splits(data)
    for number, unit in enumerate(missing):
        if callback is not None:
            callback(unit, number, len(missing))
        try:
            _run_unit(unit, splits, fingerprints[unit.table_network], folder, threads)
        except InputError as problem:
            more.append(Problem(f"{unit.row.name} on {unit.network}", str(problem)))
    return RunRecord(fingerprints, list(dict.fromkeys(problems + more)))


def load_data(networks: Iterable[str], sources: Sources) -> tuple[dict[str, Data], list[Problem]]:
    """The networks that are available, and why the others are not."""
    data, problems = {}, []
    for network in networks:
        try:
            data[network] = sources[network]()
        except InputError as problem:
            problems.append(Problem(network, str(problem)))
    return data, problems


def _fingerprints(tables: Sequence[Table], data: Mapping[str, Data]) -> tuple[dict[TableNetwork, str], list[Problem]]:
    """Fingerprints of each network in each table. Labels, which only some tables need, may be missing."""
    found, problems = {}, []
    for table in tables:
        for network in (name for name in table.networks if name in data):
            try:
                found[table.name, network] = table.fingerprint(data[network])
            except InputError as problem:
                problems.append(Problem(f"{table.title} on {network}", str(problem)))
    return found, problems


class _Splits:
    """Makes splits and keeps the last one, because the methods that need it run one after the other."""

    def __init__(self, data: Mapping[str, Data]) -> None:
        self.data = data
        self._last: tuple[Any, Any] = (None, None)

    def of(self, unit: Unit) -> Any:
        """The split of a unit."""
        key = (unit.table_network, unit.split)
        if self._last[0] != key:
            self._last = (key, unit.table.hide(self.data[unit.network], unit.split))
        return self._last[1]


def _run_unit(unit: Unit, splits: _Splits, fingerprint: str, folder: Path, threads: int | None) -> None:
    if load_unit(unit, folder, fingerprint) is not None:  # another process has done it in the meantime
        return
    method = unit.row.make(unit.network, threads)
    result = unit.table.grade(method, splits.data[unit.network], splits.of(unit), unit.split)
    save_unit(unit, fingerprint, result, commit(), folder)


# ---- files of units --------------------------------------------------------------------------------------------------


class StoredResult(NamedTuple):
    """The result of a unit, and the commit that made it."""

    unit: Unit
    result: Result
    commit: str


def identity(unit: Unit, fingerprint: str) -> dict[str, Any]:
    """Everything that a result depends on."""
    return {
        "table": unit.table.name,
        "network": unit.network,
        "fingerprint": fingerprint,
        "method": unit.row.name,
        "settings": repr(unit.row.make(unit.network, None)),
        "split": unit.split,
        "version": netgiven.__version__,
    }


def path_of(unit: Unit, folder: Path) -> Path:
    """The file of a unit."""
    method = re.sub(r"[^a-z0-9+]+", "-", unit.row.name.lower()).strip("-")
    return folder / FOLDER / f"{unit.table.name}.{unit.network}.{method}.{unit.split}.json"


def save_unit(unit: Unit, fingerprint: str, result: Result, commit: str, folder: Path) -> None:
    """Write the file of a unit atomically."""
    content = {"unit": identity(unit, fingerprint), "commit": commit, "result": asdict(result)}
    text = json.dumps(content, indent=1, allow_nan=False)
    write_atomically(path_of(unit, folder), lambda target: _write(target, text))


def _write(target: Path, text: str) -> None:
    target.write_text(text + "\n", encoding="utf-8")


def load_unit(unit: Unit, folder: Path, fingerprint: str | None = None) -> StoredResult | None:
    """Load the result of a unit; None if there is no file, or it is damaged or of another method, network or version.

    Without a fingerprint, that of the file is accepted: another process loads that network.
    """
    try:
        content = json.loads(path_of(unit, folder).read_text(encoding="utf-8"))
        stored = StoredResult(unit, Result(**content["result"]), str(content["commit"]))
        _check_numbers(stored.result)
        expected = identity(unit, content["unit"]["fingerprint"] if fingerprint is None else fingerprint)
    except (FileNotFoundError, ValueError, TypeError, KeyError, AttributeError):
        return None
    return stored if content["unit"] == expected else None


def _check_numbers(result: Result) -> None:
    """Raise TypeError or ValueError, as the JSON reader does, if a result is not made of numbers."""
    lists = (result.measures.values(), result.seconds.values(), result.curve, *result.reliability.values())
    if not all(isinstance(number, (int, float)) for numbers in lists for number in numbers):
        raise TypeError
    if not result.measures or not isinstance(result.details, dict):
        raise ValueError


def load_all(tables: Sequence[Table], folder: Path, fingerprints: Mapping[TableNetwork, str]) -> list[StoredResult]:
    """All results in the folder that belong to the tables, in their order."""
    endings = (path.stem.rpartition(".")[2] for path in (folder / FOLDER).glob("*.json"))
    splits = sorted({int(ending) for ending in endings if ending.isdecimal()})
    units = (
        Unit(table, network, row, split)
        for table in tables
        for network in table.networks
        for row in table.rows
        for split in splits
    )
    found = (load_unit(unit, folder, fingerprints.get(unit.table_network)) for unit in units)
    return [stored for stored in found if stored is not None]


# ---- data and code ---------------------------------------------------------------------------------------------------


def public_sources(folder: Path) -> Sources:
    """A loader for each public network; it raises an InputError with the network's origin if the file is missing."""
    return {name: _source(name, folder) for name in public.NETWORKS}


def _source(name: str, folder: Path) -> Callable[[], Data]:
    def load() -> Data:
        network = public.load(name, folder)
        path = public.find(name, folder).labels
        return Data(network, None if path is None else lambda: _labels(path, network))

    return load


def _labels(path: Path, network: Network) -> Labels:
    from netgiven.io.read import read_labels

    return read_labels(path, network).labels


@cache
def commit() -> str:
    """The commit of the checkout that netgiven is imported from, and whether it has changes; empty without one."""
    home = Path(netgiven.__file__).parent
    if not _git(home, "ls-files", "--error-unmatch", "__init__.py"):  # installed inside a checkout of something else
        return ""
    changed = _git(home, "status", "--porcelain", "--untracked-files=no", "--", ".")
    return _git(home, "rev-parse", "--short=12", "HEAD") + (" with changes" if changed else "")


def _git(folder: Path, *words: str) -> str:
    """The output of git; empty if it fails or is not installed."""
    try:
        answer = subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return answer.stdout.strip() if answer.returncode == 0 else ""
