"""What page and server tell each other: texts in JSON, one property for each part of the page."""

from __future__ import annotations

import json
from typing import Any

from bokeh.core.properties import Int, String
from bokeh.model import DataModel

from netgiven.errors import InputError


class Post(DataModel):  # type: ignore[misc]
    """Each property but `asked` and `drawn` is written by the server and shown by the page."""

    asked = String("")  # what the visitor wants
    drawn = Int(0)  # the last frame that the page has drawn
    ticket = String("")  # where this visitor sends files
    network = String("{}")
    names = String("[]")  # of the nodes, for the search
    knowledge = String("{}")
    fit = String("{}")
    legend = String("{}")
    details = String("{}")
    next_pairs = String("{}")  # to check
    fairness = String("{}")
    problem = String("{}")
    file = String("{}")
    frame = Int(0)


def written(told: Any) -> str:
    """JSON that any browser reads: what is not a number, or infinite, is null."""
    return json.dumps(_finite(told), allow_nan=False, separators=(",", ":"))


def _finite(told: Any) -> Any:
    if isinstance(told, dict):
        return {name: _finite(value) for name, value in told.items()}
    if isinstance(told, (list, tuple)):
        return [_finite(value) for value in told]
    return None if isinstance(told, float) and told - told != 0 else told


def read(asked: str) -> dict[str, Any]:
    """A wish of the page: an object with the name of what is wanted."""
    try:
        wish = json.loads(asked)
    except ValueError:
        wish = None
    if not isinstance(wish, dict) or not isinstance(wish.get("ask"), str):
        raise InputError("The page asked for something that is not a wish; load it again.")
    return wish


def whole_numbers(wish: dict[str, Any], name: str) -> list[int]:
    """A list of whole numbers in a wish."""
    found = wish.get(name)
    if not isinstance(found, list) or not all(type(number) is int for number in found):
        raise InputError(f"The page sent {name} that are no whole numbers; load it again.")
    return found


def whole_number(wish: dict[str, Any], name: str) -> int:
    """One whole number in a wish."""
    return whole_numbers({name: [wish.get(name)]}, name)[0]


def whole_numbers_by_name(wish: dict[str, Any], name: str) -> dict[str, int]:
    """Whole numbers by name in a wish, none where it has none."""
    found = wish.get(name, {})
    if not isinstance(found, dict) or not all(type(number) is int for number in found.values()):
        raise InputError(f"The page sent {name} that are no whole numbers by name; load it again.")
    return found


def number_or_none(wish: dict[str, Any], name: str) -> float | None:
    """A number in a wish, or nothing."""
    found = wish.get(name)
    if found is not None and type(found) not in (int, float):
        raise InputError(f"{found!r} was given for the {name}; a number is needed.")
    return None if found is None else float(found)
