"""Explanations: effects agree with slow references; tables, notes, pictures and the command."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import minimize

import netgiven as ng
from netgiven.analysis.explain import explain
from netgiven.errors import InputError, UnknownNode
from netgiven.kernels.prior_logit import prior_log_odds
from netgiven.model import log_odds, probability
from tests.helpers import local_objective, run_command
from tests.strategies import networks

PRIORS = ["density", "degrees", "blocks:type", "degrees+common_neighbours"]
TEAMS = [("ann", "bob"), ("bob", "cid"), ("cid", "ann"), ("cid", "dan"), ("dan", "eve"), ("eve", "fay"), ("fay", "dan")]


class NodeObjective:
    """The objective of one node with all others fixed, in float64; links have weights."""

    def __init__(self, objective, node):
        self.others = np.delete(np.arange(objective.network.node_count), node)
        self.objective, self.node, self.stiffness = objective, node, objective.spread.stiffness
        self.known = prior_log_odds(objective.model.prior, np.full(len(self.others), node), self.others)
        self.weight = np.isin(self.others, objective.neighbours(node)).astype(float)
        self.places = objective.positions[self.others].astype(float)
        self.sure = np.abs(self.known) > 512
        self.weight[self.sure] = probability(self.known[self.sure])

    def z(self, x):
        return log_odds(self.known, self.objective.reach, self.stiffness, np.square(x - self.places).sum(axis=1))

    def value(self, x):
        z = self.z(x)[~self.sure]
        return np.sum(np.logaddexp(0, z) - self.weight[~self.sure] * z) + self.objective.shrinkage / 2 * x @ x

    def gradient(self, x):
        return (
            -self.stiffness * (probability(self.z(x)) - self.weight) @ (x - self.places) + self.objective.shrinkage * x
        )

    def hessian(self, x):
        p, difference = probability(self.z(x)), x - self.places
        level = self.objective.shrinkage - self.stiffness * np.sum(p - self.weight)
        return self.stiffness**2 * (difference.T * (p * (1 - p))) @ difference + level * np.eye(len(x))

    def minimum(self, x):
        """The optimum, found from a starting point."""
        x = minimize(self.value, x, jac=self.gradient, method="BFGS").x
        for _ in range(5):
            x = x - np.linalg.solve(self.hessian(x), self.gradient(x))
        return x


def at_optimum(network, given_text, dimensions, shrinkage, node):
    """The objective of an embedding in which one node is at a well-determined optimum."""
    objective = local_objective(network, given_text, dimensions, shrinkage)
    positions = objective.positions
    positions[node] = NodeObjective(objective, node).minimum(positions[node].astype(float))
    slow = NodeObjective(objective, node)
    assume(np.linalg.eigvalsh(slow.hessian(positions[node].astype(float)))[0] > 0.1)
    return replace(objective)  # without what was computed from the old position


situations = (networks(least=3, most=9), st.sampled_from(PRIORS), st.integers(1, 4), st.floats(0.3, 2))


def side_effects(why, place):
    """The effects of the links of one of the two nodes."""
    shifts = why.sides[place].shifts
    return why.effects_of(*((shifts, 0 * shifts) if place == 0 else (0 * shifts, shifts)))


@given(*situations)
def test_effects_agree_with_finite_differences_of_the_optimum(network, given_text, dimensions, shrinkage):
    objective = at_optimum(network, given_text, dimensions, shrinkage, 0)
    why, slow, here = (
        explain(objective, 0, 1),
        NodeObjective(objective, 0),
        objective.positions[0].astype(float),
    )
    for other, effect in zip(why.sides[0].others, side_effects(why, 0), strict=True):
        place = np.flatnonzero(slow.others == other)
        if slow.sure[place]:
            assert effect == 0
            continue
        probabilities = []
        for step in (1e-4, -1e-4):
            slow.weight[place] += step
            probabilities.append(
                probability(slow.z(slow.minimum(here))[0])
            )  # the second node is the first of the others
            slow.weight[place] -= step
        assert np.isclose(effect, (probabilities[0] - probabilities[1]) / 2e-4, rtol=2e-3, atol=2e-5)


@given(*situations)
def test_effects_of_all_links_add_up(network, given_text, dimensions, shrinkage):
    """Attraction equals repulsion at the optimum: all links together have the effect of all expected links, minus the
    effect of the shrinkage.
    """
    objective = at_optimum(network, given_text, dimensions, shrinkage, 0)
    why, slow, here = (
        explain(objective, 0, 1),
        NodeObjective(objective, 0),
        objective.positions[0].astype(float),
    )
    expected = np.where(slow.sure, 0, probability(slow.z(here))) @ (here - slow.places)
    pulled = np.linalg.solve(slow.hessian(here), slow.stiffness * expected - shrinkage * here)
    p = probability(slow.z(here)[0])
    whole = slow.stiffness * p * (1 - p) * (here - slow.places[0]) @ pulled
    assert np.isclose(side_effects(why, 0).sum(), whole, rtol=2e-3, atol=2e-4)


@given(*situations)
def test_explanations_are_symmetric(network, given_text, dimensions, shrinkage):
    objective = at_optimum(network, given_text, dimensions, shrinkage, 0)
    one, other = explain(objective, 0, 1), explain(objective, 1, 0)
    assert np.isclose(one.probability, other.probability) and one.linked == other.linked
    effects = {frozenset(link): effect for link, effect in zip(other.links.tolist(), other.effects, strict=True)}
    assert len(effects) == len(other.links) == len(one.links)
    for link, effect in zip(one.links.tolist(), one.effects, strict=True):
        assert np.isclose(effect, effects[frozenset(link)], rtol=1e-6, atol=1e-9)
    assert np.allclose(sorted(one.without), sorted(other.without))
    assert np.isclose(one.effects.sum(), sum(side_effects(one, place).sum() for place in (0, 1)))


@given(*situations)
def test_parts_add_up_to_the_log_odds_of_the_embedding(network, given_text, dimensions, shrinkage):
    settings = {"dimensions": dimensions, "reach": 2, "shrinkage": shrinkage, "max_steps": 30}
    embedding = ng.embed(network, given_text, threads=1, **settings)
    why = embedding.explain(0, 1)
    assert np.isclose(why.probability, embedding.probability(0, 1), rtol=1e-4, atol=1e-9)
    assert why.parts.reach == embedding.reach and why.parts.distance <= 0
    if np.isinf(why.parts.prior):
        assert not why.effects.any()
        assert any("no other link changes that" in note for note in why.notes)


@pytest.fixture(scope="module")
def teams():
    fixed = {"dimensions": 2, "reach": 2, "shrinkage": 1.0}
    network = ng.Network.from_edges(TEAMS, nodes={"name": ["ann", "bob", "cid", "dan", "eve", "fay", "gus"]})
    return ng.embed(network, "density", **fixed)


def test_the_bridge_is_the_strongest_reason(teams):
    why = teams.explain("ann", "dan")
    table = why.table(2)
    assert table.columns.tolist() == ["node", "linked_to", "effect", "share", "without"]
    assert table["linked_to"].tolist() == ["cid", "cid"] and set(table["node"]) == {"ann", "dan"}
    assert table["effect"].is_monotonic_decreasing
    assert (table["without"] < why.probability).all()
    assert np.isclose(why.table(99)["share"].abs().sum(), 1)
    assert len(why.table(99)) == 5 and why.notes == []
    assert "'dan' - 'cid'" in repr(why) and "Why ann – dan?" in why._repr_html_()


def test_a_linked_pair_has_its_own_link_among_the_reasons_once(teams):
    why = teams.explain("dan", "cid")
    assert why.linked and "the link between them is one of the reasons" in why.notes[0]
    ends = why.table(99)[["node", "linked_to"]].to_numpy().tolist()
    assert ["dan", "cid"] in ends and ["cid", "dan"] not in ends
    assert why.table(1)["linked_to"].tolist() == ["cid"]


@pytest.mark.parametrize("which", ["with_unobserved", "with_observed"])
def test_an_unobserved_pair_is_explained_like_others(which):
    company = ng.datasets.company(people=60)
    first, second = np.triu_indices(60, 1)
    free = np.flatnonzero(~company.are_linked(first, second))[::7]
    pairs = list(zip(company.nodes[first[free]], company.nodes[second[free]], strict=True))
    network = getattr(company, which)(pairs)
    embedding = ng.embed(network, "degrees", dimensions=2, reach=2.0, shrinkage=0.5)
    unobserved = np.flatnonzero(~network.are_observed(first, second))[0]
    names = company.nodes[first[unobserved]], company.nodes[second[unobserved]]
    why = embedding.explain(*names)
    assert why.probability == pytest.approx(embedding.probability(*names)) and why.probability > 0
    assert np.abs(why.effects).max() > 0
    assert any(note.startswith("It is not known whether") for note in why.notes)
    linked = embedding.explain(*company.nodes[company.links()[0]])
    assert linked.is_observed and not any("not known" in note for note in linked.notes)


def test_a_node_without_links_has_a_note(teams):
    why = teams.explain("gus", "ann")
    assert "'gus' has no links." in why.notes and not len(why.sides[0].others) and len(why.table()) == 2
    assert "no other link" in teams_given_degrees().explain("gus", "ann").notes[0]


def teams_given_degrees():
    network = ng.Network.from_edges(TEAMS, nodes={"name": ["ann", "bob", "cid", "dan", "eve", "fay", "gus"]})
    return ng.embed(network, "degrees", dimensions=2, reach=2, shrinkage=1.0)


def test_nodes_without_any_links_have_an_empty_table():
    network = ng.Network.from_edges([("ann", "bob")], nodes={"name": ["ann", "bob", "cid", "dan"]})
    why = ng.embed(network, "density", dimensions=2).explain("cid", "dan")
    assert why.table().empty and len(why.notes) == 2 and "cid" in repr(why) and "cid" in why._repr_html_()


def test_bad_pairs_are_errors(teams):
    with pytest.raises(InputError, match="'ann' was given twice"):
        teams.explain("ann", "ann")
    with pytest.raises(UnknownNode, match="Did you mean ann"):
        teams.explain("anne", "bob")
    with pytest.raises(InputError, match="0 strongest reasons"):
        teams.explain("ann", "dan").table(0)


def test_a_node_that_is_not_at_its_optimum_has_a_note(teams):
    moved = teams.positions.copy()
    moved[0] += 1.5
    early = replace(teams, positions=moved)
    assert early.explain("ann", "dan").notes[0].startswith("'ann' is not at its optimum")


def test_a_position_that_is_not_determined_has_a_note(teams):
    without_shrinkage = replace(teams.fit, settings=replace(teams.fit.settings, shrinkage=0.0))
    together = replace(teams, positions=np.zeros_like(teams.positions), fit=without_shrinkage)
    why = together.explain("ann", "dan")
    assert "The position of 'ann' is not determined in every direction" in why.notes[0]
    assert np.isfinite(why.effects).all()


def test_positions_are_explained_with_the_prior_they_were_trained_with(teams):
    network = teams.network.with_columns(teams.network.columns.assign(team=list("aaabbbb")))
    fixed = {"dimensions": 2, "reach": 2, "shrinkage": 1.0}
    embedding = ng.embed(network, train_given="blocks:team", predict_given="density", **fixed)
    assert (
        embedding.training_objective.prior.knowledge == "blocks:team"
        and embedding.objective.prior.knowledge == "density"
    )
    why = embedding.explain("ann", "dan")
    assert why.notes == [] and np.isclose(why.probability, embedding.probability("ann", "dan"))
    assert all(side.distance_to_optimum < 1e-2 for side in why.sides)
    assert teams.training_objective is teams.objective


def test_positions_trained_with_a_learned_prior_are_explained(teams):
    fixed = {"dimensions": 2, "reach": 2.0, "shrinkage": 1.0}
    learned = ng.density().learn(teams.network)
    embedding = ng.embed(teams.network, train_given=learned, predict_given="density", **fixed)
    assert len(embedding.explain("ann", "dan").table()) == 5
    assert len(ng.embed(teams.network, learned, **fixed).explain("ann", "dan").table()) == 5


def test_a_calibrated_reach_is_used_for_predictions_only():
    embedding = ng.embed(ng.datasets.company(), "degrees", dimensions=2, threads=1)
    reach = embedding.history["reach"].iloc[-1]
    assert reach != embedding.reach and np.isclose(embedding.training_objective.reach, reach)
    assert np.isclose(embedding.training_objective.spread.stiffness, embedding.spread.stiffness)
    why = embedding.explain("person 001", "person 170")
    assert why.notes == [] and why.parts.reach == embedding.reach


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_pictures_are_the_same_twice(teams, tmp_path, ending):
    for name in ("one", "two"):
        teams.explain("ann", "dan").picture(tmp_path / f"{name}.{ending}")
    assert (tmp_path / f"one.{ending}").read_bytes() == (tmp_path / f"two.{ending}").read_bytes()


@pytest.mark.parametrize("pair", [("gus", "ann"), ("cid", "dan"), ("ann", "bob")])
def test_pictures_of_any_pair(teams, tmp_path, pair):
    teams.explain(*pair).picture(tmp_path / "pair.svg")
    assert (tmp_path / "pair.svg").stat().st_size > 1000


def test_pictures_in_one_dimension_and_of_no_links(tmp_path):
    network = ng.Network.from_edges(
        [("ann", "bob"), ("bob", "$x$")], nodes={"name": ["ann", "bob", "$x$", "eve", "fay"]}
    )
    embedding = ng.embed(network, "density", dimensions=1)
    embedding.explain("ann", "$x$").picture(tmp_path / "one.png")
    embedding.explain("eve", "fay").picture(tmp_path / "none.png")
    with pytest.raises(InputError, match="pictures are written to"):
        embedding.explain("ann", "bob").picture(tmp_path / "pair.gif")


@pytest.fixture
def file(teams, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    teams.save("teams.ng")
    return "teams.ng"


def test_the_command_prints_parts_and_reasons(file, capsys):
    assert run_command("explain", file, "ann", "dan", "--top", "2", "--picture", "why.png") == 0
    printed = capsys.readouterr()
    lines = printed.out.splitlines()
    assert [line.split()[0] for line in lines[:4]] == ["prior", "reach", "distance", "log-odds"]
    assert lines[5].split("\t") == ["node", "linked_to", "effect", "share", "without"] and len(lines) == 8
    assert printed.err == "Written to why.png.\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("ann", "zoe"), "There is no node 'zoe'"),
        (("ann", "ann"), "'ann' was given twice"),
        (("ann", "dan", "--top", "0"), "0 strongest reasons"),
        (("ann", "dan", "--picture", "why.gif"), "pictures are written to"),
        (("ann", "dan", "--picture", "nowhere/why.png"), "does not exist"),
    ],
)
def test_the_command_reports_errors(file, capsys, arguments, message):
    assert run_command("explain", file, *arguments) == 2
    printed = capsys.readouterr()
    assert message in printed.err and printed.out == ""


def test_numbers_as_names(tmp_path, capsys):
    network = ng.Network.from_edges([(1, 2), (2, 3), (3, 4)])
    ng.embed(network, "density", dimensions=2).save(tmp_path / "path.ng")
    assert run_command("explain", tmp_path / "path.ng", "1", "3") == 0
    assert "3\t2\t" in capsys.readouterr().out
