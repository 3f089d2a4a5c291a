"""Peak memory of `netgiven embed` on ten million lines over a million nodes. Run by fit.py."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from child import netgiven, run_child
from measuring import Target
from networks import draw_ends

NODES, LINES = 1_000_000, 10_000_000
FIXED = ("--dimensions", "8", "--reach", "2", "--shrinkage", "0")


def write_edges(path: Path) -> None:
    """Ten million lines `u TAB v`."""
    ends = draw_ends(NODES, LINES, 0.6, 100.0).astype(np.int32)
    pd.DataFrame(ends).to_csv(path, sep="\t", header=False, index=False)


def measure() -> list[Target]:
    """The program's own process, nothing else."""
    with tempfile.TemporaryDirectory() as folder:
        edges, out = Path(folder) / "network.edges", Path(folder) / "network.ng"
        write_edges(edges)
        cost = run_child(netgiven("embed", str(edges), "--out", str(out), "--max-steps", "5", *FIXED))
    note = f"{cost.seconds:.1f} CPU s: read, prior, 5 steps, save"
    return [Target("embed 10M lines: peak GB", cost.peak / 1e9, 3.0, note=note)]
