import copy
import dataclasses
import os
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import netgiven as ng
from netgiven.kernels import reference
from netgiven.kernels.arrays import LinkRows, make_model_arrays
from tests.strategies import networks

FIXED = {"reach": ng.Spread(1, 2), "shrinkage": 0.1}  # so that no trials select them
METHODS = {
    "exact": {"method": "exact"},
    "exact adam": {"method": "exact", "optimizer": "adam", "max_steps": 60},
    "sampled": {"method": "sampled", "max_steps": 40},
    "paper": {"method": "paper", "max_steps": 40},
    "paper weighted": {"method": ng.paper(20, weighted=True), "max_steps": 40},
}


@pytest.fixture(scope="module")
def company():
    return ng.datasets.company(people=700)


@pytest.fixture(scope="module")
def embedding(company):
    return ng.embed(company, given="degrees+blocks:department", dimensions=3, max_steps=60)


@pytest.mark.parametrize("name", METHODS)
def test_one_thread_and_more_give_the_same_bytes(company, name):
    """With settings selected by trials for the first method, and given settings for the others."""
    chosen = METHODS[name] if name == "exact" else METHODS[name] | FIXED
    one, same, three = (ng.embed(company, dimensions=5, threads=count, **chosen) for count in (1, 1, 3))
    assert one.positions.tobytes() == same.positions.tobytes() == three.positions.tobytes()
    assert one.log_likelihood == same.log_likelihood == three.log_likelihood
    assert one.history.equals(three.history)
    assert one.prior.left.tobytes() == three.prior.left.tobytes()


def test_another_process_with_other_threads_gives_the_same_bytes():
    code = (
        "import netgiven as ng, hashlib;"
        "e = ng.embed(ng.datasets.company(people=300), method='sampled', dimensions=8, shrinkage=0.0, max_steps=40);"
        "print(hashlib.sha256(e.positions.tobytes()).hexdigest())"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "OPENBLAS_NUM_THREADS": count, "OMP_NUM_THREADS": count},
            capture_output=True, text=True, check=True,
        ).stdout
        for count in ("1", "4")
    ]  # fmt: skip
    assert runs[0] == runs[1]


def test_another_seed_gives_another_sample(company):
    chosen = FIXED | {"dimensions": 8, "method": "sampled", "max_steps": 20, "init": "random"}
    first, second = (ng.embed(company, **chosen, seed=seed) for seed in (0, 1))
    assert not np.array_equal(first.positions, second.positions)


def test_all_methods_come_to_the_same_optimum(company):
    values = {}
    for name in ("exact", "sampled", "paper weighted"):
        patience = {"max_steps": 400, "learning_rate": 0.05} if name == "paper weighted" else {"max_steps": None}
        settings = {"dimensions": 4, "reach": 2.0, "shrinkage": 0.0, **METHODS[name], **patience}
        values[name] = ng.embed(company, **settings).log_likelihood
    assert values["sampled"] > values["exact"] * 1.002  # log-likelihoods are negative
    assert values["paper weighted"] > values["exact"] * 1.005


@pytest.mark.parametrize("name", ["studentdb_standin", pytest.param("facebook", marks=pytest.mark.thorough)])
def test_sampled_reaches_the_exact_optimum(public_network, name):
    network = public_network(name)
    spread = ng.Spread(1, 2)
    exact = ng.embed(network, reach=spread, method="exact", max_steps=400)
    sampled = ng.embed(network, reach=spread, method="sampled")
    assert -sampled.log_likelihood < -exact.log_likelihood * 1.001


@given(
    networks(least=1, most=8),
    st.sampled_from(["density", "degrees", "degrees+blocks:type"]),
    st.sampled_from(list(METHODS)),
)
def test_any_small_network_embeds(network, given, name):
    embedding = ng.embed(network, given, dimensions=2, **METHODS[name] | {"max_steps": 30})
    assert np.all(np.isfinite(embedding.positions))
    assert not embedding.fit.convergence.diverged
    count = network.node_count
    pairs = [(u, v) for u in range(count) for v in range(count)]
    chance = embedding.probabilities(pairs)
    assert np.all((chance >= 0) & (chance <= 1))
    known = embedding.prior.probabilities(pairs)
    assert np.all(chance[known == 0] == 0) and np.all(chance[known == 1] == 1)


def test_the_likelihood_is_that_of_the_probabilities(company, embedding):
    model = make_model_arrays(embedding.positions, embedding.prior.arrays, embedding.reach, embedding.spread.stiffness)
    z = reference.all_log_odds(model)
    linked = reference.adjacency(LinkRows(company.indptr, company.indices))
    rows, columns = np.triu_indices(len(company.nodes), 1)
    signs = np.where(linked[rows, columns], 1, -1)
    assert np.isclose(embedding.log_likelihood, -np.logaddexp(0, -signs * z[rows, columns]).sum(), rtol=1e-5)
    names = [(company.nodes[i], company.nodes[j]) for i, j in zip(rows[:50], columns[:50], strict=True)]
    assert np.allclose(embedding.probabilities(names), 1 / (1 + np.exp(-z[rows[:50], columns[:50]])), rtol=1e-4)


def test_positions_are_centred_and_widest_first(embedding):
    assert np.allclose(embedding.positions.mean(axis=0), 0, atol=1e-4)
    widths = embedding.positions.std(axis=0)
    assert list(widths) == sorted(widths, reverse=True)


def test_likely_links_of_a_node_are_the_best_that_are_not_there(company, embedding):
    table = embedding.likely_links("person 005", count=7)
    assert list(table.columns) == ["node", "probability", "prior", "lift"]
    others = [name for name in company.nodes if name != "person 005" and name not in company.neighbours("person 005")]
    chance = embedding.probabilities([("person 005", other) for other in others])
    assert np.allclose(table["probability"], np.sort(chance)[::-1][:7])
    assert not set(table["node"]) & {"person 005", *company.neighbours("person 005")}
    assert np.allclose(table["lift"], table["probability"] / table["prior"])


def test_likely_links_of_the_network_are_the_best_that_are_not_there(company, embedding):
    table = embedding.likely_links(count=25)
    rows, columns = np.triu_indices(len(company.nodes), 1)
    free = ~reference.adjacency(LinkRows(company.indptr, company.indices))[rows, columns]
    chance = embedding.probabilities(np.column_stack([company.nodes[rows[free]], company.nodes[columns[free]]]))
    assert np.allclose(table["probability"], np.sort(chance)[::-1][:25], rtol=1e-5)
    assert all(v not in company.neighbours(u) for u, v in zip(table["u"], table["v"], strict=True))
    assert table.equals(embedding.likely_links(count=25, threads=1))


def test_likely_links_end_where_nothing_is_possible():
    star = ng.Network.from_edges([("hub", leaf) for leaf in "abc"])
    embedding = ng.embed(star, dimensions=1)
    assert len(embedding.likely_links()) == 0
    assert len(embedding.likely_links("hub")) == 0
    full = ng.Network.from_edges([("a", "b")])
    assert len(ng.embed(full, given="density").likely_links(count=1000)) == 0


@pytest.fixture(scope="module")
def cinema():
    network = ng.datasets.cinema(viewers=60, films=40)
    return ng.embed(network, "degrees:uncertainty=0+blocks:side", dimensions=2, reach=2.0, shrinkage=1.0)


def test_recommendations_are_the_likely_links_among_some(cinema):
    table = cinema.recommend("viewer 07", count=5, among="film")
    pd.testing.assert_frame_equal(table, cinema.likely_links("viewer 07", count=5))  # viewers are never linked
    among = cinema.likely_links("viewer 07", count=9)["node"].iloc[[7, 2]].tolist()
    assert cinema.recommend("viewer 07", among=among)["node"].tolist() == among[::-1]


def test_recommendations_for_many_are_those_for_each(cinema):
    names = ["viewer 09", "film 03", "viewer 09"]
    table = cinema.recommend(names, count=4)
    assert table["u"].tolist() == [name for name in names for _ in range(4)]
    each = pd.concat([cinema.recommend(name, count=4) for name in names], ignore_index=True)
    pd.testing.assert_frame_equal(table.drop(columns="u").rename(columns={"v": "node"}), each)
    with pytest.warns(ng.InputWarning, match="Nothing to recommend to 15 nodes, such as .* of which 15 have no links"):
        many = cinema.recommend({"side": "viewer"}, count=1, among="film")
    assert len(many) == 45 and many["u"].is_unique
    assert not len(cinema.recommend([]))


def test_nothing_to_recommend_is_said(cinema):
    seen = cinema.network.neighbours("viewer 09")
    with pytest.warns(ng.InputWarning, match="Nothing to recommend to 1 node, such as 'viewer 09': all candidates"):
        assert not len(cinema.recommend("viewer 09", among=seen))
    with pytest.warns(ng.InputWarning):
        assert not len(cinema.recommend("viewer 09", among="viewer"))
    for wrong in ({"count": 0}, {"node": "viewer 99"}, {"node": {"side": "book"}}, {"node": ["viewer 09", "x"]}):
        with pytest.raises(ng.InputError):
            cinema.recommend(**{"node": "viewer 09", **wrong})


@pytest.mark.parametrize("leaves", range(2, 12))
def test_a_star_of_which_the_prior_is_certain_gains_nothing(leaves):
    star = ng.Network.from_edges([("hub", leaf) for leaf in range(leaves)])
    embedding = ng.embed(star)
    assert np.abs(embedding.positions).max() < 10
    assert embedding.log_likelihood == pytest.approx(0, abs=1e-6)


def test_names_come_back(company, embedding):
    assert embedding["person 003"].shape == (3,)
    assert embedding.probability("person 001", "person 001") == 0.0
    assert embedding.probability("person 001", "person 002") == embedding.probability("person 002", "person 001")
    with pytest.raises(ng.InputError, match=r"no node 'person 0003'.*Did you mean person"):
        embedding["person 0003"]


def test_more_is_known_than_before(company, embedding):
    assert embedding.bits_per_link > 0.1
    assert embedding.log_likelihood > embedding.prior.log_likelihood(company.links())
    assert len(embedding.history) == embedding.fit.convergence.steps


def test_given_may_be_text_knowledge_or_a_prior(company):
    results = [
        ng.embed(company, given, dimensions=2, max_steps=5, **FIXED)
        for given in ("blocks:department", ng.blocks("department"), ng.blocks("department").fit(company))
    ]
    assert len({result.positions.tobytes() for result in results}) == 1
    with pytest.raises(ng.InputError, match="other nodes"):
        ng.embed(company, ng.density().fit(ng.datasets.company(people=10)))


def test_any_network_in_python_will_do(tmp_path):
    import igraph
    import networkx

    links = [(0, 1), (1, 2), (2, 0), (2, 3)]
    graph = networkx.Graph(links)
    (tmp_path / "links.txt").write_text("".join(f"{u} {v}\n" for u, v in links))
    things = [
        graph, igraph.Graph(links), networkx.to_scipy_sparse_array(graph), networkx.to_numpy_array(graph),
        pd.DataFrame(links), ng.Network.from_edges(links), tmp_path / "links.txt", str(tmp_path / "links.txt"),
    ]  # fmt: skip
    vectors = {ng.embed(thing, dimensions=2, max_steps=10).positions.tobytes() for thing in things}
    assert len(vectors) == 1
    with pytest.raises(ng.InputError, match="A network was expected, int given"):
        ng.embed(7)


@pytest.mark.parametrize("settings,words", [
    ({"dimensions": 0}, "dimensions = 0"), ({"max_steps": 0}, "max_steps = 0"), ({"shrinkage": -1}, "shrinkage = -1"),
    ({"method": "magic"}, "'magic'"), ({"optimizer": "newton"}, "newton"), ({"init": "here"}, "here"),
    ({"optimizer": "lbfgs", "method": "sampled"}, "without noise"), ({"learning_rate": 0}, "learning rate of 0"),
    ({"threads": 0}, "0 threads"),
    ({"seed": -1}, "seed = -1"), ({"warmup": 2}, "shares"),
    ({"given": "weather"}, "weather"), ({"max_steps": float("nan")}, "max_steps = nan"),
    ({"max_steps": 10.5}, "max_steps = 10.5"),
    ({"dimensions": 2.5}, "dimensions = 2.5"), ({"seed": 2**70}, "seed ="), ({"seed": 1.5}, "seed = 1.5"),
    ({"learning_rate": float("inf")}, "learning_rate = inf"), ({"tolerance": -1}, "tolerance = -1"),
    ({"reach": "far"}, "reach = 'far'"),
    ({"given": 5}, "5 was given"), ({"method": None}, "None"), ({"shrinkage": float("inf")}, "shrinkage = inf"),
    ({"reach": ng.Spread(1, 1e40, "gaussian")}, "reach of"),
])  # fmt: skip
def test_settings_that_make_no_sense_are_refused(settings, words):
    with pytest.raises(ng.InputError, match=words):
        ng.embed(ng.datasets.company(people=10), **settings)


def test_shrinkage_draws_positions_together(company):
    chosen = {"dimensions": 3, "method": "exact", "reach": ng.Spread(1, 2)}
    free, held = (ng.embed(company, **chosen, shrinkage=weight) for weight in (0.0, 5.0))
    assert np.square(held.positions).sum() < np.square(free.positions).sum()


def test_the_callback_sees_each_step(company):
    seen, chosen = [], FIXED | {"dimensions": 8, "max_steps": 12}
    ng.embed(company, **chosen, callback=lambda record, positions: seen.append((record.step, positions.shape)))
    assert [step for step, _ in seen] == list(range(12))


def test_vectors_leave_in_usual_formats(tmp_path, embedding):
    for ending in (".csv", ".tsv", ".parquet", ".npy"):
        embedding.export(tmp_path / f"vectors{ending}")
    assert pd.read_csv(tmp_path / "vectors.csv").shape == (700, 4)
    assert np.allclose(pd.read_csv(tmp_path / "vectors.tsv", sep="\t").iloc[:, 1:], embedding.positions, rtol=1e-5)
    assert list(pd.read_parquet(tmp_path / "vectors.parquet")["node"]) == list(embedding.nodes)
    assert np.array_equal(np.load(tmp_path / "vectors.npy"), embedding.positions)
    with pytest.raises(ng.InputError, match="blank in its name"):
        embedding.export(tmp_path / "vectors.vec")
    with pytest.raises(ng.InputError, match="vectors are written to"):
        embedding.export(tmp_path / "vectors.docx")
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_word2vec_text_is_sizes_then_names_and_numbers(tmp_path):
    network = ng.Network.from_edges([("ä", "b"), ("b", "c")])
    embedding = ng.embed(network, dimensions=2)
    embedding.export(tmp_path / "v.vec")
    lines = (tmp_path / "v.vec").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "3 2"
    assert lines[1].split(" ")[0] == "ä"
    assert np.allclose([float(x) for x in lines[1].split(" ")[1:]], embedding["ä"], rtol=1e-5)


def hubs(nodes=6000, seed=0):
    """A network with a heavy tail of degrees, made by preferential attachment."""
    import networkx

    return ng.Network.from_networkx(networkx.barabasi_albert_graph(nodes, 4, seed=seed))


GIVEN = {"dimensions": 16, "reach": 1, "shrinkage": 0.3}  # what selection finds for it


@pytest.mark.parametrize("chosen", [GIVEN, pytest.param({}, marks=pytest.mark.thorough)], ids=["given", "automatic"])
def test_hubs_do_not_throw_their_neighbours_out(chosen):
    """Eigenvectors around hubs are localised; the default init must not put nodes where no fit brings them back."""
    network = hubs()
    gained = ng.embed(network, **chosen).bits_per_link
    assert gained > 0
    assert gained > ng.embed(network, init="random", **chosen).bits_per_link - 0.1


def test_a_large_network_is_measured_by_samples():
    network = hubs(nodes=21_000)
    embedding = ng.embed(network, dimensions=4, max_steps=30)
    assert embedding.likelihood.standard_error > 0
    assert embedding.likelihood.standard_error < 0.01 * abs(embedding.log_likelihood)


def test_an_embedding_is_a_collection_of_its_nodes(embedding):
    assert "person 001" in embedding and "nobody" not in embedding
    assert list(embedding)[:2] == ["person 001", "person 002"]


def test_a_fit_that_diverges_says_so(company):
    chosen = FIXED | {"dimensions": 8, "method": "sampled", "max_steps": 40}
    assert ng.embed(company, **chosen, learning_rate=1e30).fit.convergence.diverged


def test_too_many_groups_are_refused():
    count = 9000
    nodes = {"node": range(count), "id": [str(number) for number in range(count)]}
    network = ng.Network.from_edges([(i, i + 1) for i in range(count - 1)], nodes)
    with pytest.raises(ng.InputError, match=r"9,000 groups.*fewer groups"):
        ng.embed(network, given="blocks:id")


# ---- for other libraries -----------------------------------------------------------------------------------------


def test_vectors_are_the_positions_and_cannot_be_changed(embedding):
    assert embedding.shape == embedding.vectors.shape == (700, 3) == np.asarray(embedding).shape
    assert np.shares_memory(embedding.vectors, embedding.positions)
    assert np.shares_memory(np.asarray(embedding), embedding.positions)
    for array in (embedding.vectors, np.asarray(embedding)):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    assert np.array(embedding).flags.writeable


def test_log_odds_are_those_of_probabilities(embedding):
    pairs = [("person 001", "person 002"), ("person 003", "person 003")]
    odds = embedding.log_odds(pairs)
    np.testing.assert_allclose(1 / (1 + np.exp(-odds)), embedding.probabilities(pairs))
    assert odds[1] == -np.inf
    with pytest.raises(ng.InputError, match="no node"):
        embedding.log_odds([("person 001", "nobody")])


def test_embeddings_are_compared_by_value(embedding, tmp_path):
    embedding.save(tmp_path / "company.ng")
    loaded = ng.load(tmp_path / "company.ng")
    for same in (loaded, copy.copy(embedding), copy.deepcopy(embedding)):
        assert same == embedding and hash(same) == hash(embedding) and same.network == embedding.network
    moved = dataclasses.replace(embedding, positions=embedding.positions + 1)
    another = dataclasses.replace(embedding, spread=ng.Spread(1.0, 3.0))
    given_less = dataclasses.replace(embedding, prior=ng.degrees().fit(embedding.network))
    assert embedding not in (moved, another, given_less, "an embedding")
    zero = dataclasses.replace(embedding, positions=0 * embedding.positions)  # some are -0.0
    positive = dataclasses.replace(embedding, positions=np.zeros_like(embedding.positions))
    assert zero == positive and hash(zero) == hash(positive)


def test_gensim_reads_word2vec_text(tmp_path):
    models = pytest.importorskip("gensim.models")
    links = [("ann", "bob"), ("bob", "cid"), ("cid", "ann"), ("zoë", "ann")]
    embedding = ng.embed(ng.Network.from_edges(links), dimensions=2)
    embedding.export(tmp_path / "v.vec")
    read = models.KeyedVectors.load_word2vec_format(tmp_path / "v.vec")
    assert read.index_to_key == embedding.nodes.tolist()
    np.testing.assert_array_equal(read.vectors, embedding.vectors)


def test_anndata_holds_vectors_links_and_columns(company, embedding):
    anndata = pytest.importorskip("anndata")
    made = embedding.to_anndata()
    assert isinstance(made, anndata.AnnData) and made.obs_names.tolist() == company.nodes.tolist()
    np.testing.assert_array_equal(made.obsm["X_netgiven"], embedding.vectors)
    assert (made.obsp["connectivities"] != company.to_scipy()).nnz == 0
    assert made.obs["department"].tolist() == company.columns["department"].tolist()


def test_what_anndata_is_given(company, embedding, monkeypatch):
    monkeypatch.setitem(sys.modules, "anndata", SimpleNamespace(AnnData=lambda **parts: parts))
    parts = embedding.to_anndata()
    assert set(parts) == {"X", "var", "obs", "obsm", "obsp", "uns"}
    assert parts["obs"].index.tolist() == company.nodes.tolist()
    assert list(parts["obs"]) == ["department", "project"]
    monkeypatch.setitem(sys.modules, "anndata", None)
    with pytest.raises(ng.InputError, match="pip install anndata"):
        embedding.to_anndata()


def test_nearest_nodes_are_those_at_the_smallest_distance():
    embedding = ng.embed(ng.datasets.company(30), dimensions=2, reach=2, shrinkage=0)
    distances = np.linalg.norm(embedding.positions - embedding["person 007"], axis=1)
    found = embedding.nearest("person 007", count=100)
    assert found["node"].tolist() == embedding.nodes[np.argsort(distances, kind="stable")[1:]].tolist()
    np.testing.assert_allclose(found["distance"], np.sort(distances)[1:], rtol=1e-6)
    with pytest.raises(ng.InputError, match="count = 0"):
        embedding.nearest("person 007", count=0)
