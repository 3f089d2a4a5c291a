"""One plain word for one thing: words that were replaced must not come back.

Names are checked word by word (`validation_split` has two), texts by phrase: docstrings, comments and messages of the
package, help texts (they are strings in it), scripts of its pages, README, CONTRIBUTING and docs.
"""

import ast
import re
from pathlib import Path

import pytest

import netgiven

SOURCE = Path(netgiven.__file__).parent
ROOT = SOURCE.parent.parent

NAMES = {  # what must not be part of a name, and what it is called instead
    "arrival": "new node", "arrivals": "new nodes", "bend": "hessian", "bent": "hessian", "carrying": "warm start",
    "chance": "probability", "chances": "probabilities", "contest": "validation split", "contests": "validation",
    "cooling": "decay", "course": "convergence monitor", "crew": "actors", "desk": "registry",
    "dial": "hyperparameter", "dials": "hyperparameters", "doubt": "ridge", "doubts": "ridge", "ending": "status",
    "errand": "background task", "errands": "background tasks", "flattened": "lifted",
    "ground": "validation problem", "grounds": "validation problems", "journey": "backend", "journeys": "backends",
    "judge": "scorer", "ladder": "grid", "ladders": "grids", "lean": "cross term", "newcomer": "new node",
    "newcomers": "new nodes", "outcome": "convergence", "outline": "sharded network", "push": "gradient",
    "rising": "warmup", "rule": "optimizer", "rules": "optimizers", "rung": "value", "rungs": "values",
    "scattered": "sharded", "settling": "placement", "slack": "variance", "smoothed": "diffusion",
    "tell": "log", "telling": "information gain", "told": "given",
    "visit": "session", "visits": "sessions", "visitor": "user", "walk": "stepper", "walks": "steppers",
    "watch": "callback", "watcher": "callback", "wish": "request", "wishes": "requests",
}  # fmt: skip
TEXTS = [
    r"\b(is|are|was|were|be|been|unless|as|being) told\b", r"\btells? (a|the) (person|reader|user)\b",
    r"\bsentences?\b", r"\bbits a link\b", r"\b(a|one) row a node\b",
    r"\ba (node|link|pair|step|coordinate|machine|block) (each|apiece)\b",
    r"\bso many (pairs|nodes|links|steps|points)\b", r"\bnobody knows\b", r"\bjourneys?\b", r"\bcontests?\b",
    r"\bnewcomers?\b", r"\barrivals?\b", r"\berrands?\b", r"\bstand-ins?\b", r"\bfew points\b", r"\bin doubt\b",
    r"\bdials?\b", r"\bladders?\b", r"\brungs?\b", r"\bcrew\b", r"\bwhoever\b", r"\bthe judge\b",
    r"\bwishes\b", r"\bvisitors?\b", r"\bfar journeys\b", r"\bunless told\b", r"--(rule|rate|start|steps)\b",
    r"\b(known|unknown) pairs\b", r"\bfound with\b", r"\bread with\b", r"\bsmoothed start\b",
    r"\bflattened start\b",
]  # fmt: skip
PATTERN = re.compile("|".join(TEXTS), re.IGNORECASE)

MODULES = sorted(SOURCE.rglob("*.py"))
SCRIPTS = sorted(path for ending in ("js", "html") for path in SOURCE.rglob(f"*.{ending}"))
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def defined(tree):
    """All names that a module defines: variables, attributes, parameters, functions, classes. Those of libraries are
    used, not defined.
    """
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()) | ast.arg(arg=name):
                yield name
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.alias(asname=str(name)):
                yield name


def words_of(name):
    """The words of a name in any of the usual spellings."""
    return [word.lower() for part in name.split("_") for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", part)]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_names_are_plain(path):
    names = set(defined(ast.parse(path.read_text(encoding="utf-8"))))
    found = {f"{name}: {word} -> {NAMES[word]}" for name in names for word in words_of(name) if word in NAMES}
    found |= {"rate -> learning_rate"} & {f"{name} -> learning_rate" for name in names}
    assert not found


@pytest.mark.parametrize("path", [*MODULES, *SCRIPTS, *PAGES], ids=lambda path: path.name)
def test_texts_are_plain(path):
    text = path.read_text(encoding="utf-8")
    flat = re.sub(r'"\s*\n\s*f?"|\s*\n\s*(#\s*)?', " ", text)  # phrases may be broken over lines
    found = {flat[max(match.start() - 30, 0) : match.end() + 20] for match in PATTERN.finditer(flat)}
    assert not found
