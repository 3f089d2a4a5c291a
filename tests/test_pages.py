"""All code on all pages runs: Python and commands of README and docs, each page in a folder of its own.

Blocks run in the order of the page, in one namespace. Blocks `python` with `>>>` are compared with their output, others
run; in blocks `sh` each line is a command, in blocks `console` each line that begins with `$`. Blocks of other
languages, or of none, are text. Pages find the files of `example_files` in their folder, and may write others.
What cannot run has a comment above it, `<!-- not run: REASON -->`; its commands are checked without running them.
"""

import doctest
import importlib.util
import re
import shlex
import shutil
import tomllib
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

import netgiven as ng
from netgiven.priors.knowledge import REGISTRY
from tests.helpers import run_command

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
REASONS = {
    "part of a script",
    "needs a cluster",
    "downloads",
    "starts a server",
    "installs",
    "takes long",
    "needs a library of others",
}
BLOCK = re.compile(
    r"^(?:<!-- not run: (?P<reason>.*?) -->\n+)?```(?P<language>python|sh|console)\n(?P<text>.*?)^```", re.M | re.S
)


class Block(NamedTuple):
    """A block of code, the line of the page on which it begins, and why it does not run, if it does not."""

    language: str
    text: str
    line: int
    reason: str | None


def blocks_of(page):
    text = page.read_text(encoding="utf-8")
    return [
        Block(match["language"], match["text"], text.count("\n", 0, match.start("text")), match["reason"])
        for match in BLOCK.finditer(text)
    ]


# ---- the files that pages name ---------------------------------------------------------------------------------------

NAMES = ("ann", "bob", "cid", "dan", "eve")


def company(people=60):
    """A company of "person 001", "person 002" ... and, at its end, of five people with names, not linked yet."""
    network = ng.datasets.company(people)
    old = network.nodes.tolist()
    names = dict(zip(old, [*old[: -len(NAMES)], *NAMES], strict=True))
    pairs = network.to_pandas()[0].set_axis(["source", "target"], axis=1).replace(names)
    return pairs[~pairs.isin(NAMES).all(axis=1)], people_table(network, list(names.values()))


def people_table(network, names):
    random = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "node": names,
            "department": network.columns["department"].to_numpy(),
            "project": network.columns["project"].to_numpy(),
            "gender": random.choice(["woman", "man"], len(names)),
            "party": random.choice(["green", "red", "blue"], len(names)),
            "age": random.integers(20, 65, len(names)),
            "year": random.integers(1990, 2020, len(names)),
            "clubs": random.choice(["chess", "chess|rowing", "rowing", "tennis"], len(names)),
        }
    )


@pytest.fixture(scope="module")
def example_files(tmp_path_factory):
    """The files that pages may name.

    links.csv, people.csv   a company: links, and a table of nodes with the columns of `people_table`
    hidden.csv              links of this company that links.csv lacks
    labels.tsv              a node and its label per line, for four fifths of the people
    pairs.tsv               pairs to predict
    untested.tsv            unobserved pairs: linked or not, nobody has looked
    tested.tsv              pairs that are observed and have no link
    ratings.csv, people_and_films.csv   two types of nodes, and links between them only
    hires.csv, new_people.csv, now.csv  two people who join the company of `netgiven demo`, and all its links then
    """
    folder = tmp_path_factory.mktemp("files")
    pairs, people = company()
    hidden = pairs.sample(frac=0.1, random_state=0)
    linked = {frozenset(pair) for pair in pairs.itertuples(index=False)}
    others = [(u, v) for place, u in enumerate(people.node) for v in people.node[place + 1 :]]
    others = pd.DataFrame([pair for pair in others if frozenset(pair) not in linked]).sample(frac=1, random_state=0)
    pairs.drop(hidden.index).to_csv(folder / "links.csv", index=False)
    people.to_csv(folder / "people.csv", index=False)
    hidden.to_csv(folder / "hidden.csv", index=False)
    write_pairs(people[["node", "project"]].iloc[: len(people) * 4 // 5], folder / "labels.tsv")
    write_pairs(pd.DataFrame([("ann", "bob"), ("ann", "dan"), ("cid", "eve")]), folder / "pairs.tsv")
    write_pairs(others[:50], folder / "untested.tsv")
    write_pairs(others[50:150], folder / "tested.tsv")
    write_ratings(folder)
    write_hires(folder)
    return folder


def write_pairs(table, path):
    table.to_csv(path, sep="\t", header=False, index=False)


def write_ratings(folder):
    random = np.random.default_rng(0)
    people, films = [f"user {number}" for number in range(40)], [f"film {number}" for number in range(25)]
    taste = np.equal.outer(np.arange(40) % 3, np.arange(25) % 3)
    first, second = np.nonzero(random.random((40, 25)) < 0.1 + 0.4 * taste)
    ratings = pd.DataFrame({"source": np.take(people, first), "target": np.take(films, second)})
    ratings.to_csv(folder / "ratings.csv", index=False)
    nodes = pd.DataFrame({"node": people + films, "type": ["person"] * 40 + ["film"] * 25})
    nodes["gender"] = [*random.choice(["woman", "man"], 40), *["film"] * 25]
    nodes.to_csv(folder / "people_and_films.csv", index=False)


def write_hires(folder):
    friends = ["person 003", "person 004", "person 005", "person 010", "person 031"]
    hires = pd.DataFrame([*(("zoe", name) for name in friends), ("yan", "person 001"), ("yan", "zoe")])
    hires = hires.set_axis(["source", "target"], axis=1)
    hires.to_csv(folder / "hires.csv", index=False)
    (folder / "new_people.csv").write_text("node,department\nzoe,research\nyan,finance\n", encoding="utf-8")
    before = ng.datasets.company().to_pandas()[0].set_axis(["source", "target"], axis=1)
    pd.concat([before[42:], hires]).to_csv(folder / "now.csv", index=False)


# ---- Python ----------------------------------------------------------------------------------------------------------


def run_python(block, namespace, name):
    if ">>>" not in block.text:
        exec(compile("\n" * block.line + block.text, name, "exec"), namespace)
        return
    test = doctest.DocTestParser().get_doctest(block.text, {}, name, name, block.line)
    test.globs = namespace
    failures = []
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    runner.run(test, out=failures.append, clear_globs=False)
    assert not failures, "".join(failures)


# ---- commands --------------------------------------------------------------------------------------------------------


def commands_of(block):
    """The commands of a block, as words, without comments."""
    lines = block.text.replace("\\\n", " ").splitlines()
    if block.language == "console":
        lines = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
    return [words for words in (shlex.split(line, comments=True) for line in lines) if words]


def check_command(words):
    """Raise an error if a command that is not run here cannot be right."""
    match words:
        case ["netgiven", *arguments]:
            parse(arguments)
        case ["python", "-m", module, *_]:
            assert importlib.util.find_spec(module), words
        case ["python", script, *_]:
            assert (ROOT / script).is_file(), words
        case ["make", target, *_]:
            assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M), words
        case ["pip", "install", *packages]:
            assert extras_of(packages) <= known_extras(), words
        case ["cat", file]:
            assert Path(file).is_file(), words
        case ["ray" | "git" | "cd", *_]:
            pass
        case _:
            raise AssertionError(f"{words[0]}: not a command that pages use; mark the block as not run, or as text")


def parse(arguments):
    """Read the arguments of a command without running it."""
    import typer

    from netgiven.cli.main import app

    command, name = typer.main.get_command(app), "netgiven"
    context = command.make_context(name, [], resilient_parsing=True)
    while hasattr(command, "list_commands"):
        name, *arguments = arguments
        command = command.get_command(context, name)
        assert command is not None, name
        context = command.make_context(name, [], resilient_parsing=True)
    command.make_context(name, list(arguments))


def extras_of(packages):
    named = [re.fullmatch(r"netgiven\[(.*)\]", package) for package in packages]
    return {extra for match in named if match for extra in match[1].split(",")}


def known_extras():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return set(project["optional-dependencies"])


def run_commands(block, capsys):
    for words, shown in zip(commands_of(block), outputs_of(block), strict=True):
        if words[0] != "netgiven" or block.reason:
            check_command(words)
            continue
        capsys.readouterr()
        code = run_command(*words[1:])
        printed = capsys.readouterr()
        assert code == 0, f"{shlex.join(words)}\n{printed.err}"
        check_output(shown, printed.out + printed.err)


def outputs_of(block):
    """The lines that a block shows below each of its commands."""
    if block.language != "console":
        return [[] for _ in commands_of(block)]
    return [shown.splitlines()[1:] for shown in re.split(r"^\$ ", block.text.replace("\\\n", " "), flags=re.M)[1:]]


def check_output(shown, printed):
    """All words and numbers that a page shows were printed; digits may have been left out, and so may lines (...)."""
    known = set(re.split(r"[\s,_]+", printed))
    numbers = np.array([float(word) for word in known if is_number(word)])
    for word in (word for line in shown if line.strip() != "..." for word in re.split(r"[\s,_]+", line.strip())):
        value = float(word) if is_number(word) else np.nan
        near = len(numbers) and np.isclose(numbers, value, rtol=0.005, atol=0.0006).any()
        assert word in known or word in ("", "...") or near, f"{word} is on the page, and was not printed"


def is_number(word):
    return re.fullmatch(r"-?\d*\.?\d+(e-?\d+)?", word) is not None


# ---- the pages -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", [page for page in PAGES if blocks_of(page)], ids=lambda page: page.stem)
def test_code_runs(page, example_files, tmp_path, monkeypatch, capsys):
    shutil.copytree(example_files, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    registry, namespace = dict(REGISTRY), {"__name__": "__main__"}
    try:
        for block in blocks_of(page):
            if block.language != "python":
                run_commands(block, capsys)
            elif not block.reason:
                run_python(block, namespace, page.name)
            else:
                compile(block.text, page.name, "exec")
    finally:  # a page may add a kind of knowledge
        REGISTRY.clear()
        REGISTRY.update(registry)


TEXT = {"", "text", "yaml", "json", "csv", "toml"}  # languages of blocks that are not run


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_no_code_is_left_out(page):
    found = re.findall(r"^[ >]*```([^`\n]*)\n(.*?)^[ >]*```", page.read_text(encoding="utf-8"), re.M | re.S)
    others = [(language, text) for language, text in found if language not in {"python", "sh", "console"}]
    assert {language for language, _ in others if not language.startswith("{")} <= TEXT
    assert [text for _, text in others if re.search(r"^(>>> |\$ |pip |netgiven |import )", text, re.M)] == []
    assert len(found) - len(others) == len(blocks_of(page)), "a block that is indented, or has no end"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_reasons_are_known(page):
    told = re.findall(r"<!-- not run:? ?(.*?) -->", page.read_text(encoding="utf-8"))
    assert set(told) <= REASONS
    assert len(told) == sum(block.reason is not None for block in blocks_of(page)), "a comment without a block below it"
