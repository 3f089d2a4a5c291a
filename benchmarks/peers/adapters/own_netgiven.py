"""netgiven itself, given degrees or also types: with nothing set, with 8 dimensions, with all set, in a few steps."""

from typing import Any

import numpy as np
from common import Order, run

from netgiven import Network, blocks, degrees, embed, read

FIXED: dict[str, Any] = {"reach": 2.0, "shrinkage": 0.0}
NOTHING: dict[str, Any] = {"dimensions": 1, "reach": 0.01, "shrinkage": 0.0, "max_steps": 1}  # the prior remains
FEW = 10  # steps


def read_network(order: Order) -> Network:
    types = order.network / "types.npy"
    if not types.exists():
        return read(order.matrix_file)
    names = np.load(types)
    return read(order.matrix_file, nodes={"node": np.arange(len(names)), "type": names})


def save(order: Order, types: bool = False, **settings: Any) -> None:
    network = read_network(order)
    given = degrees() + blocks("type") if types and "type" in network.columns else degrees()
    embedding = embed(network, given, threads=order.threads, progress=False, **settings)
    embedding.save(order.output / "embedding.netgiven")


run(
    {
        "defaults": save,
        "defaults given types": lambda order: save(order, types=True),
        "chosen": lambda order: save(order, dimensions=order.dimensions),
        "fixed": lambda order: save(order, dimensions=order.dimensions, **FIXED),
        "ten steps": lambda order: save(order, dimensions=order.dimensions, max_steps=FEW, **FIXED),
        "degrees": lambda order: save(order, **NOTHING),
        "degrees and types": lambda order: save(order, types=True, **NOTHING),
    }
)
