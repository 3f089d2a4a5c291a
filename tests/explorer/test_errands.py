"""What takes time: only the newest of a kind is wanted, and what goes wrong is told."""

import threading
from types import SimpleNamespace

import pytest

import netgiven as ng
from netgiven.explorer.errands import MISTAKE, Errands


@pytest.fixture
def told():
    return []


@pytest.fixture
def errands(told):
    """What comes back is done at once, in the thread that found it."""
    document = SimpleNamespace(add_next_tick_callback=lambda act: act())
    one = Errands(document, lambda where, sentence: told.append((where, sentence)))
    yield one
    one.close()


def finished(errands):
    """Until all that was asked for is done."""
    errands._work.shutdown(wait=True)


def test_what_was_found_is_handed_on(errands, told):
    errands.then("page", lambda: 7, told.append)
    finished(errands)
    assert told == [7]


def test_only_the_newest_of_a_kind_is_shown(errands, told):
    go = threading.Event()
    errands.latest("next", lambda: go.wait(60) and "old", told.append)
    errands.latest("next", lambda: "new", told.append)
    errands.latest("fairness", lambda: "other", told.append)
    go.set()
    finished(errands)
    assert sorted(told) == ["new", "other"]


def test_what_is_forgotten_is_not_shown(errands, told):
    go = threading.Event()
    errands.latest("next", lambda: go.wait(60), told.append)
    errands.forget("next")
    go.set()
    finished(errands)
    assert told == []


def test_what_goes_wrong_is_told(errands, told, caplog):
    def refuse():
        raise ng.InputError("this cannot be")

    def fail():
        raise ZeroDivisionError("on purpose")

    errands.then("fit", refuse, told.append)
    errands.then("page", fail, told.append)
    errands.guarded("network", refuse)
    finished(errands)
    assert sorted(told) == [("fit", "this cannot be"), ("network", "this cannot be"), ("page", MISTAKE)]
    assert "on purpose" in caplog.text


def test_nothing_comes_back_after_the_end(errands, told):
    go = threading.Event()
    errands.then("page", lambda: go.wait(60), told.append)
    errands.close()
    go.set()
    finished(errands)
    assert told == []
