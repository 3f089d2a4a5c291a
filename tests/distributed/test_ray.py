"""A real cluster on this machine: the same bytes as the local engine, even if workers or machines die.

All tests that start Ray are here, so that it is started once. None can hang: an alarm ends it.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import netgiven as ng
import netgiven.sharded_embedding
from netgiven.distributed.cluster import Actors
from tests.distributed.networks import FEW_STEPS, certain, same, small

ray = pytest.importorskip("ray", reason='Ray is not installed: pip install "netgiven[cluster]"')
cluster_utils = pytest.importorskip("ray.cluster_utils")

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc")

LONGEST = 170  # seconds that a test may take before it is ended
STORE = {"object_store_memory": 100_000_000}


@contextmanager
def bounded():
    """End a test that waits too long."""

    def stop(number, frame):
        raise TimeoutError(f"Ray took more than {LONGEST} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(LONGEST)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture(autouse=True)
def bounded_test():
    with bounded():
        yield


@pytest.fixture(scope="module")
def three_machines():
    """A cluster of three, this process connected to it."""
    with bounded(), pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_prestart_worker_first_driver", "0")  # starts a process per processor, needed or not
        head = {"num_cpus": 2, "include_dashboard": False, **STORE}
        cluster = cluster_utils.Cluster(initialize_head=True, head_node_args=head)
        for _ in range(2):
            cluster.add_node(wait=False, num_cpus=1, **STORE)
        cluster.wait_for_nodes()
        ray.init(cluster.address, log_to_driver=False, configure_logging=False)
        yield cluster
        ray.shutdown()
        cluster.shutdown()


# ---- the same bytes -------------------------------------------------------------------------------------------------


def planted(count):
    return ng.datasets.planted(count, 3 * count).network


SAMPLED = FEW_STEPS | {"method": "sampled"}
FEW_DIMENSIONS = SAMPLED | {"dimensions": 8, "max_steps": 3, "init": "diffusion"}
KINDS = {
    "20,000 nodes": (lambda: planted(20_000), None, FEW_DIMENSIONS),
    "exact": (small, None, FEW_STEPS | {"method": "exact", "optimizer": "adam"}),
    "listed and certain pairs, shrinkage": (
        certain, "degrees+blocks:group+common_neighbours", SAMPLED | {"shrinkage": 3.0},
    ),
}  # fmt: skip
MORE_KINDS = {  # one at a time: as in test_checkpoint.py, where no process has to start
    "200,000 nodes": (lambda: planted(200_000), None, FEW_DIMENSIONS),
    "listed pairs": (small, "blocks:community+common_neighbours", SAMPLED),
    "certain pairs": (certain, "degrees+blocks:group", SAMPLED),
    "shrinkage": (small, "density", SAMPLED | {"shrinkage": 3.0}),
}


def compare(network, given, settings, workers=(1, 2, 4)):
    alone = ng.embed(network, given, **settings)
    for count in workers:
        same(alone, ng.embed(network, given, **settings, engine=ng.Ray(workers=count)))


@pytest.mark.thorough
def test_facebook_gives_the_same_bytes(three_machines, public_network):
    compare(public_network("facebook"), None, FEW_STEPS | {"dimensions": 8, "max_steps": 25})


@pytest.mark.parametrize("kind", [*KINDS, *(pytest.param(kind, marks=pytest.mark.thorough) for kind in MORE_KINDS)])
def test_any_number_of_workers_gives_the_same_bytes(three_machines, monkeypatch, kind):
    monkeypatch.setattr("netgiven.fitting.fit.MIN_BYTES", 1 << 19)
    make, given, settings = (KINDS | MORE_KINDS)[kind]
    compare(make(), given, settings, (1, 4) if "nodes" in kind else (2,))


# ---- links that no machine holds all --------------------------------------------------------------------------------

SHARDED = FEW_STEPS | {"dimensions": 8, "init": "diffusion", "method": "sampled"}


def write_parts(folder, named):
    """Links in four part files, some given twice or in both directions, and the same in one file."""
    random = np.random.default_rng(0)
    links = random.permutation(small(3_000, 15_000).links())
    links = np.concatenate([links, links[:50], links[50:80, ::-1]])
    frame = pd.DataFrame(links, columns=["source", "target"])
    frame = frame.map(lambda number: f"node {number}") if named else frame
    (folder / "parts").mkdir()
    for number, some in enumerate(np.array_split(np.arange(len(frame)), 4)):
        frame.iloc[some].to_parquet(folder / "parts" / f"part-{number:05d}.parquet", index=False)
    frame.to_csv(folder / "whole.csv", index=False)
    return folder / "parts", ng.read(folder / "whole.csv")


@pytest.mark.parametrize("named", [False, True], ids=["integers", "text"])
def test_part_files_give_the_bytes_of_one_file(three_machines, monkeypatch, tmp_path, named):
    monkeypatch.setattr("netgiven.fitting.fit.MIN_BYTES", 0)
    folder, whole = write_parts(tmp_path, named)
    alone, logged = ng.embed(whole, **SHARDED), []
    counts = (1, 3) if named else (2,)  # each worker is a process to start
    for workers in counts:
        found = ng.embed_sharded(
            folder,
            tmp_path / "x.ng",
            settings=ng.Settings(**SHARDED),
            engine=ng.Ray(workers=workers, log=logged.append),
        )
        same(alone, found)
        loaded = ng.load(tmp_path / "x.ng")
        assert loaded.positions.tobytes() == alone.positions.tobytes()
        assert loaded.network.indices.tobytes() == whole.indices.tobytes()
        assert loaded.nodes.equals(whole.nodes)
        assert loaded.network.cleaning == whole.cleaning
        assert loaded.log_likelihood == alone.log_likelihood
    assert logged == [*whole.report[:2]] * len(counts)
    assert len(list((tmp_path / "x.ng").iterdir())) == counts[-1] + 1


def test_errors_of_workers_about_part_files_are_raised_here(three_machines, tmp_path):
    folder, _ = write_parts(tmp_path, False)
    pd.DataFrame({"source": [1], "target": [2], "year": [3]}).to_parquet(folder / "part-00002.parquet", index=False)
    with pytest.raises(ng.InputError, match=r"part-00002.parquet has other columns than .*part-00000.parquet"):
        ng.embed_sharded(folder, tmp_path / "x.ng", engine=ng.Ray(workers=2))
    (folder / "part-00002.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(ng.InputError, match="it is cut off or damaged"):
        ng.embed_sharded(folder, tmp_path / "x.ng", engine=ng.Ray(workers=1))
    (folder / "part-00002.parquet").unlink()
    with pytest.raises(ng.InputError, match="part 2 is missing"):
        ng.embed_sharded(folder, tmp_path / "x.ng", engine=ng.Ray(workers=1))
    with pytest.raises(ng.InputError, match="all links on one machine"):
        (folder / "part-00003.parquet").unlink()
        ng.embed_sharded(folder, tmp_path / "x.ng", "common_neighbours", engine=ng.Ray(workers=1, log=[].append))
    assert not (tmp_path / "x.ng").exists()


# ---- workers and machines die ---------------------------------------------------------------------------------------


@pytest.fixture
def actors(monkeypatch):
    """The workers of the fit that runs."""
    found = []

    class Known(Actors):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            found[:] = self.workers

    monkeypatch.setattr("netgiven.distributed.driver.Actors", Known)
    return found


@pytest.fixture
def warnings(monkeypatch):
    """The warning in the progress bar at each step."""
    lines = []

    @contextmanager
    def bar(max_steps, show, warning):
        yield lambda record: lines.append(warning())

    monkeypatch.setattr("netgiven.fitting.fit.progress_bar", bar)
    return lines


def process_of(worker):
    return ray.get(worker.__ray_call__.remote(lambda self: os.getpid()))


def machines_of(workers):
    """Names of the machines where they are."""
    asked = [worker.__ray_call__.remote(lambda self: ray.get_runtime_context().get_node_id()) for worker in workers]
    return set(ray.get(asked))


def test_a_worker_and_a_machine_that_die_change_nothing(three_machines, actors, warnings, tmp_path):
    network = ng.datasets.planted(20_000, 100_000).network
    settings = FEW_STEPS | {"dimensions": 8, "max_steps": 16, "init": "random"}
    killed, lost, seen, logged = [], [], [], []

    def kill(worker):
        killed.append(process_of(worker))
        threading.Timer(0.02, os.kill, (killed[-1], signal.SIGKILL)).start()

    def callback(record, positions):
        seen.append(record.step)
        if seen.count(record.step) > 1:  # repeated after a loss
            return
        if record.step == 4:  # while it computes the next step, or waits for it
            kill(actors[1])
        if record.step == 9:
            assert process_of(actors[1]) not in killed
            used = machines_of(actors)
            lost.append(next(node for node in three_machines.worker_nodes if node.node_id in used))
            three_machines.remove_node(lost[0], allow_graceful=False)

    engine = ng.Ray(workers=3, checkpoint=tmp_path / "x", checkpoint_minutes=0, log=logged.append)
    found = ng.embed(network, **settings, engine=engine, callback=callback)
    machine = "1 of 3 machines lost, their nodes are computed by the others"
    assert [line for line in logged if "machines" in line] == [f"{machine}."]
    assert len([line for line in logged if line == "A worker was lost; all go back to the last checkpoint."]) >= 2
    assert warnings[:9] == [""] * 9 and warnings[-1] == machine
    assert sorted(set(seen)) == list(range(16)) and len(killed) == 1
    assert lost and sum(node["Alive"] for node in ray.nodes()) == 2
    same(ng.embed(network, **settings), found)


def alive():
    return sum(node["Alive"] for node in ray.nodes())


def test_links_that_are_lost_with_a_machine_are_read_again(three_machines, monkeypatch, tmp_path):
    monkeypatch.setattr("netgiven.fitting.fit.MIN_BYTES", 0)
    folder, whole = write_parts(tmp_path, True)
    fit, before = netgiven.sharded_embedding.fit_positions, alive()

    def callback(record, positions):
        if record.step == 4 and alive() == before:
            three_machines.remove_node(next(iter(three_machines.worker_nodes)), allow_graceful=False)
            while alive() == before:  # until Ray has noticed
                time.sleep(0.1)

    monkeypatch.setattr(
        netgiven.sharded_embedding, "fit_positions", lambda *given, **named: fit(*given, **named, callback=callback)
    )
    found = ng.embed_sharded(
        folder, tmp_path / "x.ng", settings=ng.Settings(**SHARDED), engine=ng.Ray(workers=3, log=[].append)
    )
    assert alive() == before - 1
    same(ng.embed(whole, **SHARDED), found)
    assert ng.load(tmp_path / "x.ng").network.indices.tobytes() == whole.indices.tobytes()


# ---- the driver dies -----------------------------------------------------------------------------------------------

DRIVER = """
import os, signal, sys
import netgiven as ng
from tests.distributed.networks import FEW_STEPS, small

def callback(record, positions):
    if record.step == 7:
        os.kill(os.getpid(), signal.SIGKILL)

engine = ng.Ray(sys.argv[1], 2, sys.argv[2], checkpoint_minutes=0)
ng.embed(small(), **FEW_STEPS, method="sampled", engine=engine, callback=callback)
"""


def test_a_driver_that_was_killed_is_resumed(three_machines, tmp_path):
    path, logged = tmp_path / "x.checkpoint", []
    command = [sys.executable, "-c", DRIVER, three_machines.address, str(path)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LONGEST)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    settings = FEW_STEPS | {"method": "sampled"}
    found = ng.embed(small(), **settings, engine=ng.Ray(None, 1, path, 0, True, logged.append))
    assert logged == ["Resumed after 7 steps."]
    same(ng.embed(small(), **settings), found)


def command_line(folder, out, *options):
    (folder / "links.txt").write_text("".join(f"{u} {v}\n" for u, v in small(3_000, 15_000).links().tolist()))
    fixed = ["--dimensions", "4", "--reach", "2", "--shrinkage", "0", "--max-steps", "60"]
    return [sys.executable, "-m", "netgiven", "embed", "links.txt", *fixed, "--out", out, *options]


@contextmanager
def until_checkpoint(command, folder, **environment):
    """A command, once it has written a checkpoint."""
    started = subprocess.Popen(
        command, cwd=folder, stderr=subprocess.PIPE, text=True, env=os.environ | environment, start_new_session=True
    )
    try:
        while started.poll() is None and not list(folder.glob("*.checkpoint")):
            time.sleep(0.02)
        assert started.poll() is None, started.stderr.read()
        yield started
    finally:
        started.kill()
        started.wait()
        started.stderr.close()


def test_a_command_that_was_killed_is_resumed(three_machines, tmp_path):
    engine = ["--engine", "ray", "--address", three_machines.address, "--workers", "2"]
    command = command_line(tmp_path, "x.ng", *engine, "--checkpoint-minutes", "0")
    with until_checkpoint(command, tmp_path) as started:
        started.kill()
    assert started.returncode == -signal.SIGKILL
    assert {path.name for path in tmp_path.glob("x.ng*")} == {"x.ng.checkpoint"}
    ended = subprocess.run(
        [*command, "--resume"], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=LONGEST
    )
    assert ended.returncode == 0 and "Resumed after " in ended.stderr and ended.stdout == ""
    assert ended.stderr.startswith("Network: ") and "ray" not in ended.stderr.lower()
    subprocess.run(command_line(tmp_path, "y.ng"), cwd=tmp_path, capture_output=True, check=True, timeout=LONGEST)
    assert (tmp_path / "x.ng").read_bytes() == (tmp_path / "y.ng").read_bytes()
    left = {path.name for path in tmp_path.iterdir() if path.suffix != ".part"}  # a killed process cannot clean up
    assert left == {"links.txt", "x.ng", "y.ng"}


# ---- a Ray of its own ----------------------------------------------------------------------------------------------


def those_with(mark):
    """Processes that have this in their environment."""

    def has_it(folder):
        try:
            return mark.encode() in (folder / "environ").read_bytes()
        except OSError:
            return False

    return [folder for folder in Path("/proc").iterdir() if folder.name.isdigit() and has_it(folder)]


def listening_addresses(processes):
    """Addresses that processes listen on, hexadecimal as in /proc."""
    doors = set()
    for process in processes:
        for handle in process.glob("fd/*"):
            try:
                doors.add(str(handle.readlink()))
            except OSError:
                continue
    lines = [line.split() for name in ("tcp", "tcp6") for line in Path("/proc/net", name).read_text().splitlines()[1:]]
    return {line[1].split(":")[0] for line in lines if line[3] == "0A" and f"socket:[{line[9]}]" in doors}


LOOPBACK = {"0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000"}


def test_ctrl_c_ends_a_ray_of_its_own_and_nothing_is_left(tmp_path):
    mark = f"NETGIVEN_TEST_{os.getpid()}_{np.random.default_rng().integers(1 << 60)}"
    command = command_line(tmp_path, "x.ng", "--engine", "ray", "--workers", "2", "--checkpoint-minutes", "0")
    command[command.index("60")] = "5000"
    with until_checkpoint(command, tmp_path, **{mark: "1"}) as started:
        assert listening_addresses(those_with(mark)) and listening_addresses(those_with(mark)) <= LOOPBACK
        os.killpg(started.pid, signal.SIGINT)
        _, logged = started.communicate()
    assert started.returncode == 130
    assert "Traceback" not in logged and "ray" not in logged.lower()
    while those_with(mark):  # the last ones go when they see that the others have gone
        time.sleep(0.1)
    assert {path.name for path in tmp_path.iterdir()} == {"links.txt", "x.ng.checkpoint"}
