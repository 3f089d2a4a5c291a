"""One file a run, so that an interrupted comparison goes on where it stopped."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path

from catalogue import Row

from netgiven.array_file import make_folder, write_atomically

FOLDER = "results"


@dataclass(frozen=True)
class Result:
    """What a row cost and was worth on a network; `problem` says why numbers are missing."""

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
        """The better AUC, where vectors were graded in two ways; 0 without one."""
        return max(self.measures.values(), default=0.0)


def path_of(network: str, row: Row, folder: Path) -> Path:
    """Where a result is filed."""
    name = re.sub(r"[^a-z0-9]+", "-", row.name.lower()).strip("-")
    return folder / FOLDER / f"{network}.{name}.json"


def save(result: Result, row: Row, folder: Path) -> None:
    """Put the file in place, whole."""
    make_folder(folder / FOLDER)
    text = json.dumps(asdict(result), indent=1, allow_nan=False) + "\n"
    write_atomically(path_of(result.network, row, folder), lambda target: _write(target, text))


def _write(target: Path, text: str) -> None:
    target.write_text(text, encoding="utf-8")


def load(network: str, row: Row, folder: Path) -> Result | None:
    """What was filed; None if nothing was."""
    path = path_of(network, row, folder)
    return Result(**json.loads(path.read_text(encoding="utf-8"))) if path.exists() else None


def is_done(result: Result | None, limit: float) -> bool:
    """Whether a run need not be made: one that was stopped is made again where it may take longer."""
    return result is not None and not (result.problem.startswith("not finished") and result.limit < limit)
