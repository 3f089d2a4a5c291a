"""One file per run, so that an interrupted comparison continues where it stopped."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path

from benchmarks.peers.catalogue import Row
from netgiven.array_file import make_folder, write_atomically

FOLDER = "results"
BY_PRODUCT = "AUC by dot product"


@dataclass(frozen=True)
class Result:
    """Cost and measures of a row on a network; `problem` says why numbers are missing."""

    network: str
    row: str
    peer: str
    dimensions: int
    limit: float
    problem: str = ""
    measures: dict[str, float] = field(default_factory=dict)
    wall_seconds: float | None = None
    cpu_seconds: float | None = None
    peak_bytes: int | None = None
    own_seconds: float | None = None  # CPU, from when its libraries were imported
    versions: dict[str, str] = field(default_factory=dict)
    commit: str = ""  # of netgiven, for its own rows

    @property
    def best(self) -> float:
        """The higher AUC, where vectors were graded in two ways; 0 without one."""
        return max(self.measures.get(name, 0.0) for name in ("AUC", BY_PRODUCT))


def path_of(network: str, row: Row, folder: Path) -> Path:
    """The file of a result."""
    name = re.sub(r"[^a-z0-9]+", "-", row.name.lower()).strip("-")
    return folder / FOLDER / f"{network}.{name}.json"


def save(result: Result, row: Row, folder: Path) -> None:
    """Write the file atomically."""
    make_folder(folder / FOLDER)
    text = json.dumps(asdict(result), indent=1, allow_nan=False) + "\n"
    write_atomically(path_of(result.network, row, folder), lambda target: _write(target, text))


def _write(target: Path, text: str) -> None:
    target.write_text(text, encoding="utf-8")


def load(network: str, row: Row, folder: Path) -> Result | None:
    """The stored result; None if there is none."""
    path = path_of(network, row, folder)
    return Result(**json.loads(path.read_text(encoding="utf-8"))) if path.exists() else None


def is_done(result: Result | None, limit: float) -> bool:
    """Whether a run is complete: one that was stopped by a lower limit is made again."""
    return result is not None and not (result.problem.startswith("not finished") and result.limit < limit)
