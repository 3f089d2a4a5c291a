"""Count modules, and those that a call passes: the table in CONTRIBUTING.md.

    python docs/scripts/count_modules.py            # of the installed package

A module is passed if one of its functions runs during the call, or one of its kernels is compiled or loaded for it; the
package's `__init__`, which only looks names up, is not counted.
A hop is a call from a function of one module to a function of another, counted once however often it happens.
"""

from __future__ import annotations

import ast
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import netgiven as ng

PACKAGE = Path(ng.__file__).parent
LINKS = [(i, (i * 7 + k) % 300) for i in range(300) for k in range(1, 5)]


def sizes() -> dict[str, str]:
    """Modules, lines of code per module, and the share of lines that are imports."""
    files = [path for path in PACKAGE.rglob("*.py") if "__pycache__" not in path.parts]
    code, imports, functions = 0, 0, []
    for path in files:
        text = path.read_text(encoding="utf-8")
        lines = [line.strip() for line in text.splitlines()]
        lines = [line for line in lines if line and not line.startswith("#")]
        code += len(lines)
        imports += sum(line.startswith(("import ", "from ")) for line in lines)
        functions += [body_lines(node) for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    functions.sort()
    return {
        "modules": str(len(files)),
        "lines of text per module": f"{code / len(files):.0f}",
        "share of import lines": f"{100 * imports / code:.1f} %",
        "lines of a function: median, 90 %, longest": (
            f"{functions[len(functions) // 2]}, {functions[int(len(functions) * 0.9)]}, {functions[-1]}"
        ),
    }


def body_lines(function: ast.FunctionDef) -> int:
    """Lines of a function's body, without its docstring."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return body[-1].end_lineno - body[0].lineno + 1 if body else 0  # type: ignore[operator]


class Tracer:
    """The modules and hops of what runs between `start` and `stop`."""

    def __init__(self) -> None:
        self.modules: set[str] = set()
        self.hops: set[tuple[str, str, str, str]] = set()
        self._names: dict[str, str | None] = {}

    def module_of(self, filename: str) -> str | None:
        """The module of a file of the package."""
        if filename not in self._names:
            inside = filename.startswith(str(PACKAGE))
            self._names[filename] = filename[len(str(PACKAGE)) + 1 :] if inside else None
        return self._names[filename]

    def __call__(self, frame: Any, event: str, argument: object) -> None:
        """Called by Python for each call of a function."""
        if event != "call":
            return
        module = self.module_of(frame.f_code.co_filename)
        if module is None or frame.f_code.co_name == "<module>":
            return
        self.modules.add(module)
        caller = frame.f_back
        while caller is not None and self.module_of(caller.f_code.co_filename) is None:
            caller = caller.f_back
        if caller is not None:
            other = self.module_of(caller.f_code.co_filename)
            if other is not None and other != module:
                self.hops.add((other, caller.f_code.co_name, module, frame.f_code.co_name))


def kernels_used() -> dict[str, int]:
    """How many compiled versions the kernels of each module have."""
    from numba.core.dispatcher import Dispatcher

    used: dict[str, int] = {}
    for name, module in list(sys.modules.items()):
        if name.startswith("netgiven."):
            for value in list(vars(module).values()):
                if isinstance(value, Dispatcher) and value.__module__ == name:
                    used[name] = used.get(name, 0) + len(value.overloads)
    return used


def passed(call: Callable[[], object]) -> tuple[int, int]:
    """Number of modules and hops of a call. It runs twice, so that what imports do is not counted."""
    before, tracer = kernels_used(), Tracer()
    call()
    new = {name for name, count in kernels_used().items() if count > before.get(name, 0)}
    threading.setprofile(tracer)
    sys.setprofile(tracer)
    try:
        call()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
    kernels = {name.removeprefix("netgiven.").replace(".", "/") + ".py" for name in new}
    return len((tracer.modules | kernels) - {"__init__.py"}), len(tracer.hops)


def click(embedding: ng.Embedding) -> None:
    """What happens when a node is clicked in the explorer, in a page of its own."""
    from bokeh.document import Document

    from netgiven.explorer.controller import Controller
    from netgiven.explorer.files import Uploads
    from netgiven.explorer.session import OpenedNetwork, Session

    controller = Controller(Document(), Session(1), Uploads(1), lambda path: "")
    controller.open(OpenedNetwork.of("links", embedding))
    controller._handle('{"action": "select", "numbers": [5]}')
    controller.close()


def main() -> None:
    """Print the table."""
    folder = Path(tempfile.mkdtemp())
    file = folder / "links.edges"
    file.write_text("".join(f"{a} {b}\n" for a, b in LINKS), encoding="utf-8")
    result = dict(sizes())
    result["read: modules, hops"] = "{}, {}".format(*passed(lambda: ng.read(file)))
    network = ng.Network.from_edges(LINKS)
    result["embed: modules, hops"] = "{}, {}".format(*passed(lambda: ng.embed(network, dimensions=8, threads=1)))
    embedding = ng.embed(network, dimensions=8, threads=1)
    result["explain: modules, hops"] = "{}, {}".format(*passed(lambda: embedding.explain(0, 9).table()))
    flat = ng.embed(network, dimensions=2, reach=2.0, shrinkage=0.0, threads=1)
    result["a click in the explorer, on a new page: modules, hops"] = "{}, {}".format(*passed(lambda: click(flat)))
    for name, value in result.items():
        print(f"{name:<55} {value}")


if __name__ == "__main__":
    main()
