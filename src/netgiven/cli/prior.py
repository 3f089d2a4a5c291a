"""netgiven prior FILE --given ..., netgiven prior FILE --compare ..."""

from __future__ import annotations

from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from netgiven.cli.options import (
    Delimiter,
    GivenOrDegrees,
    Header,
    KnownPairs,
    NetworkFile,
    NodeTable,
    Others,
    Threads,
    UnknownPairs,
    asked,
    check_targets,
    tell_written,
    with_unknown,
)
from netgiven.cli.printing import print_lines, show_table, tell
from netgiven.errors import InputError

if TYPE_CHECKING:
    from netgiven.network import Network
    from netgiven.priors import Knowledge
    from netgiven.tasks.prior_report import PriorReport


def prior(
    file: NetworkFile,
    others: Others = None,
    *,
    nodes: NodeTable = None,
    unknown: UnknownPairs = None,
    known: KnownPairs = None,
    given: GivenOrDegrees = None,
    compare: Annotated[
        list[str] | None,
        typer.Option(help="Compare what several pieces of knowledge are worth: --compare density degrees ..."),
    ] = None,
    embedding: Annotated[
        bool, typer.Option("--embedding/--no-embedding", help="With --compare: see what an embedding adds to each.")
    ] = True,
    dimensions: Annotated[int | None, typer.Option(help="Of these embeddings (default: 8).")] = None,
    reach: Annotated[float | None, typer.Option(help="Of these embeddings (default: 2).")] = None,
    picture: Annotated[
        Path | None, typer.Option(help="Draw expected against observed degrees, or the comparison (.png, .svg, .pdf).")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Write the degrees, or the comparison, to this file, tab-separated.")
    ] = None,
    threads: Threads = None,
    delimiter: Delimiter = None,
    header: Header = None,
) -> None:
    """What is known says this on its own; or several pieces of knowledge, compared."""
    import netgiven as ng

    knowledge = [ng.parse_knowledge(text) for text in asked(given, compare, others)]
    settings = _settings(dimensions, reach, compare is not None and embedding)
    check_targets(picture, out, file, nodes, unknown, known)
    if compare is None and not embedding:
        raise InputError("--no-embedding goes with --compare; without it there is no embedding anyway.")
    network = with_unknown(ng.read(file, nodes=nodes, delimiter=delimiter, header=header), unknown, known, nodes)
    for line in (f"{network}", str(network.cleaning), *network.notes):
        tell(line)
    if compare is None:
        _describe(network, knowledge[0], picture, out)
    else:
        _compare(network, knowledge, picture, out, embed=embedding, threads=threads, **settings)


def _settings(dimensions: int | None, reach: float | None, embedded: bool) -> dict[str, Any]:
    """What was told of the embeddings, if there are any."""
    from netgiven.fitting.settings import Settings
    from netgiven.model import Spread

    if not embedded and (dimensions is not None or reach is not None):
        raise InputError("--dimensions and --reach go with --compare: they are those of the embeddings.")
    settings: dict[str, Any] = {} if dimensions is None else {"dimensions": dimensions}
    settings |= {} if reach is None else {"spread": Spread.from_reach(reach)}
    Settings(**settings)  # complains before the work, not after it
    return settings


def _compare(
    network: Network, knowledge: list[Knowledge], picture: Path | None, out: Path | None, **settings: Any
) -> None:
    from netgiven.tasks.prior_report import compare_priors, draw_comparison

    table = compare_priors(network, knowledge, announce=tell, **settings)
    if picture is not None:
        draw_comparison(table, picture)
    show_table(table, out)
    tell_written(picture, out)


def _describe(network: Network, knowledge: Knowledge, picture: Path | None, out: Path | None) -> None:
    from netgiven.tasks.prior_report import describe_prior, draw_degrees

    report = describe_prior(network, knowledge, announce=tell)
    if picture is not None:
        draw_degrees(report, picture)
    if out is not None:
        show_table(report.degrees, out)
    print_lines(_lines(report))
    tell_written(picture, out)


def _lines(report: PriorReport) -> list[tuple[str, str]]:
    """What a person reads of a prior."""
    from netgiven.cli.info import describe_constraints
    from netgiven.tasks.prior_report import NOTHING

    worth = [
        (f"worth of {kind}", f"{lost:.3f} bits a link are lost without it")
        for kind, lost in report.worth.itertuples(index=False)
        if lost >= NOTHING
    ]
    told = "no links, or no other pairs" if isnan(report.auc) else f"{report.auc:.4f}, links against all other pairs"
    return [
        ("given", report.knowledge),
        *describe_constraints(report.constraints.itertuples()),
        (
            "links",
            f"{report.expected_degrees.sum() / 2:,.1f} expected, {report.observed_degrees.sum() // 2:,} observed",
        ),
        ("entropy", f"{report.entropy:,.1f} bits"),
        ("log-likelihood", f"{report.bits:.3f} bits a link"),
        ("explained", f"{report.bits_explained:.3f} bits a link more than by the density alone"),
        ("AUC of the prior alone", told),
        *worth,
        *(("note", remark) for remark in report.remarks()),
    ]
