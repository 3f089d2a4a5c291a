"""netgiven info FILE|F.ng"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from netgiven.cli.options import Delimiter, Header, NetworkFile, NodeTable
from netgiven.cli.printing import bits_gained, print_lines
from netgiven.errors import InputError

if TYPE_CHECKING:
    from netgiven.embedding import Embedding
    from netgiven.network import Network

_TOLD_APART = ("dimensions", "trials", "trained_given")  # settings that have lines of their own


def info(file: NetworkFile, nodes: NodeTable = None, delimiter: Delimiter = None, header: Header = None) -> None:
    """What a network or an embedding holds."""
    import netgiven as ng
    from netgiven.array_file import is_embedding

    if is_embedding(file) or file.suffix.lower() == ".ng":
        if not (nodes is None and delimiter is None and header is None):
            raise InputError(f"--nodes, --delimiter and --header go with a network file; {file} is an embedding.")
        embedding = ng.load(file)
        print_lines(describe_embedding(embedding) + describe_network(embedding.network))
    else:
        print_lines(describe_network(ng.read(file, nodes=nodes, delimiter=delimiter, header=header)))


def describe_network(network: Network) -> list[tuple[str, str]]:
    """Size, degrees, pieces and columns."""
    from scipy.sparse.csgraph import connected_components

    degrees, count = network.degrees, network.node_count
    pieces, _ = connected_components(network.to_scipy(), directed=False)
    lines = [
        ("nodes", f"{count:,}"),
        ("links", f"{network.link_count:,}"),
        ("density", f"{2 * network.link_count / max(count * (count - 1), 1):.3g}"),
        ("degrees", f"{degrees.min()} to {degrees.max()}, mean {degrees.mean():.1f}" if count else "-"),
        ("isolated nodes", f"{int((degrees == 0).sum()):,}"),
        ("components", f"{pieces:,}"),
        ("read", str(network.cleaning)),
        *(("note", note) for note in network.notes),
    ]
    return lines + [(f"column {name}", _describe_column(network, str(name))) for name in network.columns]


def _describe_column(network: Network, name: str) -> str:
    values = network.columns[name]
    missing = int(values.isna().sum())
    told = f"{values.nunique():,} values: {', '.join(map(str, values.value_counts().index[:5]))}"
    return told + (" ..." if values.nunique() > 5 else "") + (f"; {missing:,} missing" if missing else "")


def _describe_trial(dimensions: int, reach: float, shrinkage: float, score: float) -> str:
    return f"dimensions {dimensions}, reach {reach:g}, shrinkage {shrinkage:g}: graded {score:.4f}"


def describe_constraints(checks: Iterable[Any]) -> list[tuple[str, str]]:
    """How well each kind of knowledge is met."""
    from netgiven.edges import counted

    return [
        (
            f"given {check.knowledge}",
            f"{counted(check.constraints, 'constraint')}, largest relative error {check.largest_relative_error:.1e}",
        )
        for check in checks
    ]


def describe_embedding(embedding: Embedding) -> list[tuple[str, str]]:
    """What was given, how the fit went, what was gained."""
    spread, error = embedding.spread, embedding.likelihood.standard_error
    trained = embedding.settings.get("trained_given", embedding.prior.knowledge)
    shown = {name: value for name, value in embedding.settings.items() if name not in _TOLD_APART}
    settings = ", ".join(f"{name} {value}" for name, value in shown.items())
    return [
        ("given", embedding.prior.knowledge),
        *([("trained given", str(trained))] if trained != embedding.prior.knowledge else []),
        *describe_constraints(embedding.prior.checks),
        ("dimensions", str(embedding.dimensions)),
        ("reach", f"{embedding.reach:.4g} (s1 {spread.s1:g}, s2 {spread.s2:.4g}, {spread.density})"),
        ("outcome", str(embedding.outcome)),
        ("log-likelihood", f"{embedding.log_likelihood:,.1f} nats" + (f" ± {error:,.1f}, estimated" if error else "")),
        ("information gained", f"{bits_gained(embedding, digits=3)} bits a link over the prior"),
        ("settings", settings),
        *(("tried", _describe_trial(*trial)) for trial in embedding.settings.get("trials", [])),
    ]
