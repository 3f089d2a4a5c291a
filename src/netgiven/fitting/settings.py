"""Everything that can be chosen about a fit, with the defaults that serve most networks."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, get_args

import numpy as np

from netgiven.errors import InputError
from netgiven.fitting.objectives import Method, choose_method, exact, paper, sampled
from netgiven.fitting.optimizers import LBFGS, Adam, Rule
from netgiven.model import Density, Spread

# ---- What changes with the steps of a fit: the reach rises to its target, and at the end the rate falls to nothing


@dataclass(frozen=True)
class Schedule:
    """Reach and rate of each step: rise, hold, cool.

    The reach rises in a straight line over the first `rising` share of the steps: with the full reach at once, far
    nodes do not feel each other and a random start stays tangled. Then it holds until the objective falls no more.
    Last, the rate falls in a straight line to zero over `cooling` times `steps`, which averages sampling noise away.
    Without cooling the hold ends the fit.

    >>> schedule = Schedule(steps=10, reach=2.0, rate=0.2, rising=0.5, cooling=0.3)
    >>> [round(schedule.reach_at(step), 2) for step in range(6)]
    [0.4, 0.8, 1.2, 1.6, 2.0, 2.0]
    >>> [round(schedule.rate_at(step, cooling_since=7), 3) for step in (7, 8, 9)]
    [0.2, 0.133, 0.067]
    """

    steps: int
    reach: float
    rate: float
    rising: float = 0.0
    cooling: float = 0.0
    tolerance: float = 0.0  # a relative fall of the objective below this, over a window of steps, is none
    stages: int = 0  # the reach rises in so many stages; 0: a little in each step

    @property
    def cooling_steps(self) -> int:
        """How many steps the cooling takes."""
        return round(self.cooling * self.steps)

    def reach_at(self, step: int) -> float:
        """The reach of a step, counted from 0."""
        rise = self.rising * self.steps
        share = min(1.0, (step + 1) / rise) if rise > 1 else 1.0
        return self.reach * (-(-share * self.stages // 1) / self.stages if self.stages else share)

    def rate_at(self, step: int, cooling_since: int | None) -> float:
        """The rate of a step; None while it holds."""
        if cooling_since is None:
            return self.rate
        return self.rate * (1 - (step - cooling_since) / max(self.cooling_steps, 1))

    def held_since(self, step: int) -> int:
        """For how many steps the reach has been at its target."""
        return max(0, step + 1 - round(self.rising * self.steps))


Start = Literal["spectral", "smoothed", "flattened", "random"]

MOST_REACH = 100.0  # far from the log-odds, 512 and more, by which priors say "certain"
MOST_NODES_SPECTRAL = 200_000  # above, smoothing chance is as good and costs a third
MOST_DIMENSIONS_FLATTENED = 3  # with more, there is room enough for nodes to pass each other


@dataclass(frozen=True)
class Settings:
    """What a fit goes by. None: chosen by the size of the network and the method."""

    dimensions: int = 8
    spread: Spread = field(default_factory=lambda: Spread.from_reach(2.0))
    method: str | Method = "auto"
    rule: Literal["adam", "lbfgs"] | None = None
    start: Start | None = None
    steps: int | None = None
    rate: float | None = None
    rising: float = 0.4
    cooling: float = 0.25
    shrinkage: float = 0.0
    tolerance: float | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        for name, least in (("dimensions", 1), ("steps", 1), ("seed", 0)):
            _check_whole(name, getattr(self, name), least)
        for name in ("shrinkage", "tolerance"):
            _check_number(name, getattr(self, name))
        _check_number("rate", self.rate)
        if self.rate == 0:
            raise InputError("A rate of 0 was given; it must be above 0 (0.2 is usual).")
        if not isinstance(self.spread, Spread):
            raise InputError(f"The spread {self.spread!r} was given; it is Spread(s1, s2) or Spread.from_reach(reach).")
        if self.spread.reach(self.dimensions) > MOST_REACH:
            reach = self.spread.reach(self.dimensions)
            raise InputError(f"A reach of {reach:.3g} was given; more than {MOST_REACH:g} makes everything certain.")
        if not (0 <= self.rising <= 1 and 0 <= self.cooling <= 1):
            raise InputError(f"rising = {self.rising} and cooling = {self.cooling} are shares of the steps, 0 to 1.")
        if self.rule not in (None, "adam", "lbfgs") or self.start not in (None, *get_args(Start)):
            starts = ", ".join(get_args(Start))
            raise InputError(f"rule {self.rule!r} is adam or lbfgs, start {self.start!r} is one of {starts}.")

    def resolved(self, node_count: int) -> Settings:
        """The same settings with nothing left open, for a network of so many nodes."""
        method = choose_method(self.method, node_count)
        exact = method.name == "exact"
        rule = self.rule or ("lbfgs" if exact else "adam")
        if rule == "lbfgs" and not exact:
            raise InputError(f"rule lbfgs needs an objective without noise; method is {method.name}. Use method exact.")
        steps = {"exact": 500 if rule == "lbfgs" else 300, "sampled": 150, "paper": 300}[method.name]
        return replace(
            self,
            method=method,
            rule=rule,
            start=self.start or self._usual_start(node_count),
            steps=self.steps or steps,
            rate=self.rate or 0.2,
            cooling=0.0 if rule == "lbfgs" else self.cooling,
            tolerance=(1e-6 if exact else 1e-4) if self.tolerance is None else self.tolerance,
        )

    def _usual_start(self, node_count: int) -> Start:
        if self.dimensions <= MOST_DIMENSIONS_FLATTENED:
            return "flattened"
        return "spectral" if node_count <= MOST_NODES_SPECTRAL else "smoothed"

    def schedule(self) -> Schedule:
        """Reach and rate over the steps. Positions, and so the rate, scale with one over the root of the stiffness."""
        assert self.steps is not None and self.rate is not None
        return Schedule(
            steps=self.steps,
            reach=self.spread.reach(self.dimensions),
            rate=self.rate / self.spread.stiffness**0.5,
            rising=self.rising,
            cooling=self.cooling,
            tolerance=self.tolerance or 0.0,
            stages=4 if self.rule == "lbfgs" else 0,
        )

    def told(self) -> dict[str, Any]:
        """As they are kept with an embedding, which tells its spread itself."""
        plain = {name: value for name, value in asdict(self).items() if name not in ("spread", "method")}
        return plain | {"method": str(self.method)}

    def make_rule(self) -> Rule:
        """The rule that moves positions."""
        return LBFGS() if self.rule == "lbfgs" else Adam()


def check_settings(settings: dict[str, Any]) -> Settings:
    """Settings by their names; a name that is none is told."""
    unknown = set(settings) - set(Settings.__dataclass_fields__)
    if unknown:
        known = ", ".join(Settings.__dataclass_fields__)
        raise InputError(f"There is no setting {', '.join(sorted(unknown))}. Settings: {known}.")
    return Settings(**settings)


def _check_whole(name: str, value: Any, least: int) -> None:
    """A whole number of at least `least`, and few enough bits for a kernel."""
    if value is None and name == "steps":
        return
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or not least <= value < 2**62:
        raise InputError(f"{name} = {value} was given; a whole number of at least {least} is needed.")


def _check_number(name: str, value: Any) -> None:
    """None, or a finite number that is not negative."""
    if value is not None and (not isinstance(value, (int, float, np.number)) or not 0 <= value < math.inf):
        raise InputError(f"{name} = {value} was given; a number of at least 0 is needed.")


# ---- Settings that go together, by name ------------------------------------------------------------------------------


MOST_NODES_EXACT_MAP = 5_000  # some seconds


def paper_settings(dimensions: int = 8, density: Density = "gaussian") -> dict[str, Any]:
    """The paper's: s2 = 2, 50 links and 50 non-links a node, no shrinkage.

    Its tables come from the Gaussian density of the difference vector, in 8 dimensions, 16 for arXiv; its text
    describes the half-normal density of the distance.
    """
    return {"dimensions": dimensions, "spread": Spread(1.0, 2.0, density), "shrinkage": 0.0, "method": paper(50)}


def map_settings(nodes: int) -> dict[str, Any]:
    """For looking at: two dimensions, exact up to 5,000 nodes, no shrinkage, which would draw all to the middle.

    The reach is left to be chosen on hidden links: the paper's maps have `Spread(1, 15)`, too much for most networks.
    """
    method = exact() if nodes <= MOST_NODES_EXACT_MAP else sampled(512)
    return {"dimensions": 2, "shrinkage": 0.0, "method": method, "rule": "adam", "steps": 300}


PRESETS: dict[str, Callable[..., dict[str, Any]]] = {"paper": paper_settings}


def preset(name: str, **changes: Any) -> dict[str, Any]:
    """Keyword arguments for `embed`, by the name of a preset.

    >>> sorted(preset("paper", dimensions=16))
    ['dimensions', 'method', 'shrinkage', 'spread']
    """
    if name not in PRESETS:
        raise InputError(f"There is no preset {name!r}; presets: {', '.join(PRESETS)}.")
    return PRESETS[name](**changes)
