"""All commands and the main functions once, on a small network, with whatever is installed.

    python tests/smoke.py

Needs nothing but netgiven, so that it also runs where only a wheel is installed. What needs a library that is missing
must end with exit code 2 and the command that installs it.
"""

from __future__ import annotations

import contextlib
import io
import os
import shlex
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Sequence
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd

import netgiven as ng
from netgiven.cli.main import main
from netgiven.sklearn import ConditionalEmbedding

COMMANDS: list[tuple[str | None, str]] = [  # the optional library that a command needs, and the command
    (None, "info links.csv --nodes nodes.csv"),
    (None, "embed links.csv --nodes nodes.csv --given degrees+blocks:department --dimensions 2 --out a.ng"),
    (None, "info a.ng"),
    (None, "predict a.ng --top 3"),
    (None, "predict a.ng --pairs pairs.csv --level 0.9 --out table.csv"),
    (None, "predict a.ng --node person-001 --among department=sales --top 3"),
    (None, "groups a.ng --out groups.csv"),
    (None, "explain a.ng person-001 person-002"),
    ("matplotlib", "explain a.ng person-001 person-002 --picture explain.png"),
    (None, "ask a.ng --top 3 --pool pool.csv"),
    (None, "add a.ng new.csv --nodes new-nodes.csv --out b.ng"),
    (None, "update a.ng links.csv --nodes nodes.csv --out c.ng"),
    (None, "labels links.csv --labels labels.csv --dimensions 4 --reach 2 --shrinkage 0 --out found.csv"),
    (None, "prior links.csv --nodes nodes.csv --given degrees+blocks:department"),
    ("matplotlib", "prior links.csv --compare density degrees --no-embedding --picture prior.png"),
    (None, "fairness a.ng --attribute department"),
    ("matplotlib", "fairness a.ng --attribute department --picture fairness.png"),
    ("matplotlib", "map a.ng --out map.png --colour department"),
    ("bokeh", "map a.ng --out map.html --colour department"),
    (None, "map a.ng --out map.gexf"),
    ("networkx", "info links.graphml"),
    *[(None, f"export a.ng vectors.{ending}") for ending in ("csv", "parquet", "npy", "vec")],
    (
        None,
        "evaluate links links.csv --baselines 'common neighbours' --splits 1 --dimensions 2 --reach 2 --shrinkage 0",
    ),
    (None, "evaluate baselines"),
    (None, "datasets"),
    ("matplotlib", "demo --out demo"),
]


def make_files() -> ng.Network:
    """Write the files that commands read to the working folder, and return their network."""
    company = ng.datasets.company()
    links, nodes = (table.replace(" ", "-", regex=True) for table in company.to_pandas())
    links.to_csv("links.csv", index=False)
    nodes.to_csv("nodes.csv", index=False)
    links.head(20).to_csv("pairs.csv", index=False, header=False)
    network = ng.read("links.csv", nodes="nodes.csv")
    others = [("person-001", name) for name in network.nodes[1:] if name not in network.neighbours("person-001")]
    pd.DataFrame(others[:20]).to_csv("pool.csv", index=False, header=False)
    nodes[["node", "project"]].iloc[::2].to_csv("labels.csv", index=False)
    pd.DataFrame({"source": ["Zoe", "Zoe"], "target": network.nodes[:2]}).to_csv("new.csv", index=False)
    nodes.head(1).assign(node="Zoe").to_csv("new-nodes.csv", index=False)
    Path("links.graphml").write_text(
        '<graphml><graph edgedefault="undirected"><edge source="a" target="b"/></graph></graphml>'
    )
    return network


def run(command: Sequence[str]) -> tuple[int, str]:
    """Run a command in this process: its exit code, and what it printed."""
    before, printed = sys.argv, io.StringIO()
    sys.argv = ["netgiven", *command]
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            main()
    except SystemExit as end:
        return int(end.code or 0), printed.getvalue()
    finally:
        sys.argv = before
    return 0, printed.getvalue()


def check_command(library: str | None, command: str) -> None:
    """A command succeeds, or names what is missing."""
    code, printed = run(shlex.split(command))
    if library is None or find_spec(library) is not None:
        assert code == 0, f"netgiven {command}: exit code {code}\n{printed}"
    else:
        assert code == 2 and 'pip install "netgiven[' in printed, f"netgiven {command}: exit code {code}\n{printed}"


def check_explorer() -> None:
    """The explorer starts, and answers with its page."""
    command = [sys.executable, "-u", "-m", "netgiven", "explore", "a.ng", "--port", "0", "--no-browser"]
    with subprocess.Popen(command, stderr=subprocess.STDOUT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = []
        for line in process.stdout:
            lines.append(line)
            if "http://" in line:
                address = next(word for word in line.split() if word.startswith("http://"))
                with urllib.request.urlopen(address) as answer:
                    assert b"<html" in answer.read().lower()
                process.terminate()
                return
    missing = find_spec("bokeh") is None and process.returncode == 2 and 'pip install "netgiven[' in "".join(lines)
    assert missing, f"netgiven explore: exit code {process.returncode}\n{''.join(lines)}"


def check_python(network: ng.Network) -> None:
    """The functions that most programs call."""
    embedding = ng.embed(network, "degrees+blocks:department", dimensions=2)
    assert np.asarray(embedding).shape == (network.node_count, 2)
    assert len(embedding.likely_links(count=3)) == 3
    pairs = list(network.to_pandas()[0].head().itertuples(index=False, name=None))
    assert (embedding.probabilities(pairs) > 0).all()
    embedding.save("saved.ng")
    assert np.array_equal(ng.load("saved.ng").positions, embedding.positions)
    again = ng.read(network.to_pandas()[0])
    assert again.link_count == network.link_count
    assert ng.read(network.to_scipy()).link_count == network.link_count
    assert len(embedding.recommend("person-001", count=3, among="sales")) == 3
    assert len(embedding.groups().group) == network.node_count
    estimator = ConditionalEmbedding(dimensions=2, reach=2.0, shrinkage=0.0)
    assert estimator.fit_transform(network.to_scipy()).shape == (network.node_count, 2)
    if find_spec("anywidget") is not None:
        assert ng.Map((embedding,)).widget().selection == []
    if find_spec("networkx") is not None:
        assert ng.read(network.to_networkx()).link_count == network.link_count
    if find_spec("igraph") is not None:
        assert ng.read(network.to_igraph()).link_count == network.link_count


def smoke() -> None:
    """Run everything, in a folder of its own."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            network = make_files()
            for library, command in COMMANDS:
                check_command(library, command)
            check_explorer()
            check_python(network)
        finally:
            os.chdir(before)


if __name__ == "__main__":
    smoke()
    libraries = ("numpy", "scipy", "numba", "pandas", "pyarrow", "scikit-learn", "matplotlib", "bokeh")
    found = [
        f"{library} {version(library)}"
        for library in libraries
        if find_spec(library.replace("scikit-learn", "sklearn"))
    ]
    print(f"netgiven {ng.__version__} works on Python {sys.version.split()[0]} with {', '.join(found)}.")
