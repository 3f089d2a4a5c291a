"""netgiven itself, given degrees: with nothing set, with 8 dimensions, and with everything set."""

from typing import Any

from common import Order, run

import netgiven as ng

REACH = 2.0


def embed(order: Order, **settings: Any) -> None:
    network = ng.read(order.matrix_file)
    embedding = ng.embed(network, ng.degrees(), threads=order.threads, progress=False, **settings)
    embedding.save(order.output / "embedding.netgiven")


run(
    {
        "defaults": embed,
        "chosen": lambda order: embed(order, dimensions=order.dimensions),
        "fixed": lambda order: embed(
            order, dimensions=order.dimensions, spread=ng.Spread.from_reach(REACH), shrinkage=0.0
        ),
    }
)
