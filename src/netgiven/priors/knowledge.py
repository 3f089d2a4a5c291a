"""What is known of a network: kinds of knowledge, added up, and their text form."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from netgiven.errors import InputError
from netgiven.network import Network
from netgiven.priors.constraint import Kind, PairKind
from netgiven.priors.fit import fit
from netgiven.priors.learned import Learned
from netgiven.priors.prior import Prior


@dataclass(frozen=True, eq=False, repr=False)
class Knowledge:
    """Kinds of knowledge that hold together. They add up: `degrees() + blocks("type")`."""

    kinds: tuple[Kind | PairKind, ...]

    def __add__(self, other: Knowledge | str) -> Knowledge:
        if isinstance(other, str):
            return self + parse_knowledge(other)
        if not isinstance(other, Knowledge):
            return NotImplemented
        once: dict[str, Kind | PairKind] = {}
        for kind in self.kinds + other.kinds:
            if hasattr(kind, "name") and once.get(str(kind), kind) is not kind:
                raise InputError(f"Two constraints of this sum are called {kind}; give each a name=... of its own.")
            once.setdefault(str(kind), kind)
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

    def learn(self, network: Network) -> Learned:
        """What is known here of one network, to be applied to another: `embed(this_year, degrees().learn(last_year))`.

        Nodes are matched by their values in the columns that this is about, and by name where it is about single nodes.
        """
        names = dict.fromkeys(name for kind in self.kinds for name in kind.columns)
        columns = pd.DataFrame({name: network.column(name) for name in names}, index=range(network.node_count))
        return Learned(self.fit(network), columns)


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
    name, _, rest = piece.partition(":")
    if name not in WORDS:
        raise InputError(
            f"{piece!r} in {text!r} is no kind of knowledge. Known: {', '.join(sorted(WORDS))}. "
            "Join them with '+', e.g. degrees+blocks:type (a column follows its colon)."
        )
    taken = [*inspect.signature(WORDS[name]).parameters]
    argument, options = _split_options(rest, taken)
    try:
        return WORDS[name](*([argument] if ":" in piece and argument is not None else []), **options)
    except TypeError:
        told = f"takes {', '.join(taken)}" if taken else "takes no column"
        example = ", e.g. blocks:type or order:year:bins=20" if taken else ""
        raise InputError(f"{piece!r} in {text!r}: {name} {told}{example}.") from None


def _split_options(rest: str, taken: list[str]) -> tuple[str | None, dict[str, str]]:
    """A column and the options after it: `year:bins=20` is the column year and bins of 20."""
    options: dict[str, str] = {}
    names = "|".join(map(re.escape, taken)) or "(?!)"
    while found := re.search(rf"(?:^|:)({names})=([^:]*)$", rest):
        options[found[1]] = found[2]
        rest = rest[: found.start()]
        if not found.start() and not found[0].startswith(":"):
            return None, options
    return rest, options
