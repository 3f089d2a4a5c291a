"""netgiven evaluate links FILE, netgiven evaluate labels FILE --labels L, netgiven evaluate baselines"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from netgiven.cli.options import (
    Delimiter,
    Dimensions,
    Encoding,
    Groups,
    Header,
    LabelFile,
    LabelMethodName,
    MemoryLimit,
    NetworkFile,
    NodeTable,
    Preset,
    Reach,
    Repelling,
    RepellingShrinkage,
    Shrinkage,
    Source,
    Target,
    Threads,
    hyperparameters,
    preset_settings,
)
from netgiven.cli.printing import print_network, print_status, show_table
from netgiven.errors import InputError

if TYPE_CHECKING:
    from netgiven.evaluation.methods import LabelMethod, LinkMethod
    from netgiven.fitting.settings import Settings
    from netgiven.network import Network
    from netgiven.splits import LabelProtocol

Given = Annotated[list[str] | None, typer.Option(help="What is known, as for embed; repeat the option to compare.")]
Baselines = Annotated[
    str,
    typer.Option(
        help="fast (all that do not take long), none, or names separated by commas; 'netgiven evaluate baselines' "
        "lists them."
    ),
]
Splits = Annotated[int, typer.Option(help="Number of random splits to average over.")]
Out = Annotated[Path | None, typer.Option(help="Write the table to this file (.csv: commas, others: tabs).")]

PRIOR_ALONE, POSITIONS, MOST_COMMON = "prior alone", "positions", "most common labels"

CALIBRATION_ERROR = (
    "calibration error: hidden links expected too many or too few, added up over ten ranges of probability, per hidden "
    "link. 0 is right; always saying 0 has 1. Probabilities are off by this times the share of hidden links in pairs."
)

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
    split: Annotated[
        str,
        typer.Option(help="paper (no component is divided) or random (nodes may lose all of their links)."),
    ] = "paper",
    non_links: Annotated[
        str,
        typer.Option(
            help="How as many pairs without a link are drawn: uniform, degrees (ends in proportion to degrees), or "
            "types:COLUMN (between groups of a node column that have links)."
        ),
    ] = "uniform",
    preset: Preset = None,
    dimensions: Dimensions = None,
    reach: Reach = None,
    shrinkage: Shrinkage = None,
    repelling: Repelling = None,
    repelling_shrinkage: RepellingShrinkage = None,
    out: Out = None,
    threads: Threads = None,
    source: Source = None,
    target: Target = None,
    delimiter: Delimiter = None,
    header: Header = None,
    encoding: Encoding = None,
    memory_limit: MemoryLimit = None,
) -> None:
    """Hide links and measure how well methods find them.

    Scores of hidden links are compared with those of as many pairs without a link. MRR of 1,000: mean reciprocal rank
    of a hidden link among 1,000 of them. Hits at 50: share of hidden links that score above the 50th of them.
    Precision at 100 and at 1,000: share of hidden links among the likeliest of all pairs that are not training links.
    """
    import netgiven as ng
    from netgiven.array_file import check_target
    from netgiven.evaluation.harness import evaluate_links, summarise
    from netgiven.fitting.settings import Settings

    if out is not None:
        check_target(out, file)
    wanted = hyperparameters(dimensions, reach, shrinkage, repelling, repelling_shrinkage)
    settings = Settings(**(preset_settings(preset) | wanted))
    methods = _link_methods(given or ["degrees"], baselines, settings, threads)
    network = ng.read(
        file, nodes=nodes, groups=groups, source=source, target=target, delimiter=delimiter, header=header
    )
    print_network(network, *(given or []))
    if baselines == "fast":
        methods = _fast_enough(methods, network)
    _note_missing_lists(methods, network)
    results = evaluate_links(network, methods, splits, share, _announce, split=split, non_links=non_links)
    show_table(summarise(results), out)
    if "calibration error" in results:
        print_status(CALIBRATION_ERROR)
    _print_selected(methods)


@app.command()
def labels(
    file: NetworkFile,
    *,
    labels: LabelFile,
    nodes: NodeTable = None,
    given: Given = None,
    method: LabelMethodName = "auto",
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
    encoding: Encoding = None,
    memory_limit: MemoryLimit = None,
) -> None:
    """Hide labels, as in the paper, and measure how well methods find them."""
    from netgiven.array_file import check_target
    from netgiven.cli.labels import read_with_labels
    from netgiven.evaluation.harness import evaluate_labels, summarise
    from netgiven.evaluation.methods import PredictedLabels
    from netgiven.fitting.settings import Settings
    from netgiven.priors import parse_knowledge
    from netgiven.tasks.labels import check_method

    if out is not None:
        check_target(out, file, labels)
    settings = Settings(**hyperparameters(dimensions, reach, shrinkage))
    knowledge = [parse_knowledge(text) for text in given or ["degrees+blocks:kind"]]
    ours = [PredictedLabels(known, settings, threads, check_method(method)) for known in knowledge]
    methods: list[LabelMethod] = [*ours, *_label_baselines(baselines, settings, threads)]
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


@app.command()
def baselines(out: Out = None) -> None:
    """List the methods that embeddings are compared with."""
    import pandas as pd

    from netgiven.evaluation.methods import HEURISTICS

    rows = [("links", PRIOR_ALONE, "Log-odds of pairs under the prior, without an embedding.")]
    rows += [("links", name, str(score.__doc__).splitlines()[0]) for name, score in HEURISTICS.items()]
    rows += [
        ("labels", POSITIONS, "Logistic regression of each label on the positions of an embedding given degrees."),
        ("labels", MOST_COMMON, "The most common labels, the same for all nodes."),
    ]
    show_table(pd.DataFrame(rows, columns=["predicts", "baseline", "what it is"]), out)


def _link_methods(given: list[str], baselines: str, settings: Settings, threads: int | None) -> list[LinkMethod]:
    from netgiven.evaluation.methods import HEURISTICS, ConditionalEmbedding, Heuristic, PriorAlone
    from netgiven.priors import parse_knowledge

    chosen = _chosen(baselines, [PRIOR_ALONE, *HEURISTICS])
    knowledge = [parse_knowledge(text) for text in given]
    methods: list[LinkMethod] = [ConditionalEmbedding(known, settings, threads) for known in knowledge]
    if PRIOR_ALONE in chosen:
        methods += [PriorAlone(known) for known in knowledge]
    return methods + [Heuristic(name) for name in chosen if name != PRIOR_ALONE]


def _fast_enough(methods: list[LinkMethod], network: Network) -> list[LinkMethod]:
    """The methods, without baselines that take long on a large network."""
    from netgiven.evaluation.methods import FROM_EACH_NODE, MAX_FAST_WORK

    if network.node_count * network.link_count <= MAX_FAST_WORK:
        return methods
    print_status(
        f"Left out, because they take long on a network of this size: {', '.join(FROM_EACH_NODE)}. "
        "To run them, name them in --baselines."
    )
    return [method for method in methods if method.name not in FROM_EACH_NODE]


def _note_missing_lists(methods: list[LinkMethod], network: Network) -> None:
    """Say which methods have no list of all pairs."""
    from netgiven.evaluation.methods import ConditionalEmbedding
    from netgiven.ranking import MAX_NODES_COMPARED

    others = [method for method in methods if not isinstance(method, ConditionalEmbedding)]
    if others and network.node_count > MAX_NODES_COMPARED:
        print_status(
            f"Precision at 100 and at 1,000 only of embeddings: other methods would have to score all pairs of more "
            f"than {MAX_NODES_COMPARED:,} nodes."
        )


def _label_baselines(baselines: str, settings: Settings, threads: int | None) -> list[LabelMethod]:
    from netgiven.evaluation.methods import EmbeddingVectors, LabelRegression, MostCommonLabels
    from netgiven.priors import degrees

    there: dict[str, LabelMethod] = {
        POSITIONS: LabelRegression(EmbeddingVectors(degrees(), settings, threads)),
        MOST_COMMON: MostCommonLabels(),
    }
    return [there[name] for name in _chosen(baselines, list(there))]


def _chosen(baselines: str, there: list[str]) -> list[str]:
    """The names of the baselines to run."""
    if baselines in ("fast", "none"):
        return there if baselines == "fast" else []
    asked = {name.strip().lower() for name in baselines.split(",")}
    if not asked <= {name.lower() for name in there}:
        raise InputError(
            f"--baselines {baselines} was given; it is fast or none, or some of these, separated by commas: "
            f"{', '.join(there)}. DeepWalk, LINE, node2vec and metapath2vec++ are not part of the package: "
            "`make reproduce` in the source repository installs what they need (gensim) and runs them."
        )
    return [name for name in there if name.lower() in asked]
