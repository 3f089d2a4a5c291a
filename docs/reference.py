"""The reference pages, written when the site is built: the API from docstrings, the command line from its commands."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import re
from enum import Enum
from functools import cached_property
from pathlib import Path
from types import FunctionType
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.domains.python import PyObject
from sphinx.util.docutils import SphinxRole

import netgiven

FOLDER = Path(__file__).parent / "generated"

GROUPS = {  # headings of the API, with names of netgiven or, with a path, of what its functions return
    "Networks": ["Network", "read", "read_labels", "read_pairs", "name_from_text"],
    "What is given": [
        "Knowledge", "Prior", "density", "degrees", "blocks", "order", "homophily", "assortativity", "group_degrees",
        "common_neighbours", "constraint", "parse_knowledge",
    ],
    "Embeddings": [
        "embed", "Embedding", "load", "FitRecord", "Status", "analysis.explain.Explanation",
        "analysis.surprise.pair_surprise", "analysis.surprise.sort_by_surprise", "analysis.surprise.odds_in_words",
    ],
    "Labels": ["Labels", "predict_labels", "tasks.labels.LabelPrediction"],
    "Maps": ["map_network", "compare_maps", "Map"],
    "Reports": [
        "describe_prior", "compare_priors", "tasks.prior_report.PriorReport", "ledger", "readable", "proposals",
        "analysis.ledger.Ledger", "analysis.ledger.Proposals", "analysis.ledger.Proposal", "fairness",
        "tasks.fairness.FairnessReport",
    ],
    "Evaluation": [
        "splits.hide_links", "splits.LinkSplit", "evaluation.harness.evaluate_links",
        "evaluation.harness.evaluate_labels", "evaluation.harness.summarise",
    ],
    "Settings": ["Settings", "preset", "exact", "sampled", "paper", "Spread"],
    "Clusters of machines": ["Ray", "embed_sharded"],
    "Networks to try things on": ["datasets.company", "datasets.planted", "datasets.Planted"],
    "Errors": [
        "NetgivenError", "InputError", "errors.UnknownNode", "errors.UnknownColumn", "errors.UnconstrainedPairs",
        "FormatError", "InputWarning",
    ],
}  # fmt: skip


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the pages before Sphinx looks for pages."""
    app.connect("config-inited", write_pages)
    app.connect("source-read", extend)
    app.connect("doctree-read", leave_words)
    app.connect("missing-reference", resolve)
    app.connect("autodoc-process-docstring", keep_colons, priority=400)
    app.add_role("name", Name())
    for field in PyObject.doc_field_types:
        if field.name == "variable":
            field.label = "Attributes"  # as docstrings call them
    return {"parallel_read_safe": True}


def write_pages(app: Sphinx, config: Any) -> None:
    """Write one page per public object."""
    pages = {name: object_page(name) for names in groups().values() for name in names}
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.md"):
        if old.stem not in pages:
            old.unlink()
    for name, text in pages.items():
        path = FOLDER / f"{name}.md"
        if not path.exists() or path.read_text(encoding="utf-8") != text:  # unchanged pages are not built again
            path.write_text(text, encoding="utf-8")


def extend(app: Sphinx, name: str, source: list[str]) -> None:
    """Add to the pages api and command_line what they list; let other pages link to Markdown outside of the site."""
    source[0] = re.sub(r"\]\((\.\./[^)]+\.md)\)", r"](path:\1)", source[0])
    lists = {"api": api_list, "command_line": command_list}
    if name in lists:
        source[0] += f"\n{lists[name]()}"


# ---- the API ---------------------------------------------------------------------------------------------------------


def groups() -> dict[str, list[str]]:
    """Headings of the API and the names below them; those of scikit-learn, where that module is there."""
    if importlib.util.find_spec("netgiven.sklearn") is None:
        return GROUPS
    module = importlib.import_module("netgiven.sklearn")
    return {**GROUPS, "scikit-learn": [f"sklearn.{name}" for name in module.__all__]}


def found(name: str) -> Any:
    """The object of a name in `groups`, or of one of its members."""
    value: Any = netgiven
    for part in name.split("."):
        value = getattr(value, part) if hasattr(value, part) else importlib.import_module(f"{value.__name__}.{part}")
    return value


def summary(name: str) -> str:
    """The first line of a docstring, as Markdown."""
    return (inspect.getdoc(found(name)) or "").split("\n\n")[0].replace("\n", " ").replace("|", "\\|")


def api_list() -> str:
    """All groups, as tables of names and summaries, and the tree of their pages."""
    return "\n".join(group for heading, names in groups().items() for group in (f"## {heading}\n", api_table(names)))


def api_table(names: list[str]) -> str:
    """A table of names and summaries, and their pages for the table of contents."""
    rows = [f"| {{py:obj}}`~netgiven.{name}` | {summary(name)} |" for name in names]
    pages = [f"{name.rpartition('.')[2]} <generated/{name}>" for name in names]
    return "\n".join(["| | |", "|---|---|", *rows, "", "```{toctree}", ":hidden:", "", *pages, "```", ""])


def object_page(name: str) -> str:
    """The page of a function, or of a class with its methods and properties."""
    kind, title = found(name), f"# {name.rpartition('.')[2]}\n"
    if not inspect.isclass(kind):
        return title + documented("autofunction", name)
    if issubclass(kind, Exception):
        return title + documented("autoexception", name, ":show-inheritance:")
    if issubclass(kind, Enum):
        return title + documented("autoclass", name, ":members:", ":undoc-members:")
    return title + documented("autoclass", name) + member_text(name, members(kind))


def documented(directive: str, name: str, *options: str) -> str:
    """The docstring of an object of the package."""
    lines = [f".. {directive}:: netgiven.{name}", *(f"   {option}" for option in options)]
    return "\n".join(["", "```{eval-rst}", *lines, "```", ""])


def keep_colons(app: Sphinx, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Napoleon takes what stands before a colon in the first line of a property for its type."""
    if what == "property":
        lines[:0] = ["..", ""]  # a comment without text


def members(kind: type) -> dict[str, str]:
    """Public methods and properties of a class, in the order of the source, with their directives."""
    own = [base for base in reversed(kind.__mro__) if base.__module__.startswith("netgiven")]
    fields = getattr(kind, "__dataclass_fields__", {})  # the docstring of the class describes them
    values = {name: value for base in own for name, value in vars(base).items()}
    every = {name: value for name, value in values.items() if not name.startswith("_") and name not in fields}
    methods = {name: "automethod" for name, value in every.items() if isinstance(value, METHODS)}
    return methods | {name: "autoproperty" for name, value in every.items() if isinstance(value, PROPERTIES)}


METHODS = (FunctionType, classmethod, staticmethod)
PROPERTIES = (property, cached_property)


def member_text(name: str, own: dict[str, str]) -> str:
    """A table of the members of a class, and their docstrings."""
    if not own:
        return ""
    rows = [f"| {{py:obj}}`{one} <netgiven.{name}.{one}>` | {summary(f'{name}.{one}')} |" for one in own]
    table = "\n".join(["\n## Methods and properties\n", "| | |", "|---|---|", *rows, ""])
    return table + "".join(documented(directive, f"{name}.{one}") for one, directive in own.items())


class Name(SphinxRole):
    """Text in single backticks: a link if it is a public name, otherwise code."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """The node of the text."""
        code = nodes.literal(self.rawtext, self.text)
        path = PATHS.get(self.text.removeprefix("ng.").removesuffix("()"))
        if path is None:
            return [code], []
        reference = pending_xref("", code, refdomain="py", reftype="obj", reftarget=path, refdoc=self.env.docname)
        return [reference], []


PATHS = {name.rpartition(".")[2]: f"netgiven.{name}" for names in groups().values() for name in names}


def leave_words(app: Sphinx, document: nodes.document) -> None:
    """Make text of the plain words in a type: in "ndarray of shape (n, 2)" the shape is not that of a network."""
    for reference in list(document.findall(pending_xref)):
        if reference.get("reftype") == "class" and reference.get("reftarget", "").islower():
            reference.replace_self(nodes.emphasis("", reference["reftarget"]))


def resolve(app: Sphinx, environment: Any, node: Any, content: Any) -> Any:
    """Find names of the package where they are documented; leave internal ones and those of libraries as text."""
    target = node.get("reftarget", "")
    if node.get("refdomain") != "py":
        return None
    path = PATHS.get(target.rpartition(".")[2])
    if path is not None and path != target:
        domain = environment.get_domain("py")
        return domain.resolve_xref(environment, node["refdoc"], app.builder, "obj", path, node, content)
    public = re.fullmatch(r"netgiven\.\w+", target)  # a public name that is not there is a mistake
    return None if public else content


# ---- the command line ------------------------------------------------------------------------------------------------


def command_list() -> str:
    """All commands, with their arguments and options."""
    import typer

    from netgiven.cli.main import app

    return "\n".join(command_text(typer.main.get_command(app), "netgiven"))


def command_text(command: Any, name: str) -> list[str]:
    """A command and its subcommands, as Markdown."""
    context = command.make_context(name, [], resilient_parsing=True)
    names = command.list_commands(context) if hasattr(command, "list_commands") else []
    below = [line for sub in names for line in command_text(command.get_command(context, sub), f"{name} {sub}")]
    return [*own_text(command, name, context), *below]


def own_text(command: Any, name: str, context: Any) -> list[str]:
    """Heading, usage, help, arguments and options of a command."""
    parameters = [parameter for parameter in command.get_params(context) if parameter.name != "help"]
    arguments = [spelled(one, context) for one in parameters if is_argument(one)]
    usage = " ".join([name, *(["COMMAND"] if hasattr(command, "list_commands") else arguments), "[OPTIONS]"])
    fields = [f"````{{option}} {spelled(one, context)}\n{described(one, context)}\n````\n" for one in parameters]
    lines = [f"## {name}\n", f"```{{program}} {name}\n```\n", f"```text\n{usage}\n```\n"]
    return [*lines, f"{inspect.cleandoc(command.help or '')}\n", *fields]


def is_argument(parameter: Any) -> bool:
    """Whether a parameter is given by its place, not by its name."""
    return bool(parameter.param_type_name == "argument")


KINDS = {"path": "FILE", "str": "TEXT", "int": "NUMBER", "float": "NUMBER", "int range": "NUMBER", "list[str]": "TEXT"}


def spelled(parameter: Any, context: Any) -> str:
    """How a parameter is written: `--out FILE`, `--header, --no-header`, `FILE`."""
    if is_argument(parameter):
        return str(parameter.metavar or parameter.name.upper())
    written, _ = parameter.get_help_record(context)
    return re.sub("<(.*?)>", lambda kind: KINDS.get(kind[1], kind[1].upper()), written).replace(" / ", ", ")


def described(parameter: Any, context: Any) -> str:
    """The help of a parameter, with its default."""
    _, text = parameter.get_help_record(context)
    text = re.sub(r"\[(required|x>=1)\]|; x>=1(?=\])", "", text).strip()
    text = re.sub(r"--[a-z][\w-]*", r"`\g<0>`", text)
    return re.sub(r"\.?\s*\[default: (.*)\]", r" (default: `\1`).", text)
