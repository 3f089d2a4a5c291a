"""netgiven labels FILE --labels L"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from netgiven.cli.options import (
    Delimiter,
    Dimensions,
    Header,
    LabelFile,
    NetworkFile,
    NodeTable,
    Reach,
    Shrinkage,
    Threads,
    dials,
)
from netgiven.cli.printing import cost_of_choice, show_table, tell
from netgiven.errors import InputError

if TYPE_CHECKING:
    from netgiven.labels import Labels
    from netgiven.network import Network


def labels(
    file: NetworkFile,
    *,
    labels: LabelFile,
    nodes: NodeTable = None,
    given: Annotated[
        str, typer.Option(help="What is known; the column kind tells labels, labelled and other nodes apart.")
    ] = "degrees+blocks:kind",
    node: Annotated[
        list[str] | None, typer.Option(help="The nodes to tell labels of. Default: those without labels.")
    ] = None,
    top: Annotated[int, typer.Option(min=1, help="How many labels to tell of each node.")] = 3,
    out: Annotated[Path | None, typer.Option(help="Write the table to this file, tab-separated.")] = None,
    dimensions: Dimensions = None,
    reach: Reach = None,
    shrinkage: Shrinkage = None,
    seed: Annotated[int, typer.Option(help="Another seed, another sample and start.")] = 0,
    threads: Threads = None,
    delimiter: Delimiter = None,
    header: Header = None,
) -> None:
    """Predict the labels of nodes that have none, with probabilities."""
    import netgiven as ng
    from netgiven.array_file import check_target

    settings = dials(dimensions, reach, shrinkage)
    knowledge = ng.parse_knowledge(given)
    if out is not None:
        check_target(out, file, labels)
    network, known = read_both(file, labels, nodes, delimiter, header)
    if not node and known.counts.all():
        raise InputError("Every node has labels already; name the nodes to tell further labels of with --node.")
    names = [ng.name_from_text(network.nodes, text) for text in node] if node else None
    network.numbers(names or [])  # complains before the work, not after it
    prediction = ng.predict_labels(network, known, knowledge, seed=seed, threads=threads, **settings)
    for line in cost_of_choice(prediction.embedding):
        tell(line)
    show_table(prediction.likely(names, count=top), out)


def read_both(
    file: Path, labels: Path, nodes: Path | None, delimiter: str | None, header: bool | None
) -> tuple[Network, Labels]:
    """A network and the labels of its nodes, with what was decided on the way told. Nodes may have labels only."""
    import netgiven as ng

    network = ng.read(file, nodes=nodes, delimiter=delimiter, header=header)
    both = ng.read_labels(labels, network)
    for line in (f"{network}", str(network.cleaning), *network.notes, f"{both.labels}", *both.notes):
        tell(line)
    return both.network, both.labels
