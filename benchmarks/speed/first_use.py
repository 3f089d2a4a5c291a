"""What the first use costs: importing the package, what each command imports, and compiling kernels once.

    python benchmarks/speed/first_use.py [--data FOLDER]

Prints the CPU seconds that `import netgiven` adds to a bare Python and whether Numba came with it; the CPU seconds that
commands on a small network spend importing, with compiled kernels and bytecode, at best of several runs; then the CPU
seconds of `netgiven embed` on the Facebook network with an empty compilation cache against a second run with the same
cache, and how many files of the cache the second run wrote. One table with targets; exit code 1 if one is missed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from child import netgiven, run_child
from measuring import Target, add_data_option, data_file, finish

HEAVY = ("numba", "scipy", "pandas", "pyarrow", "sklearn", "matplotlib", "rich", "typer")
FIXED = ("--dimensions", "8", "--reach", "2", "--shrinkage", "0")
COMMANDS = (  # on the company that the demo draws
    ("info", "links.csv", "--nodes", "people.csv"),
    ("embed", "links.csv", *FIXED, "--out", "x.ng"),
    ("embed", "links.csv", "--out", "y.ng"),
    ("predict", "x.ng"),
    ("info", "x.ng"),
    ("prior", "links.csv"),
)
MAX_IMPORTING = 0.8  # CPU s
IMPORTING = """
import builtins, importlib, sys, time

spent, outermost = 0.0, True

def timed(load):
    def call(*arguments, **more):
        global spent, outermost
        if not outermost:
            return load(*arguments, **more)
        begin, outermost = time.process_time(), False
        try:
            return load(*arguments, **more)
        finally:
            spent, outermost = spent + time.process_time() - begin, True
    return call

builtins.__import__, importlib.import_module = timed(builtins.__import__), timed(importlib.import_module)
try:
    from netgiven.cli.main import main
    main()
finally:
    print(spent, time.process_time(), file=sys.stderr)
"""


def python_seconds(code: str, repetitions: int = 5) -> float:
    """CPU seconds of a line of Python in a process of its own, at best."""
    return min(run_child([sys.executable, "-c", code]).seconds for _ in range(repetitions))


def loaded_by_import() -> list[str]:
    """Which of the heavy libraries `import netgiven` loads."""
    code = f"import netgiven, sys; print(*(name for name in {HEAVY} if name in sys.modules))"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()


def measure_import() -> list[Target]:
    """The cost of the import, and that Numba stays away."""
    added = python_seconds("import netgiven") - python_seconds("pass")
    loaded = loaded_by_import()
    return [
        Target("import netgiven: CPU s", added, 0.5, note=f"loads {', '.join(loaded) or 'no heavy library'}"),
        Target("import netgiven: loads numba", "numba" in loaded, 0),
    ]


def importing_seconds(command: tuple[str, ...], folder: Path, repetitions: int = 5) -> tuple[float, float]:
    """CPU seconds that a command spends in import statements, and altogether; the least of several runs."""
    line, options = [sys.executable, "-c", IMPORTING, *command], {"capture_output": True, "text": True, "cwd": folder}
    keeping = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    runs = [subprocess.run(line, check=True, env=keeping, **options) for _ in range(repetitions)]
    importing, whole = zip(*(map(float, run.stderr.splitlines()[-1].split()) for run in runs), strict=True)
    return min(importing), min(whole)


def measure_commands(folder: Path) -> list[Target]:
    """What commands on a small network import."""
    run_child(netgiven("demo", "--out", str(folder)))
    targets = []
    for command in COMMANDS:
        importing, whole = importing_seconds(command, folder)
        name = " ".join(word for word in command if word not in ("--nodes", "people.csv", "--out", "x.ng", "y.ng"))
        targets.append(Target(f"{name}: CPU s importing", importing, MAX_IMPORTING, note=f"of {whole:.2f} s"))
    return targets


def cached_files(folder: Path) -> set[tuple[Path, int]]:
    """The files of a compilation cache, and when each was written."""
    return {(path, path.stat().st_mtime_ns) for path in folder.rglob("*") if path.is_file()}


def measure_compiling(edges: Path, folder: Path) -> list[Target]:
    """The first run with an empty cache against the second."""
    cache = folder / "cache"
    cache.mkdir()
    command = netgiven("embed", str(edges), "--out", str(folder / "facebook.ng"), *FIXED)
    first, before = run_child(command, NUMBA_CACHE_DIR=str(cache)).seconds, cached_files(cache)
    second, after = run_child(command, NUMBA_CACHE_DIR=str(cache)).seconds, cached_files(cache)
    note = f"first {first:.1f} s, second {second:.1f} s; {len(before)} files cached"
    return [
        Target("embed facebook: CPU s of compiling", first - second, 12.0, note=note),
        Target("embed facebook: cache files that the second run wrote", len(after - before), 0),
    ]


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_data_option(parser)
    edges = data_file(parser.parse_args().data, "facebook.edges.gz")
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        finish([*measure_import(), *measure_commands(work), *measure_compiling(edges, work)])


if __name__ == "__main__":
    main()
