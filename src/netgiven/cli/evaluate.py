"""netgiven evaluate links FILE, netgiven evaluate labels FILE --labels L"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from netgiven.cli.options import (
    Delimiter,
    Dimensions,
    Header,
    LabelFile,
    NetworkFile,
    NodeTable,
    Preset,
    Reach,
    Shrinkage,
    Threads,
    dials,
    preset_settings,
)
from netgiven.cli.printing import show_table, tell
from netgiven.errors import InputError

Given = Annotated[list[str] | None, typer.Option(help="What is known, as for embed; give it several times to compare.")]
Baselines = Annotated[str, typer.Option(help="fast, all (with DeepWalk, node2vec, LINE, metapath2vec++), or none.")]
Splits = Annotated[int, typer.Option(help="How often to hide something, differently each time.")]
Out = Annotated[Path | None, typer.Option(help="Write the table to this file, tab-separated.")]

app = typer.Typer(help="How good predictions are on a network.", no_args_is_help=True, rich_markup_mode=None)


@app.callback()
def options() -> None:
    """How good predictions are on a network."""


@app.command()
def links(
    file: NetworkFile,
    *,
    nodes: NodeTable = None,
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
    delimiter: Delimiter = None,
    header: Header = None,
) -> None:
    """Hide links, as the paper does, and see who finds them again."""
    import netgiven as ng
    from netgiven.array_file import check_target
    from netgiven.evaluation.harness import evaluate_links, summarise

    if out is not None:
        check_target(out, file)
    settings = preset_settings(preset) | dials(dimensions, reach, shrinkage) | {"threads": threads}
    methods = _link_methods(given or ["degrees"], baselines, settings)
    network = ng.read(file, nodes=nodes, delimiter=delimiter, header=header)
    for line in (f"{network}", str(network.cleaning), *network.notes):
        tell(line)
    show_table(summarise(evaluate_links(network, methods, splits, share, _watch)), out)
    _tell_chosen(methods)


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
    delimiter: Delimiter = None,
    header: Header = None,
) -> None:
    """Hide labels, as the paper does, and see who finds them again."""
    from netgiven.array_file import check_target
    from netgiven.cli.labels import read_both
    from netgiven.evaluation.harness import evaluate_labels, summarise

    if out is not None:
        check_target(out, file, labels)
    settings = dials(dimensions, reach, shrinkage) | {"threads": threads}
    methods = _label_methods(given or ["degrees+blocks:kind"], baselines, settings)
    network, known = read_both(file, labels, nodes, delimiter, header)
    results = evaluate_labels(network, known, methods, splits=splits, share=share, by=_protocol(by), watch=_watch)
    show_table(summarise(results), out)
    _tell_chosen(methods)


def _watch(name: str, seed: int) -> None:
    tell(f"split {seed + 1}: {name}")


def _protocol(by: str) -> Any:
    if by not in ("nodes", "links"):
        raise InputError(f"--by {by} was given; it is nodes or links.")
    return by


def _tell_chosen(methods: list[Any]) -> None:
    """What was chosen on the last split, and what that cost."""
    for method in methods:
        told = getattr(method, "details", {})
        if told.get("trials"):
            cost = told["choice CPU s"] / max(told["fit CPU s"], 1e-9)
            tell(
                f"{method.name}: {told['dimensions']} dimensions, reach {told['reach']:g}, shrinkage "
                f"{told['shrinkage']:g} chosen on the last split, at {cost:.1f} times the CPU time of the fit"
            )


def _link_methods(given: list[str], baselines: str, settings: dict[str, Any]) -> list[Any]:
    from netgiven.evaluation.baselines.catalogue import METHODS
    from netgiven.evaluation.baselines.hadamard import Hadamard
    from netgiven.evaluation.baselines.neighbourhoods import HEURISTICS
    from netgiven.evaluation.link_methods import Conditional, Heuristic, PriorAlone
    from netgiven.priors import parse_knowledge

    _check_baselines(baselines)
    knowledge = [parse_knowledge(text) for text in given]
    methods: list[Any] = [Conditional(known, settings) for known in knowledge]
    if baselines != "none":
        methods += [PriorAlone(known) for known in knowledge] + [Heuristic(name) for name in HEURISTICS]
    return methods + ([Hadamard(method) for method in METHODS.values()] if baselines == "all" else [])


def _label_methods(given: list[str], baselines: str, settings: dict[str, Any]) -> list[Any]:
    from netgiven.evaluation.baselines.catalogue import METHODS
    from netgiven.evaluation.label_methods import CommonLabels, EmbeddingVectors, LabelRegression, LabelsAsLinks
    from netgiven.priors import degrees, parse_knowledge

    _check_baselines(baselines)
    methods: list[Any] = [LabelsAsLinks(parse_knowledge(text), settings) for text in given]
    if baselines != "none":
        methods += [LabelRegression(EmbeddingVectors(degrees(), settings)), CommonLabels()]
    return methods + ([LabelRegression(method) for method in METHODS.values()] if baselines == "all" else [])


def _check_baselines(baselines: str) -> None:
    if baselines not in ("all", "fast", "none"):
        raise InputError(f"--baselines {baselines} was given; it is all, fast or none.")
