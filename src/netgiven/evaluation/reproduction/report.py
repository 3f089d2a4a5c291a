"""The report: tables beside the paper's, pictures, what was not run, and the times at the end."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import netgiven
from netgiven.array_file import write_atomically
from netgiven.evaluation.reproduction import paper, pictures
from netgiven.evaluation.reproduction.blocks import (
    Block,
    Cell,
    Grid,
    Heading,
    Items,
    Paragraph,
    Picture,
    to_html,
    to_markdown,
)
from netgiven.evaluation.reproduction.plan import Problem, Row, Table
from netgiven.evaluation.reproduction.summary import Spot, Summary
from netgiven.evaluation.reproduction.units import Filed

TITLE = "The paper's tables, made again"
TIMES = "Times"  # the heading after which reports of the same command may differ
CHOICE, FIT = "choice CPU s", "fit CPU s"


class Facts(NamedTuple):
    """What is told of the run: its command, and what could not be run."""

    command: str
    problems: Sequence[Problem]


def write_report(tables: Sequence[Table], filed: Sequence[Filed], facts: Facts, folder: Path) -> None:
    """report.md, report.html, and the pictures beside them."""
    blocks = make_report(tables, filed, facts)
    for block in blocks:
        if isinstance(block, Picture):
            _write(folder / block.file, block.svg)
    _write(folder / "report.md", to_markdown(blocks).encode())
    _write(folder / "report.html", to_html(TITLE, blocks).encode())


def _write(path: Path, content: bytes) -> None:
    write_atomically(path, lambda target: _pour(target, content))


def _pour(target: Path, content: bytes) -> None:
    target.write_bytes(content)


def make_report(tables: Sequence[Table], filed: Sequence[Filed], facts: Facts) -> list[Block]:
    """All blocks of the report; of tables of which nothing was run, none."""
    summaries = [summary for summary in (Summary(table, filed) for table in tables) if summary.filed]
    blocks: list[Block] = [
        Heading(1, TITLE),
        Paragraph(
            f"Paper: {paper.CITATION}. Means ± standard deviations over splits; the best of a column is bold. "
            "A single split may lie further from the paper than its mean does. Axes of bars are cut on the left."
        ),
    ]
    for summary in summaries:
        blocks += _table_section(summary)
    blocks += _not_run(facts.problems)
    blocks += _how_made(filed, facts.command)
    return blocks + _times(summaries)


# ---- one table -------------------------------------------------------------------------------------------------------


def _table_section(summary: Summary) -> list[Block]:
    table = summary.table
    blocks: list[Block] = [Heading(2, table.title), Paragraph(table.about)]
    for measure in table.measures:
        blocks += [Heading(3, measure), measure_grid(summary, measure), *_agreement(summary, measure)]
        if measure == table.measures[0] or table.paper.get(measure):
            blocks.append(_picture(summary, measure, pictures.bars(summary, measure)))
    absent = [row.name for row in table.rows if row not in summary.rows]
    if absent:
        blocks.append(Paragraph(f"Not run here: {', '.join(absent)}."))
    if any(summary.curve(row, network) is not None for row in summary.rows for network in summary.networks):
        about = "True-positive against false-positive rate on a logarithmic axis, mean over the splits."
        blocks += [Heading(3, "ROC curves"), Paragraph(about)]
        blocks.append(_picture(summary, "ROC curves", pictures.roc_curves(summary)))
    return blocks + _calibration(summary) + _details(summary)


def _picture(summary: Summary, what: str, svg: bytes) -> Picture:
    name = re.sub(r"[^a-z0-9]+", "-", f"{summary.table.name} {what}".lower()).strip("-")
    return Picture(f"{name}.svg", f"{summary.table.title}: {what}", svg)


def measure_grid(summary: Summary, measure: str) -> Grid:
    """Methods against networks, with the paper's numbers and the differences."""
    best = {network: _best(summary, network, measure) for network in summary.networks}
    rows = []
    for row in summary.rows:
        spots = {network: summary.measure(row, network, measure) for network in summary.networks}
        cells = [
            _spot_cell(spot, summary.table.published(measure, row, network), best[network])
            for network, spot in spots.items()
        ]
        rows.append([Cell(row.name), *cells, Cell(_counts(spots.values()))])
    return Grid(["method", *_titles(summary), "splits"], rows)


def _titles(summary: Summary) -> list[str]:
    return [summary.table.networks[network] for network in summary.networks]


def _best(summary: Summary, network: str, measure: str) -> float:
    spots = (summary.measure(row, network, measure) for row in summary.rows)
    return max((spot.mean for spot in spots if spot is not None), default=float("nan"))


def _spot_cell(spot: Spot | None, published: float | None, best: float) -> Cell:
    note = "" if published is None else f"paper {published:.4f}"
    if spot is None:
        return Cell("–", note)
    if published is not None:
        note += f", {_signed(spot.mean - published)}"
    return Cell(_shown(spot), note, bold=spot.mean == best)


def _shown(spot: Spot, digits: int = 4) -> str:
    return f"{spot.mean:.{digits}f}" + (f" ± {spot.deviation:.{digits}f}" if spot.splits > 1 else "")


def _signed(difference: float) -> str:
    """Next to nothing is +0.0000, never -0.0000."""
    return f"{round(difference, 4) + 0.0:+.4f}"


def _counts(spots: Iterable[Spot | None]) -> str:
    counts = sorted({spot.splits for spot in spots if spot is not None})
    return " to ".join(str(count) for count in dict.fromkeys([*counts[:1], *counts[-1:]]))


def _agreement(summary: Summary, measure: str) -> list[Block]:
    """Which cells come as near to the paper as they should."""
    texts = [_agreement_of(summary, row, measure) for row in summary.rows if row.tolerance is not None]
    told = [text for text in texts if text]
    return [Paragraph("Beside the paper:"), Items(told)] if told else []


def _agreement_of(summary: Summary, row: Row, measure: str) -> str:
    assert row.tolerance is not None
    near, far = [], []
    for network in summary.networks:
        spot, published = summary.measure(row, network, measure), summary.table.published(measure, row, network)
        if spot is not None and published is not None:
            difference, title = spot.mean - published, summary.table.networks[network]
            if abs(difference) <= row.tolerance:
                near.append(title)
            else:
                far.append(f"{title} ({_signed(difference)})")
    parts = [f"within {row.tolerance:g} on {', '.join(near)}"] if near else []
    parts += [f"further off on {', '.join(far)}"] if far else []
    return f"{row.name}: {'; '.join(parts)}" if parts else ""


# ---- calibration, chosen settings ------------------------------------------------------------------------------------


def _calibration(summary: Summary) -> list[Block]:
    rows = [row for row in summary.rows if any(summary.reliabilities(row, name) for name in summary.networks)]
    if not rows:
        return []
    about = (
        "Can the probabilities be trusted? They are corrected for the share of the links that was hidden, and sampled "
        "pairs stand for all pairs without a link. Bins expect the same number of links each. The error is the number "
        "of links too many or too few in all bins, over the number of hidden links; below it, what a model that is "
        "right would show by chance, and the plain expected calibration error. Picture: first split, two standard "
        "errors."
    )
    cells = [[Cell(row.name), *(_calibration_cell(summary, row, name) for name in summary.networks)] for row in rows]
    picture = _picture(summary, "calibration", pictures.calibration(summary))
    return [Heading(3, "Calibration"), Paragraph(about), Grid(["method", *_titles(summary)], cells), picture]


def _calibration_cell(summary: Summary, row: Row, network: str) -> Cell:
    tables = summary.reliabilities(row, network)
    if not tables:
        return Cell("–")
    relative = Spot.over([table.relative_calibration_error for table in tables])
    chance = Spot.over([table.relative_error_by_chance for table in tables]).mean
    plain = Spot.over([table.expected_calibration_error for table in tables]).mean
    return Cell(_shown(relative, digits=3), f"by chance {chance:.3f}; plain {plain:.1e}")


def _details(summary: Summary) -> list[Block]:
    rows = [
        [Cell(row.name), Cell(summary.table.networks[network]), Cell(told), Cell(str(count))]
        for row in summary.rows
        for network in summary.networks
        for told, count in [summary.details(row, network)]
        if count
    ]
    if not rows:
        return []
    return [Heading(3, "Chosen settings"), Grid(["method", "network", "chosen", "splits"], rows)]


# ---- the end ---------------------------------------------------------------------------------------------------------


def _not_run(problems: Sequence[Problem]) -> list[Block]:
    if not problems:
        return []
    return [Heading(2, "Not run"), Items([f"{problem.what}: {problem.why}" for problem in problems])]


def _how_made(filed: Sequence[Filed], command: str) -> list[Block]:
    commits = sorted({one.commit for one in filed if one.commit})
    splits = len({one.unit.split for one in filed})
    facts = [f"Command: {command}", f"netgiven {netgiven.__version__}"]
    facts += [f"Commit: {', '.join(commits)}"] if commits else []
    facts += [f"Units: {len(filed)}, of {splits} {'split' if splits == 1 else 'splits'} at most"]
    return [Heading(2, "How this was made"), Items(facts)]


def _times(summaries: Sequence[Summary]) -> list[Block]:
    """The only part that differs from run to run."""
    blocks: list[Block] = [Heading(2, TIMES), Paragraph("CPU seconds a split, mean over the splits.")]
    for summary in summaries:
        rows = [
            [Cell(row.name), *(_time_cell(summary, row, name) for name in summary.networks)] for row in summary.rows
        ]
        blocks += [Heading(3, summary.table.title), Grid(["method", *_titles(summary)], rows)]
    return blocks


def _time_cell(summary: Summary, row: Row, network: str) -> Cell:
    total = summary.over_splits(row, network, lambda result: result.seconds.get("total"))
    if total is None:
        return Cell("–")
    choice, fit = (
        summary.over_splits(row, network, lambda result, name=name: result.seconds.get(name))  # type: ignore[misc]
        for name in (CHOICE, FIT)
    )
    cost = f"choice {choice.mean / fit.mean:.1f} × fit" if choice and fit and fit.mean else ""
    return Cell(f"{total.mean:.1f}", cost)
