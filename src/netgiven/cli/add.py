"""The commands `netgiven add F.ng LINKS --out G.ng` and `netgiven update F.ng NETWORK --out G.ng`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from netgiven.cli.options import (
    Delimiter,
    EmbeddingFile,
    Encoding,
    Header,
    MemoryLimit,
    NetworkFile,
    NodeTable,
    Source,
    Target,
    Threads,
)
from netgiven.cli.printing import bits_gained, print_gain_remark, print_network, print_status
from netgiven.errors import InputError

if TYPE_CHECKING:
    from netgiven.network import Network

OutFile = Annotated[Path, typer.Option(help="The file to write the new embedding to.")]


def add(
    file: EmbeddingFile,
    links: Annotated[Path, typer.Argument(help="A network file with the links of the new nodes.")],
    *,
    out: OutFile,
    nodes: NodeTable = None,
    threads: Threads = None,
    source: Source = None,
    target: Target = None,
    delimiter: Delimiter = None,
    header: Header = None,
    encoding: Encoding = None,
    memory_limit: MemoryLimit = None,
) -> None:
    """Add new nodes to an embedding; all others stay in place."""
    import netgiven as ng
    from netgiven.array_file import check_target
    from netgiven.edges import counted
    from netgiven.embedding_file import check_embedding_suffix

    check_target(out, file, links, nodes)
    check_embedding_suffix(out)
    embedding = ng.load(file, threads=threads)
    read = ng.read(links, nodes=nodes, source=source, target=target, delimiter=delimiter, header=header)
    network = _with_names_like(read, embedding.network)
    larger = embedding.add_many(network)
    new = len(larger) - len(embedding)
    if not new:
        raise InputError(f"All nodes in {links} are in {file} already; there is none to add.")
    larger.save(out)
    more = larger.network.link_count - embedding.network.link_count
    print_status(f"{counted(new, 'node')} added with {counted(more, 'link')}; {len(embedding):,} others are unchanged")
    print_status(f"Written to {out}. Next: netgiven predict {out} --node '{larger.nodes[-1]}'")


def update(
    file: EmbeddingFile,
    network: NetworkFile,
    *,
    out: OutFile,
    nodes: NodeTable = None,
    max_steps: Annotated[int | None, typer.Option(help="Largest number of steps (default: 20).")] = None,
    threads: Threads = None,
    source: Source = None,
    target: Target = None,
    delimiter: Delimiter = None,
    header: Header = None,
    encoding: Encoding = None,
    memory_limit: MemoryLimit = None,
) -> None:
    """Fit an embedding to a changed network from its positions.

    Far cheaper than a new embedding. Dimensions, reach, shrinkage and prior knowledge stay the same.
    """
    import netgiven as ng
    from netgiven.array_file import check_target
    from netgiven.embedding_file import check_embedding_suffix

    check_target(out, file, network, nodes)
    check_embedding_suffix(out)
    embedding = ng.load(file, threads=threads)
    read = ng.read(network, nodes=nodes, source=source, target=target, delimiter=delimiter, header=header)
    changed = _with_names_like(read, embedding.network)
    common = int((embedding.nodes.get_indexer(changed.nodes) >= 0).sum())
    print_network(changed)
    print_status(
        f"{common:,} nodes as before, {len(changed.nodes) - common:,} new, {len(embedding) - common:,} removed"
    )
    updated = embedding.update(changed, max_steps=max_steps)
    gained = f"{bits_gained(updated)} bits per link gained over the prior ({bits_gained(embedding)} before)"
    updated.save(out)
    print_status(f"{updated}")
    print_status(gained)
    print_gain_remark(updated)
    print_status(f"Written to {out}. Next: netgiven predict {out} --top 10")


def _with_names_like(network: Network, old: Network) -> Network:
    """The network with names like those of an old one: numbers in a file may be meant as text, 7 as "user 7"."""
    from dataclasses import replace

    import pandas as pd

    from netgiven.edges import names_index, typed_series
    from netgiven.network import named_by_side
    from netgiven.node_index import name_from_text

    network = named_by_side(network, old.nodes)
    if network.nodes.dtype == old.nodes.dtype:
        return network
    if pd.api.types.is_integer_dtype(network.nodes.dtype) and pd.api.types.infer_dtype(old.nodes) == "string":
        return replace(network, nodes=network.nodes.astype(str))
    candidates = [(name, name_from_text(old.nodes, str(name))) for name in network.nodes]
    names = [old_name if old_name in old.nodes else name for name, old_name in candidates]
    return replace(network, nodes=names_index(typed_series(names)))
