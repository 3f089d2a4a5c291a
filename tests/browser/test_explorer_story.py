"""The whole story in a browser: say what is known, see what remains, name it, go back, save, reload, ask, export."""

import io
import json
import re
import zipfile

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score

import netgiven as ng
from netgiven.explorer.session import OpenedNetwork
from tests.helpers import controller_of, enter, served, wait_for_map

WIDTHS = {390: 844, 768: 1024, 1280: 800, 1920: 1080}


@pytest.fixture(scope="module")
def explorer():
    with served(max_megabytes=20) as one:
        yield one


def open_example(page):
    page.click("#open-example")
    page.wait_for_selector("#network-title:visible")


def wait_for_new_map(page, count):
    """Until so many maps are in the strip, and nodes have stopped gliding."""
    page.wait_for_function(f"(JSON.parse(netgiven.explorer.page.channel.strip).maps ?? []).length === {count}")
    wait_for_map(page)
    page.wait_for_function("!netgiven.explorer.page.gliding")


def assert_drawn(page, explorer, number):
    """The first panel shows a map of the strip, node by node."""
    there = controller_of(explorer)._aligned[number]
    assert drawn(page) == pytest.approx(there[:, 0], abs=1e-6)


def tell(page, knowledge, maps):
    page.click(f"[data-tell='{knowledge}']")
    wait_for_new_map(page, maps)


def strip(page):
    return json.loads(page.evaluate("netgiven.explorer.page.channel.strip"))


def drawn(page):
    return np.array(page.evaluate("Array.from(netgiven.explorer.page.panels[0].x)"))


@pytest.mark.parametrize("width", WIDTHS)
def test_the_story_at_every_width(explorer, open_tab, width):
    with open_tab() as tab:
        page = tab.page
        page.set_viewport_size({"width": width, "height": WIDTHS[width]})
        page.set_default_timeout(60_000)
        enter(page, explorer)
        open_example(page)
        page.click("#guide .primary")  # the first move: the map given degrees
        wait_for_new_map(page, 1)
        session = controller_of(explorer).session
        network, first = session.network, session.maps[0]
        page.wait_for_selector("[data-tell='blocks:department']")
        read = ng.readable(first).set_index("column")["read"]
        shown = page.locator("#readable [data-column=department]").get_attribute("data-read")
        assert float(shown) == read["department"] > 0.7

        assert_drawn(page, explorer, 0)

        tell(page, "blocks:department", maps=2)  # the second move
        assert_drawn(page, explorer, 1)
        given = "degrees+blocks:department"
        assert page.locator("#knowledge-text").inner_text() == given
        page.wait_for_function("document.querySelectorAll('#ledger li').length === 3")
        found = ng.ledger(network, given, session.maps[0])
        shares = [float(one.get_attribute("data-share")) for one in page.locator("#ledger b").all()]
        assert shares == pytest.approx(found.table["share"].tolist(), rel=1e-9)
        labels = page.locator(".group-label").all_inner_texts()  # the third: projects have names
        assert set(labels) <= set(network.column("project"))
        groups = session.maps[0].groups()
        assert adjusted_rand_score(network.groups("project")[0], groups.numbers) >= 0.9

        page.click("[data-action=tell_groups]")
        wait_for_new_map(page, 3)
        assert_drawn(page, explorer, 2)
        assert str(session.knowledge) == f"{given}+blocks:found group"
        assert session.network.groups("found group")[0].tolist() == _renumbered(groups.numbers)
        page.wait_for_selector("[data-section=groups]:has-text('No groups')")

        page.click("#strip [data-map='0']")  # back to the first, which is where it was
        page.wait_for_function("JSON.parse(netgiven.explorer.page.channel.strip).shown[0] === 0")
        page.wait_for_function("!netgiven.explorer.page.gliding")
        assert session.maps == [first]
        assert_drawn(page, explorer, 0)
        page.wait_for_function("document.querySelectorAll('#ledger li').length === 2")  # its ledger, too
        assert page.locator("#ledger li").last.get_attribute("data-knowledge") == ""
        assert page.locator("#knowledge-text").inner_text() == "degrees"
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def _renumbered(numbers):
    """Codes as the network gives them: values in alphabetical or first order, compared as a partition."""
    _, codes = np.unique(numbers, return_inverse=True)
    return codes.tolist()


def test_two_maps_side_by_side_and_none_is_lost(page, explorer):
    open_example(page)
    page.click("#fit")
    wait_for_new_map(page, 1)
    tell(page, "blocks:department", maps=2)
    page.click("#strip [data-beside='0']")
    page.wait_for_selector("#titles > div:nth-child(2) b:text-is('degrees')")
    assert page.locator("#titles b").all_inner_texts() == ["degrees+blocks:department", "degrees"]
    page.click("#titles .close >> nth=0")
    page.wait_for_function("document.querySelectorAll('#titles b').length === 1")
    assert [one["given"] for one in strip(page)["maps"]] == ["degrees", "degrees+blocks:department"]


def test_saved_reloaded_and_opened_again(page, explorer, tmp_path):
    open_example(page)
    page.click("#fit")
    wait_for_new_map(page, 1)
    tell(page, "blocks:department", maps=2)
    before = controller_of(explorer).session
    page.click("#downloads summary")
    with page.expect_download() as download:
        page.click("#downloads [data-file=session]")
    saved = tmp_path / download.value.suggested_filename
    download.value.save_as(saved)
    with zipfile.ZipFile(saved) as archive:
        assert archive.namelist() == ["session.json", "map-1.ng", "map-2.ng"]
        first = io.BytesIO(archive.read("map-1.ng"))
    (tmp_path / "first.ng").write_bytes(first.getvalue())
    assert np.array_equal(ng.load(tmp_path / "first.ng").positions, before.history[0].positions)

    page.reload()
    page.wait_for_function("window.netgiven?.explorer?.page")
    page.wait_for_selector("#strip [data-map='1']")
    assert [one["given"] for one in strip(page)["maps"]] == ["degrees", "degrees+blocks:department"]

    page.evaluate("sessionStorage.clear()")
    enter(page, explorer)
    page.set_input_files("#links-file", saved)
    page.wait_for_selector("#strip [data-map='1']")
    after = controller_of(explorer).session
    assert [one.prior.knowledge for one in after.history] == [one.prior.knowledge for one in before.history]
    assert str(after.knowledge) == str(before.knowledge)
    assert after.title == "Example: a company"


def test_links_sorted_by_lift(page, explorer):
    open_example(page)
    page.click("#fit")
    wait_for_new_map(page, 1)
    page.wait_for_selector("[data-table=likely]")
    page.select_option("#details [data-key=sort]", "lift")
    page.wait_for_function("JSON.parse(netgiven.explorer.page.channel.details).order === 'lift'")
    embedding = controller_of(explorer).session.maps[0]
    likely = embedding.likely_links(count=200).sort_values("lift", ascending=False, kind="stable").head(10)
    shown = page.locator("[data-table=likely] [data-column=probability]").all()
    assert [float(cell.get_attribute("data-value")) for cell in shown] == likely["probability"].tolist()
    surprising = embedding.surprising_links(10, by="lift")
    cells = page.locator("[data-table=surprising] [data-column=surprise]").all()
    assert [float(cell.get_attribute("data-value")) for cell in cells] == surprising["surprise"].tolist()


def test_the_table_and_the_map_are_linked(page, explorer):
    open_example(page)
    page.click("#fit")
    wait_for_new_map(page, 1)
    page.click("#table-button")
    page.wait_for_selector("#node-table .row[data-node]")
    page.click("[data-sort=degree]")
    network = controller_of(explorer).session.network
    most = network.nodes[int(np.argmax(network.degrees))]
    assert page.locator("#node-table .rows .row button").first.inner_text() == most
    page.select_option("#node-table [data-action=filter]", "department")
    page.select_option("#node-table .filter select", label="sales")
    count = int((network.column("department") == "sales").sum())
    page.wait_for_selector(f"#node-table .table-tools:has-text('{count} nodes of 240')")
    hidden = "Array.from(netgiven.hidden.get(netgiven.explorer.page.nodes()) ?? []).filter(Boolean).length"
    assert page.evaluate(hidden) == 240 - count
    with page.expect_download() as download:
        page.click("#node-table [data-action=csv]")
    table = pd.read_csv(download.value.path())
    assert set(table["department"]) == {"sales"} and len(table) == count
    page.click("#node-table [data-action=select-rows]")
    page.wait_for_selector("#details[data-kind=group]")
    assert len(controller_of(explorer).session.selection) == count
    page.keyboard.press("Escape")
    page.wait_for_selector("#details[data-kind=overview]")


def test_three_questions_and_a_fit_with_the_answers(open_tab, tmp_path):
    network = ng.datasets.company(60)
    links, _ = network.to_pandas()
    pairs = [("person 001", "person 002"), ("person 003", "person 009"), ("person 010", "person 020")]
    unlinked = [pair for pair in pairs if pair[1] not in network.neighbours(pair[0])]
    more = [(network.nodes[0], network.nodes[other]) for other in range(30, 60)]
    unlinked += [pair for pair in more if pair[1] not in network.neighbours(pair[0])]
    with served() as explorer, open_tab() as tab:
        page = tab.page
        page.set_default_timeout(60_000)
        enter(page, explorer)
        file = {"name": "links.csv", "mimeType": "text/plain", "buffer": links.to_csv(index=False).encode()}
        page.set_input_files("#links-file", file)
        page.wait_for_selector("#network-size:has-text('60 nodes')")
        listed = pd.DataFrame(unlinked, columns=["u", "v"]).to_csv(index=False).encode()
        page.set_input_files("#unobserved-file", {"name": "pairs.csv", "mimeType": "text/plain", "buffer": listed})
        page.wait_for_selector("#network-size:has-text('unobserved')")
        page.click("#fit")
        wait_for_new_map(page, 1)
        page.wait_for_selector("[data-answer=yes]")
        for place, answer in enumerate(("yes", "no", "skip")):
            page.locator(f"[data-answer={answer}]").nth(place).click()
            page.wait_for_function(
                f"JSON.parse(netgiven.explorer.page.channel.answers).answers?.length === {place + 1}"
            )
        session = controller_of(explorer).session
        first, second, reply = session.answers[0]
        assert reply == "yes"
        page.click("[data-action=refit]")
        wait_for_new_map(page, 2)
        after = session.maps[0]
        assert after.network.link_count == network.link_count + 1
        assert session.network.unobserved_count == len(unlinked) - 2
        assert after.network.are_linked([first], [second])[0]
        assert page.locator(".changed").inner_text().startswith("1 link and 1 pair without a link were added")
        with page.expect_download() as download:
            page.click("[data-file=answers]")
        table = pd.read_csv(download.value.path())
        assert sorted(table["linked"]) == ["no", "skip", "yes"]


def test_hostile_names_stay_text_in_new_places(open_tab):
    names = ["<img src=x onerror=alert(1)>", "=1+1", '"quoted"', "</script><b>", "a & b", "\u202egnal"] + [
        f"n{i}" for i in range(24)
    ]
    pairs = [(names[i], names[j]) for i in range(30) for j in range(i) if i % 3 == j % 3]
    columns = {"name": names, "<b>team</b>": [f"<i>{i % 3}</i>" for i in range(30)]}
    network = ng.Network.from_edges(pairs, nodes=columns)
    with served(OpenedNetwork("<u>title</u>", network)) as explorer, open_tab() as tab:
        page = tab.page
        page.set_default_timeout(60_000)
        enter(page, explorer)
        page.click("#fit")
        wait_for_new_map(page, 1)
        page.wait_for_selector("#proposals, [data-section=groups] .found")
        page.click("#table-button")
        page.wait_for_selector("#node-table .row[data-node]")
        page.select_option("#node-table [data-action=filter]", "<b>team</b>")
        assert page.locator("#node-table i, #node-table b, #ledger u, img[src=x]").count() == 0
        with page.expect_download() as download:
            page.click("#node-table [data-action=csv]")
        assert "'=1+1" in download.value.path().read_text()


def test_focus_stays_and_slash_finds(page):
    open_example(page)
    page.click("#fit")
    wait_for_new_map(page, 1)
    page.wait_for_selector("#details [data-key=sort]")
    page.focus("#details [data-key=sort]")
    page.select_option("#details [data-key=sort]", "surprise")
    page.wait_for_function("JSON.parse(netgiven.explorer.page.channel.details).order === 'surprise'")
    assert page.evaluate("document.activeElement.dataset.key") == "sort"
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("/")
    page.wait_for_function("document.activeElement.id === 'search'")
    assert page.get_attribute("#search", "role") == "combobox"


# ---- the keyboard --------------------------------------------------------------------------------------------------

# what has the focus: its id, its key, or its text
FOCUSED = """(() => { const { id, dataset, localName, textContent } = document.activeElement;
  return localName === "body" ? "body" : id || dataset.key || textContent; })()"""


def press_enter(page, selector):
    """Use a part of the page without the mouse."""
    page.focus(selector)
    page.keyboard.press("Enter")


def wait_for_focus(page, expected):
    page.wait_for_function(f"(expected) => {FOCUSED} === expected", arg=expected)


def two_maps(page):
    """The example, with a map given degrees and one given departments, too."""
    open_example(page)
    page.click("#fit")
    wait_for_new_map(page, 1)
    tell(page, "blocks:department", maps=2)
    page.wait_for_function("document.querySelectorAll('#ledger li').length === 3")


def test_the_focus_comes_back_after_a_fit(page):
    open_example(page)
    press_enter(page, "#guide .primary")
    page.wait_for_selector("#stop:visible")
    wait_for_focus(page, "guide")  # the bar itself, as its button is disabled
    assert page.evaluate("document.activeElement.localName") == "div"
    wait_for_new_map(page, 1)
    page.wait_for_selector("#guide .primary:has-text('Tell the departments'):focus")
    press_enter(page, "#fit")
    page.wait_for_selector("#stop:visible")
    wait_for_focus(page, "3Map")  # the heading of the step
    wait_for_new_map(page, 2)
    wait_for_focus(page, "fit")
    assert page.get_attribute("#step-map h2", "tabindex") is None


def test_the_focus_stays_where_knowledge_is_told_and_taken_back(page):
    open_example(page)
    page.click("#fit")
    wait_for_new_map(page, 1)
    page.wait_for_selector("[data-tell='blocks:department']")
    press_enter(page, "[data-tell='blocks:department']")
    wait_for_new_map(page, 2)
    page.wait_for_selector("#step-knowledge :is(h2, h3):focus")
    press_enter(page, "#ledger [data-key='untell blocks:department']")
    page.wait_for_selector("#knowledge-text:text-is('degrees')")
    page.wait_for_selector("#step-knowledge :is(h2, h3):focus")
    page.focus("#options [data-key='option blocks:project']")
    page.keyboard.press("Space")
    page.wait_for_selector("#knowledge-text:has-text('blocks:project')")
    wait_for_focus(page, "option blocks:project")


def test_the_focus_stays_in_strip_titles_and_cards(page):
    two_maps(page)
    press_enter(page, "#strip [data-map='0']")
    page.wait_for_function("JSON.parse(netgiven.explorer.page.channel.strip).shown[0] === 0")
    page.wait_for_function("!netgiven.explorer.page.gliding")
    wait_for_focus(page, "map 0")
    press_enter(page, "#strip [data-beside='1']")
    page.wait_for_function("document.querySelectorAll('#titles b').length === 2")
    wait_for_focus(page, "map 1")
    press_enter(page, "#titles [data-key='close 0']")
    page.wait_for_function("document.querySelectorAll('#titles b').length === 1")
    wait_for_focus(page, "titles")
    page.wait_for_selector("#details[data-kind=overview] [data-table=likely]")
    press_enter(page, "[data-table=likely] tbody tr:first-child button")
    page.wait_for_selector("#details[data-kind=pair]")
    wait_for_focus(page, "Pair")
    press_enter(page, "#details .end >> nth=0")
    page.wait_for_selector("#details[data-kind=node]")
    press_enter(page, "#details .close")
    page.wait_for_selector("#details[data-kind=overview]")
    wait_for_focus(page, "Network")
    press_enter(page, "#details [data-action=tell_groups]")
    page.wait_for_selector("#stop:visible")
    page.wait_for_function(f"{FOCUSED} !== 'body'")


def test_the_focus_stays_in_the_table(page):
    open_example(page)
    page.click("#fit")
    wait_for_new_map(page, 1)
    press_enter(page, "#table-button")
    page.wait_for_selector("#node-table .row[data-node]")
    press_enter(page, "[data-sort=degree]")
    wait_for_focus(page, "sort degree")
    press_enter(page, "#node-table [data-key='sort node']")
    wait_for_focus(page, "sort node")
    press_enter(page, "#node-table [data-key='row 2']")
    page.wait_for_selector("#node-table .row.chosen[data-node='2']")
    wait_for_focus(page, "row 2")
    page.evaluate("document.querySelector('#node-table .scroll').scrollTop = 3000")
    page.wait_for_selector("#node-table .scroll:focus")  # the row is not drawn now
    page.evaluate("document.querySelector('#node-table .scroll').scrollTop = 0")
    wait_for_focus(page, "row 2")
    page.focus("#node-table [data-action=filter]")
    page.select_option("#node-table [data-action=filter]", "degree")
    page.wait_for_selector("#node-table .filter [placeholder=from]:focus")
    page.keyboard.type("20")
    page.keyboard.press("Tab")
    page.wait_for_selector("#node-table .filter [placeholder=to]:focus")
    press_enter(page, "#node-table .filter .close")
    wait_for_focus(page, "filter")
    press_enter(page, "#node-table .table-tools .close")
    wait_for_focus(page, "table-button")


def test_who_clicks_elsewhere_keeps_no_focus(page):
    open_example(page)
    page.focus("#fit")
    page.click("#step-network h2")
    page.evaluate("netgiven.explorer.page.steps.update()")
    page.click("#theme")
    page.evaluate("document.activeElement.blur()")
    page.evaluate("netgiven.explorer.page.update()")
    page.wait_for_timeout(50)
    assert page.evaluate(FOCUSED) == "body"


def test_escape_closes_the_menu_of_downloads(page):
    open_example(page)
    assert page.evaluate("document.querySelector('#downloads').inert")
    page.click("#fit")
    wait_for_new_map(page, 1)
    page.evaluate("netgiven.explorer.page.select([3])")
    page.wait_for_selector("#details[data-kind=node]")
    press_enter(page, "#downloads summary")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.dataset.file") == "page"
    page.keyboard.press("Escape")
    page.wait_for_selector("#downloads:not([open]) summary:focus")
    assert page.get_attribute("#details", "data-kind") == "node"  # the next Escape clears the selection
    page.keyboard.press("Escape")
    page.wait_for_selector("#details[data-kind=overview]")
    page.click("#downloads summary")
    page.click("#details h2")
    page.wait_for_selector("#downloads:not([open])")


def test_steps_that_are_greyed_out_cannot_be_reached(page):
    reached = []
    for _ in range(25):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate("[document.activeElement.id, document.activeElement.closest('.disabled, .off')?.id]")
        )
    assert "open-example" in {one for one, _ in reached}
    assert {step for _, step in reached} == {None}
    open_example(page)
    page.focus("#copy")
    assert page.evaluate(FOCUSED) == "copy"


# ---- sizes and texts -----------------------------------------------------------------------------------------------


def measure(page, selector):
    return page.evaluate(
        """(selector) => [...document.querySelectorAll(selector)].map((element) => {
            const { width, height } = element.getBoundingClientRect();
            return [width, height, element.scrollWidth - element.clientWidth]; })""",
        selector,
    )


def test_the_map_is_large_enough_at_twice_the_size(open_tab, explorer):
    with open_tab() as tab:
        page = tab.page
        page.set_viewport_size({"width": 640, "height": 400})
        page.set_default_timeout(60_000)
        enter(page, explorer)
        two_maps(page)
        assert page.is_visible("#guide") and page.is_visible("#strip")
        [(width, height, _)] = measure(page, "#canvas")
        figure = page.evaluate("netgiven.explorer.page.panels[0].figure.inner_height")
        assert width > 600 and height >= 200 and figure >= 200
        page.click("#table-button")
        page.wait_for_selector("#node-table .row[data-node]")
        assert measure(page, "#canvas")[0][1] >= 200
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_titles_can_be_read_side_by_side_at_390(open_tab, explorer):
    with open_tab() as tab:
        page = tab.page
        page.set_viewport_size({"width": 390, "height": 844})
        page.set_default_timeout(60_000)
        enter(page, explorer)
        two_maps(page)
        page.click("#strip [data-beside='0']")
        page.wait_for_selector("#titles > div:nth-child(2) b:text-is('degrees')")
        titles = [" ".join(text.split()) for text in page.locator("#titles > div").all_inner_texts()]
        assert [text.split()[1] for text in titles] == ["degrees+blocks:department", "degrees"]
        whole = "[...document.querySelectorAll('#titles > div')].map((one) => one.scrollHeight <= one.clientHeight)"
        assert page.evaluate(whole) == [True, True]
        assert all(width >= 50 for width, _, _ in measure(page, "#titles b"))
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        page.click("#downloads summary")
        assert page.locator("#downloads > div").bounding_box()["x"] >= 0


def test_a_prior_on_a_card_is_broken_between_its_parts(page):
    two_maps(page)
    assert page.locator("#details dd >> nth=0").evaluate("(one) => one.querySelectorAll('wbr').length") == 2
    assert page.inner_text("#details dd >> nth=0") == "degrees+blocks:department"


def test_a_value_that_all_nodes_of_a_group_have_is_not_cut(page):
    two_maps(page)
    research = np.flatnonzero(ng.datasets.company().columns["department"] == "research").tolist()
    page.evaluate("(numbers) => netgiven.explorer.page.select(numbers)", research)
    page.wait_for_selector("#details[data-kind=group] .frequent")
    assert page.locator("#details .frequent b").all_inner_texts() == ["100 %"]
    [(_, height, beyond)] = measure(page, "#details .frequent b")
    assert height < 25 and beyond == 0
    assert measure(page, "#details .frequent .name")[0][2] == 0


def test_the_table_uses_its_width_at_2560(open_tab, explorer):
    with open_tab() as tab:
        page = tab.page
        page.set_viewport_size({"width": 2560, "height": 1440})
        page.set_default_timeout(60_000)
        enter(page, explorer)
        open_example(page)
        page.click("#fit")
        wait_for_new_map(page, 1)
        page.click("#table-button")
        page.wait_for_selector("#node-table .row[data-node]")
        wide = page.locator("#node-table .scroll").bounding_box()["width"]
        for row in ("#node-table .head", "#node-table .rows .row >> nth=0"):
            assert sum(cell.bounding_box()["width"] for cell in page.locator(row).locator("> span").all()) > 0.95 * wide
        places = [
            [cell.bounding_box()["x"] for cell in page.locator(row).locator("> span").all()]
            for row in ("#node-table .head", "#node-table .rows .row >> nth=0")
        ]
        assert places[0] == pytest.approx(places[1], abs=1)


def all_texts(page):
    """Everything that the page shows or explains."""
    return page.evaluate(
        """[document.querySelector("main").innerText,
            ...[...document.querySelectorAll("main [title]")].map(({ title }) => title)].join(" ")"""
    )


def test_shares_are_written_in_one_way(page):
    two_maps(page)
    shown = [all_texts(page)]
    for numbers, kind in (([3], "node"), ([3, 4], "pair"), ([3, 4, 5, 6], "group")):
        page.evaluate("(numbers) => netgiven.explorer.page.select(numbers)", numbers)
        page.wait_for_selector(f"#details[data-kind={kind}]")
        shown.append(all_texts(page))
    for text in shown:
        assert re.search(r"\d %", text)
        assert not re.search(r"\d%", text)
    assert "How many times likelier than what was given alone says." in shown[0]


def test_the_page_says_when_nodes_do_not_glide(page):
    text = "More than 100 nodes do not glide from map to map."
    page.evaluate("netgiven.Glide.most = 100")
    open_example(page)
    page.click("#fit")
    wait_for_new_map(page, 1)
    assert page.is_hidden("#jumps")
    tell(page, "blocks:department", maps=2)
    assert page.inner_text("#jumps") == text
    page.evaluate("netgiven.Glide.most = 20000; netgiven.explorer.page.showJumps()")
    assert page.is_hidden("#jumps")


def test_nodes_are_coloured_by_surprise(page, explorer):
    open_example(page)
    page.click("#fit")
    wait_for_new_map(page, 1)
    page.select_option("#colour", "surprise")
    page.wait_for_selector("#legend h2:has-text('surprise')")
    controller = controller_of(explorer)
    bits = controller.session.maps[0].node_surprise()
    scale = controller.canvas.marks.scale
    assert (scale.low, scale.high) == pytest.approx((bits.min(), bits.max()))


def test_the_table_shows_all_columns_and_labels_have_a_border(page):
    page.set_viewport_size({"width": 1280, "height": 800})
    open_example(page)
    page.click("#fit")
    wait_for_new_map(page, 1)
    page.wait_for_selector(".group-label:visible")
    assert page.eval_on_selector(".group-label", "(label) => getComputedStyle(label).borderTopWidth") == "1px"
    page.click("#table-button")
    page.wait_for_selector("#node-table .row[data-node]")
    edge = "(cell) => cell.getBoundingClientRect().right <= cell.closest('.scroll').getBoundingClientRect().right"
    assert page.locator("#node-table .head > span").last.evaluate(edge)
