"""What is installed: the smoke test that installations are tried with, and messages where a library is missing."""

import sys
from importlib.util import find_spec

import pytest

import netgiven as ng
from netgiven.errors import InputError
from tests.smoke import COMMANDS, check_command, make_files, smoke
from tools.try_install import lowest_versions

MORE = [  # commands that tests of their own run where the library is there
    ("bokeh", "explore a.ng --no-browser"),
    ("ray", "embed links.csv --engine ray --method sampled --dimensions 2 --reach 2 --shrinkage 0 --out r.ng"),
    ("igraph", "info links.gml"),
]
CALLS = {
    "matplotlib": [
        lambda embedding: embedding.explain("person-001", "person-002").picture("explain.png"),
        lambda embedding: ng.Map((embedding,)).save("map.svg"),
        lambda embedding: ng.fairness(embedding, "department").draw("fairness.pdf"),
        lambda embedding: ng.Map((embedding,), colour="degree").to_html(),
    ],
    "bokeh": [
        lambda embedding: ng.Map((embedding,)).save("map.html"),
        lambda embedding: ng.Map((embedding,)).to_html(),
        lambda embedding: ng.Map((embedding,))._repr_html_(),
    ],
    "networkx": [lambda embedding: embedding.network.to_networkx()],
    "igraph": [lambda embedding: embedding.network.to_igraph()],
    "ray": [lambda embedding: ng.embed(embedding.network, method="sampled", engine="ray")],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the files that commands read, and an embedding."""
    path = tmp_path_factory.mktemp("install")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(path)
        make_files()
        (path / "links.gml").write_text("graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 ] ]")
        check_command(*COMMANDS[1])
    return path


@pytest.fixture(params=list(CALLS))
def missing(request, folder, monkeypatch):
    """A library that cannot be imported."""
    monkeypatch.chdir(folder)
    for name in [request.param, *(name for name in sys.modules if name.startswith(f"{request.param}."))]:
        monkeypatch.setitem(sys.modules, name, None)
    assert find_spec(request.param) is None
    return request.param


def test_all_commands_work():
    smoke()


def test_commands_say_what_to_install(missing):
    commands = [command for library, command in [*COMMANDS, *MORE] if library == missing]
    assert commands
    for command in commands:
        check_command(missing, command)


def test_functions_say_what_to_install(missing):
    embedding = ng.load("a.ng")
    for call in CALLS[missing]:
        with pytest.raises(
            InputError, match=rf'This needs {missing}, which is not installed: pip install "netgiven\[\w+\]"'
        ):
            call(embedding)


def test_what_needs_no_extra_works_without_them(folder, monkeypatch):
    monkeypatch.chdir(folder)
    for library in CALLS:
        monkeypatch.setitem(sys.modules, library, None)
    for command in ("info a.ng", "predict a.ng --top 3", "explain a.ng person-001 person-002", "export a.ng a.csv"):
        check_command(None, command)


def test_each_dependency_has_a_lower_bound():
    assert all(need.count("==") == 1 and need.split("==")[1][0].isdecimal() for need in lowest_versions())
    libraries = [need.split("==")[0] for need in lowest_versions()]
    assert len(libraries) == len(set(libraries)), "extras disagree about a lower bound"
