import numpy as np
import pytest

from netgiven.kernels import reference
from netgiven.kernels.pair_sums import (
    ListedFeatures,
    NodeArrays,
    PairSums,
    PointArrays,
    TableArrays,
    correct_entropy_terms,
    correct_hessian_product,
    correct_sums,
    entropy_terms,
    hessian_product,
    listed_variances,
    sum_pairs,
)


def tables(random, widths):
    parts = [random.normal(size=(width, width)) for width in widths]
    at = np.concatenate([[0], np.cumsum([width * width for width in widths])[:-1]]).astype(np.int64)
    return TableArrays(
        at, np.array(widths, dtype=np.int64), np.concatenate([(part + part.T).ravel() for part in parts])
    )


def random_points(count, columns, widths, certain=0, seed=0):
    random = np.random.default_rng(seed)
    group = np.stack([random.integers(0, width, count) for width in widths]).astype(np.int32)
    group = group[:, np.argsort(group[0], kind="stable")]
    left, right = random.normal(size=(columns, count)), random.normal(size=(columns, count))
    left[0, :certain], right[0] = -1024.0, 1.0
    left[0, certain : 2 * certain] = 1024.0
    begin = np.searchsorted(group[0], np.arange(widths[0] + 1)).astype(np.int32)
    return PointArrays(5 * random.random(count), left, right, group, tables(random, widths), begin)


@pytest.mark.parametrize("count", [1, 2, 37, 300])
@pytest.mark.parametrize("columns", [1, 2, 4])
@pytest.mark.parametrize("widths", [(1,), (5,), (1, 3), (4, 2, 3)])
@pytest.mark.parametrize("certain", [0, 3])
def test_sums_over_pairs_of_points_are_their_twins(count, columns, widths, certain):
    points = random_points(count, columns, widths, min(certain, count // 2))
    sums = PairSums(np.empty((columns, count)), np.empty(len(points.tables.values)))
    sum_pairs(points, sums)
    node_sums, group_sums = reference.sum_pairs(points)
    assert np.allclose(sums.node_sums, node_sums, rtol=1e-12, atol=1e-12)
    assert np.allclose(sums.group_sums, group_sums, rtol=1e-12, atol=1e-12)
    step = random_points(count, columns, widths, seed=9)._replace(right=points.right, group=points.group)
    hessian_product(points, step, sums)
    node_sums, group_sums = reference.hessian_product(points, step)
    assert np.allclose(sums.node_sums, node_sums, rtol=1e-11, atol=1e-11)
    assert np.allclose(sums.group_sums, group_sums, rtol=1e-11, atol=1e-11)
    out = np.zeros(2)
    entropy_terms(points, out)
    assert np.allclose(out, reference.entropy_terms(points), rtol=1e-12, atol=1e-10)


def random_listed(count, features, seed=1):
    random = np.random.default_rng(seed)
    rows, columns = np.triu_indices(count, 1)
    kept = random.random(len(rows)) < 0.3
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows[kept], minlength=count))]).astype(np.int64)
    return ListedFeatures(indptr, columns[kept].astype(np.int32), random.normal(size=(features, int(kept.sum()))))


@pytest.mark.parametrize("columns", [1, 3])
@pytest.mark.parametrize("widths", [(1,), (4, 2)])
@pytest.mark.parametrize("features", [1, 2])
def test_corrections_for_listed_pairs_are_their_twins(columns, widths, features):
    points = random_points(40, columns, widths)
    nodes = NodeArrays(points.left, points.right, points.group, points.tables)
    listed, multipliers = random_listed(40, features), np.array([0.7, -0.4])[:features]
    sums = PairSums(np.zeros(points.left.shape), np.zeros(len(points.tables.values)))
    totals = np.empty(features)
    correct_sums(listed, multipliers, nodes, sums, totals)
    node_sums, group_sums, expected = reference.listed_sums(listed, multipliers, nodes)
    assert np.allclose(sums.node_sums, node_sums, atol=1e-12)
    assert np.allclose(sums.group_sums, group_sums, atol=1e-12)
    assert np.allclose(totals, expected, atol=1e-12)


def test_the_curvature_of_listed_pairs_is_the_slope_of_their_sums():
    points, step = random_points(30, 2, (3,), seed=2), random_points(30, 2, (3,), seed=3)
    listed, multipliers, change = random_listed(30, 1), np.array([0.5]), np.array([0.3])
    ends = []
    for share in (-1e-5, 1e-5):
        values = points.tables.values + share * step.tables.values
        nodes = NodeArrays(
            points.left + share * step.left, points.right, points.group, points.tables._replace(values=values)
        )
        sums, totals = PairSums(np.zeros((2, 30)), np.zeros(9)), np.empty(1)
        correct_sums(listed, multipliers + share * change, nodes, sums, totals)
        ends.append(np.concatenate([sums.node_sums.ravel(), sums.group_sums, totals]))
    here = NodeArrays(points.left, points.right, points.group, points.tables)
    there = NodeArrays(step.left, points.right, points.group, step.tables)
    sums, totals = PairSums(np.zeros((2, 30)), np.zeros(9)), np.empty(1)
    slopes = np.empty((2, len(listed.indices)))
    listed_variances(listed, multipliers, here, slopes)
    correct_hessian_product(listed, slopes, change, there, sums, totals)
    found = np.concatenate([sums.node_sums.ravel(), sums.group_sums, totals])
    assert np.allclose(found, (ends[1] - ends[0]) / 2e-5, rtol=1e-6, atol=1e-7)


def test_measured_listed_pairs_change_both_sums():
    points = random_points(25, 1, (2,))
    nodes = NodeArrays(points.left, points.right, points.group, points.tables)
    listed, out = random_listed(25, 1), np.zeros(2)
    correct_entropy_terms(listed, np.ones(1), nodes, out)
    z = reference.point_log_odds(points)
    rows = np.repeat(np.arange(25), np.diff(listed.indptr))
    before, after = z[rows, listed.indices], z[rows, listed.indices] + listed.value[0]
    softplus = np.logaddexp(0, after) - np.logaddexp(0, before)
    gain = after / (1 + np.exp(-after)) - before / (1 + np.exp(-before))
    assert np.allclose(out, [2 * softplus.sum(), 2 * gain.sum()])
