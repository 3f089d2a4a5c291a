"""What drawing needs of an embedding, whoever made it."""

from __future__ import annotations

from typing import Protocol

from netgiven.model import Spread
from netgiven.network import Network
from netgiven.priors import Prior
from netgiven.types import Float32Array


class Placed(Protocol):
    """A network whose nodes have positions, and with prior and spread a probability for each pair."""

    @property
    def network(self) -> Network: ...  # noqa: D102
    @property
    def positions(self) -> Float32Array: ...  # noqa: D102
    @property
    def prior(self) -> Prior: ...  # noqa: D102
    @property
    def spread(self) -> Spread: ...  # noqa: D102
    @property
    def reach(self) -> float: ...  # noqa: D102
    @property
    def bits_per_link(self) -> float: ...  # noqa: D102
