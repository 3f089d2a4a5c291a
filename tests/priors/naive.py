"""Reference for the tests of priors: each constraint written out over all pairs, texts of knowledge, a network."""

from __future__ import annotations

from itertools import combinations
from types import SimpleNamespace

import numpy as np
from scipy import sparse

from netgiven.network import Network
from netgiven.priors import constraint, parse_knowledge
from netgiven.priors.knowledge import Knowledge

# Features are 0, 1 or 2: it is known exactly which pairs are certain.
INDICATORS = [
    "density", "degrees", "blocks:type", "degrees+blocks:type", "blocks:type+density", "degrees+density",
    "blocks:type+blocks:place", "degrees+blocks:type+blocks:place", "density+blocks:place+degrees",
    "density+order:year:bins=10", "order:year:bins=1,3", "density+order:time:kind=window:width=1.5",
    "density+homophily:type", "density+homophily:age:kind=equal", "group_degrees:type", "blocks:tags:separator=|",
    "density+blocks:tags:separator=|", "degrees+order:year:bins=10", "degrees+blocks:tags:separator=|",
    "group_degrees:type+degrees", "group_degrees:type+order:year:bins=0,2", "group_degrees:type+homophily:place",
    "group_degrees:type+group_degrees:place", "degrees+order:year:kind=window:width=1+homophily:type",
    "density+constraint:alike", "degrees+blocks:type+order:age:bins=1.5,3+constraint:alike",
]  # fmt: skip
# Features are any numbers.
MEASURES = [
    "density+order:time:kind=log", "density+order:year:kind=linear",
    "density+homophily:age:kind=near", "density+homophily:time:kind=near",
    "density+assortativity", "density+common_neighbours", "density+common_neighbours:adamic_adar",
    "density+common_neighbours:resource_allocation", "density+constraint:apart", "density+constraint:factors",
    "degrees+constraint:uphill", "density+constraint:few", "degrees+constraint:signed",
]  # fmt: skip
SUMS = [
    "degrees+common_neighbours", "degrees+assortativity", "degrees+homophily:time:kind=near",
    "degrees+order:time:kind=log",
    "degrees+common_neighbours:adamic_adar+assortativity", "blocks:type+common_neighbours+order:year:kind=linear",
    "group_degrees:type+homophily:age:kind=near", "group_degrees:place+common_neighbours:resource_allocation",
    "blocks:tags:separator=|+homophily:time:kind=near+constraint:few",
    "degrees+constraint:few+constraint:signed+blocks:type",
    "degrees+order:year:bins=10+homophily:age:kind=near+assortativity", "density+constraint:apart+constraint:uphill",
    "degrees+blocks:type+order:time:kind=window:width=2+homophily:time:kind=near+common_neighbours+constraint:factors",
]  # fmt: skip
TEXTS = [*INDICATORS, *MEASURES, *SUMS]


def planted(count, seed, mean_degree=14.0):
    """Links depend on popularity, type, place, years apart and time; no constraint makes a pair certain."""
    random = np.random.default_rng(seed)
    nodes = {
        "node": np.arange(count),
        "type": random.choice(list("abc"), count),
        "place": random.choice(list("xy"), count),
        "tags": random.choice(["red", "round", "red|round", "red|big", "big"], count),
        "year": random.integers(0, 9, count),
        "time": np.round(random.normal(0, 2, count), 2),
    }
    first, second = np.triu_indices(count, 1)
    popular = random.normal(0, 0.5, count)
    z = popular[first] + popular[second] + 0.8 * (nodes["type"][first] == nodes["type"][second])
    z += 0.4 * (nodes["place"][first] == nodes["place"][second])
    z -= 0.15 * np.abs(nodes["year"][first] - nodes["year"][second])
    z -= 0.1 * np.abs(nodes["time"][first] - nodes["time"][second])
    probabilities = np.minimum(np.exp(z) * mean_degree * count / 2 / np.exp(z).sum(), 0.9)
    linked = random.random(len(first)) < probabilities
    return Network.from_edges(np.column_stack([first, second])[linked], nodes)


def all_pairs(network):
    return np.array(list(combinations(range(network.node_count), 2))).reshape(-1, 2)


def links_among(network, pairs):
    matrix = network.to_scipy().toarray()
    return matrix[pairs[:, 0], pairs[:, 1]].astype(float)


def constraint_matrix(network, knowledge):
    """One row per constraint, one column per pair of node numbers."""
    pairs = all_pairs(network)
    rows = [np.asarray(row, dtype=float) for one in knowledge.constraints for row in _rows(str(one), network, pairs)]
    return np.array(rows).reshape(-1, len(pairs)), pairs


def knowledge_of(text, network):
    """Knowledge from its text, where constraint:NAME is one of those below."""
    total = Knowledge(())
    for piece in text.split("+"):
        name = piece.removeprefix("constraint:")
        total = total + (parse_knowledge(piece) if name == piece else _constraint(name, network))
    return total


# custom constraints; nodes are called 0, 1, 2 ...

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


# f of all pairs, for each name that a text may begin with


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
    finite, values = ~np.isnan(distance), np.unique(at[~np.isnan(at)])
    if kind == "bins":
        return _bins(distance, finite, bins)
    if kind == "window":
        return [finite & (distance <= float(width))]
    between = np.diff(values).min(initial=np.inf) if kind == "log" else max(np.ptp(values), 1e-300)
    share = np.where(finite, distance, 0.0) / between
    return [np.log(1 + share) if kind == "log" else share]


def _bins(distance, finite, bins):
    """Each distance is a bin of its own, where the number of bins is given: tests have fewer distances than bins."""
    edges = [float(edge) for edge in bins.split(",")]
    if len(edges) == 1:
        distinct = np.unique(np.round(distance[finite], 9))
        assert len(distinct) < edges[0]
        rows = [finite & np.isclose(distance, value, atol=1e-8) for value in distinct]
    else:
        ends = list(zip([-np.inf, *edges], [*edges, np.inf], strict=True))
        rows = [finite & (low < distance) & (distance <= high) for low, high in ends]
    return [row for row in [*rows, ~finite] if row.any()]


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
