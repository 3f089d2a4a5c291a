"""The model of one pair of nodes. All loops over pairs compute what is written on this page.

Bayes' rule with two distance densities, spread s1 for linked pairs and s2 > s1 for the others, is in log-odds

    z_ij  =  logit P(a_ij = 1 | X)  =  logit P_ij  +  reach  -  stiffness / 2 * |x_i - x_j|^2

    stiffness = 1 / s1^2 - 1 / s2^2          reach = p log(s2 / s1)

with p = 1 if the density is that of the distance (half-normal, the paper's text) and p = d if it is that of the
difference vector (Gaussian, the paper's tables). A link adds log sigmoid(z) to the log-likelihood, any other pair log
sigmoid(-z). Its derivative in x_i is `stiffness (sigmoid(z) - a_ij) (x_i - x_j)`: a link that is not yet predicted
attracts its two nodes, a non-link with a high probability repels them. (The gradient printed in the paper has an extra
factor 2, as finite differences show.)

Distances can only say that alike nodes link. Some of the dimensions, the last ones, may *repel* instead: with y for the
coordinates in them

    z_ij  =  logit P_ij  +  reach  -  stiffness (|x_i - x_j|^2 / 2  +  y_i . y_j)

so that nodes with equal y link less, and nodes with opposite y more: y tells the roles of nodes, whom they link to,
where x tells their communities. What is in brackets, times two, is the *separation* of a pair, and half of its
derivative in (x_i, y_i), which is (x_i - x_j, y_j), takes the place of the difference in the derivative above.

The functions take numbers or arrays. `kernels/reference.py` is written with them, and the fast kernels are tested
against it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy import special

from netgiven.errors import InputError, did_you_mean, is_one_of, is_real

Density = Literal["half_normal", "gaussian"]

# A pair that the prior is certain of has infinite log-odds, from multipliers that would be infinite, too. They are kept
# finite, as multiples of CERTAIN: large enough that no embedding outweighs them, and small enough that float32 still
# adds them to ordinary log-odds without a loss that matters.
CERTAIN = 1024.0
SMALLEST_SPREAD = 1e-18  # squares of smaller ones, or of larger ones than its inverse, leave single precision
CERTAIN_LOG_ODDS = CERTAIN / 2  # log-odds beyond this are those of certain pairs, at any distance


@dataclass(frozen=True)
class Spread:
    """Spreads of the two distance densities: s1 of linked pairs, s2 of all others.

    Log-odds fall with the squared distance at the rate `stiffness / 2`, and two nodes at the same position gain
    `reach` over the prior.

    Parameters
    ----------
    s1 : float
        Spread of the distance of linked pairs, above 0.
    s2 : float
        Spread of the distance of all other pairs, above `s1`.
    density : {"half_normal", "gaussian"}
        "half_normal" is a density of the distance, as in the text of the paper; "gaussian" is one of the difference
        vector, as in its tables.
    repelling : int
        How many of the dimensions, the last ones, repel.

    Raises
    ------
    InputError
        If not 1e-18 <= s1 < s2 < 1e43 s1 and s1 <= 1e18, if there is no such density, or if `repelling` is not a
        whole number of at least 0.

    Examples
    --------
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
    repelling: int = 0

    def __post_init__(self) -> None:
        numbers = is_real(self.s1) and is_real(self.s2)
        if not (numbers and SMALLEST_SPREAD <= self.s1 <= 1 / SMALLEST_SPREAD and self.s1 < self.s2 < 1e43 * self.s1):
            raise InputError(
                f"Spreads s1 = {self.s1} and s2 = {self.s2} were given; 0 < s1 < s2 < 1e43 s1 is needed, and an s1 "
                f"from {SMALLEST_SPREAD:g} to {1 / SMALLEST_SPREAD:g}."
            )
        if not is_one_of(self.density, ("half_normal", "gaussian")):
            meant = did_you_mean(self.density, ("half_normal", "gaussian"))
            raise InputError(f"Density {self.density!r} was given; it is 'half_normal' or 'gaussian'.{meant}")
        if not isinstance(self.repelling, (int, np.integer)) or isinstance(self.repelling, bool) or self.repelling < 0:
            raise InputError(f"repelling = {self.repelling!r} was given; a whole number of at least 0 is needed.")
        object.__setattr__(self, "repelling", int(self.repelling))  # a file can hold no NumPy number

    @classmethod
    def from_reach(cls, reach: float) -> Spread:
        """The half-normal spread with s1 = 1 that has this reach.

        Parameters
        ----------
        reach : float
            Largest gain in log-odds that an embedding can give to a pair, above 0 and at most 98.

        Returns
        -------
        Spread
            `Spread(1, exp(reach))`.

        Raises
        ------
        InputError
            If the reach is not in this range.
        """
        if not (is_real(reach) and 0 < reach <= 98):
            raise InputError(
                f"A reach of {reach} was given; it must be above 0 and at most 98 (it usually lies between 0.5 and 10)."
            )
        return cls(1.0, math.exp(reach))

    @property
    def stiffness(self) -> float:
        """1 / s1^2 - 1 / s2^2: twice the loss of log-odds per squared distance."""
        return 1 / self.s1**2 - 1 / self.s2**2

    def reach(self, dimensions: int) -> float:
        """p log(s2 / s1): the gain in log-odds of two nodes at the same position.

        Parameters
        ----------
        dimensions : int
            Number of dimensions of the embedding. For the density "gaussian", p is the number of those that do not
            repel; otherwise it is 1, and 0 if all of them repel: there is no distance then.

        Returns
        -------
        float
        """
        near = max(dimensions - self.repelling, 0)
        power = min(near, 1) if self.density == "half_normal" else near
        return power * math.log(self.s2 / self.s1)


def separation(first: Any, second: Any, repelling: int = 0) -> Any:
    """|x_i - x_j|^2 + 2 y_i . y_j: the squared distance of positions, plus twice the product where dimensions repel.

    >>> float(separation(np.array([1.0, 0.0]), np.array([0.0, 2.0])))
    5.0
    >>> float(separation(np.array([1.0, 3.0]), np.array([0.0, 2.0]), repelling=1))
    13.0
    """
    if not repelling:
        return np.square(first - second).sum(axis=-1, dtype=np.float64)
    near, apart = np.s_[..., :-repelling], np.s_[..., -repelling:]
    products = (first[apart] * second[apart]).sum(axis=-1, dtype=np.float64)
    return separation(first[near], second[near]) + 2 * products


def direction(first: Any, second: Any, repelling: int = 0) -> Any:
    """(x_i - x_j, y_j): half of the derivative of the separation in the first position.

    >>> direction(np.array([1.0, 3.0]), np.array([0.5, 2.0]), repelling=1)
    array([0.5, 2. ])
    """
    difference = first - second
    if repelling:
        difference[..., -repelling:] = second[..., -repelling:]
    return difference


def log_odds(prior: Any, reach: Any, stiffness: Any, separation: Any) -> Any:
    """z = prior + reach - stiffness / 2 * separation, where `prior` are the log-odds of the prior."""
    return prior + (reach - 0.5 * stiffness * separation)


def probability(z: Any) -> Any:
    """P(a = 1) = sigmoid(z), exactly 0 or 1 where the prior is certain and z infinite.

    >>> probability(np.array([-np.inf, 0.0, np.inf]))
    array([0. , 0.5, 1. ])
    """
    return special.expit(np.asarray(z, dtype=np.float64))


def softplus(z: Any) -> Any:
    """log(1 + exp(z)) = -log P(a = 0).

    >>> float(softplus(0.0)) == math.log(2)
    True
    """
    return np.logaddexp(0.0, np.asarray(z, dtype=np.float64))


def uncertain_softplus(z: Any) -> Any:
    """softplus(z), and 0 for certain links: there softplus(z) = z, which the term of the link itself takes back.

    >>> uncertain_softplus(np.array([0.0, CERTAIN])).round(3)
    array([0.693, 0.   ])
    """
    return np.where(z < CERTAIN_LOG_ODDS, softplus(z), 0.0)


def log_probability(z: Any, link: Any) -> Any:
    """log P(a = link) = -softplus(-z) for a link, -softplus(z) for any other pair.

    >>> float(log_probability(0.0, True)) == -math.log(2)
    True
    """
    z = np.asarray(z, dtype=np.float64)
    return -softplus(np.where(link, -z, z))


def log_probability_gradient(z: Any, link: Any, stiffness: Any, direction: Any) -> Any:
    """Derivative of log P(a = link) in the position of i, given the direction (x_i - x_j, y_j)."""
    return stiffness * (probability(z) - link)[..., None] * direction
