"""The reproduction on tiny networks: what is run, what is stored, and what is reported."""

import json
import re
from dataclasses import replace
from functools import partial
from pathlib import Path
from shutil import copytree
from types import SimpleNamespace

import numpy as np
import pytest

import netgiven as ng
from experiments.page import to_markdown
from experiments.paper import figures, methods, published
from experiments.paper.methods import (
    FALSE_POSITIVE_RATES,
    details_and_costs,
    grade_link_split,
    hide_half_of_links,
    roc_curve,
)
from experiments.paper.plan import Data, Result, Row, Table, Unit, plan
from experiments.paper.report import TIMES, Facts, make_report, measure_grid, write_report
from experiments.paper.run import Request, StoredResult, identity, load_all, load_unit, path_of, run
from experiments.paper.summary import Average, Summary
from netgiven.evaluation.methods import ConditionalEmbedding, Heuristic, PriorAlone
from netgiven.fitting.settings import Settings
from netgiven.metrics import auc

NASTY = 'Jaccard <b>&"bold"</b> | $x$ *y*'
FITTED = Settings(dimensions=2, max_steps=10)


def row(name, method, **more):
    return Row(name, lambda network, threads: method, **more)


ROWS = (
    row(NASTY, Heuristic("Jaccard"), paper="theirs", tolerance=0.004, drawn=True),
    row("slow", Heuristic("Adamic-Adar"), most_splits=1),
    row("embedding", ConditionalEmbedding(ng.degrees(), FITTED), drawn=True),
    row("prior", PriorAlone(ng.degrees())),
)
TABLE = Table(
    name="tiny",
    title="Tiny <networks>",
    about="About.",
    networks={"one": "One & only", "two": "Two"},
    measures=("AUC", "average precision"),
    rows=ROWS,
    hide=hide_half_of_links,
    grade=grade_link_split,
    paper={"AUC": {"theirs": {"one": 0.5}}},
)


def network(seed):
    random = np.random.default_rng(seed)
    group = np.arange(60) % 3
    first, second = np.triu_indices(60, 1)
    linked = random.random(len(first)) < np.where(group[first] == group[second], 0.4, 0.05)
    return ng.Network.from_edges(np.column_stack([first, second])[linked], nodes={"node": range(60), "type": group})


def source(seed):
    return lambda: Data(network(seed))


SOURCES = {"one": source(1), "two": source(2)}


REQUEST = Request([TABLE], ["one", "two"], splits=2)


@pytest.fixture
def run_request():
    return REQUEST


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A folder where everything was run, and the record of the run."""
    folder = tmp_path_factory.mktemp("finished")
    return folder, run(REQUEST, SOURCES, folder)


@pytest.fixture
def finished_copy(finished, tmp_path):
    """A copy of the folder where everything was run, for tests that change it."""
    return Path(copytree(finished[0], tmp_path, dirs_exist_ok=True))


def report(folder, record, tables=(TABLE,)):
    """The report on what is stored, as text, without its times."""
    stored = load_all(tables, folder, record.fingerprints)
    write_report(tables, stored, Facts("make reproduce", record.problems), folder)
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def untimed(files):
    """Up to the heading of the times, which is the last one of its level."""
    pattern = rb"(?s)(## |<h2>)" + TIMES.encode() + rb".*"
    return {name: re.sub(pattern, b"", content) for name, content in files.items()}


# ---- the plan --------------------------------------------------------------------------------------------------------


def test_units_come_split_by_split_and_slow_rows_stop_early():
    units = plan([TABLE], ["one", "two"], splits=3)
    assert [unit.split for unit in units] == sorted(unit.split for unit in units)
    assert [(unit.network, unit.row.name) for unit in units[:4]] == [("one", row.name) for row in ROWS]
    assert [unit.split for unit in units if unit.row.name == "slow"] == [0, 0]
    assert len(units) == 2 * (3 * 3 + 1)
    quick = plan([TABLE], ["one"], splits=3, quick=True)
    assert [unit.row.name for unit in quick] == [NASTY, "embedding", "prior"]
    with pytest.raises(ng.InputError, match="0 splits"):
        plan([TABLE], ["one"], splits=0)


def test_the_fingerprint_knows_links_and_columns():
    plain = Data(network(1))
    assert plain.fingerprint == Data(network(1)).fingerprint
    assert plain.fingerprint != Data(network(2)).fingerprint
    other = network(1).with_columns(network(1).columns.assign(type=0))
    assert plain.fingerprint != Data(other).fingerprint
    with pytest.raises(ng.InputError, match="no labels"):
        _ = plain.labels


# ---- running ---------------------------------------------------------------------------------------------------------


class Interruption(Exception):  # noqa: N818
    """Somebody pressed a key."""


def counting(calls, stop_at=None):
    def grade(method, data, split, seed):
        calls.append((repr(method), seed))
        if len(calls) == stop_at:
            raise Interruption
        return grade_link_split(method, data, split, seed)

    return grade


def test_an_interrupted_run_goes_on_where_it_stopped(run_request, tmp_path):
    calls = []
    stopping = run_request._replace(tables=[replace(TABLE, grade=counting(calls, stop_at=3))])
    with pytest.raises(Interruption):
        run(stopping, SOURCES, tmp_path / "a")
    assert len(list((tmp_path / "a" / "units").iterdir())) == 2
    again = []
    record = run(run_request._replace(tables=[replace(TABLE, grade=counting(again))]), SOURCES, tmp_path / "a")
    assert len(again) == 14 - 2
    nothing = []
    run(run_request._replace(tables=[replace(TABLE, grade=counting(nothing))]), SOURCES, tmp_path / "a")
    assert nothing == []
    at_once = run(run_request, SOURCES, tmp_path / "b")
    assert untimed(report(tmp_path / "a", record)) == untimed(report(tmp_path / "b", at_once))


def test_the_same_command_twice_gives_the_same_report(run_request, tmp_path):
    first, second = (
        report(tmp_path / str(count), run(run_request, SOURCES, tmp_path / str(count), count)) for count in (1, 2)
    )
    assert set(first) == {
        "report.md",
        "report.html",
        "tiny-auc.svg",
        "tiny-roc-curves.svg",
        "tiny-calibration.svg",
    }
    assert untimed(first) == untimed(second)
    assert TIMES.encode() in first["report.md"] and b"How this was made" in untimed(first)["report.md"]


def test_the_callback_sees_every_unit(run_request, tmp_path):
    seen = []
    run(run_request, SOURCES, tmp_path, callback=lambda unit, done, total: seen.append((str(unit), done, total)))
    assert [done for _, done, _ in seen] == list(range(14))
    assert {total for *_, total in seen} == {14}
    assert seen[2][0] == "tiny, one, split 1: embedding"


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[: len(text) // 2],
        lambda text: "",
        lambda text: "[1, 2]",
        lambda text: text.replace('"AUC"', '"CUA"', 1).replace('"measures"', '"other"'),
        lambda text: re.sub(r'"AUC": [\d.]+', '"AUC": "much"', text),
        lambda text: text.replace(f'"{ng.__version__}"', '"0.0.0"'),
        lambda text: re.sub(r'"fingerprint": "\w', '"fingerprint": "-', text),
        lambda text: text.replace("Jaccard", "Adamic-Adar"),
        lambda text: text.replace('"split": 0', '"split": 1'),
    ],
)
def test_a_file_that_is_damaged_or_of_something_else_is_run_again(run_request, finished_copy, damage):
    unit = plan([TABLE], ["one"], 1)[0]
    path = path_of(unit, finished_copy)
    before = path.read_text()
    assert damage(before) != before
    path.write_text(damage(before))
    calls = []
    record = run(run_request._replace(tables=[replace(TABLE, grade=counting(calls))]), SOURCES, finished_copy)
    assert len(calls) == 1
    assert load_unit(unit, finished_copy, record.fingerprints["tiny", "one"]) is not None


def test_another_setting_is_another_unit(run_request, finished_copy):
    changed = row("embedding", ConditionalEmbedding(ng.degrees(), replace(FITTED, max_steps=11)))
    calls = []
    table = replace(TABLE, rows=(*ROWS[:2], changed, ROWS[3]), grade=counting(calls))
    run(run_request._replace(tables=[table]), SOURCES, finished_copy)
    assert len(calls) == 4 and all("11" in method for method, _ in calls)


def test_processes_share_a_folder_and_the_report_is_on_all(run_request, tmp_path):
    run(run_request._replace(networks=["two"]), SOURCES, tmp_path)
    record = run(run_request._replace(networks=["one"]), SOURCES, tmp_path)
    assert list(record.fingerprints) == [("tiny", "one")]
    (tmp_path / "units" / "notes.txt.json").write_text("something else")
    text = report(tmp_path, record)["report.md"].decode()
    assert "Two" in text and "One &amp; only" in text


def test_units_that_another_process_has_done_are_not_run_again(run_request, tmp_path):
    calls = []

    def callback(unit, done, total):
        if done == 0:
            run(run_request, SOURCES, tmp_path)

    run(run_request._replace(tables=[replace(TABLE, grade=counting(calls))]), SOURCES, tmp_path, callback=callback)
    assert calls == []


# ---- what cannot be run ----------------------------------------------------------------------------------------------


def missing():
    raise ng.InputError("There is no two.edges; it is made from https://example.org/two.")


def test_missing_data_are_listed_and_the_rest_is_run(run_request, tmp_path):
    record = run(run_request, {"one": source(1), "two": missing}, tmp_path)
    assert [problem.what for problem in record.problems] == ["two"]
    text = report(tmp_path, record)["report.md"].decode()
    assert "- two: There is no two.edges; it is made from https://example.org/two." in text
    assert "| method | One &amp; only | splits |" in text


def test_a_missing_library_leaves_its_rows_out(run_request, tmp_path):
    table = replace(TABLE, rows=(*ROWS, row("walks", None, needs="no_such_library")))
    record = run(run_request._replace(tables=[table]), SOURCES, tmp_path)
    assert record.problems == [("walks", "no_such_library is not installed: pip install --group experiments")]
    text = report(tmp_path, record, [table])["report.md"].decode()
    assert "Not run: walks." in text and "pip install --group experiments" in text


def test_a_method_that_cannot_run_on_a_network_is_listed_and_the_rest_is_run(run_request, tmp_path):
    table = replace(TABLE, rows=(row("blocks", PriorAlone(ng.blocks("colour"))), ROWS[0]))
    record = run(run_request._replace(tables=[table]), SOURCES, tmp_path)
    assert [problem.what for problem in record.problems] == ["blocks on one", "blocks on two"]
    assert "no node column 'colour'" in record.problems[0].why
    assert len(load_all([table], tmp_path, record.fingerprints)) == 4


def test_missing_labels_do_not_stop_other_tables(run_request, tmp_path):
    labels = replace(TABLE, name="labels", title="Labels", fingerprint=lambda data: data.label_fingerprint)
    record = run(run_request._replace(tables=[TABLE, labels], networks=["one"]), SOURCES, tmp_path)
    assert record.problems == [("Labels on one", "This network has no labels to predict.")]
    assert len(load_all([TABLE, labels], tmp_path, record.fingerprints)) == 7


def test_a_folder_that_cannot_be_made_raises_a_clear_error(run_request, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ng.InputError, match="cannot be made"):
        run(run_request, SOURCES, tmp_path / "file")


# ---- results and report ----------------------------------------------------------------------------------------------


def test_grading_finds_what_metrics_find():
    data = Data(network(1))
    split = hide_half_of_links(data, 0)
    result = grade_link_split(PriorAlone(ng.degrees()), data, split, 0)
    scores = PriorAlone(ng.degrees()).score(split.train, split.pairs, 0)
    assert result.measures["AUC"] == auc(split.truth, scores)
    assert np.trapezoid(result.curve, FALSE_POSITIVE_RATES) == pytest.approx(result.measures["AUC"], abs=0.02)
    assert np.sum(result.reliability["weight"]) == pytest.approx(60 * 59 / 2 - split.train.link_count)
    assert json.loads(json.dumps(result.curve)) == result.curve
    assert grade_link_split(Heuristic("Jaccard"), data, split, 0).reliability == {}


def test_the_curve_rises_from_left_to_right():
    truth = np.array([True, False, True, False])
    assert (np.diff(roc_curve(truth, np.array([np.inf, 1.0, 0.5, -np.inf]))) >= 0).all()
    assert roc_curve(truth, np.array([2.0, 0.0, 2.0, 0.0])).tolist() == [1.0] * len(FALSE_POSITIVE_RATES)


def test_times_are_separated_from_other_details():
    method = SimpleNamespace(details={"reach": 2.0, "selection CPU s": 6.0, "fit CPU s": 3.0})
    assert details_and_costs(method) == ({"reach": 2.0}, {"selection CPU s": 6.0, "fit CPU s": 3.0})
    assert details_and_costs(object()) == ({}, {})


def made_up(table, row, network, split, value, **more):
    """A unit with a measure that is known."""
    result = Result({"AUC": value, "average precision": value}, {"total": 1.0, **more.pop("seconds", {})}, **more)
    return StoredResult(Unit(table, network, row, split), result, "abc")


def test_cells_hold_mean_deviation_paper_and_difference():
    stored = [made_up(TABLE, ROWS[0], "one", split, value) for split, value in enumerate([0.5, 0.502])]
    stored += [made_up(TABLE, ROWS[1], "one", 0, 0.4)]
    grid = measure_grid(Summary(TABLE, stored), "AUC")
    assert grid.header == ["method", "One & only", "splits"]
    first, second = grid.rows
    assert first[1] == ("0.5010 ± 0.0014", "paper 0.5000, +0.0010", True)
    assert second[1] == ("0.4000", "", False)
    (close,) = measure_grid(Summary(TABLE, [made_up(TABLE, ROWS[0], "one", 0, 0.49999)]), "AUC").rows
    assert close[1].note == "paper 0.5000, +0.0000"
    assert [first[2].text, second[2].text] == ["2", "1"]
    assert Average.of([1.0, 3.0]) == (2.0, np.sqrt(2), 2)


@pytest.mark.parametrize(("value", "words"), [(0.5039, "within 0.004 on One"), (0.5041, r"not on One .*\+0.0041")])
def test_agreement_with_the_paper_is_reported(value, words):
    blocks = make_report([TABLE], [made_up(TABLE, ROWS[0], "one", 0, value)], Facts("c", []))
    assert any(re.search(words, text) for block in blocks for text in getattr(block, "texts", []))


def test_selected_settings_and_their_cost_are_reported():
    seconds = {"selection CPU s": 6.0, "fit CPU s": 3.0}
    stored = [
        made_up(TABLE, ROWS[2], "two", split, 0.5, details={"reach": reach, "trials": 5}, seconds=seconds)
        for split, reach in enumerate([2.0, 3.0, 3.0])
    ]
    text = to_markdown(make_report([TABLE], stored, Facts("c", [])))
    assert "| embedding | Two | reach 2 to 3, trials 5 | 3 |" in text
    before, after = text.split(f"## {TIMES}")
    assert "selection 2.0 × fit" in after and "× fit" not in before


@pytest.fixture(scope="module")
def written(finished):
    """The files of a report."""
    return report(*finished)


def test_names_are_escaped(written):
    page, text = written["report.html"].decode(), written["report.md"].decode()
    assert "Jaccard &lt;b&gt;&amp;&#34;bold&#34;&lt;/b&gt; | $x$ *y*" in page
    assert "<b>" not in page and "<networks>" not in page and "<b>" not in text
    assert r"Jaccard &lt;b&gt;&amp;" in text and r"\| $x$ \*y\*" in text
    rows = [line for line in text.splitlines() if line.startswith("| Jaccard")]
    assert [line.count(" | ") for line in rows] == [3, 3, 2]  # two measures, and the times


def test_bars_have_the_first_method_on_top_and_the_paper_beside_them_only_where_it_has_numbers(monkeypatch):
    drawn = []
    monkeypatch.setattr(figures, "_as_svg", drawn.append)
    stored = [made_up(TABLE, line, network, 0, 0.5) for line in ROWS[:2] for network in ("one", "two")]
    figures.bars(Summary(TABLE, stored), "AUC")
    first, second = drawn[0].axes
    for axes in (first, second):
        assert axes.transData.transform((0.5, 0))[1] > axes.transData.transform((0.5, 1))[1]
    assert first.get_legend_handles_labels()[1] == ["paper"] and second.get_legend_handles_labels()[1] == []


def test_the_page_needs_nothing_else(written):
    page = written["report.html"].decode()
    assert page.count("data:image/svg+xml;base64,") == 3
    assert not re.search(r'(src|href)="(?!data:)', page)


# ---- the tables themselves -------------------------------------------------------------------------------------------


def test_the_papers_numbers_are_those_of_the_tables():
    assert set(published.LINK_AUC) == {
        line.paper for table in (methods.LINKS,) for line in table.rows if line.paper is not None
    }
    assert published.LINK_AUC["CNE (degree)"]["wikipedia"] == 0.9158
    assert published.LABEL_MICRO_F1["LINE"]["wikipedia"] == 0.5193
    assert set(published.LABEL_MACRO_F1) | set(published.LABEL_MACRO_F1_AS_LINKS) == set(published.LABEL_MICRO_F1)


def test_the_synthetic_network_is_never_compared_with_the_papers_numbers():
    table = methods.SYNTHETIC_LINKS
    assert list(table.networks) == ["studentdb_standin"] and "studentdb_standin" not in methods.LINKS.networks
    published = [
        table.published(measure, line, name)
        for measure in table.measures
        for line in table.rows
        for name in table.networks
    ]
    assert set(published) == {None}


def test_units_of_all_tables_have_files_of_their_own_and_settings_without_threads(tmp_path):
    chosen = methods.tables("both")
    networks = {name for table in chosen for name in table.networks}
    units = plan(chosen, networks, splits=2)
    assert len({path_of(unit, tmp_path) for unit in units}) == len(units)
    assert all("threads" not in identity(unit, "")["settings"] for unit in units)
    assert all(" at 0x" not in identity(unit, "")["settings"] for unit in units)
    with pytest.raises(ng.InputError, match="links, labels or both"):
        methods.tables("some")


def test_the_papers_settings_differ_for_arxiv_alone():
    make = partial(methods.conditional(ng.degrees(), methods.paper_settings), threads=3)
    made = {name: make(name) for name in published.TITLES}
    assert {name for name in made if made[name].settings.dimensions == 16} == {"arxiv_astroph"}
    assert all(method.threads == 3 for method in made.values())
