import json
import os
import struct
import subprocess
import sys
import threading
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import save_file

import netgiven as ng
from netgiven.array_file import (
    WHOLE,
    is_embedding,
    load_arrays,
    open_arrays,
    part_name,
    save_arrays,
    save_parts,
    save_pieces,
    table_from_bytes,
    table_to_bytes,
    write_atomically,
)
from tests.helpers import run_command


@pytest.fixture(scope="module")
def embedding():
    return ng.embed(ng.datasets.company(people=40), given="degrees+blocks:department", dimensions=3, max_steps=20)


@pytest.fixture
def saved(tmp_path, embedding):
    embedding.save(tmp_path / "company.ng")
    return tmp_path / "company.ng"


def test_everything_comes_back(saved, embedding):
    again = ng.load(saved)
    assert again.positions.tobytes() == embedding.positions.tobytes()
    assert list(again.nodes) == list(embedding.nodes)
    assert again.network.indices.tobytes() == embedding.network.indices.tobytes()
    assert again.network.columns.equals(embedding.network.columns)
    assert again.network.cleaning == embedding.network.cleaning
    assert again.prior.checks == embedding.prior.checks
    assert again.spread == embedding.spread
    assert again.fit.convergence == embedding.fit.convergence
    assert again.fit.steps == embedding.fit.steps
    assert again.fit.settings == embedding.fit.settings
    assert again.log_likelihood == embedding.log_likelihood
    assert again.bits_per_link == embedding.bits_per_link
    assert again.likely_links(count=5).equals(embedding.likely_links(count=5))
    assert again.likely_links("person 001").equals(embedding.likely_links("person 001"))


def test_the_same_embedding_is_the_same_file(tmp_path, embedding):
    for name in ("a.ng", "b.ng"):
        embedding.save(tmp_path / name)
    assert (tmp_path / "a.ng").read_bytes() == (tmp_path / "b.ng").read_bytes()


@given(st.integers(6, 9), st.integers(1, 4), st.integers(0, 5))
def test_pieces_are_the_arrays_that_they_make_together(tmp_path_factory, rows, columns, cut):
    folder, random = tmp_path_factory.mktemp("pieces"), np.random.default_rng(rows)
    arrays = {
        "history": random.normal(size=rows),
        "positions": random.normal(size=(rows, columns)).astype(np.float32),
    }
    pieces = [piece for array in arrays.values() for piece in (array[:cut], array[cut:])]
    shapes = {name: (str(array.dtype), array.shape) for name, array in arrays.items()}
    save_pieces(folder / "pieces", shapes, iter(pieces), {"of": "both"})
    save_arrays(folder / "arrays", arrays, {"of": "both"})
    (found, header), (whole, same_header) = load_arrays(folder / "pieces"), load_arrays(folder / "arrays")
    assert header == same_header and found.keys() == whole.keys()
    assert all(
        found[name].tobytes() == whole[name].tobytes() and found[name].shape == whole[name].shape for name in found
    )
    with open_arrays(folder / "pieces") as (file, _):
        assert file.get_slice("positions")[cut:].tobytes() == arrays["positions"][cut:].tobytes()


names = st.one_of(
    st.lists(st.integers(-(2**62), 2**62), unique=True, min_size=1),
    st.lists(st.text(), unique=True, min_size=1),
    st.lists(st.integers(-(2**70), 2**70), unique=True, min_size=1),
    st.lists(st.one_of(st.text(), st.integers(-(2**70), 2**70)), unique=True, min_size=1),
)


@given(names)
def test_names_of_any_kind_come_back(values):
    if any("\ud800" <= letter <= "\udfff" for value in values if isinstance(value, str) for letter in value):
        return
    index = pd.Index(pd.Series(values, dtype=object).infer_objects())
    data, as_json = table_to_bytes(index, pd.DataFrame(index=range(len(values))))
    again, _ = table_from_bytes(data, as_json)
    assert [(type(name), name) for name in again.tolist()] == [(type(name), name) for name in index.tolist()]


@pytest.mark.parametrize("names", [[2**63, 1, 2], [2**70, -1, 3], [1, "a", 2.5], [np.int64(1), "a", 2]])
def test_huge_and_mixed_names_are_saved_and_exported(tmp_path, names):
    network = ng.Network.from_edges([(names[0], names[1]), (names[1], names[2])])
    embedding = ng.embed(network, dimensions=1, max_steps=2)
    embedding.save(tmp_path / "x.ng")
    assert ng.load(tmp_path / "x.ng").nodes.tolist() == network.nodes.tolist()
    for ending in ("parquet", "csv", "tsv", "npy", "vec"):
        embedding.export(tmp_path / f"x.{ending}")
    assert pd.read_parquet(tmp_path / "x.parquet")["node"].astype(str).tolist() == [str(name) for name in network.nodes]


def test_huge_values_of_a_column_are_saved(tmp_path):
    network = ng.Network.from_edges([("a", "b")], nodes={"node": ["a", "b"], "code": [2**70, 5]})
    ng.embed(network, dimensions=1, max_steps=2).save(tmp_path / "x.ng")
    assert ng.load(tmp_path / "x.ng").network.columns["code"].tolist() == [str(2**70), "5"]


@pytest.mark.parametrize("values", [[[1], [2, 3]], [{"a": 1}, None], [np.arange(2), None], [1j, 2j], [{1}, {2}]])
def test_nested_and_strange_values_of_a_column_are_saved_as_text(tmp_path, values):
    network = ng.Network.from_edges([("a", "b")], nodes={"node": ["a", "b"], "x": pd.Series(values, dtype=object)})
    ng.embed(network, dimensions=1, max_steps=2).save(tmp_path / "x.ng")
    again = ng.load(tmp_path / "x.ng").network
    assert again.columns["x"].isna().tolist() == [value is None for value in values]
    assert [value for value in again.columns["x"] if isinstance(value, str)] == [
        str(v) for v in values if v is not None
    ]
    assert run_command("info", tmp_path / "x.ng") == 0 and "column x" in network._repr_html_()


def test_names_that_no_file_can_hold_are_errors(tmp_path):
    network = ng.Network.from_edges([(frozenset("a"), frozenset("b"))])
    with pytest.raises(ng.InputError, match="cannot be saved"):
        ng.embed(network, dimensions=1).save(tmp_path / "x.ng")
    assert not list(tmp_path.iterdir())


def test_a_failed_save_leaves_the_old_file(saved, embedding, monkeypatch):
    before = saved.read_bytes()

    def fail(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("safetensors.numpy.save_file", fail)
    with pytest.raises(ng.InputError, match="No space left"):
        embedding.save(saved)
    assert saved.read_bytes() == before
    assert [path.name for path in saved.parent.iterdir()] == ["company.ng"]


WRITER = """
import sys, time
from pathlib import Path
import numpy as np
from netgiven.array_file import save_parts, write_atomically

def write(path):
    path.write_text("half")
    Path(path.parent, ".tmpXYZ").write_text("of a library")
    print("at work", flush=True)
    time.sleep(60)

def make():
    write(Path(sys.argv[1]).parent / "elsewhere")

if sys.argv[2] == "file":
    write_atomically(sys.argv[1], write)
else:
    save_parts(sys.argv[1], {}, {}, [lambda: {"x": np.zeros(1)}, make])
"""


@contextmanager
def writing(path, kind="file"):
    """Another process that is at work on a file."""
    command = [sys.executable, "-c", WRITER, str(path), kind]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "at work\n"
        try:
            yield process
        finally:
            process.kill()


def temporary_folders(folder):
    return [path for path in folder.iterdir() if path.name.endswith(".part")]


@pytest.mark.skipif(sys.platform == "win32", reason="folders cannot be locked")
@pytest.mark.parametrize("kind", ["file", "folder"])
def test_what_a_killed_process_left_is_removed_by_the_next_one(tmp_path, kind):
    path = tmp_path / "x.ng"
    with writing(path, kind):
        pass
    (left,) = temporary_folders(tmp_path)
    assert list(left.iterdir())
    write_atomically(tmp_path / "x", lambda path: path.write_text("another target"))
    assert temporary_folders(tmp_path) == [left]
    write_atomically(path, lambda path: path.write_text("whole"))
    assert path.read_text() == "whole" and not temporary_folders(tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="folders cannot be locked")
def test_what_a_process_is_working_on_is_left_to_it(tmp_path):
    path = tmp_path / "x.ng"
    with writing(path):
        (left,) = temporary_folders(tmp_path)
        write_atomically(path, lambda path: path.write_text("whole"))
        assert temporary_folders(tmp_path) == [left] and (left / "whole.part").read_text() == "half"
    assert path.read_text() == "whole"


@pytest.mark.skipif(sys.platform == "win32", reason="folders cannot be locked")
def test_a_folder_that_was_moved_aside_by_a_killed_process_is_moved_back(tmp_path):
    path, old = tmp_path / "x", tmp_path / ".x.abcd_123.part" / "old"
    old.mkdir(parents=True)
    (old / WHOLE).write_text("the only copy")
    with pytest.raises(RuntimeError):
        save_parts(path, {}, {}, [failing])
    assert (path / WHOLE).read_text() == "the only copy" and [one.name for one in tmp_path.iterdir()] == ["x"]


def failing():
    raise RuntimeError


def test_two_threads_write_one_file(tmp_path):
    path, barrier = tmp_path / "x", threading.Barrier(4)

    def write(temporary):
        barrier.wait(30)
        temporary.write_text("whole")

    threads = [threading.Thread(target=write_atomically, args=(path, write)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert path.read_text() == "whole" and [one.name for one in tmp_path.iterdir()] == ["x"]


def test_what_a_symbolic_link_points_to_is_written(tmp_path):
    (tmp_path / "folder").mkdir()
    target, link = tmp_path / "folder" / "target", tmp_path / "link"
    link.symlink_to(target)
    for content in ("new", "newer"):
        write_atomically(link, lambda path, content=content: path.write_text(content))
        assert link.is_symlink() and target.read_text() == content
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["folder", "link", "target"]


@pytest.mark.parametrize("target", ["nowhere/x", "link"])
def test_symbolic_links_to_missing_files_are_errors(tmp_path, target):
    (tmp_path / "link").symlink_to(tmp_path / target)
    with pytest.raises(ng.InputError, match="cannot be written"):
        write_atomically(tmp_path / "link", lambda path: path.write_text("new"))


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path):
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    write_atomically(pipe, lambda path: path.write_text("through"))
    reader.join(timeout=10)
    assert read == [b"through"]
    assert pipe.is_fifo() and [path.name for path in tmp_path.iterdir()] == ["pipe"]


def test_an_embedding_is_recognised_by_what_it_holds(tmp_path, saved):
    foreign = {"empty": b"", "short": b"abc", "text": b"netgiven other\n" * 9, "huge": struct.pack("<Q", 2**62) + b"{}"}
    for name, content in foreign.items():
        (tmp_path / name).write_bytes(content)
        assert not is_embedding(tmp_path / name)
    save_file({"x": np.zeros(3, dtype=np.float32)}, tmp_path / "other")
    assert not is_embedding(tmp_path / "other") and not is_embedding(tmp_path)
    assert is_embedding(saved)


def test_paths_that_cannot_be_written_are_errors(tmp_path, embedding):
    with pytest.raises(ng.InputError, match="does not exist"):
        embedding.save(tmp_path / "nowhere" / "x.ng")
    with pytest.raises(ng.InputError, match="is a folder"):
        embedding.save(tmp_path)


def test_missing_files_are_errors(tmp_path):
    with pytest.raises(ng.InputError, match="There is no file"):
        ng.load(tmp_path / "x.ng")
    with pytest.raises(ng.InputError, match="is a folder"):
        ng.load(tmp_path)


@pytest.mark.parametrize("content", [
    b"", b"x", b"not an embedding at all, but text", struct.pack("<Q", 2**62) + b"{}", struct.pack("<Q", 2**63 + 5),
    struct.pack("<Q", 2) + b"{}", struct.pack("<Q", 4) + b"null", b"\x80\x04\x95", b"\x00" * 1000,
])  # fmt: skip
def test_foreign_and_hostile_files_are_errors(tmp_path, content):
    path = tmp_path / "x.ng"
    path.write_bytes(content)
    with pytest.raises(ng.FormatError, match=r"x\.ng"):
        ng.load(path)


def test_a_tensor_that_claims_to_be_huge_is_an_error(tmp_path):
    header = json.dumps({"positions": {"dtype": "F32", "shape": [2**31, 2**31], "data_offsets": [0, 2**62]}}).encode()
    (tmp_path / "x.ng").write_bytes(struct.pack("<Q", len(header)) + header)
    with pytest.raises(ng.FormatError):
        ng.load(tmp_path / "x.ng")


def test_other_safetensors_and_other_versions_are_errors(tmp_path):
    arrays = {"x": np.zeros(3, dtype=np.float32)}
    save_file(arrays, tmp_path / "a.ng")
    with pytest.raises(ng.FormatError, match="not an embedding of netgiven"):
        ng.load(tmp_path / "a.ng")
    save_file(arrays, tmp_path / "b.ng", metadata={"netgiven": '{"version": 99}'})
    with pytest.raises(ng.FormatError, match="version 99"):
        ng.load(tmp_path / "b.ng")
    save_file(arrays, tmp_path / "c.ng", metadata={"netgiven": '{"version": 1}'})
    with pytest.raises(ng.FormatError):
        ng.load(tmp_path / "c.ng")


def test_a_header_that_is_nested_too_deeply_is_an_error(tmp_path):
    deep = "[" * 100_000 + "]" * 100_000
    save_file({"x": np.zeros(3, dtype=np.float32)}, tmp_path / "x.ng", metadata={"netgiven": deep})
    with pytest.raises(ng.FormatError, match=r"x\.ng is not a readable embedding"):
        ng.load(tmp_path / "x.ng")


@pytest.mark.parametrize("name", [{"a": 1}, None])
def test_names_that_are_no_names_are_errors(name):
    data, _ = table_to_bytes(pd.Index([json.dumps(name), '"b"']), pd.DataFrame(index=range(2)))
    with pytest.raises(ng.FormatError, match="a node is named"):
        table_from_bytes(data, as_json=True)


@pytest.mark.parametrize("parts", [0, -1, None, "2", [2], True, 1.0])
def test_a_folder_that_does_not_say_how_many_parts_it_has_is_an_error(tmp_path, parts):
    (tmp_path / "x").mkdir()
    save_arrays(tmp_path / "x" / WHOLE, {"nodes": np.zeros(1)}, {"parts": parts})
    with pytest.raises(ng.FormatError, match="does not say how many parts"):
        ng.load(tmp_path / "x")


@pytest.mark.parametrize("array", [None, np.zeros((3, 1, 1)), np.array(3)])
def test_parts_that_do_not_fit_together_are_errors(tmp_path, array):
    (tmp_path / "x").mkdir()
    save_arrays(tmp_path / "x" / WHOLE, {"nodes": np.zeros(1)}, {"parts": 2})
    for number in range(2):
        own = {"positions": np.zeros((2, 2)), "links.indptr": np.zeros(3), "links.indices": np.zeros(0)}
        changed = own if number == 0 else {**own, "positions": array}
        given = {name: values for name, values in changed.items() if values is not None}
        save_arrays(tmp_path / "x" / part_name(number), given, {"part": number})
    with pytest.raises(ng.FormatError, match="the parts do not fit together"):
        ng.load(tmp_path / "x")


@given(st.data())
def test_a_damaged_file_loads_or_is_an_error(tmp_path_factory, embedding, data):
    path = tmp_path_factory.mktemp("damaged") / "x.ng"
    embedding.save(path)
    content = bytearray(path.read_bytes())
    if data.draw(st.booleans(), label="cut short"):
        del content[data.draw(st.integers(0, len(content) - 1)) :]
    else:
        for _ in range(data.draw(st.integers(1, 4))):
            content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(bytes(content))
    try:
        again = ng.load(path)
        again.likely_links(count=3)
        again.likely_links(again.nodes[0])
    except ng.NetgivenError:
        return
    assert np.all(np.isfinite(again.positions))
