"""What a prior says on its own, and what each piece of knowledge is worth."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from netgiven import embedding as embeddings
from netgiven.edges import counted
from netgiven.errors import InputError
from netgiven.fitting.record import Ending
from netgiven.maps.canvas import PRINT_COLOURS, literal, make_figure, write_figure
from netgiven.metrics import auc
from netgiven.model import Spread
from netgiven.network import Network
from netgiven.priors import Knowledge, Prior, density, parse_knowledge
from netgiven.priors.given import Given, fit_prior
from netgiven.priors.unobserved import closed
from netgiven.readers.objects import as_network
from netgiven.splits import pairs_without_link
from netgiven.types import Float64Array, Int64Array

# ---- Several pieces of knowledge, as they are given to be compared ---------------------------------------------------


def parse_several(given: Sequence[Given]) -> list[Given]:
    """Each of them, read where it is a text; a single one is no list."""
    if isinstance(given, (str, Knowledge)) or not given:
        raise InputError(f"{given!r} was given to compare; a list is needed, e.g. ['density', 'degrees'].")
    return [parse_knowledge(one) if isinstance(one, str) else one for one in given]


def check_columns(network: Network, known: Sequence[Given]) -> None:
    """A sentence before the first of many fits, if a column that is asked for is not there."""
    kinds = [kind for one in known if isinstance(one, Knowledge) for kind in one.kinds]
    for name in dict.fromkeys(name for kind in kinds for name in kind.columns):
        network.column(name)


Announce = Callable[[str], None]

MOST_PAIRS = 2_000_000  # all are looked at up to 2,000 nodes; above, some of those without a link
SAMPLED_PAIRS = 1_000_000
MET = 1e-6  # largest relative error of a constraint that is met
NOTHING = 1e-6  # bits a link: what is left of nothing after a fit to rounding error
# modest settings, the same for each prior: rows of a comparison differ by what was known, not by what was chosen
FIXED: dict[str, Any] = {"dimensions": 8, "spread": Spread.from_reach(2.0), "shrinkage": 0.0, "seed": 0}


@dataclass(frozen=True, eq=False)
class PriorReport:
    """What a prior says of a network, before any embedding.

    - `constraints`: how well each kind of knowledge is met
    - `entropy`: bits that the prior leaves open
    - `bits`: log-likelihood of the network in bits a link
    - `bits_explained`: how much of that is more than the density alone says
    - `auc`: chance that a link is likelier than another pair
    - `expected_degrees`, `observed_degrees`: one number a node
    - `worth`: the bits a link that are lost where one kind alone is left out, and the number of links stays known;
      empty unless there are several kinds, and NaN for the density where the others do not tell it
    - `unknown`: the number of pairs of which nobody knows whether they are linked; all else is about known pairs
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
    worth: pd.DataFrame
    unknown: int = 0

    @property
    def degrees(self) -> pd.DataFrame:
        """One row a node: its name, observed and expected degree."""
        names = {"node": self.nodes, "observed": self.observed_degrees, "expected": self.expected_degrees}
        return pd.DataFrame(names)

    def remarks(self) -> list[str]:
        """A sentence for each kind that is not met, or that adds nothing."""
        unmet = self.constraints.loc[self.constraints["largest_relative_error"] > MET, "knowledge"]
        idle = self.worth.loc[self.worth["bits_lost"] < NOTHING, "kind"]
        what = "not met, so the other numbers are those of another prior than asked for"
        if self.unknown:
            what = f"met nearly: {counted(self.unknown, 'pair')} are unknown, so it is in doubt"
        told = [f"{kind} is {what}" for kind in unmet]
        return told + [f"{kind} says nothing that the rest does not say already" for kind in idle]


def describe_prior(network: Any, given: Given = None, announce: Announce | None = None) -> PriorReport:
    """What is given says this of the network on its own.

    `announce` is told what is fitted now.

    >>> star = Network.from_edges([("hub", "a"), ("hub", "b"), ("hub", "c")])
    >>> report = describe_prior(star, "degrees+density")
    >>> report.auc, round(report.bits_explained, 3)  # a star is all that has these degrees
    (1.0, 2.0)
    >>> report.remarks()
    ['density says nothing that the rest does not say already']
    """
    network = as_network(network)
    tell = announce or (lambda what: None)
    knowledge = parse_several([given])[0]
    tell(f"fitting {knowledge}")
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
        worth=_worth(network, knowledge, prior, tell),
        unknown=network.unknown_count,
    )


def _over_known_pairs(network: Network, given: Given) -> Prior:
    """A prior that says nothing of unknown pairs: they are no part of what is observed."""
    return closed(fit_prior(network, given), network)


def compare_priors(
    network: Any, given: Sequence[Given], embed: bool = True, announce: Announce | None = None, **settings: Any
) -> pd.DataFrame:
    """Priors side by side, one row each: what each piece of knowledge is worth, and what an embedding adds to it.

    Columns: `given`, `constraints` (how many), `largest_relative_error`, `entropy` (bits), `bits_explained` (a link,
    more than the density says), `auc` (of the prior alone, see `auc_of_prior`), and unless `embed` is False
    `bits_added` (a link, by an embedding) and `bits_total` (both).

    All embeddings have the same settings: 8 dimensions, a reach of 2, no shrinkage, seed 0, unless `settings`, which
    are those of `embed`, say otherwise. `announce` is told what is fitted now.

    >>> ring = Network.from_edges([(i, (i + 1) % 12) for i in range(12)])
    >>> table = compare_priors(ring, ["density", "common_neighbours"], embed=False)
    >>> table[["given", "constraints"]].values.tolist()
    [['density', 1], ['density+common_neighbours', 2]]
    """
    network = as_network(network)
    known = parse_several(given)
    check_columns(network, known)
    fixed = FIXED | _fixed(settings)
    tell = announce or (lambda what: None)
    base = _bits(network, _over_known_pairs(network, density()))
    rows = []
    for place, one in enumerate(known):
        tell(f"{place + 1} of {len(known)}: {one}")
        prior = fit_prior(network, one)
        row = _row(network, closed(prior, network), base)
        if embed:
            tell(f"{place + 1} of {len(known)}: the embedding")
            row |= _gain(network, prior, row["bits_explained"], fixed)
        rows.append(row)
    return pd.DataFrame(rows)


def auc_of_prior(network: Network, prior: Prior, seed: int = 0) -> float:
    """How well a prior alone tells the links of a network from all other pairs; NaN where there are no such two.

    All pairs are compared up to 2,000 nodes (2,000,000 pairs). In larger networks a million of the pairs without a
    link are drawn, the same ones each time, which leaves a standard error of at most .0005.
    """
    nodes = network.node_count
    if not 0 < network.link_count < nodes * (nodes - 1) // 2:
        return float("nan")
    links = network.links().astype(np.int64)
    pairs = np.concatenate([links, _others(network, seed)])
    log_odds = prior.log_odds_of(*pairs.T).round(9)  # what is equal but for rounding is a tie
    return auc(np.arange(len(pairs)) < len(links), log_odds)


def _others(network: Network, seed: int) -> Int64Array:
    """Pairs without a link: all of them, or a sample."""
    nodes = network.node_count
    if nodes * (nodes - 1) // 2 > MOST_PAIRS:
        return pairs_without_link(network, SAMPLED_PAIRS, np.random.default_rng(seed))
    first, second = np.triu_indices(nodes, 1)
    free = ~network.are_linked(first, second)
    free &= network.are_known(first, second)
    return np.column_stack([first[free], second[free]])


def _bits(network: Network, prior: Prior) -> float:
    """Log-likelihood of the network, in bits a link."""
    return prior.log_likelihood(network.links()) / float(np.log(2)) / max(network.link_count, 1)


def _constraints(prior: Prior) -> pd.DataFrame:
    """As the prior tells them; none for one that was learned elsewhere."""
    names = ["knowledge", "constraints", "largest_error", "largest_relative_error"]
    return prior.constraints() if prior.checks else pd.DataFrame(columns=names)


def _worth(network: Network, knowledge: Any, prior: Prior, tell: Announce) -> pd.DataFrame:
    """The bits a link that are lost where one kind is left out, and the others are fitted again."""
    kinds = knowledge.kinds if isinstance(knowledge, Knowledge) else ()
    whole, lost = _bits(network, prior), []
    for place, kind in enumerate(kinds if len(kinds) > 1 else ()):
        tell(f"leaving out {kind}")
        others = Knowledge(kinds[:place] + kinds[place + 1 :])
        loss = _worth_of_density if str(kind) == str(density()) else _loss
        lost.append((str(kind), loss(network, others, whole)))
    return pd.DataFrame(lost, columns=["kind", "bits_lost"]).astype({"bits_lost": "float64"})


def _loss(network: Network, others: Knowledge, whole: float) -> float:
    """The number of links stays known: bits are counted from there."""
    return max(whole - _bits(network, _over_known_pairs(network, others + density())), 0.0)


def _worth_of_density(network: Network, others: Knowledge, whole: float) -> float:
    """0 where the others tell the number of links, too; no number where they do not: bits are counted from there."""
    rest = _over_known_pairs(network, others)
    told = np.isclose(rest.expected_links(), network.link_count, rtol=MET, atol=MET)
    return _loss(network, others, whole) if told else float("nan")


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


def _gain(network: Network, prior: Prior, explained: float, settings: dict[str, Any]) -> dict[str, float]:
    """What an embedding adds; no number where its fit diverged."""
    embedding = embeddings.embed(network, prior, **settings)
    diverged = embedding.outcome.ending is Ending.DIVERGED
    added = float("nan") if diverged else embedding.bits_per_link
    return {"bits_added": added, "bits_total": explained + added}


def _fixed(settings: dict[str, Any]) -> dict[str, Any]:
    for name, value in settings.items():
        if isinstance(value, str) and value == "auto" and name in FIXED:
            raise InputError(f"{name}='auto' was given; priors are compared with the same {name}, so give a number.")
    return settings


# ---- Pictures of priors: expected against observed degrees, and what priors and embeddings explain -------------------


LETTERS = 34  # of a line of knowledge beside a bar


def draw_degrees(report: PriorReport, path: str | os.PathLike[str]) -> None:
    """Expected against observed degree, a dot for each node, on logarithmic axes.

    Where nodes have no links, or hardly any are expected, there is a place for 0, too.
    Nodes at the same place make one dot, larger the more they are.
    """
    figure = make_figure(5.2, 5.4)
    axes = figure.subplots()
    observed, expected, count = _places(report)
    axes.scatter(observed, expected, s=10 + 14 * np.log2(count), color=PRINT_COLOURS[0], alpha=0.55, linewidths=0)
    least, most = _limits(np.concatenate([observed, expected]))
    axes.plot([least, most], [least, most], color="0.45", linewidth=0.9, linestyle="--", zorder=0)
    _number_logarithmically(axes, least, most)
    told = "\n".join(_lines(f"given {report.knowledge}", letters=55))
    axes.set_title(literal(f"{told}\n{report.bits_explained:.2f} bits a link explained, AUC {report.auc:.3f}"), size=10)
    axes.set(xlabel="observed degree", ylabel="expected degree")
    write_figure(figure, path)


def _places(report: PriorReport) -> tuple[Any, Any, Any]:
    """Observed and expected degree of nodes that cannot be told apart in a picture, and how many they are."""
    rough = np.where(report.expected_degrees < 1, report.expected_degrees.round(2), report.expected_degrees)
    rough = np.array([float(f"{degree:.3g}") for degree in rough])
    pairs, count = np.unique(np.column_stack([report.observed_degrees, rough]), axis=0, return_counts=True)
    return pairs[:, 0], pairs[:, 1], count


def _limits(degrees: Any) -> tuple[float, float]:
    """Where both axes begin and end: somewhat below 0 if there are degrees below 1."""
    least, most = float(degrees.min(initial=1)), float(degrees.max(initial=1))
    return (-0.2 if least < 1 else 0.8 * least), 1.25 * most


def _number_logarithmically(axes: Any, least: float, most: float) -> None:
    """Logarithmic from 1 on, and straight from 0 to 1; the same for both axes."""
    powers = [10.0**power for power in range(int(np.log10(most)) + 1)]
    marks = [step * power for power in powers for step in ((1, 2, 5) if most < 2000 * max(least, 1) else (1,))]
    shown = [mark for mark in (0.0, *marks) if least <= mark <= most]
    straight = {"linthresh": 1, "linscale": 0.4}
    axes.set_xscale("symlog", **straight)
    axes.set_yscale("symlog", **straight)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_ticks(shown, [f"{mark:,.0f}" for mark in shown])
        axis.set_ticks([], minor=True)
    axes.set(xlim=(least, most), ylim=(least, most), aspect="equal")
    axes.grid(color="0.92", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def draw_comparison(table: pd.DataFrame, path: str | os.PathLike[str]) -> None:
    """A bar for each prior of `compare_priors`: bits a link that it explains, and those that the embedding adds."""
    texts = ["\n".join(_lines(given, LETTERS)) for given in table["given"]]
    heights = np.array([1 + text.count("\n") for text in texts])
    figure = make_figure(8.4, 1.5 + 0.24 * float((heights + 1).sum()))
    axes = figure.subplots()
    _draw_bars(axes, table)
    axes.set_yticks(range(len(table)), [literal(text) for text in texts])
    axes.invert_yaxis()
    axes.set_xlabel("bits a link, more than the density says")
    axes.axvline(0, color="0.3", linewidth=0.8)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.margins(x=0.12)
    figure.legend(loc="outside upper center", ncols=3, frameon=False)
    write_figure(figure, path)


def _lines(given: str, letters: int) -> list[str]:
    """Knowledge in lines that are not too long, broken before a plus."""
    lines = [""]
    for number, kind in enumerate(given.split("+")):
        piece = f"+{kind}" if number else kind
        if lines[-1] and len(lines[-1] + piece) > letters:
            lines.append("")
        lines[-1] += piece
    return lines


def _draw_bars(axes: Any, table: pd.DataFrame) -> None:
    """What is added stands on what is explained, or on the other side of 0 if their signs differ."""
    explained = table["bits_explained"].to_numpy()
    added = table["bits_added"].fillna(0).to_numpy() if "bits_added" in table else np.zeros(len(table))
    left = np.where(explained * added >= 0, explained, 0.0)
    ends = np.array([explained, left + added, np.zeros(len(table))])
    room = float(ends.max() - ends.min()) or 1.0
    shared = room if "bits_added" in table else np.inf  # a bar of one part has its number beside it already
    _draw_part(axes, explained, np.zeros(len(table)), shared, 0, "explained by what is given")
    if "bits_added" in table:
        _draw_part(axes, added, left, room, 1, "added by the embedding")
    for row, total in enumerate(explained + added):
        axes.text(ends[:, row].max() + 0.012 * room, row, f"{total:.2f}", va="center", weight="bold")


def _draw_part(axes: Any, values: Any, left: Any, room: float, colour: int, name: str) -> None:
    """Bars with their numbers inside, where there is room for them."""
    rows = range(len(values))
    axes.barh(rows, values, left=left, height=0.6, color=PRINT_COLOURS[colour], label=name)
    for row, value, begin in zip(rows, values, left, strict=True):
        if abs(value) > 0.08 * room:
            ink = ("white", "black")[colour]
            axes.text(begin + value / 2, row, f"{value:.2f}", ha="center", va="center", color=ink)
