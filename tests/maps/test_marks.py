import numpy as np
import pandas as pd
import pytest

import netgiven as ng
from netgiven.maps.canvas import COLOURS, GREY, MARKERS, MAX_GROUPS, OTHER, looks, packed, shades
from netgiven.maps.marks import make_marks


def star(columns):
    count = len(next(iter(columns.values())))
    names = [f"n{number}" for number in range(count)]
    return ng.Network.from_edges([("n0", name) for name in names[1:]], nodes={"name": names, **columns})


def seen(colour, matrix):
    """A colour as somebody with another set of cones sees it, in linear light (Viénot, Brettel and Mollon 1999)."""
    parts = np.array([int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)])
    return np.cbrt(np.clip(matrix @ np.where(parts > 0.04045, ((parts + 0.055) / 1.055) ** 2.4, parts / 12.92), 0, 1))


EYES = {
    "all cones": np.eye(3),
    "no red cones": np.array([[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]]),
    "no green cones": np.array([[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]]),
}


@pytest.mark.parametrize("eyes", EYES)
def test_colours_differ_for_all_eyes(eyes):
    points = np.array([seen(colour, EYES[eyes]) for colour in COLOURS])
    apart = np.linalg.norm(points[:, None] - points[None], axis=-1) + 9 * np.eye(len(points))
    assert apart.min() > 0.07


@pytest.mark.parametrize("ground", ["#FFFFFF", "#17191D"])
def test_colours_differ_from_the_ground(ground):
    for colour in (*COLOURS, GREY, OTHER, shades()[0], shades()[-1]):
        assert np.linalg.norm(seen(colour, np.eye(3)) - seen(ground, np.eye(3))) > 0.25, colour


def test_each_group_looks_another_way():
    assert len(set(looks(MAX_GROUPS))) == MAX_GROUPS
    assert {look.marker for look in looks(len(COLOURS))} == {MARKERS[0]}


def test_small_groups_share_a_look():
    values = [f"group {number:02d}" for number in range(40) for _ in range(2 if number < 35 else 1)]
    marks = make_marks(star({"team": values}), "team")
    assert len(marks.groups) == MAX_GROUPS + 1
    assert marks.groups[-1].name == "8 smaller groups" and marks.groups[-1].look.colour == OTHER
    assert sum(group.count for group in marks.groups) == len(values)
    assert marks.marker == [marks.groups[group].look.marker for group in marks.group]


def test_the_first_column_with_groups_colours():
    names = [f"i{number}" for number in range(20)]
    assert make_marks(star({"age": np.arange(20) / 7, "id": names, "team": ["x", "y"] * 10})).title == "team"
    assert make_marks(star({"age": np.arange(20) / 7})).title == ""
    assert [group.name for group in make_marks(star({"year": [1, 2] * 5}), "year").groups] == ["1", "2"]


def test_numbers_have_a_scale_and_missing_ones_are_grey():
    values = np.array([np.nan, np.inf, *np.linspace(-3, 5, 18)])
    marks = make_marks(star({"score": values}), "score")
    assert (marks.scale.low, marks.scale.high, marks.scale.logarithmic) == (-3, 5, False)
    assert (marks.colour[:2] == packed([GREY])[0]).all()
    assert marks.colour[2] == packed(shades()[:1])[0] and marks.colour[-1] == packed(shades()[-1:])[0]
    assert [group.count for group in marks.groups] == [18, 2]
    assert all(marks.scale.low <= value <= marks.scale.high for value, _ in marks.scale.ticks())


@pytest.mark.parametrize("values", [np.geomspace(1, 1e4, 20), np.arange(200.0), np.geomspace(1e-9, 1e-3, 20)])
def test_wide_numbers_have_a_logarithmic_scale(values):
    scale = make_marks(star({"size": values}), "size").scale
    assert scale.logarithmic
    shares = [share for _, share in scale.ticks()]
    assert 2 <= len(shares) <= 5 and shares == sorted(shares) and min(shares) >= 0 and max(shares) <= 1 + 1e-12


def test_degree_is_a_number_of_every_network():
    marks = make_marks(ng.datasets.company(), "degree")
    assert marks.scale.high == ng.datasets.company().degrees.max()
    assert make_marks(star({"degree": ["x", "y"] * 5}), "degree").scale is None


def test_sizes_grow_with_degrees_and_shrink_with_numbers():
    marks = make_marks(star({"team": ["x"] * 30}))
    assert marks.size[0] == marks.size.max() > marks.size[1]
    assert marks.size.max() <= make_marks(star({"team": ["x"] * 5})).size.max()


def test_unknown_columns_are_errors():
    with pytest.raises(ng.InputError, match="no node column 'x'"):
        make_marks(ng.datasets.company(), "x")


def test_a_column_of_other_kinds_is_groups():
    days = pd.to_datetime(["2020-01-01", "2021-01-01"] * 5)
    network = star({"day": days, "mixed": [1, "a"] * 5, "yes": [True, False] * 5})
    for column in network.columns:
        assert [group.count for group in make_marks(network, column).groups] == [5, 5]
