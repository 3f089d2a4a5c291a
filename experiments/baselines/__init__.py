"""The vector baselines of the paper, by name, with the settings of their authors."""

from __future__ import annotations

from experiments.baselines.deepwalk import DeepWalk, TunedNode2vec
from experiments.baselines.line import Line
from experiments.baselines.metapath2vec import Metapath2vec
from netgiven.evaluation.methods import VectorMethod

METHODS: dict[str, VectorMethod] = {
    method.name: method for method in (DeepWalk(), Line(), TunedNode2vec(), Metapath2vec())
}
