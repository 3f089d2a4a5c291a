"""What is known about a fit: its progress and CPU time while it runs, and the record of it after it ended."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from netgiven.fitting.settings import ResolvedSettings
from netgiven.fitting.train import Convergence, Step
from netgiven.priors.prior import Prior

if TYPE_CHECKING:
    import pandas as pd

# ---- the record ------------------------------------------------------------------------------------------------------


class Trial(NamedTuple):
    """Hyperparameters that were tried on validation splits, and their mean score."""

    dimensions: int
    reach: float
    shrinkage: float
    score: float
    uncertainty: float = 0.0  # of degrees, in predictions
    stretch: float = 1.0  # of the stiffness, in predictions
    repelling: int = 0
    repelling_shrinkage: float = 0.0


class Likelihood(NamedTuple):
    """A log-likelihood in nats, and its standard error: 0 where all pairs were counted."""

    value: float
    standard_error: float


NOTHING_GAINED = "Nothing was found beyond what was given."


def gains_nothing(bits: float) -> bool:
    """Whether a gain in bits per link is none, to two digits.

    >>> gains_nothing(-0.001), gains_nothing(0.02), gains_nothing(-0.25)
    (True, False, False)
    """
    return abs(bits) < 0.005


@dataclass(frozen=True, eq=False)
class FitRecord:
    """How the positions of an embedding were found.

    Parameters
    ----------
    settings
        The settings of the fit, with nothing left open. `settings.spread` is the spread that positions were trained
        with; the embedding's own spread may have another reach and stiffness (see `calibrate_reach`).
    prior
        The prior that positions were trained with.
    convergence
        Why the fit stopped, and after how many steps.
    steps
        All steps, in order.
    trials
        What was tried on validation splits; empty where nothing was left to choose.
    seconds
        CPU seconds by stage: `prior`, `selection`, `fit`. Not saved.
    added_nodes
        How many nodes were added since, by `Embedding.add`.

    Examples
    --------
    >>> import netgiven as ng
    >>> ring = ng.Network.from_edges([(i, (i + 1) % 12) for i in range(12)])
    >>> fit = ng.embed(ring, dimensions=2).fit
    >>> fit.settings.method, fit.settings.init, fit.prior.knowledge
    (ExactMethod(), 'lifted', 'degrees')
    """

    settings: ResolvedSettings
    prior: Prior
    convergence: Convergence
    steps: Sequence[Step] = ()
    trials: Sequence[Trial] = ()
    seconds: dict[str, float] = field(default_factory=dict)
    added_nodes: int = 0

    def __repr__(self) -> str:
        trials = f", {len(self.trials)} trials" if self.trials else ""
        return f"FitRecord given {self.prior.knowledge}: {self.convergence}{trials}"

    @property
    def history(self) -> pd.DataFrame:
        """The steps as a table with the columns `step`, `objective`, `reach` and `learning_rate`."""
        import pandas as pd

        return pd.DataFrame(list(self.steps), columns=list(Step._fields))


# ---- progress on standard error, and the CPU time of each stage ------------------------------------------------------


@contextmanager
def stage(name: str, show: bool | None = None) -> Iterator[None]:
    """Show the name of a stage for as long as it takes. `show` None: only if standard error is a terminal."""
    if not _is_shown(show):
        yield
        return
    from rich.console import Console
    from rich.markup import escape

    with Console(stderr=True).status(escape(name)):  # a file may be called [red].csv
        yield


@contextmanager
def trial_counter(name: str, show: bool | None = None) -> Iterator[Callable[[str], None]]:
    """A function to call with each trial, where the total is not known."""
    if not _is_shown(show):
        yield lambda trial: None
        return
    from rich.console import Console

    with Console(stderr=True).status(name) as status:
        count = 0

        def show_trial(trial: str) -> None:
            nonlocal count
            count += 1
            status.update(f"{name}: trial {count}, {trial}")

        yield show_trial


@contextmanager
def item_counter(name: str, total: int, show: bool | None = None) -> Iterator[Callable[[int], None]]:
    """A function to call with the number of items that are done."""
    if not _is_shown(show):
        yield lambda done: None
        return
    from rich.console import Console

    with Console(stderr=True).status(name) as status:
        yield lambda done: status.update(f"{name}: {done:,} of {total:,}")


ShowStep = Callable[[Step], None]


@contextmanager
def progress_bar(
    max_steps: int, show: bool | None = None, warning: Callable[[], str] = lambda: ""
) -> Iterator[ShowStep | None]:
    """A function that moves a bar with the objective, the time left and any warning."""
    if not _is_shown(show):
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("embedding"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("objective {task.fields[objective]}"),
        TimeRemainingColumn(),
        TextColumn("[yellow]{task.fields[warning]}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("embedding", total=max_steps, objective="", warning="")

        def move_bar(step: Step) -> None:
            bar.update(task, completed=step.step + 1, objective=f"{step.objective:,.0f}", warning=warning())

        yield move_bar


def _is_shown(show: bool | None) -> bool:
    return sys.stderr.isatty() if show is None else show


class Stopwatch:
    """CPU seconds of each stage, from one `lap` to the next."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._since = time.process_time()

    def lap(self, name: str) -> None:
        """End a stage, and begin the next."""
        now = time.process_time()
        self.seconds[name], self._since = now - self._since, now
