"""Links of the objects that people have: tables of any library, pairs, arrays, matrices, adjacency lists and graphs.

Tables come in by `as_frame`: data frames of pandas, and of all libraries that narwhals knows or that speak Arrow.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import sparse

from netgiven.edges import (
    EDGE_INDEX,
    MAX_NODES,
    MOST_LINK_COLUMNS,
    NO_WEIGHTS,
    EdgeList,
    Roles,
    Weights,
    are_two_kinds,
    check_name,
    check_pair_array,
    count_weights,
    find_roles,
    frame_roles,
    named_ends,
    names_index,
    node_column,
    number_ends,
    places_of,
    shown,
    simplified,
    to_python,
    typed_series,
)
from netgiven.errors import InputError, is_whole, require
from netgiven.types import Int64Array

# What people call the column of a node table that names the nodes.
NAME_WORDS = {"node", "nodes", "nodeid", "id", "name", "vertex", "vertexid", "label", "key"}
_MOST_FEATURES = 16  # columns of node features that become node columns; more are for other models

# ---- tables of any library -------------------------------------------------------------------------------------------


def as_table(given: Any) -> Any:
    """A table as it can be asked for its columns: a data frame of pandas, or one of narwhals; None if it is none.

    Of what comes as a stream there is one reading only: who looks whether it is a table goes on with the result.
    """
    if isinstance(given, pd.DataFrame):
        return given
    if isinstance(given, pd.Series):  # such as the counts that `groupby(["source", "target"]).size()` returns
        return given.to_frame(name="weight" if given.name is None else given.name)
    if isinstance(given, (str, bytes, Mapping, list, tuple, set, np.ndarray, pd.Index)):
        return None
    import narwhals as nw

    try:
        found = nw.from_native(given, pass_through=True)
        found = nw.from_native(_arrow_table(given), pass_through=True) if found is given else found
    except nw.exceptions.NarwhalsError as error:
        raise InputError(f"The table cannot be read ({' '.join(str(error).split())}).") from error
    return found if isinstance(found, (nw.DataFrame, nw.LazyFrame)) else None


def _arrow_table(given: Any) -> Any:
    """What speaks Arrow's protocol, such as a batch of rows, as a table; everything else as it is."""
    if not (hasattr(given, "__arrow_c_stream__") or hasattr(given, "__arrow_c_array__")):
        return given
    import pyarrow as pa

    try:
        return pa.table(given)
    except (TypeError, ValueError):  # a column, not a table
        return given


def as_frame(given: Any) -> pd.DataFrame | None:
    """A table of any library as a data frame of pandas; None if it is no table.

    >>> import pyarrow
    >>> as_frame(pyarrow.table({"from": ["ann"], "to": ["bob"]})).values.tolist()
    [['ann', 'bob']]
    >>> as_frame([("ann", "bob")]) is None
    True
    """
    table = as_table(given)
    return None if table is None else _pandas(table)


def _pandas(table: Any) -> pd.DataFrame:
    """A data frame of pandas; without copies, where the table holds its columns in the same way."""
    if isinstance(table, pd.DataFrame):
        return table
    import narwhals as nw

    frame: pd.DataFrame = (table.collect() if isinstance(table, nw.LazyFrame) else table).to_pandas()
    return frame


def table_of(columns: Any) -> pd.DataFrame:
    """A data frame of columns that are given as a table of any library, or as a mapping."""
    frame = as_frame(columns)
    try:
        return pd.DataFrame(columns if frame is None else frame).reset_index(drop=True)
    except (TypeError, ValueError) as error:
        raise InputError(f"A table was expected, a list of values for each column ({error}).") from error


def node_table(nodes: Any) -> pd.DataFrame:
    """A table of nodes, which the first column names: given as a table, a mapping of columns, or a list of names.

    The index of a data frame names the nodes if it has a name or holds text, and the first column is not called
    "node", "id" or the like.

    >>> node_table(pd.DataFrame({"team": ["a", "b"]}, index=["ann", "bob"])).columns.tolist()
    ['node', 'team']
    """
    frame = as_frame(nodes)
    if frame is not None:
        table = _with_named_rows(frame)
    elif isinstance(nodes, Mapping):
        table = table_of(nodes)
    elif isinstance(nodes, Iterable) and not isinstance(nodes, str):
        table = pd.DataFrame({"node": typed_series(list(nodes))})
    else:
        raise InputError(f"A table of nodes or a list of their names was expected, {shown(nodes)} given.")
    if table.shape[1] == 0:
        raise InputError("The node table is empty: it has no column, and its first one names the nodes.")
    return table


def _with_named_rows(frame: pd.DataFrame) -> pd.DataFrame:
    index = frame.index
    named = index.nlevels == 1 and (index.name is not None or pd.api.types.infer_dtype(index) == "string")
    if not named or (len(frame.columns) and simplified(str(frame.columns[0])) in NAME_WORDS):
        return frame.reset_index(drop=True)
    names: pd.Series[Any] = pd.Series(index, name=index.name or "node")
    return pd.concat([names.to_frame(), frame.reset_index(drop=True)], axis=1)


def with_nodes_of(links: EdgeList, nodes: Any) -> EdgeList:
    """The links with the names and columns of a node table, if there is one."""
    if nodes is None:
        return links
    table = node_table(nodes)
    names = links.names_of_kind(names_index(table.iloc[:, 0]), str(table.columns[0]))
    return links.with_node_table(names, table.iloc[:, 1:])


# ---- pairs and tables of links ---------------------------------------------------------------------------------------


def pair_ends(pairs: Any, nodes: pd.Index[Any]) -> tuple[pd.Index[Any], pd.Index[Any]]:
    """The names of both ends of pairs: a sequence of pairs, an array with one pair per row, or a table of any library.

    Users and films of a table that are not among the nodes get their kind in front, as `read` names them where both
    have the same numbers.

    >>> [end.tolist() for end in pair_ends(pd.DataFrame({"weight": [1], "u": ["ann"], "v": ["bob"]}), pd.Index([]))]
    [['ann'], ['bob']]
    >>> [end.tolist() for end in pair_ends(pd.DataFrame({"user": [7], "film": [7]}), pd.Index(["user 7", "film 7"]))]
    [['user 7'], ['film 7']]
    """
    pairs = _as_sequence(pairs)
    table = as_table(pairs)
    frame, roles = _pair_frame(pairs if table is None else table)
    if roles.weight is not None and table is None:
        raise InputError("Pairs of three elements were given; a pair is two node names. Leave the third one out.")
    first, second = (_end(frame, end) for end in roles.ends)
    kinds = roles.kinds
    if kinds is None or not are_two_kinds(kinds) or first.isin(nodes).any() or second.isin(nodes).any():
        return first, second
    one, other = kinds
    return pd.Index([f"{one} {name}" for name in first]), pd.Index([f"{other} {name}" for name in second])


def pair_edges(pairs: Any) -> EdgeList:
    """The links of pairs of names, as `pair_ends` takes them."""
    return _frame_edges(*_pair_frame(_as_sequence(pairs)))


def _as_sequence(pairs: Any) -> Any:
    """A column of pairs, which has tuples for values, as a list; anything else as it is."""
    return pairs.tolist() if isinstance(pairs, pd.Series) else pairs


def table_edges(table: Any, source: Hashable | None = None, target: Hashable | None = None) -> EdgeList:
    """The links of a table: one per row, or those of a matrix whose rows and columns have the same names."""
    found = as_table(table)
    if found is None:
        raise InputError(f"A table of links was expected, {type(table).__name__} given.")
    frame, roles = _known_ends(found, source, target)
    if roles is not None:
        return _frame_edges(frame, roles)
    matrix = _matrix_of(frame)
    if matrix is not None:
        links = matrix_edges(_numbers(matrix))
        return replace(links, names=names_index(pd.Series(matrix.index)))
    return _frame_edges(frame, _roles(frame))


def _known_ends(table: Any, source: Any, target: Any) -> tuple[pd.DataFrame, Roles | None]:
    """The table as a data frame, and the roles of its columns if the ends are named by the user or by their header.

    Of a table of another library, only the columns that are needed are converted then.
    """
    frame = _with_index_columns(table, (source, target)) if isinstance(table, pd.DataFrame) else None
    header = list(table.collect_schema().names() if frame is None else map(str, frame.columns))
    if (source, target) == (None, None) and (named_ends(header) is None or _may_be_matrix(table, len(header))):
        return _pandas(table) if frame is None else frame, None
    if frame is not None:
        return frame, _roles(frame, source, target)
    roles = find_roles(header, len(header), places_of(header, (source, target)))
    needed = [*roles.ends, *roles.others]
    return _pandas(table.select([header[place] for place in needed])).reset_index(drop=True), roles.among(needed)


def _may_be_matrix(table: Any, width: int) -> bool:
    """Whether a table has as many rows as a matrix of this width: its nodes may be called u and v, like ends of links.

    Of a table that is yet to be computed, only the first rows are.
    """
    first = table.head(width + 1)
    return len(first.collect() if hasattr(first, "collect") else first) in (width - 1, width)


def _with_index_columns(frame: pd.DataFrame, ends: tuple[Any, Any]) -> pd.DataFrame:
    """The levels of the index as columns, if they are the ends of links and no columns are; otherwise it is ignored."""
    levels = [name for name in frame.index.names if name is not None]
    columns: list[Any] = list(frame.columns)
    wanted = [name for name in ends if name is not None]
    missing = any(name in levels and name not in columns for name in wanted)
    if not wanted and levels and named_ends(list(map(str, columns))) is None:
        missing = named_ends([str(name) for name in (*levels, *columns)]) is not None
    return frame.reset_index([name for name in levels if name not in columns]) if missing else frame


def _roles(frame: pd.DataFrame, source: Hashable | None = None, target: Hashable | None = None) -> Roles:
    if frame.shape[1] < 2:
        raise InputError(f"Links need two columns, the two ends; {frame.shape[1]} given.")
    return frame_roles(frame, source, target)


def _pair_frame(pairs: Any) -> tuple[pd.DataFrame, Roles]:
    """Pairs as a table, and the roles of its columns. Names in tuples keep their types."""
    table = as_table(pairs)
    if table is not None:
        frame, roles = _known_ends(table, None, None)
        return frame, _roles(frame) if roles is None else roles
    if is_tensor(pairs):
        pairs = as_array(pairs)
    if isinstance(pairs, np.ndarray) and pairs.ndim == 2:
        check_pair_array(pairs)
        frame = pd.DataFrame(pairs)
    elif isinstance(pairs, Iterable) and not isinstance(pairs, (str, Mapping)):
        frame = _rows_frame([_pair(number, row) for number, row in enumerate(pairs)])
    else:
        raise InputError(f"Pairs of node names were expected, {shown(pairs)[:200]} given.")
    return frame, _roles(frame)


def _rows_frame(rows: list[tuple[Any, ...]]) -> pd.DataFrame:
    frame = pd.DataFrame({end: typed_series([row[end] for row in rows]) for end in (0, 1)})
    if any(len(row) > 2 for row in rows):
        frame[2] = pd.Series([_weight(row) for row in rows], dtype=object).infer_objects()
    return frame


def _pair(number: int, row: Any) -> tuple[Any, ...]:
    pair = () if isinstance(row, str) or not isinstance(row, Iterable) else tuple(row)
    if not 2 <= len(pair) <= 3:
        raise InputError(
            f"Pair {number + 1} is {shown(row)[:200]}; a pair is two node names, and perhaps a weight."
            + (EDGE_INDEX if len(pair) > 3 else "")
        )
    return pair


def _weight(row: tuple[Any, ...]) -> Any:
    """The weight of a link; in networkx it is one of its attributes."""
    if len(row) < 3:
        return 1
    return row[2].get("weight", 1) if isinstance(row[2], Mapping) else row[2]


def _frame_edges(frame: pd.DataFrame, roles: Roles) -> EdgeList:
    """The links of a data frame with one row per link."""
    links = number_ends(_end(frame, roles.ends[0]), _end(frame, roles.ends[1])).with_kinds(roles.kinds)
    columns = dict(links.columns) | {
        name: node_column(name, links, pd.concat([frame.iloc[:, first], frame.iloc[:, second]]))
        for name, (first, second) in roles.of_nodes.items()
    }
    known = pd.DataFrame(columns, index=pd.RangeIndex(len(links.names)))
    weights = Weights() if roles.weight is None else count_weights(frame.iloc[:, roles.weight])
    notes = roles.notes if weights is not None else (*roles.notes, NO_WEIGHTS)
    return replace(links, columns=known, weights=weights or Weights(), notes=(*links.notes, *notes))


def _end(frame: pd.DataFrame, end: int) -> pd.Index[Any]:
    empty = frame.iloc[:, end].isna().to_numpy()
    if empty.any():
        line = int(np.argmax(empty)) + 1
        raise InputError(f"Link {line} has an end without a name (empty or NaN); name both or leave it out.")
    return names_index(frame.iloc[:, end])


# ---- matrices and arrays ---------------------------------------------------------------------------------------------


def _matrix_of(frame: pd.DataFrame) -> pd.DataFrame | None:
    """The adjacency matrix that a frame is, with the same names of rows and columns in the same order; else None.

    Its index names the rows, or its first column does where there is no index.
    """
    if _is_matrix(frame):
        return frame[list(frame.index)]
    if frame.shape[1] != len(frame) + 1 or frame.shape[1] < 3:
        return None
    names, rest = frame.iloc[:, 0], frame.iloc[:, 1:]
    titles = [str(to_python(name)) for name in names]
    if set(titles) != set(map(str, rest.columns)) or not _is_numeric(rest) or len(set(titles)) < len(titles):
        return None
    return rest.set_axis(list(map(str, rest.columns)), axis=1)[titles].set_axis(names_index(names), axis=0)


def _is_matrix(frame: pd.DataFrame) -> bool:
    """Whether a frame is an adjacency matrix: its rows and columns have the same names, and it holds numbers."""
    if len(frame) != frame.shape[1] or not _is_numeric(frame) or set(frame.index) != set(frame.columns):
        return False
    if isinstance(frame.index, pd.RangeIndex):
        _check_is_matrix(_numbers(frame))
    return frame.columns.is_unique


def _is_numeric(frame: pd.DataFrame) -> bool:
    return all(pd.api.types.is_numeric_dtype(kind) for kind in frame.dtypes)


def _numbers(frame: pd.DataFrame) -> npt.NDArray[Any]:
    """The numbers of a frame; pandas makes objects of those that it holds as Arrow does, or with gaps."""
    found = frame.to_numpy()
    return frame.to_numpy(np.float64, na_value=np.nan) if found.dtype == object else found


def _check_is_matrix(array: npt.NDArray[Any]) -> None:
    """Raise an error if a square array without names could as well be a list of links.

    A symmetric one without loops is a matrix; but two links may look like that, too.
    """
    shape = array.shape
    plain = shape[0] > 2 and not array.diagonal().any() and np.array_equal(array, array.T)
    if shape[0] <= MOST_LINK_COLUMNS and not plain:
        raise InputError(
            f"An array of shape {shape} could be a matrix or a list of {shape[0]} links. "
            "Use Network.from_scipy for a matrix, Network.from_edges for a list of links."
        )


def array_edges(array: npt.NDArray[Any]) -> EdgeList:
    """The links of an array: a square matrix, or one row of two names per link."""
    if array.ndim == 2 and array.shape[0] == array.shape[1]:
        _check_is_matrix(array)
        return matrix_edges(array)
    if array.ndim == 2 and array.shape[1] == 2:
        return pair_edges(array)
    advice = EDGE_INDEX if array.ndim == 2 and array.shape[0] == 2 else ""
    raise InputError(
        f"An array of shape {array.shape} was given; a network is a square matrix, or a row of two names per link."
        + advice
    )


def list_edges(rows: Sequence[Any]) -> EdgeList:
    """The links of a list: pairs of names, or the rows of a square matrix of numbers."""
    square = all(isinstance(row, list) and len(row) == len(rows) for row in rows)
    array = np.array(rows) if square and rows else np.empty(0)
    return array_edges(array) if array.ndim == 2 and array.dtype.kind in "biuf" else pair_edges(rows)


def matrix_edges(matrix: Any) -> EdgeList:
    """The links of a square matrix between nodes 0, 1, ...; those of a symmetric matrix once."""
    entries = _coordinates(matrix)
    (rows, columns), values = entries.coords, entries.data
    symmetric = _is_symmetric(rows, columns, entries.shape[0])
    if symmetric:  # each link is there twice, as it should be: nothing to report
        once = rows <= columns
        rows, columns, values = rows[once], columns[once], values[once]
    # A triangular matrix is the usual way to store each link of an undirected network once.
    triangle = bool(np.all(rows <= columns)) or bool(np.all(rows >= columns))
    return EdgeList(
        pd.Index(np.arange(entries.shape[0])),
        rows,
        columns,
        weights=count_weights(values) or Weights(),
        directed=not (symmetric or triangle),
    )


def _is_symmetric(first: Any, second: Any, count: int) -> bool:
    """Whether each link is there as often as its reverse."""
    found = sparse.csr_array((np.ones(len(first), dtype=np.int32), (first, second)), shape=(count, count))
    return bool((found - found.T).count_nonzero() == 0)


def _coordinates(matrix: Any) -> sparse.coo_array:
    try:
        entries = sparse.coo_array(matrix)
    except (TypeError, ValueError) as error:
        raise InputError(f"A matrix was expected; {type(matrix).__name__} given ({error}).") from error
    if entries.ndim != 2 or entries.shape[0] != entries.shape[1]:
        raise InputError(f"A matrix of shape {entries.shape} was given; a network needs a square one.")
    if entries.dtype.kind not in "biufc":
        raise InputError(f"The matrix holds {entries.dtype}; a network needs one of numbers.")
    with np.errstate(over="ignore", invalid="ignore"):  # an infinite sum is not zero, and so a link
        entries.sum_duplicates()
    if np.isnan(entries.data).any():
        raise InputError("The matrix holds NaN; put 0 where there is no link.")
    entries.eliminate_zeros()
    return entries


# ---- adjacency lists -------------------------------------------------------------------------------------------------


def mapping_edges(given: Mapping[Any, Any]) -> EdgeList:
    """The links of a mapping of each node to its neighbours; or of columns, if two are called like ends of links.

    >>> links = mapping_edges({"ann": ["bob", "cid"], "dan": []})
    >>> links.names.tolist(), links.first.tolist(), links.second.tolist()
    (['ann', 'dan', 'bob', 'cid'], [0, 0], [2, 3])
    >>> mapping_edges({"source": ["ann", "bob"], "target": ["bob", "cid"]}).names.tolist()
    ['ann', 'bob', 'cid']
    """
    if _holds_columns(given):
        links = table_edges(pd.DataFrame(dict(given)))
        return replace(links, notes=("The mapping was read as columns of a table of links.", *links.notes))
    return adjacency_edges((node, *_neighbours(node, some)) for node, some in given.items())


def _holds_columns(given: Mapping[Any, Any]) -> bool:
    """Whether a mapping holds columns of a table: two called like ends of links, all as long, and no key a value."""
    columns = list(given.values())
    if not all(isinstance(column, (list, tuple, np.ndarray, pd.Series)) for column in columns):
        return False
    if named_ends(list(map(str, given))) is None or len({len(column) for column in columns}) != 1:
        return False
    return not any(key in list(column) for key in given for column in columns)


def adjacency_edges(rows: Iterable[tuple[Any, list[Any], list[Any]]]) -> EdgeList:
    """The links of nodes, each with its neighbours and the weights of its links, None where there are none.

    Nodes come first, in the order given; neighbours without a row of their own follow. If all links are there in both
    directions, each counts once.
    """
    lists = list(rows)
    number: dict[Any, int] = {}
    for name in [*(row[0] for row in lists), *(name for row in lists for name in row[1])]:
        check_name(name)
        number.setdefault(name, len(number))
    ends = [(number[node], number[name]) for node, names, _ in lists for name in names]
    weights = [weight for *_, some in lists for weight in some]
    return each_once(EdgeList(names_index(typed_series(list(number))), *_columns_of(ends)), weights)


def each_once(links: EdgeList, weights: Sequence[Any]) -> EdgeList:
    """The links with the given weights of each; each link once if all are there in both directions."""
    if not _is_symmetric(links.first, links.second, len(links.names)):
        return replace(links, weights=_graph_weights(weights))
    once = links.first <= links.second
    kept = [weight for weight, keep in zip(weights, once.tolist(), strict=True) if keep] if len(weights) else weights
    return replace(links, first=links.first[once], second=links.second[once], weights=_graph_weights(kept))


def _neighbours(node: Any, given: Any) -> tuple[list[Any], list[Any]]:
    """The neighbours of a node and the weights of its links: a list of names, or a mapping of names to attributes."""
    if isinstance(given, Mapping):
        links = [(name, weight) for name, data in given.items() for weight in _weights_of(data)]
        return [name for name, _ in links], [weight for _, weight in links]
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InputError(
            f"The neighbours of node {shown(node)} are {shown(given)[:200]}; a list of names was expected."
        )
    names = list(given)
    return names, [None] * len(names)


def _weights_of(data: Any) -> list[Any]:
    """The weights of the links of one pair: a number, attributes, or the attributes of several links by their keys."""
    if not isinstance(data, Mapping):
        return [data]
    if data and all(isinstance(value, Mapping) for value in data.values()):
        return [value.get("weight") for value in data.values()]
    return [data.get("weight")]


def _columns_of(pairs: list[tuple[int, int]]) -> tuple[Int64Array, Int64Array]:
    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return ends[:, 0], ends[:, 1]


# ---- edge indices, as in PyTorch Geometric ---------------------------------------------------------------------------


def is_tensor(given: Any) -> bool:
    """Whether something is a tensor of PyTorch."""
    return hasattr(given, "detach") and hasattr(given, "cpu")


def as_array(given: Any) -> npt.NDArray[Any]:
    """An array; also of a tensor of PyTorch, wherever its numbers are."""
    try:
        return np.asarray(given.detach().cpu() if is_tensor(given) else given)
    except (TypeError, ValueError) as error:
        raise InputError(f"An array was expected, {type(given).__name__} given ({error}).") from error


def index_edges(edge_index: Any, node_count: int | None = None, weights: Any = None) -> EdgeList:
    """The links of an array with two rows, the numbers of the ends of each link; those in both directions once."""
    ends = as_array(edge_index)
    if ends.ndim != 2 or ends.shape[0] != 2 or (ends.size and ends.dtype.kind not in "iu"):
        raise InputError(
            f"An array of shape {ends.shape} that holds {ends.dtype} was given; an edge index has two rows of whole "
            "numbers, the ends of each link."
        )
    first, second = ends = ends.astype(np.int64)
    count = _node_count(node_count, int(ends.min(initial=0)), int(ends.max(initial=-1)))
    links = each_once(EdgeList(pd.RangeIndex(count).astype("int64"), first, second), () if weights is None else weights)
    return replace(links, directed=len(links.first) == len(first) > 0)


def _node_count(given: int | None, least: int, largest: int) -> int:
    if given is not None and not (is_whole(given) and given <= MAX_NODES):
        raise InputError(f"node_count = {shown(given)} was given; a whole number of at most {MAX_NODES:,} is needed.")
    count = largest + 1 if given is None else int(given)
    if least < 0 or largest >= count:
        wrong = least if least < 0 else largest
        raise InputError(f"The edge index holds {wrong}; its numbers of nodes must lie between 0 and {count - 1:,}.")
    return count


def is_graph_data(given: Any) -> bool:
    """Whether something is a `Data` object of PyTorch Geometric, or one of its kinds that cannot be read."""
    return hasattr(given, "edge_index_dict") or (hasattr(given, "edge_index") and hasattr(given, "num_nodes"))


def graph_data_edges(data: Any) -> EdgeList:
    """The links of a `Data` object of PyTorch Geometric; `y`, and `x` if it has few columns, become node columns."""
    if hasattr(data, "edge_index_dict"):
        raise InputError("Data with several types of nodes was given; make them one with data.to_homogeneous().")
    if data.edge_index is None:
        raise InputError("The data has no edge_index; its links are expected there.")
    weight = getattr(data, "edge_weight", None)
    links = index_edges(data.edge_index, data.num_nodes, None if weight is None else as_array(weight).ravel())
    columns: dict[str, Any] = {}
    notes: tuple[str, ...] = ("Nodes are numbered from 0.",)
    for name in ("y", "x"):
        found, note = _feature_columns(name, getattr(data, name, None), len(links.names))
        columns, notes = columns | found, notes + note
    return replace(links, columns=pd.DataFrame(columns, index=pd.RangeIndex(len(links.names))), notes=notes)


def _feature_columns(name: str, given: Any, count: int) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The columns of an array with one row per node, and a note if it is left out."""
    if given is None:
        return {}, ()
    values = as_array(given)
    if values.ndim == 1 or values.shape[1:] == (1,):
        values = values.reshape(-1)
    if values.ndim not in (1, 2) or len(values) != count or values[:1].size > _MOST_FEATURES:
        return {}, (f"The array {name} of shape {values.shape} was left out.",)
    if values.ndim == 1:
        return {name: values}, ()
    return {f"{name}{place}": values[:, place] for place in range(values.shape[1])}, ()


# ---- graphs ----------------------------------------------------------------------------------------------------------


def is_networkx(given: Any) -> bool:
    """Whether something is a graph of networkx, or of one of its backends."""
    return hasattr(given, "__networkx_backend__") or (hasattr(given, "adj") and hasattr(given, "is_directed"))


def networkx_edges(graph: Any) -> EdgeList:
    """The links of a networkx graph; nodes are distinct as in networkx (1 and "1" are two nodes)."""
    graph = _networkx_graph(graph)
    _check_graph(graph, "networkx", ("nodes", "edges", "is_directed"))
    number = {name: position for position, name in enumerate(graph)}
    records = [dict(data) for _, data in graph.nodes(data=True)]
    return EdgeList(
        names_index(typed_series(list(number))),
        *_columns_of([(number[u], number[v]) for u, v in graph.edges()]),
        columns=pd.DataFrame(records, index=pd.RangeIndex(len(number))),
        weights=_graph_weights([data.get("weight") for *_, data in graph.edges(data=True)]),
        directed=graph.is_directed(),
    )


def _networkx_graph(graph: Any) -> Any:
    """A graph of a backend of networkx as one of networkx, converted by its backend."""
    name = getattr(graph, "__networkx_backend__", "networkx")
    if name == "networkx" or isinstance(graph, require("networkx").Graph):
        return graph
    backend = require("networkx.utils.backends").backends.get(name)
    if backend is None:
        raise InputError(
            f"A graph of the networkx backend {name!r} was given, which is not installed; install it, or give a "
            "networkx.Graph."
        )
    return backend.load().convert_to_nx(graph)


def igraph_edges(graph: Any) -> EdgeList:
    """The links of an igraph graph."""
    _check_graph(graph, "igraph", ("vs", "es", "get_edgelist"))
    attributes = {key: graph.vs[key] for key in graph.vs.attributes()}
    names = attributes.pop("name", list(range(graph.vcount())))
    return EdgeList(
        names_index(typed_series(names)),
        *_columns_of(graph.get_edgelist()),
        columns=pd.DataFrame(attributes, index=pd.RangeIndex(graph.vcount())),
        weights=_graph_weights(graph.es["weight"] if "weight" in graph.es.attributes() else []),
        directed=graph.is_directed(),
    )


def _check_graph(graph: Any, library: str, parts: Sequence[str]) -> None:
    if not all(hasattr(graph, part) for part in parts):
        raise InputError(f"A graph of {library} was expected, {type(graph).__name__} given.")


def _graph_weights(values: Sequence[Any]) -> Weights:
    """Counts of weights; what is no number is a weight, too, as it is not 1."""
    found = count_weights(values)
    return Weights(other=sum(value not in (None, 1) for value in values)) if found is None else found
