"""netgiven itself, given degrees or also types: with nothing set, with 8 dimensions, with all set, in a few steps."""

from typing import Any

import numpy as np
from common import Order, run

from netgiven import Knowledge, Network, blocks, degrees, embed, read
from netgiven.splits import pairs_of_questions

FIXED: dict[str, Any] = {"reach": 2.0, "shrinkage": 0.0}
FIXED_FOR_LARGE: dict[str, Any] = {"reach": 4.0, "shrinkage": 0.3}
FEW = 10  # steps


def read_network(order: Order) -> Network:
    types = order.network / "types.npy"
    if not types.exists():
        return read(order.matrix_file)
    names = np.load(types)
    return read(order.matrix_file, nodes={"node": np.arange(len(names)), "type": names})


def what_is_given(network: Network, types: bool) -> Knowledge:
    return degrees() + blocks("type") if types and "type" in network.columns else degrees()


def score_by_prior(order: Order, types: bool = False) -> None:
    network = read_network(order)
    prior = what_is_given(network, types).fit(network)
    np.save(order.output / "scores.npy", prior.log_odds_of(*np.load(order.network / "pairs.npy").T))
    if (order.network / "questions.npy").exists():
        asked = pairs_of_questions(np.load(order.network / "questions.npy"))
        np.save(order.output / "answers.npy", prior.log_odds_of(*asked.T))


def save(order: Order, types: bool = False, **settings: Any) -> None:
    network = read_network(order)
    given = what_is_given(network, types)
    embedding = embed(network, given, threads=order.threads, progress=False, **settings)
    embedding.save(order.output / "embedding.netgiven")


run(
    {
        "defaults": save,
        "defaults given types": lambda order: save(order, types=True),
        "chosen": lambda order: save(order, dimensions=order.dimensions),
        "fixed": lambda order: save(order, dimensions=order.dimensions, **FIXED),
        "ten steps": lambda order: save(order, dimensions=order.dimensions, max_steps=FEW, **FIXED),
        "fixed, reach 4": lambda order: save(order, types=True, dimensions=order.dimensions, **FIXED_FOR_LARGE),
        "degrees": score_by_prior,
        "degrees and types": lambda order: score_by_prior(order, types=True),
    }
)
