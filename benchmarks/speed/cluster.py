"""The cost of a Ray cluster on one machine, where it has no advantage: two workers against two threads.

    python benchmarks/speed/cluster.py [--nodes 1000000] [--links 10000000] [--steps 30] [--workers 2]

A network with planted communities is drawn and written to a file. Separate processes read it and fit a few steps, with
threads and with workers in turn. Prints the wall time of a step (evaluation and update together, the median), the
resident memory of a worker divided by that of the local process, both at the last step, and whether positions are the
same, byte for byte. Memory that workers share through Ray's object store is counted once and printed beside them: a
worker's own memory is what no other process shares. Needs an otherwise idle machine. Exit code 1 if a target is missed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from measuring import Target, finish

import netgiven as ng
from netgiven.distributed.cluster import Ray
from netgiven.distributed.driver import RayStepper
from netgiven.fitting.train import LocalStepper

ROUNDS = 2


def main() -> None:
    """Run the whole comparison, or one fit (in a separate process)."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--links", type=int, default=10_000_000)
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--fit", nargs=2, metavar=("FILE", "ENGINE"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.fit:
        print(json.dumps(fit(options.fit[0], options.fit[1], options.steps, options.workers)))
    else:
        finish(measure(options))


def measure(options: argparse.Namespace) -> list[Target]:
    """All targets."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "network.csv"
        network = ng.datasets.planted(options.nodes, options.links).network
        pd.DataFrame(network.links()).to_csv(path, header=False, index=False)
        runs = {engine: [in_process(path, engine, options) for _ in range(ROUNDS)] for engine in ("local", "ray")}
    times = {engine: min(run["step"] for run in some) for engine, some in runs.items()}
    local, ray = runs["local"][-1], runs["ray"][-1]
    same = len({run["digest"] for some in runs.values() for run in some}) == 1
    shared = f"shared by all {ray['shared'] / 1e6:,.0f} MB, by the driver alone {ray['driver'] / 1e6:,.0f} MB"
    note = f"local {local['resident'] / 1e6:,.0f} MB, worker {max(ray['workers']) / 1e6:,.0f} MB; {shared}"
    return [
        Target("step, divided by that of threads", times["ray"] / times["local"], 1.3, note=f"{times}, {network}"),
        Target(
            "memory of a worker, divided by that of threads", max(ray["workers"]) / local["resident"], 0.6, note=note
        ),
        Target("positions differ", float(not same), 0),
    ]


def in_process(path: Path, engine: str, options: argparse.Namespace) -> dict[str, Any]:
    """A fit in a separate process."""
    words = ["--fit", str(path), engine, "--steps", str(options.steps), "--workers", str(options.workers)]
    done = subprocess.run([sys.executable, __file__, *words], stdout=subprocess.PIPE, text=True, check=True)
    return dict(json.loads(done.stdout))


def fit(path: str, engine: str, steps: int, workers: int) -> dict[str, Any]:
    """Time of a step, memory, and a digest of the positions."""
    times, memory = time_steps(LocalStepper if engine == "local" else RayStepper), {}

    def measure_memory(record: Any, positions: Any) -> None:
        if record.step == steps - 1:
            memory.update(local_memory() if engine == "local" else cluster_memory())

    where = {"engine": Ray(workers=workers)} if engine == "ray" else {"threads": workers}
    settings: dict[str, Any] = {"dimensions": 8, "reach": 2.0, "shrinkage": 0.0, "max_steps": steps}
    embedding = ng.embed(ng.read(path), progress=False, callback=measure_memory, **where, **settings)
    digest = hashlib.sha256(embedding.positions.tobytes()).hexdigest()
    return {"step": float(np.median(times[2:])), "digest": digest, **memory}


def time_steps(stepper: Any) -> list[float]:
    """Wall seconds of each step of a class of steppers, filled while it runs: evaluation and update."""
    evaluate, advance, times = stepper.evaluate, stepper.advance, []

    def timed_evaluate(self: Any, *arguments: Any) -> float:
        times.append(-time.perf_counter())
        value = float(evaluate(self, *arguments))
        times[-1] += time.perf_counter()
        return value

    def timed_advance(self: Any) -> None:
        times[-1] -= time.perf_counter()
        advance(self)
        times[-1] += time.perf_counter()

    stepper.evaluate, stepper.advance = timed_evaluate, timed_advance
    return times


def local_memory() -> dict[str, Any]:
    """Resident bytes of this process."""
    return {"resident": rollup("self")["Rss"]}


def cluster_memory() -> dict[str, Any]:
    """Bytes that each worker has for itself, and those that all share in the object store."""
    workers = [rollup(process.name) for process in Path("/proc").iterdir() if is_worker(process)]
    own = [some["Private_Clean"] + some["Private_Dirty"] for some in workers]
    mine = rollup("self")
    shared = max(some["Shared_Dirty"] for some in [*workers, mine])  # clean ones are those of libraries
    return {"workers": own, "shared": shared, "driver": mine["Private_Clean"] + mine["Private_Dirty"]}


def is_worker(process: Path) -> bool:
    """Whether a process is a worker of the fit."""
    try:
        return process.name.isdigit() and (process / "cmdline").read_bytes().startswith(b"ray::Worker")
    except OSError:  # it ended meanwhile
        return False


def rollup(process: str) -> dict[str, int]:
    """Memory of a process in bytes, from smaps_rollup."""
    lines = Path("/proc", process, "smaps_rollup").read_text(encoding="ascii").splitlines()[1:]
    return {line.split(":")[0]: 1024 * int(line.split()[1]) for line in lines}


if __name__ == "__main__":
    main()
