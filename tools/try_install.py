"""Install netgiven in environments of their own, and run tests/smoke.py there.

    python tools/try_install.py oldest    the lowest versions that pyproject.toml allows
    python tools/try_install.py matrix    the newest versions, with each Python that is found
    python tools/try_install.py beside    beside versions that notebooks have, none of which may change
    python tools/try_install.py dist      build wheel and source distribution, check them, try the wheel alone
    python tools/try_install.py sizes     megabytes of the core, and of each extra beside it

Wheels come from where pip finds them. Each command ends with exit code 1 if something fails.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
EXTRAS = "plot,explorer,graphs,notebook"  # Ray has no wheels for some of the Pythons
BESIDE = {  # sets of versions, and a Python that has wheels of them
    "3.12": "numpy==2.0.* scipy==1.14.* pandas==2.2.* scikit-learn==1.5.* numba==0.60.* matplotlib==3.8.*",
    "3.13": "numpy==2.1.* scipy==1.16.3 pandas==2.2.3 bokeh==3.8.2",
}
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
IN_WHEEL = ("netgiven/py.typed", "netgiven/maps/browser/page.html", "netgiven/explorer/page/")
NOT_IN_WHEEL = ("tests", "docs", "benchmarks", "experiments", "tools")
IN_SOURCE = ("src/netgiven/py.typed", "tests/", "docs/", "pyproject.toml", "LICENSE")


def lowest_versions() -> list[str]:
    """Return `library==version` for the lower bound of each dependency, those of extras included."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [extra for name, extra in project["optional-dependencies"].items() if name not in ("all", "benchmarks")]
    every = dict.fromkeys([*project["dependencies"], *(need for extra in extras for need in extra)])
    return [re.sub(r"\s*>=\s*", "==", need) for need in every]


# ---- Environments ----------------------------------------------------------------------------------------------------


class Environment:
    """A virtual environment in a folder."""

    def __init__(self, folder: Path, python: str = sys.executable) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([python, "-m", "venv", folder], check=True)
        self.python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
        self.empty = self.bytes()

    def run(self, *arguments: str | Path, folder: Path | None = None) -> str:
        """Run Python, and return what it prints."""
        done = subprocess.run([self.python, *arguments], check=True, stdout=subprocess.PIPE, text=True, cwd=folder)
        return done.stdout

    def install(self, *needs: str | Path) -> None:
        """Install packages by pip."""
        self.run("-m", "pip", "install", "--quiet", *needs)

    def versions(self) -> dict[str, str]:
        """Return the version of each installed package."""
        lines = self.run("-m", "pip", "list", "--format=freeze").split()
        return dict(line.split("==", maxsplit=1) for line in lines)

    def bytes(self) -> int:
        """Return the size of all installed packages."""
        packages = Path(self.run("-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
        return sum(file.stat().st_size for file in packages.rglob("*") if file.is_file())

    def megabytes(self) -> int:
        """Return the megabytes that were installed since the environment was made."""
        return round((self.bytes() - self.empty) / 1e6)

    def smoke(self, folder: Path) -> None:
        """Run the smoke test, outside of the source tree."""
        print(self.run(ROOT / "tests" / "smoke.py", folder=folder), end="", flush=True)


def wheel_in(folder: Path) -> Path:
    """Build a wheel into a folder."""
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT]
    subprocess.run(command, check=True)
    return next(folder.glob("netgiven-*.whl"))


def with_extras(wheel: Path, extras: str) -> str:
    """Return what pip calls a wheel with extras.

    >>> with_extras(Path("netgiven-1.whl"), "plot")
    'netgiven-1.whl[plot]'
    """
    return f"{wheel}[{extras}]" if extras else str(wheel)


def pythons() -> Iterator[tuple[str, str]]:
    """Yield the version and program of each Python from 3.11 on that is found and works; 3.13t is free-threaded."""
    for minor in range(11, 30):
        for kind in ("", "t"):
            found = shutil.which(f"python3.{minor}{kind}")
            if found is not None and not subprocess.call([found, "-m", "venv", "-h"], **QUIET):
                yield f"3.{minor}{kind}", found


# ---- Commands --------------------------------------------------------------------------------------------------------


def oldest(folder: Path) -> None:
    """Install the lowest versions and try them."""
    environment = Environment(folder / "oldest")
    environment.install(f"{with_extras(wheel_in(folder), EXTRAS)}", *lowest_versions())
    environment.smoke(folder)


def matrix(folder: Path) -> None:
    """Install the newest versions with each Python and try them."""
    wheel = wheel_in(folder)
    for _, python in pythons():
        environment = Environment(folder / "matrix", python)
        environment.install(with_extras(wheel, EXTRAS))
        environment.smoke(folder)


def beside(folder: Path) -> None:
    """Install sets of versions, then netgiven, and check that no version changes."""
    wheel, found = wheel_in(folder), dict(pythons())
    for version, needs in BESIDE.items():
        if version not in found:
            print(f"Python {version} was not found: not tried beside {needs}.")
            continue
        environment = Environment(folder / "beside", found[version])
        environment.install(*needs.split())
        before = environment.versions()
        environment.install(with_extras(wheel, EXTRAS))
        after = environment.versions()
        changed = [f"{name} {old} -> {after.get(name)}" for name, old in before.items() if after.get(name) != old]
        if changed:
            sys.exit(f"pip changed {', '.join(changed)}.")
        print(f"{len(before)} packages as they were, {len(after) - len(before)} added.")
        environment.smoke(folder)


def dist(folder: Path) -> None:
    """Build, check and try what a release uploads, and leave it in dist/."""
    target = ROOT / "dist"
    shutil.rmtree(target, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "build", "--outdir", target, ROOT], check=True, stdout=subprocess.DEVNULL)
    wheel, source = next(target.glob("*.whl")), next(target.glob("*.tar.gz"))
    subprocess.run([sys.executable, "-m", "twine", "check", "--strict", wheel, source], check=True)
    check_contents(wheel, source)
    environment = Environment(folder / "core")
    environment.install(wheel)
    size = f"wheel {wheel.stat().st_size / 1e6:.2f} MB, core installation {environment.megabytes()} MB"
    environment.smoke(folder)
    environment.install(with_extras(wheel, EXTRAS))
    environment.smoke(folder)
    print(f"{wheel.name} and {source.name} are in dist/: {size}.")


def check_contents(wheel: Path, source: Path) -> None:
    """Check that files of the page and types are in the wheel, tests are not, and that the sources are complete."""
    with zipfile.ZipFile(wheel) as archive:
        packed = archive.namelist()
    with tarfile.open(source) as files:
        sources = [name.partition("/")[2] for name in files.getnames()]
    missing = [name for name in IN_WHEEL if not any(file.startswith(name) for file in packed)]
    missing += [name for name in IN_SOURCE if not any(file.startswith(name) for file in sources)]
    surplus = [file for file in packed if file.split("/")[0] in NOT_IN_WHEEL or "__pycache__" in file]
    if missing or surplus:
        sys.exit(f"Missing in the distributions: {missing}. Too much in the wheel: {surplus[:5]}.")


def sizes(folder: Path) -> None:
    """Print the megabytes of the core, and what each extra adds."""
    wheel, core = wheel_in(folder), 0
    for extra in ("", "plot", "explorer", "graphs", "notebook", "cluster", "all"):
        environment = Environment(folder / "sizes")
        environment.install(with_extras(wheel, extra))
        core = core or environment.megabytes()
        print(f"{extra or 'core':<10}{environment.megabytes() - (core if extra else 0):>6} MB", flush=True)


COMMANDS: dict[str, Callable[[Path], None]] = {
    command.__name__: command for command in (oldest, matrix, beside, dist, sizes)
}


def main(arguments: Sequence[str]) -> None:
    """Run the commands that were named, in a temporary folder."""
    if not arguments or any(name not in COMMANDS for name in arguments):
        sys.exit(f"{__doc__}")
    with tempfile.TemporaryDirectory() as folder:
        for name in arguments:
            COMMANDS[name](Path(folder))


if __name__ == "__main__":
    main(sys.argv[1:])
