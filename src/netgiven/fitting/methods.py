"""How a fit looks at pairs, as values: exact(), sampled(samples), paper(samples, weighted)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from netgiven.errors import InputError
from netgiven.fitting.objectives import Exact, Objective, Paper, Sampled
from netgiven.fitting.task import Task

MOST_NODES_EXACT = 2_000  # above, a sampled fit is as good and far cheaper


@dataclass(frozen=True)
class ExactMethod:
    """All pairs, without noise."""

    name = "exact"

    def objective(self, task: Task, dimensions: int, seed: int) -> Objective:
        """The objective over all pairs."""
        return Exact(task, dimensions)


@dataclass(frozen=True)
class SampledMethod:
    """All links, and `samples` nodes that the prior proposes, shared by a block of nodes."""

    samples: int = 256
    name = "sampled"

    def __post_init__(self) -> None:
        check_samples(self.samples)

    def objective(self, task: Task, dimensions: int, seed: int) -> Objective:
        """The objective over a sample."""
        return Sampled(task, dimensions, self.samples, seed)


@dataclass(frozen=True)
class PaperMethod:
    """The paper's: `samples` links and as many non-links of each node."""

    samples: int = 50
    weighted: bool = False
    name = "paper"

    def __post_init__(self) -> None:
        check_samples(self.samples)

    def objective(self, task: Task, dimensions: int, seed: int) -> Objective:
        """The objective over each node's partners."""
        return Paper(task, dimensions, self.samples, seed, self.weighted)


Method = ExactMethod | SampledMethod | PaperMethod


def exact() -> Method:
    """All pairs, without noise."""
    return ExactMethod()


def sampled(samples: int = 256) -> Method:
    """All links, and `samples` other nodes for each node, drawn in proportion to the prior and weighted to be
    unbiased.
    """
    return SampledMethod(samples)


def paper(samples: int = 50, weighted: bool = False) -> Method:
    """The paper's scheme: `samples` links and as many non-links of each node, drawn uniformly in each step.

    `weighted` makes the sample unbiased; the published tables are without.
    """
    return PaperMethod(samples, weighted)


def choose_method(method: str | Method, node_count: int) -> Method:
    """A method from its name; "auto" picks by the number of nodes.

    >>> choose_method("auto", 100)
    ExactMethod()
    """
    if isinstance(method, (ExactMethod, SampledMethod, PaperMethod)):
        return method
    if method == "auto":
        method = "exact" if node_count <= MOST_NODES_EXACT else "sampled"
    makers = {"exact": exact, "sampled": sampled, "paper": paper}
    if method not in makers:
        raise InputError(f"Method {method!r} was given; it is auto, {', '.join(makers)}, or what they make.")
    return makers[method]()


def method_from_text(text: str) -> str | Method:
    """A method as `str` wrote it.

    >>> method_from_text("SampledMethod(samples=128)")
    SampledMethod(samples=128)
    """
    found = re.fullmatch(r"(Exact|Sampled|Paper)Method\((?:samples=(\d+))?(?:, weighted=(True|False))?\)", text)
    if found is None:
        return text
    if found[1] == "Exact":
        return exact()
    return sampled(int(found[2])) if found[1] == "Sampled" else paper(int(found[2]), found[3] == "True")


def check_samples(samples: int) -> None:
    """At least one sample is needed."""
    if samples < 1:
        raise InputError(f"{samples} samples were asked for; at least 1 is needed (256 is usual, 50 in the paper).")
