"""DeepWalk and node2vec: skip-gram over random walks (Perozzi et al. 2014; Grover and Leskovec 2016)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

from netgiven.evaluation.baselines.hadamard import regress
from netgiven.evaluation.baselines.skip_gram import skip_gram
from netgiven.evaluation.baselines.walks import Bias, second_order_walks
from netgiven.metrics import auc
from netgiven.network import Network
from netgiven.splits import LinkSplit, hide_links
from netgiven.types import Float32Array

HIDDEN = 0.2  # of the training links, to choose p and q on


@dataclass(frozen=True)
class DeepWalk:
    """Uniform walks, hierarchical softmax; settings of the paper (its program starts with 10 walks and window 5)."""

    dimensions: int = 128
    rounds: int = 80
    length: int = 40
    window: int = 10

    name = "DeepWalk"

    def vectors(self, network: Network, seed: int) -> Float32Array:
        """Walk, then learn."""
        walks = second_order_walks(network, self.rounds, self.length, seed=seed)
        return skip_gram(walks, network.node_count, self.dimensions, self.window, seed)


@dataclass(frozen=True)
class Node2vec:
    """Second-order walks, negative sampling; settings of the paper, with p and q as given."""

    p: float = 1.0
    q: float = 1.0
    dimensions: int = 128
    rounds: int = 10
    length: int = 80
    window: int = 10
    negative: int = 5

    @property
    def name(self) -> str:
        """With p and q."""
        return f"node2vec, p {self.p:g}, q {self.q:g}"

    def vectors(self, network: Network, seed: int) -> Float32Array:
        """Walk, then learn."""
        walks = second_order_walks(network, self.rounds, self.length, Bias(self.p, self.q), seed)
        return skip_gram(walks, network.node_count, self.dimensions, self.window, seed, negative=self.negative)


@dataclass(frozen=True)
class ChosenNode2vec:
    """node2vec with p and q from `values`, chosen on a fifth of the network's links, hidden for it.

    The trials take `trial_rounds` walks a node, the final vectors as many as `method` says.
    """

    method: Node2vec = Node2vec()
    values: tuple[float, ...] = (0.25, 1.0, 4.0)
    trial_rounds: int = 3

    name = "node2vec"

    def vectors(self, network: Network, seed: int) -> Float32Array:
        """Those of the chosen p and q, on all links of the network."""
        return self.choose(network, seed).vectors(network, seed)

    def choose(self, network: Network, seed: int) -> Node2vec:
        """The method with the p and q that find hidden links best; as it was, if no link can be hidden."""
        split = hide_links(network, HIDDEN, seed)
        if not len(split.hidden) or not len(split.others):
            return self.method
        candidates = [replace(self.method, p=p, q=q) for p, q in product(self.values, repeat=2)]
        return max(candidates, key=lambda method: _grade(replace(method, rounds=self.trial_rounds), split, seed))


def _grade(method: Node2vec, split: LinkSplit, seed: int) -> float:
    return auc(split.truth, regress(split.train, method.vectors(split.train, seed), split.pairs, seed))
