"""netgiven add F.ng LINKS --out G.ng, netgiven update F.ng NETWORK --out G.ng"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from netgiven.cli.options import Delimiter, EmbeddingFile, Header, NetworkFile, NodeTable, Threads
from netgiven.cli.printing import bits_gained, tell
from netgiven.errors import InputError

if TYPE_CHECKING:
    from netgiven.network import Network

OutFile = Annotated[Path, typer.Option(help="Where to write the new embedding.")]


def add(
    file: EmbeddingFile,
    links: Annotated[Path, typer.Argument(help="Links of new nodes, as a network file: names that are not in F.ng.")],
    *,
    out: OutFile,
    nodes: NodeTable = None,
    threads: Threads = None,
    delimiter: Delimiter = None,
    header: Header = None,
) -> None:
    """Place new nodes by their links, while all others stay where they are."""
    import netgiven as ng
    from netgiven.array_file import check_target
    from netgiven.edges import counted

    check_target(out, file, links, nodes)
    embedding = ng.load(file, threads=threads)
    network = _named_alike(ng.read(links, nodes=nodes, delimiter=delimiter, header=header), embedding.network)
    grown = embedding.add_many(network)
    new = len(grown) - len(embedding)
    if not new:
        raise InputError(f"All nodes in {links} are in {file} already; there is none to add.")
    grown.save(out)
    more = grown.network.link_count - embedding.network.link_count
    tell(f"{counted(new, 'node')} added with {counted(more, 'link')}; {len(embedding):,} others are where they were")
    tell(f"Written to {out}. Next: netgiven predict {out} --node '{grown.nodes[-1]}'")


def update(
    file: EmbeddingFile,
    network: NetworkFile,
    *,
    out: OutFile,
    nodes: NodeTable = None,
    steps: Annotated[int | None, typer.Option(help="Steps to take, if not the usual few.")] = None,
    threads: Threads = None,
    delimiter: Delimiter = None,
    header: Header = None,
) -> None:
    """Fit an embedding to its network after links or nodes came or went, from where its nodes are."""
    import netgiven as ng
    from netgiven.array_file import check_target

    check_target(out, file, network, nodes)
    embedding = ng.load(file, threads=threads)
    changed = _named_alike(ng.read(network, nodes=nodes, delimiter=delimiter, header=header), embedding.network)
    there = int((embedding.nodes.get_indexer(changed.nodes) >= 0).sum())
    updated = embedding.update(changed, steps=steps)
    updated.save(out)
    tell(f"{changed}: {there:,} nodes as before, {len(changed.nodes) - there:,} new, {len(embedding) - there:,} gone")
    tell(f"{updated}")
    tell(f"{bits_gained(updated)} bits a link gained over the prior ({bits_gained(embedding)} before)")
    tell(f"Written to {out}. Next: netgiven predict {out} --top 10")


def _named_alike(network: Network, old: Network) -> Network:
    """The network with names of the kind that an old one has: numbers in a file may be meant as text."""
    from dataclasses import replace

    import pandas as pd

    from netgiven.edges import names_index, typed_series
    from netgiven.node_index import name_from_text

    if network.nodes.dtype == old.nodes.dtype:
        return network
    if pd.api.types.is_integer_dtype(network.nodes.dtype) and pd.api.types.infer_dtype(old.nodes) == "string":
        return replace(network, nodes=network.nodes.astype(str))
    alike = [(name, name_from_text(old.nodes, str(name))) for name in network.nodes]
    names = [known if known in old.nodes else name for name, known in alike]
    return replace(network, nodes=names_index(typed_series(names)))
