"""The layers of the package: which module may import which."""

import ast
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import netgiven

SOURCE = Path(netgiven.__file__).parent
LAYERS = {  # from the bottom up; a module imports from its own layer or from lower ones
    "base": {"errors", "types", "model", "parallel", "notebook"},
    "kernels": {"kernels"},
    "data": {
        "edges",
        "objects",
        "columns",
        "node_index",
        "observed_pairs",
        "network",
        "labels",
        "splits",
        "metrics",
        "array_file",
    }
    | {"io", "datasets"},
    "priors": {"priors"},
    "fitting": {"fitting", "distributed", "ranking"},
    "embedding": {"embedding_file", "maps", "analysis", "embedding", "sharded_embedding"},
    "applications": {"tasks", "evaluation", "explorer", "cli", "sklearn", "__main__"},
}
HEIGHT = {room: height for height, rooms in enumerate(LAYERS.values()) for room in rooms}
MODULES = sorted(path for path in SOURCE.rglob("*.py") if path != SOURCE / "__init__.py")


def room(path):
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def module_name(path):
    return ".".join(("netgiven", *path.relative_to(SOURCE).with_suffix("").parts)).removesuffix(".__init__")


NAMES = {module_name(path): path for path in MODULES}


def imports_of(path):
    """The modules of the package that a module imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                yield full if full in NAMES else node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def own_imports(path):
    return {name for name in imports_of(path) if name.startswith("netgiven.")}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_do_not_point_up(path):
    for other in own_imports(path):
        assert HEIGHT[other.split(".")[1]] <= HEIGHT[room(path)], f"{path} imports {other}"


def test_there_are_no_import_cycles():
    graph = {name: own_imports(path) for name, path in NAMES.items() if path.name != "__init__.py"}
    TopologicalSorter(graph).prepare()  # raises CycleError with the cycle


def body_lines(function):
    """Lines of a function without its docstring."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return body[-1].end_lineno - body[0].lineno + 1 if body else 0


def test_functions_are_small_and_modules_few():
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in MODULES]
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    sizes = sorted(body_lines(node) for tree in trees for node in ast.walk(tree) if isinstance(node, functions))
    assert sizes[len(sizes) // 2] <= 6
    assert sizes[int(0.9 * len(sizes))] <= 15
    assert sizes[-1] <= 60
    assert len(MODULES) + 1 <= 140


def test_nothing_is_pickled():
    for path in MODULES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
        assert not imported & {"pickle", "cPickle", "dill", "joblib", "shelve", "marshal"}
        assert "allow_pickle=True" not in path.read_text(encoding="utf-8")


def test_import_is_cheap():
    heavy = ("numpy", "numba", "pandas", "scipy", "sklearn", "matplotlib", "bokeh")
    code = f"import netgiven, sys; print([name for name in {heavy} if name in sys.modules])"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
    )


def test_all_public_names_are_there():
    for name in netgiven.__all__:
        assert getattr(netgiven, name) is not None
    with pytest.raises(AttributeError, match="no 'nothing'"):
        _ = netgiven.nothing
