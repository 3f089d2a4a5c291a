"""What the first use costs: importing the package, and compiling kernels once.

    python benchmarks/speed/first_use.py [--data FOLDER]

Prints the CPU seconds that `import netgiven` adds to a bare Python and whether Numba came with it; then the CPU seconds
of `netgiven embed` on the Facebook network with an empty compilation cache against a second run with the same cache,
and how many files of the cache the second run wrote. One table with targets; exit code 1 if one is missed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from child import netgiven, run_child
from measuring import Target, add_data_option, data_file, finish

HEAVY = ("numba", "scipy", "pandas", "pyarrow", "sklearn", "matplotlib", "rich", "typer")
FIXED = ("--dimensions", "8", "--reach", "2", "--shrinkage", "0")


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
        finish([*measure_import(), *measure_compiling(edges, Path(folder))])


if __name__ == "__main__":
    main()
