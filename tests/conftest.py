"""What all tests share: hypothesis settings, and the public networks where they are at hand."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("netgiven", deadline=None, max_examples=60, derandomize=True)
settings.load_profile("netgiven")


def pytest_configure(config: pytest.Config) -> None:
    """Hear Ctrl-C, and drop compiled kernels that are older than any kernel's source: the cache does not know what a
    kernel inlines.
    """
    import netgiven

    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell ignores it for what it runs in the background
    if hasattr(config, "workerinput"):  # the first process has done it
        return
    package = Path(netgiven.__file__).parent
    newest = max(path.stat().st_mtime for path in package.glob("kernels/*.py"))
    for compiled in package.glob("**/__pycache__/*.nb[ci]"):
        if compiled.stat().st_mtime < newest:
            compiled.unlink()


NODES = {"facebook": 4039, "ppi": 3890, "arxiv_astroph": 18772, "blogcatalog": 10312, "wikipedia": 4777}


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of public networks, from the environment variable NETGIVEN_DATA."""
    folder = os.environ.get("NETGIVEN_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("public networks are not at hand: set NETGIVEN_DATA to their folder")
    return Path(folder)


@pytest.fixture(scope="session")
def public_network(data_folder):
    """A function that reads a public network by name, all nodes kept."""
    import pandas as pd

    import netgiven as ng

    def read(name: str) -> ng.Network:
        if name == "studentdb_standin":
            return ng.read(data_folder / f"{name}.edges", nodes=data_folder / f"{name}.types")
        nodes = pd.DataFrame({"node": range(NODES[name])})
        nodes["group"] = [f"g{number * 7919 % 5}" for number in range(NODES[name])]
        return ng.read(data_folder / f"{name}.edges.gz", nodes=nodes)

    return read
