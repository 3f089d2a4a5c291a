"""netgiven map FILE --given ... --out map.html, netgiven map FILE --compare ..."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from netgiven.cli.options import (
    Delimiter,
    GivenOrDegrees,
    Header,
    NetworkFile,
    NodeTable,
    Others,
    Reach,
    Threads,
    asked,
    dials,
)
from netgiven.cli.printing import show_table, tell
from netgiven.errors import InputError

if TYPE_CHECKING:
    from netgiven.maps.map import Map
    from netgiven.network import Network

MOST_COLUMNS = 4  # of nodes, whose share in positions is told


def map_command(
    file: NetworkFile,
    others: Others = None,
    *,
    out: Annotated[Path, typer.Option(help="A page (.html), or a picture (.png, .svg, .pdf).")] = Path("map.html"),
    nodes: NodeTable = None,
    given: GivenOrDegrees = None,
    compare: Annotated[
        list[str] | None,
        typer.Option(help="Several maps side by side: --compare density degrees blocks:COLUMN ..."),
    ] = None,
    colour: Annotated[
        str | None, typer.Option(help="A node column, or degree (default: the first column with groups).")
    ] = None,
    labels: Annotated[Path | None, typer.Option(help="Labels to colour by: a node and a label in each line.")] = None,
    reach: Reach = None,
    s2: Annotated[
        float | None, typer.Option(help="Spread of the distance of pairs without a link (the paper: 15).")
    ] = None,
    dark: Annotated[
        bool | None, typer.Option("--dark/--light", help="The ground (default: what the reader prefers).")
    ] = None,
    seed: Annotated[int, typer.Option(help="Another seed, another sample and start.")] = 0,
    threads: Threads = None,
    delimiter: Delimiter = None,
    header: Header = None,
) -> None:
    """Draw a network in the plane, given what is known: a page to look at and to send, or a picture."""
    import netgiven as ng
    from netgiven.array_file import check_target, is_embedding
    from netgiven.maps.map import check_ending

    check_ending(out)
    check_target(out, file, nodes, labels)
    look: dict[str, Any] = {
        "colour": "label" if labels and colour is None else colour,
        "title": _title(file),
        "dark": dark,
    }
    settings: dict[str, Any] = {"seed": seed, "threads": threads, **_spread(reach, s2)}
    if is_embedding(file) or file.suffix.lower() == ".ng":
        _check_alone(
            file, nodes=nodes, given=given, compare=compare or others, labels=labels, delimiter=delimiter, header=header
        )
        embedding = ng.load(file)
        drawn = embedding.map(**look, **settings) if "spread" in settings else embedding.map(**look, threads=threads)
    else:
        known = [ng.parse_knowledge(text) for text in asked(given, compare, others)]
        network = _read(file, nodes, labels, delimiter, header)
        drawn = ng.compare_maps(network, known, announce=tell if len(known) > 1 else None, **look, **settings)
    _write(drawn, out)


def _title(file: Path) -> str:
    """What a person calls the network: the file's name, without what says how it is written."""
    return file.name.split(".")[0] or file.name


def _spread(reach: str | None, s2: float | None) -> dict[str, Any]:
    from netgiven.model import Spread

    if s2 is not None and reach is not None:
        raise InputError("Give --reach or --s2, not both: each sets the other.")
    return dials(None, reach, None) if s2 is None else {"spread": Spread(1.0, s2)}


def _check_alone(file: Path, **options: Any) -> None:
    """An embedding has its network and its prior already."""
    for name, value in options.items():
        if value:
            raise InputError(f"--{name} goes with a network file; {file} is an embedding, which has its own.")


def _read(file: Path, nodes: Path | None, labels: Path | None, delimiter: str | None, header: bool | None) -> Network:
    import netgiven as ng
    from netgiven.cli.labels import read_both
    from netgiven.tasks.maps import with_label_column

    if labels is not None:
        return with_label_column(*read_both(file, labels, nodes, delimiter, header))
    network = ng.read(file, nodes=nodes, delimiter=delimiter, header=header)
    for line in (f"{network}", str(network.cleaning), *network.notes):
        tell(line)
    return network


def _write(drawn: Map, out: Path) -> None:
    """The file, and on standard output what explains where nodes lie in each map."""
    from netgiven.maps.marks import columns_with_groups
    from netgiven.tasks.maps import read_maps

    drawn.save(out)
    columns = columns_with_groups(drawn.network)[:MOST_COLUMNS]
    show_table(read_maps(drawn.panels, columns), None)
    shares = f"; {', '.join(columns)}: the share of positions that the column explains" if columns else ""
    tell(f"degree: its rank correlation with the distance from the centre{shares}.")
    size = f" ({out.stat().st_size / 1e6:.1f} MB)" if out.is_file() else ""
    tell(f"Written to {out}{size}.")
