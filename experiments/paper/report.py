"""The report: tables beside the paper's, figures, what was not run, and CPU times at the end."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import netgiven
from experiments.page import (
    Block,
    BulletList,
    Cell,
    Grid,
    Heading,
    Paragraph,
    Picture,
    to_html,
    to_markdown,
)
from experiments.paper import figures, published
from experiments.paper.plan import Problem, Row, Table
from experiments.paper.run import StoredResult
from experiments.paper.summary import Average, Summary
from netgiven.array_file import write_atomically

TITLE = "The paper's tables, reproduced"
TIMES = "CPU times"  # the heading after which reports of the same command may differ
SELECTION, FIT = "selection CPU s", "fit CPU s"


class Facts(NamedTuple):
    """Facts about the run: its command, and what could not be run."""

    command: str
    problems: Sequence[Problem]


def write_report(tables: Sequence[Table], stored: Sequence[StoredResult], facts: Facts, folder: Path) -> None:
    """Write report.md, report.html, and the pictures beside them."""
    blocks = make_report(tables, stored, facts)
    for block in blocks:
        if isinstance(block, Picture):
            _write(folder / block.file, block.svg)
    _write(folder / "report.md", to_markdown(blocks).encode())
    _write(folder / "report.html", to_html(TITLE, blocks).encode())


def _write(path: Path, content: bytes) -> None:
    write_atomically(path, lambda target: _write_bytes(target, content))


def _write_bytes(target: Path, content: bytes) -> None:
    target.write_bytes(content)


def make_report(tables: Sequence[Table], stored: Sequence[StoredResult], facts: Facts) -> list[Block]:
    """All blocks of the report; tables without results are left out."""
    summaries = [summary for summary in (Summary(table, stored) for table in tables) if summary.stored]
    blocks: list[Block] = [
        Heading(1, TITLE),
        Paragraph(
            f"Paper: {published.CITATION}. Means ± standard deviations over splits; the best value of a column is "
            "bold. A single split may differ more from the paper than the mean does. Axes of bars do not begin at 0."
        ),
    ]
    for summary in summaries:
        blocks += _table_section(summary)
    blocks += _not_run(facts.problems)
    blocks += _how_made(stored, facts.command)
    return blocks + _times(summaries)


# ---- one table -------------------------------------------------------------------------------------------------------


def _table_section(summary: Summary) -> list[Block]:
    table = summary.table
    blocks: list[Block] = [Heading(2, table.title), Paragraph(table.about)]
    for measure in (name for name in table.measures if _is_measured(summary, name)):
        blocks += [Heading(3, measure), measure_grid(summary, measure), *_agreement(summary, measure)]
        if measure == table.measures[0] or table.paper.get(measure):
            blocks.append(_picture(summary, measure, figures.bars(summary, measure)))
    absent = [row.name for row in table.rows if row not in summary.rows]
    if absent:
        blocks.append(Paragraph(f"Not run: {', '.join(absent)}."))
    if any(summary.curve(row, network) is not None for row in summary.rows for network in summary.networks):
        about = "True-positive against false-positive rate on a logarithmic axis, mean over the splits."
        blocks += [Heading(3, "ROC curves"), Paragraph(about)]
        blocks.append(_picture(summary, "ROC curves", figures.roc_curves(summary)))
    return blocks + _calibration(summary) + _details(summary)


def _is_measured(summary: Summary, measure: str) -> bool:
    """Whether any result has the measure: older ones may lack some."""
    return any(summary.measure(row, name, measure) for row in summary.rows for name in summary.networks)


def _picture(summary: Summary, what: str, svg: bytes) -> Picture:
    name = re.sub(r"[^a-z0-9]+", "-", f"{summary.table.name} {what}".lower()).strip("-")
    return Picture(f"{name}.svg", f"{summary.table.title}: {what}", svg)


def measure_grid(summary: Summary, measure: str) -> Grid:
    """Methods and networks, with the paper's numbers and the differences."""
    best = {network: _best(summary, network, measure) for network in summary.networks}
    rows = []
    for row in summary.rows:
        averages = {network: summary.measure(row, network, measure) for network in summary.networks}
        cells = [
            _average_cell(average, summary.table.published(measure, row, network), best[network])
            for network, average in averages.items()
        ]
        rows.append([Cell(row.name), *cells, Cell(_counts(averages.values()))])
    return Grid(["method", *_titles(summary), "splits"], rows)


def _titles(summary: Summary) -> list[str]:
    return [summary.table.networks[network] for network in summary.networks]


def _best(summary: Summary, network: str, measure: str) -> float:
    averages = (summary.measure(row, network, measure) for row in summary.rows)
    return max((average.mean for average in averages if average is not None), default=float("nan"))


def _average_cell(average: Average | None, published: float | None, best: float) -> Cell:
    note = "" if published is None else f"paper {published:.4f}"
    if average is None:
        return Cell("–", note)
    if published is not None:
        note += f", {_signed(average.mean - published)}"
    return Cell(_shown(average), note, bold=average.mean == best)


def _shown(average: Average, digits: int = 4) -> str:
    return f"{average.mean:.{digits}f}" + (f" ± {average.deviation:.{digits}f}" if average.splits > 1 else "")


def _signed(difference: float) -> str:
    """Four digits with a sign; zero is +0.0000, never -0.0000."""
    return f"{round(difference, 4) + 0.0:+.4f}"


def _counts(averages: Iterable[Average | None]) -> str:
    counts = sorted({average.splits for average in averages if average is not None})
    return " to ".join(str(count) for count in dict.fromkeys([*counts[:1], *counts[-1:]]))


def _agreement(summary: Summary, measure: str) -> list[Block]:
    """Which cells agree with the paper within the tolerance of their row."""
    texts = [_agreement_of(summary, row, measure) for row in summary.rows if row.tolerance is not None]
    texts = [text for text in texts if text]
    return [Paragraph("Agreement with the paper:"), BulletList(texts)] if texts else []


def _agreement_of(summary: Summary, row: Row, measure: str) -> str:
    assert row.tolerance is not None
    close, distant = [], []
    for network in summary.networks:
        average, published = summary.measure(row, network, measure), summary.table.published(measure, row, network)
        if average is not None and published is not None:
            difference, title = average.mean - published, summary.table.networks[network]
            if abs(difference) <= row.tolerance:
                close.append(title)
            else:
                distant.append(f"{title} ({_signed(difference)})")
    parts = [f"within {row.tolerance:g} on {', '.join(close)}"] if close else []
    parts += [f"not on {', '.join(distant)}"] if distant else []
    return f"{row.name}: {'; '.join(parts)}" if parts else ""


# ---- calibration, selected settings ----------------------------------------------------------------------------------


def _calibration(summary: Summary) -> list[Block]:
    rows = [row for row in summary.rows if any(summary.reliabilities(row, name) for name in summary.networks)]
    if not rows:
        return []
    about = (
        "Whether the probabilities can be trusted. They are corrected for the share of the links that was hidden, and "
        "sampled pairs represent all pairs without a link. All bins expect the same number of links. The error is the "
        "number of links too many or too few in all bins, divided by the number of hidden links; below it, the error "
        "that a correct model would have by random variation, and the plain expected calibration error. Picture: first "
        "split, two standard errors."
    )
    cells = [[Cell(row.name), *(_calibration_cell(summary, row, name) for name in summary.networks)] for row in rows]
    picture = _picture(summary, "calibration", figures.calibration(summary))
    return [Heading(3, "Calibration"), Paragraph(about), Grid(["method", *_titles(summary)], cells), picture]


def _calibration_cell(summary: Summary, row: Row, network: str) -> Cell:
    tables = summary.reliabilities(row, network)
    if not tables:
        return Cell("–")
    relative = Average.of([table.relative_calibration_error for table in tables])
    random = Average.of([table.relative_error_if_right for table in tables]).mean
    plain = Average.of([table.expected_calibration_error for table in tables]).mean
    return Cell(_shown(relative, digits=3), f"random {random:.3f}; plain {plain:.1e}")


def _details(summary: Summary) -> list[Block]:
    rows = [
        [Cell(row.name), Cell(summary.table.networks[network]), Cell(settings), Cell(str(count))]
        for row in summary.rows
        for network in summary.networks
        for settings, count in [summary.details(row, network)]
        if count
    ]
    if not rows:
        return []
    return [Heading(3, "Selected settings"), Grid(["method", "network", "selected", "splits"], rows)]


# ---- the end ---------------------------------------------------------------------------------------------------------


def _not_run(problems: Sequence[Problem]) -> list[Block]:
    if not problems:
        return []
    return [Heading(2, "Not run"), BulletList([f"{problem.what}: {problem.why}" for problem in problems])]


def _how_made(stored: Sequence[StoredResult], command: str) -> list[Block]:
    commits = sorted({one.commit for one in stored if one.commit})
    splits = len({one.unit.split for one in stored})
    facts = [f"Command: {command}", f"netgiven {netgiven.__version__}"]
    facts += [f"Commit: {', '.join(commits)}"] if commits else []
    facts += [f"Units: {len(stored)}, of {splits} {'split' if splits == 1 else 'splits'} at most"]
    return [Heading(2, "How this was made"), BulletList(facts)]


def _times(summaries: Sequence[Summary]) -> list[Block]:
    """CPU times, the only part that differs from run to run."""
    blocks: list[Block] = [Heading(2, TIMES), Paragraph("CPU seconds per split, mean over the splits.")]
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
    selection, fit = (
        summary.over_splits(row, network, lambda result, name=name: result.seconds.get(name))  # type: ignore[misc]
        for name in (SELECTION, FIT)
    )
    cost = f"selection {selection.mean / fit.mean:.1f} × fit" if selection and fit and fit.mean else ""
    return Cell(f"{total.mean:.1f}", cost)
