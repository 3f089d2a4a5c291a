"""CPU time and peak memory of a command, measured from a small process of its own.

    python benchmarks/speed/child.py COMMAND ...

Prints both as JSON. A command started from a large process would be charged for that process's memory.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

UNIT = 1 if sys.platform == "darwin" else 1024  # of ru_maxrss, in bytes


class Cost(NamedTuple):
    """CPU seconds of all threads, and peak resident memory in bytes."""

    seconds: float
    peak: int


def run_child(command: list[str], **environment: str) -> Cost:
    """Run a command and say what it cost; its error output is shown if it fails."""
    line = [sys.executable, str(Path(__file__).resolve()), *command]
    done = subprocess.run(line, capture_output=True, text=True, env={**os.environ, **environment}, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr}")
    return Cost(**json.loads(done.stdout))


def netgiven(*arguments: str) -> list[str]:
    """The command line of the program."""
    return [sys.executable, "-m", "netgiven.cli.main", *arguments]


def main() -> None:
    """Run the command, print its cost, and end as it ended."""
    done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=False)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(json.dumps(Cost(used.ru_utime + used.ru_stime, used.ru_maxrss * UNIT)._asdict()))
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
