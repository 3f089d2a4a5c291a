"""What a pair of nodes means. Everything else in netgiven loops over this page.

Bayes' rule with two distance densities, spread s1 for linked pairs and s2 > s1 for the others, is in log-odds

    z_ij  =  logit P(a_ij = 1 | X)  =  logit P_ij  +  reach  -  stiffness / 2 * |x_i - x_j|^2

    stiffness = 1 / s1^2 - 1 / s2^2          reach = p log(s2 / s1)

with p = 1 if the density is that of the distance (half-normal, the paper's text) and p = d if it is that of the
difference vector (Gaussian, the paper's tables). A link adds log sigmoid(z) to the log-likelihood, any other pair log
sigmoid(-z). Its derivative in x_i is `stiffness (sigmoid(z) - a_ij) (x_i - x_j)`: a link not yet predicted pulls, a
non-link wrongly predicted pushes. (The gradient printed in the paper has a factor 2 too many; finite differences say
so.)

The functions below take numbers or arrays. `kernels/reference.py` is written with them, and judges the fast kernels.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy import special

from netgiven.errors import InputError

Density = Literal["half_normal", "gaussian"]


@dataclass(frozen=True)
class Spread:
    """The two spreads of the distance densities, and which density they belong to.

    >>> Spread(1, 2).reach(dimensions=8)  # log 2
    0.6931471805599453
    >>> round(Spread(1, 2, density="gaussian").reach(dimensions=8), 3)
    5.545
    >>> Spread.from_reach(2.0).reach(dimensions=8)
    2.0
    """

    s1: float = 1.0
    s2: float = 2.0
    density: Density = "half_normal"

    def __post_init__(self) -> None:
        if not 0 < self.s1 < self.s2 < 1e43 * self.s1:
            raise InputError(f"Spreads s1 = {self.s1} and s2 = {self.s2} were given; 0 < s1 < s2 < 1e43 s1 is needed.")
        if self.density not in ("half_normal", "gaussian"):
            raise InputError(f"Density {self.density!r} was given; it is 'half_normal' or 'gaussian'.")

    @classmethod
    def from_reach(cls, reach: float) -> Spread:
        """The half-normal spread, s1 = 1, whose reach is `reach`: the largest gain in log-odds an embedding can
        give.
        """
        if not 0 < reach <= 98:
            raise InputError(f"A reach of {reach} was given; it must be above 0 (and usually lies between 0.5 and 10).")
        return cls(1.0, math.exp(reach))

    @property
    def stiffness(self) -> float:
        """How fast log-odds fall with the squared distance: 1/s1^2 - 1/s2^2."""
        return 1 / self.s1**2 - 1 / self.s2**2

    def reach(self, dimensions: int) -> float:
        """Log-odds gained by two nodes at the same place: p log(s2/s1)."""
        power = 1 if self.density == "half_normal" else dimensions
        return power * math.log(self.s2 / self.s1)


def log_odds(prior: Any, reach: Any, stiffness: Any, squared_distance: Any) -> Any:
    """z: the prior's log-odds, plus what the embedding adds."""
    return prior + (reach - 0.5 * stiffness * squared_distance)


def probability(z: Any) -> Any:
    """P(a = 1) = sigmoid(z), exactly 0 or 1 where the prior is certain and z infinite.

    >>> probability(np.array([-np.inf, 0.0, np.inf]))
    array([0. , 0.5, 1. ])
    """
    return special.expit(np.asarray(z, dtype=np.float64))


def log_probability(z: Any, link: Any) -> Any:
    """log P(a = link) = -softplus(-z) of a link, -softplus(z) of any other pair.

    >>> float(log_probability(0.0, True)) == -math.log(2)
    True
    """
    z = np.asarray(z, dtype=np.float64)
    return -np.logaddexp(0.0, np.where(link, -z, z))


def pull(z: Any, link: Any, stiffness: Any, difference: Any) -> Any:
    """Derivative of log P(a = link) in x_i, given the difference x_i - x_j."""
    return stiffness * (probability(z) - link)[..., None] * difference
