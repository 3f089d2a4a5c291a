"""Cost of a command that may take too long or too much memory, measured from a small separate process.

    python benchmarks/peers/limited.py CPU_SECONDS BYTES COMMAND ...

Prints wall time, CPU time and peak memory as JSON, with children, and what stopped it. A command started from a large
process would be charged for that process's memory. Only the standard library is imported, so that this one is small.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

UNIT = 1 if sys.platform == "darwin" else 1024  # of ru_maxrss, in bytes
PAUSE = 0.1  # seconds between two measurements
IDLE = 10  # times the CPU limit is the limit of wall time: a command that only waits uses no CPU time


class Cost(NamedTuple):
    """Cost of a command, its exit code, and the limit that stopped it, if one did."""

    wall_seconds: float
    cpu_seconds: float
    peak_bytes: int
    ending: int
    stopped: str = ""


class Use(NamedTuple):
    """What a command and its children have used so far."""

    seconds: float
    resident: int


def run_limited(command: list[str], cpu_seconds: float, memory: int, log: Path, **environment: str) -> Cost:
    """Run a command within limits; its output goes to a file."""
    line = [sys.executable, __file__, str(cpu_seconds), str(memory), *command]
    with log.open("wb") as sink:
        done = subprocess.run(
            line, stdout=subprocess.PIPE, stderr=sink, env={**os.environ, **environment}, check=True, cwd=log.parent
        )
    return Cost(**json.loads(done.stdout))


def measure(command: list[str], cpu_seconds: float, memory: int) -> Cost:
    """Run the command as a separate process group, measure it repeatedly, and end it where it exceeds a limit."""
    begin, peak, stopped = time.monotonic(), 0, ""
    group = subprocess.Popen(command, stdout=sys.stderr, start_new_session=True).pid
    while True:
        ended, status, used = os.wait4(group, os.WNOHANG)
        wall = time.monotonic() - begin
        if ended:
            break
        now = use_of(group)
        peak = max(peak, now.resident)
        if not stopped and (stopped := exceeded(now, wall, cpu_seconds, memory)):
            os.killpg(group, signal.SIGKILL)
        time.sleep(PAUSE)
    peak = max(peak, used.ru_maxrss * UNIT)  # the largest single process; this includes peaks between two measurements
    return Cost(wall, used.ru_utime + used.ru_stime, peak, os.waitstatus_to_exitcode(status), stopped)


def exceeded(now: Use, wall: float, cpu_seconds: float, memory: int) -> str:
    """The limit that was exceeded, as text."""
    if now.resident > memory:
        return f"more than {memory / 1e9:.0f} GB"
    if now.seconds > cpu_seconds or wall > IDLE * cpu_seconds:
        return f"not finished after {now.seconds:.0f} CPU s"
    return ""


def use_of(group: int) -> Use:
    """CPU seconds and resident bytes of the processes of a group; shared pages count for each."""
    listed = subprocess.run(["ps", "-e", "-o", "pgid=,rss=,cputimes="], capture_output=True, text=True, check=True)
    rows = [line.split() for line in listed.stdout.splitlines()]
    mine = [(int(resident), int(seconds)) for owner, resident, seconds in rows if int(owner) == group]
    return Use(sum(seconds for _, seconds in mine), 1024 * sum(resident for resident, _ in mine))


def main() -> None:
    """Run the command and print its cost."""
    print(json.dumps(measure(sys.argv[3:], float(sys.argv[1]), int(sys.argv[2]))._asdict()))


if __name__ == "__main__":
    main()
