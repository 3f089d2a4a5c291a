"""Options and arguments that several commands share, and the settings that they make."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from netgiven.cli.printing import print_status
from netgiven.errors import InputError

if TYPE_CHECKING:
    from netgiven.fitting.settings import SettingsKeywords

NetworkFile = Annotated[
    Path,
    typer.Argument(help="Edge list (text, CSV, TSV, .gz, .zst), Parquet, GraphML, GML, JSON, .adjlist, .mtx, .mat ..."),
]
NodeTable = Annotated[
    Path | None,
    typer.Option("--nodes", help="Table of nodes: names in the first column, groups and attributes in the others."),
]
Groups = Annotated[
    str | None,
    typer.Option("--groups", help="Node column that holds groups, also if its values are numbers.", metavar="COLUMN"),
]
Source = Annotated[
    str | None,
    typer.Option("--source", help="Column of a link's first node (default: found by its name).", metavar="COLUMN"),
]
Target = Annotated[
    str | None,
    typer.Option("--target", help="Column of a link's second node (default: found by its name).", metavar="COLUMN"),
]
LabelMethodName = Annotated[
    str,
    typer.Option(
        "--method",
        help="How labels are predicted: links (labels as nodes), classifier (of nodes), average, or auto: the best of "
        "these on held-out labels.",
    ),
]
LabelFile = Annotated[Path, typer.Option("--labels", help="Table of labels: a node and one of its labels per line.")]
Delimiter = Annotated[str | None, typer.Option(help="Column separator of text files (default: detected).")]
Header = Annotated[
    bool | None,
    typer.Option("--header/--no-header", help="Whether the first line is a header (default: detected)."),
]


def _limit_memory(gigabytes: float | None) -> float | None:
    from netgiven.io.files import set_memory_limit

    set_memory_limit(gigabytes)  # for all files that the command reads
    return gigabytes


def _read_in(encoding: str | None) -> str | None:
    from netgiven.io.files import set_encoding

    set_encoding(encoding)  # for all files that the command reads
    return encoding


Encoding = Annotated[
    str | None,
    typer.Option(
        "--encoding",
        metavar="NAME",
        callback=_read_in,
        help="Encoding of text files, such as cp1252 (Windows), latin-1 or utf-16 (default: UTF-8, or detected).",
    ),
]
MemoryLimit = Annotated[
    float | None,
    typer.Option(
        "--memory-limit",
        metavar="GB",
        callback=_limit_memory,
        help="Memory that reading may take, in gigabytes (default: 4, or 100 times the size of the file).",
    ),
]
Threads = Annotated[
    int | None, typer.Option(min=1, help="Number of threads (default: all processors). Does not change the result.")
]
Seed = Annotated[int, typer.Option(help="Seed of random numbers.")]
Dimensions = Annotated[
    str | None, typer.Option(help="Number of coordinates per node (default: auto, chosen on held-out links).")
]
Reach = Annotated[
    str | None,
    typer.Option(help="Largest gain in log-odds over the prior (default: auto, chosen on held-out links)."),
]
Shrinkage = Annotated[
    str | None,
    typer.Option(help="Strength of a Gaussian prior on positions (default: auto, chosen on held-out links)."),
]
Repelling = Annotated[
    str | None,
    typer.Option(help="How many of the dimensions repel: there, alike nodes link less (default: auto, as dimensions)."),
]
RepellingShrinkage = Annotated[
    str | None,
    typer.Option(help="Strength of a Gaussian prior on positions in dimensions that repel (default: auto)."),
]
Preset = Annotated[str | None, typer.Option(help="paper: the settings of the paper; other options override them.")]
Others = Annotated[
    list[str] | None,
    typer.Argument(metavar="[GIVEN]...", help="More prior knowledge for --compare.", show_default=False),
]
GivenOrDegrees = Annotated[
    str | None, typer.Option("--given", help="Prior knowledge, as for embed (default: degrees).", show_default=False)
]
TableFile = Annotated[
    Path | None, typer.Option("--out", help="Write the table to this file (.csv: commas, others: tabs).")
]
EmbeddingFile = Annotated[Path, typer.Argument(help="An embedding written by 'netgiven embed'.")]


# ---- settings --------------------------------------------------------------------------------------------------------


def hyperparameters(
    dimensions: str | None,
    reach: str | None,
    shrinkage: str | None,
    repelling: str | None = None,
    repelling_shrinkage: str | None = None,
) -> SettingsKeywords:
    """Settings from the options of the same names, where they are given."""
    given: SettingsKeywords = {}
    if dimensions is not None:
        given["dimensions"] = number_or_auto("--dimensions", dimensions, int)
    if reach is not None:
        given["reach"] = number_or_auto("--reach", reach, float)
    if shrinkage is not None:
        given["shrinkage"] = number_or_auto("--shrinkage", shrinkage, float)
    if repelling is not None:
        given["repelling"] = number_or_auto("--repelling", repelling, int)
    if repelling_shrinkage is not None:
        given["repelling_shrinkage"] = number_or_auto("--repelling-shrinkage", repelling_shrinkage, float)
    return given


def number_or_auto(option: str, text: str, kind: type[int] | type[float]) -> Any:
    """The number that was given for an option, or "auto"."""
    if text == "auto":
        return text
    try:
        return kind(text)
    except ValueError:
        expected = "a whole number" if kind is int else "a number"
        raise InputError(f"{option} {text} was given; {expected} or auto is needed.") from None


def preset_settings(name: str | None, density: Any = None) -> SettingsKeywords:
    """The settings of a preset; none without one."""
    from netgiven.fitting.settings import preset

    return {} if name is None else preset(name, **({"density": density} if density else {}))


def spread_settings(reach: str | None, s2: float | None, density: Any = None) -> SettingsKeywords:
    """The reach, from --reach or --s2."""
    from netgiven.model import Spread

    if s2 is None:
        return hyperparameters(None, reach, None)
    if reach is not None:
        raise InputError("Both --reach and --s2 were given; give only one, each determines the other.")
    return {"reach": Spread(1.0, s2, density or "half_normal")}


def knowledge_texts(given: str | None, compare: list[str] | None, others: list[str] | None) -> list[str]:
    """The prior knowledge to use: one from --given, or all from --compare and the arguments that follow it."""
    if compare and given is not None:
        raise InputError("Both --given and --compare were given; use --given for one prior, --compare for several.")
    if others and not compare:
        raise InputError(f"Unexpected argument {others[0]!r}; write --given {others[0]}, or --compare for several.")
    if not compare:
        return ["degrees" if given is None else given]
    return list(dict.fromkeys([*compare[:1], *(others or []), *compare[1:]]))


# ---- output files: checked before the work, reported after it --------------------------------------------------------


def check_targets(picture: Path | None, out: Path | None, *sources: Path | None) -> None:
    """Raise an error if --picture or --out cannot be written, or would overwrite an input."""
    from netgiven.array_file import check_target

    for target in (picture, out):
        if target is not None:
            check_target(target, *sources)
    if picture is not None:
        from netgiven.maps.canvas import check_suffix

        check_suffix(picture)
        if out is not None and picture.resolve() == out.resolve():
            raise InputError(f"{picture} was given for both --picture and --out; use two different files.")


def print_written(*targets: Path | None) -> None:
    """Print where results were written."""
    for target in targets:
        if target is not None:
            print_status(f"Written to {target}.")


def check_file_options(
    file: Path | None, option: str, delimiter: str | None, header: bool | None, encoding: str | None
) -> None:
    """Raise an error if the format of a file is described and there is no file."""
    if file is None and not (delimiter is None and header is None and encoding is None):
        raise InputError(f"--delimiter, --header and --encoding describe the file of {option}; give {option}, too.")


# ---- --unobserved and --observed, for commands that read a network ---------------------------------------------------


if TYPE_CHECKING:
    import pandas as pd

    from netgiven.network import Network

UnobservedPairsOption = Annotated[
    Path | None,
    typer.Option("--unobserved", help="File of unobserved pairs, two names per line: they may be linked or not."),
]
ObservedPairsOption = Annotated[
    Path | None,
    typer.Option(
        "--observed", help="File of pairs known to have no link, two names per line; other pairs are unobserved."
    ),
]


def with_unobserved(network: Network, unobserved: Path | None, observed: Path | None, nodes: Path | None) -> Network:
    """The network with the unobserved pairs that one of two files describes.

    Nodes of these pairs that have no links are added, unless a node table names all nodes.
    """
    from netgiven.io.read import read_pairs

    if unobserved is not None and observed is not None:
        raise InputError("Both --unobserved and --observed were given; give only one, each covers all pairs.")
    listed = unobserved if observed is None else observed
    if listed is None:
        return network
    pairs, notes = read_pairs(listed, network.nodes)
    for note in notes:
        print_status(note)
    if nodes is None:
        network = _with_nodes_of(network, pairs, listed)
    return network.with_observed(pairs) if unobserved is None else network.with_unobserved(pairs)


def _with_nodes_of(network: Network, pairs: pd.DataFrame, listed: Path) -> Network:
    import pandas as pd

    from netgiven.edges import counted

    named = pd.Index(pd.unique(pairs[["u", "v"]].to_numpy().ravel()))
    new = named[network.nodes.get_indexer(named) < 0]
    if len(new):
        print_status(f"{counted(len(new), 'node')} of {listed} without a link: {_some(new)}")
    return network.with_nodes(new)


def _some(names: pd.Index[Any]) -> str:
    """The first names of many."""
    from netgiven.edges import shown

    return ", ".join(shown(name) for name in names[:3]) + (" ..." if len(names) > 3 else "")
