"""Hypothesis writes the networks."""

from __future__ import annotations

from itertools import combinations

from hypothesis import strategies as st

from netgiven.network import Network


@st.composite
def networks(draw, least: int = 2, most: int = 10):
    """Any network of few nodes: empty, full, disconnected, bipartite, with isolated and with full nodes; with two
    columns.
    """
    count = draw(st.integers(least, most))
    pairs = list(combinations(range(count), 2))
    linked = draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))
    groups = st.lists(st.sampled_from("abc"), min_size=count, max_size=count)
    nodes = {"node": list(range(count)), "type": draw(groups), "place": draw(groups)}
    return Network.from_edges([pair for pair, is_link in zip(pairs, linked, strict=True) if is_link], nodes)
