"""Pictures: a legend for a few groups, names in the map for many, none of which overlap."""

from itertools import combinations

import numpy as np
import pytest

import netgiven as ng
from netgiven.maps.marks import make_marks
from netgiven.maps.picture import make_picture


def drawn(values, seed=0, panels=1, **options):
    """A picture of nodes around one centre for each value, and its marks."""
    nodes = {"node": np.arange(len(values)), "team": values}
    network = ng.Network.from_edges([(0, number) for number in range(1, len(values))], nodes)
    marks = make_marks(network, "team")
    random = np.random.default_rng(seed)
    centres = random.normal(size=(len(marks.groups), 2))
    places = (centres[marks.group] + 0.1 * random.normal(size=(len(values), 2))).astype(np.float32)
    return make_picture([places] * panels, ["title"] * panels, marks, network.links(), **options), marks, places


def names_in(panel):
    return [text for text in panel.texts if text.get_weight() == "bold"]


def teams(count, nodes):
    return [f"team {number % count:02d}" for number in range(nodes)]


def test_a_few_groups_have_a_legend():
    figure, _, _ = drawn(teams(12, 60))
    assert len(figure.legends) == 1 and len(figure.legends[0].get_texts()) == 12
    assert not names_in(figure.axes[0])
    with_missing, _, _ = drawn([*teams(12, 60), None])
    assert [text.get_text() for text in with_missing.legends[0].get_texts()][-1] == "no value"


def test_more_groups_have_names_at_their_medians():
    figure, marks, places = drawn(teams(13, 130))
    panel = figure.axes[0]
    assert not figure.legends and figure.get_supxlabel() == "Coloured by team; 13 groups"
    medians = {group.name: np.median(places[marks.group == k], axis=0) for k, group in enumerate(marks.groups)}
    names = names_in(panel)
    assert len(names) >= 10
    assert all(np.allclose(text.xy, medians[text.get_text()]) for text in names)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("dark", [False, True])
def test_names_do_not_overlap_and_stay_inside(seed, dark):
    figure, _, _ = drawn(teams(32, 320), seed, panels=2, dark=dark)
    figure.draw_without_rendering()
    for panel in figure.axes:
        boxes = [text.get_window_extent() for text in panel.texts]
        assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
        assert all(panel.bbox.padded(2).containsx(box.x0) and panel.bbox.padded(2).containsx(box.x1) for box in boxes)
        left_out = 32 - len(names_in(panel))
        said = [text.get_text() for text in panel.texts if text.get_text().startswith("no room")]
        assert said == ([f"no room for {left_out} name{'s' * (left_out > 1)}"] if left_out else [])


def test_names_of_larger_groups_are_placed_first():
    nodes = {"node": range(30), "team": ["large"] * 16 + ["small"] * 14}
    network = ng.Network.from_edges([(0, 1)], nodes).with_columns(
        {"team": [f"{x} {'long ' * 9}" for x in nodes["team"]]}
    )
    places = np.zeros((30, 2), np.float32)
    places[0], places[-1] = -1, 1
    panel = make_picture([places], ["one"], make_marks(network, "team"), network.links()).axes[0]
    assert [text.get_text().split()[0] for text in names_in(panel)] == ["large", "small"]
    assert names_in(panel)[0].get_position() == (0, 0) and names_in(panel)[1].get_position()[1] > 0


def test_beyond_32_groups_the_caption_says_how_many_are_coloured():
    figure, marks, _ = drawn([*teams(57, 300), None, None])
    said = "32 largest of 57 groups are coloured, the others are grey"
    assert figure.get_supxlabel() == f"Coloured by team; {said}; 2 nodes without a value"
    assert (marks.coloured, marks.smaller) == (32, 25)
    assert not any("smaller" in text.get_text() for text in names_in(figure.axes[0]))


def test_a_legend_that_would_be_wide_becomes_names():
    figure, _, _ = drawn(["$x^2$ a name that is rather long, " * 2, "_b", "c\nd"] * 10)
    assert not figure.legends
    found = [text.get_text() for text in names_in(figure.axes[0])]
    assert {"_b", "c d"} <= set(found) and any(name.startswith(r"\$x^2\$ a name") for name in found)


def test_numbers_and_single_groups_are_drawn_as_before():
    assert not drawn(["one"] * 10)[0].legends
    assert not names_in(drawn(["one"] * 10)[0].axes[0])
    figure, marks, _ = drawn(np.linspace(0.5, 99, 40))
    assert marks.scale is not None and len(figure.axes) == 2 and not figure.legends
