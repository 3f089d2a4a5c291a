"""The command `netgiven prior FILE --given ...`, or with `--compare ...`."""

from __future__ import annotations

from dataclasses import replace
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from netgiven.cli.options import (
    Delimiter,
    Encoding,
    GivenOrDegrees,
    Groups,
    Header,
    MemoryLimit,
    NetworkFile,
    NodeTable,
    ObservedPairsOption,
    Others,
    Source,
    Target,
    Threads,
    UnobservedPairsOption,
    check_targets,
    knowledge_texts,
    print_written,
    with_unobserved,
)
from netgiven.cli.printing import print_lines, print_network, print_status, show_table
from netgiven.errors import InputError

if TYPE_CHECKING:
    from netgiven.fitting.settings import Settings
    from netgiven.network import Network
    from netgiven.priors import Knowledge
    from netgiven.tasks.prior_report import PriorReport


def prior(
    file: NetworkFile,
    others: Others = None,
    *,
    nodes: NodeTable = None,
    groups: Groups = None,
    unobserved: UnobservedPairsOption = None,
    observed: ObservedPairsOption = None,
    given: GivenOrDegrees = None,
    compare: Annotated[
        list[str] | None,
        typer.Option(help="Compare several priors: --compare density degrees ..."),
    ] = None,
    embedding: Annotated[
        bool,
        typer.Option("--embedding/--no-embedding", help="With --compare: measure what an embedding adds to each."),
    ] = True,
    dimensions: Annotated[int | None, typer.Option(help="Dimensions of these embeddings (default: 8).")] = None,
    reach: Annotated[float | None, typer.Option(help="Reach of these embeddings (default: 2).")] = None,
    picture: Annotated[
        Path | None, typer.Option(help="Draw expected against observed degrees, or the comparison (.png, .svg, .pdf).")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Write the degrees, or the comparison, to this file (.csv: commas, others: tabs)."),
    ] = None,
    threads: Threads = None,
    source: Source = None,
    target: Target = None,
    delimiter: Delimiter = None,
    header: Header = None,
    encoding: Encoding = None,
    memory_limit: MemoryLimit = None,
) -> None:
    """Measure how much prior knowledge explains of a network."""
    import netgiven as ng

    texts = knowledge_texts(given, compare, others)
    knowledge = [ng.parse_knowledge(text) for text in texts]
    settings = _settings(dimensions, reach, compare is not None and embedding)
    check_targets(picture, out, file, nodes, unobserved, observed)
    if compare is None and not embedding:
        raise InputError("--no-embedding goes with --compare; without --compare there is no embedding.")
    network = ng.read(
        file, nodes=nodes, groups=groups, source=source, target=target, delimiter=delimiter, header=header
    )
    network = with_unobserved(network, unobserved, observed, nodes)
    print_network(network, *texts, suggest=compare is not None)
    if compare is None:
        _describe(network, knowledge[0], picture, out)
    else:
        _compare(network, knowledge, picture, out, embed=embedding, settings=settings, threads=threads)


def _settings(dimensions: int | None, reach: float | None, embedded: bool) -> Settings:
    """Settings of the embeddings, if there are any."""
    from netgiven.tasks.prior_report import FIXED

    if not embedded and (dimensions is not None or reach is not None):
        raise InputError("--dimensions and --reach go with --compare and its embeddings.")
    return replace(
        FIXED,
        dimensions=FIXED.dimensions if dimensions is None else dimensions,
        reach=FIXED.reach if reach is None else reach,
    )


def _compare(
    network: Network,
    knowledge: list[Knowledge],
    picture: Path | None,
    out: Path | None,
    *,
    embed: bool,
    settings: Settings,
    threads: int | None,
) -> None:
    from netgiven.tasks.prior_report import compare_priors, draw_comparison

    table = compare_priors(network, knowledge, embed, print_status, settings=settings, threads=threads)
    if picture is not None:
        draw_comparison(table, picture)
    show_table(table, out)
    print_status(
        "Ranked by held_out_auc: links that were hidden at random (a fifth, three times), by the prior of the others. "
        "Bits and auc are about the links that were fitted, and grow with all that is given."
    )
    print_written(picture, out)


def _describe(network: Network, knowledge: Knowledge, picture: Path | None, out: Path | None) -> None:
    from netgiven.tasks.prior_report import describe_prior, draw_degrees

    report = describe_prior(network, knowledge, log=print_status)
    if picture is not None:
        draw_degrees(report, picture)
    if out is not None:
        show_table(report.degrees, out)
    print_lines(_lines(report) + _ledger_lines(network, knowledge))
    print_written(picture, out)


def _ledger_lines(network: Network, knowledge: Knowledge) -> list[tuple[str, str]]:
    """What each given thing explains, and what to give next."""
    from netgiven.analysis.ledger import ledger, proposals
    from netgiven.cli.info import describe_ledger, describe_proposals

    found = proposals(network, knowledge)
    return describe_ledger(ledger(network, knowledge)) + describe_proposals(found, str(knowledge))


def _lines(report: PriorReport) -> list[tuple[str, str]]:
    """A report as names and values."""
    from netgiven.cli.info import describe_constraints
    from netgiven.tasks.prior_report import NEGLIGIBLE

    contributions = [
        (f"contribution of {kind}", f"{lost:.3f} bits per link are lost without it")
        for kind, lost in report.contributions.itertuples(index=False)
        if lost >= NEGLIGIBLE
    ]
    auc = "no links, or no other pairs" if isnan(report.auc) else f"{report.auc:.4f}, links against all other pairs"
    return [
        ("given", report.knowledge),
        *describe_constraints(report.constraints.itertuples()),
        (
            "links",
            f"{report.expected_degrees.sum() / 2:,.1f} expected, {report.observed_degrees.sum() // 2:,} observed",
        ),
        ("entropy", f"{report.entropy:,.1f} bits"),
        ("log-likelihood", f"{report.bits:.3f} bits per link"),
        ("explained", f"{report.bits_explained:.3f} bits per link more than the density alone"),
        ("AUC of the prior alone", auc),
        *contributions,
        *(("note", remark) for remark in report.notes),
    ]
