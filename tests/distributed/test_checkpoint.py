"""Resuming after an interruption, and the same bytes on any number of workers; without a cluster."""

import errno
import os
import subprocess
import sys
import warnings
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import netgiven as ng
from netgiven.array_file import load_arrays, save_arrays
from netgiven.distributed.driver import MAX_LOSSES, RayStepper
from netgiven.errors import FormatError, InputError
from tests.distributed.eager_ray import EagerRay, connect_eagerly, connect_to
from tests.distributed.networks import FEW_STEPS, certain, same, small


@pytest.fixture(scope="module", autouse=True)
def without_a_cluster():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("netgiven.distributed.driver.connect", connect_eagerly)
        yield


class Death(BaseException):
    """What ends a driver in mid-run."""


def die_at(step):
    def callback(record, positions):
        if record.step == step:
            raise Death

    return callback


def interrupted(network, path, step=7, workers=2, **chosen):
    """A checkpoint of a fit that died."""
    with pytest.raises(Death):
        ng.embed(network, **FEW_STEPS | chosen, engine=ng.Ray(None, workers, path, 0), callback=die_at(step))
    return path


def resumed(network, path, workers=2, **chosen):
    return ng.embed(network, **FEW_STEPS | chosen, engine=ng.Ray(None, workers, path, 0, True, lambda line: None))


# ---- the same bytes -------------------------------------------------------------------------------------------------

KINDS = {
    "degrees": (small, None, {}),
    "exact": (small, None, {"method": "exact", "optimizer": "adam"}),
    "listed pairs": (small, "blocks:community+common_neighbours", {}),
    "certain pairs": (certain, "degrees+blocks:group", {}),
    "certain pairs, exact": (certain, "blocks:group", {"method": "exact", "optimizer": "adam"}),
    "shrinkage": (small, "density", {"shrinkage": 3.0}),
    "two dimensions": (small, None, {"dimensions": 2}),
    "dimensions that repel": (small, None, {"dimensions": 8, "repelling": 3, "init": "diffusion"}),
}


@pytest.mark.parametrize("kind", KINDS)
def test_any_number_of_workers_gives_the_same_bytes(kind):
    make, given_text, chosen = KINDS[kind]
    network, chosen = make(), FEW_STEPS | {"given": given_text, "method": "sampled", **chosen}
    alone = ng.embed(network, **chosen)
    for workers in (1, 2, 3, 6):
        same(alone, ng.embed(network, **chosen, engine=ng.Ray(workers=workers)))


@given(count=st.integers(2, 1_200), seed=st.integers(0, 99), workers=st.integers(1, 5))
def test_any_network_gives_the_same_bytes(count, seed, workers):
    links = np.random.default_rng(seed).integers(count, size=(seed * count // 20, 2))
    network = ng.Network.from_edges(links, nodes=range(count))
    chosen = FEW_STEPS | {"method": "sampled", "max_steps": 3, "init": "random"}
    same(ng.embed(network, **chosen), ng.embed(network, **chosen, engine=ng.Ray(workers=min(workers, count))))


def test_sorted_nodes_give_the_same_bytes(monkeypatch):
    monkeypatch.setattr("netgiven.fitting.fit.MIN_BYTES", 0)
    network, chosen = small(), FEW_STEPS | {"method": "sampled"}
    same(ng.embed(network, **chosen), ng.embed(network, **chosen, engine=ng.Ray(workers=3)))


def test_settings_are_chosen_alike():
    network, chosen = small(2_500, 15_000), {"dimensions": 2, "shrinkage": 0.0, "max_steps": 5}
    same(ng.embed(network, **chosen), ng.embed(network, **chosen, engine="ray"))


# ---- checkpoints ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("step", "workers"), [(1, 2), (7, 4), (11, 1)])
def test_a_fit_that_was_interrupted_goes_on_as_if_it_had_not_been(tmp_path, step, workers):
    network, logged, seen = small(), [], []
    chosen = FEW_STEPS | {"method": "sampled"}
    path = interrupted(network, tmp_path / "x.checkpoint", step, method="sampled")
    again = ng.Ray(None, workers, path, 0, True, logged.append)
    found = ng.embed(network, **chosen, engine=again, callback=lambda record, _: seen.append(record.step))
    same(ng.embed(network, **chosen), found)
    assert seen == list(range(step, 12))
    assert logged == [f"Resumed after {'1 step' if step == 1 else f'{step} steps'}."]


def test_a_fit_that_was_over_is_resumed_at_its_end(tmp_path):
    network, path = small(), tmp_path / "x.checkpoint"
    whole = ng.embed(network, **FEW_STEPS, method="sampled", engine=ng.Ray(None, 2, path, 0))
    same(whole, resumed(network, path, method="sampled"))


def test_a_checkpoint_is_written_only_when_its_time_has_come(tmp_path):
    ng.embed(small(), **FEW_STEPS, method="sampled", engine=ng.Ray(checkpoint=tmp_path / "x", checkpoint_minutes=60))
    assert not list(tmp_path.iterdir())


def rewired(network):
    """Other links, and the same number of them at each node."""
    links = network.links()
    present = {tuple(sorted(link)) for link in links.tolist()}
    for (a, b), (c, d) in combinations(links.tolist(), 2):
        new = {tuple(sorted((a, d))), tuple(sorted((c, b)))}
        if len({a, b, c, d}) == 4 and not new & present:
            break
    kept = present - {tuple(sorted((a, b))), tuple(sorted((c, d)))} | new
    return ng.Network.from_edges(sorted(kept), nodes=range(network.node_count))


OTHERS = {
    "seed": {"seed": 5},
    "reach": {"reach": 3},
    "shrinkage": {"shrinkage": 1.0},
    "prior": {"given": "density"},
    "samples": {"method": ng.sampled(64)},
    "max_steps": {"max_steps": 13},
    "dimensions": {"dimensions": 5},
}


@pytest.mark.parametrize("what", [*OTHERS, "network", "links"])
def test_a_checkpoint_of_something_else_is_not_gone_on_from(tmp_path, what):
    network = small()
    path = interrupted(network, tmp_path / "x.checkpoint", method="sampled")
    before = path.read_bytes()
    other = {"network": small(seed=1), "links": rewired(network)}.get(what, network)
    with pytest.raises(InputError, match="is of another network, prior or settings"):
        resumed(other, path, **{"method": "sampled"} | OTHERS.get(what, {}))
    assert path.read_bytes() == before


def damages(path):
    arrays, header = load_arrays(path)
    whole = path.read_bytes()

    def without(name):
        save_arrays(path, {key: array for key, array in arrays.items() if key != name}, header)

    def short(name):
        save_arrays(path, arrays | {name: arrays[name][:-1]}, header)

    return {
        "cut": lambda: path.write_bytes(whole[: len(whole) // 2]),
        "empty": lambda: path.write_bytes(b""),
        "text": lambda: path.write_text("ann bob\n"),
        **{f"no {name}": lambda name=name: without(name) for name in arrays},
        **{f"short {name}": lambda name=name: short(name) for name in ("positions", "mean", "square")},
        "strange history": lambda: save_arrays(path, arrays | {"history": arrays["history"][:, :2]}, header),
    }


def test_a_damaged_checkpoint_gets_an_error_message(tmp_path):
    network = small()
    path = interrupted(network, tmp_path / "x.checkpoint", method="sampled")
    for name, damage in damages(path).items():
        damage()
        with pytest.raises(FormatError, match=r"damaged|was not written by netgiven"):
            resumed(network, path, method="sampled")
        assert path.exists(), name


def test_an_embedding_is_no_checkpoint(tmp_path):
    network = small()
    ng.embed(network, **FEW_STEPS, method="sampled").save(tmp_path / "x.ng")
    with pytest.raises(InputError, match="is of another network"):
        resumed(network, tmp_path / "x.ng", method="sampled")


def test_nothing_to_resume_from_gets_an_error_message(tmp_path):
    with pytest.raises(InputError, match=r"There is no checkpoint .*nowhere to resume from; start without resume"):
        ng.Ray(checkpoint=tmp_path / "nowhere", resume=True)
    with pytest.raises(InputError, match="no checkpoint"):
        ng.Ray(resume=True)


# ---- workers die ---------------------------------------------------------------------------------------------------

CHOSEN = FEW_STEPS | {"method": "sampled", "max_steps": 5}
WORKERS = 3


def embed_with(ray, network, checkpoint=None, log=lambda line: None, callback=None, minutes=None, **more):
    """A fit on a stand-in for Ray, with a checkpoint after each step if a file is given."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("netgiven.distributed.driver.connect", connect_to(ray))
        every = minutes if minutes is not None else 0 if checkpoint else 5.0
        engine = ng.Ray(None, WORKERS, checkpoint, every, log=log, **more)
        return ng.embed(network, **CHOSEN, engine=engine, callback=callback)


@pytest.fixture(scope="module")
def alone():
    """A network, and its embedding on one machine."""
    network = small()
    return network, ng.embed(network, **CHOSEN)


@pytest.mark.parametrize("saves", [False, True], ids=["no checkpoint yet", "checkpoints"])
def test_a_worker_that_dies_at_any_call_changes_nothing(alone, tmp_path, saves):
    network, whole = alone
    path, ray = tmp_path / "x" if saves else None, EagerRay()
    same(whole, embed_with(ray, network, path))
    assert {"start", "machine", "step", "gather"} | ({"moment"} if saves else set()) == set(ray.calls)
    for death in range(1, len(ray.calls) + 1):
        faulty, logged = EagerRay([death]), []
        same(whole, embed_with(faulty, network, path, logged.append))
        if ray.calls[death - 1] in ("start", "machine", "step"):  # what others give last, nobody may need
            assert logged[0].startswith("A worker was lost; ") and faulty.made == 2 * WORKERS
        if path:
            path.unlink()


@given(st.sets(st.integers(1, 90), max_size=MAX_LOSSES - 1), st.booleans())
def test_workers_that_die_again_and_again_change_nothing(alone, tmp_path_factory, deaths, saves):
    network, whole = alone
    path = tmp_path_factory.mktemp("faults") / "x" if saves else None
    same(whole, embed_with(EagerRay(deaths), network, path))


def test_a_loss_goes_back_to_the_last_checkpoint(alone, tmp_path):
    network, whole = alone
    ray, logged, seen = EagerRay(), [], []
    embed_with(ray, network, tmp_path / "x")
    third = [place for place, call in enumerate(ray.calls) if call == "step"][2 * WORKERS]
    same(
        whole,
        embed_with(
            EagerRay([third + 2]), network, tmp_path / "y", logged.append, lambda record, _: seen.append(record.step)
        ),
    )
    assert logged == ["A worker was lost; all go back to the last checkpoint.", "Resumed after 2 steps."]
    assert seen == [0, 1, 2, 3, 4]


def test_without_a_checkpoint_a_loss_goes_back_to_the_beginning(alone):
    network, whole = alone
    ray, logged, seen = EagerRay(), [], []
    embed_with(ray, network)
    last = max(place for place, call in enumerate(ray.calls) if call == "step") + 1
    same(whole, embed_with(EagerRay([last]), network, None, logged.append, lambda record, _: seen.append(record.step)))
    assert logged == ["A worker was lost; all go back to the beginning, as there is no checkpoint yet."]
    assert seen == [0, 1, 2, 3, 0, 1, 2, 3, 4]


def test_a_checkpoint_of_an_earlier_run_is_not_gone_back_to(alone, tmp_path):
    network, whole = alone
    other = small(seed=1)
    embed_with(EagerRay(), other, tmp_path / "x")
    same(whole, embed_with(EagerRay([WORKERS + 1]), network, tmp_path / "x"))


def test_a_resumed_fit_survives_losses(alone, tmp_path):
    network, whole = alone
    path = tmp_path / "x"
    with pytest.raises(Death):
        embed_with(EagerRay([20]), network, path, callback=die_at(3))
    same(whole, embed_with(EagerRay([2, 9, 14]), network, path, resume=True))


def test_without_a_file_a_temporary_one_is_gone_back_to(alone, tmp_path, monkeypatch):
    network, whole = alone
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    ray, logged = EagerRay(), []
    embed_with(ray, network, minutes=0)
    last = max(place for place, call in enumerate(ray.calls) if call == "step") + 1
    same(whole, embed_with(EagerRay([last]), network, log=logged.append, minutes=0))
    assert logged == ["A worker was lost; all go back to the last checkpoint.", "Resumed after 4 steps."]
    assert not list(tmp_path.iterdir())


def test_positions_come_to_the_driver_in_the_end_only(alone, monkeypatch):
    network, whole = alone
    fetched, fetch = [], RayStepper.positions.fget
    monkeypatch.setattr(RayStepper, "positions", property(lambda self: fetched.append(self) or fetch(self)))
    same(whole, embed_with(EagerRay(), network))
    assert len(fetched) == 1
    same(whole, embed_with(EagerRay(), network, callback=lambda record, positions: None))
    assert len(fetched) == 1 + len(whole.fit.steps) + 1


def test_losses_without_end_get_an_error_message(alone):
    network, _ = alone
    ray = EagerRay(range(5, 1_000, 2))
    with pytest.raises(InputError, match=r"Workers were lost 5 times in a row, and none came further than \d step"):
        embed_with(ray, network)
    assert ray.made == 5 * WORKERS


# ---- disks ---------------------------------------------------------------------------------------------------------


def test_a_full_disk_is_logged_and_the_fit_goes_on(tmp_path, monkeypatch):
    def full(*arguments, **chosen):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    network, logged = small(), []
    whole = ng.embed(network, **FEW_STEPS, method="sampled")
    monkeypatch.setattr("netgiven.array_file._write_pieces", full)
    engine = ng.Ray(checkpoint=tmp_path / "x", checkpoint_minutes=0, log=logged.append)
    same(whole, ng.embed(network, **FEW_STEPS, method="sampled", engine=engine))
    assert not list(tmp_path.iterdir())
    assert logged[0].startswith("No checkpoint was written: ") and "x cannot be written: No space left" in logged[0]
    assert "The fit goes on" in logged[0]


def test_a_disk_that_is_full_indeed(tmp_path):
    """Files may not grow beyond some bytes, which has the effect of a full disk."""
    code = """
import resource, sys
import netgiven as ng
from netgiven.distributed import driver
from tests.distributed.eager_ray import connect_eagerly
from tests.distributed.networks import FEW_STEPS, same, small
driver.connect = connect_eagerly
whole = ng.embed(small(), **FEW_STEPS, method="sampled")
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
engine = ng.Ray(checkpoint=sys.argv[1], checkpoint_minutes=0, log=print)
same(whole, ng.embed(small(), **FEW_STEPS, method="sampled", engine=engine))
"""
    command = [sys.executable, "-c", code, str(tmp_path / "x")]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert ended.returncode == 0, ended.stderr
    assert "x cannot be written: " in ended.stdout and "File too large" in ended.stdout
    assert "The fit goes on" in ended.stdout
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_not_there_is_logged(tmp_path):
    network, logged = small(), []
    engine = ng.Ray(checkpoint=tmp_path / "no" / "x", checkpoint_minutes=0, log=logged.append)
    whole = ng.embed(network, **FEW_STEPS, method="sampled")
    same(whole, ng.embed(network, **FEW_STEPS, method="sampled", engine=engine))
    assert "does not exist" in logged[0] and "Make it first. The fit goes on" in logged[0]


def test_messages_are_warnings_by_default(tmp_path):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ng.embed(
            small(),
            **FEW_STEPS,
            method="sampled",
            engine=ng.Ray(checkpoint=tmp_path / "no" / "x", checkpoint_minutes=0),
        )
    assert any("No checkpoint was written" in str(warning.message) for warning in caught)
