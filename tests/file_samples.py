"""What tests share: writing a file and reading it, names of all kinds, samples of every format, a file server."""

from __future__ import annotations

import gzip
import io
import json
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

import networkx as nx
import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import scipy.io
from hypothesis import strategies as st
from scipy import sparse

import netgiven as ng
from netgiven.datasets import public

TEXT_KINDS = [".edges", ".txt", ".csv", ".tsv", ".edgelist", ".dat", ".el", ".unknown", ""]


def read_bytes(data: bytes, name: str = "links.edges", **options: Any) -> ng.Network:
    """Write bytes to a file of that name and read it; `nodes` may be bytes, too."""
    with TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(data)
        if isinstance(options.get("nodes"), (bytes, str)):
            given = options["nodes"]
            table = Path(folder, "nodes.csv")
            table.write_bytes(given if isinstance(given, bytes) else given.encode())
            options["nodes"] = table
        return ng.read(path, **options)


def read_string(text: str, name: str = "links.edges", **options: Any) -> ng.Network:
    return read_bytes(text.encode(), name, **options)


def named_links(network: ng.Network) -> set[frozenset[Any]]:
    """The links by name, for comparing networks whatever the order of their nodes."""
    names = network.nodes.tolist()
    return {frozenset((names[i], names[j])) for i, j in network.links().tolist()}


# Surrogates are halves of characters, which no file can hold; \r and \n end lines.
any_text = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
scripts = st.sampled_from(
    ["ann", "bøb", "Ζωή", "Ўладзь", "李雷", "אבי", "नेहा", "🦉", "e\u0301", "NA", "nan", "null", "None", "007"]
)
names = st.one_of(any_text, scripts)


def may_be_missing(name: str) -> bool:
    """Whether a text file may mean by this name that there is none: so it does among integers."""
    return name.lower() in {"na", "nan", "null", "none", "n/a", "<na>"}


def pairs_of(one: st.SearchStrategy[Any]) -> st.SearchStrategy[list[tuple[Any, Any]]]:
    return st.lists(st.tuples(one, one), min_size=1, max_size=12)


# ---- one small network in every format -------------------------------------------------------------------------------

LINKS = [("ann", "bob"), ("bob", "cid"), ("cid", "dan"), ("dan", "ann"), ("ann", "cid")]


def _graph() -> nx.Graph:
    graph = nx.Graph(LINKS)
    nx.set_node_attributes(graph, {"ann": "x", "bob": "y", "cid": "x", "dan": "y"}, "type")
    return graph


def _matrix() -> sparse.csr_array:
    return sparse.csr_array(nx.to_scipy_sparse_array(_graph(), dtype=np.int64))


def _table() -> pa.Table:
    first, second = zip(*LINKS, strict=True)
    return pa.table({"source": first, "target": second})


def _bytes(write: Any) -> bytes:
    sink = io.BytesIO()
    write(sink)
    return sink.getvalue()


def _arrow_bytes() -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, _table().schema) as writer:
        writer.write_table(_table())
    return sink.getvalue().to_pybytes()


def _mat() -> bytes:
    group = sparse.csc_matrix(np.array([[1, 0], [0, 1], [1, 1], [0, 1]], dtype=float))
    network = sparse.csc_matrix(_matrix().astype(float))
    return _bytes(lambda sink: scipy.io.savemat(sink, {"network": network, "group": group}))


def _pajek() -> bytes:
    lines = ["*Vertices 4", *(f'{i + 1} "{name}"' for i, name in enumerate(["ann", "bob", "cid", "dan"])), "*Edges"]
    return "\n".join([*lines, "1 2", "2 3", "3 4", "4 1", "1 3", ""]).encode()


SAMPLES: dict[str, bytes] = {
    ".edges": "".join(f"{a} {b}\n" for a, b in LINKS).encode(),
    ".csv": ("source,target\n" + "".join(f'"{a}",{b}\n' for a, b in LINKS)).encode(),
    ".tsv": "".join(f"{a}\t{b}\n" for a, b in LINKS).encode(),
    ".parquet": _bytes(lambda sink: pyarrow.parquet.write_table(_table(), sink)),
    ".feather": _bytes(lambda sink: pyarrow.feather.write_feather(_table(), sink)),
    ".arrow": _arrow_bytes(),
    ".graphml": _bytes(lambda sink: nx.write_graphml(_graph(), sink)),
    ".gexf": _bytes(lambda sink: nx.write_gexf(_graph(), sink)),
    ".gml": _bytes(lambda sink: nx.write_gml(_graph(), sink)),
    ".json": json.dumps(nx.node_link_data(_graph(), edges="links")).encode(),
    ".adjlist": b"# ann is linked to all\nann bob cid dan\nbob cid\ncid dan\n",
    ".net": _pajek(),
    ".paj": _pajek() + b"*Partition side\n*Vertices 4\n1\n2\n1\n2\n",
    ".mtx": _bytes(lambda sink: scipy.io.mmwrite(sink, _matrix())),
    ".mat": _mat(),
    ".npz": _bytes(lambda sink: sparse.save_npz(sink, _matrix())),
}
NUMBERED = {".mtx", ".mat", ".npz"}  # formats without names


def compressed(data: bytes, how: str) -> bytes:
    if how == ".gz":
        return gzip.compress(data)
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(data)
    return sink.getvalue().to_pybytes()


# ---- a file server, and networks to download from it -----------------------------------------------------------------

# As SNAP writes: comments, tabs, each link in both directions, numbers with gaps; node 40 has but a loop.
SNAP = "# Undirected graph\n# FromNodeId\tToNodeId\n7\t3\n3\t7\n9\t3\n3\t9\n21\t9\n9\t21\n40\t40\n"
MARKS = [[1, 0, 1], [0, 1, 0], [0, 0, 1], [0, 0, 0], [1, 0, 0]]


def mat(matrix, **variables):
    sink = io.BytesIO()
    scipy.io.savemat(sink, {"network": sparse.csc_matrix(matrix), **variables}, do_compression=True)
    return sink.getvalue()


def star(links=((0, 1), (1, 2), (1, 4))):
    matrix = np.zeros((5, 5))
    matrix[tuple(zip(*links, strict=True))] = 1
    return matrix + matrix.T


def small(address, degrees=(0, 1, 1, 2, 2), labels=None, label_pairs=None):
    """A network that is not in the registry; what it holds is checked all the same."""
    names = ["small.edges.gz"] + (["small.labels.gz"] if labels else [])
    return public.PublicNetwork(
        name="small",
        title="Small",
        what="a test",
        nodes=len(degrees),
        links=sum(degrees) // 2,
        labels=labels,
        label_pairs=label_pairs,
        home=address,
        original=address,
        files=tuple(public.PublicFile(name, "") for name in names),
        fingerprint=public.fingerprint(np.array(degrees)),
    )


@contextmanager
def serving(answers):
    """A server on this machine: bytes by path, (bytes, bytes announced) where they differ, or an address to go to."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            answer = answers.get(self.path)
            asked.append((self.path, self.headers["User-Agent"]))
            if answer is None:
                self.send_error(404)
                return
            data, announced = answer if isinstance(answer, tuple) else (answer, len(answer))
            self.send_response(302 if isinstance(data, str) else 200)
            self.send_header(
                "Location" if isinstance(data, str) else "Content-Length",
                data if isinstance(data, str) else str(announced),
            )
            self.end_headers()
            if isinstance(data, bytes):
                self.wfile.write(data)

        def log_message(self, *arguments):
            pass

    asked = []
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", asked
        finally:
            server.shutdown()
            thread.join()


ANSWERS = {
    "/small.txt.gz": gzip.compress(SNAP.encode()),
    "/small.mat": mat(star(), group=sparse.csc_matrix(MARKS)),
    "/plain.mat": mat(star()),
    "/page.txt.gz": b"<html>moved</html>",
    "/page.mat": b"<html>moved</html>" * 20,
    "/dropped.txt.gz": (gzip.compress(SNAP.encode())[:20], 5_000),
    "/elsewhere.txt.gz": "http://example.invalid/small.txt.gz",
    "/here.txt.gz": "/small.txt.gz",
}
