"""What one visitor has: a network, what is known of it, up to two maps, a fit under way, and a selection.

No widget is known here: everything can be tried without a browser.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from netgiven.edges import counted
from netgiven.embedding import Embedding
from netgiven.errors import InputError
from netgiven.explorer.fitting_job import FittingJob
from netgiven.explorer.knowing import Option, options, together
from netgiven.fitting.settings import map_settings
from netgiven.model import Spread
from netgiven.network import Network
from netgiven.priors import Knowledge, Prior
from netgiven.types import Int64Array

MOST_MAPS = 2
DIMENSIONS = (2, 4, 8, 16)  # that a visitor can choose from; the two widest are drawn
MOST_REACH = 20.0
SHOWING_SECONDS = 2.0  # that a fit takes at least, if it takes all its steps


@dataclass(frozen=True)
class Opened:
    """What a visit begins with: a network that can be drawn, or an embedding of one, and what it is called."""

    title: str
    network: Network
    embedding: Embedding | None = None

    def __post_init__(self) -> None:
        nodes, links = self.network.node_count, self.network.link_count
        if nodes < 2 or not links:
            size = f"{counted(nodes, 'node')} and {counted(links, 'link')}"
            raise InputError(f"{self.title} holds {size}; a map needs two nodes and a link at least.")

    @classmethod
    def of(cls, title: str, found: Network | Embedding) -> Opened:
        """From what was read."""
        return cls(title, found) if isinstance(found, Network) else cls(title, found.network, found)


class Visit:
    """The state of one visitor, and what can be done to it. Bad wishes are an InputError and change nothing."""

    def __init__(self, threads: int | None = None) -> None:
        self.threads = threads
        self.title = ""
        self.network: Network | None = None
        self.options: list[Option] = []
        self.chosen: list[int] = []
        self.maps: list[Embedding] = []
        self.selection: Int64Array = np.empty(0, dtype=np.int64)
        self.job: FittingJob | None = None
        self._place = 0  # of the map that the job makes
        self._prior: Prior | None = None  # that came with an embedding

    # ---- the network -----------------------------------------------------------------------------------------------

    def open(self, opened: Opened) -> None:
        """Look at a network from now on. A fit of the one before is stopped."""
        self.stop()
        self.job = None
        self.title, self.network, self.options = opened.title, opened.network, options(opened.network)
        self.selection = self.selection[:0]
        self.maps, self._prior = [], None
        self.chosen = self._usual_choice()
        if opened.embedding is not None:
            self._open_embedding(opened.embedding)

    def _open_embedding(self, embedding: Embedding) -> None:
        self._prior = embedding.prior
        if embedding.dimensions > 1:
            self.maps = [embedding]
        parts = set(embedding.prior.knowledge.split("+"))
        self.chosen = [place for place, option in enumerate(self.options) if option.text in parts]

    def _usual_choice(self) -> list[int]:
        return [place for place, option in enumerate(self.options) if option.text == "degrees"]

    # ---- what is known ---------------------------------------------------------------------------------------------

    def choose(self, places: Sequence[int]) -> Knowledge:
        """Tick kinds of knowledge by their places among the options."""
        if not all(0 <= place < len(self.options) for place in places):
            raise InputError(f"There are {len(self.options)} kinds of knowledge to choose from; tick some of them.")
        self.chosen = sorted(set(places))
        return self.knowledge

    @property
    def knowledge(self) -> Knowledge:
        """The sum of what is ticked."""
        return together([self.options[place] for place in self.chosen])

    def given(self) -> Knowledge | Prior:
        """What a fit is given: the prior that came with an embedding, where that is what is ticked."""
        same = self._prior is not None and str(self.knowledge) == self._prior.knowledge
        return self._prior if same and self._prior is not None else self.knowledge

    # ---- the fit ---------------------------------------------------------------------------------------------------

    @property
    def fitting(self) -> bool:
        """Whether a fit is under way."""
        return self.job is not None and self.job.running

    def fit(self, reach: float | None = None, dimensions: int = 2, beside: bool = False) -> FittingJob:
        """Begin to make a map, in place of the one there is or beside it. A reach of None is chosen on hidden links."""
        if self.network is None:
            raise InputError("There is no network yet. Open a file, or the example.")
        if self.fitting:
            raise InputError("A map is being made already. Wait for it, or stop it.")
        if dimensions not in DIMENSIONS:
            raise InputError(f"{dimensions} dimensions were asked for; choose from {', '.join(map(str, DIMENSIONS))}.")
        self._place = self._place_for(beside)
        settings = self._settings() | {"dimensions": dimensions, "threads": self.threads}
        pause = SHOWING_SECONDS / self.most_steps()
        self.job = FittingJob(self.network, self.given(), pause, **settings, **_spread(reach))
        self.job.start()
        return self.job

    def _place_for(self, beside: bool) -> int:
        return min(len(self.maps), MOST_MAPS - 1) if beside else 0

    @property
    def place(self) -> int:
        """Where the map under way will be: 0 is left, 1 is right."""
        return self._place

    def most_steps(self) -> int:
        """Steps that a fit of this network takes at the very most."""
        return int(self._settings()["steps"])

    def _settings(self) -> dict[str, Any]:
        assert self.network is not None
        return map_settings(self.network.node_count)

    def stop(self) -> None:
        """Ask a fit to end."""
        if self.job is not None:
            self.job.stop()

    def finish(self) -> str:
        """Take over what a fit that has ended found; the sentence to tell."""
        job, self.job = self.job, None
        assert job is not None and not job.running
        if job.embedding is not None:
            kept = self.maps[:1] if self._place else []
            self.maps = [*kept, job.embedding]
            return f"{_capital(job.embedding.outcome.ending.value)}."
        if job.was_stopped:
            return "Stopped."
        raise InputError(job.problem or "The fit failed: a mistake of the program. Its terminal tells more.")

    def close_map(self, place: int) -> None:
        """Put one of two maps away."""
        if len(self.maps) < MOST_MAPS or place not in (0, 1):
            raise InputError("There is only one map; make a second one to compare.")
        if self.fitting:
            raise InputError("A map is being made; stop it first.")
        del self.maps[place]

    # ---- the selection ---------------------------------------------------------------------------------------------

    def select(self, numbers: Sequence[int]) -> None:
        """Select nodes by their numbers, in this order; none of them to select nothing."""
        count = 0 if self.network is None else self.network.node_count
        chosen = np.unique(np.asarray(numbers, dtype=np.int64)) if len(numbers) > 2 else np.asarray(numbers, np.int64)
        if len(chosen) and not (chosen.min() >= 0 and chosen.max() < count):
            raise InputError(f"A node was selected that is not among the {count:,} of this network.")
        self.selection = chosen[:1] if len(chosen) == 2 and chosen[0] == chosen[1] else chosen

    def close(self) -> None:
        """The visitor has left."""
        self.stop()


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def _spread(reach: float | None) -> dict[str, Spread]:
    if reach is None:
        return {}
    if not (math.isfinite(reach) and 0 < reach <= MOST_REACH):
        raise InputError(f"A reach of {reach:g} was given; it is above 0 and at most {MOST_REACH:g}, mostly 0.5 to 10.")
    return {"spread": Spread.from_reach(reach)}
