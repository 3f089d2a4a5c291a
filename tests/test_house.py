"""The house: who may import whom, and how large a room may be."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import netgiven

SOURCE = Path(netgiven.__file__).parent
FLOORS = [  # from the bottom up; a room imports from lower floors, or from itself
    {"errors", "determinism", "showing"},
    {"optional"},
    {"model"},
    {"kernels"},
    {"cleaning"},
    {"names", "unknown"},
    {"network"},
    {"pairs", "storage", "metrics", "labels", "outline"},
    {"readers", "exporting", "priors", "splits"},
    {"datasets"},
    {"engine"},
    {"fitting", "ranking"},
    {"filing"},
    {"maps"},
    {"answers"},
    {"growing"},
    {"embedding", "scattered"},
    {"tasks"},
    {"evaluation", "explorer"},
    {"cli"},
    {"__main__"},
]
FLOOR = {name: floor for floor, names in enumerate(FLOORS) for name in names}
MODULES = sorted(path for path in SOURCE.rglob("*.py") if path != SOURCE / "__init__.py")


def room(path):
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported_rooms(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [node.module] if isinstance(node, ast.ImportFrom) else []
        names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        yield from (name.split(".")[1] for name in names if name and name.startswith("netgiven."))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_downwards_only(path):
    own = room(path)
    for other in imported_rooms(path):
        assert other == own or FLOOR[other] < FLOOR[own], f"{own} imports {other}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_rooms_stay_small(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) < 400


def test_nothing_is_pickled():
    for path in MODULES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
        assert not imported & {"pickle", "cPickle", "dill", "joblib", "shelve", "marshal"}
        assert "allow_pickle=True" not in path.read_text(encoding="utf-8")


def test_import_is_cheap():
    heavy = ("numpy", "numba", "pandas", "scipy", "matplotlib", "bokeh")
    code = f"import netgiven, sys; print([name for name in {heavy} if name in sys.modules])"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
    )


def test_all_public_names_are_there():
    for name in netgiven.__all__:
        assert getattr(netgiven, name) is not None
    with pytest.raises(AttributeError, match="no 'nothing'"):
        _ = netgiven.nothing
