"""Where files can be fetched: each has an address that nobody can guess."""

from __future__ import annotations

import secrets
from pathlib import Path


class Downloads:
    """Files by their address: what is not in this list cannot be fetched.

    >>> downloads = Downloads()
    >>> address = downloads.offer(Path("visit/map.html"))
    >>> downloads.find(address).name, downloads.find("map.html")
    ('map.html', None)
    >>> downloads.withdraw(Path("visit"))
    >>> downloads.find(address) is None
    True
    """

    def __init__(self) -> None:
        self._files: dict[str, Path] = {}

    def offer(self, path: Path) -> str:
        """The address of a file."""
        address = secrets.token_urlsafe(24)
        self._files[address] = path
        return address

    def find(self, address: str) -> Path | None:
        """The file, if this is one of our addresses."""
        return self._files.get(address)

    def withdraw(self, folder: Path) -> None:
        """No file of a folder can be fetched any more."""
        self._files = {address: path for address, path in self._files.items() if path.parent != folder}
