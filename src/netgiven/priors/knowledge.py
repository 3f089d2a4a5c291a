"""What can be known: the interface of a kind of knowledge, and sums of them.

A kind of knowledge is a set of functions f_k of a pair of nodes. The prior is the distribution over networks of
maximum entropy under E[sum over pairs of f_k a_ij] = what the network shows, and that is a product of Bernoullis with

    logit P_ij = sum over k of lambda_k f_k(i, j)

A kind says which nodes it tells apart (`key`), its functions on cells of classes (`features`), what the network shows
(`observed`), and how multipliers become the sum that kernels understand (`form`).
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from netgiven.errors import InputError
from netgiven.network import Network
from netgiven.priors.classes import Classes, Integers

if TYPE_CHECKING:
    from netgiven.priors.prior import Prior

Doubles = npt.NDArray[np.float64]


class Form(NamedTuple):
    """logit P_uv = node[u] + node[v] + table[group[u], group[v]], for classes u and v."""

    node: Doubles
    group: Integers
    table: Doubles

    def plus(self, other: Form) -> Form:
        """The sum of two forms. Groups are split so that both tables can be read from one."""
        joint = self.group * len(other.table) + other.group
        values, group = np.unique(joint, return_inverse=True)
        mine, theirs = np.divmod(values, len(other.table))
        table = self.table[np.ix_(mine, mine)] + other.table[np.ix_(theirs, theirs)]
        return Form(self.node + other.node, group, table)


class Knowledge(ABC):
    """Something known of a network. Kinds add up: `degrees() + blocks("type")`."""

    @abstractmethod
    def __str__(self) -> str:
        """The text that `parse_knowledge` reads back."""

    @property
    def parts(self) -> tuple[Knowledge, ...]:
        """The kinds that this knowledge is the sum of."""
        return (self,)

    @abstractmethod
    def key(self, network: Network) -> Integers:
        """A number for each node; nodes with the same number are alike to this knowledge."""

    @abstractmethod
    def features(self, network: Network, classes: Classes) -> sparse.csr_array:
        """f_k of one pair of each cell: cells x constraints."""

    @abstractmethod
    def observed(self, network: Network, classes: Classes) -> Doubles:
        """The sum of f_k over the links, for each constraint."""

    @abstractmethod
    def start(self, network: Network, classes: Classes) -> Doubles:
        """A first guess of the multipliers."""

    @abstractmethod
    def form(self, network: Network, classes: Classes, multipliers: Doubles) -> Form:
        """The log-odds that the multipliers give, over classes."""

    def __add__(self, other: Knowledge) -> Knowledge:
        if not isinstance(other, Knowledge):
            return NotImplemented
        parts = tuple(dict.fromkeys(self.parts + other.parts))
        return parts[0] if len(parts) == 1 else Sum(parts)

    def __repr__(self) -> str:
        return str(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Knowledge) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def fit(self, network: Network) -> Prior:
        """The maximum-entropy distribution over networks that expects what is known here."""
        from netgiven.priors.fit import fit

        return fit(self, network)


class Sum(Knowledge):
    """Several kinds of knowledge at once."""

    def __init__(self, parts: tuple[Knowledge, ...]) -> None:
        self._parts = parts

    def __str__(self) -> str:
        return "+".join(map(str, self._parts))

    @property
    def parts(self) -> tuple[Knowledge, ...]:
        """The kinds that this knowledge is the sum of."""
        return self._parts

    def key(self, network: Network) -> Integers:
        """Nodes are alike if they are alike to every part."""
        return Classes.by_keys([part.key(network) for part in self._parts]).of

    def features(self, network: Network, classes: Classes) -> sparse.csr_array:
        """The features of the parts, side by side."""
        return sparse.csr_array(sparse.hstack([part.features(network, classes) for part in self._parts], format="csr"))

    def observed(self, network: Network, classes: Classes) -> Doubles:
        """What the network shows for each part, one after the other."""
        return np.concatenate([part.observed(network, classes) for part in self._parts])

    def start(self, network: Network, classes: Classes) -> Doubles:
        """The part that says most starts; the others begin by adding nothing."""
        guesses = [part.start(network, classes) for part in self._parts]
        best = max(range(len(guesses)), key=lambda place: len(guesses[place]))
        return np.concatenate([guess if place == best else 0.0 * guess for place, guess in enumerate(guesses)])

    def form(self, network: Network, classes: Classes, multipliers: Doubles) -> Form:
        """The sum of the parts' forms."""
        sizes = np.cumsum([len(part.observed(network, classes)) for part in self._parts])
        pieces = np.split(multipliers, sizes[:-1])
        forms = [part.form(network, classes, piece) for part, piece in zip(self._parts, pieces, strict=True)]
        total = forms[0]
        for form in forms[1:]:
            total = total.plus(form)
        return total


KINDS: dict[str, Callable[..., Knowledge]] = {}


def kind(word: str) -> Callable[[Callable[..., Knowledge]], Callable[..., Knowledge]]:
    """Let `parse_knowledge` read a kind of knowledge under `word`."""

    def register(make: Callable[..., Knowledge]) -> Callable[..., Knowledge]:
        KINDS[word] = make
        return make

    return register


def parse_knowledge(text: str) -> Knowledge:
    """Knowledge from its text: kinds joined by `+`, arguments after colons.

    >>> parse_knowledge("degrees + blocks:type")
    degrees+blocks:type
    """
    words = "|".join(KINDS)
    pieces = [piece.strip() for piece in re.split(rf"\+\s*(?=(?:{words})\b)", text.strip())]
    parts = [_parse_part(piece, text) for piece in pieces]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def _parse_part(piece: str, text: str) -> Knowledge:
    word, *arguments = piece.split(":", 1)
    if word not in KINDS:
        known = ", ".join(sorted(KINDS))
        raise InputError(
            f"{piece!r} in {text!r} is no kind of knowledge. Known: {known}. "
            "Join them with '+', e.g. degrees+blocks:type (a column follows its colon)."
        )
    try:
        return KINDS[word](*arguments)
    except TypeError:
        form = "takes no column" if arguments else "needs a column, e.g. blocks:type"
        raise InputError(f"{piece!r} in {text!r}: {word} {form}.") from None


def check_column(column: Any, word: str) -> str:
    """The column's name, if it is one."""
    if not isinstance(column, str) or not column:
        raise InputError(f"{word} needs the name of a node column; {column!r} was given.")
    return column
