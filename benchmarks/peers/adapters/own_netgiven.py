"""netgiven itself, given degrees: with nothing set, with 8 dimensions, and with everything set."""

from typing import Any

from common import Order, run

from netgiven import Spread, degrees, embed, read

REACH = 2.0


def save(order: Order, **settings: Any) -> None:
    network = read(order.matrix_file)
    embedding = embed(network, degrees(), threads=order.threads, progress=False, **settings)
    embedding.save(order.output / "embedding.netgiven")


run(
    {
        "defaults": save,
        "chosen": lambda order: save(order, dimensions=order.dimensions),
        "fixed": lambda order: save(order, dimensions=order.dimensions, spread=Spread.from_reach(REACH), shrinkage=0.0),
    }
)
