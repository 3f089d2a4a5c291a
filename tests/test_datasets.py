"""Named networks: the registry, reading them, and fetching them from a server of our own."""

import gzip
import hashlib
import io
import socket
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

import netgiven as ng
from netgiven.datasets import public
from netgiven.datasets.download import download, fetch, fetch_network
from tests.file_samples import ANSWERS, MARKS, SNAP, mat, serving, small, star


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")


def lines(path):
    return gzip.decompress(path.read_bytes()).decode().splitlines()


# ---- the registry ----------------------------------------------------------------------------------------------------


def test_the_company_is_still_there():
    assert ng.datasets.company(people=20).node_count == 20


def test_viewers_prefer_films_of_a_genre_and_see_no_viewers():
    network = ng.datasets.cinema(viewers=200, films=60)
    side = network.columns["side"].to_numpy()
    assert all(side[u] != side[v] for u, v in network.links())
    assert network.columns["genre"].isna().tolist() == (side == "viewer").tolist()
    with pytest.raises(ng.InputError, match="at least 1"):
        ng.datasets.cinema(viewers=0)


def test_every_network_is_described():
    for name, network in public.NETWORKS.items():
        assert network.name == name and network.title and network.what and network.home.startswith("http")
        assert (network.original is None) == bool(network.absence)
        assert network.original is None or network.original.startswith("https://")
        assert (network.labels is None) == (network.label_pairs is None)
        assert all(file.name.startswith(f"{name}.") and len(file.sha256) == 64 for file in network.files)
        assert len(network.fingerprint) == 64
        files = public.files_in(network, public.Path("x"))
        assert (files.labels is None) == (network.labels is None)


def test_the_folder_is_given_or_named_by_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("NETGIVEN_DATA", str(tmp_path / "named"))
    assert public.folder(None) == tmp_path / "named"
    assert public.folder(tmp_path) == tmp_path
    monkeypatch.delenv("NETGIVEN_DATA")
    with pytest.raises(ng.InputError, match="--data DIR, or set NETGIVEN_DATA"):
        public.folder(None)
    (tmp_path / "file").touch()
    with pytest.raises(ng.InputError, match="not a folder that can be read"):
        public.folder(tmp_path / "file")
    with pytest.raises(ng.InputError, match="cannot be opened"):
        public.folder(tmp_path / ("x" * 300))


def test_what_is_missing_is_named_with_the_remedy(tmp_path):
    with pytest.raises(ng.InputError, match="no public network 'faceboook'; there are facebook, ppi"):
        public.find("faceboook", tmp_path)
    (tmp_path / "ppi.edges.gz").touch()
    with pytest.raises(
        ng.InputError, match=r"no ppi.labels.gz in .*Homo_sapiens.mat by: netgiven datasets --data .*ppi"
    ):
        public.find("ppi", tmp_path)
    with pytest.raises(ng.InputError, match=r"no studentdb_standin.edges in .*no download: a synthetic replacement"):
        public.load("studentdb_standin", tmp_path)


DAMAGED = {
    "no gzip": (b"0\t1\n", "cannot be decompressed"),
    "cut off": (gzip.compress(b"0\t1\n" * 1000)[:-9], "cannot be decompressed"),
    "empty": (gzip.compress(b""), "is damaged"),
    "text": (gzip.compress(b"a\tb\n"), "is damaged"),
    "one column": (gzip.compress(b"1\n2\n"), "1 columns"),
    "another network": (gzip.compress(b"0\t1\n"), "4,039 nodes and 1 links; facebook has 4,039 and 88,234"),
    "a node too many": (gzip.compress(b"0\t4039\n"), "4,040 nodes"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_file_is_an_error_and_differs(tmp_path, name):
    data, words = DAMAGED[name]
    (tmp_path / "facebook.edges.gz").write_bytes(data)
    with pytest.raises(ng.InputError, match=words) as caught:
        public.load("facebook", tmp_path)
    assert "facebook.edges.gz" in str(caught.value)
    assert public.state(public.named("facebook"), tmp_path) == "differs"


def test_all_networks_are_present_and_whole(data_folder):
    table = public.status(data_folder).set_index("name")
    assert list(table.index) == list(public.NETWORKS)
    assert set(table["status"]) == {"present"}
    for name, network in public.NETWORKS.items():
        loaded = public.load(name, data_folder)
        assert loaded.nodes.tolist() == list(range(network.nodes))
        assert loaded.link_count == network.links
        assert public.fingerprint(loaded.degrees) == network.fingerprint
    assert (public.load("ppi", data_folder).degrees == 0).sum() == 30
    types = public.load("studentdb_standin", data_folder).columns["type"]
    assert types.value_counts().to_dict()["student"] == 165 and types.notna().all()


def test_a_replacement_with_other_types_differs(data_folder, tmp_path):
    for file in public.named("studentdb_standin").files:
        (tmp_path / file.name).write_bytes((data_folder / file.name).read_bytes())
    network = public.named("studentdb_standin")
    assert public.state(network, tmp_path) == "present"
    types = tmp_path / "studentdb_standin.types"
    types.write_text(types.read_text().replace("\troom", "\tstudent", 1))
    assert public.state(network, tmp_path) == "differs"


# ---- fetching --------------------------------------------------------------------------------------------------------


def test_an_edge_list_is_renumbered(tmp_path):
    seen = []
    with serving({"/small.txt.gz": gzip.compress(SNAP.encode())}) as (address, asked):
        files = fetch_network(
            small(f"{address}/small.txt.gz"),
            tmp_path / "made" / "here",
            callback=lambda *progress: seen.append(progress),
            local=True,
        )
    assert lines(files.links) == ["0\t1", "0\t2", "2\t3"]
    assert [path.name for path in files.links.parent.iterdir()] == ["small.edges.gz"]
    assert asked == [("/small.txt.gz", f"netgiven/{ng.__version__}")]
    assert seen[-1][0] == seen[-1][1] > 0


def test_a_matlab_file_gives_labels(tmp_path):
    data = mat(star(), group=sparse.csc_matrix(MARKS))
    with serving({"/small.mat": data}) as (address, _):
        network = small(f"{address}/small.mat", (0, 1, 1, 1, 3), labels=3, label_pairs=5)
        files = fetch_network(network, tmp_path, local=True)
        before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
        fetch_network(network, tmp_path, local=True)
    assert lines(files.links) == ["0\t1", "1\t2", "1\t4"]
    assert lines(files.labels) == ["0\t0", "0\t2", "1\t1", "2\t2", "4\t0"]
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert public.state(network, tmp_path) == "present, other bytes"
    sums = [hashlib.sha256(public.contents(tmp_path / file.name)).hexdigest() for file in network.files]
    known = tuple(public.PublicFile(file.name, digest) for file, digest in zip(network.files, sums, strict=True))
    assert public.state(replace(network, files=known), tmp_path) == "present"


def test_one_label_a_node_is_read_as_well(tmp_path):
    marks = np.array(MARKS)
    marks[0, 2] = 0
    with serving({"/small.mat": mat(star(), group=marks)}) as (address, _):
        network = small(f"{address}/small.mat", (0, 1, 1, 1, 3), labels=3, label_pairs=4)
        files = fetch_network(network, tmp_path, local=True)
    assert lines(files.labels) == ["0\t0", "1\t1", "2\t2", "4\t0"]


FAILURES = {
    "not found": ("/gone.txt.gz", {}, "server answered 404"),
    "dropped": ("/dropped.txt.gz", {}, "connection ended after 20 (of 5,000 )?bytes"),
    "sent to plain http": ("/elsewhere.txt.gz", {}, "example.invalid/small.txt.gz is not an https address"),
    "a page, not a list": ("/page.txt.gz", {}, r"page.txt.gz: the file cannot be decompressed"),
    "a page, not a matrix": ("/page.mat", {}, r"page.mat: this is not a MATLAB file"),
    "other counts": ("/small.txt.gz", {"links": 4}, "5 nodes and 3 links; small has 5 and 4"),
    "other degrees": ("/small.txt.gz", {"fingerprint": "0" * 64}, "other degrees"),
    "other labels": ("/small.mat", {"labels": 4}, "3 labels in 5 pairs with nodes; small has 4 in 5"),
    "no labels": ("/plain.mat", {}, "holds no labels"),
}


@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_is_explained_and_leaves_nothing(tmp_path, name):
    path, changes, words = FAILURES[name]
    labelled = path.endswith(".mat")
    with serving(ANSWERS) as (address, _):
        degrees = (0, 1, 1, 1, 3) if labelled else (0, 1, 1, 2, 2)
        network = small(address + path, degrees, *((3, 5) if labelled else ()))
        with pytest.raises(ng.InputError, match=words) as caught:
            fetch_network(replace(network, **changes), tmp_path / "new", local=True)
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_failure_keeps_what_was_there(tmp_path):
    (tmp_path / "small.edges.gz").write_bytes(b"old")
    (tmp_path / "small.labels.gz").mkdir()
    with serving(ANSWERS) as (address, _):
        network = small(f"{address}/small.mat", (0, 1, 1, 1, 3), labels=3, label_pairs=5)
        with pytest.raises(ng.InputError, match=r"small.labels.gz is a folder"):
            fetch_network(network, tmp_path, local=True)
    assert (tmp_path / "small.edges.gz").read_bytes() == b"old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["small.edges.gz", "small.labels.gz"]


def test_a_redirect_on_this_machine_is_followed(tmp_path):
    with serving(ANSWERS) as (address, asked):
        fetch_network(small(f"{address}/here.txt.gz"), tmp_path, local=True)
    assert [path for path, _ in asked] == ["/here.txt.gz", "/small.txt.gz"]


def test_a_host_that_cannot_be_reached(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(ng.InputError, match=r"could not be downloaded \(Connection refused\); try again later"):
        fetch_network(small(f"http://127.0.0.1:{port}/x.txt.gz"), tmp_path, local=True)
    with pytest.raises(ng.InputError, match=r"https://nowhere.invalid/x.txt.gz could not be downloaded"):
        fetch_network(small("https://nowhere.invalid/x.txt.gz"), tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("address", "local"),
    [
        ("http://127.0.0.1/x", False),
        ("http://example.org/x", True),
        ("http://127.0.0.1.example.org/x", True),
        ("ftp://127.0.0.1/x", True),
        ("file:///etc/hosts", True),
    ],
)
def test_only_https_is_trusted(tmp_path, address, local):
    with pytest.raises(ng.InputError, match="not an https address"):
        download(address, tmp_path / "x", local=local)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_too_large_is_refused(tmp_path):
    with (
        serving({"/large": b"x" * 2_000}) as (address, _),
        pytest.raises(ng.InputError, match="more than 1,000 bytes"),
    ):
        download(f"{address}/large", tmp_path / "large", limit=1_000, local=True)
    assert list(tmp_path.iterdir()) == []


def test_a_replacement_cannot_be_fetched(tmp_path):
    with pytest.raises(ng.InputError, match="studentdb_standin cannot be downloaded: there is no download: a"):
        fetch("studentdb_standin", tmp_path)


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").touch()
    with serving(ANSWERS) as (address, _), pytest.raises(ng.InputError, match="file/below cannot be made"):
        fetch_network(small(f"{address}/small.txt.gz"), tmp_path / "file" / "below", local=True)


# ---- the real networks, written as their originals are and fetched back ----------------------------------------------


def test_ppi_comes_back_from_a_matlab_file(data_folder, tmp_path):
    network = public.named("ppi")
    node, label = np.loadtxt(data_folder / "ppi.labels.gz", dtype=int).T
    group = sparse.csc_matrix((np.ones(len(node)), (node, label)), shape=(network.nodes, 50))
    data = mat(public.load("ppi", data_folder).to_scipy().astype(float), group=group)
    with serving({"/Homo_sapiens.mat": data}) as (address, _):
        here = replace(network, original=f"{address}/Homo_sapiens.mat")
        fetch_network(here, tmp_path, local=True)
    assert public.state(network, tmp_path) == "present"


def test_arxiv_comes_back_however_it_is_numbered(data_folder, tmp_path):
    network, loaded = public.named("arxiv_astroph"), public.load("arxiv_astroph", data_folder)
    numbers = 5 * np.random.default_rng(0).permutation(network.nodes) + 17
    both = np.vstack([loaded.links(), loaded.links()[:, ::-1]])
    loops = np.column_stack([np.flatnonzero(loaded.degrees == 0)] * 2)
    text = io.StringIO("# FromNodeId\tToNodeId\n")
    text.seek(0, io.SEEK_END)
    np.savetxt(text, numbers[np.vstack([both, loops])], fmt="%d", delimiter="\t")
    with serving({"/ca-AstroPh.txt.gz": gzip.compress(text.getvalue().encode())}) as (address, _):
        here = replace(network, original=f"{address}/ca-AstroPh.txt.gz")
        fetch_network(here, tmp_path, local=True)
    assert public.state(network, tmp_path) == "present, other bytes"
    assert public.load("arxiv_astroph", tmp_path).link_count == network.links


@pytest.mark.parametrize(("communities", "inside"), [(1, 0.5), (7, 0.0), (7, 0.7), (7, 1.0)])
def test_planted_networks_are_drawn_with_the_stated_probabilities(communities, inside):
    counts, expected = 0.0, 0.0
    for seed in range(30):
        drawn = ng.datasets.planted(120, 900, communities, inside, seed)
        pairs = np.triu_indices(120, 1)
        together = drawn.community[pairs[0]] == drawn.community[pairs[1]]
        probabilities, links = drawn.probability(*pairs), drawn.network.are_linked(*pairs)
        counts = counts + np.array([links[together].sum(), links[~together].sum(), links @ probabilities])
        expected = expected + np.array(
            [probabilities[together].sum(), probabilities[~together].sum(), probabilities @ probabilities]
        )
    assert np.all(np.abs(counts - expected) <= 4 * np.sqrt(expected))


@pytest.mark.parametrize("wrong", [{"nodes": 1}, {"links": 0}, {"communities": 0}, {"communities": 11}, {"inside": 2}])
def test_planted_networks_that_cannot_be(wrong):
    with pytest.raises(ng.InputError):
        ng.datasets.planted(**{"nodes": 10, "links": 20, "communities": 2, **wrong})
