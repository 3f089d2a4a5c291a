"""Files from strangers."""

import gzip

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import netgiven as ng
from netgiven.array_file import save_arrays
from netgiven.embedding_file import pack
from netgiven.explorer import reading
from netgiven.explorer.files import NAMES, write_file
from netgiven.explorer.uploads import MEGABYTE, Uploads, ending_of

LINKS = b"ann,bob\nbob,cid\ncid,ann\n"


@pytest.fixture
def uploads():
    uploads = Uploads(most_megabytes=1)
    yield uploads
    uploads.close()


def send(uploads, part, label, data):
    uploads.check(part, label, len(data))
    target = uploads.target(part, label)
    target.write_bytes(data)
    return uploads.take(part, label, target)


def test_links_then_a_table_of_nodes(uploads):
    assert send(uploads, "network", "friends.csv", LINKS).node_count == 3
    network = send(uploads, "nodes", "who.csv", b"name,team\nann,x\nbob,x\ncid,y\ndan,y\n")
    assert network.node_count == 4
    assert network.column("team").tolist() == ["x", "x", "y", "y"]


def test_it_is_what_the_reader_reads(uploads, tmp_path):
    path = tmp_path / "friends.csv"
    path.write_bytes(b"source,target\n1,2\n2,3\n3,2\n3,3\n")
    expected, found = ng.read(path), send(uploads, "network", "friends.csv", path.read_bytes())
    assert found.nodes.equals(expected.nodes)
    assert found.links().tolist() == expected.links().tolist()
    assert str(found.cleaning) == str(expected.cleaning)
    assert found.notes == expected.notes


@pytest.mark.parametrize("ending", [".gz", ".zst"])
def test_compressed(uploads, ending):
    import pyarrow as pa

    packed = gzip.compress(LINKS) if ending == ".gz" else pa.compress(LINKS, codec="zstd", asbytes=True)
    assert send(uploads, "network", f"friends.csv{ending}", packed).link_count == 3


def test_a_file_that_grows_is_refused(uploads):
    bomb = gzip.compress(b"0" * (11 * MEGABYTE))
    assert len(bomb) < MEGABYTE / 10
    with pytest.raises(ng.InputError, match=r"bomb.csv.gz grows to more than 10 MB when it is decompressed"):
        send(uploads, "network", "bomb.csv.gz", bomb)


def test_a_file_that_grows_within_its_format_is_refused(uploads, tmp_path, monkeypatch):
    path = tmp_path / "bomb.parquet"
    count = 40_000_000
    pd.DataFrame({"source": np.zeros(count, np.int64), "target": np.ones(count, np.int64)}).to_parquet(path)
    assert path.stat().st_size < MEGABYTE
    monkeypatch.setattr(reading, "LIBRARIES", 2 * reading.GIGABYTE)
    with pytest.raises(ng.InputError, match=r"^bomb.parquet: the file"):
        send(uploads, "network", "bomb.parquet", path.read_bytes())


def test_damaged_compression(uploads):
    with pytest.raises(ng.InputError, match=r"friends.csv.gz: the file cannot be decompressed"):
        send(uploads, "network", "friends.csv.gz", gzip.compress(LINKS)[:-9])


def test_too_large(uploads):
    with pytest.raises(ng.InputError, match=r"big.csv is larger than 1 MB, .*--most-megabytes"):
        uploads.check("network", "big.csv", MEGABYTE + 1)


@pytest.mark.parametrize("label", ["links", "links.exe", "links.gz", ".csv", "links.pkl", "links.csv.xz", ""])
def test_unknown_endings(label):
    with pytest.raises(ng.InputError, match="files of links end in"):
        ending_of(label)


def test_unknown_parts(uploads):
    with pytest.raises(ng.InputError, match="A file for"):
        uploads.check("../secret", "links.csv", 10)


@pytest.mark.parametrize("label", ["../../etc/passwd.csv", "/etc/x.csv", "a/b.csv", "..\\x.csv", "<img src=x>.csv"])
def test_names_of_visitors_are_never_paths(uploads, label):
    target = uploads.target("network", label)
    assert target.parent == uploads.folder
    assert target.name == "network-1.sent.csv"


def test_the_folder_is_private_and_goes(uploads):
    folder = uploads.folder
    assert folder.stat().st_mode & 0o077 == 0
    send(uploads, "network", "friends.csv", LINKS)
    uploads.close()
    assert not folder.exists()


def test_a_bad_file_gets_the_readers_sentence_under_its_own_name(uploads):
    with pytest.raises(ng.InputError, match=r"^<b>.csv, line 2") as problem:
        send(uploads, "network", "<b>.csv", b"ann,bob\ncid\n")
    assert str(uploads.folder) not in str(problem.value)


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


def test_an_embedding(uploads, tmp_path):
    embedding = ng.embed(ng.datasets.company(20), dimensions=2, threads=1)
    embedding.save(tmp_path / "x.ng")
    found = send(uploads, "network", "x.ng", (tmp_path / "x.ng").read_bytes())
    assert np.array_equal(found.positions, embedding.positions)
    with pytest.raises(ng.NetgivenError) as problem:
        send(uploads, "network", "y.ng", b"not this")
    assert str(uploads.folder) not in str(problem.value)
    assert "y.ng is no embedding" in str(problem.value)


def test_an_embedding_that_grows_is_refused(uploads, tmp_path):
    """The table of nodes in it can be compressed: it is read apart, like everything from a stranger."""
    arrays, header = pack(ng.embed(ng.datasets.company(20), dimensions=2, steps=5, threads=1))
    large = pa.array(["z" * MEGABYTE] * 20)
    names = pa.array([f"person {number}" for number in range(20)])
    with pa.BufferOutputStream() as sink:
        table = pa.table([names, large], names=["node", "column a"])
        with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
            writer.write_table(table)
        whole = np.frombuffer(sink.getvalue(), dtype=np.uint8)
    save_arrays(tmp_path / "bomb.ng", {**arrays, "nodes": whole}, header)
    assert (tmp_path / "bomb.ng").stat().st_size < MEGABYTE / 10
    with pytest.raises(ng.InputError, match=r"^bomb.ng: the file holds more than 10 times what may be sent"):
        send(uploads, "network", "bomb.ng", (tmp_path / "bomb.ng").read_bytes())
    assert not list(uploads.folder.glob("*.read"))


def test_an_embedding_takes_no_table_of_nodes(uploads, tmp_path):
    ng.embed(ng.datasets.company(20), dimensions=2, steps=5, threads=1).save(tmp_path / "x.ng")
    send(uploads, "network", "x.ng", (tmp_path / "x.ng").read_bytes())
    with pytest.raises(ng.InputError, match=r"x\.ng is an embedding, which has its nodes already"):
        send(uploads, "nodes", "who.csv", b"name,team\nann,x\n")


def test_a_network_that_cannot_be_drawn_does_not_take_the_place_of_another(uploads):
    send(uploads, "network", "friends.csv", LINKS)
    with pytest.raises(ng.InputError, match=r"loop.csv holds 1 node and 0 links; a map needs"):
        send(uploads, "network", "loop.csv", b"zoe,zoe\n")
    assert send(uploads, "nodes", "who.csv", b"name,team\nann,x\n").link_count == 3


def test_files_to_take_along(tmp_path):
    embedding = ng.embed(
        ng.datasets.company(30), "degrees", dimensions=2, spread=ng.Spread.from_reach(2), shrinkage=0.0, threads=1
    )
    chosen = np.array([2, 3, 5, 8])
    written = {kind: write_file(kind, [embedding], 0, chosen, tmp_path, threads=1) for kind in NAMES}
    assert np.array_equal(ng.load(written["embedding"]).positions, embedding.positions)
    predictions = pd.read_csv(written["predictions"], sep="\t")
    assert predictions["probability"].tolist() == embedding.likely_links(count=1000)["probability"].tolist()
    nodes = pd.read_csv(written["nodes"], sep="\t")
    assert nodes["node"].tolist() == embedding.nodes[chosen].tolist()
    assert nodes["degree"].tolist() == embedding.network.degrees[chosen].tolist()
    assert {"department", "project", "x1", "x2"} <= set(nodes.columns)
    links = pd.read_csv(written["links"], sep="\t")
    assert set(links["source"]) | set(links["target"]) <= set(nodes["node"])
    assert links["probability"].tolist() == pytest.approx(embedding.probabilities(links[["source", "target"]]).tolist())
    assert "<!DOCTYPE html>" in written["page"].read_text(encoding="utf-8")[:100]
    with pytest.raises(ng.InputError, match="of the kind"):
        write_file("passwd", [embedding], 0, chosen, tmp_path)
