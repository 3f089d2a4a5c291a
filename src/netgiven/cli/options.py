"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from netgiven.cli.printing import tell
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


# ---- Files that a command writes: checked before the work, told after it ---------------------------------------------


def check_targets(picture: Path | None, out: Path | None, *sources: Path | None) -> None:
    """A sentence, if one of `--picture` and `--out` cannot be written, or would replace what is read."""
    from netgiven.array_file import check_target
    from netgiven.maps.canvas import check_ending

    for target in (picture, out):
        if target is not None:
            check_target(target, *sources)
    if picture is not None:
        check_ending(picture)
        if out is not None and picture.resolve() == out.resolve():
            raise InputError(f"{picture} was given to both --picture and --out; write to two files.")


def tell_written(*targets: Path | None) -> None:
    """Where things are now."""
    for target in targets:
        if target is not None:
            tell(f"Written to {target}.")


# ---- --unknown PAIRS and --known PAIRS, for commands that read a network ---------------------------------------------


if TYPE_CHECKING:
    import pandas as pd

    from netgiven.network import Network

UnknownPairs = Annotated[
    Path | None,
    typer.Option("--unknown", help="Pairs of which nobody knows whether they are linked, two names a line."),
]
KnownPairs = Annotated[
    Path | None,
    typer.Option("--known", help="Pairs that are known to have no link; of all others that are no links nobody knows."),
]


def with_unknown(network: Network, unknown: Path | None, known: Path | None, nodes: Path | None) -> Network:
    """The network with the pairs of one of two files.

    Nodes of which no link is known stand in these pairs alone: they are taken from there, unless a table names all.
    """
    from netgiven.readers import read_pairs

    if unknown is not None and known is not None:
        raise InputError("Give --unknown or --known, not both: each says of all pairs whether they are known.")
    listed = unknown if known is None else known
    if listed is None:
        return network
    pairs, notes = read_pairs(listed, network.nodes)
    for note in notes:
        tell(note)
    if nodes is None:
        network = _with_nodes_of(network, pairs, listed)
    return network.with_known(pairs) if unknown is None else network.with_unknown(pairs)


def _with_nodes_of(network: Network, pairs: pd.DataFrame, listed: Path) -> Network:
    import pandas as pd

    from netgiven.analysis.add_nodes import joined_network, told_arrivals
    from netgiven.edges import counted

    named = pd.Index(pd.unique(pairs[["u", "v"]].to_numpy().ravel()))
    new = named[network.nodes.get_indexer(named) < 0]
    if not len(new):
        return network
    tell(f"{counted(len(new), 'node')} of {listed} without a link: {_some(new)}")
    return joined_network(
        network, told_arrivals(network, {name: [] for name in new}, pd.DataFrame(index=range(len(new))))
    )


def _some(names: pd.Index[Any]) -> str:
    """The first names of many."""
    from netgiven.edges import shown

    return ", ".join(shown(name) for name in names[:3]) + (" ..." if len(names) > 3 else "")
