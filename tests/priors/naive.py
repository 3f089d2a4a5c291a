"""What each kind of knowledge means, written down naively over all pairs: the judge of the priors."""

from __future__ import annotations

from itertools import combinations
from types import SimpleNamespace

import numpy as np
from scipy import sparse

from netgiven.priors import constraint, parse_knowledge
from netgiven.priors.knowledge import Knowledge


def all_pairs(network):
    return np.array(list(combinations(range(network.node_count), 2))).reshape(-1, 2)


def links_among(network, pairs):
    matrix = network.to_scipy().toarray()
    return matrix[pairs[:, 0], pairs[:, 1]].astype(float)


def constraint_matrix(network, knowledge):
    """One row a constraint, one column a pair; pairs are of node numbers."""
    pairs = all_pairs(network)
    rows = [np.asarray(row, dtype=float) for kind in knowledge.kinds for row in _rows(str(kind), network, pairs)]
    return np.array(rows).reshape(-1, len(pairs)), pairs


def knowledge_of(text, network):
    """Knowledge from its text, where constraint:NAME is one of those below."""
    total = Knowledge(())
    for piece in text.split("+"):
        name = piece.removeprefix("constraint:")
        total = total + (parse_knowledge(piece) if name == piece else _constraint(name, network))
    return total


# ---- constraints of our own: nodes are called 0, 1, 2 ... -----------------------------------------------------------

FUNCTIONS = {
    "apart": (("year",), lambda a, b: np.abs(a.year - b.year)),
    "alike": (("type", "year"), lambda a, b: (a.type == b.type) & (a.year == b.year)),
}
FACTORS = {
    "factors": lambda names: np.column_stack([names % 3 - 1.0, np.where(names % 2, 0.5, 1.0)]),
    "uphill": lambda names: 1.0 + names % 4,
}
MATRICES = {
    "few": lambda i, j: np.where((i + j) % 4 == 1, 0.5 + (i * j) % 3, 0.0),
    "signed": lambda i, j: np.where((i + j) % 3 == 0, (i * j) % 5 - 2.0, 0.0),
}


def _constraint(name, network):
    names = network.nodes.to_numpy().astype(int)
    if name in FUNCTIONS:
        columns, function = FUNCTIONS[name]
        return constraint(function, columns, name=name)
    if name in FACTORS:
        return constraint(FACTORS[name](names), name=name)
    full = MATRICES[name](names[:, None], names).astype(float)
    np.fill_diagonal(full, 0)
    return constraint(sparse.csr_array(full), name=name)


def _own_rows(name, network, pairs):
    names = network.nodes.to_numpy().astype(int)
    if name in FUNCTIONS:
        columns, function = FUNCTIONS[name]
        values = {column: network.columns[column].to_numpy() for column in columns}
        ends = [SimpleNamespace(**{column: value[end] for column, value in values.items()}) for end in pairs.T]
        return [function(*ends)]
    if name in FACTORS:
        factors = FACTORS[name](names).reshape(len(names), -1)
        return [[factors[i] @ factors[j] for i, j in pairs]]
    return [[MATRICES[name](names[i], names[j]) for i, j in pairs]]


# ---- the kinds ------------------------------------------------------------------------------------------------------


def _rows(text, network, pairs):
    word, *rest = text.split(":")
    options = dict(part.split("=") for part in rest if "=" in part)
    argument = rest[0] if rest and "=" not in rest[0] else None
    if word == "constraint":
        return _own_rows(argument, network, pairs)
    return KINDS[word](network, pairs, argument, **options)


def _density(network, pairs, _):
    return [np.ones(len(pairs))]


def _degrees(network, pairs, _):
    return [(pairs == node).any(axis=1) for node in range(network.node_count)]


def _blocks(network, pairs, column, separator=None):
    if separator:
        return _overlapping(network, pairs, column, separator)
    ends = np.sort(network.columns[column].to_numpy().astype(str)[pairs], axis=1)
    return [(ends == pair).all(axis=1) for pair in sorted({tuple(row) for row in ends})]


def _overlapping(network, pairs, column, separator):
    sets = [set(text.split(separator)) - {""} for text in network.columns[column].fillna("")]
    groups = sorted(set().union(*sets))
    return [
        [(a in sets[i] and b in sets[j]) + (a != b and b in sets[i] and a in sets[j]) for i, j in pairs]
        for place, a in enumerate(groups)
        for b in groups[place:]
    ]


def _order(network, pairs, column, bins=None, kind="bins", width=None):
    at = network.columns[column].to_numpy(dtype=float)
    distance = np.abs(at[pairs[:, 0]] - at[pairs[:, 1]])
    known, values = ~np.isnan(distance), np.unique(at[~np.isnan(at)])
    if kind == "bins":
        return _bins(distance, known, bins)
    if kind == "window":
        return [known & (distance <= float(width))]
    between = np.diff(values).min(initial=np.inf) if kind == "log" else max(np.ptp(values), 1e-300)
    share = np.where(known, distance, 0.0) / between
    return [np.log(1 + share) if kind == "log" else share]


def _bins(distance, known, bins):
    """Each distance is a bin of its own, where the number of bins is told: tests have fewer distances than bins."""
    edges = [float(edge) for edge in bins.split(",")]
    if len(edges) == 1:
        distinct = np.unique(np.round(distance[known], 9))
        assert len(distinct) < edges[0]
        rows = [known & np.isclose(distance, value, atol=1e-8) for value in distinct]
    else:
        ends = list(zip([-np.inf, *edges], [*edges, np.inf], strict=True))
        rows = [known & (low < distance) & (distance <= high) for low, high in ends]
    return [row for row in [*rows, ~known] if row.any()]


def _homophily(network, pairs, column, kind=None):
    values = network.columns[column]
    if kind == "equal" or (kind is None and values.dtype.kind not in "if"):
        texts = values.to_numpy().astype(str)
        return [texts[pairs[:, 0]] == texts[pairs[:, 1]]]
    numbers = values.to_numpy(dtype=float)
    spread = np.nanstd(numbers) or 1.0
    return [-(((numbers[pairs[:, 0]] - numbers[pairs[:, 1]]) / spread) ** 2) / 2]


def _assortativity(network, pairs, _):
    unit = np.sqrt(np.mean(network.degrees**2.0)) or 1.0
    return [network.degrees[pairs].prod(axis=1) / unit**2]


def _group_degrees(network, pairs, column):
    groups = network.columns[column].to_numpy().astype(str)
    return [
        [(i == node and groups[j] == group) + (j == node and groups[i] == group) for i, j in pairs]
        for node in range(network.node_count)
        for group in np.unique(groups)
    ]


def _common_neighbours(network, pairs, score=None):
    neighbours = [set(np.flatnonzero(row)) for row in network.to_scipy().toarray()]
    weight = {None: lambda k: 1.0, "adamic_adar": lambda k: 1 / np.log(k), "resource_allocation": lambda k: 1 / k}[
        score
    ]
    return [[sum(weight(len(neighbours[k])) for k in sorted(neighbours[i] & neighbours[j])) for i, j in pairs]]


KINDS = {
    "density": _density,
    "degrees": _degrees,
    "blocks": _blocks,
    "order": _order,
    "homophily": _homophily,
    "assortativity": _assortativity,
    "group_degrees": _group_degrees,
    "common_neighbours": _common_neighbours,
}
