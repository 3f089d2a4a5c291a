"""netgiven evaluate links FILE"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from netgiven.cli.options import Delimiter, Header, NetworkFile, NodeTable, Threads, number_or_auto
from netgiven.cli.printing import show_table, tell
from netgiven.errors import InputError

app = typer.Typer(help="How good predictions are on a network.", no_args_is_help=True, rich_markup_mode=None)


@app.callback()
def options() -> None:
    """How good predictions are on a network."""


@app.command()
def links(
    file: NetworkFile,
    *,
    nodes: NodeTable = None,
    given: Annotated[
        list[str] | None,
        typer.Option(help="What is known, as for embed; give it several times to compare. Default: degrees."),
    ] = None,
    baselines: Annotated[str, typer.Option(help="all (neighbourhood scores and the prior alone) or none.")] = "all",
    splits: Annotated[int, typer.Option(help="How often to hide links, differently each time.")] = 3,
    share: Annotated[float, typer.Option(help="Share of the links to hide.")] = 0.5,
    dimensions: Annotated[str, typer.Option(help="Coordinates of a node, or auto.")] = "auto",
    reach: Annotated[str, typer.Option(help="Largest gain in log-odds that the embedding can give, or auto.")] = "auto",
    shrinkage: Annotated[str, typer.Option(help="Strength of a Gaussian prior on positions, or auto.")] = "auto",
    out: Annotated[Path | None, typer.Option(help="Write the table to this file, tab-separated.")] = None,
    threads: Threads = None,
    delimiter: Delimiter = None,
    header: Header = None,
) -> None:
    """Hide links, as the paper does, and see who finds them again."""
    import netgiven as ng
    from netgiven.evaluation.harness import evaluate_links, summarise
    from netgiven.storage import check_target

    if out is not None:
        check_target(out, file)
    settings = {
        "dimensions": number_or_auto("--dimensions", dimensions, int),
        "spread": reach if reach == "auto" else ng.Spread.from_reach(number_or_auto("--reach", reach, float)),
        "shrinkage": number_or_auto("--shrinkage", shrinkage, float),
        "threads": threads,
    }
    methods = _methods(given or ["degrees"], baselines, settings)
    network = ng.read(file, nodes=nodes, delimiter=delimiter, header=header)
    for line in (f"{network}", str(network.cleaning), *network.notes):
        tell(line)
    results = evaluate_links(network, methods, splits, share, lambda name, seed: tell(f"split {seed + 1}: {name}"))
    show_table(summarise(results), out)


def _methods(given: list[str], baselines: str, settings: dict[str, Any]) -> list[Any]:
    from netgiven.evaluation.baselines.neighbourhoods import HEURISTICS
    from netgiven.evaluation.link_methods import Conditional, Heuristic, PriorAlone
    from netgiven.priors import parse_knowledge

    if baselines not in ("all", "none"):
        raise InputError(f"--baselines {baselines} was given; it is all or none.")
    knowledge = [parse_knowledge(text) for text in given]
    methods: list[Any] = [Conditional(known, settings) for known in knowledge]
    if baselines == "all":
        methods += [PriorAlone(known) for known in knowledge] + [Heuristic(name) for name in HEURISTICS]
    return methods
