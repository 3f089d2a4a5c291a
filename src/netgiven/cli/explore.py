"""netgiven explore [FILE|F.ng]"""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from netgiven.cli.options import Delimiter, Header, KnownPairs, NodeTable, Threads, UnknownPairs, with_unknown
from netgiven.cli.printing import tell
from netgiven.errors import InputError

if TYPE_CHECKING:
    from netgiven.explorer.visit import Opened

HAS = {"--nodes": "nodes", "--unknown": "unknown pairs", "--known": "known pairs"}  # an embedding


def explore(
    file: Annotated[
        Path | None, typer.Argument(help="A network, or an embedding that 'netgiven embed' wrote.", show_default=False)
    ] = None,
    *,
    nodes: NodeTable = None,
    unknown: UnknownPairs = None,
    known: KnownPairs = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Where the page is; 0 for any port that is free.")] = 5006,
    host: Annotated[
        str, typer.Option(help="The address to listen on. Others can reach any but 127.0.0.1: there is no password.")
    ] = "127.0.0.1",
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")] = True,
    most_megabytes: Annotated[
        float, typer.Option(min=0.01, help="The largest file that can be opened in the page.")
    ] = 20,
    threads: Threads = None,
    delimiter: Delimiter = None,
    header: Header = None,
) -> None:
    """Open a page on which to load a network, say what is known, and look at what remains."""
    from netgiven.errors import require

    require("bokeh", extra="explorer")
    from netgiven.explorer.server import Desk, address_of, make_server, run

    beside = {"--nodes": nodes, "--unknown": unknown, "--known": known}
    if file is None and any(beside.values()):
        raise InputError(f"{_first(beside)} goes with a file of links; name it before.")
    opened = None if file is None else _opened(file, beside, delimiter=delimiter, header=header)
    server = make_server(Desk(opened, most_megabytes, threads), host, port)
    address = address_of(server)
    tell(f"The explorer is at {address} (Ctrl-C ends it).")
    run(server, lambda: webbrowser.open(address) if browser else None)


def _first(beside: dict[str, Path | None]) -> str:
    """The first option that was given."""
    return next(option for option, path in beside.items() if path is not None)


def _opened(file: Path, beside: dict[str, Path | None], **text: Any) -> Opened:
    import netgiven as ng
    from netgiven.array_file import is_embedding
    from netgiven.explorer.visit import Opened

    if is_embedding(file):
        if any(beside.values()):
            given = _first(beside)
            raise InputError(f"{file} is an embedding, which has its {HAS[given]} already; leave out {given}.")
        opened = Opened.of(file.name, ng.load(file))
    else:
        nodes, unknown, known = beside.values()
        network = ng.read(file, nodes=nodes, **text)
        opened = Opened.of(file.name, with_unknown(network, unknown, known, nodes))
    for line in (f"{opened.network}", str(opened.network.cleaning), *opened.network.notes):
        tell(line)
    return opened
