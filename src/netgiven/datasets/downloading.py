"""One file over https: bounded in size and waiting time, and whole or not at all."""

from __future__ import annotations

import http.client
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

import netgiven
from netgiven.errors import InputError

LARGEST = 100_000_000  # the largest original has a few million bytes
PATIENCE = 30  # seconds without an answer
_PIECE = 1 << 16

Watcher = Callable[[int, int | None], None]


def download(
    address: str, target: Path, *, limit: int = LARGEST, watch: Watcher | None = None, local: bool = False
) -> None:
    """Write what an https address gives to a file. `local` also takes plain http from 127.0.0.1.

    `watch` is told the bytes received so far, and how many there will be if the server says so.
    """
    check_address(address, local)
    request = urllib.request.Request(address, headers={"User-Agent": f"netgiven/{netgiven.__version__}"})
    opener = urllib.request.build_opener(_Redirects(local))
    try:
        with opener.open(request, timeout=PATIENCE) as answer:
            target.write_bytes(_received(answer, limit, watch))
    except (OSError, http.client.HTTPException) as problem:
        if isinstance(problem, urllib.error.HTTPError):
            problem.close()
        raise InputError(f"{address} could not be downloaded ({_reason(problem)}); try again later.") from problem


def check_address(address: str, local: bool = False) -> None:
    """Only https, as everything else can be changed on the way."""
    parts = urlsplit(address)
    if parts.scheme != "https" and not (local and parts.scheme == "http" and parts.hostname == "127.0.0.1"):
        raise InputError(f"{address} is no https address, so what it gives cannot be trusted; nothing was downloaded.")


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows a server that sends us elsewhere, if that is https, too."""

    def __init__(self, local: bool) -> None:
        self.local = local

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        """The request for the new address."""
        try:
            check_address(newurl, self.local)
        except InputError:
            fp.close()
            raise
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _received(answer: Any, limit: int, watch: Watcher | None) -> bytes:
    announced = answer.headers.get("Content-Length")
    total = int(announced) if announced and announced.isdigit() else None
    data = bytearray()
    while piece := answer.read(_PIECE):
        data += piece
        if len(data) > limit:
            raise OSError(f"it has more than {limit:,} bytes, which was not expected")
        if watch is not None:
            watch(len(data), total)
    if total is not None and len(data) < total:
        raise OSError(f"the connection ended after {len(data):,} of {total:,} bytes")
    return bytes(data)


def _reason(problem: BaseException) -> str:
    if isinstance(problem, urllib.error.HTTPError):
        return f"the server answered {problem.code} {problem.reason}"
    if isinstance(problem, urllib.error.URLError) and isinstance(problem.reason, BaseException):
        return _reason(problem.reason)
    if isinstance(problem, TimeoutError):
        return f"no answer for {PATIENCE} seconds"
    if isinstance(problem, http.client.IncompleteRead):
        return f"the connection ended after {len(problem.partial):,} bytes"
    return getattr(problem, "strerror", None) or str(problem) or type(problem).__name__
