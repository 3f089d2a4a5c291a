"""The vector baselines of the paper, by name, with the settings of their authors."""

from __future__ import annotations

from netgiven.evaluation.baselines.hadamard import VectorMethod
from netgiven.evaluation.baselines.line import Line
from netgiven.evaluation.baselines.metapath import Metapath2vec
from netgiven.evaluation.baselines.walkers import ChosenNode2vec, DeepWalk

METHODS: dict[str, VectorMethod] = {
    method.name: method for method in (DeepWalk(), Line(), ChosenNode2vec(), Metapath2vec())
}
