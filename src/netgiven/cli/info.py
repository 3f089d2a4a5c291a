"""The commands `netgiven info FILE|F.ng`, `netgiven groups F.ng` and `netgiven export F.ng vectors.csv`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from netgiven.cli.options import (
    Delimiter,
    EmbeddingFile,
    Encoding,
    Header,
    MemoryLimit,
    NodeTable,
    Seed,
    Source,
    Target,
    print_written,
)
from netgiven.cli.printing import bits_gained, print_lines, print_status, show_table
from netgiven.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from netgiven.analysis.ledger import Ledger, Proposal, Proposals
    from netgiven.embedding import Embedding
    from netgiven.fitting.record import Trial
    from netgiven.fitting.settings import ResolvedSettings
    from netgiven.network import Network


def info(
    file: Annotated[Path, typer.Argument(help="A network, or an embedding written by 'netgiven embed'.")],
    *,
    nodes: NodeTable = None,
    source: Source = None,
    target: Target = None,
    delimiter: Delimiter = None,
    header: Header = None,
    encoding: Encoding = None,
    memory_limit: MemoryLimit = None,
) -> None:
    """Describe a network or an embedding."""
    import netgiven as ng
    from netgiven.array_file import is_embedding

    if is_embedding(file) or file.suffix.lower() == ".ng":
        if any(option is not None for option in (nodes, source, target, delimiter, header, encoding, memory_limit)):
            raise InputError(f"--nodes, --delimiter and the like go with a network file; {file} is an embedding.")
        embedding = ng.load(file)
        print_lines(describe_embedding(embedding) + _describe_what_is_left(embedding))
    else:
        network = ng.read(file, nodes=nodes, source=source, target=target, delimiter=delimiter, header=header)
        found = _propose_given_degrees(network)
        print_lines(describe_network(network, found or ()) + describe_proposals(found, "degrees"))


def export(
    file: EmbeddingFile,
    out: Annotated[
        Path,
        typer.Argument(
            help="The file to write: .csv, .tsv, .parquet, .npy, .txt/.vec (word2vec), or .gexf (a map for Gephi)."
        ),
    ],
) -> None:
    """Write the vectors, or a map for Gephi, to a file."""
    import netgiven as ng
    from netgiven.array_file import check_target
    from netgiven.embedding_file import GEXF

    check_target(out, file)
    embedding = ng.load(file)
    if out.suffix.lower() == GEXF and embedding.dimensions != 2:
        print_status(f"A map is fitted in the plane: the embedding has {embedding.dimensions} dimensions.")
    embedding.export(out)
    print_written(out)


def groups(
    file: EmbeddingFile,
    *,
    count: Annotated[
        int | None, typer.Option(min=1, help="Number of groups (default: as many as the links justify).")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Write the group of each node to this file (.csv: commas, others: tabs); --nodes reads it."),
    ] = None,
    seed: Seed = 0,
) -> None:
    """Find groups of nodes that are near each other.

    Prints one row per group: links inside it, those that the prior expects, typical nodes, frequent values.
    """
    import netgiven as ng
    from netgiven.array_file import check_target
    from netgiven.fitting.record import stage

    if out is not None:
        check_target(out, file)
    embedding = ng.load(file)
    with stage("finding groups"):
        found = embedding.groups(count, seed)
    print_status(repr(found))
    if len(found):
        show_table(found.table, None)
    if out is not None:
        show_table(found.group.rename_axis("node").reset_index(), out)
    print_written(out)


def describe_network(network: Network, found: Iterable[Proposal] = ()) -> list[tuple[str, str]]:
    """Size, degrees, components and columns of a network; notes that are not among the proposals, too."""
    from scipy.sparse.csgraph import connected_components

    degrees, count = network.degrees, network.node_count
    components, _ = connected_components(network.to_scipy(), directed=False)
    lines = [
        ("nodes", f"{count:,}"),
        ("links", f"{network.link_count:,}"),
        ("density", f"{2 * network.link_count / max(count * (count - 1), 1):.3g}"),
        ("degrees", f"{degrees.min()} to {degrees.max()}, mean {degrees.mean():.1f}" if count else "-"),
        ("isolated nodes", f"{int((degrees == 0).sum()):,}"),
        ("components", f"{components:,}"),
        ("read", str(network.cleaning)),
        *(("note", note) for note in _notes_beside(network, found)),
    ]
    return lines + [(f"column {name}", _describe_column(network, str(name))) for name in network.columns]


def _describe_column(network: Network, name: str) -> str:
    from netgiven.network import hashable, whole_numbers

    values = hashable(network.columns[name])
    missing = int(values.isna().sum())
    frequent = whole_numbers(values.value_counts().index[:5].tolist())
    text = f"{values.nunique():,} values: {', '.join(map(str, frequent))}"
    return text + (" ..." if values.nunique() > 5 else "") + (f"; {missing:,} missing" if missing else "")


def _describe_trial(trial: Trial) -> str:
    values = f"{trial.dimensions} dimensions, reach {trial.reach:g}, shrinkage {trial.shrinkage:g}"
    if trial.repelling:
        values += f", {trial.repelling} repelling, repelling shrinkage {trial.repelling_shrinkage:g}"
    if trial.uncertainty:
        values += f", uncertainty {trial.uncertainty:g}"
    if trial.stretch != 1:
        values += f", stretch {trial.stretch:g}"
    return f"{values}: score {trial.score:.4f}"


def describe_constraints(checks: Iterable[Any]) -> list[tuple[str, str]]:
    """How closely a prior meets its constraints."""
    from netgiven.edges import counted

    return [
        (
            f"given {check.knowledge}",
            f"{counted(check.constraints, 'constraint')}, largest relative error {check.largest_relative_error:.1e}",
        )
        for check in checks
    ]


def describe_embedding(embedding: Embedding) -> list[tuple[str, str]]:
    """Prior, spread, fit and likelihood of an embedding."""
    from netgiven.fitting.record import NOTHING_GAINED, gains_nothing

    spread, fit, error = embedding.spread, embedding.fit, embedding.likelihood.standard_error
    trained = fit.prior.knowledge
    remark = f". {NOTHING_GAINED}" if gains_nothing(embedding.bits_per_link) else ""
    return [
        ("given", embedding.prior.knowledge),
        *([("trained given", trained)] if trained != embedding.prior.knowledge else []),
        *describe_constraints(embedding.prior.checks),
        (
            "dimensions",
            f"{embedding.dimensions}" + (f", {embedding.repelling} repelling" if embedding.repelling else ""),
        ),
        ("reach", f"{embedding.reach:.4g} (s1 {spread.s1:g}, s2 {spread.s2:.4g}, {spread.density})"),
        ("fit", str(fit.convergence)),
        ("log-likelihood", f"{embedding.log_likelihood:,.1f} nats" + (f" ± {error:,.1f}, estimated" if error else "")),
        ("information gained", f"{bits_gained(embedding, digits=3)} bits per link over the prior{remark}"),
        ("settings", _describe_settings(fit.settings)),
        *([("added nodes", f"{fit.added_nodes:,}")] if fit.added_nodes else []),
        *(("trial", _describe_trial(trial)) for trial in fit.trials),
    ]


def _describe_settings(settings: ResolvedSettings) -> str:
    """The settings of a fit, without dimensions."""
    method = f"{settings.method.name}" + "".join(f", {name} {value}" for name, value in vars(settings.method).items())
    values = {
        "method": method,
        "optimizer": settings.optimizer,
        "init": settings.init,
        "reach in training": f"{settings.reach:.4g}",
        "shrinkage": f"{settings.shrinkage:g}",
        **({"repelling shrinkage": f"{settings.repelling_shrinkage:g}"} if settings.repelling else {}),
        "max steps": str(settings.max_steps),
        "learning rate": f"{settings.learning_rate:g}",
        "warmup": f"{settings.warmup:g}",
        "decay": f"{settings.decay:g}",
        "tolerance": f"{settings.tolerance:g}",
        "seed": str(settings.seed),
    }
    return ", ".join(f"{name} {value}" for name, value in values.items())


# ---- what is explained, and what to give next ------------------------------------------------------------------------


def describe_ledger(ledger: Ledger) -> list[tuple[str, str]]:
    """What each given thing explains, and what nothing explains."""
    from netgiven.edges import whole_percent

    rows = ledger.table[["knowledge", "words", "bits", "share"]].itertuples(index=False, name=None)
    return [
        *(
            (
                f"explained by {kind or 'the embedding'}",
                f"{_rounded(bits)} bits per link ({whole_percent(share)}), {words}",
            )
            for kind, words, bits, share in rows
        ),
        ("not explained", f"{_rounded(ledger.left)} of {_rounded(ledger.cost)} bits per link"),
    ]


def _rounded(bits: float) -> str:
    return f"{round(bits, 3) + 0.0:.3f}"  # adding 0 turns -0.0 into 0.0


def describe_proposals(found: Proposals | None, given: str | None) -> list[tuple[str, str]]:
    """What to give next, and how: `given` is what is given so far, None if it cannot be written as text."""
    if found is None:
        return []
    return [
        *(("propose", f"{text} {_how_to_give(kind, given)}") for kind, text in found),
        *(("not tried", f"{text} {_how_to_give(kind, given)}".rstrip()) for kind, text in found.untried),
    ]


def _how_to_give(kind: str, given: str | None) -> str:
    import shlex

    if not kind:
        return ""
    return f"Add {kind} to what is given." if given is None else f"Use --given {shlex.quote(f'{given}+{kind}')}"


def _notes_beside(network: Network, found: Iterable[Proposal]) -> list[str]:
    """The notes on a network without those that a proposal repeats."""
    from netgiven.network import suggestion

    kinds = {kind for kind, _ in found}
    repeated = {suggestion(network, str(name)) for name in network.columns if f"blocks:{name}" in kinds}
    return [note for note in network.notes if note not in repeated]


def _propose_given_degrees(network: Network) -> Proposals | None:
    """What to give beside degrees; where it can be seen without a prior that there is nothing, none is fitted."""
    from netgiven.columns import columns_of_groups, columns_of_many_groups, groups_without_links

    empty = any(groups_without_links(network, column).any() for column in columns_of_groups(network))
    if not empty and not columns_of_many_groups(network):
        return None
    from netgiven.analysis.ledger import proposals  # loads Numba, which takes longer than all the rest

    return proposals(network, "degrees")


def _describe_what_is_left(embedding: Embedding) -> list[tuple[str, str]]:
    """The network of an embedding, its ledger, what can still be read from it, and what to give next."""
    from netgiven.analysis.ledger import ledger, proposals, readable

    network, read = embedding.network, readable(embedding)
    found = proposals(network, None, embedding, read=read)
    return [
        *describe_network(network, found),
        *describe_ledger(ledger(network, None, embedding)),
        *_describe_readable(read),
        *describe_proposals(found, _as_option(embedding.prior.knowledge)),
    ]


def _describe_readable(read: pd.DataFrame) -> list[tuple[str, str]]:
    from netgiven.edges import whole_percent

    rows = read[["column", "read", "largest", "readable"]].itertuples(index=False, name=None)
    return [
        (
            f"readable {column}",
            f"{'yes' if can_be_read else 'no'}: {whole_percent(share)} of nodes by their neighbours, "
            f"largest group {whole_percent(largest)}",
        )
        for column, share, largest, can_be_read in rows
    ]


def _as_option(given: str) -> str | None:
    """What is given as the text of --given; None if it was learned elsewhere or made in Python."""
    from netgiven.analysis.ledger import LEARNED
    from netgiven.priors import parse_knowledge

    try:
        return None if given.endswith(LEARNED) else str(parse_knowledge(given))
    except InputError:
        return None
