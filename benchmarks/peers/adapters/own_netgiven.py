"""netgiven itself, given degrees: with nothing set, with 8 dimensions, with everything set, and in a few steps."""

from typing import Any

from common import Order, run

from netgiven import degrees, embed, read

FIXED: dict[str, Any] = {"reach": 2.0, "shrinkage": 0.0}
FEW = 10  # steps


def save(order: Order, **settings: Any) -> None:
    network = read(order.matrix_file)
    embedding = embed(network, degrees(), threads=order.threads, progress=False, **settings)
    embedding.save(order.output / "embedding.netgiven")


run(
    {
        "defaults": save,
        "chosen": lambda order: save(order, dimensions=order.dimensions),
        "fixed": lambda order: save(order, dimensions=order.dimensions, **FIXED),
        "ten steps": lambda order: save(order, dimensions=order.dimensions, max_steps=FEW, **FIXED),
    }
)
