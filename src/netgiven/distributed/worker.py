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
    """A Ray actor that computes the nodes of one shard, and keeps the state of their optimizer from step to step."""

    def start(self, shard: Shard, rows: LinkRows, common: Broadcast, moments: Moments | None, steps: int) -> int:
        """Begin after some steps, with the state of the optimizer then; without one, at the beginning.

        Returns the number of link ends in this shard of which the prior is not certain.
        """
        self._objective, self._optimizer = (
            make_objective(shard, as_writeable(rows), as_writeable(common)),
            common.optimizer,
        )
        if moments is None:
            self._state = common.optimizer.init(np.empty((shard.stop - shard.start, common.dimensions), np.float32))
        else:
            self._state = AdamState(Moments(*(moment.copy() for moment in moments)), steps)
        return int(self._objective.problem.link_terms.ends)

    def step(self, positions: Float32Array, arguments: StepArguments) -> tuple[Float64Array, Float32Array]:
        """Objective of each block of the shard, and its positions after the step."""
        everywhere, own = as_writeable(positions), self._objective.problem.own
        block_values, gradient = self._objective.evaluate(everywhere, arguments.reach, arguments.step)
        mine = everywhere[own].copy()
        evaluated = Evaluation(0.0, gradient[own], arguments.learning_rate)
        self._optimizer.step(self._state, mine, evaluated, Threads(1))
        return block_values, mine

    def gather(self, *pieces: Float32Array) -> Float32Array:
        """The positions of all nodes from those of each shard, for all workers of this machine."""
        return np.concatenate(pieces)

    def moment(self, which: int) -> Float32Array:
        """The mean of gradients (0) or of their squares (1), for the nodes of the shard."""
        return self._state.moments[which]

    def machine(self) -> str:
        """The machine where it is, as Ray names it."""
        import ray

        return str(ray.get_runtime_context().get_node_id())


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
