"""What one worker of a cluster does: evaluate the objective and take the step for the nodes that it owns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from netgiven.distributed.cluster import Shard, as_writeable
from netgiven.fitting.objectives import Method, ShardableObjective
from netgiven.fitting.optimizers import Adam, AdamState, Evaluation
from netgiven.fitting.problem import Problem, SampleProposal
from netgiven.fitting.settings import Forces
from netgiven.kernels.arrays import LinkRows, PriorArrays
from netgiven.kernels.gradient import Moments
from netgiven.parallel import Threads
from netgiven.types import Float32Array, Float64Array


class Broadcast(NamedTuple):
    """What all workers need; each machine holds one copy."""

    prior: PriorArrays
    draws: SampleProposal | None
    forces: Forces
    method: Method
    optimizer: Adam
    dimensions: int
    seed: int


class StepArguments(NamedTuple):
    """Number, reach and learning rate of a step."""

    step: int
    reach: float
    learning_rate: float


class Worker:
    """A Ray actor that computes the nodes of one shard.

    Everything it needs comes with each call, so that another worker can take its place at any time. What depends only
    on links and prior is cached.
    """

    def __init__(self) -> None:
        self._objective: ShardableObjective | None = None

    def ends(self, shard: Shard, rows: LinkRows, common: Broadcast) -> int:
        """Number of link ends in this shard of which the prior is not certain."""
        return int(self._get_objective(shard, rows, common).problem.link_terms.ends)

    def step(
        self,
        shard: Shard,
        rows: LinkRows,
        common: Broadcast,
        positions: Float32Array,
        arguments: StepArguments,
        moments: Moments | None,
    ) -> tuple[Float64Array, Float32Array, Moments]:
        """Objective of each block of the shard; its positions and the state of the optimizer after the step."""
        objective, all_positions = self._get_objective(shard, rows, common), as_writeable(positions)
        block_values, gradient = objective.evaluate(all_positions, arguments.reach, arguments.step)
        own, optimizer = objective.problem.own, common.optimizer
        mine = all_positions[own].copy()
        if moments is None:
            state = optimizer.init(mine)
        else:
            state = AdamState(Moments(*(moment.copy() for moment in moments)), arguments.step)
        optimizer.step(state, mine, Evaluation(0.0, gradient[own], arguments.learning_rate), Threads(1))
        return block_values, mine, state.moments

    def _get_objective(self, shard: Shard, rows: LinkRows, common: Broadcast) -> ShardableObjective:
        if self._objective is None:
            self._objective = make_objective(shard, as_writeable(rows), as_writeable(common))
        return self._objective


def make_objective(shard: Shard, rows: LinkRows, common: Broadcast) -> ShardableObjective:
    """The objective for the nodes of one shard. Expected degrees are not needed: samples are drawn as broadcast."""
    links, no_degrees = full_size_rows(shard, rows), np.empty(0)
    problem = Problem(links, common.prior, no_degrees, engine=shard, sample_proposal=common.draws, **common.forces)
    objective = common.method.objective(problem, common.dimensions, common.seed)
    assert isinstance(objective, ShardableObjective)
    return objective


def rows_of_shard(links: LinkRows, shard: Shard) -> LinkRows:
    """The rows of links of a shard, counted from its beginning."""
    starts = links.indptr[shard.start : shard.stop + 1]
    return LinkRows(starts - starts[0], links.indices[starts[0] : starts[-1]])


def full_size_rows(shard: Shard, rows: LinkRows) -> LinkRows:
    """The rows of a shard at their place in the network; the rows of other shards are empty, and take no memory."""
    indptr = np.zeros(shard.count + 1, dtype=np.int64)
    indptr[shard.start : shard.stop + 1] = rows.indptr
    return LinkRows(indptr, rows.indices)
