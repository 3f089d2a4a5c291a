"""netgiven embed FILE --given ... --out F.ng"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from netgiven.cli.options import Delimiter, Header, NetworkFile, NodeTable, Threads, number_or_auto
from netgiven.cli.printing import bits_gained, tell
from netgiven.errors import InputError

if TYPE_CHECKING:
    from netgiven.embedding import Embedding


def embed(
    file: NetworkFile,
    *,
    out: Annotated[Path, typer.Option(help="Where to write the embedding.")],
    nodes: NodeTable = None,
    given: Annotated[
        str, typer.Option(help="What is known: density, degrees, blocks:COLUMN, joined by +.")
    ] = "degrees",
    dimensions: Annotated[str, typer.Option(help="Coordinates of a node, or auto: chosen on hidden links.")] = "8",
    reach: Annotated[
        str | None, typer.Option(help="Largest gain in log-odds that the embedding can give, or auto (default: 2).")
    ] = None,
    s2: Annotated[
        float | None, typer.Option(help="Spread of the distance of pairs without a link; s1 is 1. In place of --reach.")
    ] = None,
    density: Annotated[
        str, typer.Option(help="With --s2: half_normal (the paper's text) or gaussian (its tables).")
    ] = "half_normal",
    method: Annotated[
        str, typer.Option(help="auto, exact (all pairs), sampled, or paper (k links and k non-links a node).")
    ] = "auto",
    samples: Annotated[
        int | None, typer.Option(help="Sample size of the methods sampled (256) and paper (50).")
    ] = None,
    weighted: Annotated[
        bool, typer.Option("--weighted", help="Method paper: weight the sample so that it is unbiased.")
    ] = False,
    rule: Annotated[str | None, typer.Option(help="adam or lbfgs (method exact only).")] = None,
    start: Annotated[str | None, typer.Option(help="spectral or random.")] = None,
    steps: Annotated[int | None, typer.Option(help="Most steps to take.")] = None,
    rate: Annotated[float | None, typer.Option(help="How far a coordinate moves in a step.")] = None,
    shrinkage: Annotated[str, typer.Option(help="Strength of a Gaussian prior on positions, or auto.")] = "0",
    seed: Annotated[int, typer.Option(help="Another seed, another sample and start.")] = 0,
    threads: Threads = None,
    delimiter: Delimiter = None,
    header: Header = None,
) -> None:
    """Find the embedding that adds the most information to what is given."""
    import netgiven as ng
    from netgiven.fitting.settings import Settings
    from netgiven.storage import check_target

    settings: dict[str, Any] = {"rule": rule, "start": start, "steps": steps, "rate": rate, "seed": seed}
    settings["method"] = _method(method, samples, weighted)
    settings["dimensions"] = number_or_auto("--dimensions", dimensions, int)
    settings["shrinkage"] = number_or_auto("--shrinkage", shrinkage, float)
    settings["spread"] = _spread(reach and number_or_auto("--reach", reach, float), s2, density)
    known = {name: value for name, value in settings.items() if value != "auto" or name == "method"}
    Settings(**known).resolved(node_count=2)  # before the work, not after it
    check_target(out, file, nodes)
    knowledge = ng.parse_knowledge(given)
    network = ng.read(file, nodes=nodes, delimiter=delimiter, header=header)
    for line in (f"{network}", str(network.cleaning), *network.notes):
        tell(line)
    embedding = ng.embed(network, knowledge, threads=threads, **settings)
    _check_outcome(embedding)
    embedding.save(out)
    tell(f"{embedding}")
    tell(f"{bits_gained(embedding)} bits a link gained over the prior")
    if round(embedding.bits_per_link, 2) < 0:
        tell("The embedding says less than the prior alone: try a smaller --reach or more --dimensions.")
    tell(f"Written to {out}. Next: netgiven predict {out} --top 10")


def _check_outcome(embedding: Embedding) -> None:
    from netgiven.cleaning import counted
    from netgiven.fitting.outcome import Ending

    if embedding.outcome.ending is Ending.DIVERGED:
        raise InputError(
            f"The fit diverged after {counted(embedding.outcome.steps, 'step')}: its objective is no longer a number. "
            "Nothing was written. Try a lower --rate (0.2 is usual) or a smaller --reach."
        )


def _method(method: str, samples: int | None, weighted: bool) -> Any:
    from netgiven.fitting.methods import paper, sampled

    if weighted and method != "paper":
        raise InputError(f"--weighted goes with --method paper; the method is {method}.")
    if samples is not None and method not in ("paper", "sampled"):
        raise InputError(f"--samples goes with --method sampled or paper; the method is {method}.")
    if method == "paper":
        return paper(50 if samples is None else samples, weighted)
    return sampled(samples) if samples is not None else method


def _spread(reach: Any, s2: float | None, density: Any) -> Any:
    from netgiven.model import Spread

    if s2 is None:
        if density != "half_normal":
            raise InputError("--density goes with --s2, e.g. --s2 2 --density gaussian.")
        return reach if reach == "auto" else Spread.from_reach(2.0 if reach is None else reach)
    if reach is not None:
        raise InputError("Give --reach or --s2, not both: each sets the other.")
    return Spread(1.0, s2, density)
