"""One file a unit, so that an interrupted run goes on where it stopped, and several may work in one folder."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import netgiven
from netgiven.array_file import write_atomically
from netgiven.evaluation.reproduction.plan import Result, Table, Unit

FOLDER = "units"


class Filed(NamedTuple):
    """A unit that was run, and at which commit."""

    unit: Unit
    result: Result
    commit: str


def identity(unit: Unit, fingerprint: str) -> dict[str, Any]:
    """All that a result depends on."""
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
    """Where a unit is filed."""
    method = re.sub(r"[^a-z0-9+]+", "-", unit.row.name.lower()).strip("-")
    return folder / FOLDER / f"{unit.table.name}.{unit.network}.{method}.{unit.split}.json"


def save_unit(unit: Unit, fingerprint: str, result: Result, commit: str, folder: Path) -> None:
    """Put the file of a unit in place, whole."""
    content = {"unit": identity(unit, fingerprint), "commit": commit, "result": asdict(result)}
    text = json.dumps(content, indent=1, allow_nan=False)
    write_atomically(path_of(unit, folder), lambda target: _write(target, text))


def _write(target: Path, text: str) -> None:
    target.write_text(text + "\n", encoding="utf-8")


def load_unit(unit: Unit, folder: Path, fingerprint: str | None = None) -> Filed | None:
    """What was filed of a unit; None if nothing was, or it is damaged, or it was another method, network or version.

    Without a fingerprint that of the file is believed: another process looks after that network.
    """
    try:
        content = json.loads(path_of(unit, folder).read_text(encoding="utf-8"))
        filed = Filed(unit, Result(**content["result"]), str(content["commit"]))
        _check_numbers(filed.result)
        expected = identity(unit, content["unit"]["fingerprint"] if fingerprint is None else fingerprint)
    except (FileNotFoundError, ValueError, TypeError, KeyError, AttributeError):
        return None
    return filed if content["unit"] == expected else None


def _check_numbers(result: Result) -> None:
    """Complains, as reading would, about numbers that are none."""
    lists = (result.measures.values(), result.seconds.values(), result.curve, *result.reliability.values())
    if not all(isinstance(number, (int, float)) for numbers in lists for number in numbers):
        raise TypeError
    if not result.measures or not isinstance(result.details, dict):
        raise ValueError


def load_all(tables: Sequence[Table], folder: Path, fingerprints: Mapping[tuple[str, str], str]) -> list[Filed]:
    """All that is filed of the tables, in their order, whichever process filed it."""
    endings = (path.stem.rpartition(".")[2] for path in (folder / FOLDER).glob("*.json"))
    splits = sorted({int(ending) for ending in endings if ending.isdecimal()})
    units = (
        Unit(table, network, row, split)
        for table in tables
        for network in table.networks
        for row in table.rows
        for split in splits
    )
    found = (load_unit(unit, folder, fingerprints.get((unit.table.name, unit.network))) for unit in units)
    return [filed for filed in found if filed is not None]
