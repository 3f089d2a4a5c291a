"""The report on all stored results: one table per network, and a picture of AUC against CPU time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks.peers import results
from benchmarks.peers.catalogue import ENVIRONMENTS, rows_of
from benchmarks.peers.networks import NETWORKS
from benchmarks.peers.picture import draw
from benchmarks.peers.questions import HITS, MRR
from benchmarks.peers.results import BY_PRODUCT, Result
from experiments.page import Block, BulletList, Cell, Grid, Heading, Paragraph, Picture, to_markdown
from netgiven.array_file import make_folder, write_atomically

PICTURE = "auc_against_time"
MORE = (
    MRR,
    HITS,
    "average precision",
    "precision at 100",
    "precision at 1,000",
    "hits at 50",
    "calibration error",
)  # later than some results
COSTS = ("CPU s", "without importing", "wall s", "peak MB", "remark")
TITLE = "netgiven and other libraries"
ABOUT = """Links are hidden (half of them, as in the paper; a tenth in the generated networks, which have
20 planted communities with 90 % of the links inside), and scored together with the same number of other pairs.
Methods that give only vectors are graded by a logistic regression on the element-wise product of two vectors,
learned from the training links and the same number of other pairs (column AUC), and by the dot product. Grading is not
part of the cost. The cost is that of one process with two threads and its children, from its start to the saved result:
importing, reading, learning; beside it, where it was measured, the CPU time without importing libraries, which is most
of the cost of small networks. The kernels of netgiven were compiled by an earlier run. Other programs ran on the same
two cores: CPU time is the number to compare, not wall time. One split each; rows are ordered by the higher of the
two AUCs, which the picture shows, too. Where it was measured, precision at 100 and at 1,000 is the share of hidden
links among the likeliest of all pairs that are not training links, in networks with at most 20,000 nodes or by
netgiven's `likely_links`; hits at 50 is the share of hidden links that score above the 50th of the other pairs.
Large public networks (a tenth of the links is hidden at random, or as in the paper where the name ends in "connected")
are ordered by mean reciprocal rank: each of 2,000 hidden links is ranked among 1,000 pairs of the same node without a
link, with others of the same type and degree; hits at 10 is the share that is among the first ten. Vectors are graded
by the regression and by the dot product, and the better one counts for each."""


def write_report(folder: Path) -> None:
    """Write report.md and the picture, from the stored results."""
    tables = {network: _stored(network, folder) for network in NETWORKS}
    tables = {network: rows for network, rows in tables.items() if rows}
    make_folder(folder)
    write_atomically(folder / f"{PICTURE}.png", lambda target: draw(tables, target))
    text = to_markdown(list(_page(tables)))
    write_atomically(folder / "report.md", lambda target: _write(target, text))


def _write(target: Path, text: str) -> None:
    target.write_text(text, encoding="utf-8")


def _stored(network: str, folder: Path) -> list[Result]:
    """Results of a network, the best first, those without a measure at the end."""
    found = [result for row in rows_of(network) if (result := results.load(network, row, folder)) is not None]
    return sorted(found, key=lambda result: (-result.measures.get(MRR, 0.0), -result.best))


def _page(tables: dict[str, list[Result]]) -> list[Block]:
    picture = Picture(f"{PICTURE}.png", "AUC against CPU time, one panel per network", b"")
    page: list[Block] = [Heading(1, TITLE), Paragraph(ABOUT), picture]
    for network, rows in tables.items():
        more = [name for name in MORE if any(name in result.measures for result in rows)]
        header = ["method", "AUC", "by dot product", *more, *COSTS]
        page += [Heading(2, network), Grid(header, [_cells(result, more) for result in rows])]
    return [*page, Heading(2, "Versions"), BulletList(_versions(list(tables.values())))]


def _cells(result: Result, more: Sequence[str]) -> list[Cell]:
    ours = result.peer == "netgiven"
    measures = [_number(result.measures.get(name), "{:.4f}") for name in ("AUC", BY_PRODUCT, *more)]
    seconds = result.cpu_seconds, result.own_seconds, result.wall_seconds
    costs = [_number(value, "{:.1f}" if (value or 0) >= 10 else "{:.2f}") for value in seconds]
    peak = "" if result.peak_bytes is None else f"{result.peak_bytes / 1e6:,.0f}"
    texts = [*measures, *costs, peak, result.problem]
    return [Cell(result.row, bold=ours), *(Cell(text) for text in texts)]


def _number(value: float | None, form: str) -> str:
    return "" if value is None else form.format(value)


def _versions(tables: Sequence[list[Result]]) -> list[str]:
    """Versions of each peer, as installed last; our commit."""
    last = {result.peer: result for rows in tables for result in rows}
    lines = []
    for peer in (peer for peer in ENVIRONMENTS if peer in last):
        versions = last[peer].versions or ({"commit": last[peer].commit} if peer == "netgiven" else {})
        if versions:
            lines.append(f"{peer}: " + ", ".join(f"{name} {version}" for name, version in versions.items()))
    return lines
