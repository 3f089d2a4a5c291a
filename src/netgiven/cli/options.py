"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from netgiven.errors import InputError

NetworkFile = Annotated[
    Path, typer.Argument(help="Edge list (text, CSV, TSV, .gz, .zst), Parquet, GraphML, GML, .mtx, .mat ...")
]
NodeTable = Annotated[
    Path | None,
    typer.Option("--nodes", help="Table of nodes: the first column names them, others are groups and attributes."),
]
LabelFile = Annotated[
    Path, typer.Option("--labels", help="Table of labels: a node and one of its labels in each line.")
]
Delimiter = Annotated[str | None, typer.Option(help="What separates the columns of a text file; found out by default.")]
Header = Annotated[
    bool | None, typer.Option("--header/--no-header", help="Is the first line a header? Found out by default.")
]
Threads = Annotated[int | None, typer.Option(min=1, help="Processors to use (default: all). The result is the same.")]
Dimensions = Annotated[
    str | None, typer.Option(help="Coordinates of a node (default: auto, chosen on something hidden for it).")
]
Reach = Annotated[
    str | None, typer.Option(help="Largest gain in log-odds that the embedding can give (default: auto).")
]
Shrinkage = Annotated[str | None, typer.Option(help="Strength of a Gaussian prior on positions (default: auto).")]
Preset = Annotated[str | None, typer.Option(help="paper: the paper's settings, where no other option says otherwise.")]
Others = Annotated[
    list[str] | None, typer.Argument(metavar="[KNOWLEDGE]...", help="What else to --compare.", show_default=False)
]
GivenOrDegrees = Annotated[
    str | None, typer.Option("--given", help="What is known, as for embed (default: degrees).", show_default=False)
]
EmbeddingFile = Annotated[Path, typer.Argument(help="An embedding that 'netgiven embed' wrote.")]


def dials(dimensions: str | None, reach: str | None, shrinkage: str | None) -> dict[str, Any]:
    """The settings that can be chosen on something hidden, as far as they were told."""
    from netgiven.model import Spread

    told = {
        "dimensions": number_or_auto("--dimensions", dimensions, int),
        "spread": number_or_auto("--reach", reach, float),
        "shrinkage": number_or_auto("--shrinkage", shrinkage, float),
    }
    if told["spread"] not in (None, "auto"):
        told["spread"] = Spread.from_reach(told["spread"])
    return {name: value for name, value in told.items() if value is not None}


def number_or_auto(name: str, text: str | None, kind: type[int] | type[float]) -> Any:
    """What was typed for a setting that can be chosen; None if nothing was."""
    if text is None or text == "auto":
        return text
    try:
        return kind(text)
    except ValueError:
        wanted = "a whole number" if kind is int else "a number"
        raise InputError(f"{name} {text} was given; it takes {wanted}, or auto.") from None


def preset_settings(name: str | None, density: Any = None) -> dict[str, Any]:
    """The settings of a preset; none without one."""
    from netgiven.fitting.settings import preset

    return {} if name is None else preset(name, **({"density": density} if density else {}))


def asked(given: str | None, compare: list[str] | None, others: list[str] | None) -> list[str]:
    """The pieces of knowledge: one to describe, or all that follow --compare, which takes the first of them."""
    if compare and given is not None:
        raise InputError("Give --given to describe one piece of knowledge, or --compare for several, not both.")
    if others and not compare:
        raise InputError(f"{others[0]!r} follows the file; write --given {others[0]}, or --compare for several.")
    if not compare:
        return ["degrees" if given is None else given]
    return list(dict.fromkeys([*compare[:1], *(others or []), *compare[1:]]))
