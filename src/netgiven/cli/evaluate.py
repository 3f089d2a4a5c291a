"""netgiven evaluate links FILE, netgiven evaluate labels FILE --labels L"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from netgiven.cli.options import (
    Delimiter,
    Dimensions,
    Groups,
    Header,
    LabelFile,
    NetworkFile,
    NodeTable,
    Preset,
    Reach,
    Shrinkage,
    Source,
    Target,
    Threads,
    hyperparameters,
    preset_settings,
)
from netgiven.cli.printing import print_status, show_table
from netgiven.errors import InputError

if TYPE_CHECKING:
    from netgiven.evaluation.methods import LabelMethod, LinkMethod
    from netgiven.fitting.settings import Settings
    from netgiven.splits import LabelProtocol

Given = Annotated[list[str] | None, typer.Option(help="What is known, as for embed; repeat the option to compare.")]
Baselines = Annotated[str, typer.Option(help="fast (heuristics and other methods that take seconds) or none.")]
Splits = Annotated[int, typer.Option(help="Number of random splits to average over.")]
Out = Annotated[Path | None, typer.Option(help="Write the table to this file, tab-separated.")]

VECTOR_BASELINES = ("all", "deepwalk", "line", "node2vec", "metapath2vec", "metapath2vec++")  # in experiments/

app = typer.Typer(help="Measure how good predictions are on a network.", no_args_is_help=True, rich_markup_mode=None)


@app.callback()
def options() -> None:
    """Measure how good predictions are on a network."""


@app.command()
def links(
    file: NetworkFile,
    *,
    nodes: NodeTable = None,
    groups: Groups = None,
    given: Given = None,
    baselines: Baselines = "fast",
    splits: Splits = 3,
    share: Annotated[float, typer.Option(help="Share of the links to hide.")] = 0.5,
    preset: Preset = None,
    dimensions: Dimensions = None,
    reach: Reach = None,
    shrinkage: Shrinkage = None,
    out: Out = None,
    threads: Threads = None,
    source: Source = None,
    target: Target = None,
    delimiter: Delimiter = None,
    header: Header = None,
) -> None:
    """Hide links, as in the paper, and measure how well methods find them."""
    import netgiven as ng
    from netgiven.array_file import check_target
    from netgiven.evaluation.harness import evaluate_links, summarise
    from netgiven.fitting.settings import Settings

    if out is not None:
        check_target(out, file)
    settings = Settings(**(preset_settings(preset) | hyperparameters(dimensions, reach, shrinkage)))
    methods = _link_methods(given or ["degrees"], baselines, settings, threads)
    network = ng.read(
        file, nodes=nodes, groups=groups, source=source, target=target, delimiter=delimiter, header=header
    )
    for line in network.report:
        print_status(line)
    show_table(summarise(evaluate_links(network, methods, splits, share, _announce)), out)
    _print_selected(methods)


@app.command()
def labels(
    file: NetworkFile,
    *,
    labels: LabelFile,
    nodes: NodeTable = None,
    given: Given = None,
    baselines: Baselines = "fast",
    splits: Splits = 3,
    share: Annotated[float, typer.Option(help="Share of the labels to hide.")] = 0.5,
    by: Annotated[
        str, typer.Option(help="Hide all labels of some nodes (nodes), or some labels of all (links).")
    ] = "nodes",
    dimensions: Dimensions = None,
    reach: Reach = None,
    shrinkage: Shrinkage = None,
    out: Out = None,
    threads: Threads = None,
    source: Source = None,
    target: Target = None,
    delimiter: Delimiter = None,
    header: Header = None,
) -> None:
    """Hide labels, as in the paper, and measure how well methods find them."""
    from netgiven.array_file import check_target
    from netgiven.cli.labels import read_with_labels
    from netgiven.evaluation.harness import evaluate_labels, summarise
    from netgiven.fitting.settings import Settings

    if out is not None:
        check_target(out, file, labels)
    settings = Settings(**hyperparameters(dimensions, reach, shrinkage))
    methods = _label_methods(given or ["degrees+blocks:kind"], baselines, settings, threads)
    network, known = read_with_labels(file, labels, nodes, (source, target), delimiter, header)
    results = evaluate_labels(network, known, methods, splits=splits, share=share, by=_protocol(by), callback=_announce)
    show_table(summarise(results), out)
    _print_selected(methods)


def _announce(name: str, seed: int) -> None:
    print_status(f"split {seed + 1}: {name}")


def _protocol(by: str) -> LabelProtocol:
    protocols: dict[str, LabelProtocol] = {"nodes": "nodes", "links": "links"}
    if by not in protocols:
        raise InputError(f"--by {by} was given; it is nodes or links.")
    return protocols[by]


def _print_selected(methods: Sequence[LinkMethod | LabelMethod]) -> None:
    """Print the settings that were selected on the last split, and what that cost."""
    for method in methods:
        details = getattr(method, "details", {})
        if details.get("trials"):
            cost = details["selection CPU s"] / max(details["fit CPU s"], 1e-9)
            print_status(
                f"{method.name}: {details['dimensions']} dimensions, reach {details['reach']:g}, shrinkage "
                f"{details['shrinkage']:g} selected on the last split, at {cost:.1f} times the CPU time of the fit"
            )


def _link_methods(given: list[str], baselines: str, settings: Settings, threads: int | None) -> list[LinkMethod]:
    from netgiven.evaluation.methods import HEURISTICS, ConditionalEmbedding, Heuristic, PriorAlone
    from netgiven.priors import parse_knowledge

    _check_baselines(baselines)
    knowledge = [parse_knowledge(text) for text in given]
    methods: list[LinkMethod] = [ConditionalEmbedding(known, settings, threads) for known in knowledge]
    if baselines != "none":
        methods += [PriorAlone(known) for known in knowledge]
        methods += [Heuristic(name) for name in HEURISTICS]
    return methods


def _label_methods(given: list[str], baselines: str, settings: Settings, threads: int | None) -> list[LabelMethod]:
    from netgiven.evaluation.methods import EmbeddingVectors, LabelRegression, LabelsAsLinks, MostCommonLabels
    from netgiven.priors import degrees, parse_knowledge

    _check_baselines(baselines)
    methods: list[LabelMethod] = [LabelsAsLinks(parse_knowledge(text), settings, threads) for text in given]
    if baselines != "none":
        methods += [LabelRegression(EmbeddingVectors(degrees(), settings, threads)), MostCommonLabels()]
    return methods


def _check_baselines(baselines: str) -> None:
    if baselines.lower() in VECTOR_BASELINES:
        raise InputError(
            f"--baselines {baselines} was given, but DeepWalk, LINE, node2vec and metapath2vec++ are not part of the "
            "package: `make reproduce` in the source repository runs them. Here --baselines is fast or none."
        )
    if baselines not in ("fast", "none"):
        raise InputError(f"--baselines {baselines} was given; it is fast or none.")
