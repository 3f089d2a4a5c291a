"""State of one open page: the network, what is given, all maps so far, a running fit and a selection.

This module knows nothing of the browser and can be tested without one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse

from netgiven import priors
from netgiven.edges import counted
from netgiven.embedding import Embedding
from netgiven.errors import InputError
from netgiven.explorer.background import FittingJob
from netgiven.fitting.settings import Settings, map_settings
from netgiven.maps.map import align
from netgiven.network import Network
from netgiven.observed_pairs import UnobservedPairs
from netgiven.priors import Knowledge, Prior
from netgiven.priors.constraints import MISSING_GROUP, is_numeric, may_be_codes
from netgiven.types import Float32Array, Int32Array, Int64Array

# ---- choices of prior knowledge ------------------------------------------------------------------------------------

MAX_GROUPS = 200  # a column with more values holds names rather than groups


@dataclass(frozen=True)
class Option:
    """A kind of prior knowledge that can be selected.

    Attributes
    ----------
    column
        The column that it is about, or None.
    title
        A label of a few words.
    description
        What it means.
    make
        Makes the knowledge.
    """

    column: str | None
    title: str
    description: str
    make: Callable[[], Knowledge]

    @property
    def text(self) -> str:
        """The text form, as in `--given`."""
        return str(self.make().constraints[-1])


def prior_options(network: Network) -> list[Option]:
    """All kinds of prior knowledge that can be given of a network.

    >>> from netgiven.datasets import company
    >>> [option.text for option in prior_options(company(30))][:5]
    ['density', 'degrees', 'assortativity', 'common_neighbours', 'blocks:department']
    """
    general = [
        Option(None, "number of links", "The number of links, and nothing else.", priors.density),
        Option(None, "degrees", "How many links each node has.", priors.degrees),
        Option(None, "assortativity", "How much high-degree nodes link to each other.", priors.assortativity),
        Option(None, "common neighbours", "How much nodes with common neighbours link.", priors.common_neighbours),
    ]
    return general + [option for name in map(str, network.columns) for option in _column_options(network, name)]


def _column_options(network: Network, name: str) -> list[Option]:
    codes, values = network.groups(name)
    if len(values) < 2 or not name:
        return []
    numeric, lacking = is_numeric(network, name), _lacks_values(network, codes)
    is_few = may_be_codes(network, name) if numeric else len(values) <= min(MAX_GROUPS, network.node_count // 2)
    numbers = _number_options(name, "near" if is_few else None) if numeric and not lacking else []
    return numbers + (_group_options(name, "equal" if numeric else None, lacking) if is_few else [])


def _group_options(name: str, kind: str | None, lacking: bool) -> list[Option]:
    """What can be given of groups. Nodes without a value are one more group, if linked nodes are among them."""
    missing, more = (MISSING_GROUP, " Nodes without a value are a group of their own.") if lacking else (None, "")
    densities, within = "The density of links within and between groups.", "How many links are within one group."
    each = "How many links each node has to each group."
    same = "homophily of groups" if kind else "homophily"
    return [
        Option(name, "group densities", densities + more, partial(priors.blocks, name, missing=missing)),
        Option(name, same, within + more, partial(priors.homophily, name, kind, missing)),
        Option(name, "degrees by group", each + more, partial(priors.group_degrees, name, missing)),
    ]


def _number_options(name: str, kind: str | None) -> list[Option]:
    near = "How close the values of linked nodes are."
    return [
        Option(name, "distance", "How many links there are at each distance.", partial(priors.order, name)),
        Option(name, "homophily", near, partial(priors.homophily, name, kind)),
    ]


def _lacks_values(network: Network, codes: Int32Array) -> bool:
    return bool(((codes < 0) & (network.degrees > 0)).any())


def unusable_columns(network: Network) -> list[str]:
    """A message for each column of which nothing can be given."""
    offered = {option.column for option in prior_options(network)}
    return [f"{name}: {_reason(network, name)}." for name in map(str, network.columns) if name not in offered]


def _reason(network: Network, name: str) -> str:
    codes, values = network.groups(name)
    if len(values) < 2:
        return "all values are equal"
    lacking = is_numeric(network, name) and _lacks_values(network, codes)
    return "some linked nodes have no value" if lacking else "nearly every node has a different value"


def combine(chosen: Sequence[Option]) -> Knowledge:
    """The sum of the selected options; the density if there are none.

    >>> combine([])
    density
    """
    total = Knowledge(())
    for option in chosen:
        total = total + option.make()
    return total if chosen else priors.density()


# ---- answers to "are these two linked?" ----------------------------------------------------------------------------

Reply = Literal["yes", "no", "skip"]
REPLIES: tuple[Reply, ...] = ("yes", "no", "skip")
MOVED_MOST = 3  # nodes that are named


class Answer(NamedTuple):
    """Two nodes by their numbers, the smaller first, and whether they are linked, if that is known."""

    first: int
    second: int
    reply: Reply


class AnsweredMap(NamedTuple):
    """A map fitted again with answers, and what has changed, in words."""

    embedding: Embedding
    text: str


def answered_network(network: Network, answers: Sequence[Answer]) -> Network:
    """The network with these answers: a link for each yes, an observed pair without a link for each no.

    >>> network = Network.from_edges([("a", "b"), ("b", "c")], nodes={"name": ["a", "b", "c", "d"]})
    >>> network = network.with_unobserved([("a", "c"), ("a", "d"), ("b", "d")])
    >>> found = answered_network(network, [Answer(0, 2, "yes"), Answer(0, 3, "no"), Answer(1, 3, "skip")])
    >>> found.link_count, found.unobserved_count
    (3, 1)
    """
    linked, not_linked = _pairs(answers, "yes"), _pairs(answers, "no")
    entries = np.ones(2 * len(linked), dtype=np.int8)
    places = np.concatenate([linked[:, 0], linked[:, 1]]), np.concatenate([linked[:, 1], linked[:, 0]])
    matrix = network.to_scipy().astype(np.int8) + sparse.coo_array((entries, places), shape=network.shape).tocsr()
    matrix.sort_indices()
    rows = matrix.indptr.astype(network.indptr.dtype), matrix.indices.astype(network.indices.dtype)
    unobserved = _without(network.unobserved, linked, not_linked, network.node_count)
    return replace(network, indptr=rows[0], indices=rows[1], unobserved=unobserved)


def _pairs(answers: Sequence[Answer], reply: Reply) -> Int64Array:
    found = [(answer.first, answer.second) for answer in answers if answer.reply == reply]
    return np.array(found, dtype=np.int64).reshape(-1, 2)


def _without(
    unobserved: UnobservedPairs | None, linked: Int64Array, not_linked: Int64Array, nodes: int
) -> UnobservedPairs | None:
    """The unobserved pairs without those that were answered."""
    if unobserved is None:
        return None
    listed = unobserved.pairs
    if unobserved.lists_observed:
        kept = np.concatenate([listed, not_linked])
    else:
        answered = np.concatenate([linked, not_linked])
        kept = listed[~np.isin(listed @ [nodes, 1], answered @ [nodes, 1])]
    return UnobservedPairs.from_pairs(kept[:, 0], kept[:, 1], nodes, unobserved.lists_observed)


def refit_with_answers(embedding: Embedding, network: Network, answers: Sequence[Answer]) -> AnsweredMap:
    """Fit a map again with answers, from where its nodes are."""
    if not any(answer.reply != "skip" for answer in answers):
        raise InputError("No pair was answered with yes or no yet; answer some first.")
    found = embedding.update(answered_network(network, answers), progress=False)
    return AnsweredMap(found, _change_text(embedding, found, answers))


def _change_text(before: Embedding, after: Embedding, answers: Sequence[Answer]) -> str:
    yes, no = len(_pairs(answers, "yes")), len(_pairs(answers, "no"))
    moved = distances_moved(before.positions, after.positions)
    most = np.argsort(-moved, kind="stable")[:MOVED_MOST]
    names = ", ".join(str(name) for name in after.nodes[most])
    return f"{counted(yes, 'link')} and {counted(no, 'pair')} without a link were added. Moved most: {names}."


def distances_moved(before: Float32Array, after: Float32Array) -> Float32Array:
    """How far nodes have moved, after the maps were rotated to match."""
    return np.asarray(np.linalg.norm(align([before, after])[0][1] - before, axis=1), dtype=np.float32)


def answer_table(network: Network, answers: Sequence[Answer]) -> pd.DataFrame:
    """All answers, as they are exported: two names and the answer.

    >>> answer_table(Network.from_edges([("a", "b")]), [Answer(0, 1, "no")]).to_dict("list")
    {'u': ['a'], 'v': ['b'], 'linked': ['no']}
    """
    first, second = (np.array([answer[end] for answer in answers], dtype=np.int64) for end in (0, 1))
    return pd.DataFrame(
        {
            "u": network.nodes[first],
            "v": network.nodes[second],
            "linked": [answer.reply for answer in answers],
        }
    )


# ---- the session ---------------------------------------------------------------------------------------------------

MAX_MAPS = 2  # side by side
MAX_HISTORY = 40
DIMENSIONS = (2, 4, 8, 16)  # choices on the page; the two coordinates with the largest variance are drawn
MAX_REACH = 20.0
MIN_SECONDS = 2.0  # that a fit takes if it uses all its steps, so that it can be seen


@dataclass(frozen=True)
class OpenedNetwork:
    """What a session works on: a network or an embedding of one, and its title.

    Parameters
    ----------
    title
        Usually the name of a file.
    network
        With at least two nodes and one link.
    embedding
        If the network was read from an embedding.

    Raises
    ------
    InputError
        If the network is too small for a map.
    """

    title: str
    network: Network
    embedding: Embedding | None = None

    @cached_property
    def names_as_json(self) -> str:
        """The names of the nodes as a JSON list, which all pages of this network share."""
        return json.dumps([str(name) for name in self.network.nodes], separators=(",", ":"))

    def __post_init__(self) -> None:
        nodes, links = self.network.node_count, self.network.link_count
        if nodes < 2 or not links:
            size = f"{counted(nodes, 'node')} and {counted(links, 'link')}"
            raise InputError(f"{self.title} has {size}; a map needs at least two nodes and one link.")

    @classmethod
    def of(cls, title: str, content: Network | Embedding) -> OpenedNetwork:
        """Make one from the content of a file."""
        return cls(title, content) if isinstance(content, Network) else cls(title, content.network, content)


class Session:
    """The state of one page. Invalid requests raise an `InputError` and change nothing.

    Parameters
    ----------
    threads
        Threads of a fit; None uses all cores.
    """

    def __init__(self, threads: int | None = None) -> None:
        self.threads = threads
        self.title = ""
        self.network: Network | None = None
        self.options: list[Option] = []
        self.chosen: list[int] = []  # in the order in which they were chosen
        self.history: list[Embedding] = []  # all maps so far
        self.shown: list[int] = []  # places in the history of the maps on the page, one or two
        self.selection: Int64Array = np.empty(0, dtype=np.int64)
        self.job: FittingJob | None = None
        self.answers: list[Answer] = []  # that no map knows yet
        self.answered: list[Answer] = []  # that a map was fitted with
        self._fit_beside = False  # whether the job makes a second map
        self._prior: Prior | None = None  # of the embedding that was opened

    def copy(self) -> Session:
        """The same state for another page, which then goes its own way; a running fit is not taken along."""
        other = Session(self.threads)
        other.title, other.network, other._prior = self.title, self.network, self._prior
        other.options, other.chosen = list(self.options), list(self.chosen)
        other.history, other.shown = list(self.history), list(self.shown)
        other.answers, other.answered = list(self.answers), list(self.answered)
        return other

    # ---- the network -----------------------------------------------------------------------------------------------

    def open(self, opened: OpenedNetwork) -> None:
        """Replace the network. A fit of the previous one is stopped."""
        self.stop()
        self.job = None
        self.title, self.network, self.options = opened.title, opened.network, prior_options(opened.network)
        self.selection = self.selection[:0]
        self.history, self.shown, self._prior = [], [], None
        self.answers, self.answered = [], []
        self.chosen = [index for index, option in enumerate(self.options) if option.text == "degrees"]
        if opened.embedding is not None:
            self._open_embedding(opened.embedding)

    def _open_embedding(self, embedding: Embedding) -> None:
        self._prior = embedding.prior
        if embedding.dimensions > 1:
            self.history, self.shown = [embedding], [0]
        self.choose_texts(embedding.prior.knowledge.split("+"))

    def choose_texts(self, texts: Sequence[str]) -> None:
        """Select the options with these texts, in their order; others are left out."""
        places = {option.text: index for index, option in enumerate(self.options)}
        self.chosen = [places[text] for text in texts if text in places]

    def add_column(self, name: str, values: Sequence[str | None]) -> str:
        """Add a column to the network, so that it can be given, and return its name, which no other column has.

        Maps that were made before keep their network, which has the same nodes and links.
        """
        assert self.network is not None
        title, number = name, 2
        while title in self.network.columns:
            title, number = f"{name} {number}", number + 1
        texts = [self.options[index].text for index in self.chosen]
        self.network = self.network.with_columns({title: np.array(values, dtype=object)})
        self.options = prior_options(self.network)
        self.choose_texts(texts)
        return title

    def give(self, text: str) -> None:
        """Select one option more, by its text."""
        places = {option.text: index for index, option in enumerate(self.options)}
        if text not in places:
            raise InputError(f"{text} cannot be given of this network; choose from the list.")
        self.choose([*self.chosen, places[text]])

    # ---- the prior -------------------------------------------------------------------------------------------------

    def choose(self, indices: Sequence[int]) -> Knowledge:
        """Select prior knowledge by the indices of the options."""
        if not all(0 <= index < len(self.options) for index in indices):
            raise InputError(f"There are {len(self.options)} kinds of prior knowledge; choose from these.")
        self.chosen = list(dict.fromkeys(indices))
        return self.knowledge

    @property
    def knowledge(self) -> Knowledge:
        """The selected prior knowledge."""
        return combine([self.options[index] for index in self.chosen])

    def given(self) -> Knowledge | Prior:
        """What a fit is given: the prior of the opened embedding if it is the selected one."""
        same = self._prior is not None and str(self.knowledge) == self._prior.knowledge
        return self._prior if same and self._prior is not None else self.knowledge

    # ---- the fit ---------------------------------------------------------------------------------------------------

    @property
    def fitting(self) -> bool:
        """Whether a fit is running."""
        return self.job is not None and self.job.running

    def fit(self, reach: float | None = None, dimensions: int = 2, beside: bool = False) -> FittingJob:
        """Start to fit a map.

        Parameters
        ----------
        reach
            None chooses it on held-out links.
        dimensions
            One of `DIMENSIONS`.
        beside
            Whether to keep the first map and add the new one beside it, or to replace it.
        """
        if self.network is None:
            raise InputError("There is no network yet. Open a file or the example.")
        if self.fitting:
            raise InputError("A map is already being fitted. Wait for it or stop it.")
        if dimensions not in DIMENSIONS:
            raise InputError(f"{dimensions} dimensions were requested; choose from {', '.join(map(str, DIMENSIONS))}.")
        if len(self.history) >= MAX_HISTORY:
            raise InputError(f"There are {MAX_HISTORY} maps already; save the session and open the network again.")
        self._fit_beside = beside and bool(self.shown)
        settings = replace(self._settings(), dimensions=dimensions, reach=_checked_reach(reach))
        pause = MIN_SECONDS / self.max_steps()
        self.job = FittingJob(self.network, self.given(), settings, pause, self.threads)
        self.job.start()
        return self.job

    @property
    def fit_index(self) -> int:
        """Place of the map that is being fitted: 0 is left, 1 is right."""
        return int(self._fit_beside)

    @property
    def maps(self) -> list[Embedding]:
        """The maps on the page, one or two."""
        return [self.history[place] for place in self.shown]

    def show(self, places: Sequence[int]) -> None:
        """Show one map of the history, or two side by side."""
        if self.fitting:
            raise InputError("A map is being fitted; wait for it or stop it.")
        if not 1 <= len(places) <= MAX_MAPS or not all(0 <= place < len(self.history) for place in places):
            raise InputError(f"There are {len(self.history)} maps; choose one or two of them.")
        self.shown = list(places)
        self._choose_as_shown()

    def _choose_as_shown(self) -> None:
        """Select what the first map on the page was given, if all of it can be selected."""
        texts, known = self.maps[0].prior.knowledge.split("+"), {option.text for option in self.options}
        if known.issuperset(texts):
            self.choose_texts(texts)

    def max_steps(self) -> int:
        """Maximal number of optimizer steps for this network."""
        return self._settings().max_steps or 0

    def _settings(self) -> Settings:
        assert self.network is not None
        return map_settings(Settings(), self.network.node_count)

    def stop(self) -> None:
        """Request that a fit ends."""
        if self.job is not None:
            self.job.stop()

    def finish(self) -> str:
        """Take over the result of a fit that has ended, and return a message about it."""
        job, self.job = self.job, None
        assert job is not None and not job.running
        if job.embedding is not None:
            kept = self.shown[:1] if self._fit_beside else []
            self.shown = [*kept, len(self.history)]
            self.history.append(job.embedding)
            return f"{_capitalized(job.embedding.fit.convergence.status.value)}."
        if job.was_stopped:
            return "Stopped."
        raise InputError(job.error or "The fit failed: this is a bug in netgiven. The terminal shows the details.")

    def close_map(self, index: int) -> None:
        """Take one of two maps off the page; it stays in the history."""
        if len(self.shown) < MAX_MAPS or index not in (0, 1):
            raise InputError("There is only one map; add a second one to compare.")
        if self.fitting:
            raise InputError("A map is being fitted; stop it first.")
        del self.shown[index]
        self._choose_as_shown()

    # ---- answers ---------------------------------------------------------------------------------------------------

    def answer(self, numbers: Sequence[int], reply: str) -> None:
        """Remember whether two nodes are linked; a later answer replaces an earlier one."""
        known = [one for one in REPLIES if one == reply]
        count = 0 if self.network is None else self.network.node_count
        if not known:
            raise InputError(f"The answer {reply!r} was given; expected one of {', '.join(REPLIES)}.")
        if len(set(numbers)) != 2 or not all(0 <= number < count for number in numbers):
            raise InputError("An answer is about two different nodes of this network.")
        first, second = sorted(numbers)
        self.answers = [one for one in self.answers if one[:2] != (first, second)] + [Answer(first, second, known[0])]

    def take_answers(self, embedding: Embedding) -> None:
        """Go on with a map that was fitted with the answers, and with its network."""
        self.network = embedding.network
        self.answered, self.answers = self.answered + self.answers, []
        self.shown = [len(self.history)]
        self.history.append(embedding)

    # ---- the selection ---------------------------------------------------------------------------------------------

    def select(self, numbers: Sequence[int]) -> None:
        """Select nodes by their numbers; an empty list selects nothing. The order of two nodes is kept."""
        count = 0 if self.network is None else self.network.node_count
        chosen = np.unique(np.asarray(numbers, dtype=np.int64)) if len(numbers) > 2 else np.asarray(numbers, np.int64)
        if len(chosen) and not (chosen.min() >= 0 and chosen.max() < count):
            raise InputError(f"A node was selected that is not among the {count:,} nodes of this network.")
        self.selection = chosen[:1] if len(chosen) == 2 and chosen[0] == chosen[1] else chosen

    def close(self) -> None:
        """Stop the fit, after the page was closed."""
        self.stop()


def _capitalized(text: str) -> str:
    return text[:1].upper() + text[1:]


def _checked_reach(reach: float | None) -> float | Literal["auto"]:
    if reach is None:
        return "auto"
    if not 0 < reach <= MAX_REACH:  # NaN is refused, too
        raise InputError(f"A reach of {reach:g} was given; it must be above 0 and at most {MAX_REACH:g}.")
    return reach
