"""Peak memory of reading, per byte, link and node, beside what `io/files.py` estimates before it reads.

    python benchmarks/speed/reading_memory.py [--kinds .edges .graphml ...]

Writes one network in each format, and small files that only announce nodes, into a temporary folder, and reads each in
a process of its own. Prints by how much the resident memory grew at its highest, above that of the imported libraries,
and divides it by the estimate that is compared with the memory limit. Linux only. One table with targets; exit code 1
if one is missed: reading takes at most 3.5 times the estimate (where every name is new; otherwise about as much).
"""

from __future__ import annotations

import argparse
import io
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import scipy.io
from measuring import Target, finish
from scipy import sparse

MOST = 3.5
CHILD = """
import json, re, sys
from pathlib import Path
import igraph, networkx, pyarrow.feather, pyarrow.parquet, scipy.io
import netgiven as ng
from netgiven.io import files, graphs, matrices, nodes, read, tables

def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) * 1024

needed = []
check = files.File.check_memory
files.File.check_memory = lambda file, bytes, reason: (needed.append(bytes), check(file, bytes, reason))
Path("/proc/self/clear_refs").write_text("5")
before = peak()
network = ng.read(sys.argv[1], memory_limit=1000)
print(json.dumps([peak() - before, max(needed), network.node_count]))
"""


def written(write: Any) -> bytes:
    """What `write` writes to a file."""
    sink = io.BytesIO()
    write(sink)
    return sink.getvalue()


def tables(links: int, nodes: int) -> dict[str, bytes]:
    """Links in text and in columns."""
    first, second = np.random.default_rng(0).integers(nodes, size=(2, links)).tolist()
    columns = pa.table({"source": first, "target": second})
    return {
        ".edges": "".join(f"{u} {v}\n" for u, v in zip(first, second, strict=True)).encode(),
        "-names.edges": "".join(f"n{u} n{v}\n" for u, v in zip(first, second, strict=True)).encode(),
        "-short.edges": b"1 2\n" * links,
        "-new.csv": "".join(f"n{i},m{i}\n" for i in range(links // 2)).encode(),
        ".parquet": written(lambda sink: pyarrow.parquet.write_table(columns, sink)),
        ".feather": written(lambda sink: pyarrow.feather.write_feather(columns, sink)),
    }


def matrices(links: int, nodes: int) -> dict[str, bytes]:
    """Links in matrices, and announced nodes."""
    ends = np.random.default_rng(0).integers(nodes, size=(2, links))
    matrix = sparse.csr_array((np.ones(links), tuple(ends)), shape=(nodes, nodes))
    many = 10 * nodes
    alone = sparse.coo_array(([1], ([0], [1])), shape=(many, many))
    return {
        ".mtx": written(lambda sink: scipy.io.mmwrite(sink, matrix)),
        ".npz": written(lambda sink: sparse.save_npz(sink, matrix)),
        ".mat": written(lambda sink: scipy.io.savemat(sink, {"network": sparse.csc_matrix(matrix)})),
        "-announced.mtx": f"%%MatrixMarket matrix coordinate pattern general\n{many} {many} 1\n1 2\n".encode(),
        "-announced.npz": written(lambda sink: sparse.save_npz(sink, alone)),
        "-announced.net": f"*Vertices {many}\n*Edges\n1 2\n".encode(),
    }


def graphs(links: int, nodes: int) -> dict[str, bytes]:
    """Links in formats of graphs."""
    graph = nx.gnm_random_graph(nodes, links, seed=0)
    edges = "".join(f"{u + 1} {v + 1}\n" for u, v in graph.edges())
    return {
        ".graphml": written(lambda sink: nx.write_graphml(graph, sink)),
        ".gexf": written(lambda sink: nx.write_gexf(graph, sink)),
        ".gml": written(lambda sink: nx.write_gml(graph, sink)),
        ".net": f"*Vertices {nodes}\n*Edges\n{edges}".encode(),
    }


def measure(name: str, data: bytes, folder: Path) -> Target:
    """Read one file in a process of its own."""
    path = folder / f"links{name}"
    path.write_bytes(data)
    done = subprocess.run([sys.executable, "-c", CHILD, str(path)], capture_output=True, text=True, check=True)
    path.unlink()
    peak, estimate, nodes = json.loads(done.stdout)
    lines = max(data.count(b"\n"), 1)
    per = f"{peak / len(data):,.1f} per byte, {peak / lines:,.0f} per line, {peak / nodes:,.0f} per node"
    return Target(
        f"reading links{name}: peak memory over the estimate",
        peak / estimate,
        MOST,
        note=f"{peak / 1e6:,.0f} MB: {per}",
    )


def main() -> None:
    """Parse, write, measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kinds", nargs="*")
    kinds = parser.parse_args().kinds
    files = {**tables(3_000_000, 300_000), **matrices(3_000_000, 300_000), **graphs(100_000, 20_000)}
    with tempfile.TemporaryDirectory() as folder:
        chosen = [name for name in files if not kinds or name in kinds]
        finish([measure(name, files[name], Path(folder)) for name in chosen])


if __name__ == "__main__":
    main()
