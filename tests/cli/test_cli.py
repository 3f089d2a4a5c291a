"""The program, used as a person would."""

import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import netgiven as ng
import netgiven.embedding
from netgiven.cli.main import COMMANDS
from netgiven.fitting.record import Likelihood
from netgiven.fitting.train import Convergence, Status
from tests.helpers import run_command as run

TRIANGLES = "ann bob\nbob cid\ncid ann\ndan eve\neve fay\nfay dan\nann dan\n"
LESS = "The embedding predicts worse than the prior alone: try a smaller --reach or more --dimensions.\n"
TYPES = "node,type\nann,a\nbob,a\ncid,b\ndan,b\neve,a\nfay,b\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "links.txt").write_text(TRIANGLES)
    (tmp_path / "nodes.csv").write_text(TYPES)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_from_a_file_to_predictions(folder, capsys):
    assert run("embed", "links.txt", "--nodes", "nodes.csv", "--given", "degrees+blocks:type", "--out", "x.ng") == 0
    output = capsys.readouterr()
    assert (
        "6 nodes, 7 links" in output.err and "7 links given, 7 kept" in output.err and "Written to x.ng" in output.err
    )
    assert output.out == ""
    gained = f"{ng.load('x.ng').bits_per_link:.2f} bits per link gained over the prior\nWritten to x.ng"
    assert gained in output.err.replace(LESS, "")
    assert run("predict", "x.ng", "--node", "ann", "--top", "2") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split("\t") == ["node", "probability", "prior", "lift"]
    assert len(lines) == 3
    assert run("predict", "x.ng", "--top", "4", "--out", "top.tsv") == 0
    assert len((folder / "top.tsv").read_text().splitlines()) == 5
    assert run("info", "x.ng") == 0
    output = capsys.readouterr().out
    assert "degrees+blocks:type" in output and "information gained" in output and "column type" in output
    assert run("export", "x.ng", "x.csv") == 0
    assert len((folder / "x.csv").read_text().splitlines()) == 7


RATINGS = "userId,movieId,rating\n" + "".join(f"{u},{m},4\n" for u in range(1, 9) for m in range(1, 10) if (u + m) % 3)


def test_a_guess_is_told_also_if_sides_are_given(folder, capsys):
    pairs = [(f"a{i}", f"b{j}") if (i + j) % 3 else (f"b{j}", f"a{i}") for i in range(11) for j in range(11)]
    (folder / "links.txt").write_text("".join(f"{u} {v}\n" for u, v in [*pairs, ("c", "d")]))
    options = ("--dimensions", "1", "--reach", "1", "--shrinkage", "0", "--out", "x.ng")
    assert run("embed", "links.txt", "--given", "degrees+blocks:side", *options) == 0
    told = capsys.readouterr().err
    assert "2 nodes may be on the other side" in told and "Tell it with" not in told


def test_from_ratings_to_recommendations(folder, capsys):
    (folder / "ratings.csv").write_text(RATINGS)
    assert run("info", "ratings.csv") == 0
    told = capsys.readouterr().out
    assert "these are two nodes, 'user 1' and 'movie 1'" in told and "--given degrees+blocks:side" in told
    assert run("embed", "ratings.csv", "--given", "degrees+blocks:side", "--dimensions", "2", "--out", "x.ng") == 0
    assert "--given" not in capsys.readouterr().err  # it was
    assert run("predict", "x.ng", "--node", "user 7", "--among", "side=movie", "--top", "2") == 0
    lines = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == ["node", "probability", "prior", "lift"]
    assert {line[0] for line in lines[1:]} < {"movie 2", "movie 5", "movie 8"} and len(lines) == 3
    assert run("predict", "x.ng", "--node", "user 7", "--node", "user 8", "--among", "movie", "--top", "1") == 0
    assert [line.split("\t")[0] for line in capsys.readouterr().out.splitlines()] == ["u", "user 7", "user 8"]
    assert run("predict", "x.ng", "--node", "side=user", "--among", "movie", "--out", "all.tsv") == 0
    assert len((folder / "all.tsv").read_text().splitlines()) == 1 + sum(
        (u + m) % 3 == 0 for u in range(1, 9) for m in range(1, 10)
    )
    (folder / "pairs.csv").write_text("user,movie\n7,2\n")
    assert run("predict", "x.ng", "--pairs", "pairs.csv") == 0
    assert capsys.readouterr().out.startswith("user 7\tmovie 2\t0.")
    assert run("predict", "x.ng", "--node", "user 7", "--among", "user") == 0
    assert "Nothing to recommend to 1 node, such as 'user 7'" in capsys.readouterr().err
    assert run("predict", "x.ng", "--among", "movie") == 2
    assert "--among movie goes with --node" in capsys.readouterr().err


def test_pairs_are_answered_in_the_order_given(folder, capsys):
    run("embed", "links.txt", "--out", "x.ng")
    (folder / "pairs.tsv").write_text("fay\tann\nann\tbob\nann\tfay\n")
    assert run("predict", "x.ng", "--pairs", "pairs.tsv", "--out", "scores.tsv") == 0
    rows = [line.split("\t") for line in (folder / "scores.tsv").read_text().splitlines()]
    assert [row[:2] for row in rows] == [["fay", "ann"], ["ann", "bob"], ["ann", "fay"]]
    embedding = ng.load("x.ng")
    assert np.allclose([float(row[2]) for row in rows], embedding.probabilities([row[:2] for row in rows]), rtol=1e-8)


def test_numbers_as_names(folder, capsys):
    (folder / "numbers.txt").write_text("1 2\n2 30\n30 1\n4 30\n")
    run("embed", "numbers.txt", "--out", "x.ng")
    (folder / "pairs.tsv").write_text("30\t1\n4\t1\n")
    capsys.readouterr()
    assert run("predict", "x.ng", "--pairs", "pairs.tsv") == 0
    assert [line.split("\t")[:2] for line in capsys.readouterr().out.splitlines()] == [["30", "1"], ["4", "1"]]
    assert run("predict", "x.ng", "--node", "4") == 0


def test_a_network_is_described(folder, capsys):
    assert run("info", "links.txt", "--nodes", "nodes.csv") == 0
    output = capsys.readouterr().out
    assert "nodes" in output and "2 values: a, b" in output and "components" in output


BAD = {
    "no file": (["embed", "nowhere.txt", "--out", "x.ng"], "no file nowhere.txt"),
    "folder for a file": (["embed", ".", "--out", "x.ng"], "is a folder"),
    "empty file": (["embed", "empty.txt", "--out", "x.ng"], "empty"),
    "one column": (["embed", "one.txt", "--out", "x.ng"], "one column"),
    "not UTF-8": (["embed", "latin.txt", "--out", "x.ng"], "line 2"),
    "ragged": (["embed", "ragged.csv", "--out", "x.ng"], "line 3"),
    "no such column": (["embed", "links.txt", "--given", "blocks:kind", "--out", "x.ng"], "no node column 'kind'"),
    "no value": (["embed", "links.txt", "--nodes", "holes.csv", "--given", "blocks:type", "--out", "x.ng"], "no value"),
    "folder of output": (["embed", "links.txt", "--out", "no/x.ng"], "folder no does not exist"),
    "output is a folder": (["embed", "links.txt", "--out", "."], "is a folder"),
    "dimensions": (["embed", "links.txt", "--dimensions", "0", "--out", "x.ng"], "dimensions = 0"),
    "knowledge": (["embed", "links.txt", "--given", "weather", "--out", "x.ng"], "'weather'"),
    "method": (["embed", "links.txt", "--method", "magic", "--out", "x.ng"], "magic"),
    "reach": (["embed", "links.txt", "--s2", "0.5", "--out", "x.ng"], "s2 = 0.5"),
    "reach and s2": (["embed", "links.txt", "--s2", "2", "--reach", "1", "--out", "x.ng"], "Both --reach and --s2"),
    "density": (["embed", "links.txt", "--density", "gaussian", "--out", "x.ng"], "--s2"),
    "samples": (["embed", "links.txt", "--samples", "0", "--method", "paper", "--out", "x.ng"], "samples = 0"),
    "weighted": (["embed", "links.txt", "--weighted", "--out", "x.ng"], "--method paper"),
    "method before the file": (["embed", "nowhere.txt", "--method", "magic", "--out", "x.ng"], "magic"),
    "optimizer": (["embed", "no.txt", "--method", "sampled", "--optimizer", "lbfgs", "--out", "x.ng"], "lbfgs"),
    "init": (["embed", "no.txt", "--init", "smoothed", "--out", "x.ng"], "init = 'smoothed'"),
    "warmup": (["embed", "no.txt", "--warmup", "2", "--out", "x.ng"], "warmup = 2.0"),
    "learning rate": (["embed", "no.txt", "--learning-rate", "0", "--out", "x.ng"], "learning rate of 0"),
    "threads before the file": (["embed", "nowhere.txt", "--threads", "0", "--out", "x.ng"], "--threads"),
    "threads": (["predict", "good.ng", "--threads", "0"], "--threads"),
    "out is the network": (["embed", "links.txt", "--out", "links.txt"], "would be overwritten"),
    "out is the table": (["embed", "links.txt", "--nodes", "nodes.csv", "--out", "nodes.csv"], "would be overwritten"),
    "out is the embedding": (["predict", "good.ng", "--out", "./good.ng"], "would be overwritten"),
    "out is the pairs": (["predict", "good.ng", "--pairs", "pair.tsv", "--out", "pair.tsv"], "would be overwritten"),
    "export to itself": (["export", "good.csv", "good.csv"], "would be overwritten"),
    "demo in a file": (["demo", "--out", "links.txt"], "folder links.txt cannot be made"),
    "demo below a file": (["demo", "--out", "links.txt/here"], "folder links.txt/here cannot be made"),
    "options of a network": (["info", "good.ng", "--nodes", "nodes.csv"], "go with a network file"),
    "options of pairs": (["predict", "good.ng", "--no-header"], "the file of --pairs"),
    "delimiter": (["embed", "links.txt", "--delimiter", "ab", "--out", "x.ng"], "one character"),
    "missing among integers": (["embed", "missing.txt", "--out", "x.ng"], "missing.txt, line 2"),
    "no embedding": (["predict", "nowhere.ng"], "no file nowhere.ng"),
    "foreign embedding": (["predict", "links.txt"], "links.txt is not a readable embedding"),
    "unknown node": (["predict", "good.ng", "--node", "anne"], "no node 'anne'"),
    "unknown pair": (["predict", "good.ng", "--pairs", "strange.tsv"], "no node 'zoe'"),
    "two questions": (["predict", "good.ng", "--pairs", "strange.tsv", "--node", "ann"], "Both --pairs and --node"),
    "no links requested": (["predict", "good.ng", "--top", "0"], "at least 1"),
    "export": (["export", "good.ng", "x.doc"], "x.doc"),
    "no option": (["embed", "links.txt"], "--out"),
}


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """The bytes of an embedding."""
    path = tmp_path_factory.mktemp("good")
    (path / "links.txt").write_text(TRIANGLES)
    ng.embed(ng.read(path / "links.txt"), dimensions=1, max_steps=3).save(path / "good.ng")
    return (path / "good.ng").read_bytes()


@pytest.mark.parametrize("name", BAD)
def test_bad_input_gets_an_error_message_and_leaves_nothing(folder, capsys, good, name):
    arguments, words = BAD[name]
    (folder / "empty.txt").write_text("")
    (folder / "one.txt").write_text("ann\nbob\n")
    (folder / "latin.txt").write_bytes("ann bob\nj\xf6rg bob\n".encode("latin-1"))
    (folder / "ragged.csv").write_text("ann,bob\nbob,cid\ncid\n")
    (folder / "holes.csv").write_text(TYPES.replace("dan,b", "dan,"))
    (folder / "strange.tsv").write_text("ann\tzoe\n")
    (folder / "pair.tsv").write_text("ann\tbob\n")
    (folder / "missing.txt").write_text("1 2\n2 nan\n")
    for suffix in ("ng", "csv"):
        (folder / f"good.{suffix}").write_bytes(good)
    contents = {path.name: path.read_bytes() for path in folder.iterdir()}
    capsys.readouterr()
    assert run(*arguments) == 2
    output = capsys.readouterr()
    assert words in output.err
    assert "Traceback" not in output.err
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == contents


def test_a_failed_run_leaves_the_old_result(folder):
    run("embed", "links.txt", "--out", "x.ng")
    before = (folder / "x.ng").read_bytes()
    assert run("embed", "nowhere.txt", "--out", "x.ng") == 2
    assert (folder / "x.ng").read_bytes() == before


@pytest.mark.parametrize("steps", [1, 50])
def test_a_diverged_fit_is_not_saved(folder, capsys, monkeypatch, steps):
    fit_embedding = netgiven.embedding.fit_embedding

    def diverged(*arguments, **settings):
        found = fit_embedding(*arguments, **settings)
        return replace(found, fit=replace(found.fit, convergence=Convergence(Status.DIVERGED, steps, np.nan)))

    monkeypatch.setattr(netgiven.embedding, "fit_embedding", diverged)
    assert run("embed", "links.txt", "--out", "x.ng") == 2
    output = capsys.readouterr().err
    assert f"diverged after {'1 step' if steps == 1 else '50 steps'}:" in output and "lower --learning-rate" in output
    assert not (folder / "x.ng").exists()


def test_a_warning_if_the_embedding_is_worse_than_the_prior(folder, capsys, monkeypatch):
    monkeypatch.setattr(ng.embedding.Embedding, "bits_per_link", -0.25)
    assert run("embed", "links.txt", "--out", "x.ng") == 0
    assert f"-0.25 bits per link gained over the prior\n{LESS}Written to" in capsys.readouterr().err


def test_an_estimate_is_printed_with_its_error(folder, capsys):
    network = ng.read("links.txt")
    embedding = replace(ng.embed(network, dimensions=1), stored_likelihood=Likelihood(-5.0, 7 * np.log(2) / 100))
    embedding.save("x.ng")
    assert run("info", "x.ng") == 0
    output = capsys.readouterr().out
    assert "± 0.01 bits per link over the prior" in output and "constraints, largest relative error" in output
    assert " met," not in output


def test_notes_about_pairs_are_printed(folder, capsys):
    run("embed", "links.txt", "--out", "x.ng")
    (folder / "pairs.tsv").write_text("source\ttarget\nann\tbob\n# a remark\nann\tcid\n")
    capsys.readouterr()
    assert run("predict", "x.ng", "--pairs", "pairs.tsv") == 0
    output = capsys.readouterr()
    assert len(output.out.splitlines()) == 2
    assert "taken as a header: 'source, target'" in output.err and "skipped as comments" in output.err
    assert run("predict", "x.ng", "--pairs", "pairs.tsv", "--no-header") == 2
    assert "no node 'source'" in capsys.readouterr().err


def test_a_tab_may_be_typed(folder):
    (folder / "tabs.txt").write_text("ann x\tbob\nbob\tcid\n")
    assert run("embed", "tabs.txt", "--delimiter", r"\t", "--out", "x.ng") == 0
    assert ng.load("x.ng").nodes.tolist() == ["ann x", "bob", "cid"]


def test_an_embedding_of_another_name_is_described(folder, capsys):
    run("embed", "links.txt", "--out", "embedding.bin")
    assert run("info", "embedding.bin") == 0
    assert "information gained" in capsys.readouterr().out


@pytest.mark.parametrize("people", [20, 240])  # some output is held back until the end, more is written at once
def test_a_reader_that_has_gone_is_no_error(folder, people):
    ng.embed(ng.datasets.company(people), dimensions=1, max_steps=2).save("x.ng")
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "netgiven", "predict", "x.ng", "--top", "10000"]
    ended = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_a_closed_standard_error_does_not_stop_a_command(folder):
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "netgiven", "embed", "links.txt", "--out", "x.ng"]
    ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=writing, check=False)
    os.close(writing)
    assert ended.returncode == 0 and len(ng.load("x.ng")) == 6


def test_the_demo_shows_the_projects(folder, capsys):
    assert run("demo", "--out", "made/here") == 0
    output = capsys.readouterr().out
    rows = {line.split("  ")[0]: re.findall(r"(\d+) %", line) for line in output.splitlines()}
    assert int(rows["degrees+blocks:department"][1]) > 90
    assert not re.search(r"\d%", output)
    assert (folder / "made/here/company.png").stat().st_size > 10_000
    assert len(ng.load(folder / "made/here/company.ng")) == 240
    written = ng.read(folder / "made/here/links.csv", nodes=folder / "made/here/people.csv")
    assert written.link_count == 4_110 and list(written.columns) == ["department", "project"]


def test_the_program_itself_runs(folder):
    environment = {**os.environ, "COLUMNS": "100"}
    command = [sys.executable, "-m", "netgiven"]
    output = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True, env=environment).stdout
    assert output.strip() == f"netgiven {ng.__version__}"
    output = subprocess.run(
        [*command, "embed", "--help"], capture_output=True, text=True, check=True, env=environment
    ).stdout
    assert "--given" in output and "--dimensions" in output
    failed = subprocess.run(
        [*command, "embed", "nowhere", "--out", "x.ng"], capture_output=True, text=True, check=False
    )
    assert failed.returncode == 2
    assert failed.stderr.startswith("netgiven: There is no file nowhere.")
    assert Path("x.ng").exists() is False


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_a_help_text(capsys, command):
    assert run(command, "--help") == 0
    text = capsys.readouterr().out
    assert f" {command} [OPTIONS]" in text.splitlines()[0] and "completion" not in text


def test_the_help_lists_all_commands_with_one_line_each(capsys):
    assert run("--help") == 0
    lines = capsys.readouterr().out.split("Commands:\n")[1].splitlines()
    assert [line.split()[0] for line in lines] == list(COMMANDS)
    assert all(line.endswith(".") and not line.endswith("...") for line in lines)
    assert run("embd") == 2
    assert "Did you mean 'embed'?" in capsys.readouterr().err


UNUSED = (
    "bokeh",
    "matplotlib",
    "networkx",
    "pytest",
    "ray",
    "rich",
    "scipy.stats",
    "sklearn",
)


def loaded_of(names, *command):
    """Which of the modules a command loads, in a process of its own."""
    code = f"""
import sys
from netgiven.cli.main import main
assert not {{"numpy", "pandas", "netgiven.embedding"}} & set(sys.modules)
try:
    main()
finally:
    print("loaded", *(name for name in {names} if name in sys.modules))
"""
    ended = subprocess.run([sys.executable, "-c", code, *command], capture_output=True, text=True, check=True)
    return ended.stdout.splitlines()[-1].split()[1:]


def test_a_command_imports_only_what_it_uses(folder):
    fixed = ("--dimensions", "2", "--reach", "2", "--shrinkage", "0", "--out", "x.ng")
    searching = (*UNUSED, "scipy.optimize", "scipy.spatial")
    assert not loaded_of((*searching, "numba", "scipy.special", "netgiven.fitting"), "info", "links.txt")
    assert not loaded_of((*searching, "netgiven.cli.predict"), "embed", "links.txt", *fixed)
    assert not loaded_of((*searching, "scipy.sparse.linalg", "netgiven.cli.embed"), "predict", "x.ng")


def test_settings_are_chosen_without_large_libraries(folder):
    ng.datasets.company(people=60).to_pandas()[0].to_csv("links.csv", index=False)
    assert not loaded_of(UNUSED, "embed", "links.csv", "--max-steps", "5", "--out", "x.ng")
    assert not loaded_of(UNUSED, "prior", "links.csv")


def test_half_of_facebook_is_predicted_from_the_other_half(folder, public_network):
    """The paper's number (.9909), from the command line alone. Its split, one seed."""
    from sklearn.metrics import roc_auc_score

    from netgiven.splits import hide_links

    network = public_network("facebook")
    split = hide_links(network, seed=0)
    np.savetxt(folder / "train.edges", split.train.links(), fmt="%d", delimiter="\t")
    np.savetxt(folder / "pairs.tsv", split.pairs, fmt="%d", delimiter="\t")
    paper = ["--s2", "2", "--density", "gaussian", "--method", "paper", "--samples", "50", "--dimensions", "8"]
    assert run("embed", "train.edges", "--given", "degrees", *paper, "--max-steps", "80", "--out", "x.ng") == 0
    assert run("predict", "x.ng", "--pairs", "pairs.tsv", "--out", "scores.tsv") == 0
    scores = np.loadtxt(folder / "scores.tsv")[:, 2]
    assert roc_auc_score(split.truth, scores) > 0.990


def test_intervals_say_what_they_do_not_cover(folder, capsys):
    links, _ = ng.datasets.company(people=60).to_pandas()
    links.to_csv("links.csv", index=False)
    links.head(3).to_csv("pairs.csv", index=False)
    assert run("embed", "links.csv", "--out", "x.ng") == 0
    capsys.readouterr()
    assert run("predict", "x.ng", "--pairs", "pairs.csv", "--level", "0.9") == 0
    printed = capsys.readouterr()
    assert [len(line.split("\t")) for line in printed.out.splitlines()] == [5, 5, 5]
    assert "do not cover what the embedding does not show" in printed.err


def test_predictions_are_compared_with_baselines(folder, capsys):
    network = ng.datasets.company(people=120)
    links, nodes = network.to_pandas()
    links.to_csv("links.csv", index=False)
    nodes.to_csv("people.csv", index=False)
    known = ["--given", "degrees", "--given", "degrees+blocks:department"]
    assert run("evaluate", "links", "links.csv", "--nodes", "people.csv", *known, "--splits", "1") == 0
    lines = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    metrics = [
        "AUC",
        "average precision",
        "precision at 100",
        "precision at 1,000",
        "MRR of 1,000",
        "hits at 50",
        "calibration error",
    ]
    assert lines[0] == ["method", *metrics, "CPU s"]
    assert len(lines) == 1 + 2 + 2 + 8
    assert all(0.3 < float(line[1]) <= 1 for line in lines[1:])
    assert run("evaluate", "links", "links.csv", "--baselines", "some") == 2
    assert run("evaluate", "links", "links.csv", "--share", "2") == 2


def test_a_calibration_error_says_what_it_is_relative_to(folder, capsys):
    ng.datasets.company(people=120).to_pandas()[0].to_csv("links.csv", index=False)
    fixed = ["--dimensions", "2", "--reach", "2", "--shrinkage", "1", "--splits", "1", "--baselines", "none"]
    assert run("evaluate", "links", "links.csv", *fixed) == 0
    assert "ranges of probability, per hidden link" in capsys.readouterr().err


def test_roles_may_be_evaluated_with_a_given_shrinkage(folder, capsys):
    ng.datasets.company(people=120).to_pandas()[0].to_csv("links.csv", index=False)
    fixed = ["--dimensions", "4", "--repelling", "2", "--reach", "2", "--shrinkage", "1", "--baselines", "none"]
    scores = set()
    for strength in ("1", "50"):
        assert run("evaluate", "links", "links.csv", *fixed, "--splits", "1", "--repelling-shrinkage", strength) == 0
        scores.add(capsys.readouterr().out.splitlines()[1].split("\t")[1])
    assert len(scores) == 2
    assert run("evaluate", "links", "links.csv", *fixed, "--repelling-shrinkage", "some") == 2
    assert "--repelling-shrinkage some was given" in capsys.readouterr().err


def test_settings_may_be_chosen(folder, capsys):
    ng.datasets.company(people=150).to_pandas()[0].to_csv("company.csv", index=False)
    assert (
        run("embed", "company.csv", "--reach", "auto", "--dimensions", "auto", "--shrinkage", "auto", "--out", "x.ng")
        == 0
    )
    assert run("info", "x.ng") == 0
    assert "trial" in capsys.readouterr().out
    for option in ("--reach", "--dimensions", "--shrinkage"):
        assert run("embed", "company.csv", option, "some", "--out", "y.ng") == 2
        assert "or auto" in capsys.readouterr().err


def test_ambiguous_columns_are_named_by_options(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("calls.csv").write_text("id,who,whom\n1,ann,bob\n2,bob,cid\n3,cid,dan\n")
    assert run("info", "calls.csv") == 2
    assert "There are 'id', 'who', 'whom'" in capsys.readouterr().err
    assert run("info", "calls.csv", "--source", "who", "--target", "whom") == 0
    assert "nodes           4" in capsys.readouterr().out
    for command in (["prior"], ["embed", "--out", "x.ng", "--dimensions", "2", "--max-steps", "2"]):
        assert run(*command, "calls.csv", "--source", "who", "--target", "whom") == 0
        assert "Network: 4 nodes, 3 links" in capsys.readouterr().err
