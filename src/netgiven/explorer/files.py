"""Files that users upload, read in a separate process with limited memory, and files that they download."""

from __future__ import annotations

import os
import secrets
import shutil
import stat
import subprocess
import sys
import tempfile
import threading
import warnings
import zlib
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import IO

import numpy as np
import pandas as pd

from netgiven.array_file import Arrays, load_arrays, save_arrays, table_from_bytes, table_to_bytes
from netgiven.edges import EdgeCleaning
from netgiven.embedding import Embedding, load
from netgiven.embedding_file import LISTED, pack_unobserved, unpack_unobserved
from netgiven.errors import InputError, InputWarning, NetgivenError
from netgiven.explorer.saved import SUFFIX as SESSION
from netgiven.explorer.saved import SavedSession, read_session, write_session
from netgiven.explorer.session import OpenedNetwork
from netgiven.io.files import COMPRESSIONS, RAISE_LIMIT, TooLarge, decompressed_pieces
from netgiven.network import Network
from netgiven.types import Int64Array

MEGABYTE, GIGABYTE = 1 << 20, 1 << 30

# ---- private folders -----------------------------------------------------------------------------------------------
#
# A page keeps its files in a private temporary folder, which is deleted with the page. A server that is killed cannot
# do that, so the next one does: each folder has a lock, which the system releases when its owner ends, however it ends.
# A process id would not do: another process may have got it since.

PREFIX, LOCK = "netgiven-explorer-", "owner.lock"


class PrivateFolder:
    """A temporary folder that only this user can read, and that is locked while this process lives.

    >>> folder = PrivateFolder()
    >>> folder.path.is_dir()
    True
    >>> folder.close()
    >>> folder.path.exists()
    False
    """

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True)
        self.path = Path(self._folder.name)
        unlocked = self.path / f"{LOCK}.new"
        self._lock = unlocked.open("wb")
        if _lock(self._lock):
            unlocked.rename(self.path / LOCK)  # so a lock file that is not locked has lost its owner

    def close(self) -> None:
        """Delete the folder."""
        self._folder.cleanup()
        self._lock.close()


def remove_stale_folders(parent: Path | None = None) -> list[Path]:
    """Delete the private folders of servers that were killed, and return their paths.

    Folders of other users, of live processes and without a lock file stay, and links are not followed.

    Parameters
    ----------
    parent
        Where to look; by default where temporary files are.
    """
    if sys.platform == "win32":  # there are no such locks
        return []
    found = sorted((parent or Path(tempfile.gettempdir())).glob(f"{PREFIX}*"))
    return [folder for folder in found if _is_own_folder(folder) and _remove_if_stale(folder)]


def _is_own_folder(path: Path) -> bool:
    try:
        status = path.lstat()
    except OSError:  # deleted in the meantime
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid()


def _remove_if_stale(folder: Path) -> bool:
    """Delete a folder if its lock file is there and nobody holds the lock."""
    try:
        descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False
    with os.fdopen(descriptor, "wb") as lock:
        if not _lock(lock):
            return False
        shutil.rmtree(folder, ignore_errors=True)
    return not folder.exists()


def _lock(file: IO[bytes]) -> bool:
    """Lock an open file until it is closed; False if another process holds the lock, or if there are no locks."""
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):  # Windows; in use, or a file system without locks
        return False
    return True


# ---- uploads -------------------------------------------------------------------------------------------------------

SUFFIXES = (
    ".txt", ".csv", ".tsv", ".edges", ".types", ".labels", ".parquet", ".feather", ".arrow", ".graphml", ".gml",
    ".gexf", ".json", ".net", ".paj", ".mtx", ".mat", ".npz", ".ng", ".session",
)  # fmt: skip
COMPRESSED = (".gz", ".zst")
KINDS = ("network", "nodes", "unobserved")  # files are stored under these names, never under those that the user gave


Content = Network | Embedding | SavedSession
ADDITIONS = {"nodes": "A node table", "unobserved": "A list of unobserved pairs"}


class Uploads:
    """The files of one session, in a private temporary folder that is deleted with the session.

    A file is deleted as soon as it is not used any more: because it was refused, replaced or not sent to its end.
    """

    def __init__(self, max_megabytes: float) -> None:
        self.max_bytes = int(max_megabytes * MEGABYTE)
        self._folder = PrivateFolder()
        self._count = 0
        self._files: dict[str, Path] = {}
        self._labels: dict[str, str] = {}
        self._sent: set[Path] = set()  # being received, or waiting to be read
        self._reading = threading.Lock()  # one file at a time, so that none is deleted while another task reads it

    @property
    def folder(self) -> Path:
        """The folder of the files."""
        return self._folder.path

    def check(self, kind: str, label: str, size: int) -> None:
        """Raise an `InputError` if such a file is not accepted."""
        if kind not in KINDS:
            raise InputError(f"A file of kind {kind!r} was sent; expected one of {', '.join(KINDS)}.")
        suffix_of(label)
        if size > self.max_bytes:
            raise InputError(
                f"{label} is larger than {self.max_bytes / MEGABYTE:g} MB, the limit for uploads. "
                "Start the explorer with a higher --max-megabytes, or name the file: netgiven explore FILE."
            )

    def target(self, kind: str, label: str) -> Path:
        """Where to write a checked file: the name is ours, only the checked suffix is the user's."""
        self._count += 1
        target = self.folder / f"{kind}-{self._count}.upload{suffix_of(label)}"
        self._sent.add(target)
        return target

    def discard(self, target: Path) -> None:
        """Delete a file that was refused, or not sent to its end."""
        self._sent.discard(target)
        target.unlink(missing_ok=True)

    def add(self, kind: str, label: str, sent: Path) -> Content:
        """Read all files again together with a new one. If that fails, the earlier files stay in use."""
        with self._reading:
            try:
                return self._add(kind, label, sent)
            finally:
                self._sent.discard(sent)
                self._remove_unused()

    def _add(self, kind: str, label: str, sent: Path) -> Content:
        plain = decompress(sent, label, MAX_EXPANSION * self.max_bytes)
        if kind != "network" and "network" not in self._files:
            raise InputError(f"{ADDITIONS[kind]} was sent without a network. Open a file of links first.")
        if kind != "network" and self._files["network"].suffix in (".ng", SESSION):
            raise InputError(
                f"{self._labels['network']} has maps already; {ADDITIONS[kind].lower()} goes with a file of links."
            )
        kept = {name: None if kind == "network" else self._files.get(name) for name in KINDS}
        files = kept | {kind: plain}
        labels = self._labels | {kind: label}
        found = self._read(files, labels)
        if not isinstance(found, SavedSession):
            OpenedNetwork.of(label, found)  # raises if it is too small for a map
        self._files, self._labels = {name: path for name, path in files.items() if path}, labels
        return found

    def clear(self) -> None:
        """Forget and delete the files: the network now comes from elsewhere."""
        self._files, self._labels = {}, {}
        if self._reading.acquire(blocking=False):  # else the task that reads them deletes them
            try:
                self._remove_unused()
            finally:
                self._reading.release()

    def _remove_unused(self) -> None:
        used = {*self._files.values(), *self._sent}
        for path in [path for kind in KINDS for path in self.folder.glob(f"{kind}-*")]:
            if path not in used:
                path.unlink(missing_ok=True)

    def close(self) -> None:
        """Delete all files."""
        self._folder.close()

    def _read(self, files: dict[str, Path | None], labels: dict[str, str]) -> Content:
        network, nodes, unobserved = (files[kind] for kind in KINDS)
        assert network is not None
        out = (unobserved or nodes or network).with_suffix(".read")
        try:
            return read_in_subprocess(network, nodes, out, self.max_bytes, unobserved)
        except NetgivenError as error:
            raise InputError(_with_labels(str(error), files, labels)) from error


def _with_labels(message: str, files: dict[str, Path | None], labels: dict[str, str]) -> str:
    """Replace our paths in an error message by the names that the user knows."""
    for kind, path in files.items():
        if path is not None:
            message = message.replace(str(path), labels[kind])
    return message


def suffix_of(label: str) -> str:
    """The suffix of a file name, checked, including the one of its compression.

    >>> suffix_of("Links.CSV.gz")
    '.csv.gz'
    """
    path = Path(label)
    compression = path.suffix.lower() if path.suffix.lower() in COMPRESSED else ""
    suffix = (Path(path.stem).suffix if compression else path.suffix).lower()
    if suffix not in SUFFIXES:
        raise InputError(
            f"{label} has the suffix {suffix or 'nothing'!r}; expected one of {', '.join(SUFFIXES)}, "
            f"optionally followed by {' or '.join(COMPRESSED)}."
        )
    return suffix + compression


def decompress(sent: Path, label: str, max_bytes: int) -> Path:
    """Decompress an uploaded file, or rename it if it is not compressed, and return the new path."""
    plain = sent.with_name(sent.name.replace(".upload", "").removesuffix(".gz").removesuffix(".zst"))
    if sent.suffix not in COMPRESSED:
        return sent.replace(plain)
    try:
        with plain.open("wb") as sink:
            sink.writelines(decompressed_pieces(sent, COMPRESSIONS[sent.suffix], max_bytes))
    except TooLarge as error:
        raise InputError(
            f"{label} expands to more than {max_bytes / MEGABYTE:g} MB, the limit for uploads. "
            "Decompress it yourself if you trust it, and name the file: netgiven explore FILE."
        ) from error
    except (OSError, EOFError, zlib.error) as error:
        message = f"{label}: the file cannot be decompressed, it is truncated or damaged ({error})."
        raise InputError(message) from error
    finally:
        sent.unlink()
    return plain


# ---- reading in a separate process ---------------------------------------------------------------------------------
#
# Uploads are untrusted, and some formats are compressed internally: a small Parquet file can expand to more than the
# memory of the machine, and so can the node table of an embedding. So they are read in a subprocess with limited
# memory and time, which passes the result back as uncompressed arrays and a header.

BASE_MEMORY = 3 * GIGABYTE  # address space for libraries, before anything is read
MEMORY_FACTOR = 50  # memory that reading may take, per byte of the largest upload
MAX_EXPANSION = 10  # size of the decompressed content, per byte of the largest upload
MAX_SECONDS = 300
REFUSED = 2  # exit code: the reader raised an error, its message is on standard error


def read_in_subprocess(
    network: Path, nodes: Path | None, out: Path, max_bytes: int, unobserved: Path | None = None
) -> Content:
    """Read an untrusted file; errors of its reader are raised again here. `out` is a temporary file."""
    try:
        _run_reader((network, nodes, unobserved), out, max_bytes)
        if out.stat().st_size > MAX_EXPANSION * max_bytes:
            raise InputError(
                f"{network}: the content exceeds {MAX_EXPANSION} times the limit for uploads; use a smaller file."
            )
        if network.suffix == SESSION:
            return read_session(out)
        return load(out) if is_embedding(network) else load_network(out)
    finally:
        out.unlink(missing_ok=True)


def is_embedding(path: Path) -> bool:
    """Whether the suffix, which was checked before, is that of an embedding."""
    return path.suffix == ".ng"


def _run_reader(files: Sequence[Path | None], out: Path, max_bytes: int) -> None:
    network = files[0]
    arguments = [*(str(path or "") for path in files), str(out), str(BASE_MEMORY + MEMORY_FACTOR * max_bytes)]
    try:
        done = subprocess.run(
            [sys.executable, "-m", "netgiven.explorer.files", *arguments],
            capture_output=True, text=True, timeout=MAX_SECONDS, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise InputError(f"{network}: reading takes more than {MAX_SECONDS} seconds; use a smaller file.") from None
    if done.returncode == REFUSED:
        raise InputError(done.stderr.strip())
    if done.returncode:
        raise InputError(f"{network}: the file needs more memory than uploads are allowed; use a smaller file.")


def save_network(network: Network, path: Path) -> None:
    """Write a network in the format of `load_network`."""
    table, as_json = table_to_bytes(network.nodes, network.columns)
    arrays: Arrays = {"indptr": network.indptr, "indices": network.indices, "nodes": table}
    header = {
        "cleaning": asdict(network.cleaning),
        "notes": list(network.notes),
        "names_as_json": as_json,
        "listed_pairs": None if network.unobserved is None else LISTED[network.unobserved.lists_observed],
    }
    save_arrays(path, arrays | pack_unobserved(network.unobserved), header)


def load_network(path: Path) -> Network:
    """Read a network that `save_network` wrote."""
    arrays, header = load_arrays(path)
    nodes, columns = table_from_bytes(arrays["nodes"], header["names_as_json"])
    cleaning, notes = EdgeCleaning(**header["cleaning"]), tuple(header["notes"])
    unobserved = unpack_unobserved(arrays, header["listed_pairs"], len(nodes))
    return Network(nodes, arrays["indptr"], arrays["indices"], columns, cleaning, notes, unobserved)


def limit_memory(max_bytes: int) -> None:
    """Limit the address space of this process, on systems that can."""
    try:
        import resource
    except ImportError:  # Windows
        return
    resource.setrlimit(resource.RLIMIT_AS, (max_bytes, max_bytes))


def main(network: str, nodes: str, unobserved: str, out: str, max_bytes: str) -> int:
    """Read a file and write its content to `out`; the entry point of the subprocess."""
    limit_memory(int(max_bytes))
    try:
        if is_embedding(Path(network)):
            load(network).save(out)
        elif Path(network).suffix == SESSION:
            write_session(read_session(Path(network), int(max_bytes)), Path(out))
        else:
            save_network(_read_network(network, nodes, unobserved, int(max_bytes)), Path(out))
    except NetgivenError as error:
        print(str(error).replace(RAISE_LIMIT, "Name the file: netgiven explore FILE."), file=sys.stderr)
        return REFUSED
    return 0


def _read_network(network: str, nodes: str, unobserved: str, max_bytes: int) -> Network:
    from netgiven import read, read_pairs

    limit = max_bytes / GIGABYTE  # the one that the process has
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)  # the page shows what was read and how
        found = read(network, nodes=nodes or None, memory_limit=limit)
        if not unobserved:
            return found
        pairs, notes = read_pairs(unobserved, found.nodes)
    return replace(found.with_unobserved(pairs), notes=(*found.notes, *notes))


# ---- downloads -----------------------------------------------------------------------------------------------------

PREDICTIONS = 1_000  # rows of the table of predicted links
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")

FILE_NAMES = {
    "embedding": "embedding.ng",
    "predictions": "predictions.tsv",
    "page": "map.html",
    "png": "map.png",
    "svg": "map.svg",
    "session": "explorer.session",
    "answers": "answers.csv",
    "nodes": "selected-nodes.tsv",
    "links": "selected-links.tsv",
}


class Downloads:
    """Files by secret tokens: only files that were added can be downloaded.

    >>> downloads = Downloads()
    >>> token = downloads.add(Path("session/map.html"))
    >>> downloads.find(token).name, downloads.find("map.html")
    ('map.html', None)
    >>> downloads.remove_folder(Path("session"))
    >>> downloads.find(token) is None
    True
    """

    def __init__(self) -> None:
        self._files: dict[str, Path] = {}

    def add(self, path: Path) -> str:
        """Offer a file, and return its token."""
        token = secrets.token_urlsafe(24)
        self._files[token] = path
        return token

    def find(self, token: str) -> Path | None:
        """The file of a token, or None."""
        return self._files.get(token)

    def remove_folder(self, folder: Path) -> None:
        """Offer the files of a folder no longer."""
        self._files = {token: path for token, path in self._files.items() if path.parent != folder}


def write_file(
    kind: str,
    maps: Sequence[Embedding],
    index: int,
    selection: Int64Array,
    folder: Path,
    *,
    title: str = "A network",
    colour: str | None = None,
    threads: int | None = None,
) -> Path:
    """Write a file for download.

    Parameters
    ----------
    kind
        A key of `FILE_NAMES`.
    maps
        The embeddings on the page; a page holds all of them, other files are about one.
    index
        Which of the maps.
    selection
        Numbers of the selected nodes, for the kinds "nodes" and "links".
    folder
        Where to write.
    title, colour
        Title and colour column of a page.
    threads
        Threads for predictions.
    """
    if kind not in FILE_NAMES:
        raise InputError(f"A file of kind {kind!r} was requested; expected one of {', '.join(FILE_NAMES)}.")
    path, embedding = folder / FILE_NAMES[kind], maps[index]
    if kind == "embedding":
        embedding.save(path)
    elif kind == "predictions":
        _write_table(embedding.likely_links(count=PREDICTIONS, threads=threads), path)
    elif kind in ("page", "png", "svg"):
        _write_page(maps, title, colour, path)
    elif kind == "nodes":
        _write_table(_selected_nodes(embedding, selection), path)
    else:
        _write_table(_selected_links(embedding, selection), path)
    return path


def _write_table(table: pd.DataFrame, path: Path) -> None:
    guarded(table).to_csv(path, sep="\t", index=False)


def guarded(table: pd.DataFrame) -> pd.DataFrame:
    """The table with an apostrophe before each text that a spreadsheet would take for a formula.

    Names come from files of unknown origin, and a spreadsheet computes a cell that begins with =, +, - or @, also after
    a tab or a carriage return. Numbers, also negative ones, stay as they are; names of columns are cells, too.

    >>> guarded(pd.DataFrame({"node": ["ann", "=1+2", "-bob"], "x1": [1.5, -2.0, 0.0]}))
         node   x1
    0     ann  1.5
    1   '=1+2 -2.0
    2   '-bob  0.0
    """
    numeric = [pd.api.types.is_numeric_dtype(kind) for kind in table.dtypes]
    columns = [table.iloc[:, place] for place in range(table.shape[1])]
    cells = [one if plain else one.astype(object).map(_guarded) for one, plain in zip(columns, numeric, strict=True)]
    found = pd.concat(cells, axis=1) if cells else table.copy()
    return found.set_axis([_guarded(name) for name in table.columns], axis=1)


def _guarded(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA_STARTS) else cell


def _write_page(maps: Sequence[Embedding], title: str, colour: str | None, path: Path) -> None:
    """Write the maps as one HTML file."""
    flat = tuple(one for one in maps if one.dimensions == 2)
    if len(flat) < len(maps):
        raise InputError("A page can only show maps with 2 dimensions, and one here has more; fit it again with 2.")
    from netgiven.maps.map import Map  # imported here because the reader subprocess does not need it

    Map(flat, colour, title).save(path)


def _selected_nodes(embedding: Embedding, numbers: Int64Array) -> pd.DataFrame:
    """Selected nodes with degree, columns and coordinates."""
    network = embedding.network
    names = pd.DataFrame({"node": network.nodes, "degree": network.degrees})
    return pd.concat([names, network.columns, embedding.to_pandas().iloc[:, 1:]], axis=1).iloc[numbers]


def _selected_links(embedding: Embedding, numbers: Int64Array) -> pd.DataFrame:
    """Links between selected nodes with posterior and prior probability."""
    network = embedding.network
    chosen = np.zeros(network.node_count, dtype=bool)
    chosen[numbers] = True
    links = network.links()
    first, second = links[chosen[links].all(axis=1)].T
    names = pd.DataFrame({"source": network.nodes[first], "target": network.nodes[second]})
    return names.assign(probability=embedding.probabilities(names), prior=embedding.prior.probabilities(names))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
