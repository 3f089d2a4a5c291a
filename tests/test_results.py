"""What results show of themselves in a console: one or a few lines, no arrays."""

import pytest

import netgiven as ng


@pytest.fixture(scope="module")
def embedding():
    return ng.embed(ng.datasets.company(60), "degrees", dimensions=2, reach=2, shrinkage=0)


def test_a_fit(embedding):
    assert repr(embedding.fit).startswith("FitRecord given degrees: converged")


def test_a_report_on_a_prior(embedding):
    shown = repr(ng.describe_prior(embedding.network, "degrees+blocks:department"))
    assert shown.startswith("PriorReport given degrees+blocks:department: ") and "\n" not in shown


def test_a_report_on_fairness(embedding):
    assert repr(ng.fairness(embedding, "department")).startswith("FairnessReport on department, 5 groups:\n")


def test_predicted_labels(embedding):
    column = embedding.network.column("department")
    known = dict(zip(embedding.nodes[:40], column[:40], strict=True))
    prediction = ng.predict_labels(embedding.network, known, settings=ng.Settings(dimensions=2, reach=2, shrinkage=0))
    assert "40 labels of 40 nodes, 5 different ones; 20 nodes without labels; by the average" in repr(prediction)
