"""Surprise in bits: how improbable the state of a pair is, whether it is linked or not.

A link of probability P has a surprise of -log2 P bits, a pair without a link one of -log2(1 - P) bits: 1 bit is a coin
that fell on one side, 10 bits are odds of one in about a thousand. Summed over all pairs, it is minus the
log-likelihood.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from netgiven.edges import whole_percent
from netgiven.errors import InputError, did_you_mean, is_one_of, is_real
from netgiven.model import log_probability
from netgiven.ranking import LogOdds
from netgiven.types import Float64Array, Int64Array, IntegerArray

if TYPE_CHECKING:
    import pandas as pd

LINKS_AT_ONCE = 1 << 18  # whose positions are compared together
SMALL = 0.1  # probabilities below this are written as "one in 25", larger ones as percentages
RAREST = 1e-9  # probabilities below this are all "less than one in a billion"
SAME = 0.05  # a lift that differs from 1 by less is none

Order = Literal["surprise", "lift"]


def pair_surprise(linked: npt.ArrayLike, probability: npt.ArrayLike) -> Float64Array:
    """Surprise of the state of pairs, in bits.

    Parameters
    ----------
    linked
        Whether each pair is linked.
    probability
        The probability of a link of each pair.

    Returns
    -------
    ndarray
        -log2 P where there is a link and -log2(1 - P) where there is none; infinite for what was excluded.

    Raises
    ------
    InputError
        If a probability is not between 0 and 1.

    Examples
    --------
    >>> from netgiven.analysis.surprise import pair_surprise
    >>> pair_surprise([True, True, False], [0.5, 0.001, 0.001]).round(3).tolist()
    [1.0, 9.966, 0.001]
    """
    share = np.asarray(probability, dtype=np.float64)
    if not np.all((share >= 0) & (share <= 1)):
        wrong = share[~((share >= 0) & (share <= 1))].flat[0]
        raise InputError(f"A probability of {wrong} was given; numbers from 0 to 1 are needed.")
    with np.errstate(divide="ignore"):  # log 0: infinitely many bits
        logarithm = np.where(np.asarray(linked, dtype=bool), np.log(share), np.log1p(-share))
    return np.asarray(0.0 - logarithm / math.log(2))


def sort_by_surprise(table: pd.DataFrame, linked: npt.ArrayLike) -> pd.DataFrame:
    """A table of pairs with a column `surprise` in bits, most surprising first.

    Parameters
    ----------
    table
        One row per pair, with a column `probability`, as `Embedding.likely_links` returns it.
    linked
        Whether each pair is linked; one value for all, or one per row.

    Returns
    -------
    DataFrame
        The same rows; of equally surprising ones, the earlier first.

    Raises
    ------
    InputError
        If there is no such column, or a probability is not between 0 and 1.

    Examples
    --------
    >>> import pandas as pd
    >>> from netgiven.analysis.surprise import sort_by_surprise
    >>> sort_by_surprise(pd.DataFrame({"u": [1, 2], "v": [3, 4], "probability": [0.5, 0.25]}), linked=True)
       u  v  probability  surprise
    0  2  4         0.25       2.0
    1  1  3         0.50       1.0
    """
    if "probability" not in table:
        raise InputError(f"A table with columns {list(table.columns)} was given; it needs a column 'probability'.")
    bits = pair_surprise(linked, table["probability"].to_numpy())
    return table.assign(surprise=bits).sort_values("surprise", ascending=False, kind="stable", ignore_index=True)


def link_surprise(log_odds: LogOdds, links: IntegerArray) -> Float64Array:
    """Surprise of links, given as pairs of node numbers, in bits; from log-odds, so that none is rounded to 0.

    >>> link_surprise(lambda first, second: np.zeros(len(first)), np.array([[0, 1], [1, 2]])).tolist()
    [1.0, 1.0]
    """
    bits = np.empty(len(links))
    for start in range(0, len(links), LINKS_AT_ONCE):
        first, second = links[start : start + LINKS_AT_ONCE].T.astype(np.int64)
        bits[start : start + LINKS_AT_ONCE] = log_probability(log_odds(first, second), True)
    return 0.0 - bits / math.log(2)


def most_surprising(posterior: LogOdds, prior: LogOdds, links: IntegerArray, count: int, by: Order) -> Int64Array:
    """Places of the `count` links that are least probable, or whose probability positions lower most."""
    from netgiven.ranking import largest

    check_order(by)
    bits = link_surprise(posterior, links)
    if by == "lift":
        before = link_surprise(prior, links)  # infinite where the prior excludes a link: positions change nothing
        bits = np.subtract(bits, before, out=np.zeros_like(bits), where=np.isfinite(before))
    return largest(bits, count)


def mean_surprise(log_odds: LogOdds, links: IntegerArray, nodes: int) -> Float64Array:
    """Mean surprise of the links of each node, in bits; NaN for nodes without links."""
    bits = np.repeat(link_surprise(log_odds, links), 2)  # for both ends of a link
    total = np.bincount(links.ravel(), weights=bits, minlength=nodes)
    count = np.bincount(links.ravel(), minlength=nodes)
    return np.asarray(np.divide(total, count, out=np.full(nodes, np.nan), where=count > 0))


def check_order(by: object) -> None:
    """Raise an error if links cannot be sorted by this."""
    orders = ("surprise", "lift")
    if not is_one_of(by, orders):
        raise InputError(f"by = {by!r} was given; it is 'surprise' or 'lift'.{did_you_mean(by, orders)}")


# ---- in words --------------------------------------------------------------------------------------------------------


def odds_in_words(probability: float, prior: float, given: str | None = None) -> str:
    """A probability in words, beside that of the prior alone.

    Parameters
    ----------
    probability
        That two nodes are linked.
    prior
        The same given the prior alone.
    given
        What the prior knows, in the plural ("degrees", "degrees and departments"); None: "the prior".

    Returns
    -------
    str
        Numbers have two digits.

    Raises
    ------
    InputError
        If one of the two is not a number from 0 to 1.

    Examples
    --------
    >>> from netgiven.analysis.surprise import odds_in_words
    >>> odds_in_words(0.00025, 0.000025, "degrees")
    'one in 4,000; 10 times what degrees alone say'
    >>> odds_in_words(0.75, 0.3)
    '75 %; 2.5 times what the prior alone says'
    >>> odds_in_words(0.002, 0.08, "degrees")
    'one in 500; 1/40 of what degrees alone say'
    """
    for value in (probability, prior):
        if not (is_real(value) and 0 <= value <= 1):
            raise InputError(f"A probability of {value} was given; a number from 0 to 1 is needed.")
    source, letter = (given, "") if given else ("the prior", "s")
    if prior == 0 < probability:
        return f"{_odds(probability)}; {source} alone exclude{letter} it"
    if probability == 0 < prior:
        return f"impossible; {source} alone say{letter} {_odds(prior)}"
    lift = probability / prior if prior else 1.0
    return f"{_odds(probability)}; {_times(lift)} {source} alone say{letter}"


def _odds(probability: float) -> str:
    """A probability in words.

    >>> [_odds(value) for value in (0, 1e-12, 0.04, 0.5)]
    ['impossible', 'less than one in a billion', 'one in 25', '50 %']
    >>> [_odds(value) for value in (0.999, 1 - 1e-12, 1)]
    ['all but one in 1,000', 'almost certain', 'certain']
    """
    if probability in (0, 1):
        return "certain" if probability else "impossible"
    if probability < RAREST:
        return "less than one in a billion"
    if probability < SMALL:
        return f"one in {_two_digits(1 / probability)}"
    if probability <= 0.99:
        return whole_percent(probability)
    return "almost certain" if 1 - probability < RAREST else f"all but one in {_two_digits(1 / (1 - probability))}"


def _times(lift: float) -> str:
    """A factor in words, with what it multiplies.

    >>> [_times(value) for value in (0.004, 0.25, 1.01, 1.5, 32.4, 4e7)]
    ['1/250 of what', '0.25 times what', 'as', '1.5 times what', '32 times what', 'more than a million times what']
    """
    if abs(lift - 1) < SAME:
        return "as"
    if lift > 1e6:
        return "more than a million times what"
    if lift < 1e-6:
        return "less than a millionth of what"
    return f"1/{_two_digits(1 / lift)} of what" if lift < SMALL else f"{_two_digits(lift)} times what"


def _two_digits(value: float) -> str:
    """A number of at least 0.1 with two digits.

    >>> [_two_digits(value) for value in (0.123, 1, 9.99, 12.34, 3996.0, 123456.0)]
    ['0.12', '1', '10', '12', '4,000', '120,000']
    """
    rounded = float(f"{value:.1e}")
    return f"{rounded:,.0f}" if rounded >= 10 else f"{rounded:g}"
