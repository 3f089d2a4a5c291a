"""Cleaning of links: from pairs of names to numbered, undirected, unweighted links, once each.

What is dropped or merged is counted, and reported in one line.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import sparse

from netgiven.errors import InputError, UnknownColumn
from netgiven.types import Int32Array, Int64Array, IntegerArray

Rows = tuple[Int64Array, Int32Array, int]

# Links are held as 32-bit node numbers: half the memory of 64 bits, and twice as fast to read.
MAX_NODES = 2**31 - 1

# With this many links, SciPy takes longer than half a second, which loading the compiled code takes.
MANY_LINKS = 5_000_000


@dataclass(frozen=True)
class EdgeCleaning:
    """What cleaning did to the links as they were given.

    Parameters
    ----------
    given, kept : int
        Number of links before and after cleaning.
    self_loops : int
        Links of a node with itself, which were dropped.
    duplicates : int
        Links that were given more than once in the same direction, which were merged.
    both_directions : int
        Links that were given in both directions, which were merged.
    weighted : int
        Links with a weight other than 1; weights were ignored.
    directed : bool
        Whether the source had directions, which were ignored.

    Examples
    --------
    >>> print(EdgeCleaning(given=5, kept=3, self_loops=1, duplicates=1))
    5 links given, 3 kept: 1 self-loop dropped, 1 duplicate merged
    """

    given: int
    kept: int
    self_loops: int = 0
    duplicates: int = 0
    both_directions: int = 0
    weighted: int = 0
    directed: bool = False

    @property
    def changes(self) -> str:
        """What was dropped, merged and ignored; empty if nothing was."""
        changes = [
            f"{counted(self.self_loops, 'self-loop')} dropped" if self.self_loops else "",
            f"{counted(self.duplicates, 'duplicate')} merged" if self.duplicates else "",
            f"{self.both_directions:,} given in both directions merged" if self.both_directions else "",
            "direction ignored" if self.directed else "",
            f"weights of {counted(self.weighted, 'link')} ignored" if self.weighted else "",
        ]
        return ", ".join(change for change in changes if change)

    @property
    def loses(self) -> bool:
        """Whether the source held more than the network; links in both directions are a usual way to store them."""
        return bool(self.self_loops or self.duplicates or self.weighted or self.directed)

    def __str__(self) -> str:
        counts = f"{counted(self.given, 'link')} given, {self.kept:,} kept"
        return f"{counts}: {self.changes}" if self.changes else counts


def counted(count: int, noun: str) -> str:
    """A number and its noun, in the singular or plural.

    >>> counted(1, "node"), counted(2000, "link")
    ('1 node', '2,000 links')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def whole_percent(share: float) -> str:
    """A share in whole percent, as pages and printed texts show it.

    >>> whole_percent(0.984), whole_percent(-0.001)
    ('98 %', '0 %')
    """
    return f"{100 * share:z.0f} %"  # z: without a minus before 0


def clean_edges(
    first: IntegerArray, second: IntegerArray, node_count: int, *, weighted: int = 0, directed: bool = False
) -> tuple[Int64Array, Int32Array, EdgeCleaning]:
    """Row starts and sorted columns (CSR, both directions) of the links, and the report of the cleaning.

    >>> starts, columns, cleaning = clean_edges(np.array([0, 1, 1]), np.array([1, 0, 2]), 3)
    >>> starts.tolist(), columns.tolist()
    ([0, 1, 3, 4], [1, 0, 2, 1])
    >>> print(cleaning)
    3 links given, 2 kept: 1 given in both directions merged
    """
    if node_count > MAX_NODES:
        raise InputError(f"{node_count:,} nodes were given; a network has at most {MAX_NODES:,}.")
    ends = np.ascontiguousarray(first, dtype=np.int32), np.ascontiguousarray(second, dtype=np.int32)
    make_rows = compiled_rows if len(first) >= MANY_LINKS else scipy_rows
    indptr, indices, directed_count = make_rows(*ends, node_count)
    loops, kept = int(np.count_nonzero(ends[0] == ends[1])), len(indices) // 2
    cleaning = EdgeCleaning(
        given=len(first),
        kept=kept,
        self_loops=loops,
        duplicates=len(first) - loops - directed_count,
        both_directions=directed_count - kept,
        weighted=weighted,
        directed=directed,
    )
    return indptr, indices, cleaning


def compiled_rows(first: Int32Array, second: Int32Array, node_count: int) -> Rows:
    """Row starts, sorted columns, and the number of distinct links where (1, 2) and (2, 1) count as two: compiled."""
    from netgiven.kernels import csr

    return csr.sorted_rows(first, second, node_count)


def scipy_rows(first: Int32Array, second: Int32Array, node_count: int) -> Rows:
    """The result of `compiled_rows` by SciPy: its twin in tests, and faster for few links.

    >>> indptr, indices, directed_count = scipy_rows(np.array([0, 1, 1, 2]), np.array([1, 0, 2, 2]), 3)
    >>> indptr.tolist(), indices.tolist(), directed_count
    ([0, 1, 3, 4], [1, 0, 2, 1], 3)
    """
    distinct = first != second
    first, second = first[distinct], second[distinct]
    present = np.ones(len(first), dtype=np.int8)
    directed = sparse.coo_array((present, (first, second)), shape=(node_count, node_count)).tocsr()
    directed.data[:] = 1  # duplicates were added up, and the sum of 256 of them overflows to 0
    links = directed + directed.T
    return links.indptr.astype(np.int64), links.indices.astype(np.int32, copy=False), directed.nnz


# ---- weights -------------------------------------------------------------------------------------------------------


NO_WEIGHTS = "The column after the two ends was ignored: not all of its values are numbers."


class Weights(NamedTuple):
    """How many links have a weight other than 1, of 0, and below 0."""

    other: int = 0
    zero: int = 0
    negative: int = 0

    def check(self, given: int) -> None:
        """Raise an error if weights are negative: a tie of the opposite kind is no link."""
        if self.negative:
            raise InputError(
                f"{self.negative:,} of {given:,} links have negative weights; a pair is linked or it is not. "
                "Leave these links out, or leave the weights out if all of them are links."
            )

    @property
    def notes(self) -> tuple[str, ...]:
        """What was decided about them."""
        return (f"Links of weight 0, which count as links: {self.zero:,}.",) if self.zero else ()


def count_weights(values: Any) -> Weights | None:
    """Count weights; None if one of the values is no number. Missing weights are no weights.

    >>> count_weights([1, 2.5, 0, None]), count_weights(["likes", "knows"])
    (Weights(other=2, zero=1, negative=0), None)
    """
    column = pd.Series(values)
    if pd.api.types.is_complex_dtype(column.dtype):
        return Weights(other=int((column != 1).sum()))
    numbers = pd.to_numeric(column, errors="coerce")
    if (numbers.isna() & column.notna()).any():
        return None
    known = numbers.dropna().to_numpy(dtype=np.float64)
    return Weights(*(int(np.count_nonzero(found)) for found in (known != 1, known == 0, known < 0)))


# ---- names ---------------------------------------------------------------------------------------------------------


def to_python(value: Any) -> Any:
    """A value as a Python object, not a NumPy one."""
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    return type(value)(map(to_python, value)) if type(value) in (tuple, list) else value


def shown(value: Any) -> str:
    """A name as a person would type it.

    >>> shown(np.int64(3)), shown((np.str_("a"), 1))
    ('3', "('a', 1)")
    """
    return repr(to_python(value))


def check_names(names: pd.Index[Any], *, distinct: bool = False) -> pd.Index[Any]:
    """The names, checked to be neither empty nor duplicate; `distinct` skips the check for duplicates."""
    empty = np.asarray(names.isna())
    if not pd.api.types.is_numeric_dtype(names.dtype):
        empty = empty | np.asarray(names == "")
    if empty.any():
        raise InputError(
            f"Node number {int(np.argmax(empty)) + 1} has no name (empty or NaN); name it or leave it out."
        )
    if not distinct and not names.is_unique:
        twice = names[names.duplicated()][0]
        raise InputError(f"Node {shown(twice)} is named more than once in the node table; give one row per node.")
    return names


def check_name(name: Any) -> None:
    """Raise an error if something is not the name of one node: a list, a set, an array."""
    try:
        hash(name)
    except TypeError:
        raise InputError(f"The name of one node was expected, {shown(name)[:200]} given.") from None


def typed_series(values: list[Any]) -> pd.Series[Any]:
    """Names as a column: 64-bit integers if all are integers that fit, text if all are text, else objects."""
    column = pd.Series(values, dtype=object)
    kind = pd.api.types.infer_dtype(values, skipna=False)
    if kind not in ("integer", "string"):
        for value in values:
            check_name(value)
    try:
        if kind == "integer":
            return column.astype("int64")
        return _text(column) if kind == "string" else column
    except OverflowError:
        return column
    except UnicodeEncodeError as error:
        raise InputError(f"The name {error.object!r} is not valid text (it holds half of a character).") from error


def _text(column: pd.Series[Any]) -> pd.Series[Any]:
    """A column of text. Before pandas 3, which has a type for text, it stays one of objects, and is only checked."""
    text = column.astype("str")
    if text.dtype == object:
        import pyarrow as pa

        pa.array(text, type=pa.string())
    return text


def names_index(column: pd.Series[Any]) -> pd.Index[Any]:
    """A column as an index; tuples stay tuples (pandas would make levels of them)."""
    if column.isna().any():
        row = int(np.argmax(column.isna().to_numpy())) + 1
        raise InputError(f"Node number {row} has no name (empty or NaN); name it or leave it out.")
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(column.cat.categories.dtype)
    if column.dtype == object:
        column = typed_series(column.tolist())
    elif pd.api.types.is_string_dtype(column.dtype):
        column = column.astype("str")  # text of several types, such as those of Arrow, is one type of names
    index: pd.Index[Any] = pd.Index(column, dtype=column.dtype, tupleize_cols=False)
    if pd.api.types.is_integer_dtype(column.dtype) and not (len(column) and column.max() > np.iinfo(np.int64).max):
        index = pd.Index(column.to_numpy(dtype=np.int64))
    return index.rename(None)


@dataclass(frozen=True)
class EdgeList:
    """Links as they were given, before cleaning: node names, and the ends of each link as positions among them.

    `columns` has one row per name. `weights` and `directed` say what the source had; the model ignores both.
    """

    names: pd.Index[Any]
    first: IntegerArray
    second: IntegerArray
    columns: pd.DataFrame = field(default_factory=pd.DataFrame)
    weights: Weights = Weights()  # noqa: RUF009 - a tuple of numbers
    directed: bool = False
    notes: tuple[str, ...] = ()
    distinct: bool = False  # the names are known to be distinct; checking takes as long as reading them
    kinds: tuple[str, str] | None = None  # what the columns of first and second ends are called

    def with_kinds(self, kinds: tuple[str, str] | None) -> EdgeList:
        """The same links, with the names of the columns of their ends, if they have names.

        If one is a column of people and the other one of things, they become the values of a node column `side`, and
        names that both have get them in front: user 7 is not film 7.

        >>> links = number_ends(pd.Index([7, 9]), pd.Index([7, 7])).with_kinds(("user", "film"))
        >>> links.names.tolist(), links.columns["side"].tolist()
        (['user 7', 'user 9', 'film 7'], ['user', 'user', 'film'])
        """
        if kinds is None or not are_two_kinds(kinds):
            return replace(self, kinds=kinds)
        at_first, at_second = (np.isin(np.arange(len(self.names)), end) for end in (self.first, self.second))
        shared = self.names[at_first & at_second]
        if not len(shared):
            return replace(self, columns=pd.DataFrame({"side": np.where(at_first, *kinds)}), kinds=kinds)
        one, other = (f"{kind} {shared[0]}" for kind in kinds)
        note = (
            f"{counted(len(shared), 'name')} in both columns, {kinds[0]} and {kinds[1]}, such as {shown(shared[0])}: "
            f"these are two nodes, {one!r} and {other!r}, and all names are written like that."
        )
        return replace(replace(self, kinds=kinds).named_by_kind(), notes=(*self.notes, note))

    def named_by_kind(self) -> EdgeList:
        """The same links with names that begin with the kind of node; first ends come first."""
        if self.kinds is None or not are_two_kinds(self.kinds):
            return self
        used = np.unique(self.first), np.unique(self.second)
        names = [f"{kind} {name}" for kind, some in zip(self.kinds, used, strict=True) for name in self.names[some]]
        side = np.repeat(self.kinds, [len(some) for some in used])
        first, second = np.searchsorted(used[0], self.first), np.searchsorted(used[1], self.second) + len(used[0])
        named = names_index(typed_series(names))
        return replace(self, names=named, first=first, second=second, columns=pd.DataFrame({"side": side}))

    def names_of_kind(self, names: pd.Index[Any], title: str) -> pd.Index[Any]:
        """Names from a column with this title, with the kind of node in front if that is how the links name them.

        >>> links = number_ends(pd.Index([7, 9]), pd.Index([7, 7])).with_kinds(("user", "film"))
        >>> links.names_of_kind(pd.Index([9, 7]), "userId").tolist()
        ['user 9', 'user 7']
        """
        kind = kind_of(title)
        if (
            self.kinds is None
            or not are_two_kinds(self.kinds)
            or kind not in self.kinds
            or names.isin(self.names).any()
        ):
            return names
        return pd.Index([f"{kind} {name}" for name in names], dtype="str")

    def with_node_table(self, names: pd.Index[Any], columns: pd.DataFrame) -> EdgeList:
        """The same links with the names of a node table first, in its order, followed by all others.

        Columns of the table replace columns of the same name.
        """
        check_names(names)
        place = names.get_indexer(self.names).astype(np.int64)
        new = place < 0
        if len(new) and new.all():
            _check_kinds(names, self.names)
        place[new] = len(names) + np.arange(np.count_nonzero(new))
        every = names.append(self.names[new]) if new.any() else names
        merged = columns.reset_index(drop=True).reindex(pd.RangeIndex(len(every)))
        for name in self.columns.columns.difference(merged.columns, sort=False):
            merged[name] = self.columns[name].set_axis(place).reindex(merged.index)
        first, second = place[self.first], place[self.second]
        return replace(self, names=every, first=first, second=second, columns=merged, distinct=False)


def _check_kinds(names: pd.Index[Any], linked: pd.Index[Any]) -> None:
    """Raise an error if no linked node is in the node table, but one with the same text is, such as 1 and "1"."""
    looks = {str(to_python(name)): name for name in names}
    for name in linked:
        alike = looks.get(str(to_python(name)))
        if alike is not None:
            raise InputError(
                f"Links and node table have node names of different types: {shown(name)} is {_kind(name)} in the "
                f"links, {shown(alike)} is {_kind(alike)} in the table. Give both the same type."
            )


def _kind(name: Any) -> str:
    return type(to_python(name)).__name__


def number_ends(first: pd.Index[Any], second: pd.Index[Any]) -> EdgeList:
    """Links from the names of their two ends.

    Names come out in ascending order for integers, by first appearance for everything else.

    >>> links = number_ends(pd.Index([7, 3]), pd.Index([3, 9]))
    >>> links.names.tolist(), links.first.tolist(), links.second.tolist()
    ([3, 7, 9], [1, 0], [0, 2])
    """
    if first.dtype == second.dtype == np.int64:
        return number_integers(first.to_numpy(), second.to_numpy())
    if first.dtype == second.dtype != object:
        codes, names = pd.factorize(first.append(second))
    else:  # an index would turn (1, 2.5) into floats: names stay what they are
        codes, found = pd.factorize(np.concatenate([first.to_numpy(object), second.to_numpy(object)]))
        names = pd.Index(found, dtype=object, tupleize_cols=False)
    numbers = codes.astype(np.int32)
    return by_appearance(names, numbers[: len(first)], numbers[len(first) :])


def number_integers(first: Int64Array, second: Int64Array) -> EdgeList:
    """Links between integers: numbered by a table of marks if they are dense, by sorting if not."""
    if not len(first):
        return EdgeList(pd.Index(first), first, second)
    low, high = int(min(first.min(), second.min())), int(max(first.max(), second.max()))
    if high - low > 16 * len(first) + 1_000_000:
        names, numbers = np.unique(np.concatenate([first, second]), return_inverse=True)
        return EdgeList(pd.Index(names), numbers[: len(first)], numbers[len(first) :])
    marks = np.zeros(high - low + 1, dtype=bool)
    first, second = (first, second) if low == 0 else (first - low, second - low)
    marks[first] = True
    marks[second] = True
    names = np.flatnonzero(marks) + low
    if len(names) == len(marks):  # no gaps: the numbers are there already
        return EdgeList(pd.Index(names), first.astype(np.int32), second.astype(np.int32))
    place = np.cumsum(marks, dtype=np.int32) - np.int32(1)
    return EdgeList(pd.Index(names), place[first], place[second])


def by_appearance(names: pd.Index[Any], first: IntegerArray, second: IntegerArray) -> EdgeList:
    """The same links with names in the order of their first appearance."""
    lines = np.arange(len(first), dtype=np.int64)[::-1]
    seen = np.full((2, len(names)), 2 * len(lines), dtype=np.int64)
    seen[0, first[::-1]] = 2 * lines  # backwards: of several lines the earliest is written last, and stays
    seen[1, second[::-1]] = 2 * lines + 1
    order = np.argsort(seen.min(axis=0), kind="stable")
    place = np.empty(len(names), dtype=np.int32)
    place[order] = np.arange(len(names), dtype=np.int32)
    return EdgeList(names[order], place[first], place[second])


# ---- tables of links: which columns are the two ends, and which a weight ---------------------------------------------


# What people call the two ends of a link. Letter case and marks do not matter: "Node_1" is "node1".
_PAIRS = [
    *[(f"{first}{kind}", f"{second}{kind}")
      for first, second in [("source", "target"), ("from", "to"), ("src", "dst"), ("tail", "head")]
      for kind in ("", "id", "node", "nodeid", "name", "label")],
    *[(f"{word}1", f"{word}2")
      for word in ("node", "id", "nodeid", "name", "vertex", "person", "user", "userid", "protein", "gene", "member")],
    *[(f"{word}a", f"{word}b") for word in ("node", "id", "person", "user", "protein", "gene", "interactor")],
    ("sourcenode", "targetnode"), ("nodefrom", "nodeto"), ("idfrom", "idto"), ("sender", "receiver"), ("src", "dest"),
    ("src", "trg"), ("start", "end"), ("follower", "followee"), ("citing", "cited"), ("u", "v"), ("i", "j"),
]  # fmt: skip
# What people and the things that they choose are called in two-mode tables, also with "id" at the end.
_PEOPLE = {"user", "customer", "viewer", "reader", "listener", "buyer", "reviewer", "member", "student", "author"}
_THINGS = {"item", "film", "movie", "book", "product", "song", "track", "artist", "album", "game", "course", "paper"}
_KINDS = _PEOPLE | _THINGS
_WEIGHTS = {"weight", "weights", "w", "value", "count", "strength", "rating", "score"}
_TIMES = {"time", "timestamp", "datetime", "date", "day", "month", "year", "since"}
MOST_LINK_COLUMNS = 4  # columns of a list of links without header: two ends, weight, time


EDGE_INDEX = (
    " If its two rows are the ends of links, as in PyTorch Geometric, give its transpose, or use "
    "Network.from_edge_index."
)


@dataclass(frozen=True)
class Roles:
    """Which columns are a link's ends and its weight, which pairs describe both ends, and which are ignored."""

    ends: tuple[int, int]
    weight: int | None
    of_nodes: dict[str, tuple[int, int]]
    ignored: tuple[str, ...]
    kinds: tuple[str, str] | None = field(default=None, repr=False)

    @property
    def others(self) -> list[int]:
        """Positions of the columns to read besides the ends."""
        weight = [] if self.weight is None else [self.weight]
        return weight + [position for pair in self.of_nodes.values() for position in pair]

    def among(self, positions: Sequence[int]) -> Roles:
        """The roles where only the columns at these positions are left."""
        place = {position: number for number, position in enumerate(positions)}
        of_nodes = {name: (place[first], place[second]) for name, (first, second) in self.of_nodes.items()}
        weight = None if self.weight is None else place[self.weight]
        return replace(self, ends=(place[self.ends[0]], place[self.ends[1]]), weight=weight, of_nodes=of_nodes)

    @property
    def notes(self) -> tuple[str, ...]:
        """Which columns are ignored."""
        return (f"Ignored columns: {', '.join(self.ignored)}.",) if self.ignored else ()


def find_roles(header: Sequence[str] | None, width: int, chosen: tuple[int | None, int | None] = (None, None)) -> Roles:
    """Find what each column means, by its name if there is a header, by its position if not.

    `chosen` has the positions of the ends that the user named.

    >>> find_roles(["source", "target", "source_type", "target_type", "year"], 5)
    Roles(ends=(0, 1), weight=None, of_nodes={'type': (2, 3)}, ignored=('year',))
    >>> find_roles(None, 3)
    Roles(ends=(0, 1), weight=2, of_nodes={}, ignored=())
    """
    if header is None:
        ignored = tuple(f"number {position + 1}" for position in range(3, width))
        return Roles((0, 1), 2 if width > 2 else None, {}, ignored)
    ends = (named_ends(header) if chosen == (None, None) else None) or _only_ends(header, chosen)
    of_nodes = _of_nodes(header, ends)
    used = {*ends, *(position for pair in of_nodes.values() for position in pair)}
    rest = [position for position in range(width) if position not in used]
    weight = next((position for position in rest if simplified(header[position]) in _WEIGHTS), None)
    ignored = tuple(header[position] or f"number {position + 1}" for position in rest if position != weight)
    return Roles(ends, weight, of_nodes, ignored, (kind_of(header[ends[0]]), kind_of(header[ends[1]])))


def simplified(name: str) -> str:
    """Return a column's name in lower case, without punctuation."""
    return re.sub(r"[\W_]+", "", name).lower()


def named_ends(header: Sequence[str]) -> tuple[int, int] | None:
    """Return the positions of the two columns that are named like the ends of a link."""
    names = [simplified(name) for name in header]
    for first, second in _PAIRS:
        if first in names and second in names:
            return names.index(first), names.index(second)
    kinds = [kind_of(name) for name in header]
    people, things = ([at for at, kind in enumerate(kinds) if kind in some] for some in (_PEOPLE, _THINGS))
    if len(people) == len(things) == 1:
        return min(people + things), max(people + things)
    return None


def kind_of(name: str) -> str:
    """What the nodes in a column of this name are, or the name itself.

    >>> kind_of("userId"), kind_of("Movie_ID"), kind_of("Plays in")
    ('user', 'movie', 'Plays in')
    """
    word = simplified(name).removesuffix("id")
    return word if word in _KINDS else name


def is_kind(name: str) -> bool:
    """Whether a column of this name holds people or things."""
    return kind_of(name) in _KINDS


def are_two_kinds(kinds: tuple[str, str]) -> bool:
    """Whether two columns hold nodes of different kinds: one people, the other things.

    >>> are_two_kinds(("user", "movie")), are_two_kinds(("user", "friend"))
    (True, False)
    """
    one, other = kinds
    return (one in _PEOPLE and other in _THINGS) or (one in _THINGS and other in _PEOPLE)


def _only_ends(header: Sequence[str], chosen: tuple[int | None, int | None]) -> tuple[int, int]:
    """Return the chosen ends, and for those that were not chosen the only columns that they can be.

    A column without a name holds row numbers; weights and times are known by their names.
    """
    free = [position for position in range(len(header)) if position not in chosen]
    wanted = chosen.count(None)
    if len(free) > wanted:
        free = [at for at in free if header[at] and simplified(header[at]) not in _WEIGHTS | _TIMES]
    if wanted and len(free) != wanted:
        raise InputError(
            f"Which columns are the two ends of a link? There are {listed_names(header)}. Name them with source= and "
            "target= (--source and --target on the command line), or call them source and target."
        )
    rest = iter(free)
    first, second = (next(rest) if end is None else end for end in chosen)
    return first, second


def listed_names(names: Sequence[Any], most: int = 6) -> str:
    """Return names in quotation marks, and how many more there are.

    >>> listed_names(["a", "b", "c"], most=2)
    "'a', 'b' and 1 more"
    """
    some = ", ".join(repr(str(name)) for name in names[:most])
    return some + (f" and {len(names) - most:,} more" if len(names) > most else "")


def places_of(columns: Sequence[Any], ends: tuple[Any, Any]) -> tuple[int | None, int | None]:
    """Return the positions of the columns that the user named as the ends of links; None for those not named."""
    for name in ends:
        if name is not None and name not in columns:
            raise UnknownColumn(f"There is no column {shown(name)} in the links. Columns: {listed_names(columns)}.")
    first, second = (None if name is None else columns.index(name) for name in ends)
    return first, second


def check_is_list(rows: int, width: int) -> None:
    """Raise an error if a table without header has the shape of a matrix rather than of a list of links."""
    if width > MOST_LINK_COLUMNS and rows in (2, width):
        advice = " If this is a matrix, give it to Network.from_scipy." if rows == width else EDGE_INDEX
        raise InputError(
            f"{rows:,} rows of {width:,} columns without names were given; a row of two names per link was expected."
            + advice
        )


def check_pair_array(array: npt.NDArray[Any]) -> None:
    """Raise an error if an array does not have one row per link: two names, and perhaps a weight."""
    rows, width = array.shape
    if width > 3 or (width == 3 and rows == 2):
        advice = EDGE_INDEX if rows == 2 else ""
        raise InputError(
            f"An array of shape {array.shape} was given; a row of two names per link was expected.{advice}"
        )


def frame_roles(frame: pd.DataFrame, source: Hashable | None = None, target: Hashable | None = None) -> Roles:
    """Find what the columns of a data frame mean; `source` and `target` are those that the user named.

    >>> frame_roles(pd.DataFrame({"weight": [2], "from": ["a"], "to": ["b"]})).ends
    (1, 2)
    """
    columns: list[Any] = list(frame.columns)
    if columns == list(range(len(columns))) and source is None and target is None:  # nobody named them
        check_is_list(*frame.shape)
        return find_roles(None, len(columns))
    return find_roles(list(map(str, columns)), len(columns), places_of(columns, (source, target)))


def _of_nodes(header: Sequence[str], ends: tuple[int, int]) -> dict[str, tuple[int, int]]:
    """Return the columns such as source_type and target_type, by the name of the node column: type."""
    found = [
        {
            name[len(header[end]) + 1 :]: position
            for position, name in enumerate(header)
            if header[end] and re.match(re.escape(header[end]) + r"[_ .-].", name)
        }
        for end in ends
    ]
    return {name: (found[0][name], found[1][name]) for name in found[0] if name in found[1]}


def node_column(name: str, links: EdgeList, values: pd.Series[Any]) -> pd.Series[Any]:
    """Return one value per node from the values beside the first ends of its links and the second ones.

    They must agree.
    """
    nodes = np.concatenate([links.first, links.second])
    found = pd.DataFrame({"node": nodes, "value": values.reset_index(drop=True)}).dropna().drop_duplicates()
    repeated = found["node"].duplicated().to_numpy()
    if repeated.any():
        node = found["node"].iloc[int(np.argmax(repeated))]
        both = " and ".join(shown(value) for value in found.loc[found["node"] == node, "value"].tolist()[:2])
        raise InputError(f"node {shown(links.names[node])} has two values in column {name!r}: {both}; give it one.")
    return found.set_index("node")["value"].reindex(pd.RangeIndex(len(links.names)))
