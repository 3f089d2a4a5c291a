"""netgiven beside its peers: cost and link AUC on the same splits, each peer in its own environment and process.

    python benchmarks/peers/run.py [--out FOLDER] [--networks facebook,ppi] [--peers netgiven,grape] [--again]

Environments are made with pip the first time. A run that is filed in `--out` is not made again, so that an interrupted
comparison goes on where it stopped; `--again` makes it again. Ends by writing the report on all that is filed.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import results
from catalogue import ENVIRONMENTS, ROWS, Row
from environments import Installed, install
from grading import grade, grade_chances
from limited import Cost, run_limited
from networks import NETWORKS, prepare
from report import write_report
from results import Result

from netgiven.evaluation.reproduction.checkout import commit

HERE = Path(__file__).resolve().parent
CACHE = Path.home() / ".cache" / "netgiven" / "peers"
THREADS = 2
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
THREAD_VARIABLES += ("RAYON_NUM_THREADS", "NUMEXPR_NUM_THREADS")
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
    """The rows of the peers with one of the words in their names; generated networks alone have a known truth."""
    known = network.startswith("generated")
    mine = [row for row in ROWS if row.peer in peers and (known or row.peer != "truth")]
    return [row for row in mine if any(word in row.name for word in words)]


def run_row(network: str, row: Row, options: argparse.Namespace) -> None:
    """Run a row, grade what it saved, file the result, and say a line about it."""
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
        return {"measures": grade_chances(place)}
    with tempfile.TemporaryDirectory() as name:
        output = Path(name)
        cost = measure(place, row, installed, limit, output)
        problem = ending(cost, output / "log.txt")
        if problem:
            return {"problem": problem, **numbers(cost)}
        try:
            return {"measures": grade(place, output), "own_seconds": own_seconds(output), **numbers(cost)}
        except ValueError as error:
            return {"problem": str(error).splitlines()[0], **numbers(cost)}


def measure(place: Path, row: Row, installed: Installed, limit: float, output: Path) -> Cost:
    """Run the adapter. Ours runs once before on a tiny network: compiled kernels are cached, as for a second use."""
    if row.peer == "netgiven":
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
    """What the adapter wrote down."""
    return float((output / "seconds.txt").read_text(encoding="utf-8"))


def numbers(cost: Cost) -> dict[str, Any]:
    """The part of a cost that is filed."""
    return {name: getattr(cost, name) for name in ("wall_seconds", "cpu_seconds", "peak_bytes")}


def ending(cost: Cost, log: Path) -> str:
    """Why a run brought nothing; empty if it went well."""
    if cost.stopped or not cost.ending:
        return cost.stopped
    lines = [line.strip() for line in log.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
    told = next((line for line in reversed(lines) if "Error" in line or "panicked" in line), (lines or ["no word"])[-1])
    return f"crashed ({cost.ending}): {told[:200]}"


def read_options() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    usual = ",".join(name for name in NETWORKS if name != "company")
    parser.add_argument("--out", type=Path, default=HERE / "report", help="folder of results and report")
    parser.add_argument("--networks", type=_names(NETWORKS), default=usual.split(","), help=f"of {', '.join(NETWORKS)}")
    parser.add_argument("--peers", "--only", type=_names(ENVIRONMENTS), default=list(ENVIRONMENTS), help="all")
    parser.add_argument("--rows", type=lambda text: text.split(","), default=[""], help="words in the names of rows")
    parser.add_argument("--again", action="store_true", help="also what is filed already")
    parser.add_argument("--limit", type=float, default=1800, help="CPU seconds that a run may take (1800)")
    parser.add_argument("--work", type=Path, default=CACHE, help="folder of environments and splits")
    folder = os.environ.get("NETGIVEN_DATA")
    parser.add_argument("--data", type=Path, default=folder and Path(folder), help="folder of the public networks")
    return parser.parse_args()


def _names(known: Any) -> Any:
    """Reads names with commas between them, and refuses unknown ones."""

    def read(text: str) -> list[str]:
        names = text.split(",")
        for name in names:
            if name not in known:
                raise argparse.ArgumentTypeError(f"there is no {name!r}; there are {', '.join(known)}")
        return names

    return read


if __name__ == "__main__":
    sys.exit(main())
