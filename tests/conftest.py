"""What all tests share: hypothesis settings, and the public networks where they are at hand."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import settings

# Matrices of tests are small: threads of a linear algebra library would spend more time waiting than working.
for library in ("OPENBLAS", "OMP", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

# The same few examples in each run; `make test-thorough` takes many, and other ones each time.
settings.register_profile("default", deadline=None, max_examples=15, derandomize=True)
settings.register_profile("thorough", deadline=None, max_examples=300, print_blob=True)
settings.load_profile("default")


def pytest_configure(config: pytest.Config) -> None:
    """Handle Ctrl-C, and compile each kernel once."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell ignores it for what it runs in the background
    if hasattr(config, "workerinput"):
        compile_one_at_a_time()
    else:
        drop_old_kernels()


def drop_old_kernels() -> None:
    """Remove compiled kernels older than any kernel's source: the cache does not know what a kernel inlines."""
    import netgiven

    package, experiments = Path(netgiven.__file__).parent, Path(__file__).parent.parent / "experiments"
    newest = max(path.stat().st_mtime for path in package.glob("kernels/*.py"))
    for folder in (package, experiments):
        for compiled in folder.glob("**/__pycache__/*.nb[ci]"):
            if compiled.stat().st_mtime < newest:
                compiled.unlink()


def compile_one_at_a_time() -> None:
    """Let one process compile at a time: the others wait, and load from the cache what it has compiled."""
    from numba.core.dispatcher import Dispatcher

    compile_now, turn = Dispatcher.compile, turns(Path(__file__))

    def compile_in_turn(self, signature):
        with turn():
            return compile_now(self, signature)

    Dispatcher.compile = compile_in_turn


def turns(path: Path):
    """A lock between processes that a thread may take several times, as a kernel compiles the kernels that it calls."""
    try:
        import fcntl
    except ImportError:  # Windows
        return threading.RLock
    mine, held = threading.RLock(), []

    @contextmanager
    def turn():
        with mine:
            held.append(path.open("rb"))
            if len(held) == 1:
                fcntl.flock(held[0], fcntl.LOCK_EX)
            try:
                yield
            finally:
                held.pop().close()

    return turn


def pytest_xdist_make_scheduler(config, log):
    """Run tests of a file in one process, which makes their fixtures once, and all tests of pages in one browser."""
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.split("::", maxsplit=1)[0]
            return "browser" if "tests/browser/" in file else file

    return ByFile(config, log)


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
