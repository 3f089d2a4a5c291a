"""The map of a notebook: its selection, from Python and from the page."""

import sys

import numpy as np
import pytest

import netgiven as ng
from netgiven.maps.map import _widget_class

pytest.importorskip("anywidget")
pytestmark = pytest.mark.filterwarnings("ignore:.*:DeprecationWarning")


@pytest.fixture
def widget():
    return ng.embed(ng.datasets.company(people=40), dimensions=2, reach=2.0, shrinkage=0.0).map().widget()


def test_python_sets_the_selection(widget):
    widget.selection = ["person 003", "person 001", "person 003"]
    assert widget.selection == ["person 003", "person 001"] and widget.numbers == [2, 0]
    assert widget.selected["node"].tolist() == ["person 003", "person 001"]
    assert list(widget.selected) == ["node", "department", "project"]
    widget.selection = []
    assert widget.numbers == [] and widget.selected.empty


def test_the_page_sets_the_selection(widget):
    seen = []
    widget.observe(lambda change: seen.append(change["new"]), "selection")
    widget.set_state({"numbers": [4, 1]})  # as the page does
    assert widget.selection == ["person 005", "person 002"] and seen == [["person 005", "person 002"]]


def test_unknown_nodes_are_refused(widget):
    widget.selection = ["person 001"]
    with pytest.raises(ng.InputError, match="no node 'nobody'"):
        widget.selection = ["nobody"]
    assert widget.selection == ["person 001"] and widget.numbers == [0]


def test_names_keep_their_types():
    network = ng.Network.from_edges([(1, "a"), ("a", (2, "b"))])
    widget = ng.embed(network, dimensions=2, reach=2.0, shrinkage=0.0).map().widget()
    widget.numbers = [0, 2]
    assert widget.selection == [1, (2, "b")] and widget.names == ["1", "a", "(2, 'b')"]


def test_panels_share_nodes():
    network = ng.datasets.company(people=40)
    both = ng.compare_maps(network, ["density", "degrees"], settings=ng.Settings(reach=2.0), dark=True).widget(300)
    assert both.titles == ["given density", "given degrees"] and both.height == 300
    assert np.frombuffer(both.positions, "<f4").shape == (2 * 40 * 2,) and both.background == "#17191d"


def test_a_missing_library_is_named(monkeypatch):
    drawn = ng.embed(ng.datasets.company(people=20), dimensions=2, reach=2.0, shrinkage=0.0).map()
    _widget_class.cache_clear()
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(ng.InputError, match=r'pip install "netgiven\[notebook\]"'):
        drawn.widget()
    with pytest.raises(ng.InputError, match="height = 0"):
        drawn.widget(0)
