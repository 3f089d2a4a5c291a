"""Everything that can be chosen about a fit, with defaults that serve most networks."""

from __future__ import annotations

import inspect
import sys
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal, TypedDict

import numpy as np

from netgiven.errors import InputError, check_words, did_you_mean, is_one_of, is_real
from netgiven.fitting.initialization import INITS, MAX_NODES_SPECTRAL
from netgiven.fitting.objectives import Method, exact, make_method, paper, sampled
from netgiven.fitting.optimizers import OPTIMIZERS, Optimizer
from netgiven.fitting.train import Schedule
from netgiven.model import Density, Spread

Auto = Literal["auto"]
OptimizerName = Literal["auto", "adam", "lbfgs"]
InitName = Literal["auto", "spectral", "diffusion", "lifted", "random"]

MAX_REACH = 100.0  # far from the log-odds, 512 and more, that stand for certainty in a prior
DEFAULT_DIMENSIONS, DEFAULT_REACH, DEFAULT_SHRINKAGE = 8, 2.0, 0.0  # where nothing can be chosen on held-out links
DEFAULT_LEARNING_RATE = 0.2
DEFAULT_REPELLING_SHRINKAGE = 10.0  # with 1, products of 32 dimensions learn a network of thousands of nodes by heart
MAX_DIMENSIONS_LIFTED = 3  # with more, there is room enough for nodes to pass each other


class Forces(TypedDict):
    """Keyword arguments of a problem that settings decide."""

    stiffness: float
    shrinkage: float
    repelling: int
    repelling_shrinkage: float


@dataclass(frozen=True)
class ResolvedSettings:
    """Settings with nothing left open: what a fit uses. Made by `Settings.resolve`."""

    dimensions: int
    spread: Spread
    shrinkage: float
    method: Method
    optimizer: str
    init: str
    max_steps: int
    learning_rate: float
    warmup: float
    decay: float
    tolerance: float
    seed: int
    repelling_shrinkage: float = 10.0  # also that of files from before there were dimensions that repel

    @property
    def reach(self) -> float:
        """The largest gain in log-odds over the prior."""
        return self.spread.reach(self.dimensions)

    @property
    def repelling(self) -> int:
        """How many of the dimensions, the last ones, repel."""
        return self.spread.repelling

    @property
    def forces(self) -> Forces:
        """What decides, besides links and prior, how positions move."""
        return {
            "stiffness": self.spread.stiffness,
            "shrinkage": self.shrinkage,
            "repelling": self.repelling,
            "repelling_shrinkage": self.repelling_shrinkage,
        }

    def schedule(self) -> Schedule:
        """Reach and learning rate over the steps.

        Positions, and so the learning rate, scale with one over the square root of the stiffness.
        """
        return Schedule(
            max_steps=self.max_steps,
            reach=self.reach,
            learning_rate=self.learning_rate / self.spread.stiffness**0.5,
            warmup=self.warmup,
            decay=self.decay,
            tolerance=self.tolerance,
            warmup_stages=OPTIMIZERS[self.optimizer].warmup_stages,
        )

    def make_optimizer(self) -> Optimizer[Any]:
        """A new optimizer of the kind that the settings name."""
        return OPTIMIZERS[self.optimizer]()

    def to_json(self) -> dict[str, Any]:
        """The settings as plain values that JSON can hold."""
        method = {"name": self.method.name, **vars(self.method)}
        return {**vars(self), "spread": asdict(self.spread), "method": method}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> ResolvedSettings:
        """The settings that `to_json` wrote; checked as if a user had given them."""
        name, parameters = values["method"]["name"], {k: v for k, v in values["method"].items() if k != "name"}
        settings = cls(**{**values, "method": make_method(name, **parameters), "spread": Spread(**values["spread"])})
        fields = {key: value for key, value in vars(settings).items() if key != "spread"}
        Settings(**fields, reach=settings.spread)
        if any(value is None or _is_auto(value) for value in fields.values()):
            raise InputError("A setting is left open, and the fit is over.")
        return settings


@dataclass(frozen=True)
class Settings:
    """What can be chosen about a fit.

    "auto" and None are filled in by `resolve`, from the size of the network and the other settings. Dimensions, reach
    and shrinkage that are "auto" are chosen on held-out links first, if `embed` runs the fit.

    Parameters
    ----------
    dimensions
        Number of coordinates of a node.
    reach
        The largest gain in log-odds over the prior that the embedding can give a pair; or a `Spread`, which sets the
        stiffness, too.
    shrinkage
        Strength of a Gaussian prior on positions: `shrinkage / 2 * |X|^2` is added to the objective.
    repelling
        How many of the dimensions, the last ones, repel: there, alike nodes link less. They tell roles where the others
        tell communities. "auto": chosen together with the dimensions, and 0 where these are given.
    repelling_shrinkage
        The shrinkage in dimensions that repel; "auto": chosen with the others.
    method
        Which pairs a step looks at: "exact", "sampled", "paper", or what `exact()`, `sampled(samples)` and
        `paper(samples, weighted)` return. "auto": exact up to 2,000 nodes, sampled above.
    optimizer
        "adam", or "lbfgs" for the exact method. "auto": lbfgs where the method is exact.
    init
        Where positions begin: "spectral" (eigenvectors of what the prior does not explain), "diffusion" (random
        numbers averaged over neighbours), "lifted" (fitted in twice as many dimensions first), or "random".
    max_steps
        The largest number of steps. None: 150 for the sampled method, 300 for the paper's, 500 for L-BFGS.
    learning_rate
        About how far a coordinate moves in a step. None: 0.2.
    warmup
        Share of the steps over which the reach rises to its target.
    decay
        Share of the steps over which the learning rate falls to zero at the end.
    tolerance
        A relative fall of the objective below this, over ten steps, ends the fit. None: 1e-6 for the exact method,
        1e-4 for the others.
    seed
        Of random numbers.

    Examples
    --------
    >>> Settings(reach=3.0).resolve(node_count=100).optimizer
    'lbfgs'
    """

    dimensions: int | Auto = "auto"
    reach: float | Spread | Auto = "auto"
    shrinkage: float | Auto = "auto"
    repelling: int | Auto = "auto"
    repelling_shrinkage: float | Auto = "auto"
    method: str | Method = "auto"
    optimizer: str = "auto"
    init: str = "auto"
    max_steps: int | None = None
    learning_rate: float | None = None
    warmup: float = 0.4
    decay: float = 0.25
    tolerance: float | None = None
    seed: int = 0

    def __new__(cls, *_: Any, **settings: Any) -> Settings:
        """A new object, if the names of all settings are known."""
        check_words("Settings", settings, [field.name for field in fields(cls)])
        return super().__new__(cls)

    def __post_init__(self) -> None:
        _check_whole("dimensions", self.dimensions, 1)
        _check_whole("max_steps", self.max_steps, 1)
        _check_whole("seed", self.seed, 0)
        _check_repelling(self.repelling, self.dimensions, self.reach)
        _check_reach(self.reach, self.dimensions, self.repelling)
        for name in ("shrinkage", "repelling_shrinkage", "tolerance", "learning_rate"):
            _check_number(name, getattr(self, name))
        if self.learning_rate == 0:
            raise InputError("A learning rate of 0 was given; it must be above 0 (0.2 is usual).")
        if not all(is_real(share) and 0 <= share <= 1 for share in (self.warmup, self.decay)):
            raise InputError(f"warmup = {self.warmup} and decay = {self.decay} are shares of the steps, from 0 to 1.")
        _check_name("optimizer", self.optimizer, ("auto", *OPTIMIZERS))
        _check_name("init", self.init, ("auto", *INITS))

    @property
    def open_hyperparameters(self) -> tuple[str, ...]:
        """Which hyperparameters are left to be chosen: of distances only if there are any, of roles likewise."""
        names = [] if self._repelling_count == self.dimensions else ["dimensions", "reach", "shrinkage"]
        if self._repelling_count:
            names.append("repelling_shrinkage")
        elif _is_auto(self.dimensions) and not isinstance(self.reach, Spread):
            names.append("repelling")
        return tuple(name for name in names if _is_auto(getattr(self, name)))

    @property
    def _repelling_count(self) -> int:
        """How many dimensions repel, as far as is given."""
        if not isinstance(self.repelling, str):
            return int(self.repelling)
        return self.reach.repelling if isinstance(self.reach, Spread) else 0

    def resolve(self, node_count: int) -> ResolvedSettings:
        """Fill in everything that is left open, for a network with `node_count` nodes.

        Parameters
        ----------
        node_count
            Number of nodes of the network.

        Returns
        -------
        ResolvedSettings
            The same settings; dimensions, reach and shrinkage that are still "auto" become 8 (and those that repel), 2
            and 0.

        Raises
        ------
        InputError
            If the optimizer needs an objective without noise and the method has noise.
        """
        method = make_method(self.method, node_count)
        optimizer = self.optimizer if self.optimizer != "auto" else ("adam" if method.noisy else "lbfgs")
        if method.noisy and OPTIMIZERS[optimizer].compares_values:
            raise InputError(
                f"The optimizer {optimizer} needs an objective without noise, and the method is {method.name}. Use the "
                "method exact, or the optimizer adam."
            )
        open_dimensions = DEFAULT_DIMENSIONS + self._repelling_count
        dimensions = open_dimensions if isinstance(self.dimensions, str) else int(self.dimensions)
        return ResolvedSettings(
            dimensions=dimensions,
            spread=_spread(self.reach, self.repelling),
            shrinkage=DEFAULT_SHRINKAGE if isinstance(self.shrinkage, str) else self.shrinkage,
            repelling_shrinkage=(
                DEFAULT_REPELLING_SHRINKAGE if isinstance(self.repelling_shrinkage, str) else self.repelling_shrinkage
            ),
            method=method,
            optimizer=optimizer,
            init=self.init if self.init != "auto" else _default_init(dimensions, node_count),
            max_steps=self.max_steps or method.default_steps(optimizer),
            learning_rate=self.learning_rate or DEFAULT_LEARNING_RATE,
            warmup=self.warmup,
            decay=0.0 if OPTIMIZERS[optimizer].compares_values else self.decay,
            tolerance=(1e-4 if method.noisy else 1e-6) if self.tolerance is None else self.tolerance,
            seed=self.seed,
        )


# what `help` and editors show, instead of the parameters of __new__
Settings.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
    list(inspect.signature(Settings.__init__).parameters.values())[1:]
)


def _default_init(dimensions: int, node_count: int) -> str:
    if dimensions <= MAX_DIMENSIONS_LIFTED:
        return "lifted"
    return "spectral" if node_count <= MAX_NODES_SPECTRAL else "diffusion"


def _spread(reach: float | Spread | str, repelling: int | str) -> Spread:
    if not isinstance(reach, Spread):
        reach = Spread.from_reach(DEFAULT_REACH if isinstance(reach, str) else reach)
    return reach if isinstance(repelling, str) else replace(reach, repelling=int(repelling))


def _is_auto(value: object) -> bool:
    return isinstance(value, str) and value == "auto"


def _check_reach(reach: Any, dimensions: Any, repelling: Any) -> None:
    if _is_auto(reach):
        return
    if not isinstance(reach, (int, float, np.number, Spread)) or isinstance(reach, bool):
        raise InputError(f"reach = {reach!r} was given; a number, 'auto' or Spread(s1, s2) is needed.")
    spread = _spread(reach if isinstance(reach, Spread) else float(reach), repelling)
    value = spread.reach(DEFAULT_DIMENSIONS + spread.repelling if _is_auto(dimensions) else dimensions)
    if value > MAX_REACH:
        raise InputError(f"A reach of {value:.3g} was given; above {MAX_REACH:g} every pair becomes certain.")


def _check_repelling(repelling: Any, dimensions: Any, reach: Any) -> None:
    _check_whole("repelling", repelling, 0)
    stated = reach.repelling if isinstance(reach, Spread) else 0
    count = stated if _is_auto(repelling) else repelling
    if stated and count != stated:
        raise InputError(
            f"repelling = {repelling} was given, and a spread with repelling = {stated}; leave one of them out."
        )
    if not _is_auto(dimensions) and count > dimensions:
        raise InputError(
            f"repelling = {count} was given; of {dimensions} dimensions at most {dimensions} can repel. `dimensions` "
            "counts all of them."
        )


def _check_whole(name: str, value: Any, smallest: int) -> None:
    """A whole number of at least `smallest`, and small enough for a kernel's integers."""
    if (value is None and name == "max_steps") or (name in ("dimensions", "repelling") and _is_auto(value)):
        return
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or not smallest <= value < 2**62:
        raise InputError(f"{name} = {value} was given; a whole number of at least {smallest} is needed.")


def _check_number(name: str, value: Any) -> None:
    if _is_auto(value) if name in ("shrinkage", "repelling_shrinkage") else value is None:
        return
    if not isinstance(value, (int, float, np.number)) or not 0 <= value <= sys.float_info.max:
        raise InputError(f"{name} = {value} was given; a number of at least 0 is needed.")


def _check_name(what: str, name: Any, allowed: tuple[str, ...]) -> None:
    if not is_one_of(name, allowed):
        raise InputError(
            f"{what} = {name!r} was given; it is one of {', '.join(allowed)}.{did_you_mean(name, allowed)}"
        )


# ---- settings that go together -------------------------------------------------------------------------------------


class SettingsKeywords(TypedDict, total=False):
    """Keyword arguments that `embed` and `Settings` have in common."""

    dimensions: int | Auto
    reach: float | Spread | Auto
    shrinkage: float | Auto
    repelling: int | Auto
    repelling_shrinkage: float | Auto
    method: str | Method
    optimizer: OptimizerName
    init: InitName
    max_steps: int | None
    learning_rate: float | None
    warmup: float
    decay: float
    tolerance: float | None
    seed: int


def preset(name: str, *, dimensions: int = 8, density: Density = "gaussian") -> SettingsKeywords:
    """Keyword arguments for `embed` or `Settings`, by the name of a preset.

    Parameters
    ----------
    name
        "paper": s2 = 2, 50 links and 50 non-links per node, no shrinkage.
    dimensions
        The paper has 8, and 16 for arXiv.
    density
        The paper's tables come from the Gaussian density of the difference vector; its text describes the half-normal
        density of the distance.

    Returns
    -------
    dict
        Keyword arguments.

    Raises
    ------
    InputError
        If there is no preset of this name.

    Examples
    --------
    >>> sorted(preset("paper", dimensions=16))
    ['dimensions', 'method', 'reach', 'shrinkage']
    """
    if not is_one_of(name, ["paper"]):
        raise InputError(f"There is no preset {name!r}; presets: paper.{did_you_mean(name, ['paper'])}")
    return {"dimensions": dimensions, "reach": Spread(1.0, 2.0, density), "shrinkage": 0.0, "method": paper(50)}


MAX_NODES_EXACT_MAP = 5_000  # some seconds
MAP_SAMPLES, MAP_STEPS = 512, 300


def map_settings(settings: Settings, node_count: int) -> Settings:
    """Settings for a map, where `settings` leave them open.

    Two dimensions, exact up to 5,000 nodes, and no shrinkage, which would draw all nodes to the centre. The reach is
    left to be chosen on held-out links: the paper's maps have `Spread(1, 15)`, too much for most networks.
    """
    if settings.dimensions not in ("auto", 2):
        raise InputError(f"A map in {settings.dimensions} dimensions was requested; a map has 2.")
    method = exact() if node_count <= MAX_NODES_EXACT_MAP else sampled(MAP_SAMPLES)
    return replace(
        settings,
        dimensions=2,
        repelling=settings.resolve(node_count).repelling,
        shrinkage=0.0 if settings.shrinkage == "auto" else settings.shrinkage,
        method=method if settings.method == "auto" else settings.method,
        optimizer="adam" if settings.optimizer == "auto" else settings.optimizer,
        max_steps=settings.max_steps or MAP_STEPS,
    )
