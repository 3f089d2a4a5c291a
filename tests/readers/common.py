"""What the tests of readers share: writing a file and reading it, names of all kinds, samples of every format."""

from __future__ import annotations

import gzip
import io
from pathlib import Path
from tempfile import TemporaryDirectory
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
