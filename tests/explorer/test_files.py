"""Uploaded and downloaded files."""

import gzip
import os
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import netgiven as ng
from netgiven.array_file import save_arrays
from netgiven.embedding_file import pack
from netgiven.explorer import files
from netgiven.explorer.files import (
    FILE_NAMES,
    LOCK,
    MEGABYTE,
    PREFIX,
    PrivateFolder,
    Uploads,
    guarded,
    remove_stale_folders,
    suffix_of,
    write_file,
)
from tests.helpers import read_in_this_process

LINKS = b"ann,bob\nbob,cid\ncid,ann\n"


@pytest.fixture
def uploads_read_apart():
    """The files of a session, each read in a process of its own."""
    uploads = Uploads(max_megabytes=1)
    yield uploads
    uploads.close()


@pytest.fixture
def uploads(uploads_read_apart, monkeypatch):
    """The files of a session, read in this process."""
    read_in_this_process(monkeypatch)
    return uploads_read_apart


def send(uploads, part, label, data):
    uploads.check(part, label, len(data))
    target = uploads.target(part, label)
    target.write_bytes(data)
    return uploads.add(part, label, target)


def test_links_then_a_node_table(uploads):
    assert send(uploads, "network", "friends.csv", LINKS).node_count == 3
    network = send(uploads, "nodes", "who.csv", b"name,team\nann,x\nbob,x\ncid,y\ndan,y\n")
    assert network.node_count == 4
    assert network.column("team").tolist() == ["x", "x", "y", "y"]


def test_the_result_is_that_of_the_reader(uploads_read_apart, tmp_path):
    path = tmp_path / "friends.csv"
    path.write_bytes(b"source,target\n1,2\n2,3\n3,2\n3,3\n")
    expected, found = ng.read(path), send(uploads_read_apart, "network", "friends.csv", path.read_bytes())
    assert found.nodes.equals(expected.nodes)
    assert found.links().tolist() == expected.links().tolist()
    assert str(found.cleaning) == str(expected.cleaning)
    assert found.notes == expected.notes


@pytest.mark.parametrize("ending", [".gz", ".zst"])
def test_compressed(uploads, ending):
    packed = gzip.compress(LINKS) if ending == ".gz" else pa.compress(LINKS, codec="zstd", asbytes=True)
    assert send(uploads, "network", f"friends.csv{ending}", packed).link_count == 3


def test_a_file_that_expands_is_refused(uploads):
    bomb = gzip.compress(b"0" * (11 * MEGABYTE))
    assert len(bomb) < MEGABYTE / 10
    with pytest.raises(ng.InputError, match=r"bomb.csv.gz expands to more than 10 MB"):
        send(uploads, "network", "bomb.csv.gz", bomb)


def test_a_file_that_expands_within_its_format_is_refused(uploads_read_apart, tmp_path, monkeypatch):
    path = tmp_path / "bomb.parquet"
    count = 40_000_000
    ends = [pa.repeat(number, count) for number in (0, 1)]
    pq.write_table(pa.table(ends, names=["source", "target"]), path)
    assert path.stat().st_size < MEGABYTE
    monkeypatch.setattr(files, "BASE_MEMORY", 2 * files.GIGABYTE)
    with pytest.raises(
        ng.InputError, match=r"^bomb.parquet: there are 40,000,000 links .* Name the file: netgiven explore"
    ):
        send(uploads_read_apart, "network", "bomb.parquet", path.read_bytes())


def test_damaged_compression(uploads):
    with pytest.raises(ng.InputError, match=r"friends.csv.gz: the file cannot be decompressed"):
        send(uploads, "network", "friends.csv.gz", gzip.compress(LINKS)[:-9])


def test_too_large(uploads):
    with pytest.raises(ng.InputError, match=r"big.csv is larger than 1 MB, .*--max-megabytes"):
        uploads.check("network", "big.csv", MEGABYTE + 1)


@pytest.mark.parametrize("label", ["links", "links.exe", "links.gz", ".csv", "links.pkl", "links.csv.xz", ""])
def test_unknown_suffixes(label):
    with pytest.raises(ng.InputError, match="has the suffix"):
        suffix_of(label)


# ---- what stays on disk ----------------------------------------------------------------------------------------------


def stored(uploads):
    """Names of the files in the folder, without the lock."""
    return sorted(path.name for path in uploads.folder.iterdir() if path.name != LOCK)


@pytest.mark.parametrize(
    ("label", "data"),
    [
        ("bomb.csv.gz", gzip.compress(b"0" * (11 * MEGABYTE))),
        ("damaged.csv.gz", gzip.compress(LINKS)[:-9]),
        ("broken.csv", b"\xff\xfe\x00"),
        ("loop.csv", b"zoe,zoe\n"),
        ("bad.ng", b"no embedding"),
    ],
    ids=["expands", "damaged", "broken", "loop", "no embedding"],  # the time is part of compressed data
)
def test_a_refused_file_is_deleted_at_once(uploads, label, data):
    send(uploads, "network", "friends.csv", LINKS)
    before = stored(uploads)
    with pytest.raises(ng.InputError):
        send(uploads, "network", label, data)
    assert stored(uploads) == before == ["network-1.csv"]


def test_a_refused_node_table_is_deleted_at_once(uploads):
    with pytest.raises(ng.InputError, match="without a network"):
        send(uploads, "nodes", "who.csv.gz", gzip.compress(b"name,team\nann,x\n"))
    assert stored(uploads) == []


def test_replaced_files_are_deleted_at_once(uploads):
    send(uploads, "network", "friends.csv", LINKS)
    send(uploads, "nodes", "who.csv", b"name,team\nann,x\n")
    assert stored(uploads) == ["network-1.csv", "nodes-2.csv"]
    send(uploads, "nodes", "who.csv", b"name,team\nann,y\n")
    assert stored(uploads) == ["network-1.csv", "nodes-3.csv"]
    send(uploads, "network", "others.csv", LINKS)
    assert stored(uploads) == ["network-4.csv"]
    uploads.clear()
    assert stored(uploads) == []


def test_only_unused_files_are_deleted(uploads):
    download, arriving = uploads.folder / "map.html", uploads.target("network", "slow.csv")
    download.write_text("a map")
    arriving.write_bytes(LINKS)
    send(uploads, "network", "friends.csv", LINKS)
    assert stored(uploads) == ["map.html", "network-1.upload.csv", "network-2.csv"]
    uploads.discard(arriving)
    assert stored(uploads) == ["map.html", "network-2.csv"]


def test_files_are_not_deleted_while_they_are_read(uploads, monkeypatch):
    send(uploads, "network", "friends.csv", LINKS)
    read = files.read_in_subprocess

    def cleared_meanwhile(*arguments):
        uploads.clear()
        return read(*arguments)

    monkeypatch.setattr(files, "read_in_subprocess", cleared_meanwhile)
    assert send(uploads, "nodes", "who.csv", b"name,team\nann,x\n").link_count == 3
    assert stored(uploads) == ["network-1.csv", "nodes-2.csv"]


# ---- folders of servers that were killed -----------------------------------------------------------------------------

OWNER = "from netgiven.explorer.files import PrivateFolder; folder = PrivateFolder(); print(folder.path); input()"


@contextmanager
def owner(parent):
    """A process with a private folder, and the folder; the process is killed in the end."""
    environment = {**os.environ, "TMPDIR": str(parent)}
    line = [sys.executable, "-c", OWNER]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(line, env=environment, **pipes) as process:
        try:
            yield Path(process.stdout.readline().strip())
        finally:
            process.kill()


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such locks")
def test_only_folders_of_dead_processes_are_stale(tmp_path):
    with owner(tmp_path) as live:
        with owner(tmp_path) as dead:
            (dead / "network-1.csv").write_bytes(LINKS)
            assert remove_stale_folders(tmp_path) == []
        assert remove_stale_folders(tmp_path) == [dead]
        assert live.exists() and not dead.exists()
    assert remove_stale_folders(tmp_path) == [live]


def test_a_folder_of_this_process_is_not_stale():
    folder = PrivateFolder()
    assert folder.path not in remove_stale_folders(folder.path.parent)
    assert folder.path.exists()
    folder.close()


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such locks")
def test_links_are_not_followed_and_other_folders_stay(tmp_path):
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / LOCK).touch()
    (tmp_path / f"{PREFIX}link").symlink_to(precious)  # to a folder that looks stale
    (tmp_path / f"{PREFIX}none").mkdir()  # without a lock
    linked = tmp_path / f"{PREFIX}lock"
    linked.mkdir()
    (linked / LOCK).symlink_to(precious / LOCK)
    (tmp_path / f"{PREFIX}file").touch()
    stale = tmp_path / f"{PREFIX}stale"
    stale.mkdir()
    (stale / LOCK).touch()
    (stale / "network-1.csv").symlink_to(precious / LOCK)
    assert remove_stale_folders(tmp_path) == [stale]
    names = [f"{PREFIX}file", f"{PREFIX}link", f"{PREFIX}lock", f"{PREFIX}none", "precious"]
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    assert (precious / LOCK).exists()


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such locks")
def test_folders_of_other_users_stay(tmp_path, monkeypatch):
    stale = tmp_path / f"{PREFIX}stale"
    stale.mkdir()
    (stale / LOCK).touch()
    other = os.geteuid() + 1
    monkeypatch.setattr(files.os, "geteuid", lambda: other)
    assert remove_stale_folders(tmp_path) == []
    assert stale.exists()


def test_unknown_kinds(uploads):
    with pytest.raises(ng.InputError, match="A file of kind"):
        uploads.check("../secret", "links.csv", 10)


@pytest.mark.parametrize("label", ["../../etc/passwd.csv", "/etc/x.csv", "a/b.csv", "..\\x.csv", "<img src=x>.csv"])
def test_names_of_uploads_are_never_paths(uploads, label):
    target = uploads.target("network", label)
    assert target.parent == uploads.folder
    assert target.name == "network-1.upload.csv"


def test_the_folder_is_private_and_deleted(uploads):
    folder = uploads.folder
    assert folder.stat().st_mode & 0o077 == 0
    send(uploads, "network", "friends.csv", LINKS)
    uploads.close()
    assert not folder.exists()


def test_errors_of_readers_name_the_uploaded_file(uploads_read_apart):
    with pytest.raises(ng.InputError, match=r"^<b>.csv, line 2") as error:
        send(uploads_read_apart, "network", "<b>.csv", b"ann,bob\ncid\n")
    assert str(uploads_read_apart.folder) not in str(error.value)


def test_after_a_bad_file_the_old_one_is_still_there(uploads):
    send(uploads, "network", "friends.csv", LINKS)
    with pytest.raises(ng.InputError):
        send(uploads, "network", "broken.csv", b"\xff\xfe\x00")
    with pytest.raises(ng.InputError, match="none of its nodes"):
        send(uploads, "nodes", "others.csv", b"name,team\nzoe,x\n")
    assert send(uploads, "nodes", "who.csv", b"name,team\nann,x\n").link_count == 3


def test_nodes_without_links(uploads):
    with pytest.raises(ng.InputError, match="Open a file of links first"):
        send(uploads, "nodes", "who.csv", b"name,team\nann,x\n")


def test_an_embedding(uploads_read_apart, tmp_path):
    embedding = ng.embed(ng.datasets.company(20), dimensions=2, threads=1)
    embedding.save(tmp_path / "x.ng")
    found = send(uploads_read_apart, "network", "x.ng", (tmp_path / "x.ng").read_bytes())
    assert np.array_equal(found.positions, embedding.positions)
    with pytest.raises(ng.NetgivenError) as error:
        send(uploads_read_apart, "network", "y.ng", b"not this")
    assert str(uploads_read_apart.folder) not in str(error.value)
    assert "y.ng is not a readable embedding" in str(error.value)


def test_an_embedding_that_expands_is_refused(uploads_read_apart, tmp_path):
    """Its node table can be compressed, so it is read in a separate process like every upload."""
    arrays, header = pack(ng.embed(ng.datasets.company(20), dimensions=2, max_steps=5, threads=1))
    large = pa.array(["z" * MEGABYTE] * 20)
    names = pa.array([f"person {number}" for number in range(20)])
    with pa.BufferOutputStream() as sink:
        table = pa.table([names, large], names=["node", "column a"])
        with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
            writer.write_table(table)
        whole = np.frombuffer(sink.getvalue(), dtype=np.uint8)
    save_arrays(tmp_path / "bomb.ng", {**arrays, "nodes": whole}, header)
    assert (tmp_path / "bomb.ng").stat().st_size < MEGABYTE / 10
    with pytest.raises(ng.InputError, match=r"^bomb.ng: the content exceeds 10 times the limit for uploads"):
        send(uploads_read_apart, "network", "bomb.ng", (tmp_path / "bomb.ng").read_bytes())
    assert not list(uploads_read_apart.folder.glob("*.read"))


def test_an_embedding_accepts_no_node_table(uploads, tmp_path):
    ng.embed(ng.datasets.company(20), dimensions=2, max_steps=5, threads=1).save(tmp_path / "x.ng")
    send(uploads, "network", "x.ng", (tmp_path / "x.ng").read_bytes())
    with pytest.raises(ng.InputError, match=r"x\.ng has maps already; a node table goes with a file of links"):
        send(uploads, "nodes", "who.csv", b"name,team\nann,x\n")


def test_a_network_without_links_does_not_replace_another(uploads):
    send(uploads, "network", "friends.csv", LINKS)
    with pytest.raises(ng.InputError, match=r"loop.csv has 1 node and 0 links; a map needs"):
        send(uploads, "network", "loop.csv", b"zoe,zoe\n")
    assert send(uploads, "nodes", "who.csv", b"name,team\nann,x\n").link_count == 3


def test_downloads(tmp_path):
    embedding = ng.embed(ng.datasets.company(30), "degrees", dimensions=2, reach=2, shrinkage=0.0, threads=1)
    chosen = np.array([2, 3, 5, 8])
    paths = {kind: write_file(kind, [embedding], 0, chosen, tmp_path, threads=1) for kind in FILE_NAMES}
    assert np.array_equal(ng.load(paths["embedding"]).positions, embedding.positions)
    predictions = pd.read_csv(paths["predictions"], sep="\t")
    assert predictions["probability"].tolist() == embedding.likely_links(count=1000)["probability"].tolist()
    nodes = pd.read_csv(paths["nodes"], sep="\t")
    assert nodes["node"].tolist() == embedding.nodes[chosen].tolist()
    assert nodes["degree"].tolist() == embedding.network.degrees[chosen].tolist()
    assert {"department", "project", "x1", "x2"} <= set(nodes.columns)
    links = pd.read_csv(paths["links"], sep="\t")
    assert set(links["source"]) | set(links["target"]) <= set(nodes["node"])
    assert links["probability"].tolist() == pytest.approx(embedding.probabilities(links[["source", "target"]]).tolist())
    assert "<!DOCTYPE html>" in paths["page"].read_text(encoding="utf-8")[:100]
    with pytest.raises(ng.InputError, match="of kind"):
        write_file("passwd", [embedding], 0, chosen, tmp_path)


@pytest.mark.parametrize("name", ["=1+2", "+1", "-1", "@sum", "\tx", "\rx"])
def test_formulas_are_guarded(name):
    """Also in columns of categories and of mixed values, and in the names of columns."""
    values = {"a": [name, 1], "b": pd.Categorical([name, "x"]), "c": pd.array([name, None], dtype="string")}
    found = guarded(pd.DataFrame({**values, name: [-1.0, 2.0]}))
    assert found["a"].tolist() == [f"'{name}", 1]
    assert found["b"].tolist() == [f"'{name}", "x"]
    assert found["c"].iloc[0] == f"'{name}" and pd.isna(found["c"].iloc[1])
    assert found[f"'{name}"].tolist() == [-1.0, 2.0]


def test_tables_are_guarded(tmp_path):
    """Read as text: a formula in a name, negative coordinates as they are."""
    network = ng.datasets.company(20)
    columns = network.columns.assign(team=["=cmd", *["x"] * 19])
    names = pd.Index(["=HYPERLINK(0)", "-1", *network.nodes[2:]])
    hostile = replace(network, nodes=names, columns=columns)
    embedding = ng.embed(hostile, dimensions=2, reach=2, shrinkage=0.0, max_steps=5, threads=1)
    tables = {
        kind: pd.read_csv(write_file(kind, [embedding], 0, np.arange(20), tmp_path, threads=1), sep="\t", dtype=str)
        for kind in ("nodes", "links", "predictions")
    }
    assert tables["nodes"]["node"].tolist()[:2] == ["'=HYPERLINK(0)", "'-1"]
    assert tables["nodes"]["team"].tolist()[:2] == ["'=cmd", "x"]
    assert tables["nodes"]["x1"].astype(float).tolist() == pytest.approx(embedding.positions[:, 0].tolist())
    for table in tables.values():
        text = table.iloc[:, :2].to_numpy().ravel()
        assert "'=HYPERLINK(0)" in text and "=HYPERLINK(0)" not in text
