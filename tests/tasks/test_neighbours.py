import numpy as np
import pytest

import netgiven as ng
from netgiven.cli.demo import agreement, compare, nearest, random_agreement


def test_nearest_are_the_nearest():
    embedding = ng.embed(ng.datasets.company(people=50), dimensions=2, max_steps=20)
    distance = np.linalg.norm(embedding.positions[:, None] - embedding.positions[None], axis=2)
    np.fill_diagonal(distance, np.inf)
    found = nearest(embedding, 5)
    assert found.shape == (50, 5)
    assert np.allclose(np.take_along_axis(distance, found, axis=1), np.sort(distance, axis=1)[:, :5], atol=1e-6)


def test_giving_the_departments_brings_out_the_projects():
    """The paper's introductory example, in numbers."""
    network = ng.datasets.company()
    priors = ("density", "degrees", "degrees+blocks:department")
    bare, degrees, given = (ng.embed(network, prior, dimensions=2) for prior in priors)
    assert agreement(bare, "department") > 0.7 and agreement(degrees, "department") > 0.7
    assert agreement(bare, "project") < 0.5 and agreement(degrees, "project") < 0.6
    assert agreement(given, "project") > 0.9
    assert agreement(given, "department") < random_agreement(given, "department") + 0.05


def test_a_picture_is_a_picture(tmp_path):
    embedding = ng.embed(ng.datasets.company(people=30), dimensions=1, max_steps=5)
    compare([embedding], ["project"], tmp_path / "a.png")
    compare([embedding], ["project"], tmp_path / "b.png")
    assert (tmp_path / "a.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
    with pytest.raises(ng.InputError, match="pictures are written to"):
        compare([embedding], ["project"], tmp_path / "a.doc")


def test_a_company_needs_people():
    with pytest.raises(ng.InputError, match="at least 2"):
        ng.datasets.company(people=1)
