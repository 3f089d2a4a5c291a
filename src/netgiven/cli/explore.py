"""The command `netgiven explore [FILE|F.ng]`."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from netgiven.cli.options import (
    Delimiter,
    Encoding,
    Groups,
    Header,
    MemoryLimit,
    NodeTable,
    ObservedPairsOption,
    Source,
    Target,
    Threads,
    UnobservedPairsOption,
    with_unobserved,
)
from netgiven.cli.printing import print_network, print_status
from netgiven.errors import InputError

if TYPE_CHECKING:
    from netgiven.explorer.session import OpenedNetwork

CONTENT = {"--nodes": "nodes", "--unobserved": "unobserved pairs", "--observed": "observed pairs"}


def explore(
    file: Annotated[
        Path | None, typer.Argument(help="A network, or an embedding written by 'netgiven embed'.", show_default=False)
    ] = None,
    *,
    nodes: NodeTable = None,
    groups: Groups = None,
    unobserved: UnobservedPairsOption = None,
    observed: ObservedPairsOption = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port of the page; 0 for any free port.")] = 5006,
    host: Annotated[
        str,
        typer.Option(help="The address to listen on. Any other than 127.0.0.1 lets others in, without a password."),
    ] = "127.0.0.1",
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")] = True,
    max_megabytes: Annotated[
        float, typer.Option(min=0.01, help="The largest file that can be uploaded to the page.")
    ] = 20,
    threads: Threads = None,
    source: Source = None,
    target: Target = None,
    delimiter: Delimiter = None,
    header: Header = None,
    encoding: Encoding = None,
    memory_limit: MemoryLimit = None,
) -> None:
    """Explore a network, maps and predictions on a web page."""
    from netgiven.errors import require

    require("bokeh", extra="explorer")
    from netgiven.explorer.server import SessionRegistry, address_of, make_server, run

    tables = {"--nodes": nodes, "--unobserved": unobserved, "--observed": observed}
    reading = {"groups": groups, "source": source, "target": target, "delimiter": delimiter, "header": header}
    if file is None and any(tables.values()):
        raise InputError(f"{_first(tables)} was given without a file of links; name this file, too.")
    opened = None if file is None else _open(file, tables, reading)
    registry = SessionRegistry(opened, max_megabytes, threads)
    server = make_server(registry, host, port)
    address = address_of(server)
    print_status(f"The explorer is at {address} (press Ctrl-C to stop).")
    run(server, registry, lambda: webbrowser.open(address) if browser else None)


def _first(tables: dict[str, Path | None]) -> str:
    """The first option that was given."""
    return next(option for option, path in tables.items() if path is not None)


def _open(file: Path, tables: dict[str, Path | None], reading: dict[str, Any]) -> OpenedNetwork:
    import netgiven as ng
    from netgiven.array_file import is_embedding
    from netgiven.explorer.session import OpenedNetwork

    if is_embedding(file):
        if any(tables.values()):
            given = _first(tables)
            raise InputError(f"{file} is an embedding, which already has its {CONTENT[given]}; omit {given}.")
        if reading["groups"] is not None:
            raise InputError(f"--groups goes with a network file; {file} is an embedding.")
        opened = OpenedNetwork.of(file.name, ng.load(file))
    else:
        nodes, unobserved, observed = tables.values()
        network = ng.read(file, nodes=nodes, **reading)
        opened = OpenedNetwork.of(file.name, with_unobserved(network, unobserved, observed, nodes))
    print_network(opened.network)
    return opened
