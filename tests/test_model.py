import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from netgiven.errors import InputError
from netgiven.model import Spread, log_odds, log_probability, log_probability_gradient, probability

probabilities = st.floats(0.001, 0.999)
distances = st.floats(0, 8)
spreads = st.tuples(st.floats(0.3, 2), st.floats(1.05, 6)).map(lambda pair: (pair[0], pair[0] * pair[1]))


def logit(probability):
    return np.log(probability / (1 - probability))


@given(probabilities, distances, spreads)
def test_log_odds_are_bayes_rule_with_half_normal_distances(prior, distance, spread):
    near, far = (stats.halfnorm.pdf(distance, scale=s) for s in spread)
    bayes = near * prior / (near * prior + far * (1 - prior))
    law = Spread(*spread)
    z = log_odds(logit(prior), law.reach(5), law.stiffness, distance**2)
    assert np.isclose(probability(z), bayes, rtol=1e-9, atol=1e-300)


@given(probabilities, st.lists(st.floats(-4, 4), min_size=1, max_size=6), spreads)
def test_log_odds_are_bayes_rule_with_gaussian_differences(prior, difference, spread):
    near, far = (np.prod(stats.norm.pdf(difference, scale=s)) for s in spread)
    bayes = near * prior / (near * prior + far * (1 - prior))
    law = Spread(*spread, density="gaussian")
    z = log_odds(logit(prior), law.reach(len(difference)), law.stiffness, np.square(difference).sum())
    assert np.isclose(probability(z), bayes, rtol=1e-9, atol=1e-300)


@given(probabilities, st.lists(st.floats(-2, 2), min_size=3, max_size=3), spreads, st.booleans())
def test_the_gradient_is_the_derivative_of_the_log_probability(prior, difference, spread, link):
    law, step = Spread(*spread), 1e-5
    x = np.array(difference)

    def value(point):
        return log_probability(log_odds(logit(prior), law.reach(3), law.stiffness, (point**2).sum()), link)

    slopes = [(value(x + step * e) - value(x - step * e)) / (2 * step) for e in np.eye(3)]
    z = log_odds(logit(prior), law.reach(3), law.stiffness, (x**2).sum())
    assert np.allclose(
        log_probability_gradient(np.asarray(z), link, law.stiffness, x), slopes, atol=1e-6 * law.stiffness
    )


def test_certain_pairs_have_probability_exactly_zero_or_one():
    assert probability(np.array([-np.inf, np.inf])).tolist() == [0.0, 1.0]
    assert log_probability(np.array([-np.inf, np.inf]), np.array([False, True])).tolist() == [0.0, 0.0]


def test_reach_of_the_paper():
    assert np.isclose(Spread(1, 2).reach(8), np.log(2))
    assert np.isclose(Spread(1, 2, "gaussian").reach(8), 8 * np.log(2))
    assert np.isclose(Spread.from_reach(3.5).reach(8), 3.5)


@pytest.mark.parametrize("make", [
    lambda: Spread(2, 1), lambda: Spread(0, 1), lambda: Spread(1, float("nan")), lambda: Spread(1, 2, "cauchy"),
    lambda: Spread.from_reach(0), lambda: Spread.from_reach(-1),
])  # fmt: skip
def test_impossible_spreads_are_errors(make):
    with pytest.raises(InputError, match="given"):
        make()
