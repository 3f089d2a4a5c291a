"""Cost and link AUC of netgiven and other libraries on the same splits, each in its own environment and process.

    python -m benchmarks.peers.run [--out FOLDER] [--networks facebook,ppi] [--peers netgiven,grape] [--again]

Run it in the root of the repository. Environments are made with pip the first time. Runs with a result in `--out` are
not repeated, so that an interrupted comparison continues where it stopped; `--again` repeats them. At the end the
report on all stored results is written.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.peers import results
from benchmarks.peers.catalogue import ENVIRONMENTS, Row, rows_of
from benchmarks.peers.environments import Installed, install
from benchmarks.peers.grading import grade, grade_true_probabilities
from benchmarks.peers.limited import Cost, run_limited
from benchmarks.peers.networks import NETWORKS, prepare
from benchmarks.peers.report import write_report
from benchmarks.peers.results import Result
from experiments.paper.run import commit

HERE = Path(__file__).resolve().parent
CACHE = Path.home() / ".cache" / "netgiven" / "peers"
THREADS = 2
THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "RAYON_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)
MEMORY = 16_000_000_000


def main() -> None:
    """Run what is missing, then write the report."""
    options = read_options()
    for network in options.networks:
        for row in wanted_rows(network, options.peers, options.rows):
            if options.again or not results.is_done(results.load(network, row, options.out), options.limit):
                run_row(network, row, options)
    write_report(options.out)


def wanted_rows(network: str, peers: list[str], words: list[str]) -> list[Row]:
    """Rows of the peers with one of the words in their names."""
    return [row for row in rows_of(network) if row.peer in peers and any(word in row.name for word in words)]


def run_row(network: str, row: Row, options: argparse.Namespace) -> None:
    """Run a row, grade its output, store the result, and print one line about it."""
    place = prepare(network, options.work / "networks", options.data)
    installed = install(row.peer, ENVIRONMENTS[row.peer], options.work / "environments")
    facts: dict[str, Any] = {"network": network, "row": row.name, "peer": row.peer, "dimensions": row.dimensions}
    facts |= {"limit": options.limit, "versions": installed.versions}
    facts |= {"commit": "" if installed.versions else commit()}
    result = Result(**facts, **outcome(place, row, installed, options.limit))
    results.save(result, row, options.out)
    print(f"{network}: {row.name}: {result.problem or result.measures}, CPU s: {result.cpu_seconds}", flush=True)


def outcome(place: Path, row: Row, installed: Installed, limit: float) -> dict[str, Any]:
    """Measures and cost, or the problem."""
    if installed.problem:
        return {"problem": installed.problem}
    if not row.adapter:
        return {"measures": grade_true_probabilities(place)}
    with tempfile.TemporaryDirectory() as name:
        output = Path(name)
        cost = measure(place, row, installed, limit, output)
        problem = ending(cost, output / "log.txt")
        if problem:
            return {"problem": problem, **numbers(cost)}
        try:
            return {"measures": grade(place, output, row.method), "own_seconds": own_seconds(output), **numbers(cost)}
        except ValueError as error:
            return {"problem": str(error).splitlines()[0], **numbers(cost)}


def measure(place: Path, row: Row, installed: Installed, limit: float, output: Path) -> Cost:
    """Run the adapter. Ours runs once before on a tiny network, so that compiled kernels are cached."""
    if row.adapter == "own_netgiven":
        tiny = prepare("company", place.parent, None)
        with tempfile.TemporaryDirectory() as name:
            call(tiny, row, installed, limit, Path(name))
    return call(place, row, installed, limit, output)


def call(place: Path, row: Row, installed: Installed, limit: float, output: Path) -> Cost:
    """The adapter in the peer's Python, within limits."""
    adapter = HERE / "adapters" / f"{row.adapter}.py"
    words = [row.method, str(row.dimensions), str(THREADS), str(place.resolve()), str(output)]
    threads = dict.fromkeys(THREAD_VARIABLES, str(THREADS))
    command = [str(installed.python), str(adapter), *words]
    return run_limited(command, limit, MEMORY, output / "log.txt", **threads)


def own_seconds(output: Path) -> float:
    """The CPU time that the adapter measured."""
    return float((output / "seconds.txt").read_text(encoding="utf-8"))


def numbers(cost: Cost) -> dict[str, Any]:
    """The part of a cost that is stored."""
    return {name: getattr(cost, name) for name in ("wall_seconds", "cpu_seconds", "peak_bytes")}


def ending(cost: Cost, log: Path) -> str:
    """Why a run failed; empty if it did not."""
    if cost.stopped or not cost.ending:
        return cost.stopped
    lines = [line.strip() for line in log.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
    reason = next(
        (line for line in reversed(lines) if "Error" in line or "panicked" in line), (lines or ["no message"])[-1]
    )
    return f"crashed ({cost.ending}): {reason[:200]}"


def read_options() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    usual = ",".join(name for name in NETWORKS if name != "company")
    parser.add_argument("--out", type=Path, default=HERE / "report", help="folder of results and report")
    parser.add_argument("--networks", type=_names(NETWORKS), default=usual.split(","), help=f"of {', '.join(NETWORKS)}")
    parser.add_argument("--peers", "--only", type=_names(ENVIRONMENTS), default=list(ENVIRONMENTS), help="all")
    parser.add_argument("--rows", type=lambda text: text.split(","), default=[""], help="words in the names of rows")
    parser.add_argument("--again", action="store_true", help="repeat runs that have a result")
    parser.add_argument("--limit", type=float, default=1800, help="CPU seconds that a run may take (1800)")
    parser.add_argument("--work", type=Path, default=CACHE, help="folder of environments and splits")
    folder = os.environ.get("NETGIVEN_DATA")
    parser.add_argument("--data", type=Path, default=folder and Path(folder), help="folder of the public networks")
    return parser.parse_args()


def _names(available: Any) -> Any:
    """Parser of names separated by commas, which refuses unknown ones."""

    def read(text: str) -> list[str]:
        names = text.split(",")
        for name in names:
            if name not in available:
                raise argparse.ArgumentTypeError(f"there is no {name!r}; there are {', '.join(available)}")
        return names

    return read


if __name__ == "__main__":
    main()
