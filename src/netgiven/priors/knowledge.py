"""Prior knowledge of a network: a sum of constraints, its text form, and the registry of names that texts may use.

Registering a class of constraints, or a function that returns knowledge, is all that it takes to add a kind of
knowledge: `parse_knowledge`, the command line and `given="..."` then read it under its registered name.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import pandas as pd

from netgiven.errors import InputError, did_you_mean
from netgiven.io.read import as_network
from netgiven.network import Network
from netgiven.priors.constraints import Constraint, PairConstraint
from netgiven.priors.fit import fit
from netgiven.priors.learned import Learned
from netgiven.priors.prior import Prior


@dataclass(frozen=True, eq=False, repr=False)
class Knowledge:
    """Constraints that hold together.

    Knowledge is made by `density`, `degrees`, `blocks` and the like, and added with `+`. A constraint that is added
    twice is kept once.

    Parameters
    ----------
    constraints : tuple of Constraint or PairConstraint
        The constraints, in the order of their text form.

    Examples
    --------
    >>> from netgiven import blocks, degrees
    >>> degrees() + blocks("type")
    degrees+blocks:type
    >>> degrees() + "blocks:type" == degrees() + blocks("type")
    True
    """

    constraints: tuple[Constraint | PairConstraint, ...]

    def __add__(self, other: Knowledge | Constraint | PairConstraint | str) -> Knowledge:
        if not isinstance(other, (Knowledge, Constraint, PairConstraint, str)):
            return NotImplemented
        unique: dict[str, Constraint | PairConstraint] = {}
        for constraint in self.constraints + as_knowledge(other).constraints:
            if hasattr(constraint, "name") and unique.get(str(constraint), constraint) is not constraint:
                raise InputError(
                    f"Two constraints of this sum are called {constraint}; give each a name=... of its own."
                )
            unique.setdefault(str(constraint), constraint)
        total = Knowledge(tuple(unique.values()))
        if len({str(one) for one in total.with_uncertainty(0.0, replace=True).constraints}) < len(unique):
            raise InputError(f"{total} gives the same degrees with two uncertainties; give them once.")
        return total

    def with_uncertainty(self, uncertainty: float, replace: bool = False) -> Knowledge:
        """Return the same knowledge with this uncertainty of degrees, where it is open or to be replaced.

        Parameters
        ----------
        uncertainty : float
            From 0, degrees as they are, to below 1; see `degrees`.
        replace : bool
            Replace an uncertainty that was given, too.

        Returns
        -------
        Knowledge
            The same constraints.

        Examples
        --------
        >>> from netgiven import blocks, degrees
        >>> (degrees() + blocks("type")).with_uncertainty(0.5)
        degrees:uncertainty=0.5+blocks:type
        """
        return Knowledge(tuple(one.with_uncertainty(uncertainty, replace) for one in self.constraints))

    def __str__(self) -> str:
        return "+".join(map(str, self.constraints))

    def __repr__(self) -> str:
        return str(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Knowledge) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def fit(self, network: Any) -> Prior:
        """Fit the maximum-entropy distribution over networks that meets the constraints in expectation.

        Parameters
        ----------
        network : Network
            The network whose totals are to be expected, or anything else that `embed` takes as one.

        Returns
        -------
        Prior
            A probability for each pair of nodes.

        Raises
        ------
        InputError
            If there are no constraints, a linked node lacks a value in a column that a constraint needs, there are too
            many groups or classes, or a total given by the user cannot be met.

        Examples
        --------
        >>> from netgiven import Network, density
        >>> path = Network.from_edges([("a", "b"), ("b", "c")])
        >>> round(density().fit(path).probability("a", "c"), 6)  # two links, three pairs
        0.666667
        """
        return fit(self.constraints, as_network(network))

    def learn(self, network: Any) -> Learned:
        """Fit a prior on one network in order to apply it to another.

        Nodes are matched by their values in the columns that the constraints read, and by name where constraints are
        about single nodes, such as degrees.

        Parameters
        ----------
        network : Network
            The network to learn from, such as last year's.

        Returns
        -------
        Learned
            Knowledge to be given for the other network: `embed(this_year, degrees().learn(last_year))`.

        Raises
        ------
        InputError
            As in `fit`.

        Examples
        --------
        >>> from netgiven import blocks
        >>> from netgiven.datasets import company
        >>> mixing = blocks("department").learn(company(60, seed=5))
        >>> mixing.fit(company(40)).knowledge
        'blocks:department (learned elsewhere)'
        """
        network = as_network(network)
        names = dict.fromkeys(name for constraint in self.constraints for name in constraint.columns)
        columns = pd.DataFrame({name: network.column(name) for name in names}, index=range(network.node_count))
        return Learned(self.fit(network), columns)


def as_knowledge(given: Knowledge | Constraint | PairConstraint | str) -> Knowledge:
    """Return knowledge from a single constraint or from a text; knowledge as it is."""
    if isinstance(given, str):
        return parse_knowledge(given)
    return given if isinstance(given, Knowledge) else Knowledge((given,))


Made = Knowledge | Constraint | PairConstraint
Maker = TypeVar("Maker", bound=Callable[..., Made])
REGISTRY: dict[str, Callable[..., Made]] = {}


def register(name: str) -> Callable[[Maker], Maker]:
    """Let texts use a name for a class of constraints, or for a function that returns knowledge.

    What follows the colon in a text is the first argument; `option=value` after further colons are keyword arguments.
    All of them arrive as strings.

    Parameters
    ----------
    name : str
        The word at the beginning of the text form.

    Returns
    -------
    Callable
        A decorator that returns its argument unchanged.
    """

    def decorate(make: Maker) -> Maker:
        REGISTRY[name] = make
        return make

    return decorate


def parse_knowledge(text: str) -> Knowledge:
    """Read knowledge from its text form: registered names joined by `+`, arguments after colons.

    Parameters
    ----------
    text : str
        For example ``"degrees+blocks:type"`` or ``"order:year:kind=window:width=5"``.

    Returns
    -------
    Knowledge
        The sum of the constraints.

    Raises
    ------
    InputError
        If a name is not registered, or its arguments are wrong.

    Examples
    --------
    >>> parse_knowledge("degrees + blocks:type")
    degrees+blocks:type
    """
    if not isinstance(text, str):
        raise InputError(f"Knowledge as text was expected, {type(text).__name__} given; e.g. 'degrees+blocks:type'.")
    names = "|".join(REGISTRY)
    pieces = [piece.strip() for piece in re.split(rf"\+\s*(?=(?:{names})\b)", text.strip())]
    total = Knowledge(())
    for piece in pieces:
        total = total + _parse_piece(piece, text)
    return total


def _parse_piece(piece: str, text: str) -> Made:
    name, _, rest = piece.partition(":")
    if name not in REGISTRY:
        raise InputError(
            f"{piece!r} in {text!r} is no kind of knowledge.{did_you_mean(name, REGISTRY)} Expected one of: "
            f"{', '.join(sorted(REGISTRY))}. Join them with '+', e.g. degrees+blocks:type (a column follows its colon)."
        )
    parameters = [*inspect.signature(REGISTRY[name]).parameters]
    argument, options = _split_options(rest, parameters)
    try:
        return REGISTRY[name](*([argument] if ":" in piece and argument is not None else []), **options)
    except TypeError:
        takes = f"takes {', '.join(parameters)}" if parameters else "takes no column"
        example = ", e.g. blocks:type or order:year:bins=20" if parameters else ""
        raise InputError(f"{piece!r} in {text!r}: {name} {takes}{example}.") from None


def _split_options(rest: str, parameters: list[str]) -> tuple[str | None, dict[str, str]]:
    """Split a column from the options after it: `year:bins=20` is the column year and 20 bins."""
    options: dict[str, str] = {}
    names = "|".join(map(re.escape, parameters)) or "(?!)"
    while found := re.search(rf"(?:^|:)({names})=([^:]*)$", rest):
        options[found[1]] = found[2]
        rest = rest[: found.start()]
        if not found.start() and not found[0].startswith(":"):
            return None, options
    return rest, options


# ---- what `given=` accepts -------------------------------------------------------------------------------------------


Given = Knowledge | Learned | Prior | str | None


class Priors(NamedTuple):
    """The prior that positions are trained with, and the one that they are predicted with; mostly the same."""

    train: Prior
    predict: Prior


def same_but_for_uncertainty(first: str, second: str) -> bool:
    """Return whether two texts of knowledge are the same, or differ in the uncertainty of degrees only.

    >>> same_but_for_uncertainty("degrees+blocks:type", "degrees:uncertainty=0.5+blocks:type")
    True
    """
    exact = [re.sub(r":uncertainty=[0-9.e-]+", "", text) for text in (first, second)]
    return exact[0] == exact[1]


def with_exact_degrees(given: Given) -> Given:
    """Return what is given, with degrees as they are unless an uncertainty was given."""
    knowledge = _as_fittable(given)
    return knowledge.with_uncertainty(0.0) if isinstance(knowledge, Knowledge) else knowledge


@dataclass(frozen=True)
class GivenKnowledge:
    """What positions are trained with, and what probabilities are predicted with; mostly the same."""

    train: Given
    predict: Given

    @property
    def leaves_uncertainty_open(self) -> bool:
        """Whether the uncertainty of degrees in predictions is left to be chosen."""
        knowledge = _as_fittable(self.predict)
        return isinstance(knowledge, Knowledge) and knowledge.with_uncertainty(0.5) != knowledge

    def fit(self, network: Network, uncertainty: float = 0.0) -> Priors:
        """Fit both priors; only once if they are the same.

        Positions are trained with degrees as they are: a link that was not seen must not push nodes apart. Predictions
        are made with the uncertainty that was given, or else with this one.
        """
        train, predict = _as_fittable(self.train), _as_fittable(self.predict)
        train = train.with_uncertainty(0.0, replace=True) if isinstance(train, Knowledge) else train
        predict = predict.with_uncertainty(uncertainty) if isinstance(predict, Knowledge) else predict
        first = fit_prior(network, train)
        return Priors(first, first if predict is train or predict == train else fit_prior(network, predict))


def fit_prior(network: Network, given: Given) -> Prior:
    """Fit the prior that is given for a network.

    Parameters
    ----------
    network : Network
        The network to be explained.
    given : Knowledge, Learned, Prior, str or None
        Knowledge or its text form, knowledge learned on another network, or a prior that is fitted already. None
        stands for `degrees()`.

    Returns
    -------
    Prior
        The fitted prior.

    Raises
    ------
    InputError
        If the prior given belongs to other nodes, or what is given is no knowledge.

    Examples
    --------
    >>> path = Network.from_edges([("a", "b"), ("b", "c")])
    >>> fit_prior(path, "density")
    Prior given density: 3 nodes, 2.0 links expected
    """
    knowledge = _as_fittable(given)
    if not isinstance(knowledge, Prior):
        return knowledge.fit(network)
    if not knowledge.nodes.equals(network.nodes):
        raise InputError("The prior given was fitted to a network with other nodes; fit it to this one.")
    return knowledge


def _as_fittable(given: Given) -> Knowledge | Learned | Prior:
    """Return what is given as knowledge, or as a prior that is fitted already."""
    given = "degrees" if given is None else given
    knowledge = parse_knowledge(given) if isinstance(given, str) else given
    if not isinstance(knowledge, (Knowledge, Learned, Prior)):
        raise InputError(f"{given!r} was given; knowledge is degrees(), blocks('column'), a sum of such, or its text.")
    return knowledge
