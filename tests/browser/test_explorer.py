"""The explorer, used in a browser as a person would."""

import re

import numpy as np
import pandas as pd
import pytest

import netgiven as ng
from netgiven.explorer.messages import percent
from netgiven.explorer.session import OpenedNetwork
from tests.helpers import (
    controller_of,
    enter,
    find,
    lasso,
    make_map,
    read_in_this_process,
    served,
    shown_table,
    wait_for_map,
)

HOSTILE = [
    "<img src=x onerror=alert(1)>", "$$x^2$$", "@name{safe}", '"quoted"', "two\nlines", "\u202egnal", "</script><b>",
    "{{ 7 * 7 }}", "a & b", "plain",
]  # fmt: skip


@pytest.fixture(scope="module")
def explorer():
    with served() as one:
        yield one


@pytest.fixture
def read_uploads_here(monkeypatch):
    read_in_this_process(monkeypatch)


def open_example(page):
    page.click("#open-example")
    page.wait_for_selector("#network-title:visible")


def upload(page, name, data, part="links"):
    page.set_input_files(f"#{part}-file", {"name": name, "mimeType": "text/plain", "buffer": data})


def test_from_an_upload_to_the_numbers_of_a_node(page, explorer):
    network = ng.datasets.company(60)
    links, nodes = network.to_pandas()
    upload(page, "company.csv", links.to_csv(index=False).encode())
    page.wait_for_selector("#network-size:has-text('60 nodes')")
    upload(page, "people.csv", nodes.to_csv(index=False).encode(), part="nodes")
    page.wait_for_selector("#options h3:has-text('department')")
    page.click("fieldset:has(h3:has-text('department')) label:has-text('group densities')")
    page.wait_for_selector("#knowledge-text:has-text('degrees+blocks:department')")
    make_map(page)
    find(page, "person 010")
    shown = shown_table(page, "likely")
    uploaded, given = controller_of(explorer).session.network, "degrees+blocks:department"
    drawn = ng.map_network(uploaded, given, settings=ng.Settings(reach=2), threads=1)
    expected = drawn.panels[0].likely_links("person 010", 10)
    assert [row[0] for row in shown] == expected["node"].tolist()
    assert [row[1] for row in shown] == expected["probability"].tolist()
    assert [row[2] for row in shown] == expected["prior"].tolist()
    assert [row[3] for row in shown] == [percent(probability) for probability in expected["probability"]]
    neighbours = {row[0] for row in shown_table(page, "neighbours")}
    assert neighbours == set(network.neighbours("person 010"))


def test_a_pair_and_a_group(page, explorer):
    open_example(page)
    make_map(page)
    embedding = controller_of(explorer).session.maps[0]
    find(page, "person 010")
    page.click("[data-table=likely] tbody tr:first-child button")
    page.wait_for_selector("#details[data-kind=pair]")
    names = page.locator(".ends .end").all_inner_texts()
    prior, posterior = (
        float(page.locator(f".bar-row[data-column={column}]").get_attribute("data-value"))
        for column in ("prior", "posterior")
    )
    assert posterior == pytest.approx(embedding.probability(*names), rel=1e-12)
    assert prior == pytest.approx(embedding.prior.probability(*names), rel=1e-12)
    best = embedding.explain(*names).table(1).iloc[0]
    assert page.locator("dl.reasons dt").first.inner_text() == f"{best['node']} – {best['linked_to']}"
    lasso(page)
    page.wait_for_selector("#details[data-kind=group]")
    page.wait_for_timeout(1_000)  # the lasso may select in two steps
    chosen = embedding.nodes[controller_of(explorer).session.selection]
    assert 10 < len(chosen) < 240
    expected = embedding.prior.expected_links(chosen)
    shown = page.locator("[data-column='inside by_prior']").inner_text().replace(",", "")
    assert float(shown) == pytest.approx(expected, rel=0.01)
    with page.expect_download() as download:
        page.click("#details [data-file=nodes]")
    table = pd.read_csv(download.value.path(), sep="\t")
    assert table["node"].tolist() == chosen.tolist()


def test_two_priors_side_by_side(page, explorer):
    open_example(page)
    make_map(page)
    page.click("fieldset:has(h3:has-text('department')) label:has-text('group densities')")
    page.wait_for_selector("#knowledge-text:has-text('blocks')")
    make_map(page, button="#beside")
    page.wait_for_function("document.querySelectorAll('#titles b').length === 2")
    assert page.locator("#titles b").all_inner_texts() == ["degrees", "degrees+blocks:department"]
    find(page, "person 020")
    left = shown_table(page, "likely")
    page.click("#details .tabs button:nth-child(2)")
    right = shown_table(page, "likely")
    maps = controller_of(explorer).session.maps
    for shown, embedding in ((left, maps[0]), (right, maps[1])):
        assert [row[1] for row in shown] == embedding.likely_links("person 020", 10)["probability"].tolist()
    selected = "netgiven.explorer.page.panels.map((panel) => panel.nodes.selected.indices.join())"
    assert page.evaluate(selected) == ["19", "19"]
    page.click("#titles .close >> nth=0")
    page.wait_for_selector("#titles > div:only-child b[title='degrees+blocks:department']")
    assert page.locator("#titles b").all_inner_texts() == ["degrees+blocks:department"]


def test_a_click_selects_the_node_under_it(page, explorer):
    open_example(page)
    make_map(page)
    page.mouse.click(*place_of(page, 7))
    page.wait_for_selector("#details[data-kind=node] h2:has-text('person 008')")
    page.keyboard.down("Shift")
    page.mouse.click(*place_of(page, 30))
    page.keyboard.up("Shift")
    page.wait_for_selector("#details[data-kind=pair]")
    assert page.locator(".ends .end").all_inner_texts() == ["person 008", "person 031"]
    page.mouse.move(*place_of(page, 7))
    page.wait_for_selector(".tip:visible:has-text('person 008')")


def place_of(page, node):
    """Where a node is on the screen."""
    script = """(node) => {
        const { figure, x, y } = netgiven.explorer.page.panels[0];
        const box = document.querySelector("#canvas").getBoundingClientRect();
        const { x_range: across, y_range: down } = figure;
        return [box.left + box.width * (x[node] - across.start) / (across.end - across.start),
                box.top + box.height * (1 - (y[node] - down.start) / (down.end - down.start))]; }"""
    return page.evaluate(script, node)


def test_downloads(page, explorer, tmp_path):
    open_example(page)
    make_map(page)
    files = {}
    page.click("#downloads summary")
    for kind in ("embedding", "predictions", "page"):
        with page.expect_download() as download:
            page.click(f"#downloads [data-file={kind}]")
        files[kind] = tmp_path / download.value.suggested_filename
        download.value.save_as(files[kind])
    embedding = controller_of(explorer).session.maps[0]
    assert np.array_equal(ng.load(files["embedding"]).positions, embedding.positions)
    table = pd.read_csv(files["predictions"], sep="\t")
    assert table["probability"].tolist() == embedding.likely_links(count=1000)["probability"].tolist()
    assert files["page"].name == "map.html"
    page.goto(files["page"].as_uri())
    page.wait_for_selector("canvas")


def test_a_fit_moves_and_can_be_stopped(page, explorer, monkeypatch):
    monkeypatch.setattr("netgiven.explorer.session.MIN_SECONDS", 300.0)
    open_example(page)
    page.click("#step-map summary")
    page.select_option("#reach-kind", "manual")
    page.click("#fit")
    page.wait_for_selector("#fit-message:has-text('Step')")
    page.wait_for_function("netgiven.explorer.page.channel.drawn_frame > 1")
    page.click("#stop")
    page.wait_for_selector("#fit-message:has-text('Stopped.')")
    assert controller_of(explorer).session.maps == []
    assert page.locator("#empty").is_visible()
    monkeypatch.undo()
    make_map(page)
    assert len(controller_of(explorer).session.maps) == 1


def test_after_an_error_the_old_network_stays(read_uploads_here, page, explorer):
    upload(page, "friends.csv", b"ann,bob\nbob,cid\n")
    page.wait_for_selector("#network-size:has-text('3 nodes')")
    for name, data, message in (
        ("broken.csv", b"ann,bob\ncid\n", "broken.csv, line 2"),
        ("links.exe", b"ann,bob\n", "links.exe has the suffix '.exe'"),
        ("huge.csv", b"0" * (2 << 20), "huge.csv is larger than 1 MB"),
        ("loop.csv", b"ann,ann\n", "a map needs at least two nodes and one link"),
    ):
        upload(page, name, data)
        page.wait_for_selector(f'#network-error:has-text("{message}")')
    assert page.inner_text("#network-title") == "friends.csv"
    assert controller_of(explorer).session.network.node_count == 3
    page.click("#step-map summary")
    page.select_option("#reach-kind", "manual")
    page.fill("#reach", "99")
    page.click("#fit")
    page.wait_for_selector("#fit-error:has-text('A reach of 99 was given')")


def test_opening_the_same_network_again(page):
    for _ in range(2):
        page.click("#open-example")
        page.wait_for_selector("#step-network:not(.busy) #network-title:visible")
    assert page.is_hidden("#open-nodes")


def hidden(page):
    return page.evaluate("Array.from(netgiven.hidden.get(netgiven.explorer.page.nodes()) ?? []).filter(Boolean).length")


def test_hidden_groups_follow_the_legend(page, explorer):
    open_example(page)
    make_map(page)
    first = "#legend li:first-child button[aria-pressed]"
    page.click(first)
    count = int(page.inner_text(f"{first} .count"))
    assert hidden(page) == count > 0
    page.click("#fit")
    page.wait_for_selector("#stop:visible")
    wait_for_map(page)
    page.wait_for_function("netgiven.hidden.has(netgiven.explorer.page.nodes() ?? {})")
    assert page.get_attribute(first, "aria-pressed") == "false"
    assert hidden(page) == count
    page.select_option("#colour", "project")
    page.wait_for_selector("#legend h2:has-text('project')")
    assert page.get_attribute(first, "aria-pressed") == "true"
    assert hidden(page) == 0


def test_columns_may_have_names_of_facts(read_uploads_here, page):
    upload(page, "friends.csv", b"ann,bob\nbob,cid\ncid,dan\n")
    page.wait_for_selector("#network-size:has-text('4 nodes')")
    upload(page, "who.csv", b"name,links,fit\nann,iron,x\nbob,iron,x\ncid,gold,y\ndan,gold,y\n", "nodes")
    page.wait_for_selector("#colour option[value=links]", state="attached")
    make_map(page)
    find(page, "ann")
    shown = page.locator("#details dl dd").all_inner_texts()
    assert shown == ["1, 1.00 expected", "iron", "x"]


def test_hostile_names_stay_text(read_uploads_here, page, explorer):
    count = len(HOSTILE)
    pairs = [(i, j) for i in range(count) for j in range(i) if (i + j) % 3]
    nodes = pd.DataFrame({"node": HOSTILE, "<b>team</b>": ["<i>x</i>", "$$y$$"] * (count // 2)})
    network = ng.Network.from_edges([(HOSTILE[i], HOSTILE[j]) for i, j in pairs], nodes=nodes)
    links, table = network.to_pandas()
    upload(page, "<u>links<u>.csv", links.to_csv(index=False).encode())
    page.wait_for_selector("#network-size:has-text('10 nodes')")
    upload(page, "<u>nodes<u>.csv", table.to_csv(index=False).encode(), part="nodes")
    page.wait_for_selector("#options h3")
    make_map(page, reach=1)
    for name in HOSTILE:
        page.fill("#search", re.split(r"\n", name)[0])
        page.wait_for_selector("#found li[role=option]")
        page.press("#search", "Enter")
        page.wait_for_function("(name) => document.querySelector('#details h2')?.textContent === name", arg=name)
    page.click("[data-table=neighbours] tbody tr:first-child button")
    page.wait_for_selector("#details[data-kind=pair]")
    page.evaluate("netgiven.explorer.page.panels[0].nodes.selected.indices = [0, 1, 2, 3]")
    page.wait_for_selector("#details[data-kind=group]")
    page.click("[data-action=new_node]")
    page.wait_for_selector("#details[data-kind=new_node]")
    page.click("#details .close")
    page.click("[data-action=fairness]:has-text('Check fairness by <b>team</b>')")
    page.wait_for_selector("#details h3:has-text('Fairness by <b>team</b>')")
    page.mouse.move(*place_of(page, 0))
    page.wait_for_selector(".tip:visible")
    assert page.locator("img, i:not([style]), u, #legend b, #details script").count() == 0
    assert "<i>x</i>" in page.inner_text("#legend")
    assert page.inner_text("#network-title") == "<u>links<u>.csv"
    assert page.inner_text("#titles b") == "degrees"


def test_ten_nodes_with_a_chosen_reach(read_uploads_here, page, explorer):
    ring = "".join(f"n{i} n{(i + 1) % 10}\n" for i in range(10))
    upload(page, "ring.txt", ring.encode())
    page.wait_for_selector("#network-size:has-text('10 nodes, 10 links')")
    page.click("#fit")
    wait_for_map(page)
    find(page, "n3")
    assert {row[0] for row in shown_table(page, "neighbours")} == {"n2", "n4"}


def test_a_network_named_on_the_command_line(open_tab, tmp_path):
    embedding = ng.embed(
        ng.datasets.company(30), "degrees+blocks:project", dimensions=4, reach=2, shrinkage=0.0,
        threads=1,
    )  # fmt: skip
    with served(OpenedNetwork.of("x.ng", embedding)) as explorer, open_tab(color_scheme="dark") as tab:
        enter(tab.page, explorer)
        tab.page.wait_for_selector("#details[data-kind=overview]")
        assert tab.page.inner_text("#titles").replace("\n", " ").startswith("given degrees+blocks:project reach 2")
        assert tab.page.inner_text("#knowledge-text") == "degrees+blocks:project"
        assert tab.page.evaluate("document.documentElement.dataset.theme") == "dark"
        assert not tab.page.is_visible("#open-nodes")


def test_leaving_the_page_stops_the_fit(open_tab, explorer):
    with open_tab() as tab:
        enter(tab.page, explorer)
        open_example(tab.page)
        tab.page.click("#fit")
        tab.page.wait_for_selector("#stop:visible")
        controller = controller_of(explorer)
        job = controller.session.job
    job.wait(60)
    assert not job.running
    assert job.was_stopped or job.embedding is not None
