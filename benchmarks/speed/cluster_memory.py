"""Memory of a fit on a Ray cluster of one machine, whose workers are killed, and its bytes beside those of one process.

    python benchmarks/speed/cluster_memory.py [--nodes 10000000] [--links 100000000] [--max-steps 5] [--workers 4]
        [--kill 3] [--store 8] [--folder cluster_memory]

Links of a network with planted communities are drawn in pieces, which are the part files; one file holds all of them.
Separate processes embed the file on one thread and the folder on a cluster, where a worker is killed in the middle of
the steps given by --kill, counted as they are taken. Prints the largest memory that no other process shares: of the
driver, in total and while steps are taken, and of a worker; of the object store, which all share; and whether positions
are the same. Exit code 1 if a target is missed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np
from cluster import is_worker, rollup
from measuring import Target, finish
from ten_million import draw_nodes, write_links

import netgiven as ng
from netgiven.distributed.driver import RayStepper
from netgiven.parallel import available_cpus

SETTINGS: dict[str, Any] = {"dimensions": 8, "reach": 2, "shrinkage": 0.0, "method": "sampled", "init": "diffusion"}
PARTS, GIGABYTE, EVERY = 8, 1e9, 0.2  # seconds between two looks at memory
DRIVER = 7.0  # positions, names, degrees and prior, in units of positions; compiled code adds 0.15 GB
LOOPBACK = {"include_dashboard": False, "_node_ip_address": "127.0.0.1", "log_to_driver": False}


def main() -> None:
    """Draw, embed twice, print; or one fit (in a separate process)."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=10_000_000)
    parser.add_argument("--links", type=int, default=100_000_000)
    parser.add_argument("--max-steps", type=int, default=5)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--kill", type=int, nargs="*", default=[3])
    parser.add_argument("--store", type=float, default=8.0, help="GB of the object store")
    parser.add_argument("--folder", type=Path, default=Path("cluster_memory"))
    parser.add_argument("--fit", choices=FITS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.fit:
        print(json.dumps(FITS[options.fit](options)))
    else:
        finish(measure(options))


def measure(options: argparse.Namespace) -> list[Target]:
    """All targets."""
    draw_parts(options)
    local, ray = (in_process(engine) for engine in ("local", "ray"))
    positions = options.nodes * 4 * SETTINGS["dimensions"] / GIGABYTE
    others = f"a worker {ray['worker']:.2f}, all workers and readers {ray['all']:.2f}, object store {ray['store']:.2f}"
    note = f"in GB: driver {ray['driver']:.2f}, at most {ray['peak']:.2f}, before the fit {ray['base']:.2f}; {others}; "
    note += f"one process {local['peak']:.2f}. {ray['killed']} workers killed; {ray['wall']:.0f} s"
    return [
        Target("memory of the driver, positions = 1", (ray["driver"] - ray["base"]) / positions, DRIVER, note=note),
        Target("positions differ", float(local["digest"] != ray["digest"]), 0),
    ]


def draw_parts(options: argparse.Namespace) -> None:
    """Part files, and one file of all of them; nothing if they are there."""
    whole, parts = options.folder / "whole.csv", options.folder / "parts"
    if whole.exists():
        return
    parts.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(options.workers) as processes:
        drawn = processes.map(draw_part, repeat(options), range(PARTS))
        with whole.with_suffix(".new").open("wb") as sink:
            for part in drawn:
                with part.open("rb") as source:
                    shutil.copyfileobj(source, sink)
    whole.with_suffix(".new").rename(whole)


def draw_part(options: argparse.Namespace, number: int) -> Path:
    """One part file, of the same nodes as all parts."""
    part = options.folder / "parts" / f"part-{number:05d}.csv"
    nodes = draw_nodes(options.nodes, options.links // PARTS, np.random.default_rng(0))
    write_links(nodes, part, np.random.default_rng([0, number]))
    return part


def in_process(engine: str) -> dict[str, Any]:
    """A fit in a separate process."""
    command = [sys.executable, __file__, *sys.argv[1:], "--fit", engine]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def fit_here(options: argparse.Namespace) -> dict[str, Any]:
    """The file, in this process."""
    embedding = ng.embed(options.folder / "whole.csv", "degrees", **SETTINGS, max_steps=options.max_steps, threads=1)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / GIGABYTE
    return {"digest": digest(embedding.positions), "peak": peak}


def fit_on_cluster(options: argparse.Namespace) -> dict[str, Any]:
    """The part files, on a cluster that is started here."""
    import ray

    before, begin = shared_memory(), time.perf_counter()
    memory = {"driver": 0.0, "peak": 0.0, "worker": 0.0, "all": 0.0, "store": 0.0, "killed": 0}
    stepping = kill_workers(options.kill, memory)
    processors = min(options.workers, available_cpus())  # so many part files are read at the same time
    ray.init("local", num_cpus=processors, object_store_memory=int(options.store * GIGABYTE), **LOOPBACK)
    base = private("self")
    threading.Thread(target=watch, args=(memory, before, stepping), daemon=True).start()
    settings = ng.Settings(**SETTINGS, max_steps=options.max_steps)
    out, engine = options.folder / "out.ng", ng.Ray(workers=options.workers, log=log)
    embedding = ng.embed_sharded(options.folder / "parts", out, settings=settings, engine=engine)
    ray.shutdown()
    return {"digest": digest(embedding.positions), **memory, "base": base, "wall": time.perf_counter() - begin}


FITS = {"local": fit_here, "ray": fit_on_cluster}


def kill_workers(when: list[int], memory: dict[str, Any]) -> threading.Event:
    """Kill a worker in the middle of some of the steps that are taken. Returns what is set while steps are taken."""
    evaluate, finish_steps, stepping, taken = RayStepper.evaluate, RayStepper.finish, threading.Event(), []

    def evaluate_and_kill(self: Any, *arguments: Any) -> float:
        stepping.set()
        taken.append(arguments[0])
        if len(taken) in when:
            threading.Timer(EVERY, kill_one, [memory]).start()
        return float(evaluate(self, *arguments))

    def finish_and_note(self: Any) -> None:
        stepping.clear()
        finish_steps(self)

    RayStepper.evaluate, RayStepper.finish = evaluate_and_kill, finish_and_note
    return stepping


def kill_one(memory: dict[str, Any]) -> None:
    """Kill a worker of this cluster."""
    process = next(processes_here(b"ray::Worker"))
    log(f"killing worker {process.name}")
    os.kill(int(process.name), signal.SIGKILL)
    memory["killed"] += 1


def processes_here(title: bytes) -> Iterator[Path]:
    """Processes of this session whose title begins like this."""
    for process in Path("/proc").iterdir():
        try:
            if (process / "cmdline").read_bytes().startswith(title) and os.getsid(int(process.name)) == os.getsid(0):
                yield process
        except (OSError, ValueError):  # it ended meanwhile, or is no process
            continue


def watch(memory: dict[str, Any], before: float, stepping: threading.Event) -> None:
    """Keep the largest memory of each kind in gigabytes."""
    while True:
        mine = private("self")
        memory["peak"] = max(memory["peak"], mine)
        if stepping.is_set():
            memory["driver"] = max(memory["driver"], mine)
        others = {process: private(process.name) for process in processes_here(b"ray::")}
        memory["worker"] = max([memory["worker"], *(size for process, size in others.items() if is_worker(process))])
        memory["all"] = max(memory["all"], sum(others.values()))
        memory["store"] = max(memory["store"], shared_memory() - before)
        time.sleep(EVERY)


def private(process: str) -> float:
    """Gigabytes that no other process shares; 0 if the process has ended."""
    try:
        some = rollup(process)
    except (OSError, IndexError):
        return 0.0
    return (some["Private_Clean"] + some["Private_Dirty"]) / GIGABYTE


def shared_memory() -> float:
    """Gigabytes that the object stores of this machine take."""
    return shutil.disk_usage("/dev/shm").used / GIGABYTE


def digest(positions: Any) -> str:
    """A hash of positions."""
    return hashlib.sha256(positions.tobytes()).hexdigest()


def log(line: str) -> None:
    """Print where results are not."""
    print(line, file=sys.stderr)


if __name__ == "__main__":
    main()
