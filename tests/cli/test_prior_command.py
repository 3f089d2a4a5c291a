"""What is known, on its own and compared, from the command line."""

import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import netgiven as ng
from netgiven.cli import printing
from netgiven.edges import whole_percent
from tests.helpers import run_command as run

FAST = ("--dimensions", "2", "--threads", "1")


@pytest.fixture
def company(tmp_path, monkeypatch):
    """Links and people of a small company, as files."""
    monkeypatch.chdir(tmp_path)
    links, nodes = ng.datasets.company(people=60).to_pandas()
    links.to_csv("links.csv", index=False)
    nodes.to_csv("nodes.csv", index=False)
    return ng.read("links.csv", nodes="nodes.csv")


def described(text):
    """What stands after each name in the output."""
    return dict(line.split("  ", 1) for line in text.splitlines())


def test_a_prior_is_described(company, capsys):
    given = "density+degrees+blocks:project"
    assert run("prior", "links.csv", "--nodes", "nodes.csv", "--given", given) == 0
    output = capsys.readouterr()
    lines = {name: value.strip() for name, value in described(output.out).items()}
    report = ng.describe_prior(company, given)
    assert lines["given"] == given
    assert lines["entropy"] == f"{report.entropy:,.1f} bits"
    assert lines["log-likelihood"] == f"{report.bits:.3f} bits per link"
    assert lines["explained"].startswith(f"{report.bits_explained:.3f} bits per link")
    assert lines["AUC of the prior alone"].startswith(f"{report.auc:.4f}")
    assert lines["links"] == f"{company.link_count:,}.0 expected, {company.link_count:,} observed"
    assert lines["given density"].startswith("1 constraint, largest relative error")
    assert lines["contribution of degrees"].startswith(f"{report.contributions['bits_lost'][1]:.3f} bits")
    assert "contribution of density" not in lines
    assert lines["note"] == "density adds nothing to the other kinds of knowledge"
    assert "leaving out degrees" in output.err and "60 nodes" in output.err


def test_what_each_thing_explains_is_printed_last(company, capsys):
    given = "degrees+blocks:department"
    assert run("prior", "links.csv", "--nodes", "nodes.csv", "--given", given) == 0
    printed = [line.split("  ", 1) for line in capsys.readouterr().out.splitlines()]
    found = ng.ledger(company, given)
    assert [name for name, _ in printed[-3:]] == [
        "explained by degrees", "explained by blocks:department", "not explained",
    ]  # fmt: skip
    for (_, value), bits, share, words in zip(
        printed[-3:-1], *found.table[["bits", "share", "words"]].T.to_numpy(), strict=True
    ):
        assert value.strip() == f"{bits:.3f} bits per link ({whole_percent(share)}), {words}"
    assert printed[-1][1].strip() == f"{found.left:.3f} of {found.cost:.3f} bits per link"


def test_what_to_give_next_is_printed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    links, _ = ng.datasets.cinema(viewers=60, films=30).to_pandas()
    links.set_axis(["viewer", "film", *links.columns[2:]], axis=1).to_csv("seen.csv", index=False)
    for command in ("info", "prior"):
        assert run(command, "seen.csv") == 0
        (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("propose")]
        assert "No link joins two nodes of the same side" in line
        assert " viewer (" in line and ", film (" in line and line.endswith(" Use --given degrees+blocks:side")
    assert run("prior", "seen.csv", "--given", "degrees+blocks:side") == 0
    assert "propose" not in capsys.readouterr().out
    assert run("prior", "seen.csv", "--given", "density") == 0
    assert "Use --given density+blocks:side\n" in capsys.readouterr().out


def test_two_sides_are_told_once(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    links, nodes = ng.datasets.cinema(viewers=60, films=30).to_pandas()
    links.to_csv("seen.csv", index=False)
    nodes.to_csv("nodes.csv", index=False)
    for command in ("info", "prior"):
        assert run(command, "seen.csv", "--nodes", "nodes.csv") == 0
        output = capsys.readouterr()
        assert (output.out + output.err).count("No link joins two nodes of the same side") == 1
    ng.embed(ng.read("seen.csv", nodes="nodes.csv"), "degrees", dimensions=2, reach=2.0, shrinkage=0.0).save("x.ng")
    assert run("info", "x.ng") == 0
    assert capsys.readouterr().out.count("No link joins two nodes of the same side") == 1
    assert run("prior", "seen.csv", "--nodes", "nodes.csv", "--compare", "degrees", "--no-embedding") == 0
    assert "No link joins two nodes of the same side" in capsys.readouterr().err  # nothing is proposed there


def test_columns_with_too_many_groups_are_named(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    ring = {"source": range(900), "target": [(k + 1) % 900 for k in range(900)]}
    cities = {
        "node": range(900),
        "city": [f"city {k % 312}" for k in range(900)],
        "name": [f"n{k}" for k in range(900)],
    }
    pd.DataFrame(ring).to_csv("links.csv", index=False)
    pd.DataFrame(cities).to_csv("nodes.csv", index=False)
    for command in ("info", "prior"):
        assert run(command, "links.csv", "--nodes", "nodes.csv") == 0
        (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("not tried")]
        assert "Column 'city' has 312 groups" in line and line.endswith(" Use --given degrees+blocks:city")
    assert run("prior", "links.csv", "--nodes", "nodes.csv", "--given", "degrees+blocks:city") == 0
    assert "not tried" not in capsys.readouterr().out


def test_an_embedding_has_its_line_and_what_can_be_read(company, capsys):
    embedding = ng.embed(company, "degrees", dimensions=2, reach=2.0, shrinkage=0.0)
    embedding.save("x.ng")
    assert run("info", "x.ng") == 0
    printed = described(capsys.readouterr().out)
    lines = {name: value.strip() for name, value in printed.items()}
    assert lines["explained by the embedding"].startswith(f"{embedding.bits_per_link:.3f} bits per link (")
    read = ng.readable(embedding).set_index("column").loc["department"]
    assert lines["readable department"].startswith(
        f"{'yes' if read['readable'] else 'no'}: {whole_percent(read['read'])} of nodes"
    )
    assert lines["readable department"].endswith(f"largest group {whole_percent(read['largest'])}")
    assert [*printed].index("column project") < [*printed].index("explained by degrees")


@pytest.mark.parametrize("kind", ["learned", "custom"])
def test_a_prior_that_has_no_text_is_described(company, capsys, kind):
    desks = ng.constraint(lambda a, b: a.project == b.project, columns="project", name="desks")
    given = {"learned": ng.density().learn(ng.datasets.company(80, seed=5)), "custom": ng.degrees() + desks}[kind]
    embedding = ng.embed(company, given, dimensions=2, reach=2.0, shrinkage=0.0)
    embedding.save("x.ng")
    assert run("info", "x.ng") == 0
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith(f"explained by {embedding.prior.knowledge}") for line in lines)
    proposed = [line for line in lines if line.startswith("propose")]
    assert len(proposed) == len(ng.proposals(company, embedding=embedding)) and "--given" not in "".join(proposed)


def test_a_network_for_which_nothing_can_be_proposed_needs_no_ledger(company, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "netgiven.analysis.ledger", None)  # importing it would fail
    for columns in ([], ["--nodes", "nodes.csv"]):  # no column, and none with groups that are never linked
        assert run("info", "links.csv", *columns) == 0
        assert "propose" not in capsys.readouterr().out


def test_degrees_are_given_by_default(company, capsys):
    assert run("prior", "links.csv") == 0
    assert described(capsys.readouterr().out)["given"].strip() == "degrees"


def test_degrees_are_drawn_and_written(company, capsys):
    assert run("prior", "links.csv", "--given", "density", "--picture", "x.png", "--out", "x.tsv") == 0
    assert "Written to x.png" in capsys.readouterr().err
    assert Path("x.png").read_bytes().startswith(b"\x89PNG")
    table = pd.read_csv("x.tsv", sep="\t")
    assert table["observed"].sum() == 2 * company.link_count
    assert np.allclose(table["expected"], 2 * company.link_count / len(table))


def test_priors_are_compared(company, capsys):
    priors = ("density", "degrees", "degrees+blocks:project")
    common = ("prior", "links.csv", "--nodes", "nodes.csv", *FAST)
    assert run(*common, "--compare", *priors, "--picture", "x.svg") == 0
    output = capsys.readouterr()
    lines = [line.split("\t") for line in output.out.splitlines()]
    assert [line[0] for line in lines] == ["given", *reversed(priors)]
    assert lines[0][4:] == ["bits_explained", "auc", "held_out_auc", "bits_added", "bits_total"]
    assert "Ranked by held_out_auc" in output.err
    table = ng.compare_priors(company, priors, settings=ng.Settings(dimensions=2, reach=2.0, shrinkage=0.0))
    assert np.allclose([float(line[-1]) for line in lines[1:]], table["bits_total"], rtol=1e-6)
    assert "3 of 3: degrees+blocks:project" in output.err
    assert run(*common, "--compare", "density", "--compare", "degrees", "--compare", priors[2], "--out", "x.tsv") == 0
    assert Path("x.tsv").read_text() == output.out  # one after the other, or each with its own --compare


def test_without_embeddings(company, capsys):
    assert run("prior", "links.csv", "--compare", "density", "degrees", "--no-embedding") == 0
    assert capsys.readouterr().out.splitlines()[0].endswith("\tauc\theld_out_auc")


def test_a_person_sees_a_table_that_fits(company, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(printing.sys.stdout, "isatty", lambda: True, raising=False)
    given = ("density", "degrees+blocks:department+blocks:project")
    assert run("prior", "links.csv", "--nodes", "nodes.csv", "--compare", *given, *FAST) == 0
    shown = re.sub("\x1b[^m]*m", "", capsys.readouterr().out)
    assert "explained" in shown and "total" in shown and "…" not in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_titles_are_on_one_line_where_there_is_room(company, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(printing.sys.stdout, "isatty", lambda: True, raising=False)
    assert run("prior", "links.csv", "--compare", "density", "degrees", "--no-embedding") == 0
    title, *rows = re.sub("\x1b[^m]*m", "", capsys.readouterr().out).splitlines()
    assert title.endswith("held out auc") and len(rows) == 2


def test_a_csv_file_has_commas(company):
    assert run("prior", "links.csv", "--compare", "density", "degrees", "--no-embedding", "--out", "x.csv") == 0
    assert Path("x.csv").read_text().startswith("given,constraints,")


BAD = {
    "no file": (["nowhere.csv"], "no file nowhere.csv"),
    "knowledge": (["links.csv", "--given", "weather"], "'weather'"),
    "knowledge before the file": (["nowhere.csv", "--compare", "density", "weather"], "'weather'"),
    "column": (["links.csv", "--given", "blocks:colour"], "no node column 'colour'"),
    "both": (["links.csv", "--given", "density", "--compare", "degrees"], "Both --given and --compare"),
    "forgotten option": (["links.csv", "degrees"], "write --given degrees"),
    "picture": (["links.csv", "--picture", "x.doc"], "x.doc ends in"),
    "picture in no folder": (["links.csv", "--picture", "no/x.png"], "folder no does not exist"),
    "out is the network": (["links.csv", "--out", "links.csv"], "would be overwritten"),
    "out is the table": (["links.csv", "--nodes", "nodes.csv", "--out", "nodes.csv"], "would be overwritten"),
    "one file for two": (["links.csv", "--out", "x.png", "--picture", "./x.png"], "two different files"),
    "dimensions of nothing": (["links.csv", "--dimensions", "2"], "go with --compare"),
    "reach of nothing": (["links.csv", "--compare", "density", "--no-embedding", "--reach", "2"], "go with --compare"),
    "dimensions": (["nowhere.csv", "--compare", "density", "--dimensions", "0"], "dimensions = 0"),
    "reach": (["nowhere.csv", "--compare", "density", "--reach", "1000"], "reach of 1000"),
    "no embedding anyway": (["links.csv", "--no-embedding"], "goes with --compare"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_gets_an_error_message_and_leaves_nothing(company, tmp_path, capsys, name):
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    arguments, words = BAD[name]
    assert run("prior", *arguments) == 2
    output = capsys.readouterr()
    assert words in output.err and "Traceback" not in output.err and output.out == ""
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_failed_run_leaves_the_old_picture_and_table(company, tmp_path):
    for name in ("x.png", "x.tsv"):
        (tmp_path / name).write_text("old")
    assert run("prior", "links.csv", "--given", "blocks:colour", "--picture", "x.png", "--out", "x.tsv") == 2
    assert [(tmp_path / name).read_text() for name in ("x.png", "x.tsv")] == ["old", "old"]


# ---- train with one, predict with another --------------------------------------------------------------------------


def test_training_and_prediction_may_be_given_different_things(company, capsys):
    common = ("embed", "links.csv", "--nodes", "nodes.csv", *FAST, "--reach", "2", "--shrinkage", "0")
    assert run(*common, "--train-given", "degrees+blocks:project", "--out", "x.ng") == 0
    embedding = ng.load("x.ng")
    assert embedding.prior.knowledge == "degrees"
    assert embedding.fit.prior.knowledge == "degrees+blocks:project"
    capsys.readouterr()
    assert run("info", "x.ng") == 0
    lines = described(capsys.readouterr().out)
    assert lines["trained given"].strip() == "degrees+blocks:project" and lines["given"].strip() == "degrees"
    assert run(*common, "--given", "degrees+blocks:project", "--predict-given", "degrees", "--out", "y.ng") == 0
    assert np.array_equal(ng.load("y.ng").positions, embedding.positions)


def test_nothing_is_printed_where_both_are_the_same(company, capsys):
    run("embed", "links.csv", *FAST, "--reach", "2", "--shrinkage", "0", "--out", "x.ng")
    capsys.readouterr()
    run("info", "x.ng")
    assert "trained" not in capsys.readouterr().out


@pytest.mark.parametrize("option", ["--train-given", "--predict-given"])
def test_unknown_knowledge_is_an_error_before_the_file_is_read(company, capsys, option):
    assert run("embed", "nowhere.csv", option, "weather", "--out", "x.ng") == 2
    assert "'weather'" in capsys.readouterr().err
