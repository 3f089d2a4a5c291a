"""The command `netgiven embed FILE --given ... --out F.ng`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import typer

from netgiven.cli.options import (
    Delimiter,
    Dimensions,
    Encoding,
    Groups,
    Header,
    MemoryLimit,
    NetworkFile,
    NodeTable,
    ObservedPairsOption,
    Preset,
    Reach,
    Repelling,
    RepellingShrinkage,
    Seed,
    Shrinkage,
    Source,
    Target,
    Threads,
    UnobservedPairsOption,
    hyperparameters,
    preset_settings,
    spread_settings,
    with_unobserved,
)
from netgiven.cli.printing import bits_gained, print_gain_remark, print_network, print_selected, print_status
from netgiven.errors import InputError

if TYPE_CHECKING:
    from netgiven.distributed.cluster import Ray
    from netgiven.embedding import Embedding
    from netgiven.fitting.settings import SettingsKeywords


def embed(
    file: NetworkFile,
    *,
    out: Annotated[Path, typer.Option(help="The file to write the embedding to.")],
    nodes: NodeTable = None,
    groups: Groups = None,
    unobserved: UnobservedPairsOption = None,
    observed: ObservedPairsOption = None,
    given: Annotated[
        str, typer.Option(help="Prior knowledge: density, degrees, blocks:COLUMN, order:COLUMN ..., joined by +.")
    ] = "degrees",
    train_given: Annotated[
        str | None, typer.Option(help="Prior knowledge to train positions with (default: --given).")
    ] = None,
    predict_given: Annotated[
        str | None, typer.Option(help="Prior knowledge to compute probabilities with (default: --given).")
    ] = None,
    preset: Preset = None,
    dimensions: Dimensions = None,
    reach: Reach = None,
    s2: Annotated[
        float | None,
        typer.Option(help="Instead of --reach: spread of the distances of pairs without a link, where s1 is 1."),
    ] = None,
    density: Annotated[
        str | None,
        typer.Option(help="With --s2 or --preset paper: half_normal (the paper's text) or gaussian (its tables)."),
    ] = None,
    shrinkage: Shrinkage = None,
    repelling: Repelling = None,
    repelling_shrinkage: RepellingShrinkage = None,
    method: Annotated[
        str | None,
        typer.Option(help="auto, exact (all pairs), sampled, or paper (k links and k non-links per node)."),
    ] = None,
    samples: Annotated[
        int | None,
        typer.Option(help="Sample size of sampled (default: 256; 128 above 200,000 nodes) and paper (default: 50)."),
    ] = None,
    weighted: Annotated[
        bool, typer.Option("--weighted", help="Method paper: weight the sample so that it is unbiased.")
    ] = False,
    optimizer: Annotated[
        str | None, typer.Option(help="adam, or lbfgs for the method exact (default: auto, by the method).")
    ] = None,
    init: Annotated[
        str | None,
        typer.Option(help="Initial positions: spectral, diffusion, lifted or random (default: auto, by the size)."),
    ] = None,
    max_steps: Annotated[
        int | None, typer.Option(help="Largest number of steps (default: 150 to 500, by the method).")
    ] = None,
    learning_rate: Annotated[
        float | None, typer.Option(help="About how far a coordinate moves in a step (default: 0.2).")
    ] = None,
    warmup: Annotated[
        float | None, typer.Option(help="Share of the steps over which the reach rises (default: 0.4).")
    ] = None,
    decay: Annotated[
        float | None, typer.Option(help="Share of the steps over which the learning rate falls to 0 (default: 0.25).")
    ] = None,
    tolerance: Annotated[
        float | None, typer.Option(help="Stop if the objective falls by less than this share (default: by the method).")
    ] = None,
    seed: Seed = 0,
    threads: Threads = None,
    engine: Annotated[
        str, typer.Option(help="local, or ray to use the machines of a cluster. Does not change the result.")
    ] = "local",
    address: Annotated[
        str | None,
        typer.Option(help="With --engine ray: auto or host:port of a cluster (default: a cluster of this machine)."),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="With --engine ray: number of processes (default: all processors).")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="With --engine ray: continue from OUT.checkpoint after an interruption.")
    ] = False,
    checkpoint_minutes: Annotated[
        float | None, typer.Option(help="With --engine ray: minutes between writes of OUT.checkpoint (default: 5).")
    ] = None,
    source: Source = None,
    target: Target = None,
    delimiter: Delimiter = None,
    header: Header = None,
    encoding: Encoding = None,
    memory_limit: MemoryLimit = None,
) -> None:
    """Embed a network given what is known about it.

    The embedding is the one that adds the most information to the prior knowledge.
    """
    import netgiven as ng
    from netgiven.array_file import check_target
    from netgiven.embedding import fit_embedding
    from netgiven.embedding_file import check_embedding_suffix
    from netgiven.fitting.record import stage

    # everything that was given is checked before the work
    keywords: SettingsKeywords = {
        **preset_settings(preset, density),
        **hyperparameters(dimensions, None, shrinkage, repelling, repelling_shrinkage),
        **_spread_settings(reach, s2, density, preset),
        **_method_settings(method, samples, weighted),
        **_other_settings(optimizer=optimizer, init=init, max_steps=max_steps, learning_rate=learning_rate),
        **_other_settings(warmup=warmup, decay=decay, tolerance=tolerance, seed=seed),
    }
    settings = ng.Settings(**keywords)
    settings.resolve(node_count=2)
    checkpoint = Path(f"{out}.checkpoint") if engine == "ray" else None
    for written in (None if file.is_dir() else out, checkpoint):
        if written is not None:
            check_target(written, file, nodes, unobserved, observed)
    check_embedding_suffix(out)
    where = _engine(engine, checkpoint, address=address, workers=workers, resume=resume, minutes=checkpoint_minutes)
    knowledge = ng.parse_knowledge(given)
    reading: dict[str, Any] = {"nodes": nodes, "groups": groups, "source": source, "target": target}
    train, predict = (None if text is None else ng.parse_knowledge(text) for text in (train_given, predict_given))

    if file.is_dir():
        for_files = {**reading, "unobserved": unobserved, "observed": observed, "threads": threads}
        for_files |= {"train-given": train_given, "predict-given": predict_given}
        cluster = _check_folder(file, where, for_files, dimensions=dimensions, reach=reach, shrinkage=shrinkage)
        sharded = ng.embed_sharded(
            file, out, knowledge, settings=settings, engine=cluster, header=header, delimiter=delimiter
        )
        print_status(f"{sharded}")
    else:
        with stage(f"reading {file}"):
            network = ng.read(file, **reading, delimiter=delimiter, header=header)
            network = with_unobserved(network, unobserved, observed, nodes)
        print_network(network, given)
        embedding = fit_embedding(
            network, knowledge, settings, train_given=train, predict_given=predict, threads=threads, engine=where
        )
        _save(embedding, out)
    if checkpoint is not None:
        checkpoint.unlink(missing_ok=True)
    print_status(f"Written to {out}. Next: netgiven predict {out} --top 10")


def _save(embedding: Embedding, out: Path) -> None:
    """Write an embedding with its likelihood, and print how the fit went."""
    from netgiven.edges import counted
    from netgiven.fitting.record import stage

    fit = embedding.fit
    if fit.convergence.diverged:
        raise InputError(
            f"The fit diverged after {counted(fit.convergence.steps, 'step')}: the objective is not a number. "
            "Nothing was written. Try a lower --learning-rate (0.2 is usual) or a smaller --reach."
        )
    with stage("computing the likelihood"):
        gained = bits_gained(embedding)
    with stage(f"writing {out}"):
        embedding.save(out)
    print_status(f"{embedding}")
    print_selected(embedding)
    print_status(f"{gained} bits per link gained over the prior")
    print_gain_remark(embedding)


# ---- settings from options -------------------------------------------------------------------------------------------


def _spread_settings(reach: str | None, s2: float | None, density: str | None, preset: str | None) -> SettingsKeywords:
    if density is not None and s2 is None and preset is None:
        raise InputError("--density goes with --s2 or --preset paper, e.g. --s2 2 --density gaussian.")
    return spread_settings(reach, s2, density)


def _method_settings(method: str | None, samples: int | None, weighted: bool) -> SettingsKeywords:
    from netgiven.fitting.objectives import paper, sampled

    if weighted and method != "paper":
        raise InputError(f"--weighted goes with --method paper; the method is {method or 'auto'}.")
    if samples is not None and method not in ("paper", "sampled"):
        raise InputError(f"--samples goes with --method sampled or paper; the method is {method or 'auto'}.")
    if method == "paper":
        return {"method": paper(50 if samples is None else samples, weighted)}
    if samples is not None:
        return {"method": sampled(samples)}
    return {} if method is None else {"method": method}


def _other_settings(**options: object) -> SettingsKeywords:
    """Settings that are options of the same name, where they are given."""
    return cast("SettingsKeywords", {name: value for name, value in options.items() if value is not None})


# ---- clusters and folders --------------------------------------------------------------------------------------------


def _engine(
    name: str,
    checkpoint: Path | None,
    *,
    address: str | None,
    workers: int | None,
    resume: bool,
    minutes: float | None,
) -> Literal["local"] | Ray:
    """Where to compute."""
    if name not in ("local", "ray"):
        raise InputError(f"--engine {name} was given; it is local or ray.")
    if name == "local":
        options = {"address": address, "workers": workers, "resume": resume or None, "checkpoint-minutes": minutes}
        for option, value in options.items():
            if value is not None:
                raise InputError(f"--{option} goes with --engine ray; the engine is local.")
        return "local"
    from netgiven.distributed.cluster import Ray

    if checkpoint is not None and checkpoint.exists() and not resume:
        print_status(f"{checkpoint} of an earlier run will be replaced; to continue that run, stop and add --resume.")
    every = {} if minutes is None else {"checkpoint_minutes": minutes}
    return Ray(address, workers, checkpoint, resume=resume, log=print_status, **every)


def _check_folder(
    folder: Path, engine: Literal["local"] | Ray, for_files: dict[str, object], **hyperparameters: str | None
) -> Ray:
    """The cluster that reads a folder of part files, if all options are possible there."""
    if isinstance(engine, str):
        raise InputError(
            f"{folder} is a folder; give the path of a file in it, or add --engine ray to read its files as parts."
        )
    for name, value in for_files.items():
        if value is not None:
            raise InputError(f"--{name} goes with a single file; {folder} is a folder of part files.")
    for name, text in hyperparameters.items():
        if text == "auto":
            raise InputError(f"--{name} auto was given; for a folder of part files nothing is chosen, give a number.")
    return engine
