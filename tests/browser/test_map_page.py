"""The page of a map in Chromium, opened from disk with the network switched off."""

import re
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import netgiven as ng
from netgiven.edges import whole_percent
from netgiven.maps import bokeh_figure
from netgiven.maps import page as page_module

pytest.importorskip("bokeh")

# the position of a node on the screen
SPOT = """([panel, node]) => {
  const { figure, x, y } = netgiven.page.panels[panel];
  const box = document.getElementById(`plot-${panel}`).getBoundingClientRect();
  const { x_range: across, y_range: down } = figure;
  return [box.left + figure.inner_width * (x[node] - across.start) / (across.end - across.start),
          box.top + figure.inner_height * (1 - (y[node] - down.start) / (down.end - down.start))];
}"""
READY = "window.netgiven && netgiven.page && netgiven.page.panels[0].figure.inner_width > 0"
LASSO = "netgiven.page.panels[0].figure.toolbar.tools.find(({ type }) => type.startsWith('Lasso')).active = true"
PLANE = {"settings": ng.Settings(reach=ng.Spread(1.0, 15.0)), "threads": 1}
HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(2)</script>",
    "$$x^2$$",
    "@name{safe}",
    "\"quotes\" and 'others'",
    "two\nlines",
    "right\u202eto left",
    "&lt;b&gt;",
    "{map}",
    "_" * 300,
]


@pytest.fixture
def open_map(open_tab, tmp_path):
    """A function that writes a map and opens it in the browser."""
    from contextlib import contextmanager

    @contextmanager
    def opened(drawn, **settings):
        path = tmp_path / "map.html"
        drawn.save(path)
        with open_tab(offline=True, **settings) as tab:
            tab.page.goto(path.as_uri())
            tab.page.wait_for_function("window.netgiven && netgiven.page && netgiven.page.panels[0].figure.inner_width")
            yield tab.page

    return opened


@pytest.fixture(scope="module")
def company():
    return ng.datasets.company(people=60)


@pytest.fixture(scope="module")
def degrees_map(company):
    return ng.map_network(company, "degrees", **PLANE)


def likely_table(page):
    """The table of likeliest links on the page."""
    rows = page.locator("#likely tbody tr")
    read = "row => [...row.children].map(cell => cell.dataset.value ?? cell.textContent)"
    return pd.DataFrame([row.evaluate(read) for row in rows.all()], columns=["node", "probability", "prior", "lift"])


def assert_same(shown, expected):
    assert shown["node"].tolist() == [str(name) for name in expected["node"]]
    for column in ("probability", "prior", "lift"):
        np.testing.assert_allclose(shown[column].astype(float), expected[column], rtol=1e-5)


def test_hovering_shows_what_python_computes(open_map, degrees_map, company):
    with open_map(degrees_map) as page:
        page.mouse.move(*page.evaluate(SPOT, [0, 7]))
        page.wait_for_selector("#node h2")
        assert page.text_content("#node h2") == page.text_content(".tip") == company.nodes[7]
        assert page.locator("#node dd").all_text_contents() == [
            str(company.degrees[7]),
            *company.columns.iloc[7].tolist(),
        ]
        assert_same(likely_table(page), degrees_map.panels[0].likely_links(company.nodes[7], count=8))
        linked = page.locator("#node .others button").all_text_contents()
        assert linked == company.neighbours(company.nodes[7])
        assert page.evaluate("netgiven.page.panels[0].overlay.shown.ends.length") == len(linked)


KINDS = [
    "density",
    "degrees",
    "blocks:team",
    "degrees+blocks:team+blocks:half",
    "group_degrees:half",
    "degrees+order:age",
    "degrees+homophily:age",
    "degrees+assortativity",
    "degrees+common_neighbours",
]


@pytest.fixture(scope="module")
def varied():
    """Groups without links between them, an isolated node, and one linked to all others of its group."""
    random = np.random.default_rng(0)
    count = 40
    team = np.arange(count) % 4
    pairs = [(i, j) for i in range(count) for j in range(i) if team[i] + team[j] != 5 and random.random() < 0.2]
    nodes = {"name": range(count + 1), "team": [*team, 1], "half": [*(team % 2), 0], "age": random.random(count + 1)}
    return ng.Network.from_edges(pairs, nodes=pd.DataFrame(nodes))


def test_all_priors_give_what_python_computes(open_map, varied):
    drawn = ng.compare_maps(varied, KINDS, **PLANE)
    with open_map(drawn) as page:
        for number, panel in enumerate(drawn.panels):
            for node in (0, 17, 40):
                links = page.evaluate("([node, panel]) => netgiven.page.atlas.likeliest(node, panel)", [node, number])
                expected = panel.likely_links(node, count=8)
                shown = pd.DataFrame(links, columns=["node", "probability", "prior", "lift"]).astype(float)
                np.testing.assert_allclose(shown["probability"], expected["probability"], rtol=1e-4)
                before = panel.prior.probabilities([(node, other) for other in shown["node"].astype(int)])
                np.testing.assert_allclose(shown["prior"], before, rtol=1e-5)


def test_dimensions_that_repel_give_what_python_computes(open_map, varied):
    kinds = [{"repelling": count, "repelling_shrinkage": 1.0, "reach": 2.0, "shrinkage": 0.1} for count in (1, 2)]
    drawn = ng.Map(tuple(ng.embed(varied, dimensions=2, **settings) for settings in kinds))
    with open_map(drawn) as page:
        for number, panel in enumerate(drawn.panels):
            links = page.evaluate("panel => netgiven.page.atlas.likeliest(3, panel)", number)
            shown = [link["probability"] for link in links]
            np.testing.assert_allclose(shown, panel.likely_links(3, count=8)["probability"], rtol=1e-4)


def test_search_finds_selects_and_brings_into_view(open_map, degrees_map, company):
    with open_map(degrees_map) as page:
        page.evaluate("netgiven.show(netgiven.page.panels[0].figure, [1000, 1001], [1000, 1001])")
        page.fill("#search", "PERSON 02")
        assert page.locator("#found .name").all_text_contents() == [f"person 02{digit}" for digit in range(10)]
        page.press("#search", "ArrowDown")
        page.press("#search", "Enter")
        assert page.text_content("#node h2") == "person 021"
        assert page.evaluate("netgiven.page.nodes.selected.indices") == [20]
        left, top = page.evaluate(SPOT, [0, 20])
        assert 0 < left < 1280 and 0 < top < 800
        page.fill("#search", "nobody")
        assert page.text_content("#found") == "No node has this in its name."


def test_a_click_selects_a_node_and_a_click_elsewhere_clears_the_selection(open_map, degrees_map, company):
    with open_map(degrees_map) as page:
        page.mouse.click(*page.evaluate(SPOT, [0, 3]))
        page.wait_for_function("netgiven.page.nodes.selected.indices.length === 1")
        page.mouse.move(*page.evaluate(SPOT, [0, 9]))
        assert page.text_content("#node h2") == company.nodes[3]
        page.locator("#likely tbody button").first.click()
        assert page.text_content("#node h2") == degrees_map.panels[0].likely_links(company.nodes[3])["node"][0]
        page.keyboard.press("Escape")
        page.mouse.click(12, 790)
        page.wait_for_function("netgiven.page.nodes.selected.indices.length === 0")
        assert page.locator("#node h2").count() == 0


def given_table(page):
    """The ledger on the page: words, bits and share of each line."""
    read = "row => [...row.children].map(cell => cell.textContent)"
    return [row.evaluate(read) for row in page.locator("#likely table.given tbody tr").all()]


def ledger_rows(embedding):
    found = ng.ledger(embedding.network, None, embedding).table
    return [
        [words, f"{bits + 0.0:.2f}", whole_percent(share)]
        for words, bits, share in found[["words", "bits", "share"]].itertuples(index=False)
    ]


def test_what_was_given_is_shown_until_a_node_is_selected(open_map, company):
    embedding = ng.map_network(company, "degrees+blocks:department", **PLANE).panels[0]
    expected, found = ledger_rows(embedding), ng.ledger(company, None, embedding)
    with open_map(ng.Map((embedding,))) as page:
        assert page.text_content("#likely h3") == "What was given, and what it explains"
        assert given_table(page) == expected and len(expected) == 3
        assert (
            page.text_content("#likely > .hint")
            == f"{found.left:.2f} of {found.cost:.2f} bits per link are not explained"
        )
        read = ng.readable(embedding)
        assert page.locator("#likely dt").all_text_contents() == read["column"].tolist()
        for shown, share, yes in zip(
            page.locator("#likely dd").all_text_contents(), read["read"], read["readable"], strict=True
        ):
            assert shown.startswith(f"{'' if yes else 'no: '}{whole_percent(share)} of the nodes")
        proposed = [one.text for one in ng.proposals(company, embedding=embedding)]
        assert page.locator("#likely h3:has-text('To give next') ~ p").all_text_contents() == proposed

        page.fill("#search", company.nodes[3])
        page.press("#search", "Enter")
        assert page.text_content("#node h2") == company.nodes[3]
        assert page.locator("table.given").count() == 0
        assert not re.search(r"\d%", page.inner_text("aside"))
        page.click("#likely h3")  # leaves the search box
        page.keyboard.press("Escape")
        assert given_table(page) == expected
        assert page.evaluate("netgiven.page.nodes.selected.indices") == []

        page.evaluate("netgiven.page.nodes.selected.indices = [1, 2, 3]")
        assert page.text_content("#node h2") == "3 nodes selected"
        page.focus("#theme")
        page.keyboard.press("Escape")  # also while a button has the focus
        assert given_table(page) == expected
        page.evaluate("netgiven.page.choose(5)")
        page.get_by_text("What was given", exact=True).click()
        assert given_table(page) == expected and page.locator("#node h2").count() == 0


def test_each_panel_says_what_was_given(open_map, company):
    drawn = ng.compare_maps(company, ["density", "degrees+blocks:department"], **PLANE)
    with open_map(drawn) as page:
        for number, panel in enumerate(drawn.panels):
            page.locator("#likely .tabs button").nth(number).click()
            assert given_table(page) == ledger_rows(panel)


def test_columns_that_were_given_are_never_markup(open_map):
    column = "<img src=x onerror=alert(3)>"
    teams = np.arange(60) % 3
    pairs = [(i, j) for i in range(60) for j in range(i) if teams[i] == teams[j] and (i * j) % 4]
    values = [HOSTILE[team] for team in teams]
    halves = ["<b>left</b>" if team else "</script><i>right</i>" for team in teams]
    nodes = {"name": [f"n{i}" for i in range(60)], column: values, "<u>half</u>": halves}
    network = ng.Network.from_edges([(f"n{i}", f"n{j}") for i, j in pairs], nodes=nodes)
    embedding = ng.map_network(network, ng.degrees() + ng.blocks("<u>half</u>"), **PLANE).panels[0]
    with open_map(ng.Map((embedding,))) as page:
        assert given_table(page) == ledger_rows(embedding)
        assert "<u>half</u>" in page.text_content("#likely table.given")
        assert page.locator("#likely dt").all_text_contents() == ng.readable(embedding)["column"].tolist()
        proposed = [one.text for one in ng.proposals(network, embedding=embedding)]
        assert any(column in text for text in proposed)
        assert page.locator("#likely h3:has-text('To give next') ~ p").all_text_contents() == proposed
        assert page.locator("img, aside b, aside i, aside u, aside script").count() == 0


def test_the_legend_switches_groups_off(open_map, degrees_map, company):
    off = (company.columns["department"] == "design").to_numpy()
    drawn = "netgiven.page.panels[0].renderer.view.filter.indices"
    with open_map(degrees_map) as page:
        assert page.locator("#legend li .name").all_text_contents() == sorted(company.columns["department"].unique())
        page.locator("#legend li button").first.click()
        page.wait_for_function(f"{drawn} !== null")
        assert page.evaluate(f"Array.from({drawn})") == np.flatnonzero(~off).tolist()
        kept = (~off[company.links()]).all(axis=1)
        assert page.evaluate("netgiven.page.panels[0].links.data.x.length") == kept.sum()
        page.mouse.move(*page.evaluate(SPOT, [0, int(np.flatnonzero(off)[0])]))
        assert page.locator("#node h2").count() == 0 or page.text_content("#node h2") not in set(company.nodes[off])
        page.get_by_text("show all").click()
        page.wait_for_function(f"{drawn} === null")


def lasso(page, left, top, right, bottom):
    page.evaluate(
        "netgiven.page.panels[0].figure.toolbar.tools.find(({ type }) => type.startsWith('Lasso')).active = true"
    )
    page.mouse.move(left, top)
    page.mouse.down()
    for x, y in ((right, top), (right, bottom), (left, bottom), (left, top + 4)):
        page.mouse.move(x, y, steps=4)
    page.mouse.up()


def test_a_selection_shows_in_all_panels(open_map, company):
    drawn = ng.compare_maps(company, ["density", "degrees"], colour="project", **PLANE)
    with open_map(drawn) as page:
        lasso(page, 20, 100, 240, 780)
        page.wait_for_function("netgiven.page.nodes.selected.indices.length > 1")
        chosen = sorted(page.evaluate("netgiven.page.nodes.selected.indices"))
        spots = [page.evaluate(SPOT, [0, node]) for node in range(company.node_count)]
        assert chosen == [node for node, (x, y) in enumerate(spots) if 20 < x < 240 and 100 < y < 780]
        assert page.text_content("#node h2") == f"{len(chosen)} nodes selected"
        within = np.isin(company.links(), chosen).all(axis=1).sum()
        assert page.text_content("#node p") == f"{within:,} link{'s' * int(within != 1)} among them"
        with page.expect_download() as download:
            page.get_by_text("Save their names").click()
        saved = download.value.path().read_text(encoding="utf-8").splitlines()
        assert sorted(saved) == sorted(company.nodes[chosen])


def test_panels_show_likely_links_given_their_priors(open_map, company):
    drawn = ng.compare_maps(company, ["density", "degrees", "blocks:department"], **PLANE)
    with open_map(drawn) as page:
        assert page.locator(".panel h2").all_text_contents() == drawn.titles
        page.mouse.click(*page.evaluate(SPOT, [1, 5]))
        page.wait_for_selector("#likely tbody")
        for number, panel in enumerate(drawn.panels):
            page.locator("#likely .tabs button").nth(number).click()
            assert_same(likely_table(page), panel.likely_links(company.nodes[5], count=8))
        assert page.locator(".tip:visible").all_text_contents() == [company.nodes[5]] * 3


def test_long_names_of_groups_leave_room_for_numbers(open_map):
    pairs = [(number, number + 1) for number in range(9)]
    network = ng.Network.from_edges(pairs, nodes={"name": range(10), "team": ["w" * 200, "v" * 200] * 5})
    with open_map(ng.map_network(network, "density", **PLANE)) as page:
        page.evaluate("netgiven.page.nodes.selected.indices = [0, 1, 2]")
        name, count = (page.locator(f"#likely tbody tr:first-child {part}") for part in ("td .name", "td:nth-child(2)"))
        box, other = name.bounding_box(), count.bounding_box()
        assert box["x"] + box["width"] <= other["x"]


@pytest.mark.parametrize("colour", ["<b>column</b>", "numbers $$y$$"])
def test_names_are_never_markup(open_map, colour):
    names = [*HOSTILE, *(f"plain {number}" for number in range(10))]
    pairs = [(names[i], names[j]) for i in range(len(names)) for j in range(i) if (i * j) % 3 == 1 or j == i - 1]
    groups = [HOSTILE[place % 5] for place in range(len(names))]
    columns = {"<b>column</b>": groups, "numbers $$y$$": np.arange(len(names)) ** 2}
    network = ng.Network.from_edges(pairs, nodes={"name": names, **columns})
    drawn = ng.map_network(network, "degrees", colour=colour, title=HOSTILE[0], **PLANE)
    with open_map(drawn) as page:
        assert page.title() == page.text_content("h1") == HOSTILE[0]
        for place, name in enumerate(HOSTILE):
            page.evaluate("node => netgiven.page.choose(node)", place)
            assert page.text_content("#node h2") == page.text_content(".tip") == name
            assert page.locator("#node dt").all_text_contents() == ["links", *columns]
            page.fill("#search", name.split("\n")[0])
            assert name in page.locator("#found .name").all_text_contents()
        assert page.text_content("#legend h2 .name") == colour
        if colour == "<b>column</b>":
            assert set(page.locator("#legend li .name").all_text_contents()) == set(HOSTILE[:5])
        assert page.locator("img, b, #node script").count() == 0


def test_numbers_have_a_colour_bar_and_the_theme_can_change(open_map, company):
    drawn = ng.map_network(company, "degrees", colour="degree", **PLANE)
    with open_map(drawn, color_scheme="dark") as page:
        ticks = [int(text) for text in page.locator(".ticks span").all_text_contents()]
        assert ticks == sorted(ticks) and company.degrees.min() <= ticks[0] < ticks[-1] <= company.degrees.max()
        theme = "document.documentElement.dataset.theme"
        ink = "netgiven.page.panels[0].renderer.glyph.line_color.value"
        assert page.evaluate(f"[{theme}, {ink}]") == ["dark", bokeh_figure.INK[True]]
        page.click("#theme")
        assert page.evaluate(f"[{theme}, {ink}]") == ["light", bokeh_figure.INK[False]]


SHOWN = """() => {
  const panel = netgiven.page.panels[0];
  return [panel.picture.visible, Array.from(panel.renderer.data_source.data.node)];
}"""
ZOOM = """([node, half]) => {
  const { figure, x, y } = netgiven.page.panels[0];
  netgiven.show(figure, [x[node] - half, x[node] + half], [y[node] - half, y[node] + half]);
}"""
NAMED = "netgiven.page.panels[0].written.written"
BUSY = "netgiven.page.panels[0].written.waiting"


@pytest.fixture
def crowded(monkeypatch):
    """Few nodes are treated as too many."""
    monkeypatch.setattr(bokeh_figure, "MAX_POINTS", 50)
    monkeypatch.setattr(bokeh_figure, "MAX_IN_VIEW", 20)
    monkeypatch.setattr(page_module, "MAX_POINTS", 50)


def test_many_nodes_are_an_image_until_zoomed_in(open_map, crowded, company):
    drawn = ng.map_network(company, "degrees", **PLANE)
    with open_map(drawn) as page:
        page.wait_for_function("netgiven.page.panels[0].picture.visible")
        assert page.evaluate(SHOWN) == [True, []]
        image = "netgiven.page.panels[0].picture.data_source.data.image[0]"
        assert page.evaluate(f"{image}.filter(Boolean).length") > company.node_count
        lasso(page, 20, 70, 300, 790)
        page.wait_for_function("netgiven.page.nodes.selected.indices.length > 1")
        spots = [page.evaluate(SPOT, [0, node]) for node in range(company.node_count)]
        inside = [node for node, (x, y) in enumerate(spots) if 20 < x < 300 and 70 < y < 790]
        assert page.evaluate("netgiven.page.nodes.selected.indices") == inside
        page.evaluate(ZOOM, [4, 0.2])
        page.wait_for_function("!netgiven.page.panels[0].picture.visible")
        _, seen = page.evaluate(SHOWN)
        spots = [page.evaluate(SPOT, [0, node]) for node in range(company.node_count)]
        in_view = [node for node, (x, y) in enumerate(spots) if 0 <= x <= 925 and 52 <= y <= 800]
        assert 4 in seen and len(seen) <= 20 and set(in_view) <= set(seen)
        sizes = page.evaluate("Array.from(netgiven.page.panels[0].renderer.data_source.data.size)")
        assert sizes == sorted(sizes)  # those with many links are drawn last


def test_many_nodes_are_pointed_at_selected_searched_and_switched_off(open_map, crowded, company):
    drawn = ng.map_network(company, "degrees", colour="department", **PLANE)
    with open_map(drawn) as page:
        page.wait_for_function("netgiven.page.panels[0].picture.visible")
        page.mouse.move(*page.evaluate(SPOT, [0, 7]))
        page.wait_for_selector("#node h2")
        assert page.text_content("#node h2") == page.text_content(".tip") == company.nodes[7]
        assert_same(likely_table(page), drawn.panels[0].likely_links(company.nodes[7], count=8))
        page.fill("#search", company.nodes[11])
        page.press("#search", "Enter")
        assert page.evaluate("netgiven.page.nodes.selected.indices") == [11]
        page.evaluate(ZOOM, [11, 0.1])
        page.wait_for_function("!netgiven.page.panels[0].picture.visible")
        source = "netgiven.page.panels[0].renderer.data_source.data"
        faded = page.evaluate(f"Array.from({source}.node).filter((node, place) => {source}.alpha[place] > .5)")
        assert faded == [11]
        page.evaluate("netgiven.page.clear()")
        page.evaluate("netgiven.page.legend.set((on, place) => place !== netgiven.page.atlas.group[11])")
        page.wait_for_function(f"!Array.from({source}.node).includes(11)")


def test_names_of_the_largest_nodes_stand_on_a_map_of_many(open_map, crowded, company):
    drawn = ng.map_network(company, "degrees", **PLANE)
    with open_map(drawn) as page:
        for half in (None, 0.3, 0.05):
            if half:
                page.evaluate(ZOOM, [4, half])
            page.wait_for_function(f"!{BUSY} && {NAMED}.length > 0")
            page.wait_for_timeout(100)
            named = page.evaluate(NAMED)
            assert [one["text"] for one in named] == [company.nodes[one["node"]] for one in named]
            degrees = [company.degrees[one["node"]] for one in named]
            assert degrees == sorted(degrees, reverse=True)
            for place, one in enumerate(named):
                for other in named[:place]:
                    beside = one["last"] <= other["first"] or other["last"] <= one["first"]
                    assert beside or abs(one["top"] - other["top"]) >= 12
            assert max(one["last"] for one in named) < 925
        assert 4 in [one["node"] for one in named]


@pytest.mark.parametrize("many", [False, True])
def test_nodes_are_called_by_the_column_name(request, open_map, many):
    if many:
        request.getfixturevalue("crowded")
    names = [*HOSTILE[:5], *(f"person {number}" for number in range(55)), None]
    pairs = [(900 + number, 900 + (number * 7 + 3) % 61) for number in range(61)]
    table = {"number": range(900, 961), "name": names, "team": ["x", "y", "z"] * 20 + ["x"]}
    drawn = ng.map_network(ng.Network.from_edges(pairs, nodes=table), "density", **PLANE)
    with open_map(drawn) as page:
        for node in (0, 1, 8, 60):
            page.evaluate("node => netgiven.page.choose(node)", node)
            shown = names[node] or "960"
            assert page.text_content("#node h2") == page.text_content(".tip") == shown
            facts = page.locator("#node dd").all_text_contents()
            assert facts[1:] == [str(900 + node), table["team"][node]]
        page.fill("#search", "PERSON 5")
        found = page.locator("#found .name").all_text_contents()
        assert found == ["person 5", *(f"person 5{digit}" for digit in range(5))]
        assert page.locator("img, #node script").count() == 0
        page.evaluate("netgiven.page.nodes.selected.indices = [8, 60]")
        with page.expect_download() as download:
            page.get_by_text("Save their names").click()
        assert download.value.path().read_text(encoding="utf-8") == "908\n960\n"


def test_names_are_found_as_in_python(open_map):
    names = ["İstanbul", "istanbul", "Σας", "a\nb", "b", "ab", "ba", "B", "𝒳 one", "x 𝒳", "c", "é", "İİ b", "last"]
    pairs = list(pairwise(names))
    with open_map(ng.map_network(ng.Network.from_edges(pairs, nodes=names), "density", **PLANE)) as page:
        assert page.evaluate("Array.from({ length: 14 }, (_, node) => netgiven.page.atlas.names.at(node))") == names

        def found(text):
            return [names[node] for node in page.evaluate("text => netgiven.page.atlas.names.find(text, 10)", text)]

        assert found("b") == ["b", "B", "ba", "İstanbul", "istanbul", "a\nb", "ab", "İİ b"]
        assert found("𝒳") == ["𝒳 one", "x 𝒳"]
        assert found("LAST") == ["last"]
        assert found("nothing like it") == []
        assert page.evaluate("netgiven.page.atlas.names.find('a', 2).length") == 2


def test_the_page_works_within_a_notebook(open_tab, tmp_path, degrees_map, company):
    path = tmp_path / "notebook.html"
    path.write_text(f"<!DOCTYPE html><meta charset='utf-8'><body>{degrees_map._repr_html_()}", encoding="utf-8")
    with open_tab(offline=True) as tab:
        tab.page.goto(path.as_uri())
        frame = tab.page.frame_locator("iframe")
        frame.locator("#search").fill("person 001")
        frame.locator("#search").press("Enter")
        assert frame.locator("#node h2").text_content() == "person 001"


@pytest.mark.parametrize("pairs", [[], [("a", "b")]])
def test_tiny_networks_open(open_map, pairs):
    network = ng.Network.from_edges(pairs, nodes={"name": ["a", "b", "c"]})
    with open_map(ng.map_network(network, "density", **PLANE)) as page:
        page.fill("#search", "c")
        page.press("#search", "Enter")
        assert page.text_content("#node h2") == "c"


def test_the_page_says_how_many_nodes_are_farther_out(open_map):
    ring = [(i, (i + 1) % 60) for i in range(60)] + [(i, (i + 7) % 60) for i in range(60)]
    panel = ng.map_network(ng.Network.from_edges(ring), "density", **PLANE).panels[0]
    panel.positions[5] = (90, 90)
    with open_map(ng.Map((panel,))) as page:
        assert page.text_content(".farther") == "1 node farther out"
        page.click(".farther")
        page.wait_for_function("document.querySelector('.farther').hidden")
        left, top = page.evaluate(SPOT, [0, 5])
        assert 0 < left < 950 and 0 < top < 800
