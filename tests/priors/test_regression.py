"""A prior is an unpenalised logistic regression over all pairs: compared with one, and on planted truth."""

import numpy as np
import pytest
from scipy.special import expit

from netgiven.priors import parse_knowledge
from tests.priors.naive import all_pairs, constraint_matrix, knowledge_of, links_among, planted

PARTS = [
    "degrees", "density", "blocks:type", "blocks:place", "blocks:tags:separator=|", "order:year:bins=20",
    "order:year:bins=1,3,6", "order:time:kind=log", "order:year:kind=linear", "order:time:kind=window:width=2",
    "homophily:type", "homophily:time", "homophily:year:kind=equal", "assortativity", "group_degrees:type",
    "common_neighbours", "common_neighbours:adamic_adar", "common_neighbours:resource_allocation", "constraint:apart",
    "constraint:alike", "constraint:factors", "constraint:uphill", "constraint:few", "constraint:signed",
]  # fmt: skip


def regression(matrix, linked):
    """Log-odds of all pairs by Newton steps on the naive features, to rounding error; and H^-1 of the multipliers."""
    features = matrix.T
    multipliers = np.zeros(features.shape[1])
    for _ in range(60):
        probabilities = expit(features @ multipliers)
        hessian = (features * (probabilities * (1 - probabilities))[:, None]).T @ features
        step = np.linalg.lstsq(hessian, features.T @ (linked - probabilities), rcond=1e-12)[0]
        multipliers += step * min(1.0, 5 / max(np.abs(step).max(), 1e-300))
        if np.abs(features @ step).max() < 1e-11:
            break
    return features @ multipliers, np.linalg.pinv(hessian, rcond=1e-12, hermitian=True)


def independent(matrix):
    """As many rows as say something new."""
    kept = []
    for row in matrix:
        if np.linalg.matrix_rank(np.array([*kept, row]), tol=1e-9) > len(kept):
            kept.append(row)
    return np.array(kept)


def random_sum(seed):
    random = np.random.default_rng(seed)
    chosen = random.choice(PARTS, size=random.integers(2, 6), replace=False)
    return "+".join(["density", *(str(part) for part in chosen)])


def check_against_regression(network, text):
    knowledge = knowledge_of(text, network)
    prior = knowledge.fit(network)
    matrix, pairs = constraint_matrix(network, knowledge)
    linked = links_among(network, pairs)
    observed, expected = matrix @ linked, matrix @ prior.probabilities(pairs)
    enough = 1e-6 if "linear" in text else 1e-8
    assert np.all(np.abs(expected - observed) <= enough * np.maximum(np.abs(observed), 1))
    z = prior.log_odds(pairs)
    open_pairs = np.isfinite(z)
    there, _ = regression(matrix[:, open_pairs], linked[open_pairs])
    assert np.allclose(expit(z[open_pairs]), expit(there), atol=1e-7)


@pytest.mark.parametrize("text", PARTS)
def test_each_constraint_is_a_logistic_regression_over_all_pairs(text):
    check_against_regression(planted(60, 1), f"density+{text}")


@pytest.mark.parametrize(
    "seed", [*range(8), *(pytest.param(seed, marks=pytest.mark.thorough) for seed in range(8, 24))]
)
def test_random_sums_are_logistic_regressions_over_all_pairs(seed):
    count = int(np.random.default_rng(seed).choice([60, 80, 100]))
    check_against_regression(planted(count, 100 + seed), random_sum(seed))


@pytest.mark.parametrize("seed", range(3))
def test_sums_on_larger_networks_meet_their_constraints(seed):
    network, text = planted(300, 200 + seed), random_sum(50 + seed)
    knowledge = knowledge_of(text, network)
    matrix, pairs = constraint_matrix(network, knowledge)
    observed, expected = (
        matrix @ of for of in (links_among(network, pairs), knowledge.fit(network).probabilities(pairs))
    )
    assert np.all(np.abs(expected - observed) <= 1e-8 * np.maximum(np.abs(observed), 1))


def test_scikit_learn_agrees():
    from sklearn.linear_model import LogisticRegression

    network = planted(80, 7)
    knowledge = parse_knowledge("blocks:type+order:year:kind=linear+homophily:time+common_neighbours")
    matrix, pairs = constraint_matrix(network, knowledge)
    matrix = independent(matrix)
    model = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-12, fit_intercept=False, max_iter=1000)
    model.fit(matrix.T, links_among(network, pairs))
    expected = model.predict_proba(matrix.T)[:, 1]
    assert np.allclose(knowledge.fit(network).probabilities(pairs), expected, atol=1e-5)


@pytest.mark.parametrize("score", ["common_neighbours", "common_neighbours:adamic_adar"])
def test_the_multiplier_of_common_neighbours_is_that_of_the_regression(score):
    network = planted(70, 3)
    knowledge = parse_knowledge(f"degrees+{score}")
    matrix, pairs = constraint_matrix(network, knowledge)
    z = knowledge.fit(network).log_odds(pairs)
    there, _ = regression(matrix, links_among(network, pairs))
    multipliers = [np.linalg.lstsq(matrix.T, one, rcond=None)[0][-1] for one in (z, there)]
    assert np.isclose(*multipliers, rtol=1e-6)
    assert np.allclose(z, there, atol=1e-6)


PLANTED = [
    "blocks:type", "density+order:year:bins=1,3,6", "density+homophily:time", "density+constraint:uphill",
    "degrees+homophily:type", "density+order:time:kind=log+homophily:place", "blocks:tags:separator=|",
    "degrees+constraint:few",
]  # fmt: skip


@pytest.mark.parametrize("text", PLANTED)
@pytest.mark.parametrize("seed", range(3))
def test_planted_multipliers_come_back_within_their_standard_errors(text, seed):
    network = planted(70, 11, mean_degree=20)
    knowledge = knowledge_of(text, network)
    matrix, pairs = constraint_matrix(network, knowledge)
    matrix = independent(matrix)
    truth = knowledge.fit(network)
    drawn = truth.sample(seed).with_columns(network.columns)
    true, found = truth.log_odds(pairs), knowledge.fit(drawn).log_odds(pairs)
    assert np.isfinite(true).all()
    assert np.isfinite(found).all()
    _, inverse = regression(matrix, links_among(drawn, pairs))
    error = np.sqrt(np.diag(inverse))
    away = np.linalg.lstsq(matrix.T, found - true, rcond=None)[0]
    assert np.all(np.abs(away) <= 4 * error)
    assert np.sqrt(np.mean((away / error) ** 2)) > 0.05  # it is another network


def test_all_pairs_are_looked_at_once():
    pairs = all_pairs(planted(60, 1))
    assert len(pairs) == 60 * 59 // 2
