"""Files that visitors send: few endings, limited sizes, a private folder, and the same readers as everywhere."""

from __future__ import annotations

import gzip
import tempfile
import zlib
from pathlib import Path
from typing import Any

from netgiven.embedding import Embedding
from netgiven.errors import InputError, NetgivenError
from netgiven.explorer import reading
from netgiven.explorer.visit import Opened
from netgiven.network import Network

ENDINGS = (
    ".txt", ".csv", ".tsv", ".edges", ".types", ".labels", ".parquet", ".feather", ".arrow", ".graphml", ".gml",
    ".gexf", ".net", ".paj", ".mtx", ".mat", ".npz", ".ng",
)  # fmt: skip
COMPRESSED = (".gz", ".zst")
MEGABYTE = 1 << 20
PARTS = ("network", "nodes")  # what a visitor may send; files are named after these, never as the visitor says


class Uploads:
    """The files of one visitor, in a folder that only this program can read and that goes with the visit."""

    def __init__(self, most_megabytes: float) -> None:
        self.most = int(most_megabytes * MEGABYTE)
        self._folder = tempfile.TemporaryDirectory(prefix="netgiven-visit-")
        self._count = 0
        self._files: dict[str, Path] = {}
        self._labels: dict[str, str] = {}

    @property
    def folder(self) -> Path:
        """Where the files are."""
        return Path(self._folder.name)

    def check(self, part: str, label: str, size: int) -> None:
        """A sentence, if a file like this is not taken."""
        if part not in PARTS:
            raise InputError(f"A file for {part!r} was sent; it is for one of {', '.join(PARTS)}.")
        ending_of(label)
        if size > self.most:
            raise InputError(
                f"{label} is larger than {self.most / MEGABYTE:g} MB, the most that this page takes. "
                "Start it with a higher --most-megabytes, or name the file: netgiven explore FILE."
            )

    def target(self, part: str, label: str) -> Path:
        """Where to write a file that was checked: under a name of ours, and its checked ending."""
        self._count += 1
        return self.folder / f"{part}-{self._count}.sent{ending_of(label)}"

    def take(self, part: str, label: str, sent: Path) -> Network | Embedding:
        """What the files say together, now that one more has come. Where they cannot be read, all stays as it was."""
        plain = decompressed(sent, label, reading.LARGER * self.most)
        if part == "nodes" and "network" not in self._files:
            raise InputError("A table of nodes was sent, and no links to go with it. Open a file of links first.")
        if part == "nodes" and reading.is_embedding(self._files["network"]):
            raise InputError(f"{self._labels['network']} is an embedding, which has its nodes already.")
        files = {"network": self._files.get("network"), "nodes": None} | {part: plain}
        labels = self._labels | {part: label}
        found = self._read(files, labels)
        Opened.of(label, found)  # complains where there is too little for a map
        self._files, self._labels = {name: path for name, path in files.items() if path}, labels
        return found

    def forget(self) -> None:
        """The network comes from elsewhere now."""
        self._files, self._labels = {}, {}

    def close(self) -> None:
        """Remove all files."""
        self._folder.cleanup()

    def _read(self, files: dict[str, Path | None], labels: dict[str, str]) -> Network | Embedding:
        network, nodes = files["network"], files["nodes"]
        assert network is not None
        try:
            return reading.read_apart(network, nodes, (nodes or network).with_suffix(".read"), self.most)
        except NetgivenError as problem:
            raise InputError(_told(str(problem), files, labels)) from problem


def _told(sentence: str, files: dict[str, Path | None], labels: dict[str, str]) -> str:
    """The sentence with the names that the visitor knows."""
    for part, path in files.items():
        if path is not None:
            sentence = sentence.replace(str(path), labels[part])
    return sentence


def ending_of(label: str) -> str:
    """The ending of a file's name, one that is known, with that of its compression."""
    path = Path(label)
    compression = path.suffix.lower() if path.suffix.lower() in COMPRESSED else ""
    ending = (Path(path.stem).suffix if compression else path.suffix).lower()
    if ending not in ENDINGS:
        raise InputError(
            f"{label} ends in {ending or 'nothing'!r}; files of links end in {', '.join(ENDINGS)}, "
            f"or in one of these and {' or '.join(COMPRESSED)}."
        )
    return ending + compression


def decompressed(sent: Path, label: str, most: int) -> Path:
    """The file without its compression, if it does not grow beyond `most` bytes."""
    plain = sent.with_name(sent.name.replace(".sent", "").removesuffix(".gz").removesuffix(".zst"))
    if sent.suffix not in COMPRESSED:
        return sent.replace(plain)
    try:
        with _opened(sent) as source, plain.open("wb") as sink:
            _pour(source, sink, label, most)
    except (OSError, EOFError, zlib.error) as problem:
        told = f"{label}: the file cannot be decompressed: it is cut off or damaged ({problem})."
        raise InputError(told) from problem
    finally:
        sent.unlink()
    return plain


def _opened(sent: Path) -> Any:
    if sent.suffix == ".gz":
        return gzip.open(sent)
    import pyarrow

    return pyarrow.input_stream(str(sent), compression="zstd")


def _pour(source: Any, sink: Any, label: str, most: int) -> None:
    while piece := source.read(MEGABYTE):
        if sink.tell() + len(piece) > most:
            raise InputError(
                f"{label} grows to more than {most / MEGABYTE:g} MB when it is decompressed, the most that this page "
                "takes. Decompress it yourself if you trust it, and name the file: netgiven explore FILE."
            )
        sink.write(piece)
