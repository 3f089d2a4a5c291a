"""Calibration: laws of the correction for hidden links, and networks drawn from known probabilities."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import netgiven as ng
from netgiven.splits import LinkSplit, hide_links, pairs_without_link
from netgiven.tasks.calibration import (
    Reliability,
    draw_reliability,
    hidden_link_probability,
    reliability,
    reliability_on,
)

probabilities = st.floats(0, 1, allow_subnormal=False)
shares = st.floats(0.01, 0.99)


@given(st.floats(0, 0.999), shares)
def test_the_correction_is_bayes_rule(truth, share):
    """With p = P (1 - h), a pair without a training link is a hidden link with probability P h / (1 - P (1 - h))."""
    seen = truth * (1 - share)
    assert hidden_link_probability(seen, share) == pytest.approx(truth * share / (1 - seen), rel=1e-9)


@given(st.lists(probabilities, min_size=2), shares)
def test_corrected_probabilities_are_probabilities_in_the_same_order(values, share):
    result = hidden_link_probability(np.sort(values), share)
    assert ((result >= 0) & (result <= 1)).all()
    assert (np.diff(result) >= 0).all()


@given(st.data(), st.integers(1, 12))
def test_bins_keep_totals(data, bins):
    """Bins hold all pairs, links and expected links, and their means increase."""
    size = data.draw(st.integers(1, 40))
    sized = {"min_size": size, "max_size": size}
    p = np.array(data.draw(st.lists(probabilities, **sized)))
    y = np.array(data.draw(st.lists(st.booleans(), **sized)))
    y[0] = True
    each = data.draw(st.floats(0.5, 200))
    w = np.where(y, 1.0, each)
    table = reliability(y, p, each, bins)
    assert len(table.weight) <= min(bins, len(np.unique(p)))
    assert table.weight.sum() == pytest.approx(w.sum())
    assert table.weight @ table.observed == pytest.approx(w @ y)
    assert table.weight @ table.predicted == pytest.approx(w @ p, abs=1e-9)
    assert (np.diff(table.predicted) > -1e-12).all()
    gap = abs(w @ y - w @ p) / w.sum()
    assert gap - 1e-9 <= table.expected_calibration_error <= 1 + 1e-9


def test_bins_expect_the_same_number_of_links():
    p = np.random.default_rng(0).beta(0.2, 20, 100_000)
    table = reliability(p > 0.01, p, bins=10)
    assert np.allclose(table.weight * table.predicted, p.sum() / 10, rtol=0.01)


def drawn_network(seed, share):
    """A network drawn from known probabilities, a share of it hidden, and the probabilities of the test pairs."""
    random = np.random.default_rng(seed)
    activity = random.lognormal(-2.5, 1.2, 500)
    first, second = np.triu_indices(500, 1)
    p = np.minimum(activity[first] * activity[second], 0.95)
    pairs = np.column_stack([first, second])
    links = random.permutation(pairs[random.random(len(pairs)) < p])
    hidden, seen = np.split(links, [int(share * len(links))])
    full, train = (ng.Network.from_edges(some, nodes=range(500)) for some in (links, seen))
    split = LinkSplit(train, hidden, pairs_without_link(full, 10 * len(hidden), random))
    return split, np.minimum(activity[split.pairs[:, 0]] * activity[split.pairs[:, 1]], 0.95)


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_true_probabilities_are_calibrated_within_their_standard_error(share):
    """Over many drawn networks, the deviations in standard errors look like standard normal ones."""
    deviations, excess = [], []
    for seed in range(40):
        split, p = drawn_network(seed, share)
        table = reliability_on(split, p * (1 - share))
        deviations.append((table.observed - table.predicted) / table.error_if_right)
        excess.append(table.relative_calibration_error / table.relative_error_if_right)
    deviations = np.concatenate(deviations)
    assert abs(deviations.mean()) < 0.2
    assert 0.85 < deviations.std() < 1.2
    assert 0.8 < np.mean(excess) < 1.2


def test_the_standard_error_is_that_of_the_observed_share():
    """The standard deviation over many samples is the standard error, whatever is predicted."""
    random, tables = np.random.default_rng(3), []
    for _ in range(400):
        linked = random.random(20_000) < 0.02
        truth = linked[linked | (random.random(20_000) < 1 / 30)]
        tables.append(reliability(truth, np.full(len(truth), 0.5), weight_of_others=30))
    deviation = np.std([table.observed[0] for table in tables])
    assert np.mean([table.error[0] for table in tables]) == pytest.approx(deviation, rel=0.15)


def test_twice_too_sure_is_not_calibrated():
    split, p = drawn_network(0, 0.5)
    honest, bold = (reliability_on(split, np.minimum(factor * p * 0.5, 0.99)) for factor in (1, 2))
    assert np.abs((honest.observed - honest.predicted) / honest.error_if_right).max() < 4
    assert (bold.predicted - bold.observed)[:-1].min() > 0
    assert (bold.predicted - bold.observed > 5 * bold.error_if_right).sum() > 5
    assert bold.relative_calibration_error > 0.8 > 5 * honest.relative_calibration_error


def test_a_prior_fitted_to_the_rest_needs_the_correction():
    """A network that is explained by its degrees, a fifth of its links hidden as in the paper."""
    random = np.random.default_rng(2)
    activity = random.uniform(0.1, 0.6, 400)
    first, second = np.triu_indices(400, 1)
    linked = random.random(len(first)) < activity[first] * activity[second]
    network = ng.Network.from_edges(np.column_stack([first, second])[linked], nodes=range(400))
    split = hide_links(network, 0.2)
    p = 1 / (1 + np.exp(-ng.degrees().fit(split.train).log_odds_of(*split.pairs.T)))
    assert reliability_on(split, p).relative_calibration_error < 0.12
    assert reliability(split.truth, p, len(first) / len(split.others)).relative_calibration_error > 2


def test_bad_input_is_an_error():
    with pytest.raises(ng.InputError, match="between 0 and 1"):
        hidden_link_probability(0.5, 1.0)
    with pytest.raises(ng.InputError, match="at least one link"):
        reliability([False], [0.5])
    with pytest.raises(ng.InputError, match="2 true values, 1 of them links, and 1 probabilities were given"):
        reliability([True, False], [0.5])
    with pytest.raises(ng.InputError, match="between 0 and 1"):
        reliability([True], [1.5])
    with pytest.raises(ng.InputError, match="weight_of_others = 0"):
        reliability([True], [0.5], 0)
    with pytest.raises(ng.InputError, match="bins = 0"):
        reliability([True], [0.5], bins=0)


def test_the_curve_is_drawn():
    from matplotlib.figure import Figure

    axes = Figure().subplots()
    columns = ([0.0, 0.5, 0.6], [0.1, 0.4, 0.0], [0.1, 0.3, 0.1], [0.1, 0.3, 0.1], [5.0, 5.0, 5.0])
    draw_reliability(axes, {"<one>": Reliability(*map(np.array, columns))})
    points = axes.containers[0].lines[0].get_xydata()
    assert points.tolist() == [[0.5, 0.4]]
    assert axes.get_legend_handles_labels()[1] == ["<one>"]
