"""The command `netgiven map FILE --given ... --out map.html`, or with `--compare ...`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from netgiven.cli.options import (
    Delimiter,
    Encoding,
    GivenOrDegrees,
    Groups,
    Header,
    MemoryLimit,
    NetworkFile,
    NodeTable,
    Others,
    Reach,
    Seed,
    Source,
    Target,
    Threads,
    knowledge_texts,
    spread_settings,
)
from netgiven.cli.printing import print_network, print_status, show_table
from netgiven.errors import InputError

if TYPE_CHECKING:
    from netgiven.maps.map import Map
    from netgiven.network import Network

MAX_COLUMNS = 4  # node columns for which the share of explained positions is printed


def map_command(
    file: NetworkFile,
    others: Others = None,
    *,
    out: Annotated[
        Path,
        typer.Option(
            help="The file to write: a page (.html), a picture (.png, .svg, .pdf), or a map for Gephi (.gexf) or "
            "Embedding Atlas (.parquet)."
        ),
    ] = Path("map.html"),
    nodes: NodeTable = None,
    groups: Groups = None,
    given: GivenOrDegrees = None,
    compare: Annotated[
        list[str] | None,
        typer.Option(help="Draw several maps side by side: --compare density degrees blocks:COLUMN ..."),
    ] = None,
    colour: Annotated[
        str | None, typer.Option(help="Colour by a node column, or by degree (default: the first column with groups).")
    ] = None,
    labels: Annotated[Path | None, typer.Option(help="Colour by labels, a node and a label per line.")] = None,
    reach: Reach = None,
    s2: Annotated[
        float | None,
        typer.Option(help="Instead of --reach: spread of the distances of pairs without a link (the paper: 15)."),
    ] = None,
    dark: Annotated[
        bool | None, typer.Option("--dark/--light", help="Background (default: as the browser prefers).")
    ] = None,
    seed: Seed = 0,
    threads: Threads = None,
    source: Source = None,
    target: Target = None,
    delimiter: Delimiter = None,
    header: Header = None,
    encoding: Encoding = None,
    memory_limit: MemoryLimit = None,
) -> None:
    """Draw a network in the plane: a page, a picture or a file."""
    import netgiven as ng
    from netgiven.array_file import check_target, is_embedding
    from netgiven.maps.map import check_map_suffix, check_panels

    check_map_suffix(out)
    check_target(out, file, nodes, labels)
    look: dict[str, Any] = {
        "colour": "label" if labels and colour is None else colour,
        "title": _title(file),
        "dark": dark,
    }
    chosen = spread_settings(reach, s2)
    settings = replace(ng.Settings(**chosen), seed=seed)
    if is_embedding(file) or file.suffix.lower() == ".ng":
        _check_alone(file, nodes=nodes, groups=groups, given=given, compare=compare or others, labels=labels)
        _check_alone(file, source=source, target=target, delimiter=delimiter, header=header, encoding=encoding)
        embedding = ng.load(file)
        drawn = embedding.map(**look, settings=settings if chosen else None, threads=threads)
    else:
        texts = knowledge_texts(given, compare, others)
        known = [ng.parse_knowledge(text) for text in texts]
        check_panels(out, len(known))
        network = _read(file, nodes, labels, groups, (source, target), texts, delimiter=delimiter, header=header)
        log = print_status if len(known) > 1 else None
        drawn = ng.compare_maps(network, known, log=log, settings=settings, threads=threads, **look)
    _write(drawn, out)


def _title(file: Path) -> str:
    """The name of the file without its endings."""
    return file.name.split(".")[0] or file.name


def _check_alone(file: Path, **options: Any) -> None:
    """Raise an error if an option was given that does not go with an embedding."""
    for name, value in options.items():
        if value:
            raise InputError(f"--{name} goes with a network file; {file} is an embedding. Leave the option out.")


def _read(
    file: Path,
    nodes: Path | None,
    labels: Path | None,
    groups: str | None,
    ends: tuple[str | None, str | None],
    given: list[str],
    *,
    delimiter: str | None,
    header: bool | None,
) -> Network:
    import netgiven as ng
    from netgiven.cli.labels import read_with_labels
    from netgiven.tasks.maps import with_label_column

    if labels is not None:
        return with_label_column(*read_with_labels(file, labels, nodes, ends, delimiter, header))
    network = ng.read(
        file, nodes=nodes, groups=groups, source=ends[0], target=ends[1], delimiter=delimiter, header=header
    )
    print_network(network, *given)
    return network


def _write(drawn: Map, out: Path) -> None:
    """Write the file, and print what explains the positions of nodes in each map."""
    from netgiven.fitting.record import NOTHING_GAINED, gains_nothing
    from netgiven.maps.marks import columns_with_groups
    from netgiven.tasks.maps import measure_maps

    drawn.save(out)
    columns = columns_with_groups(drawn.network)[:MAX_COLUMNS]
    show_table(measure_maps(drawn.panels, columns), None)
    shares = f"; {', '.join(columns)}: share of the variance of positions between groups" if columns else ""
    print_status(f"degree: rank correlation of degree and distance from the centre{shares}.")
    for panel in drawn.panels:
        if gains_nothing(panel.bits_per_link):
            print_status(f"Given {panel.prior.knowledge}: {NOTHING_GAINED}")
    size = f" ({out.stat().st_size / 1e6:.1f} MB)" if out.is_file() else ""
    print_status(f"Written to {out}{size}.")
