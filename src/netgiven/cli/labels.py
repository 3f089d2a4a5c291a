"""The command `netgiven labels FILE --labels L`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from netgiven.cli.options import (
    Delimiter,
    Dimensions,
    Encoding,
    Header,
    LabelFile,
    LabelMethodName,
    MemoryLimit,
    NetworkFile,
    NodeTable,
    Reach,
    Seed,
    Shrinkage,
    Source,
    TableFile,
    Target,
    Threads,
    hyperparameters,
    print_written,
)
from netgiven.cli.printing import print_network, print_selected, print_status, show_table
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
        str, typer.Option(help="Prior knowledge; the column kind distinguishes labels, labelled and unlabelled nodes.")
    ] = "degrees+blocks:kind",
    node: Annotated[
        list[str] | None,
        typer.Option(help="A node to predict labels of; can be repeated (default: all without labels)."),
    ] = None,
    method: LabelMethodName = "auto",
    top: Annotated[int, typer.Option(min=1, help="Number of labels per node.")] = 3,
    out: TableFile = None,
    dimensions: Dimensions = None,
    reach: Reach = None,
    shrinkage: Shrinkage = None,
    seed: Seed = 0,
    threads: Threads = None,
    source: Source = None,
    target: Target = None,
    delimiter: Delimiter = None,
    header: Header = None,
    encoding: Encoding = None,
    memory_limit: MemoryLimit = None,
) -> None:
    """Predict the labels of nodes that have none."""
    import netgiven as ng
    from netgiven.array_file import check_target
    from netgiven.tasks.labels import check_method

    settings = replace(ng.Settings(**hyperparameters(dimensions, reach, shrinkage)), seed=seed)
    check_method(method)
    knowledge = ng.parse_knowledge(given)
    if out is not None:
        check_target(out, file, labels)
    network, known = read_with_labels(file, labels, nodes, (source, target), delimiter, header)
    if not node and known.counts.all():
        raise InputError("Every node has labels already; to predict further labels of nodes, name them with --node.")
    names = [ng.name_from_text(network.nodes, text) for text in node] if node else None
    network.numbers(names or [])  # unknown names are an error before the fit
    prediction = ng.predict_labels(network, known, knowledge, method=method, settings=settings, threads=threads)
    print_selected(prediction.embedding)
    print_status(f"Predicted {prediction.reason}")
    show_table(prediction.likely(names, count=top), out)
    print_written(out)


def read_with_labels(
    file: Path,
    labels: Path,
    nodes: Path | None,
    ends: tuple[str | None, str | None],
    delimiter: str | None,
    header: bool | None,
) -> tuple[Network, Labels]:
    """Read and print a network and the labels of its nodes. Nodes that have labels and no links are added."""
    import netgiven as ng

    network = ng.read(file, nodes=nodes, source=ends[0], target=ends[1], delimiter=delimiter, header=header)
    both = ng.read_labels(labels, network)
    print_network(network)
    for line in (f"{both.labels}", *both.notes):
        print_status(line)
    return both.network, both.labels
