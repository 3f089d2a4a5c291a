"""The tables: which methods run on which networks. A row more is a line more here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from netgiven.errors import InputError
from netgiven.evaluation.baselines.catalogue import METHODS
from netgiven.evaluation.baselines.hadamard import Hadamard, VectorMethod
from netgiven.evaluation.baselines.metapath import Metapath2vec
from netgiven.evaluation.label_methods import CommonLabels, EmbeddingVectors, LabelRegression, LabelsAsLinks
from netgiven.evaluation.link_methods import Conditional, Heuristic, PriorAlone
from netgiven.evaluation.reproduction import paper
from netgiven.evaluation.reproduction.grading import (
    grade_label_split,
    grade_link_split,
    hide_half,
    hide_half_of_labels,
    hide_labels_of_half,
)
from netgiven.evaluation.reproduction.plan import Row, Table
from netgiven.fitting.settings import preset
from netgiven.priors import Knowledge, blocks, degrees, density

Make = Callable[[str, int | None], Any]

STAND_IN = {"studentdb_standin": "stand-in"}
NEAR, ROUGHLY = 0.004, 0.03  # how near to the paper rows should come
SLOW = 3  # splits of the slow baselines
GENSIM = ("gensim", "baselines")

# ---- settings --------------------------------------------------------------------------------------------------------


def paper_settings(network: str) -> dict[str, Any]:
    """The settings behind the paper's Table 2: 8 dimensions, 16 for arXiv."""
    return preset("paper", dimensions=16 if network == "arxiv_astroph" else 8)


def default_settings(network: str) -> dict[str, Any]:
    """Nothing set: what matters is chosen on links hidden from the training network."""
    return {}


# ---- rows ------------------------------------------------------------------------------------------------------------


def conditional(given: Knowledge, settings: Callable[[str], dict[str, Any]]) -> Make:
    """A conditional embedding; the number of threads changes nothing but the time."""

    def make(network: str, threads: int | None) -> Conditional:
        more = {} if threads is None else {"threads": threads}
        return Conditional(given, {**settings(network), **more})

    return make


def heuristic(name: str, published: str | None = None, drawn: bool = False) -> Row:
    """A score by neighbourhoods."""
    return Row(name, lambda network, threads: Heuristic(name), published, NEAR if published else None, drawn=drawn)


def vectors(name: str, published: str, needs: tuple[str, str] | None = None, drawn: bool = False) -> Row:
    """A regression on products of vectors."""
    make = hadamard(METHODS[name])
    return Row(name, make, published, ROUGHLY, most_splits=SLOW, needs=needs, drawn=drawn)


def hadamard(method: VectorMethod) -> Make:
    """The regression, whatever the network and the number of threads."""
    return lambda network, threads: Hadamard(method)


def prior_alone(given: Knowledge, name: str) -> Row:
    """What is known, and nothing else."""
    return Row(f"prior alone ({name})", lambda network, threads: PriorAlone(given))


def as_published(given: Knowledge, name: str, drawn: bool = False) -> Row:
    """A conditional embedding with the paper's settings, to come out as the paper says."""
    title, make = f"CNE ({name})", conditional(given, paper_settings)
    return Row(f"{title}, paper's settings", make, title, NEAR, drawn=drawn)


def by_default(given: Knowledge, name: str, drawn: bool = False) -> Row:
    """A conditional embedding as it comes."""
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
    as_published(density(), "uniform"),
    as_published(degrees(), "degree", drawn=True),
    prior_alone(degrees(), "degree"),
    by_default(degrees(), "degree", drawn=True),
)
STAND_IN_ROWS = (
    heuristic("preferential attachment", drawn=True),
    Row("metapath2vec++", hadamard(Metapath2vec(column="type")), most_splits=SLOW, drawn=True),
    as_published(density(), "uniform"),
    as_published(degrees(), "degree"),
    as_published(blocks("type"), "block"),
    by_default(density(), "uniform", drawn=True),
    by_default(degrees(), "degree", drawn=True),
    by_default(blocks("type"), "block", drawn=True),
)


def regression(name: str, published: str, needs: tuple[str, str] | None = None) -> Row:
    """Logistic regressions on vectors."""
    method = LabelRegression(METHODS[name])
    return Row(name, lambda network, threads: method, published, ROUGHLY, most_splits=SLOW, needs=needs)


def regression_on_embedding(network: str, threads: int | None) -> LabelRegression:
    """The paper's CNE-LR, with default settings."""
    return LabelRegression(EmbeddingVectors(degrees(), {} if threads is None else {"threads": threads}))


def labels_as_links(network: str, threads: int | None) -> LabelsAsLinks:
    """The paper's CNE-LP, with default settings."""
    return LabelsAsLinks(settings={} if threads is None else {"threads": threads})


COMMONEST = "commonest labels"
AS_LINKS = Row("labels as links (block+degree), defaults", labels_as_links, "CNE-LP (block+degree)")
LABEL_ROWS = (
    Row(COMMONEST, lambda network, threads: CommonLabels()),
    regression("DeepWalk", "Deepwalk", needs=GENSIM),
    regression("LINE", "LINE"),
    regression("node2vec", "node2vec", needs=GENSIM),
    regression("metapath2vec++", "metapath2vec++"),
    Row("netgiven (degree), logistic regression", regression_on_embedding, "CNE-LR (degree)"),
    AS_LINKS,
)
LABELLED = {name: paper.TITLES[name] for name in ("blogcatalog", "ppi", "wikipedia")}
LABELS_PUBLISHED = {
    "micro-F1": paper.LABEL_MICRO_F1,
    "macro-F1": paper.LABEL_MACRO_F1,
    "macro-F1 (paper)": paper.LABEL_MACRO_F1_AS_LINKS,
}

# ---- tables ----------------------------------------------------------------------------------------------------------

LINKS = Table(
    name="links",
    title="Link prediction (Table 2)",
    about="Half of the links are hidden without taking a component apart, and as many pairs that were never linked are "
    "drawn. AUC: the chance that a hidden link scores higher than such a pair.",
    networks=paper.TITLES,
    measures=("AUC", "average precision"),
    rows=LINK_ROWS,
    hide=hide_half,
    grade=grade_link_split,
    paper={"AUC": paper.LINK_AUC},
)
LINKS_OF_STAND_IN = Table(
    name="stand-in",
    title="Link prediction with node types: a stand-in for StudentDB",
    about="StudentDB is not public any more. This is a synthetic network with its schema and size: other links, other "
    "numbers, so nothing here is to be set beside the paper's column. What can be compared is the order: there, "
    "knowing the types of nodes beat knowing degrees, and that beat knowing the density.",
    networks=STAND_IN,
    measures=("AUC", "average precision"),
    rows=STAND_IN_ROWS,
    hide=hide_half,
    grade=grade_link_split,
)
LABELS = Table(
    name="labels",
    title="Multi-label classification (Table 3)",
    about="Half of the nodes lose all their labels, each label keeping somebody, and get as many guesses as they had: "
    "the authors' protocol. Of the row CNE-LP the paper's macro-F1 leaves out labels that are never guessed or never "
    "true, and is the harmonic mean of averaged precision and averaged recall; its other rows use the ordinary one.",
    networks=LABELLED,
    measures=("micro-F1", "macro-F1 (paper)", "macro-F1"),
    rows=LABEL_ROWS,
    hide=hide_labels_of_half,
    grade=grade_label_split,
    fingerprint=lambda data: data.label_fingerprint,
    paper=LABELS_PUBLISHED,
)
LABELS_BY_LINKS = Table(
    name="labels by links",
    title="Multi-label classification, half of the labels hidden",
    about="Half of the (node, label) pairs are hidden, as the paper's text says; a node keeps its other labels, and "
    "gets as many guesses as it lost. The paper's numbers belong to the table above.",
    networks=LABELLED,
    measures=("micro-F1", "macro-F1 (paper)", "macro-F1"),
    rows=tuple(
        replace(row, paper=None, most_splits=SLOW) for row in LABEL_ROWS if row.name in (COMMONEST, AS_LINKS.name)
    ),
    hide=hide_half_of_labels,
    grade=grade_label_split,
    fingerprint=lambda data: data.label_fingerprint,
)
TABLES: dict[str, tuple[Table, ...]] = {"links": (LINKS, LINKS_OF_STAND_IN), "labels": (LABELS, LABELS_BY_LINKS)}


def tables(which: str) -> tuple[Table, ...]:
    """The tables that `links`, `labels` or `both` stands for."""
    if which not in (*TABLES, "both"):
        raise InputError(f"The tables {which!r} were asked for; they are {', '.join(TABLES)} or both.")
    return tuple(table for name, some in TABLES.items() if which in (name, "both") for table in some)
