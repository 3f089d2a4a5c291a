"""Intervals, pairs to check next, new nodes and fairness, used in a browser as a person would."""

import numpy as np
import pytest

import netgiven as ng
from netgiven.explorer.session import OpenedNetwork
from tests.helpers import controller_of, find, lasso, make_map, served, shown_table

SETTINGS = {"dimensions": 2, "reach": 2, "shrinkage": 0.0, "threads": 1}


@pytest.fixture(scope="module")
def embedding():
    """A company of which some pairs are unknown."""
    network = ng.datasets.company(60)
    first, second = np.triu_indices(60, 1)
    free = np.flatnonzero(~network.are_linked(first, second))[::20]
    pairs = list(zip(network.nodes[first[free]], network.nodes[second[free]], strict=True))
    return ng.embed(network.with_unobserved(pairs), "degrees", **SETTINGS)


@pytest.fixture(scope="module")
def explorer(embedding):
    with served(OpenedNetwork.of("company.ng", embedding)) as one:
        yield one


@pytest.fixture
def page(page):
    page.wait_for_selector("#details[data-kind=overview]")
    page.wait_for_function("netgiven.explorer.page.panels.length === 1")
    return page


def numbers_in(page, selector, attribute="data-value"):
    return [float(cell.get_attribute(attribute)) for cell in page.locator(selector).all()]


def test_the_interval_of_a_pair(page, embedding):
    find(page, "person 010")
    page.click("[data-table=likely] tbody tr:first-child button")
    page.wait_for_selector("#details[data-kind=pair]")
    expected = embedding.intervals([page.locator(".ends .end").all_inner_texts()]).iloc[0]
    shown = page.locator("#details [data-low]")
    assert float(shown.get_attribute("data-low")) == pytest.approx(expected["low"], rel=1e-12)
    assert float(shown.get_attribute("data-high")) == pytest.approx(expected["high"], rel=1e-12)
    assert shown.inner_text().startswith("90 % interval: ")
    bar, drawn = (page.locator(f"[data-column=posterior] {part}").bounding_box() for part in ("i", ".range"))
    assert drawn["x"] == pytest.approx(bar["x"] + expected["low"] * bar["width"], abs=1)
    assert drawn["width"] == pytest.approx((expected["high"] - expected["low"]) * bar["width"], abs=1)


def test_pairs_to_check_next(page, embedding):
    assert page.inner_text("#network-size").replace("\N{NO-BREAK SPACE}", " ").endswith(", 77 unobserved pairs")
    for strategy in ("v-optimal", "entropy"):
        page.select_option("#strategy", strategy)
        expected = embedding.ask(strategy=strategy)
        first = " – ".join(expected[["u", "v"]].iloc[0])
        page.wait_for_selector(f"[data-section=next-pairs]:not(:has(.stale)) tr:first-child button[title='{first}']")
        pairs = page.locator("[data-table=next-pairs] .pair").all_inner_texts()
        assert [pair.split("\n") for pair in pairs] == expected[["u", "v"]].to_numpy().tolist()
        assert numbers_in(page, "[data-table=next-pairs] [data-value]") == expected["probability"].tolist()
    assert "most uncertain" in page.inner_text("[data-section=next-pairs] .hint")
    page.click("[data-table=next-pairs] tbody tr:nth-child(2) button")
    page.wait_for_selector("#details[data-kind=pair]")
    assert page.locator(".ends .end").all_inner_texts() == expected[["u", "v"]].iloc[1].tolist()
    assert page.locator("#details dl dd").first.inner_text() == "not observed"
    page.click("#details .close")
    page.wait_for_selector("#details[data-kind=overview]")
    assert page.input_value("#strategy") == "entropy"


def stars(page):
    """Where new nodes are, in each map."""
    script = "netgiven.explorer.page.newNodes.map(({ position, number }) => [position.x[number], position.y[number]])"
    return page.evaluate(script)


def ink_at_the_star(page):
    """How opaque the sheet is in the middle of the star, and in a corner where nothing is."""
    script = """() => {
        const [node] = netgiven.explorer.page.newNodes, finer = window.devicePixelRatio || 1;
        const context = node.sheet.getContext("2d");
        const pixel = (place) => place.map((value) => Math.round(finer * value));
        const opacity = (place) => context.getImageData(...pixel(place), 1, 1).data[3];
        return [opacity(node.edge()), opacity([1, 1])]; }"""
    return page.evaluate(script)


def test_a_new_node_linked_to_one_and_to_several(page, explorer, embedding):
    find(page, "person 010")
    page.click("[data-action=new_node]:has-text('linked to this one')")
    page.wait_for_selector("#details[data-kind=new_node]")
    shown, extended = shown_table(page, "likely"), embedding.add("zoe", ["person 010"])
    expected = extended.likely_links("zoe", 10)
    assert [row[0] for row in shown] == expected["node"].tolist()
    assert [row[1] for row in shown] == expected["probability"].tolist()
    assert [row[2] for row in shown] == expected["prior"].tolist()
    assert [row[0] for row in shown_table(page, "links")] == ["person 010"]
    assert stars(page) == [pytest.approx(extended["zoe"].tolist(), abs=1e-5)]
    assert ink_at_the_star(page) == [255, 0]
    page.click("[data-table=likely] tbody tr:first-child button")
    page.wait_for_selector("#details[data-kind=node]")
    assert stars(page) == []
    lasso(page)
    page.click("[data-action=new_node]:has-text('linked to these')")
    page.wait_for_selector("#details[data-kind=new_node]")
    chosen = embedding.nodes[controller_of(explorer).session.selection].tolist()
    assert page.inner_text("#details dl dd") == f"{len(chosen)} nodes"
    extended = embedding.add("zoe", chosen)
    assert stars(page) == [pytest.approx(extended["zoe"].tolist(), abs=1e-5)]
    page.click("#theme")
    assert ink_at_the_star(page) == [255, 0]
    page.click("#details .close")
    page.wait_for_selector("#details[data-kind=overview]")
    assert stars(page) == []


def test_a_new_node_in_two_maps_needs_a_department(page, explorer):
    page.click("fieldset:has(h3:has-text('department')) label:has-text('group densities')")
    page.wait_for_selector("#knowledge-text:has-text('blocks')")
    make_map(page, button="#beside")
    page.wait_for_function("document.querySelectorAll('#titles b').length === 2")
    find(page, "person 020")
    page.click("[data-action=new_node]")
    page.wait_for_selector("#details[data-kind=new_node]")
    page.wait_for_function("netgiven.explorer.page.newNodes.length === 1")
    page.click("#details .tabs button:nth-child(2)")
    page.wait_for_selector("#details .error:has-text(\"a new node needs a value in column 'department'\")")
    page.select_option("[data-needed=department]", label="sales")
    page.wait_for_function("netgiven.explorer.page.newNodes.length === 2")
    second = controller_of(explorer).session.maps[1]
    expected = second.add("zoe", ["person 020"], {"department": "sales"}).likely_links("zoe", 10)
    assert [row[1] for row in shown_table(page, "likely")] == expected["probability"].tolist()
    page.click("#titles .close >> nth=0")
    page.wait_for_function("netgiven.explorer.page.newNodes.length === 0")


def test_fairness(page, embedding):
    expected = ng.fairness(embedding, "department").table.iloc[0]
    page.click("[data-action=fairness]:has-text('Check fairness by department')")
    page.wait_for_selector("[data-table=fairness]")
    requested = [expected[name] for name in ("parity_gap", "opportunity_gap", "logistic_accuracy", "baseline_accuracy")]
    requested[2] = max(expected[f"{name}_accuracy"] for name in ("logistic", "neighbours", "forest"))
    assert numbers_in(page, "[data-table=fairness] [data-value]") == pytest.approx(requested, rel=1e-12)
    page.select_option("#colour", "project")
    page.wait_for_selector("[data-action=fairness]:has-text('Check fairness by project')")
    assert page.locator("[data-table=fairness]").count() == 0
    page.select_option("#colour", "degree")
    page.wait_for_selector("[data-section=fairness]", state="hidden")
