"""Background tasks: only the latest of a kind is used, and errors are shown."""

import threading
from types import SimpleNamespace

import pytest

import netgiven as ng
from netgiven.explorer.background import INTERNAL_ERROR, BackgroundTasks


@pytest.fixture
def shown():
    return []


@pytest.fixture
def tasks(shown):
    """Callbacks run at once, in the thread of the task."""
    document = SimpleNamespace(add_next_tick_callback=lambda act: act())
    one = BackgroundTasks(document, lambda where, message: shown.append((where, message)))
    yield one
    one.close()


def finished(tasks):
    """Wait for all tasks."""
    tasks._executor.shutdown(wait=True)


def test_results_are_passed_on(tasks, shown):
    tasks.submit("page", lambda: 7, shown.append)
    finished(tasks)
    assert shown == [7]


def test_only_the_latest_of_a_kind_is_used(tasks, shown):
    go = threading.Event()
    tasks.submit_latest("next_pairs", lambda: go.wait(60) and "old", shown.append)
    tasks.submit_latest("next_pairs", lambda: "new", shown.append)
    tasks.submit_latest("fairness", lambda: "other", shown.append)
    go.set()
    finished(tasks)
    assert sorted(shown) == ["new", "other"]


def test_cancelled_tasks_are_not_used(tasks, shown):
    go = threading.Event()
    tasks.submit_latest("next_pairs", lambda: go.wait(60), shown.append)
    tasks.cancel("next_pairs")
    go.set()
    finished(tasks)
    assert shown == []


def test_errors_are_shown(tasks, shown, caplog):
    def refuse():
        raise ng.InputError("this cannot be")

    def fail():
        raise ZeroDivisionError("on purpose")

    tasks.submit("fit", refuse, shown.append)
    tasks.submit("page", fail, shown.append)
    tasks.run("network", refuse)
    finished(tasks)
    assert sorted(shown) == [("fit", "this cannot be"), ("network", "this cannot be"), ("page", INTERNAL_ERROR)]
    assert "on purpose" in caplog.text


def test_nothing_is_shown_after_the_end(tasks, shown):
    go = threading.Event()
    tasks.submit("page", lambda: go.wait(60), shown.append)
    tasks.close()
    go.set()
    finished(tasks)
    assert shown == []
