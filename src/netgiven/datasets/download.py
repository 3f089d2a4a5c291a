"""Download public networks by pooch: https only, bounded in size and waiting time, whole or not at all."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urljoin, urlsplit

import numpy as np
import pandas as pd

import netgiven
from netgiven.array_file import make_folder, write_atomically
from netgiven.datasets.public import (
    Files,
    PublicNetwork,
    check_counts,
    files_in,
    fingerprint,
    label_counts,
    named,
)
from netgiven.errors import InputError
from netgiven.io.read import read
from netgiven.network import Network

SIZE_LIMIT = 100_000_000  # the largest original has a few million bytes
TIMEOUT = 30  # seconds without an answer
_PIECE = 1 << 14

Callback = Callable[[int, int | None], None]


def fetch(name: str, folder: Path, callback: Callback | None = None) -> Files:
    """Download a public network into a folder: converted to our layout, checked, and only then put in place.

    Parameters
    ----------
    name
        Its name, one of `public.NETWORKS`.
    folder
        Where its files go. It is created if it does not exist.
    callback
        Called with the bytes received so far, and the total if it is known, else None.

    Returns
    -------
    Files
        The paths of the network's files.

    Raises
    ------
    InputError
        If the file cannot be downloaded, or holds another network. Nothing is written then.

    Examples
    --------
    >>> fetch("studentdb_standin", Path("networks"))
    Traceback (most recent call last):
    netgiven.errors.InputError: studentdb_standin cannot be downloaded: there is no download: a synthetic ...
    """
    return fetch_network(named(name), folder, callback=callback)


def fetch_network(
    network: PublicNetwork, folder: Path, *, callback: Callback | None = None, local: bool = False
) -> Files:
    """Download any network with a description. `local` also accepts plain http from 127.0.0.1."""
    if network.original is None:
        raise InputError(f"{network.name} cannot be downloaded: there is {network.origin}.")
    original = _original(network.original, callback, local)
    labels = _labels(network, original)
    _check(network, original, labels)
    files = files_in(network, folder)
    tables = {files.links: pd.DataFrame(original.links())}
    if files.labels is not None and labels is not None:
        tables[files.labels] = labels
    make_folder(folder)
    _write([(path, _packed(path, table)) for path, table in tables.items()])
    return files


def _original(address: str, callback: Callback | None, local: bool) -> Network:
    with TemporaryDirectory() as folder:
        path = Path(folder, Path(urlsplit(address).path).name)
        download(address, path, callback=callback, local=local)
        try:
            return read(path)
        except InputError as problem:  # the path does not exist any more when the message is read
            raise InputError(str(problem).replace(str(path), address)) from problem


def _labels(network: PublicNetwork, original: Network) -> pd.DataFrame | None:
    """Return node and label, one row per pair, from the column `group` ('3;7' where a node has several labels)."""
    if network.labels is None:
        return None
    if "group" not in original.columns:
        raise InputError(f"{network.original} holds no labels (variable 'group'); {network.labels} were expected.")
    groups = original.columns["group"].dropna()
    texts = groups.map(lambda group: group if isinstance(group, str) else str(int(group)))
    labels = texts.str.split(";").explode().astype(np.int64)
    return pd.DataFrame({0: labels.index.to_numpy(), 1: labels.to_numpy()})


def _check(network: PublicNetwork, original: Network, labels: pd.DataFrame | None) -> None:
    check_counts(network, original, network.original)
    if label_counts(labels) != (network.labels, network.label_pairs):
        found, pairs = label_counts(labels)
        raise InputError(
            f"{network.original} holds {found} labels in {pairs} pairs with nodes; {network.name} has "
            f"{network.labels} in {network.label_pairs}, so this is another version."
        )
    if fingerprint(original.degrees) != network.fingerprint:
        raise InputError(
            f"{network.original} holds another network than {network.name}: as many nodes and links, but other "
            "degrees. It was not kept."
        )


def _packed(path: Path, table: pd.DataFrame) -> bytes:
    data = table.to_csv(sep="\t", header=False, index=False, lineterminator="\n").encode()
    return gzip.compress(data, mtime=0) if path.suffix == ".gz" else data


def _write(files: list[tuple[Path, bytes]]) -> None:
    """Put files in place, the first one last: if one cannot be written, none is."""
    (path, data), *others = files

    def write(temporary: Path) -> None:
        temporary.write_bytes(data)
        if others:
            _write(others)

    write_atomically(path, write)


# ---- one file --------------------------------------------------------------------------------------------------------


def download(
    address: str, target: Path, *, limit: int = SIZE_LIMIT, callback: Callback | None = None, local: bool = False
) -> None:
    """Download a file from an https address. `local` also accepts plain http from 127.0.0.1.

    `callback` is called with the bytes received so far, and the total if the server announces it.
    """
    import pooch
    import requests

    check_address(address, local)
    answers: list[Any] = []  # pooch leaves connections open after an error

    def received(answer: Any, **_: Any) -> None:
        answers.append(answer)
        if answer.is_redirect:
            check_address(urljoin(answer.url, answer.headers["location"]), local)

    pooch.get_logger().setLevel("WARNING")
    downloader = pooch.HTTPDownloader(
        progressbar=_Progress(limit, callback),
        chunk_size=_PIECE,
        timeout=TIMEOUT,
        headers={"User-Agent": f"netgiven/{netgiven.__version__}", "Accept-Encoding": "identity"},
        hooks={"response": received},
    )
    try:
        pooch.retrieve(address, None, fname=target.name, path=target.parent, downloader=downloader)
    except (OSError, requests.RequestException) as problem:
        raise InputError(f"{address} could not be downloaded ({_reason(problem)}); try again later.") from problem
    finally:
        for answer in answers:
            answer.close()


def check_address(address: str, local: bool = False) -> None:
    """Raise an error if an address is not https: anything else can be changed on the way."""
    parts = urlsplit(address)
    if parts.scheme != "https" and not (local and parts.scheme == "http" and parts.hostname == "127.0.0.1"):
        raise InputError(
            f"{address} is not an https address, so its contents cannot be trusted; nothing was downloaded."
        )


class _Progress:
    """What pooch calls a progress bar: it limits the size, and passes the progress on."""

    def __init__(self, limit: int, callback: Callback | None) -> None:
        self.limit, self.callback = limit, callback
        self.total = self.received = 0  # pooch sets the total, to 0 if it is unknown

    def update(self, size: int) -> None:
        """Count the bytes of a piece, which may be shorter at the end of the file."""
        self.received += size
        if self.received - _PIECE >= self.limit or self.total > self.limit:
            raise OSError(f"it has more than {self.limit:,} bytes, which was not expected")
        if self.callback is not None:
            self.callback(min(self.received, self.total or self.received), self.total or None)

    def reset(self) -> None:
        """Count from 0; pooch calls it at the end, and then `update` with the total."""
        self.received = 0

    def close(self) -> None:
        """Do nothing: there is no bar."""


def _reason(problem: BaseException) -> str:
    """Return why a download failed, from the innermost error that says it."""
    import requests
    from urllib3.exceptions import IncompleteRead

    if isinstance(problem, requests.HTTPError) and problem.response is not None:
        return f"the server answered {problem.response.status_code} {problem.response.reason}"
    if isinstance(problem, requests.Timeout):
        return f"no answer for {TIMEOUT} seconds"
    for cause in _causes(problem):
        if isinstance(cause, IncompleteRead):
            return f"the connection ended after {cause.partial:,} bytes"
        if isinstance(cause, OSError) and cause.strerror:
            return cause.strerror
    return str(problem) or type(problem).__name__


def _causes(problem: BaseException | None) -> Iterator[BaseException]:
    """Iterate over an error and the errors that caused it."""
    while problem is not None:
        yield problem
        problem = problem.__cause__ or problem.__context__
