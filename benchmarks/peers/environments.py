"""One virtual environment per peer, made once; if that fails, the reason is stored."""

from __future__ import annotations

import fcntl
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.peers.catalogue import Environment
from netgiven.array_file import write_atomically

RECORD = "installed.json"


class Installed(NamedTuple):
    """The Python to run a peer with, the versions of its requirements, and why it could not be installed."""

    python: Path
    versions: dict[str, str]
    problem: str = ""


def install(name: str, environment: Environment, folder: Path) -> Installed:
    """The environment of a peer, made unless that was tried before with the same requirements."""
    if not environment.requirements:
        return Installed(Path(sys.executable), {})
    place = folder / name.replace(" ", "-")
    folder.mkdir(parents=True, exist_ok=True)
    with place.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # several may run at once on different networks
        tried = _tried(environment, place)
    return Installed(place / "bin" / "python", tried["versions"], tried["problem"])


def _tried(environment: Environment, place: Path) -> dict[str, Any]:
    """The stored result of the installation, or of one that is made now."""
    tried = _read(place / RECORD)
    if tried.get("requirements") != list(environment.requirements) or tried.get("python") != environment.python:
        tried = _make(environment, place)
        write_atomically(place / RECORD, lambda target: _write(target, tried))
    return tried


def _read(record: Path) -> dict[str, Any]:
    return dict(json.loads(record.read_text(encoding="utf-8"))) if record.exists() else {}


def _write(target: Path, content: dict[str, Any]) -> None:
    target.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def _make(environment: Environment, place: Path) -> dict[str, Any]:
    """Make an environment and return what is stored about it."""
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    problem = _fill(environment, place)
    return {
        "requirements": list(environment.requirements),
        "python": environment.python,
        "problem": problem,
        "versions": {} if problem else _versions(environment, place / "bin" / "python"),
    }


def _fill(environment: Environment, place: Path) -> str:
    """Install the requirements; returns the problem, empty if there is none."""
    python = shutil.which(f"python{environment.python}") if environment.python else sys.executable
    if python is None:
        return f"needs Python {environment.python}, but python{environment.python} is not on the path"
    subprocess.run([python, "-m", "venv", str(place)], check=True)
    line = [str(place / "bin" / "python"), "-m", "pip", "install", *environment.requirements]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    (place / "pip.log").write_text(done.stdout + done.stderr, encoding="utf-8")
    return f"not installed: {_reason(done.stdout + done.stderr)}" if done.returncode else ""


def _reason(log: str) -> str:
    """The last line with an error; the last line if there is none."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    errors = [line for line in lines if re.search(r"error\b", line, re.IGNORECASE) and "subprocess" not in line]
    return (errors or lines or ["no message"])[-1].removeprefix("ERROR: ")[:200]


def _versions(environment: Environment, python: Path) -> dict[str, str]:
    names = [re.split(r"[<>=!~\[ ]", requirement)[0] for requirement in environment.requirements]
    code = f"import json; from importlib.metadata import version; print(json.dumps({{n: version(n) for n in {names}}}))"
    output = subprocess.run([str(python), "-c", code], capture_output=True, text=True, check=True).stdout
    return {"python": _python_version(python), **json.loads(output)}


def _python_version(python: Path) -> str:
    return subprocess.run([str(python), "-V"], capture_output=True, text=True, check=True).stdout.split()[-1]
