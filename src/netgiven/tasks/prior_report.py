"""Reports on priors: how well a prior alone explains a network, and several priors compared."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from netgiven.edges import counted
from netgiven.embedding import Embedding, fit_embedding
from netgiven.errors import InputError, UnconstrainedPairs
from netgiven.fitting.settings import Settings
from netgiven.io.read import as_network
from netgiven.maps.canvas import PRINT_COLOURS, literal, make_figure, write_figure
from netgiven.metrics import auc
from netgiven.network import Network
from netgiven.priors import Knowledge, Prior, density, parse_knowledge
from netgiven.priors.knowledge import Given, fit_prior
from netgiven.priors.unobserved import mask_unobserved
from netgiven.splits import LinkSplit, hide_links, pairs_without_link
from netgiven.types import Float64Array, Int64Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Log = Callable[[str], None]

MAX_EXACT_PAIRS = 2_000_000  # 2,000 nodes; in a larger network some of the pairs without a link are drawn
SAMPLED_PAIRS = 1_000_000
MET = 1e-6  # largest relative error of a constraint that is met
NEGLIGIBLE = 1e-6  # bits per link: rounding errors of a fit
# the same for each prior, so that rows of a comparison differ by what is given, and not by the choice of settings
FIXED = Settings(dimensions=8, reach=2.0, shrinkage=0.0)
HELD_OUT_SHARE, HELD_OUT_SPLITS = 0.2, 3  # links that a prior is asked for without having seen them


@dataclass(frozen=True, eq=False)
class PriorReport:
    """How well a prior alone explains a network.

    Attributes
    ----------
    knowledge
        What is given, as text.
    nodes
        The names of the nodes.
    constraints
        One row per kind of knowledge: how many constraints it has, and how well they are met.
    entropy
        The entropy of the prior in bits.
    bits
        The log-likelihood of the network in bits per link.
    bits_explained
        The part of `bits` that exceeds the prior given density alone.
    auc
        The probability that a link has a larger prior probability than another pair.
    expected_degrees, observed_degrees
        One number per node.
    contributions
        The bits per link that are lost without each kind of knowledge, while the density stays given. Empty if there
        is only one kind; NaN for the density if the other kinds do not determine it.
    unobserved
        The number of unobserved pairs. All other numbers are about observed pairs.
    """

    knowledge: str
    nodes: pd.Index[Any]
    constraints: pd.DataFrame
    entropy: float
    bits: float
    bits_explained: float
    auc: float
    expected_degrees: Float64Array
    observed_degrees: Int64Array
    contributions: pd.DataFrame
    unobserved: int = 0

    def __repr__(self) -> str:
        explained = f"{self.bits_explained:.3f} bits per link more than the density alone, AUC {self.auc:.4f}"
        return f"PriorReport given {self.knowledge}: {explained}"

    @property
    def degrees(self) -> pd.DataFrame:
        """One row per node: `node`, `observed` and `expected` degree."""
        return pd.DataFrame({"node": self.nodes, "observed": self.observed_degrees, "expected": self.expected_degrees})

    @property
    def notes(self) -> list[str]:
        """Kinds of knowledge that are not met, or that add nothing to the others."""
        unmet = self.constraints.loc[self.constraints["largest_relative_error"] > MET, "knowledge"]
        redundant = self.contributions.loc[self.contributions["bits_lost"] < NEGLIGIBLE, "kind"]
        what = "not met, so the other numbers are those of a different prior"
        if self.unobserved:
            what = f"met approximately, because {counted(self.unobserved, 'pair')} are unobserved"
        notes = [f"{kind} is {what}" for kind in unmet]
        return notes + [f"{kind} adds nothing to the other kinds of knowledge" for kind in redundant]


def describe_prior(network: Any, given: Given = None, log: Log | None = None) -> PriorReport:
    """Report how well a prior alone explains a network.

    Parameters
    ----------
    network
        A network, or anything else that `embed` takes as one.
    given
        What is known; by default `degrees()`.
    log
        Called with a line of text before each fit.

    Returns
    -------
    PriorReport
        Constraints, entropy, bits, AUC and degrees.

    Examples
    --------
    >>> from netgiven import Network
    >>> star = Network.from_edges([("hub", "a"), ("hub", "b"), ("hub", "c")])
    >>> report = describe_prior(star, "degrees+density")
    >>> report.auc, round(report.bits_explained, 3)  # the star is the only network with these degrees
    (1.0, 2.0)
    >>> report.notes
    ['density adds nothing to the other kinds of knowledge']
    """
    network = as_network(network)
    log = log or (lambda line: None)
    knowledge = parse_several([given])[0]
    log(f"fitting {knowledge}")
    prior = _over_known_pairs(network, knowledge)
    return PriorReport(
        knowledge=prior.knowledge,
        nodes=network.nodes,
        constraints=_constraints(prior),
        entropy=prior.entropy,
        bits=_bits(network, prior),
        bits_explained=_bits(network, prior) - _bits(network, _over_known_pairs(network, density())),
        auc=auc_of_prior(network, prior),
        expected_degrees=prior.expected_degrees,
        observed_degrees=network.degrees,
        contributions=_contributions(network, knowledge, prior, log),
        unobserved=network.unobserved_count,
    )


def _over_known_pairs(network: Network, given: Given) -> Prior:
    """A prior that is restricted to observed pairs."""
    return mask_unobserved(fit_prior(network, given), network)


def compare_priors(
    network: Any,
    given: Sequence[Given],
    embed: bool = True,
    log: Log | None = None,
    *,
    settings: Settings = FIXED,
    threads: int | None = None,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Compare priors: how much each explains of a network, how well it predicts, and how much an embedding adds to it.

    Bits are about the links that a prior was fitted to: the more is given, the more bits, even if it is of no use for
    other links. The AUC on held-out links decides the order: a fifth of the links is hidden at random, the prior is
    fitted to the rest, and the hidden links are compared with all pairs without a link; the mean of three such splits.

    Parameters
    ----------
    network
        A network, or anything else that `embed` takes as one.
    given
        A list of what is known.
    embed
        Whether to fit an embedding with each prior.
    log
        Called with a line of text before each fit.
    settings
        Settings of the embeddings, the same for each prior; by default 8 dimensions, a reach of 2 and no shrinkage.
    threads
        The number of threads, all processors if None; the result is the same.
    progress
        Whether to show progress; by default, if standard error is a terminal.

    Returns
    -------
    pandas.DataFrame
        One row per prior, the best on held-out links first: `given`, `constraints` (their number),
        `largest_relative_error`, `entropy` in bits, `bits_explained` (per link, above the density alone), `auc` of the
        prior, `held_out_auc` (NaN where links are too few, and for priors that are fitted already), and, if `embed` is
        True, `bits_added` (per link, by the embedding) and `bits_total` (the sum of both).

    Raises
    ------
    InputError
        If `given` is not a list, a column is missing, or dimensions, reach or shrinkage are "auto".

    Examples
    --------
    >>> from netgiven.datasets import company
    >>> table = compare_priors(company(60), ["density", "degrees", "blocks:department"], embed=False)
    >>> table["given"].tolist(), float(table["held_out_auc"].iloc[-1])
    (['blocks:department', 'degrees', 'density'], 0.5)
    """
    network = as_network(network)
    known = parse_several(given)
    check_columns(network, known)
    _check_fixed(settings)
    log = log or (lambda line: None)
    base = _bits(network, _over_known_pairs(network, density()))
    held_out = [hide_links(network, HELD_OUT_SHARE, seed, split="random") for seed in range(HELD_OUT_SPLITS)]
    rows = []
    for place, one in enumerate(known):
        log(f"{place + 1} of {len(known)}: {one}")
        prior = fit_prior(network, one)
        row = _row(network, mask_unobserved(prior, network), base)
        row["held_out_auc"] = _held_out_auc(network, one, held_out)
        if embed:
            log(f"{place + 1} of {len(known)}: the embedding")
            fitted = fit_embedding(network, prior, settings, threads=threads, progress=progress)
            row |= _gain(fitted, row["bits_explained"])
        rows.append(row)
    return pd.DataFrame(rows).sort_values("held_out_auc", ascending=False, kind="stable", ignore_index=True)


def _held_out_auc(network: Network, given: Given, splits: Sequence[LinkSplit]) -> float:
    """The mean AUC of hidden links, by the prior of the rest; NaN for a prior that has seen all links."""
    if isinstance(given, Prior):
        return float("nan")
    found = [_auc(network, fit_prior(split.train, given), split.hidden, seed) for seed, split in enumerate(splits)]
    return float(np.mean(found))


def auc_of_prior(network: Network, prior: Prior, seed: int = 0) -> float:
    """The AUC of a prior alone: links against all other pairs; NaN if one of the two does not exist.

    All pairs are compared up to 2,000 nodes. In larger networks a million pairs without a link are drawn, which leaves
    a standard error of at most .0005.
    """
    return _auc(network, prior, network.links().astype(np.int64), seed)


def _auc(network: Network, prior: Prior, links: Int64Array, seed: int) -> float:
    """The AUC of some links against pairs without a link."""
    others = _others(network, seed)
    if not len(links) or not len(others):
        return float("nan")
    pairs = np.concatenate([links, others])
    log_odds = prior.log_odds_of(*pairs.T).round(9)  # equal but for rounding is a tie
    return auc(np.arange(len(pairs)) < len(links), log_odds)


def _others(network: Network, seed: int) -> Int64Array:
    """Observed pairs without a link: all of them, or a sample."""
    nodes = network.node_count
    if nodes * (nodes - 1) // 2 > MAX_EXACT_PAIRS:
        return pairs_without_link(network, SAMPLED_PAIRS, np.random.default_rng(seed))
    first, second = np.triu_indices(nodes, 1)
    free = ~network.are_linked(first, second)
    free &= network.are_observed(first, second)
    return np.column_stack([first[free], second[free]])


def _bits(network: Network, prior: Prior) -> float:
    """Log-likelihood of the network in bits per link."""
    return prior.log_likelihood(network.links()) / float(np.log(2)) / max(network.link_count, 1)


def _constraints(prior: Prior) -> pd.DataFrame:
    """The constraints of the prior; none if it was learned on another network."""
    names = ["knowledge", "constraints", "largest_error", "largest_relative_error"]
    return prior.constraints() if prior.checks else pd.DataFrame(columns=names)


def _contributions(network: Network, knowledge: Given, prior: Prior, log: Log) -> pd.DataFrame:
    """The bits per link that are lost if each kind is left out and the others are fitted again."""
    kinds = knowledge.constraints if isinstance(knowledge, Knowledge) else ()
    whole, lost = _bits(network, prior), []
    for place, kind in enumerate(kinds if len(kinds) > 1 else ()):
        log(f"leaving out {kind}")
        others = Knowledge(kinds[:place] + kinds[place + 1 :])
        loss = _loss_of_density if str(kind) == str(density()) else _loss
        lost.append((str(kind), loss(network, others, whole)))
    return pd.DataFrame(lost, columns=["kind", "bits_lost"]).astype({"bits_lost": "float64"})


def _loss(network: Network, others: Knowledge, whole: float) -> float:
    """Bits per link lost without a kind of knowledge; the density stays given, since bits are counted from it."""
    return max(whole - _bits(network, _over_known_pairs(network, others + density())), 0.0)


def _loss_of_density(network: Network, others: Knowledge, whole: float) -> float:
    """0 if the other kinds determine the number of links; otherwise NaN, since bits are counted from the density."""
    try:
        rest = _over_known_pairs(network, others)
    except UnconstrainedPairs:
        return float("nan")
    determined = np.isclose(rest.expected_links(), network.link_count, rtol=MET, atol=MET)
    return _loss(network, others, whole) if determined else float("nan")


def _row(network: Network, prior: Prior, base: float) -> dict[str, Any]:
    met = _constraints(prior)
    return {
        "given": prior.knowledge,
        "constraints": int(met["constraints"].sum()),
        "largest_relative_error": float(met["largest_relative_error"].max()),
        "entropy": prior.entropy,
        "bits_explained": _bits(network, prior) - base,
        "auc": auc_of_prior(network, prior),
    }


def _gain(embedding: Embedding, explained: float) -> dict[str, float]:
    """What an embedding adds; NaN if its fit diverged."""
    added = float("nan") if embedding.fit.convergence.diverged else embedding.bits_per_link
    return {"bits_added": added, "bits_total": explained + added}


def _check_fixed(settings: Settings) -> None:
    for name in settings.open_hyperparameters:
        raise InputError(f"{name}='auto' was given; priors are compared with the same {name}, so give a number.")


def parse_several(given: Sequence[Given]) -> list[Given]:
    """Parse a list of what is given; an error if it is not a list."""
    if isinstance(given, (str, Knowledge)) or not isinstance(given, Sequence) or not given:
        raise InputError(f"{given!r} was given to compare; a list is needed, such as ['density', 'degrees'].")
    return [parse_knowledge(one) if isinstance(one, str) else one for one in given]


def check_columns(network: Network, known: Sequence[Given]) -> None:
    """Raise an error before the first fit if the network lacks a column."""
    kinds = [kind for one in known if isinstance(one, Knowledge) for kind in one.constraints]
    for name in dict.fromkeys(name for kind in kinds for name in kind.columns):
        network.column(name)


def draw_degrees(report: PriorReport, path: str | os.PathLike[str]) -> None:
    """Draw expected against observed degrees on logarithmic axes, which are linear below 1.

    Nodes at the same place are one dot, whose size shows their number.
    """
    figure = make_figure(5.2, 5.4)
    axes = figure.subplots()
    observed, expected, count = _places(report)
    axes.scatter(observed, expected, s=10 + 14 * np.log2(count), color=PRINT_COLOURS[0], alpha=0.55, linewidths=0)
    least, most = _limits(np.concatenate([observed, expected]))
    axes.plot([least, most], [least, most], color="0.45", linewidth=0.9, linestyle="--", zorder=0)
    _set_scales(axes, least, most)
    given = "\n".join(_lines(f"given {report.knowledge}", letters=55))
    title = f"{given}\n{report.bits_explained:.2f} bits per link explained, AUC {report.auc:.3f}"
    axes.set_title(literal(title), size=10)
    axes.set(xlabel="observed degree", ylabel="expected degree")
    write_figure(figure, path)


def _places(report: PriorReport) -> tuple[Float64Array, Float64Array, Int64Array]:
    """Distinct places in the picture, as observed and expected degree, and the number of nodes at each."""
    rough = np.where(report.expected_degrees < 1, report.expected_degrees.round(2), report.expected_degrees)
    rough = np.array([float(f"{degree:.3g}") for degree in rough])
    pairs, count = np.unique(np.column_stack([report.observed_degrees, rough]), axis=0, return_counts=True)
    return pairs[:, 0], pairs[:, 1], count


def _limits(degrees: Float64Array) -> tuple[float, float]:
    """The limits of both axes: slightly below 0 if there are degrees below 1."""
    least, most = float(degrees.min(initial=1)), float(degrees.max(initial=1))
    return (-0.2 if least < 1 else 0.8 * least), 1.25 * most


def _set_scales(axes: Axes, least: float, most: float) -> None:
    """Logarithmic above 1 and linear below, the same for both axes."""
    powers = [10.0**power for power in range(int(np.log10(most)) + 1)]
    marks = [step * power for power in powers for step in ((1, 2, 5) if most < 2000 * max(least, 1) else (1,))]
    shown = [mark for mark in (0.0, *marks) if least <= mark <= most]
    axes.set_xscale("symlog", linthresh=1, linscale=0.4)
    axes.set_yscale("symlog", linthresh=1, linscale=0.4)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_ticks(shown, [f"{mark:,.0f}" for mark in shown])
        axis.set_ticks([], minor=True)
    axes.set(xlim=(least, most), ylim=(least, most), aspect="equal")
    axes.grid(color="0.92", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def draw_comparison(table: pd.DataFrame, path: str | os.PathLike[str]) -> None:
    """Draw a bar for each row of `compare_priors`: bits per link of the prior, and those that the embedding adds."""
    texts = ["\n".join(_lines(given, letters=34)) for given in table["given"]]
    heights = np.array([1 + text.count("\n") for text in texts])
    figure = make_figure(8.4, 1.5 + 0.24 * float((heights + 1).sum()))
    axes = figure.subplots()
    _draw_bars(axes, table)
    axes.set_yticks(range(len(table)), [literal(text) for text in texts])
    axes.invert_yaxis()
    axes.set_xlabel("bits per link, above the density alone")
    axes.axvline(0, color="0.3", linewidth=0.8)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.margins(x=0.12)
    figure.legend(loc="outside upper center", ncols=3, frameon=False)
    write_figure(figure, path)


def _lines(given: str, letters: int) -> list[str]:
    """The text of what is given in lines of limited length, broken before a plus."""
    lines = [""]
    for number, kind in enumerate(given.split("+")):
        piece = f"+{kind}" if number else kind
        if lines[-1] and len(lines[-1] + piece) > letters:
            lines.append("")
        lines[-1] += piece
    return lines


def _draw_bars(axes: Axes, table: pd.DataFrame) -> None:
    """Bits added continue the bar of bits explained, or are on the other side of 0 if their signs differ."""
    explained = table["bits_explained"].to_numpy()
    added = table["bits_added"].fillna(0).to_numpy() if "bits_added" in table else np.zeros(len(table))
    left = np.where(explained * added >= 0, explained, 0.0)
    ends = np.array([explained, left + added, np.zeros(len(table))])
    room = float(ends.max() - ends.min()) or 1.0
    shared = room if "bits_added" in table else np.inf  # with one part, the number beside the bar is enough
    _draw_part(axes, explained, np.zeros(len(table)), shared, 0, "explained by what is given")
    if "bits_added" in table:
        _draw_part(axes, added, left, room, 1, "added by the embedding")
    for row, total in enumerate(explained + added):
        axes.text(ends[:, row].max() + 0.012 * room, row, f"{total:.2f}", va="center", weight="bold")


def _draw_part(axes: Axes, values: Float64Array, left: Float64Array, room: float, colour: int, name: str) -> None:
    """Draw bars, with numbers inside of those that are long enough."""
    rows = range(len(values))
    axes.barh(rows, values, left=left, height=0.6, color=PRINT_COLOURS[colour], label=name)
    for row, value, begin in zip(rows, values, left, strict=True):
        if abs(value) > 0.08 * room:
            ink = ("white", "black")[colour]
            axes.text(begin + value / 2, row, f"{value:.2f}", ha="center", va="center", color=ink)
