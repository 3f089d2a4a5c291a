"""Hypothesis writes the networks."""

from __future__ import annotations

from itertools import combinations

from hypothesis import strategies as st

from netgiven.network import Network

TAGS = ["a", "b", "a|b", "b|c", "a|b|c", "", "c"]


@st.composite
def networks(draw, least: int = 2, most: int = 10):
    """Any network of few nodes: empty, full, disconnected, bipartite, with isolated and with full nodes; with columns
    of groups (type, place), of sets of groups (tags), of whole numbers (year), and of numbers (age, time).
    """
    count = draw(st.integers(least, most))
    pairs = list(combinations(range(count), 2))
    linked = draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))

    def column(values):
        return draw(st.lists(values, min_size=count, max_size=count))

    nodes = {
        "node": list(range(count)),
        "type": column(st.sampled_from("abc")),
        "place": column(st.sampled_from("abc")),
        "tags": column(st.sampled_from(TAGS)),
        "year": column(st.integers(0, 4)),
        "age": column(st.sampled_from([0.0, 1.5, 3.0, 40.0])),
        "time": column(st.integers(-64, 64).map(lambda whole: whole / 16)),
    }
    return Network.from_edges([pair for pair, is_link in zip(pairs, linked, strict=True) if is_link], nodes)
