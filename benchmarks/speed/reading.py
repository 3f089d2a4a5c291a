"""Reading ten million lines, cleaned and as sorted rows, against PyArrow's parser on the same file.

    python benchmarks/speed/reading.py [--repetitions 5]

Writes ten million links between a million nodes into a temporary folder, once as integers and once as names
(user_123456), and reads each with `pyarrow.csv.read_csv`, with given column names, and with
`ng.read`, in turn, in one process and on as many threads. Prints the CPU seconds of both, all threads together, after
a first read of each, so that neither pays for compiling. One table with targets; exit code 1 if one is missed.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as arrow_csv
from measuring import Target, cpu_seconds, finish
from networks import draw_ends

import netgiven as ng

NODES, LINES = 1_000_000, 10_000_000
BARE = arrow_csv.ReadOptions(column_names=["source", "target"])
MOST = {"integers": 3.0, "names": 6.0}


def write_files(folder: Path) -> dict[str, Path]:
    """The same links by integers and by names."""
    integers = pa.table([pa.array(end) for end in draw_ends(NODES, LINES, 0.6, 100.0).T], BARE.column_names)
    names = pa.table([_named(column) for column in integers.columns], BARE.column_names)
    return {kind: _written(folder / f"{kind}.csv", table) for kind, table in zip(MOST, (integers, names), strict=True)}


def _named(column: Any) -> Any:
    return pc.binary_join_element_wise("user_", column.cast(pa.string()), "")


def _written(path: Path, table: Any) -> Path:
    arrow_csv.write_csv(table, path, arrow_csv.WriteOptions(include_header=False, quoting_style="none"))
    return path


def compare(kind: str, path: Path, repetitions: int) -> Target:
    """Our time over PyArrow's on one file."""
    works = (lambda: ng.read(path)), (lambda: arrow_csv.read_csv(path, BARE))
    cpu_seconds(*works, repetitions=1)
    ours, theirs = cpu_seconds(*works, repetitions=repetitions)
    note = f"netgiven {ours:.2f} s, PyArrow {theirs:.2f} s, {path.stat().st_size / 1e6:.0f} MB"
    return Target(f"reading {kind}: CPU time over PyArrow's", ours / theirs, MOST[kind], note=note)


def main() -> None:
    """Parse, write, compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=5)
    repetitions = parser.parse_args().repetitions
    with tempfile.TemporaryDirectory() as folder:
        files = write_files(Path(folder))
        finish([compare(kind, path, repetitions) for kind, path in files.items()])


if __name__ == "__main__":
    main()
