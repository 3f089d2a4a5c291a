"""Compiling ahead: what a first map needs is compiled before it is requested."""

import subprocess
import sys
from types import SimpleNamespace

import pytest

from netgiven.explorer import background
from netgiven.explorer.background import WarmUp, compile_kernels
from tests.helpers import served

FIRST_MAP = """
from netgiven.explorer import background
from netgiven.explorer.session import OpenedNetwork, Session
from netgiven.datasets import company
from netgiven.kernels import gradient, node_objective, pair_sums, repulsion, top_pairs

def compiled():
    modules = gradient, node_objective, pair_sums, repulsion, top_pairs
    kernels = {one for module in modules for one in vars(module).values() if hasattr(one, "signatures")}
    return {(one.py_func.__name__, signature) for one in kernels for signature in one.signatures}

background.compile_kernels()
before = compiled()
session = Session(threads=1)
session.open(OpenedNetwork("x", company()))
session.choose([1, 4])
session.fit().wait()
session.finish()
background._ask(session.maps[0])
print(len(before), sorted(name for name, _ in compiled() - before))
"""


def test_a_first_map_finds_everything_compiled():
    done = subprocess.run([sys.executable, "-c", FIRST_MAP], capture_output=True, text=True, check=True)
    count, missing = done.stdout.split(maxsplit=1)
    assert int(count) > 10
    assert missing.strip() == "[]"


def test_the_process_ends_without_complaints(monkeypatch, caplog):
    monkeypatch.setattr(background, "compile_kernels", lambda: None)  # here, not in the process
    one = WarmUp()
    one.start()
    assert one.wait(300)
    assert one._process.returncode == 0
    assert caplog.text == ""


@pytest.fixture
def without_work(monkeypatch):
    """Nothing is compiled; what was called."""
    called = []
    monkeypatch.setattr(background, "compile_kernels", lambda: called.append("thread"))
    monkeypatch.setattr(WarmUp, "_compile_apart", lambda self: called.append("process"))
    return called


def test_first_the_process_then_the_thread(without_work):
    one = WarmUp()
    assert (one.done, one.message) == (False, "")
    one.start()
    assert one.wait(60)
    assert (one.done, one.message) == (True, "")
    assert without_work == ["process", "thread"]


def test_the_message_is_there_during_the_work(monkeypatch, without_work):
    found = []
    one = WarmUp()
    monkeypatch.setattr(background, "compile_kernels", lambda: found.append((one.message, one.done)))
    one.start()
    assert one.wait(60)
    assert found == [(background.PREPARING, False)]


def test_a_failure_is_logged(monkeypatch, caplog, without_work):
    def fail():
        raise ZeroDivisionError("on purpose")

    monkeypatch.setattr(background, "compile_kernels", fail)
    one = WarmUp()
    one.start()
    assert one.wait(60)
    assert background.FAILED in caplog.text and "on purpose" in caplog.text


def test_a_process_that_fails_is_logged(monkeypatch, caplog):
    """The thread then does the work."""
    called = []
    monkeypatch.setattr(background, "compile_kernels", lambda: called.append("thread"))
    monkeypatch.setattr(background, "sys", SimpleNamespace(executable="false"))
    one = WarmUp()
    one.start()
    assert one.wait(60)
    assert called == ["thread"]
    assert background.FAILED in caplog.text


def test_a_stopped_one_ends(monkeypatch, caplog):
    called = []
    monkeypatch.setattr(background, "compile_kernels", lambda: called.append("thread"))
    one = WarmUp()
    one.start()
    one.stop()
    assert one.wait(60)
    assert called == [] and caplog.text == ""


def test_the_work_can_be_repeated():
    compile_kernels()


def test_the_registry_holds_it_and_pages_do_not_start_it():
    with served() as explorer:
        assert isinstance(explorer.registry.warm_up, WarmUp)
        assert not explorer.registry.warm_up.done
