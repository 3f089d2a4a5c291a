"""Maps: pages, pictures, alignment and errors."""

import base64
import html
import json
import re
import zlib
from xml.etree import ElementTree as Tree

import numpy as np
import pytest

import netgiven as ng
from netgiven.maps import page
from netgiven.maps.bokeh_figure import draw, link_columns
from netgiven.maps.map import align
from netgiven.maps.marks import make_marks

pytest.importorskip("bokeh")
PLANE = {"settings": ng.Settings(reach=ng.Spread(1.0, 15.0)), "threads": 1}


@pytest.fixture(scope="module")
def company():
    return ng.datasets.company(people=40)


@pytest.fixture(scope="module")
def pair(company):
    return ng.compare_maps(company, ["density", "degrees"], colour="project", **PLANE)


@pytest.mark.parametrize("ending", ["html", "png", "svg", "pdf"])
def test_the_same_map_gives_the_same_bytes(pair, tmp_path, ending):
    first, second = tmp_path / f"first.{ending}", tmp_path / f"second.{ending}"
    pair.save(first)
    pair.save(second)
    assert first.read_bytes() == second.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == [first.name, second.name]


def test_svg_holds_the_legend_as_it_is(company, tmp_path):
    names = [f"${number}_x^2$" for number in range(3)] + ["_below"]
    network = company.with_columns(company.columns.assign(team=[names[place % 4] for place in range(40)]))
    ng.map_network(network, "density", colour="team", **PLANE).save(tmp_path / "map.svg")
    text = (tmp_path / "map.svg").read_text(encoding="utf-8")
    Tree.fromstring(text)
    assert all(name in text for name in names)


def test_pages_load_nothing(pair):
    text = pair.to_html()
    ours = text[: text.index("<script type")] + text[text.rindex("<script>") :]
    tags = re.findall(r"<(?:script|link|img|iframe)\b[^>]*>", ours)
    assert tags and not [tag for tag in tags if " src=" in tag or " href=" in tag]
    assert "default-src 'none'" in text


def test_names_cannot_end_a_script(company):
    hostile = "</script><script>alert(1)</script><!--"
    network = ng.Network.from_edges(
        [(hostile, "b"), ("b", "c")], nodes={"name": [hostile, "b", "c"], hostile: [hostile] * 3}
    )
    text = ng.map_network(network, "density", title=hostile, **PLANE).to_html()
    assert hostile not in text
    data = re.search(r'<script type="application/json" id="map">(.*?)</script>', text, flags=re.DOTALL)[1]
    found = json.loads(data)
    assert found["title"] == hostile
    assert zlib.decompress(base64.b64decode(found["names"]["base64"])).decode() == f"{hostile}\nb\nc\n"


def test_panels_are_aligned_to_the_first():
    random = np.random.default_rng(0)
    first = random.normal(size=(50, 2)).astype(np.float32)
    rotation = np.array([[np.cos(2), -np.sin(2)], [np.sin(2), np.cos(2)]]) @ np.diag([1, -1])
    second = (first @ rotation * 3 + [5, -8]).astype(np.float32)
    (one, other), scales = align([first, second])
    np.testing.assert_allclose(one, other, atol=1e-4)
    assert scales == [1.0, pytest.approx(1 / 3, rel=1e-5)]
    distances = np.linalg.norm(second[0] - second[1:], axis=1)
    np.testing.assert_allclose(np.linalg.norm(other[0] - other[1:], axis=1) / scales[1], distances, rtol=1e-4)


def test_nodes_at_the_same_position_can_be_aligned():
    (one, other), scales = align([np.ones((4, 2), np.float32), np.arange(8, dtype=np.float32).reshape(4, 2)])
    assert np.isfinite(one).all() and np.isfinite(other).all() and scales == [1.0, 1.0]


def test_figures_contain_no_names(company):
    drawing = draw([np.zeros((40, 2), np.float32)], make_marks(company), company.links())
    text = json.dumps(page._document(drawing))
    assert "person 001" not in text and "amber" not in text and "department" not in text


def test_too_many_links_are_not_drawn(company, monkeypatch):
    from netgiven.maps import bokeh_figure

    positions = np.arange(80, dtype=np.float32).reshape(40, 2)
    assert len(link_columns(positions, company.links())["x"]) == company.link_count
    monkeypatch.setattr(bokeh_figure, "MAX_LINKS", 10)
    assert len(link_columns(positions, company.links())["x"]) == 0


def test_large_prior_tables_are_not_in_the_page(company, monkeypatch):
    monkeypatch.setattr(page, "MAX_CELLS", 3)
    text = ng.map_network(company, "blocks:department", **PLANE).to_html()
    assert '"prior":null' in text


def test_bad_maps_are_errors(pair, company, tmp_path):
    with pytest.raises(ng.InputError, match=r"html, \.png"):
        pair.save(tmp_path / "map.txt")
    with pytest.raises(ng.InputError, match="at least one"):
        ng.Map(())
    with pytest.raises(ng.InputError, match="no node column 'x'"):
        ng.Map(pair.panels, "x")
    with pytest.raises(ng.InputError, match="2 dimensions"):
        ng.Map((ng.embed(company, dimensions=3, threads=1, **{"reach": ng.Spread(), "shrinkage": 0.0}),))
    with pytest.raises(ng.InputError, match="different nodes"):
        ng.Map((pair.panels[0], ng.map_network(ng.datasets.company(people=20), **PLANE).panels[0]))
    with pytest.raises(ng.InputError, match="a map has 2"):
        ng.map_network(company, settings=ng.Settings(dimensions=3))
    with pytest.raises(ng.InputError, match="no node column 'y'"):
        ng.compare_maps(company, ["density", "blocks:y"], **PLANE)
    assert not list(tmp_path.iterdir())


def test_without_bokeh_the_error_says_what_to_install(pair, tmp_path, monkeypatch):
    import sys

    for name in [name for name in sys.modules if name.split(".")[0] == "bokeh"]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ng.InputError, match=r"netgiven\[explorer\]"):
        pair.save(tmp_path / "map.html")
    pair.save(tmp_path / "map.png")
    assert [path.name for path in tmp_path.iterdir()] == ["map.png"]


def test_an_embedding_in_two_dimensions_is_drawn_as_it_is(company):
    planar = ng.embed(company, "degrees", dimensions=2, reach=ng.Spread(), shrinkage=0.0, threads=1)
    assert planar.map("project").panels == (planar,)
    deep = ng.embed(company, "degrees", dimensions=4, reach=ng.Spread(), shrinkage=0.0, threads=1)
    (panel,) = deep.map(reach=2.0, threads=1).panels
    assert panel.dimensions == 2 and panel.prior is deep.prior and panel.reach == pytest.approx(2.0)


def test_names_are_escaped_in_notebooks():
    network = ng.Network.from_edges([("a", "b")], nodes={"name": ["a", "b"], "<i>$$x$$": ["<b>", "y"]})
    embedding = ng.embed(network, "blocks:<i>$$x$$", dimensions=2, reach=ng.Spread(), shrinkage=0.0, threads=1)
    for text in (network._repr_html_(), embedding._repr_html_()):
        Tree.fromstring(text)
        assert "<i>" not in text and html.escape("<i>$$x$$") in text
    assert "2 nodes, 1 link" in network._repr_html_()


def test_columns_with_too_many_groups_are_named_on_the_page():
    network = ng.datasets.company(450).with_columns({"room": [f"r{k % 210}" for k in range(450)]})
    assert "Column 'room' has 210 groups" in ng.map_network(network, "degrees", **PLANE).to_html()
