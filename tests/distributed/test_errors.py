"""What a cluster cannot do is an error message, before anything is written."""

import errno
import os
import signal
import socket
import sys

import numpy as np
import pytest

import netgiven as ng
from netgiven.distributed import cluster
from netgiven.distributed.cluster import Ray, Session, connect
from netgiven.errors import InputError
from netgiven.fitting.record import progress_bar
from netgiven.fitting.train import Step
from tests.distributed.eager_ray import connect_eagerly
from tests.distributed.networks import FEW_STEPS, small
from tests.helpers import run_command as run

ray = pytest.importorskip("ray", reason='Ray is not installed: pip install "netgiven[cluster]"')

SAMPLED = FEW_STEPS | {"method": "sampled"}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [f"{u} {v}\n" for u, v in small(3_000, 9_000).links().tolist()]
    (tmp_path / "links.txt").write_text("".join(lines))
    return tmp_path


def free_port():
    """A port of this machine where nothing listens."""
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        return door.getsockname()[1]


# ---- who is asked --------------------------------------------------------------------------------------------------


def test_without_ray_the_message_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(InputError, match=r"needs ray, which is not installed: pip install \"netgiven\[cluster\]"):
        ng.embed(small(), **SAMPLED, engine="ray")


@pytest.mark.parametrize("address", ["", "nonsense", "host:", ":123", "host:port", "local", "http//x"])
def test_an_address_that_makes_no_sense(address):
    with pytest.raises(InputError, match="was given; it is auto, host:port, or ray://host:port"):
        ng.embed(small(), **SAMPLED, engine=Ray(address))


@pytest.mark.parametrize("scheme", ["", "ray://"])
def test_an_address_without_a_cluster(scheme):
    address = f"{scheme}127.0.0.1:{free_port()}"
    with pytest.raises(InputError, match=f"No Ray cluster answers at {address} .*refused.* Start one with 'ray start"):
        ng.embed(small(), **SAMPLED, engine=Ray(address))


def test_a_port_that_cannot_be():
    with pytest.raises(InputError, match=r"No Ray cluster answers at 127\.0\.0\.1:99999"):
        ng.embed(small(), **SAMPLED, engine=Ray("127.0.0.1:99999"))


def test_auto_without_a_running_cluster(monkeypatch):
    def nobody(address, **settings):
        raise ConnectionError("Could not find any running Ray instance. Please specify the one to connect to.")

    monkeypatch.setattr(ray, "init", nobody)
    with pytest.raises(InputError, match=r"No Ray cluster answers at auto \(Could not find any running Ray instance"):
        ng.embed(small(), **SAMPLED, engine=Ray("auto"))


MISMATCH = """Version mismatch: The cluster was started with:
    Ray: 2.40.0
    Python: 3.12.1
This process on node 127.0.0.1 was started with:
    Ray: 2.60.0
    Python: 3.11.2
"""


def test_a_cluster_of_other_versions(monkeypatch):
    def other(address, **settings):
        raise RuntimeError(MISMATCH)

    monkeypatch.setattr(ray, "init", other)
    with pytest.raises(InputError, match=r"runs other versions of Ray or Python .*Ray: 2.40.0 Python: 3.12.1 .*same"):
        ng.embed(small(), **SAMPLED, engine=Ray("auto"))


class Elsewhere:
    """A cluster where another netgiven is installed, or none."""

    exceptions = ray.exceptions

    def __init__(self, answer):
        self.answer = answer

    def remote(self, *function):
        return self

    def get(self, reference):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def test_a_cluster_with_another_netgiven():
    with pytest.raises(InputError, match=f"runs netgiven 0.0.1, this machine runs {ng.__version__}; install the same"):
        cluster._check_versions(Session(Elsewhere("0.0.1"), 1))


def test_a_cluster_without_netgiven():
    problem = ray.exceptions.RayError("Traceback ...\nModuleNotFoundError: No module named 'netgiven'")
    with pytest.raises(InputError, match=r"cannot import netgiven; install netgiven\[cluster\] .*No module named"):
        cluster._check_versions(Session(Elsewhere(problem), 1))


@pytest.mark.parametrize("settings", [{"workers": 0}, {"workers": -3}, {"checkpoint_minutes": -1.0}])
def test_too_few_workers_or_minutes(settings):
    with pytest.raises(InputError, match=r"was requested; 0 or more|at least 1 is needed"):
        Ray(**settings)


@pytest.mark.parametrize("engine", ["spark", None, 3])
def test_an_engine_that_there_is_not(engine):
    with pytest.raises(InputError, match=r"it is 'local', 'ray', or Ray\("):
        ng.embed(small(), **SAMPLED, engine=engine)


# ---- what is asked -------------------------------------------------------------------------------------------------


@pytest.fixture
def at_once(monkeypatch):
    monkeypatch.setattr("netgiven.distributed.driver.connect", connect_eagerly)


def test_more_workers_than_nodes(at_once):
    with pytest.raises(InputError, match="2,000 workers were requested for 1,500 nodes"):
        ng.embed(small(), **SAMPLED, engine=Ray(workers=2_000))


@pytest.fixture
def nobody_asked(monkeypatch):
    def connect(settings):
        pytest.fail("what a cluster cannot do is known before it is asked")

    monkeypatch.setattr("netgiven.distributed.driver.connect", connect)


def test_the_method_of_the_paper(nobody_asked):
    with pytest.raises(InputError, match="The method paper was requested, which only one machine can compute"):
        ng.embed(small(), **FEW_STEPS, method=ng.paper(), engine="ray")


def test_an_optimizer_that_compares_whole_steps(nobody_asked):
    with pytest.raises(InputError, match="The optimizer lbfgs compares whole steps, which only one machine can do"):
        ng.embed(small(), **FEW_STEPS, engine="ray")


# ---- the command line ----------------------------------------------------------------------------------------------

FIXED = ["--dimensions", "4", "--reach", "2", "--shrinkage", "0", "--max-steps", "6", "--out", "x.ng"]
RAY = ["--engine", "ray", *FIXED]
BAD = {
    "engine": (["--engine", "spark", *FIXED], "--engine spark was given; it is local or ray"),
    "address": (["--address", "auto", *FIXED], "--address goes with --engine ray; the engine is local"),
    "workers": (["--workers", "2", *FIXED], "--workers goes with --engine ray"),
    "resume": (["--resume", *FIXED], "--resume goes with --engine ray"),
    "minutes": (["--checkpoint-minutes", "0", *FIXED], "--checkpoint-minutes goes with --engine ray"),
    "negative minutes": (["--checkpoint-minutes", "-1", *RAY], "every -1.0 minutes"),
    "no workers": (["--workers", "0", *RAY], "--workers"),
    "nothing to resume": (["--resume", *RAY], "no checkpoint x.ng.checkpoint to resume from"),
    "nonsense": (["--address", "nonsense", *RAY], "it is auto, host:port"),
    "nobody there": (["--address", f"127.0.0.1:{free_port()}", *RAY], "No Ray cluster answers at 127.0.0.1:"),
    "paper": (["--method", "paper", *RAY], "The method paper was requested"),
    "lbfgs": (["--method", "exact", *RAY], "The optimizer lbfgs compares whole steps"),
    "too many workers": (["--workers", "5000", *RAY], "5,000 workers were requested for"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_commands_get_an_error_message_and_leave_nothing(folder, capsys, monkeypatch, name):
    arguments, words = BAD[name]
    if "--address" not in arguments:
        monkeypatch.setattr("netgiven.distributed.driver.connect", connect_eagerly)
    assert run("embed", "links.txt", *arguments) == 2
    output = capsys.readouterr()
    assert words in output.err and "Traceback" not in output.err
    assert [path.name for path in folder.iterdir()] == ["links.txt"]


def test_the_checkpoint_goes_once_the_embedding_is_there(folder, capsys, monkeypatch):
    monkeypatch.setattr("netgiven.distributed.driver.connect", connect_eagerly)
    with monkeypatch.context() as patch:
        patch.setattr("netgiven.embedding.Embedding.save", lambda *_: (_ for _ in ()).throw(InputError("No room.")))
        assert run("embed", "links.txt", "--checkpoint-minutes", "0", *RAY) == 2
    assert (folder / "x.ng.checkpoint").is_file() and not (folder / "x.ng").exists()
    assert run("embed", "links.txt", "--workers", "5000", *RAY) == 2
    assert (
        "x.ng.checkpoint of an earlier run will be replaced; to continue that run, stop and add --resume"
        in capsys.readouterr().err
    )
    assert run("embed", "links.txt", "--resume", *RAY) == 0
    assert "Resumed after 6 steps." in capsys.readouterr().err
    assert {path.name for path in folder.iterdir()} == {"links.txt", "x.ng"}
    assert run("embed", "links.txt", *FIXED[:-1], "y.ng") == 0
    assert (folder / "x.ng").read_bytes() == (folder / "y.ng").read_bytes()


def test_no_source_is_taken_for_a_checkpoint(folder, capsys):
    (folder / "links.txt").rename(folder / "x.ng.checkpoint")
    before = (folder / "x.ng.checkpoint").read_bytes()
    assert run("embed", "x.ng.checkpoint", *RAY) == 2
    assert "x.ng.checkpoint is an input file and would be overwritten" in capsys.readouterr().err
    assert (folder / "x.ng.checkpoint").read_bytes() == before


def test_the_local_engine_leaves_checkpoints_alone(folder):
    (folder / "x.ng.checkpoint").write_text("of another run")
    assert run("embed", "links.txt", *FIXED) == 0
    assert (folder / "x.ng.checkpoint").read_text() == "of another run"


def test_a_full_disk_is_logged(folder, capsys, monkeypatch):
    def full(path, entries, pieces):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("netgiven.distributed.driver.connect", connect_eagerly)
    monkeypatch.setattr("netgiven.array_file._write_pieces", full)
    assert run("embed", "links.txt", "--checkpoint-minutes", "0", *RAY) == 0
    assert "x.ng.checkpoint cannot be written: No space left on device. The fit goes on" in capsys.readouterr().err
    assert {path.name for path in folder.iterdir()} == {"links.txt", "x.ng"}


# ---- starting and stopping -----------------------------------------------------------------------------------------


def test_ctrl_c_waits_until_ray_has_started_and_ends_it(monkeypatch):
    """A Ray that is stopped while it starts leaves processes behind."""
    done = []

    def start(*address, **settings):
        signal.raise_signal(signal.SIGINT)
        done.append("started")

    monkeypatch.setattr(ray, "init", start)
    monkeypatch.setattr(ray, "shutdown", lambda: done.append("ended"))
    with pytest.raises(KeyboardInterrupt), connect(Ray()):
        done.append("used")
    assert done == ["started", "ended"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_existing_connection_is_not_closed(monkeypatch):
    ended = []
    monkeypatch.setattr(ray, "is_initialized", lambda: True)
    monkeypatch.setattr(ray, "cluster_resources", lambda: {"CPU": 3.0})
    monkeypatch.setattr(ray, "shutdown", lambda: ended.append(True))
    monkeypatch.setattr(cluster, "_check_versions", lambda session: None)
    with connect(Ray()) as session:
        assert len(session.shard_nodes(np.ones(5_000, dtype=np.int64))) == 3
        assert len(session.shard_nodes(np.ones(2, dtype=np.int64))) == 1
    assert not ended


def test_lost_machines_are_a_warning():
    alive = [{"Alive": True}] * 3
    session = Session(type("Three", (), {"nodes": staticmethod(lambda: alive)}), 3)
    assert session.warning == ""
    alive[1] = {"Alive": False}
    assert session.warning == "1 of 3 machines lost, their nodes are computed by the others"


def test_warnings_are_in_the_progress_bar(capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "200")
    with progress_bar(3, True, lambda: "1 of 3 machines lost") as show:
        show(Step(0, 7.0, 1.0, 0.1))
    assert "1 of 3 machines lost" in capsys.readouterr().err


def test_what_ray_says_is_kept_from_standard_output(capsys, monkeypatch):
    def say():
        ray._private.worker.print_to_stdstream({"lines": ["A worker died"], "pid": "raylet", "is_err": False}, False)

    monkeypatch.setattr(ray, "init", lambda *address, **settings: say())
    monkeypatch.setattr(ray, "cluster_resources", lambda: {"CPU": 1.0})
    monkeypatch.setattr(cluster, "_check_versions", lambda session: None)
    with connect(Ray()):
        say()
    assert capsys.readouterr().out == ""
    say()
    assert "A worker died" in capsys.readouterr().out
