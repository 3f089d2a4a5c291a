"""netgiven embed FILE --given ... --out F.ng"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from netgiven.cli.options import (
    Delimiter,
    Dimensions,
    Header,
    KnownPairs,
    NetworkFile,
    NodeTable,
    Preset,
    Reach,
    Shrinkage,
    Threads,
    UnknownPairs,
    dials,
    preset_settings,
    with_unknown,
)
from netgiven.cli.printing import bits_gained, cost_of_choice, tell
from netgiven.errors import InputError

# ---- netgiven embed FOLDER --engine ray: a folder of part files, and an embedding in parts ---------------------------


if TYPE_CHECKING:
    from netgiven.distributed.cluster import Ray


def embed_folder(folder: Path, out: Path, where: Ray | str, settings: dict[str, Any], **others: Any) -> None:
    """Embed what lies in a folder; `others` are options that only one file can have."""
    from netgiven.embed_sharded import embed_parts

    if isinstance(where, str):
        raise InputError(
            f"{folder} is a folder; give the path of a file in it, or add --engine ray to read its files as parts."
        )
    for name, value in others.items():
        if value is not None:
            raise InputError(f"--{name.replace('_', '-')} goes with one file; {folder} is a folder of part files.")
    told = {name: value for name, value in settings.items() if value is not None}
    for name, value in told.items():
        if value == "auto" and name != "method":
            raise InputError(f"{name} auto was given; where links lie in parts nothing is chosen: give a number.")
    embedding = embed_parts(folder, out, engine=where, **told)
    if where.checkpoint is not None:
        Path(where.checkpoint).unlink(missing_ok=True)
    tell(f"{embedding}")
    tell(f"Written to {out}, in parts. Next: netgiven predict {out} --top 10")


if TYPE_CHECKING:
    from netgiven.distributed.cluster import Ray
    from netgiven.embedding import Embedding


def embed(
    file: NetworkFile,
    *,
    out: Annotated[Path, typer.Option(help="Where to write the embedding.")],
    nodes: NodeTable = None,
    unknown: UnknownPairs = None,
    known: KnownPairs = None,
    given: Annotated[
        str, typer.Option(help="What is known: density, degrees, blocks:COLUMN, order:COLUMN ..., joined by +.")
    ] = "degrees",
    train_given: Annotated[
        str | None, typer.Option(help="What positions are found with, if that is not --given.")
    ] = None,
    predict_given: Annotated[
        str | None, typer.Option(help="What probabilities are made with, if that is not --given.")
    ] = None,
    preset: Preset = None,
    dimensions: Dimensions = None,
    reach: Reach = None,
    s2: Annotated[
        float | None, typer.Option(help="Spread of the distance of pairs without a link; s1 is 1. In place of --reach.")
    ] = None,
    density: Annotated[
        str | None,
        typer.Option(help="With --s2 or --preset paper: half_normal (the paper's text) or gaussian (its tables)."),
    ] = None,
    method: Annotated[
        str | None, typer.Option(help="auto, exact (all pairs), sampled, or paper (k links and k non-links a node).")
    ] = None,
    samples: Annotated[
        int | None, typer.Option(help="Sample size of the methods sampled (256) and paper (50).")
    ] = None,
    weighted: Annotated[
        bool, typer.Option("--weighted", help="Method paper: weight the sample so that it is unbiased.")
    ] = False,
    rule: Annotated[str | None, typer.Option(help="adam or lbfgs (method exact only).")] = None,
    start: Annotated[
        str | None, typer.Option(help="spectral, smoothed, random, flattened (2 or 3 dimensions).")
    ] = None,
    steps: Annotated[int | None, typer.Option(help="Most steps to take.")] = None,
    rate: Annotated[float | None, typer.Option(help="How far a coordinate moves in a step.")] = None,
    shrinkage: Shrinkage = None,
    seed: Annotated[int, typer.Option(help="Another seed, another sample and start.")] = 0,
    threads: Threads = None,
    engine: Annotated[
        str, typer.Option(help="local, or ray for the machines of a cluster. The result is the same.")
    ] = "local",
    address: Annotated[
        str | None,
        typer.Option(help="With --engine ray: auto or host:port of a cluster (default: one is started here)."),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="With --engine ray: processes to use (default: all processors).")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="With --engine ray: go on from OUT.checkpoint after an interruption.")
    ] = False,
    checkpoint_minutes: Annotated[
        float | None, typer.Option(help="With --engine ray: write OUT.checkpoint every so many minutes (default: 5).")
    ] = None,
    delimiter: Delimiter = None,
    header: Header = None,
) -> None:
    """Find the embedding that adds the most information to what is given."""
    import netgiven as ng
    from netgiven.array_file import check_target
    from netgiven.fitting.progress import stage
    from netgiven.fitting.settings import Settings

    settings: dict[str, Any] = {"rule": rule, "start": start, "steps": steps, "rate": rate, "seed": seed}
    settings |= preset_settings(preset, density) | dials(dimensions, reach, shrinkage)
    settings |= _method(method, samples, weighted) | _spread(s2, density, reach, preset)
    fixed = {name: value for name, value in settings.items() if value != "auto" or name == "method"}
    Settings(**fixed).resolved(node_count=2)  # before the work, not after it
    if not file.is_dir():
        check_target(out, file, nodes, unknown, known)
    if engine == "ray":
        check_target(_checkpoint_of(out), file, nodes, unknown, known)
    where = _engine(engine, out, address=address, workers=workers, resume=resume, minutes=checkpoint_minutes)
    told = {"given": given, "train_given": train_given, "predict_given": predict_given}
    settings |= {name: ng.parse_knowledge(text) for name, text in told.items() if text is not None}
    if file.is_dir():
        others = {
            "nodes": nodes,
            "unknown": unknown,
            "known": known,
            "train_given": train_given,
            "predict_given": predict_given,
            "threads": threads,
        }
        return embed_folder(file, out, where, settings | {"delimiter": delimiter, "header": header}, **others)
    with stage(f"reading {file}"):
        network = with_unknown(ng.read(file, nodes=nodes, delimiter=delimiter, header=header), unknown, known, nodes)
    for line in (f"{network}", str(network.cleaning), *network.notes):
        tell(line)
    embedding = ng.embed(network, threads=threads, engine=where, **settings)
    _check_outcome(embedding)
    with stage(f"writing {out}"):
        embedding.save(out)
        if engine == "ray":
            _checkpoint_of(out).unlink(missing_ok=True)
    tell(f"{embedding}")
    for line in cost_of_choice(embedding):
        tell(line)
    with stage("measuring what was gained"):
        gained = bits_gained(embedding)
    tell(f"{gained} bits a link gained over the prior")
    if round(embedding.bits_per_link, 2) < 0:
        tell("The embedding says less than the prior alone: try a smaller --reach or more --dimensions.")
    tell(f"Written to {out}. Next: netgiven predict {out} --top 10")


def _check_outcome(embedding: Embedding) -> None:
    from netgiven.edges import counted
    from netgiven.fitting.record import Ending

    if embedding.outcome.ending is Ending.DIVERGED:
        raise InputError(
            f"The fit diverged after {counted(embedding.outcome.steps, 'step')}: its objective is no longer a number. "
            "Nothing was written. Try a lower --rate (0.2 is usual) or a smaller --reach."
        )


def _engine(name: str, out: Path, **told: Any) -> Literal["local"] | Ray:
    """Where to compute; a cluster keeps a checkpoint beside what is written at the end."""
    from netgiven.distributed.cluster import Ray

    if name not in ("local", "ray"):
        raise InputError(f"--engine {name} was given; it is local or ray.")
    said = {option: value for option, value in told.items() if value is not None and value is not False}
    if name == "ray":
        if _checkpoint_of(out).exists() and not said.get("resume"):
            tell(f"{_checkpoint_of(out)} of an earlier run will be replaced; stop and add --resume to go on from it.")
        return Ray(checkpoint=_checkpoint_of(out), tell=tell, **said)
    if said:
        option = next(iter(said)).replace("minutes", "checkpoint-minutes")
        raise InputError(f"--{option} goes with --engine ray; the engine is local.")
    return "local"


def _checkpoint_of(out: Path) -> Path:
    return Path(f"{out}.checkpoint")


def _method(method: str | None, samples: int | None, weighted: bool) -> dict[str, Any]:
    from netgiven.fitting.objectives import paper, sampled

    if weighted and method != "paper":
        raise InputError(f"--weighted goes with --method paper; the method is {method or 'auto'}.")
    if samples is not None and method not in ("paper", "sampled"):
        raise InputError(f"--samples goes with --method sampled or paper; the method is {method or 'auto'}.")
    if method == "paper":
        return {"method": paper(50 if samples is None else samples, weighted)}
    return {"method": sampled(samples) if samples is not None else method} if method else {}


def _spread(s2: float | None, density: Any, reach: str | None, preset: str | None) -> dict[str, Any]:
    from netgiven.model import Spread

    if s2 is None:
        if density is not None and preset is None:
            raise InputError("--density goes with --s2 or --preset paper, e.g. --s2 2 --density gaussian.")
        return {}
    if reach is not None:
        raise InputError("Give --reach or --s2, not both: each sets the other.")
    return {"spread": Spread(1.0, s2, density or "half_normal")}
