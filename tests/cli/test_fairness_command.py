"""The command `netgiven fairness`."""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import netgiven as ng
from netgiven.splits import hide_links
from tests.helpers import run_command as run

MODEST = {"dimensions": 3, "reach": 2, "shrinkage": 0.0, "threads": 1}


@pytest.fixture(scope="module")
def made():
    """Two embeddings of a small company, and the links that were hidden from both."""
    split = hide_links(ng.datasets.company(people=60), share=0.2)
    before = ng.embed(split.train, "degrees", **MODEST)
    after = ng.embed(split.train, train_given="group_degrees:department", predict_given="degrees", **MODEST)
    return before, after, split.train.nodes.to_numpy()[split.hidden]


@pytest.fixture
def folder(made, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made[0].save("before.ng")
    made[1].save("after.ng")
    pd.DataFrame(made[2], columns=["u", "v"]).to_csv("hidden.csv", index=False)
    return made


def test_before_and_after_side_by_side(folder, capsys):
    before, after, hidden = folder
    requested = ("fairness", "before.ng", "after.ng", "--attribute", "department", "--pairs", "hidden.csv")
    assert run(*requested, "--picture", "x.png") == 0
    output = capsys.readouterr()
    lines = [line.split("\t") for line in output.out.splitlines()]
    wanted = ng.fairness({"before": before, "after": after}, "department", hidden).table
    assert lines[0] == ["measure", "before", "after"]
    assert [line[0].replace(" ", "_") for line in lines[1:]] == list(wanted)
    assert np.allclose([[float(cell) for cell in line[1:]] for line in lines[1:]], wanted.T.to_numpy(), rtol=1e-8)
    assert "after: given degrees, trained given group_degrees:department" in output.err
    assert "60 nodes in 5 groups of department" in output.err and f"{len(hidden)} hidden links" in output.err
    assert "Written to x.png" in output.err and Path("x.png").read_bytes().startswith(b"\x89PNG")
    assert run(*requested, "--out", "x.tsv") == 0
    assert Path("x.tsv").read_text() == output.out


def test_each_two_groups(folder, capsys):
    assert run("fairness", "before.ng", "after.ng", "--attribute", "project", "--groups", "--out", "x.tsv") == 0
    table = pd.read_csv("x.tsv", sep="\t")
    wanted = ng.fairness({"before": folder[0], "after": folder[1]}, "project").group_pairs
    assert len(table) == 2 * 10 and table["group"].tolist() == wanted["group"].tolist()
    assert np.allclose(table["probability"], wanted["probability"])
    assert "the links that the embeddings were fitted to" in capsys.readouterr().err


def test_a_person_sees_an_aligned_table(folder, capsys, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert run("fairness", "before.ng", "--attribute", "department") == 0
    lines = capsys.readouterr().out.splitlines()
    assert len({len(line.rstrip()) for line in lines[1:]}) == 1 and lines[1].split()[0] == "probability"


def test_files_of_one_name_are_shown_with_their_folders(folder, capsys):
    Path("old").mkdir()
    folder[0].save("old/after.ng")
    assert run("fairness", "old/after.ng", "after.ng", "--attribute", "department") == 0
    assert capsys.readouterr().out.splitlines()[0] == "measure\told/after.ng\tafter.ng"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("before.ng", "--attribute", "gender"), "before: There is no node column 'gender'"),
        (("before.ng", "before.ng", "--attribute", "project"), "The same file was given twice"),
        (("nothing.ng", "--attribute", "project"), "nothing.ng"),
        (("before.ng", "--attribute", "project", "--picture", "x.txt"), "pictures are written to .png, .svg or .pdf"),
        (("before.ng", "--attribute", "project", "--picture", "x.png", "--out", "x.png"), "use two different files"),
        (("before.ng", "--attribute", "project", "--out", "before.ng"), "before.ng"),
        (("before.ng", "--attribute", "project", "--no-header"), "the file of --pairs"),
        (("before.ng", "--attribute", "project", "--pairs", "links.csv"), "are linked in the network"),
        (("before.ng", "other.ng", "--attribute", "project"), "before and other are embeddings of different networks"),
    ],
)
def test_bad_input_gets_an_error_message(folder, capsys, arguments, message):
    folder[0].network.to_pandas()[0].to_csv("links.csv", index=False)
    ng.embed(ng.datasets.company(people=61), "degrees", **MODEST).save("other.ng")
    kept = Path("before.ng").read_bytes()
    assert run("fairness", *arguments) == 2
    output = capsys.readouterr()
    assert message in output.err and output.out == "" and "Traceback" not in output.err
    assert Path("before.ng").read_bytes() == kept and not Path("x.png").exists()


def test_an_attribute_is_needed(folder, capsys):
    assert run("fairness", "before.ng") == 2
    assert "--attribute" in capsys.readouterr().err
