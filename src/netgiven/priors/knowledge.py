"""What is known of a network: kinds of knowledge, added up, and their text form."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from netgiven.errors import InputError
from netgiven.network import Network
from netgiven.priors.fit import fit
from netgiven.priors.kind import Kind
from netgiven.priors.prior import Prior


@dataclass(frozen=True, eq=False, repr=False)
class Knowledge:
    """Kinds of knowledge that hold together. They add up: `degrees() + blocks("type")`."""

    kinds: tuple[Kind, ...]

    def __add__(self, other: Knowledge) -> Knowledge:
        if not isinstance(other, Knowledge):
            return NotImplemented
        once = {str(kind): kind for kind in self.kinds + other.kinds}
        return Knowledge(tuple(once.values()))

    def __str__(self) -> str:
        return "+".join(map(str, self.kinds))

    def __repr__(self) -> str:
        return str(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Knowledge) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def fit(self, network: Network) -> Prior:
        """The maximum-entropy distribution over networks that expects what is known here."""
        return fit(self.kinds, network)


WORDS: dict[str, Callable[..., Knowledge]] = {}


def word(name: str) -> Callable[[Callable[..., Knowledge]], Callable[..., Knowledge]]:
    """Let `parse_knowledge` read what a function makes under a name."""

    def register(make: Callable[..., Knowledge]) -> Callable[..., Knowledge]:
        WORDS[name] = make
        return make

    return register


def parse_knowledge(text: str) -> Knowledge:
    """Knowledge from its text: kinds joined by `+`, arguments after colons.

    >>> parse_knowledge("degrees + blocks:type")
    degrees+blocks:type
    """
    starts = "|".join(WORDS)
    pieces = [piece.strip() for piece in re.split(rf"\+\s*(?=(?:{starts})\b)", text.strip())]
    total = Knowledge(())
    for piece in pieces:
        total = total + _parse_piece(piece, text)
    return total


def _parse_piece(piece: str, text: str) -> Knowledge:
    name, *arguments = piece.split(":", 1)
    if name not in WORDS:
        raise InputError(
            f"{piece!r} in {text!r} is no kind of knowledge. Known: {', '.join(sorted(WORDS))}. "
            "Join them with '+', e.g. degrees+blocks:type (a column follows its colon)."
        )
    try:
        return WORDS[name](*arguments)
    except TypeError:
        told = "takes no column" if arguments else "needs a column, e.g. blocks:type"
        raise InputError(f"{piece!r} in {text!r}: {name} {told}.") from None


def check_column(column: Any, name: str) -> str:
    """The column's name, if it is one."""
    if not isinstance(column, str) or not column:
        raise InputError(f"{name} needs the name of a node column; {column!r} was given.")
    return column
