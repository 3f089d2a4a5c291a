"""The exact kernel against the same loop in C. Run by fit.py."""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from measuring import Target, cpu_seconds

from netgiven.kernels.arrays import TABLE_LENGTH, ModelArrays, NodeTables, RepulsionSums, make_tables, plain_prior
from netgiven.kernels.repulsion import repel_all

COUNT = 4096
REACH, HALF_STIFFNESS, OFFSET = np.float32(2.0), np.float32(0.5), np.float32(0.1)
COMPILER = ("cc", "-O3", "-march=native", "-ffast-math", "-shared", "-fPIC")


def compile_twin(folder: Path) -> Any:
    """The C function, compiled for this machine."""
    library = folder / "repulsion.so"
    subprocess.run([*COMPILER, str(Path(__file__).with_name("repulsion.c")), "-o", str(library), "-lm"], check=True)
    return ctypes.CDLL(str(library)).repel_all


def draw_scene(dimensions: int) -> ModelArrays:
    """Positions and a prior with log-odds of all sizes."""
    random = np.random.default_rng(0)
    positions = random.normal(size=(COUNT, dimensions)).astype(np.float32)
    node = random.normal(-2.0, 1.0, COUNT).astype(np.float32)
    prior = plain_prior(node, np.zeros(COUNT, np.int32), np.full((1, 1), OFFSET))
    return ModelArrays(positions, prior, REACH, HALF_STIFFNESS)


def empty_sums(dimensions: int) -> RepulsionSums:
    """Where a kernel writes."""
    return RepulsionSums(np.empty((COUNT, dimensions)), np.empty(COUNT))


def call_twin(twin: Any, model: ModelArrays, tables: NodeTables, sums: RepulsionSums) -> None:
    """The C function on the same arrays."""
    assert tables.node.shape[1] == TABLE_LENGTH == 512, "repulsion.c has the length of a table built in"
    sums.repulsion[:], sums.softplus[:] = 0.0, 0.0
    given = model.positions, model.prior.node, tables.positions, tables.node, tables.weight
    arrays = [ctypes.c_void_p(array.ctypes.data) for array in (*given, *sums)]
    numbers = [ctypes.c_float(float(number)) for number in (OFFSET, REACH, HALF_STIFFNESS)]
    twin(*model.positions.shape, len(tables.node), *arrays[:5], *numbers, *arrays[5:])


def check_equal(ours: RepulsionSums, theirs: RepulsionSums) -> None:
    """The same numbers, but for the order of float32 sums."""
    for here, there in zip(ours, theirs, strict=True):
        difference = float(np.abs(here - there).max() / np.abs(there).max())
        assert difference < 1e-4, f"the kernel and its twin in C differ by {difference:.1e}"


def compare(twin: Any, dimensions: int) -> Target:
    """CPU time over that of C."""
    model = draw_scene(dimensions)
    tables, ours, theirs = make_tables(model), empty_sums(dimensions), empty_sums(dimensions)
    works = (lambda: repel_all(0, COUNT, model, tables, ours)), (lambda: call_twin(twin, model, tables, theirs))
    cpu_seconds(*works, repetitions=1)
    check_equal(ours, theirs)
    seconds, yardstick = cpu_seconds(*works, repetitions=15)
    note = f"{1e9 * seconds / COUNT**2:.2f} ns per pair, C {1e9 * yardstick / COUNT**2:.2f}"
    return Target(f"exact kernel over C, d = {dimensions}", seconds / yardstick, 1.3, note=note)


def measure() -> list[Target]:
    """The kernel in 8 and 16 dimensions, one thread."""
    with tempfile.TemporaryDirectory() as folder:
        twin = compile_twin(Path(folder))
        return [compare(twin, dimensions) for dimensions in (8, 16)]
