"""Which state of the program made a result."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path

import netgiven


@cache
def commit() -> str:
    """The commit of the checkout that this program runs from, and whether it was changed since; empty without one."""
    home = Path(netgiven.__file__).parent
    if not _git(home, "ls-files", "--error-unmatch", "__init__.py"):  # somebody else's checkout may lie around us
        return ""
    changed = _git(home, "status", "--porcelain", "--untracked-files=no", "--", ".")
    return _git(home, "rev-parse", "--short=12", "HEAD") + (" with changes" if changed else "")


def _git(folder: Path, *words: str) -> str:
    """What git answers; nothing if it fails or is not there."""
    try:
        answer = subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return answer.stdout.strip() if answer.returncode == 0 else ""
