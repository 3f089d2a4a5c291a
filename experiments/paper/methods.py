"""The tables: which methods run on which networks, how links or labels are hidden, and how methods are graded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from experiments.baselines import METHODS
from experiments.baselines.metapath2vec import Metapath2vec
from experiments.paper import published
from experiments.paper.plan import Data, Result, Row, Table
from netgiven.errors import InputError
from netgiven.evaluation.harness import LINK_MEASURES, grade_labels, run_links
from netgiven.evaluation.methods import (
    PROBABILISTIC,
    ConditionalEmbedding,
    EmbeddingVectors,
    Heuristic,
    LabelMethod,
    LabelRegression,
    LabelsAsLinks,
    LinkMethod,
    LinkRegression,
    MostCommonLabels,
    PriorAlone,
    VectorMethod,
)
from netgiven.fitting.settings import Settings, preset
from netgiven.model import probability
from netgiven.priors import Knowledge, blocks, degrees, density
from netgiven.splits import LabelSplit, LinkSplit, hide_labels, hide_links
from netgiven.tasks.calibration import reliability_on
from netgiven.types import BoolArray, Float64Array

Make = Callable[[str, int | None], Any]

SYNTHETIC = {"studentdb_standin": "synthetic"}
CLOSE, ROUGH = 0.004, 0.03  # largest expected differences from the paper
SLOW_SPLITS = 3  # splits of the slow baselines
GENSIM = "gensim"
HIDDEN_SHARE = 0.5  # share of the links or labels that is hidden
FALSE_POSITIVE_RATES = (np.arange(101) / 100) ** 2  # of a ROC curve, closer together where curves are steep

# ---- splits ----------------------------------------------------------------------------------------------------------


def hide_half_of_links(data: Data, seed: int) -> LinkSplit:
    """The paper's split of links."""
    return hide_links(data.network, HIDDEN_SHARE, seed)


def hide_labels_of_half_of_nodes(data: Data, seed: int) -> LabelSplit:
    """The split of labels behind the paper's numbers: half of the nodes lose all labels."""
    return hide_labels(data.labels, HIDDEN_SHARE, seed, by="nodes")


def hide_half_of_labels(data: Data, seed: int) -> LabelSplit:
    """The split of labels in the paper's text: half of the (node, label) pairs."""
    return hide_labels(data.labels, HIDDEN_SHARE, seed, by="links")


# ---- grading ---------------------------------------------------------------------------------------------------------


def grade_link_split(method: LinkMethod, data: Data, split: LinkSplit, seed: int) -> Result:
    """Score the pairs of a split and measure the scores: metrics, ROC curve and, for probabilities, calibration."""
    run = run_links(method, split, seed)
    details, costs = details_and_costs(method)
    return Result(
        measures=run.measures,
        seconds={"total": run.seconds, **costs},
        curve=roc_curve(split.truth, run.scores).tolist(),
        reliability=_reliability(split, run.scores) if isinstance(method, PROBABILISTIC) else {},
        details=details,
    )


def grade_label_split(method: LabelMethod, data: Data, split: LabelSplit, seed: int) -> Result:
    """Score the labels of the nodes of a split and measure the scores."""
    measures = grade_labels(method, data.network, split, seed)
    seconds = measures.pop("CPU s")
    details, costs = details_and_costs(method)
    return Result(measures=measures, seconds={"total": seconds, **costs}, details=details)


def details_and_costs(method: Any) -> tuple[dict[str, Any], dict[str, float]]:
    """The `details` of a method, if it has any, without and with the names that end in "CPU s"."""
    details = dict(getattr(method, "details", {}))
    costs = {name: float(details.pop(name)) for name in list(details) if name.endswith("CPU s")}
    return details, costs


def roc_curve(truth: BoolArray, scores: Float64Array) -> Float64Array:
    """True-positive rates at `FALSE_POSITIVE_RATES`.

    >>> roc_curve(np.array([True, True, False]), np.array([3.0, 1.0, 2.0]))[[0, 50, 100]].tolist()
    [0.5, 0.5, 1.0]
    """
    from sklearn.metrics import roc_curve as curve

    ranks = np.unique(scores, return_inverse=True)[1]  # log-odds may be infinite
    false_positives, true_positives, _ = curve(truth, ranks)
    return np.asarray(np.interp(FALSE_POSITIVE_RATES, false_positives, true_positives))


def _reliability(split: LinkSplit, log_odds: Float64Array) -> dict[str, list[float]]:
    table = reliability_on(split, probability(log_odds))
    return {name: values.tolist() for name, values in asdict(table).items()}


# ---- settings --------------------------------------------------------------------------------------------------------


def paper_settings(network: str) -> Settings:
    """The settings behind the paper's Table 2: 8 dimensions, 16 for arXiv."""
    return Settings(**preset("paper", dimensions=16 if network == "arxiv_astroph" else 8))


def default_settings(network: str) -> Settings:
    """Default settings: dimensions, reach and shrinkage are selected on links hidden from the training network."""
    return Settings()


# ---- rows for links --------------------------------------------------------------------------------------------------


def conditional(given: Knowledge, settings: Callable[[str], Settings]) -> Make:
    """Make a conditional embedding. The number of threads changes only the time."""
    return lambda network, threads: ConditionalEmbedding(given, settings(network), threads)


def heuristic(name: str, paper: str | None = None, drawn: bool = False) -> Row:
    """A neighbourhood score."""
    return Row(name, lambda network, threads: Heuristic(name), paper, CLOSE if paper else None, drawn=drawn)


def vectors(name: str, paper: str, needs: str | None = None, drawn: bool = False) -> Row:
    """A regression on products of vectors."""
    make = link_regression(METHODS[name])
    return Row(name, make, paper, ROUGH, most_splits=SLOW_SPLITS, needs=needs, drawn=drawn)


def link_regression(method: VectorMethod) -> Make:
    """Make a regression on products of vectors, the same for all networks."""
    return lambda network, threads: LinkRegression(method)


def prior_alone(given: Knowledge, name: str) -> Row:
    """The prior without an embedding."""
    return Row(f"prior alone ({name})", lambda network, threads: PriorAlone(given))


def with_paper_settings(given: Knowledge, name: str, drawn: bool = False) -> Row:
    """A conditional embedding with the paper's settings, which should give the published numbers."""
    title, make = f"CNE ({name})", conditional(given, paper_settings)
    return Row(f"{title}, paper's settings", make, title, CLOSE, drawn=drawn)


def with_defaults(given: Knowledge, name: str, drawn: bool = False) -> Row:
    """A conditional embedding with default settings."""
    return Row(f"netgiven ({name}), defaults", conditional(given, default_settings), drawn=drawn)


LINK_ROWS = (
    heuristic("common neighbours", "Common Neighbor"),
    heuristic("Jaccard", "Jaccard Sim."),
    heuristic("Adamic-Adar", "Adamic Adar", drawn=True),
    heuristic("preferential attachment", "Prefere. Attach.", drawn=True),
    heuristic("resource allocation"),
    vectors("DeepWalk", "Deepwalk", needs=GENSIM),
    vectors("LINE", "LINE"),
    vectors("node2vec", "node2vec", needs=GENSIM, drawn=True),
    vectors("metapath2vec++", "metapath2vec++", drawn=True),
    with_paper_settings(density(), "uniform"),
    with_paper_settings(degrees(), "degree", drawn=True),
    prior_alone(degrees(), "degree"),
    with_defaults(degrees(), "degree", drawn=True),
)
SYNTHETIC_ROWS = (
    heuristic("preferential attachment", drawn=True),
    Row("metapath2vec++", link_regression(Metapath2vec(column="type")), most_splits=SLOW_SPLITS, drawn=True),
    with_paper_settings(density(), "uniform"),
    with_paper_settings(degrees(), "degree"),
    with_paper_settings(blocks("type"), "block"),
    with_defaults(density(), "uniform", drawn=True),
    with_defaults(degrees(), "degree", drawn=True),
    with_defaults(blocks("type"), "block", drawn=True),
)

# ---- rows for labels -------------------------------------------------------------------------------------------------


def label_regression(name: str, paper: str, needs: str | None = None) -> Row:
    """Logistic regressions on vectors."""
    method = LabelRegression(METHODS[name])
    return Row(name, lambda network, threads: method, paper, ROUGH, most_splits=SLOW_SPLITS, needs=needs)


def regression_on_embedding(network: str, threads: int | None) -> LabelRegression:
    """CNE-LR in the paper, with default settings."""
    return LabelRegression(EmbeddingVectors(degrees(), threads=threads))


def labels_as_links(network: str, threads: int | None) -> LabelsAsLinks:
    """CNE-LP in the paper, with default settings."""
    return LabelsAsLinks(threads=threads)


MOST_COMMON = Row("most common labels", lambda network, threads: MostCommonLabels())
AS_LINKS = Row("labels as links (block+degree), defaults", labels_as_links, "CNE-LP (block+degree)")
LABEL_ROWS = (
    MOST_COMMON,
    label_regression("DeepWalk", "Deepwalk", needs=GENSIM),
    label_regression("LINE", "LINE"),
    label_regression("node2vec", "node2vec", needs=GENSIM),
    label_regression("metapath2vec++", "metapath2vec++"),
    Row("netgiven (degree), logistic regression", regression_on_embedding, "CNE-LR (degree)"),
    AS_LINKS,
)
LABELLED = {name: published.TITLES[name] for name in ("blogcatalog", "ppi", "wikipedia")}
LABELS_PUBLISHED = {
    "micro-F1": published.LABEL_MICRO_F1,
    "macro-F1": published.LABEL_MACRO_F1,
    "macro-F1 (paper)": published.LABEL_MACRO_F1_AS_LINKS,
}

# ---- tables ----------------------------------------------------------------------------------------------------------

LINKS = Table(
    name="links",
    title="Link prediction (Table 2)",
    about="Half of the links are hidden without splitting a component, and the same number of pairs that were never "
    "linked are drawn. AUC: the probability that a hidden link scores higher than such a pair. Precision at 100 and at "
    "1,000: the share of hidden links among the likeliest of all pairs that are not training links. Hits at 50: the "
    "share of hidden links that score above the 50th of the drawn pairs.",
    networks=published.TITLES,
    measures=LINK_MEASURES,
    rows=LINK_ROWS,
    hide=hide_half_of_links,
    grade=grade_link_split,
    paper={"AUC": published.LINK_AUC},
)
SYNTHETIC_LINKS = Table(
    name="synthetic",
    title="Link prediction with node types: a synthetic network like StudentDB",
    about="StudentDB is no longer public. This is a synthetic network with its schema and size: the links differ, and "
    "so do the numbers, which cannot be compared with the paper's column. The order can: in the paper, the types of "
    "nodes as prior were better than degrees, and degrees better than the density.",
    networks=SYNTHETIC,
    measures=LINK_MEASURES,
    rows=SYNTHETIC_ROWS,
    hide=hide_half_of_links,
    grade=grade_link_split,
)
LABELS = Table(
    name="labels",
    title="Multi-label classification (Table 3)",
    about="Half of the nodes lose all labels, but each label keeps at least one node. For each of these nodes as many "
    "labels are predicted as it had: the authors' protocol. In the row CNE-LP, the paper's macro-F1 leaves out labels "
    "that are never predicted or never true, and is the harmonic mean of averaged precision and averaged recall; its "
    "other rows use the ordinary macro-F1.",
    networks=LABELLED,
    measures=("micro-F1", "macro-F1 (paper)", "macro-F1"),
    rows=LABEL_ROWS,
    hide=hide_labels_of_half_of_nodes,
    grade=grade_label_split,
    fingerprint=lambda data: data.label_fingerprint,
    paper=LABELS_PUBLISHED,
)
LABELS_BY_LINKS = Table(
    name="labels by links",
    title="Multi-label classification, half of the labels hidden",
    about="Half of the (node, label) pairs are hidden, as in the paper's text; a node keeps its other labels, and as "
    "many labels are predicted for it as it lost. The paper's numbers belong to the table above.",
    networks=LABELLED,
    measures=("micro-F1", "macro-F1 (paper)", "macro-F1"),
    rows=tuple(replace(row, paper=None, most_splits=SLOW_SPLITS) for row in (MOST_COMMON, AS_LINKS)),
    hide=hide_half_of_labels,
    grade=grade_label_split,
    fingerprint=lambda data: data.label_fingerprint,
)
TABLES: dict[str, tuple[Table, ...]] = {"links": (LINKS, SYNTHETIC_LINKS), "labels": (LABELS, LABELS_BY_LINKS)}


def tables(which: str) -> tuple[Table, ...]:
    """The tables for `links`, `labels` or `both`."""
    if which not in (*TABLES, "both"):
        raise InputError(f"The tables {which!r} were asked for; they are {', '.join(TABLES)} or both.")
    return tuple(table for name, some in TABLES.items() if which in (name, "both") for table in some)
