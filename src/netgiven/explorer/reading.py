"""A file from a stranger is read in a process of its own, whose memory and time are limited.

Some formats are compressed within: a small Parquet file can hold more than there is memory, and so can the table of
nodes in an embedding. What was read comes back as arrays and a header, without compression.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

from netgiven.array_file import Arrays, load_arrays, save_arrays, table_from_bytes, table_to_bytes
from netgiven.edges import Cleaning
from netgiven.embedding import Embedding, load
from netgiven.errors import InputError, NetgivenError
from netgiven.network import Network

GIGABYTE = 1 << 30
LIBRARIES = 3 * GIGABYTE  # of address space, before anything is read
GROWTH = 50  # memory that reading may take, in sizes of a file
LARGER = 10  # than what may be sent: how much a file may hold
MOST_SECONDS = 300
REFUSED = 2


def read_apart(network: Path, nodes: Path | None, out: Path, most: int) -> Network | Embedding:
    """What a file holds, read elsewhere; the sentence of its reader where it cannot be. `out` is there for a while."""
    try:
        _read_elsewhere(network, nodes, out, most)
        if out.stat().st_size > LARGER * most:
            raise InputError(f"{network}: the file holds more than {LARGER} times what may be sent; use a smaller one.")
        return load(out) if is_embedding(network) else load_network(out)
    finally:
        out.unlink(missing_ok=True)


def is_embedding(path: Path) -> bool:
    """By its ending, which was checked."""
    return path.suffix == ".ng"


def _read_elsewhere(network: Path, nodes: Path | None, out: Path, most: int) -> None:
    files = [str(network), str(nodes or ""), str(out), str(LIBRARIES + GROWTH * most)]
    try:
        done = subprocess.run(
            [sys.executable, "-m", "netgiven.explorer.reading", *files],
            capture_output=True, text=True, timeout=MOST_SECONDS, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise InputError(f"{network}: reading takes more than {MOST_SECONDS} seconds; use a smaller file.") from None
    if done.returncode == REFUSED:
        raise InputError(done.stderr.strip())
    if done.returncode:
        raise InputError(f"{network}: the file needs more memory than this page gives to one; use a smaller file.")


def save_network(network: Network, path: Path) -> None:
    """Write a network as `load_network` reads it."""
    table, as_json = table_to_bytes(network.nodes, network.columns)
    arrays: Arrays = {"indptr": network.indptr, "indices": network.indices, "nodes": table}
    header = {"cleaning": asdict(network.cleaning), "notes": list(network.notes), "names_as_json": as_json}
    save_arrays(path, arrays, header)


def load_network(path: Path) -> Network:
    """Read back a network."""
    arrays, header = load_arrays(path)
    nodes, columns = table_from_bytes(arrays["nodes"], header["names_as_json"])
    cleaning, notes = Cleaning(**header["cleaning"]), tuple(header["notes"])
    return Network(nodes, arrays["indptr"], arrays["indices"], columns, cleaning, notes)


def limit_memory(most: int) -> None:
    """Of this process, where the system can."""
    try:
        import resource
    except ImportError:  # Windows
        return
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def main(network: str, nodes: str, out: str, most: str) -> int:
    """Read a file and write what it holds; what is wrong with it is told on standard error."""
    from netgiven.readers import read

    limit_memory(int(most))
    try:
        if is_embedding(Path(network)):
            load(network).save(out)
        else:
            save_network(read(network, nodes=nodes or None), Path(out))
    except NetgivenError as problem:
        print(problem, file=sys.stderr)
        return REFUSED
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
