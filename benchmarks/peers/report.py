"""The report on all results that are filed: a table a network, and a picture of AUC against CPU time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import results
from catalogue import ENVIRONMENTS, ROWS
from networks import NETWORKS
from picture import draw
from results import Result

from netgiven.array_file import make_folder, write_atomically
from netgiven.evaluation.reproduction.blocks import Block, Cell, Grid, Heading, Items, Paragraph, Picture, to_markdown

PICTURE = "auc_against_time"
HEADER = ("method", "AUC", "by dot product", "CPU s", "without importing", "wall s", "peak MB", "remark")
TITLE = "netgiven beside its peers"
ABOUT = """Links are hidden (half of them, as in the paper; a tenth in the generated networks, which have
20 planted communities with 90 % of the links inside), and told from as many other pairs.
Who gives only vectors is graded by a logistic regression on the element-wise product of two vectors,
learned from the training links and as many other pairs (column AUC), and by the dot product. Grading is no part of the
cost. The cost is that of one process with two threads and its children, from its start to the saved result: importing,
reading, learning; beside it, where it was taken, the CPU time without importing libraries, which is most of the cost
of small networks. netgiven's kernels were compiled by an earlier run, as for anybody's second use. Other programs ran
on the same two cores: CPU time is the number to compare, not wall time. One split each; rows are in the
order of the better of the two AUCs, which the picture shows, too: nobody shall lose by the grading."""


def write_report(folder: Path) -> None:
    """report.md and the picture, from what is filed."""
    tables = {network: _filed(network, folder) for network in NETWORKS}
    tables = {network: rows for network, rows in tables.items() if rows}
    make_folder(folder)
    write_atomically(folder / f"{PICTURE}.png", lambda target: draw(tables, target))
    text = to_markdown(list(_page(tables)))
    write_atomically(folder / "report.md", lambda target: _write(target, text))


def _write(target: Path, text: str) -> None:
    target.write_text(text, encoding="utf-8")


def _filed(network: str, folder: Path) -> list[Result]:
    """Results of a network, best AUC first, those without one at the end."""
    found = [result for row in ROWS if (result := results.load(network, row, folder)) is not None]
    return sorted(found, key=lambda result: -result.best)


def _page(tables: dict[str, list[Result]]) -> list[Block]:
    picture = Picture(f"{PICTURE}.png", "AUC against CPU time, one panel a network", b"")
    page: list[Block] = [Heading(1, TITLE), Paragraph(ABOUT), picture]
    for network, rows in tables.items():
        page += [Heading(2, network), Grid(HEADER, [_cells(result) for result in rows])]
    return [*page, Heading(2, "Versions"), Items(_versions(tables.values()))]


def _cells(result: Result) -> list[Cell]:
    ours = result.peer == "netgiven"
    measures = [_number(result.measures.get(name), "{:.4f}") for name in ("AUC", "AUC by dot product")]
    seconds = result.cpu_seconds, result.own_seconds, result.wall_seconds
    costs = [_number(value, "{:.1f}" if (value or 0) >= 10 else "{:.2f}") for value in seconds]
    peak = "" if result.peak_bytes is None else f"{result.peak_bytes / 1e6:,.0f}"
    texts = [*measures, *costs, peak, result.problem]
    return [Cell(result.row, bold=ours), *(Cell(text) for text in texts)]


def _number(value: float | None, form: str) -> str:
    return "" if value is None else form.format(value)


def _versions(tables: Sequence[list[Result]]) -> list[str]:
    """Each peer's, as they were installed last; ours by its commit."""
    told = {result.peer: result for rows in tables for result in rows}
    lines = []
    for peer in (peer for peer in ENVIRONMENTS if peer in told):
        versions = told[peer].versions or ({"commit": told[peer].commit} if peer == "netgiven" else {})
        if versions:
            lines.append(f"{peer}: " + ", ".join(f"{name} {version}" for name, version in versions.items()))
    return lines
