"""Why a pair is likely: against slow truths, as laws, and as a person asks for it."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import minimize

import netgiven as ng
from netgiven.analysis.explain import explain
from netgiven.analysis.local_objective import View
from netgiven.errors import InputError, UnknownNode
from netgiven.explorer.tables import pair_of
from netgiven.kernels.prior_logit import known_log_odds
from netgiven.model import log_odds, probability
from tests.cli.test_cli import run
from tests.strategies import networks

PRIORS = ["density", "degrees", "blocks:type", "degrees+common_neighbours"]
TEAMS = [("ann", "bob"), ("bob", "cid"), ("cid", "ann"), ("cid", "dan"), ("dan", "eve"), ("eve", "fay"), ("fay", "dan")]


class Slow:
    """The objective of one node with all others fixed, in double precision; links have weights."""

    def __init__(self, view, node):
        self.others = np.delete(np.arange(view.network.node_count), node)
        self.view, self.node, self.stiffness = view, node, view.spread.stiffness
        self.known = known_log_odds(view.scene.prior, np.full(len(self.others), node), self.others)
        self.weight = np.isin(self.others, view.neighbours(node)).astype(float)
        self.places = view.positions[self.others].astype(float)
        self.sure = np.abs(self.known) > 512
        self.weight[self.sure] = probability(self.known[self.sure])

    def z(self, x):
        return log_odds(self.known, self.view.reach, self.stiffness, np.square(x - self.places).sum(axis=1))

    def value(self, x):
        z = self.z(x)[~self.sure]
        return np.sum(np.logaddexp(0, z) - self.weight[~self.sure] * z) + self.view.shrinkage / 2 * x @ x

    def gradient(self, x):
        return -self.stiffness * (probability(self.z(x)) - self.weight) @ (x - self.places) + self.view.shrinkage * x

    def hessian(self, x):
        chance, apart = probability(self.z(x)), x - self.places
        level = self.view.shrinkage - self.stiffness * np.sum(chance - self.weight)
        return self.stiffness**2 * (apart.T * (chance * (1 - chance))) @ apart + level * np.eye(len(x))

    def lowest(self, x):
        """From a point to the optimum, to the last digit."""
        x = minimize(self.value, x, jac=self.gradient, method="BFGS").x
        for _ in range(5):
            x = x - np.linalg.solve(self.hessian(x), self.gradient(x))
        return x


def at_rest(network, given_text, dimensions, shrinkage, node, seed=0):
    """A view in which one node is at its optimum, and sits firmly there."""
    positions = np.random.default_rng(seed).normal(size=(network.node_count, dimensions)).astype(np.float32)
    view = View(network, ng.parse_knowledge(given_text).fit(network), positions, ng.Spread.from_reach(1.5), shrinkage)
    positions[node] = Slow(view, node).lowest(positions[node].astype(float))
    slow = Slow(view, node)
    assume(np.linalg.eigvalsh(slow.hessian(positions[node].astype(float)))[0] > 0.1)
    return View(network, view.prior, positions, view.spread, shrinkage)


situations = (networks(least=3, most=9), st.sampled_from(PRIORS), st.integers(1, 4), st.floats(0.3, 2))


@given(*situations)
def test_effects_are_those_of_finite_differences_of_the_optimum(network, given_text, dimensions, shrinkage):
    view = at_rest(network, given_text, dimensions, shrinkage, 0)
    told, slow, here = explain(view, 0, 1), Slow(view, 0), view.positions[0].astype(float)
    for other, effect in zip(told.sides[0].others, told.effects_of(told.sides[0].shifts), strict=True):
        place = np.flatnonzero(slow.others == other)
        if slow.sure[place]:
            assert effect == 0
            continue
        chances = []
        for step in (1e-4, -1e-4):
            slow.weight[place] += step
            chances.append(probability(slow.z(slow.lowest(here))[0]))  # the second node is the first of the others
            slow.weight[place] -= step
        assert np.isclose(effect, (chances[0] - chances[1]) / 2e-4, rtol=2e-3, atol=2e-5)


@given(*situations)
def test_effects_sum_to_what_the_hessian_says(network, given_text, dimensions, shrinkage):
    """Links pull as the model pushes: at rest, all links together have the effect of all expected links, less that of
    the shrinkage.
    """
    view = at_rest(network, given_text, dimensions, shrinkage, 0)
    told, slow, here = explain(view, 0, 1), Slow(view, 0), view.positions[0].astype(float)
    expected = np.where(slow.sure, 0, probability(slow.z(here))) @ (here - slow.places)
    pulled = np.linalg.solve(slow.hessian(here), slow.stiffness * expected - shrinkage * here)
    chance = probability(slow.z(here)[0])
    whole = slow.stiffness * chance * (1 - chance) * (here - slow.places[0]) @ pulled
    assert np.isclose(told.effects_of(told.sides[0].shifts).sum(), whole, rtol=2e-3, atol=2e-4)


@given(*situations)
def test_both_ways_are_the_same(network, given_text, dimensions, shrinkage):
    view = at_rest(network, given_text, dimensions, shrinkage, 0)
    one, other = explain(view, 0, 1), explain(view, 1, 0)
    assert np.isclose(one.probability, other.probability) and one.linked == other.linked
    effects = {frozenset(link): effect for link, effect in zip(other.links.tolist(), other.effects, strict=True)}
    assert len(effects) == len(other.links) == len(one.links)
    for link, effect in zip(one.links.tolist(), one.effects, strict=True):
        assert np.isclose(effect, effects[frozenset(link)], rtol=1e-6, atol=1e-9)
    assert np.allclose(sorted(one.without), sorted(other.without))
    assert np.isclose(one.effects.sum(), sum(one.effects_of(side.shifts).sum() for side in one.sides))


@given(*situations)
def test_parts_add_up_to_the_log_odds_of_the_embedding(network, given_text, dimensions, shrinkage):
    settings = {"dimensions": dimensions, "spread": ng.Spread.from_reach(2), "shrinkage": shrinkage, "steps": 30}
    embedding = ng.embed(network, given_text, threads=1, **settings)
    told = embedding.explain(0, 1)
    assert np.isclose(told.probability, embedding.probability(0, 1), rtol=1e-4, atol=1e-9)
    assert told.parts.reach == embedding.reach and told.parts.distance <= 0
    if np.isinf(told.parts.prior):
        assert not told.effects.any()
        assert any("no other link changes that" in note for note in told.notes)


# ---- as a person asks ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def teams():
    fixed = {"dimensions": 2, "spread": ng.Spread.from_reach(2), "shrinkage": 1.0}
    network = ng.Network.from_edges(TEAMS, nodes={"name": ["ann", "bob", "cid", "dan", "eve", "fay", "gus"]})
    return ng.embed(network, "density", **fixed)


def test_the_bridge_is_the_strongest_reason(teams):
    told = teams.explain("ann", "dan")
    table = told.table(2)
    assert table.columns.tolist() == ["node", "linked_to", "effect", "share", "without"]
    assert table["linked_to"].tolist() == ["cid", "cid"] and set(table["node"]) == {"ann", "dan"}
    assert table["effect"].is_monotonic_decreasing
    assert (table["without"] < told.probability).all()
    assert np.isclose(told.table(99)["share"].abs().sum(), 1)
    assert len(told.table(99)) == 5 and told.notes == []
    assert "'dan' - 'cid'" in repr(told) and "Why ann – dan?" in told._repr_html_()


def test_a_linked_pair_has_its_own_link_among_the_reasons_once(teams):
    told = teams.explain("dan", "cid")
    assert told.linked and "the link between them is one of the reasons" in told.notes[0]
    ends = told.table(99)[["node", "linked_to"]].to_numpy().tolist()
    assert ["dan", "cid"] in ends and ["cid", "dan"] not in ends
    assert told.table(1)["linked_to"].tolist() == ["cid"]


@pytest.mark.parametrize("which", ["with_unknown", "with_known"])
def test_a_pair_of_which_nobody_knows_is_explained_like_others(which):
    company = ng.datasets.company(people=60)
    first, second = np.triu_indices(60, 1)
    free = np.flatnonzero(~company.are_linked(first, second))[::7]
    pairs = list(zip(company.nodes[first[free]], company.nodes[second[free]], strict=True))
    network = getattr(company, which)(pairs)
    embedding = ng.embed(network, "degrees", dimensions=2, spread=ng.Spread.from_reach(2.0), shrinkage=0.5)
    unknown = np.flatnonzero(~network.are_known(first, second))[0]
    names = company.nodes[first[unknown]], company.nodes[second[unknown]]
    explanation = embedding.explain(*names)
    assert explanation.probability == pytest.approx(embedding.probability(*names)) and explanation.probability > 0
    assert np.abs(explanation.effects).max() > 0
    assert any(note.startswith("Nobody knows whether") for note in explanation.notes)
    linked = embedding.explain(*company.nodes[company.links()[0]])
    assert linked.is_known and not any("Nobody knows" in note for note in linked.notes)


def test_a_node_without_links_gets_a_sentence(teams):
    told = teams.explain("gus", "ann")
    assert "'gus' has no links." in told.notes and not len(told.sides[0].others) and len(told.table()) == 2
    assert "no other link" in teams_given_degrees().explain("gus", "ann").notes[0]


def teams_given_degrees():
    network = ng.Network.from_edges(TEAMS, nodes={"name": ["ann", "bob", "cid", "dan", "eve", "fay", "gus"]})
    return ng.embed(network, "degrees", dimensions=2, spread=ng.Spread.from_reach(2), shrinkage=1.0)


def test_nodes_without_any_links_have_an_empty_table():
    network = ng.Network.from_edges([("ann", "bob")], nodes={"name": ["ann", "bob", "cid", "dan"]})
    told = ng.embed(network, "density", dimensions=2).explain("cid", "dan")
    assert told.table().empty and len(told.notes) == 2 and "cid" in repr(told) and "cid" in told._repr_html_()


def test_bad_pairs_get_a_sentence(teams):
    with pytest.raises(InputError, match="'ann' was given twice"):
        teams.explain("ann", "ann")
    with pytest.raises(UnknownNode, match="Did you mean ann"):
        teams.explain("anne", "bob")
    with pytest.raises(InputError, match="0 strongest reasons"):
        teams.explain("ann", "dan").table(0)


def test_a_fit_that_was_stopped_says_so(teams):
    moved = teams.positions.copy()
    moved[0] += 1.5
    early = replace(teams, positions=moved)
    assert early.explain("ann", "dan").notes[0].startswith("'ann' is not where the objective is lowest")


def test_a_position_that_is_not_determined_is_told(teams):
    together = replace(teams, positions=np.zeros_like(teams.positions), settings={"shrinkage": 0.0})
    told = together.explain("ann", "dan")
    assert "The place of 'ann' is not determined in every direction" in told.notes[0]
    assert np.isfinite(told.effects).all()


def test_positions_are_explained_with_what_they_were_found_with(teams):
    network = teams.network.with_columns(teams.network.columns.assign(team=list("aaabbbb")))
    fixed = {"dimensions": 2, "spread": ng.Spread.from_reach(2), "shrinkage": 1.0}
    embedding = ng.embed(network, train_given="blocks:team", predict_given="density", **fixed)
    assert embedding.found.prior.knowledge == "blocks:team" and embedding.view.prior.knowledge == "density"
    told = embedding.explain("ann", "dan")
    assert told.notes == [] and np.isclose(told.probability, embedding.probability("ann", "dan"))
    assert all(side.unrest < 1e-2 for side in told.sides)
    assert teams.found is teams.view


def test_positions_found_with_what_cannot_be_had_again_get_a_sentence(teams):
    fixed = {"dimensions": 2, "spread": ng.Spread.from_reach(2), "shrinkage": 1.0}
    learned = ng.density().learn(teams.network)
    embedding = ng.embed(teams.network, train_given=learned, predict_given="density", **fixed)
    with pytest.raises(InputError, match="cannot be fitted again from its text"):
        embedding.explain("ann", "dan")
    assert pair_of(embedding, 0, 3).reasons.empty
    assert len(ng.embed(teams.network, learned, **fixed).explain("ann", "dan").table()) == 5


def test_a_balanced_reach_is_read_and_not_moved_with():
    embedding = ng.embed(ng.datasets.company(), "degrees", dimensions=2, threads=1)
    reach = embedding.history["reach"].iloc[-1]
    assert reach != embedding.reach and np.isclose(embedding.found.reach, reach)
    assert np.isclose(embedding.found.spread.stiffness, embedding.spread.stiffness)
    told = embedding.explain("person 001", "person 170")
    assert told.notes == [] and told.parts.reach == embedding.reach


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


# ---- the program ---------------------------------------------------------------------------------------------------


@pytest.fixture
def file(teams, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    teams.save("teams.ng")
    return "teams.ng"


def test_the_command_tells_parts_and_reasons(file, capsys):
    assert run("explain", file, "ann", "dan", "--top", "2", "--picture", "why.png") == 0
    told = capsys.readouterr()
    lines = told.out.splitlines()
    assert [line.split()[0] for line in lines[:4]] == ["prior", "reach", "distance", "log-odds"]
    assert lines[5].split("\t") == ["node", "linked_to", "effect", "share", "without"] and len(lines) == 8
    assert told.err == "Written to why.png.\n"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("ann", "zoe"), "There is no node 'zoe'"),
        (("ann", "ann"), "'ann' was given twice"),
        (("ann", "dan", "--top", "0"), "0 strongest reasons"),
        (("ann", "dan", "--picture", "why.gif"), "pictures are written to"),
        (("ann", "dan", "--picture", "nowhere/why.png"), "does not exist"),
    ],
)
def test_the_command_complains_in_a_sentence(file, capsys, arguments, sentence):
    assert run("explain", file, *arguments) == 2
    told = capsys.readouterr()
    assert sentence in told.err and told.out == ""


def test_numbers_as_names(tmp_path, capsys):
    network = ng.Network.from_edges([(1, 2), (2, 3), (3, 4)])
    ng.embed(network, "density", dimensions=2).save(tmp_path / "path.ng")
    assert run("explain", tmp_path / "path.ng", "1", "3") == 0
    assert "3\t2\t" in capsys.readouterr().out
