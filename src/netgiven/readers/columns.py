"""What the columns of a table of links mean, and links from them: shared by text and Parquet tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from netgiven import edges
from netgiven.edges import Links, by_appearance, number_integers, shown
from netgiven.errors import InputError
from netgiven.readers.files import File
from netgiven.readers.table import Column, as_integers
from netgiven.types import IntegerArray

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
_WEIGHTS = {"weight", "weights", "w", "value", "count", "strength"}

_GAPS = pa.array(["na", "nan", "null", "none", "n/a"])
_GAPS_AS_WRITTEN = pa.array(
    [form for gap in _GAPS.to_pylist() for form in (gap, gap.upper(), gap.capitalize())] + ["NaN", "<NA>"]
)
_LONGEST_GAP = pc.max(pc.binary_length(_GAPS_AS_WRITTEN))
_CODE = r"^[+-]?(0[0-9]|[0-9]{16,}$)"  # a postcode or a long number that says who, not how much
# A file of a few bytes can claim any size. Networks have links: many more nodes than entries are a mistake or a trap.
_FREE_NODES, _NODES_AN_ENTRY = 10_000_000, 1_000

Locate = Callable[[int], str]


@dataclass(frozen=True)
class Roles:
    """Which columns are a link's ends and its weight, which two tell something of both ends, and which are left."""

    ends: tuple[int, int]
    weight: int | None
    of_nodes: dict[str, tuple[int, int]]
    ignored: tuple[str, ...]

    @property
    def others(self) -> list[int]:
        """The columns to read besides the ends."""
        weight = [] if self.weight is None else [self.weight]
        return weight + [position for pair in self.of_nodes.values() for position in pair]


def find_roles(header: Sequence[str] | None, width: int) -> Roles:
    """What each column means, by its name if there is a header, by its place if not.

    >>> find_roles(["source", "target", "source_type", "target_type", "year"], 5)
    Roles(ends=(0, 1), weight=None, of_nodes={'type': (2, 3)}, ignored=('year',))
    >>> find_roles(None, 3)
    Roles(ends=(0, 1), weight=2, of_nodes={}, ignored=())
    """
    if header is None:
        ignored = tuple(f"number {position + 1}" for position in range(3, width))
        return Roles((0, 1), 2 if width > 2 else None, {}, ignored)
    ends = named_ends(header) or ((1, 2) if width > 2 and not header[0] else (0, 1))
    of_nodes = _of_nodes(header, ends)
    used = {*ends, *(position for pair in of_nodes.values() for position in pair)}
    rest = [position for position in range(width) if position not in used]
    weight = next((position for position in rest if plain(header[position]) in _WEIGHTS), None)
    ignored = tuple(header[position] or f"number {position + 1}" for position in rest if position != weight)
    return Roles(ends, weight, of_nodes, ignored)


def plain(name: str) -> str:
    """A column's name without letter case and marks."""
    return re.sub(r"[\W_]+", "", name).lower()


def named_ends(header: Sequence[str]) -> tuple[int, int] | None:
    """The positions of the two columns that are called like the ends of a link."""
    names = [plain(name) for name in header]
    for first, second in _PAIRS:
        if first in names and second in names:
            return names.index(first), names.index(second)
    return None


def _of_nodes(header: Sequence[str], ends: tuple[int, int]) -> dict[str, tuple[int, int]]:
    """Columns such as source_type and target_type, by what they tell of a node: type."""
    told = [
        {
            name[len(header[end]) + 1 :]: position
            for position, name in enumerate(header)
            if header[end] and re.match(re.escape(header[end]) + r"[_ .-].", name)
        }
        for end in ends
    ]
    return {name: (told[0][name], told[1][name]) for name in told[0] if name in told[1]}


@dataclass(frozen=True)
class LinkColumns:
    """The columns of a table of links: names of both ends (text or integers), weights, what is told of both ends."""

    first: Column
    second: Column
    weight: Column | None
    of_nodes: dict[str, tuple[Column, Column]]

    @classmethod
    def chosen(cls, found: dict[int, Column], roles: Roles) -> LinkColumns:
        """By their roles from columns by their positions."""
        of_nodes = {name: (found[first], found[second]) for name, (first, second) in roles.of_nodes.items()}
        weight = None if roles.weight is None else found[roles.weight]
        return cls(found[roles.ends[0]], found[roles.ends[1]], weight, of_nodes)

    def links(self, file: File, locate: Locate) -> Links:
        """Numbered links; `locate` tells where a row stands in the file."""
        if not len(self.first):
            raise file.error("the table has no rows; a network needs links.")
        for end in (self.first, self.second):
            check_named(end, locate)
        links = _numbered(self.first, self.second)
        columns = {name: _node_column(file, name, links, pair) for name, pair in self.of_nodes.items()}
        known = pd.DataFrame(columns, index=pd.RangeIndex(len(links.names)))
        weighted, notes = (False, ()) if self.weight is None else _weights(self.weight)
        return replace(links, columns=known, weighted=weighted, notes=notes)


def check_named(names: Column, locate: Locate) -> None:
    """Every name must be there; `locate` tells where a row stands in the file."""
    if names.null_count:
        row = pc.index(names.is_null(), True).as_py()
        raise InputError(f"{locate(row)} has an empty name; give every node a name, or leave the line out.")


def check_no_gaps(ends: Sequence[Column], locate: Locate) -> None:
    """Among integers "nan" is a missing value; among words NA is a country, and nan a grandmother."""
    texts = [end for end in ends if pa.types.is_string(end.type)]
    names = pa.chunked_array([chunk for end in texts for chunk in end.chunks], type=pa.string())
    short = names.filter(pc.less_equal(pc.binary_length(names), _LONGEST_GAP))  # few, where there are many names
    if not pc.any(pc.is_in(short, value_set=_GAPS_AS_WRITTEN)).as_py():
        return
    gaps = pc.is_in(names, value_set=_GAPS_AS_WRITTEN)
    others = names.filter(pc.invert(gaps))
    if len(others) and as_integers(others) is not None:
        place = pc.index(gaps, True).as_py()
        raise InputError(
            f"{locate(place % len(ends[0]))} has a node {names[place].as_py()!r} where all other names are integers: "
            "a missing value, it seems. Leave the line out, or give every node a name."
        )


def _numbered(first: Column, second: Column) -> Links:
    integers = [end if pa.types.is_integer(end.type) else as_integers(end) for end in (first, second)]
    if integers[0] is not None and integers[1] is not None:
        return number_integers(integers[0].to_numpy(), integers[1].to_numpy())
    number = number_many if len(first) >= edges.MANY_LINKS else number_text
    return number(first.cast(pa.string()), second.cast(pa.string()))


def number_many(first: Column, second: Column) -> Links:
    """Links from two columns of names, compiled."""
    from netgiven.readers.numbering import number_names

    names, *ends = number_names(first, second)
    return Links(pd.Index(names.to_pandas(), dtype="str"), ends[0], ends[1], distinct=True)


def number_text(first: Column, second: Column) -> Links:
    """The same by Arrow: the judge of the compiled one, and at work where that would not pay."""
    encoded = pa.chunked_array([*first.chunks, *second.chunks], type=pa.string()).dictionary_encode()
    numbers: IntegerArray = np.concatenate([chunk.indices.to_numpy() for chunk in encoded.chunks])
    names = pd.Index(encoded.chunk(0).dictionary.to_pandas(), dtype="str")
    return by_appearance(names, numbers[: len(first)], numbers[len(first) :])


def _weights(weight: Column) -> tuple[bool, tuple[str, ...]]:
    """Whether there are weights other than 1, and what to tell of them."""
    numbers = as_numbers(weight)
    if numbers is None:
        return False, ("The column after the two ends was ignored: not all of its values are numbers.",)
    zeros = pc.sum(pc.equal(numbers, 0)).as_py() or 0
    notes = (f"{zeros:,} links have weight 0; they count as links.",) if zeros else ()
    return pc.any(pc.not_equal(numbers, 1)).as_py() is True, notes


def check_size(file: File, nodes: int, entries: int) -> None:
    """A claim of many more nodes than the file could tell anything of is refused."""
    if nodes > _FREE_NODES + _NODES_AN_ENTRY * entries:
        raise file.error(f"{nodes:,} nodes are announced, and {entries:,} links given; that is not a network.")


def check_positions(matrix: Any) -> Any:
    """A sparse matrix from a file whose positions lie within it: compiled code follows them without looking."""
    starts = matrix.indptr
    if len(starts) and (starts[0] < 0 or (np.diff(starts) < 0).any()):
        raise ValueError("row starts that go backwards")
    matrix.check_format(full_check=True)
    return matrix


def names_from_texts(texts: list[str]) -> pd.Index[Any]:
    """Names from a format that only knows text: integers if all of them are."""
    column = pa.chunked_array([texts], type=pa.string())
    integers = as_integers(column)
    names: pd.Index[Any] = pd.Index(texts, dtype="str") if integers is None else pd.Index(integers.to_numpy())
    return names


def as_numbers(column: Column) -> Column | None:
    """A column as integers or else as floats, if every value is a number."""
    if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
        return column
    try:
        return as_integers(column) or column.cast(pa.float64())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None


def attribute_column(column: Column) -> pd.Series[Any]:
    """What is known of nodes: numbers if all values are, else text. NA and its like are gaps among numbers only."""
    numbers = None
    if pa.types.is_string(column.type) and not pc.any(pc.match_substring_regex(column, _CODE)).as_py():
        gaps = pc.is_in(pc.utf8_lower(column), value_set=_GAPS)
        numbers = as_numbers(pc.if_else(gaps, None, column))
    series: pd.Series[Any] = (column if numbers is None else numbers).to_pandas()
    return series


def _node_column(file: File, name: str, links: Links, pair: tuple[Column, Column]) -> pd.Series[Any]:
    """One value a node from the values beside its links, which must agree."""
    values = attribute_column(pa.chunked_array([*pair[0].chunks, *pair[1].chunks], type=pair[0].type))
    told = pd.DataFrame({"node": np.concatenate([links.first, links.second]), "value": values})
    told = told.dropna().drop_duplicates()
    twice = told["node"].duplicated().to_numpy()
    if twice.any():
        node = told["node"].iloc[int(np.argmax(twice))]
        both = " and ".join(shown(value) for value in told.loc[told["node"] == node, "value"].tolist()[:2])
        raise file.error(f"node {shown(links.names[node])} has two values in column {name!r}: {both}; give it one.")
    return told.set_index("node")["value"].reindex(pd.RangeIndex(len(links.names)))
