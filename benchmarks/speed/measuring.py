"""CPU time, targets, and the table that both are printed in. Used by the benchmarks beside it."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

HEADINGS = ("measured", "value", "target", "met", "how")


class Target(NamedTuple):
    """A number, its bound, and a note."""

    name: str
    value: float
    bound: float
    at_least: bool = False
    note: str = ""

    @property
    def met(self) -> bool:
        """Is the number on the right side of its bound?"""
        return self.value >= self.bound if self.at_least else self.value <= self.bound

    def cells(self) -> tuple[str, ...]:
        """The row of the table."""
        sign = ">=" if self.at_least else "<="
        return self.name, f"{self.value:.4g}", f"{sign} {self.bound:g}", "yes" if self.met else "NO", self.note


def cpu_seconds(*works: Callable[[], Any], repetitions: int) -> list[float]:
    """The least CPU time, all threads together, of several calls in turn: other programs can only add to it."""
    rounds = [[_once(work) for work in works] for _ in range(repetitions)]
    return [min(times) for times in zip(*rounds, strict=True)]


def _once(work: Callable[[], Any]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


def print_table(targets: Iterable[Target]) -> None:
    """One line per target, columns aligned."""
    rows = [HEADINGS, *(target.cells() for target in targets)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def finish(targets: list[Target]) -> None:
    """Print the table and exit, with code 1 if a target is missed."""
    print_table(targets)
    sys.exit(0 if all(target.met for target in targets) else 1)


def add_data_option(parser: argparse.ArgumentParser) -> None:
    """Add --data, by default the variable NETGIVEN_DATA."""
    folder = os.environ.get("NETGIVEN_DATA")
    parser.add_argument("--data", type=Path, default=folder and Path(folder), help="folder of the public networks")


def data_file(folder: Path | None, name: str) -> Path:
    """A file of the data folder; the error says what to do if it is missing."""
    if folder is None:
        sys.exit("Where are the public networks? Set NETGIVEN_DATA to their folder, or give --data FOLDER.")
    if not (folder / name).exists():
        sys.exit(f"{folder} holds no {name}. Set NETGIVEN_DATA or --data to the folder that does.")
    return folder / name
