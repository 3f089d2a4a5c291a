"""Files that are well-formed and yet no embedding."""

import numpy as np
import pyarrow as pa
import pytest

import netgiven as ng
from netgiven.array_file import save_arrays
from netgiven.embedding_file import StoredEmbedding, pack


@pytest.fixture(scope="module")
def packed():
    network = ng.datasets.company(people=30)
    made = ng.embed(network, given="degrees+blocks:department", dimensions=3, max_steps=10)
    return pack(StoredEmbedding(network, made.positions, made.prior, made.spread, made.fit, made.likelihood))


def reversed_links(arrays):
    return {"links.indices": arrays["links.indices"][::-1].copy()}


def one_sided_link(arrays):
    indices = arrays["links.indices"].copy()
    row = slice(arrays["links.indptr"][0], arrays["links.indptr"][1])
    there = set(indices[row].tolist())
    indices[row.stop - 1] = next(j for j in range(29, 0, -1) if j not in there)
    indices[row] = np.sort(indices[row])
    return {"links.indices": indices}


def self_loop(arrays):
    indices = arrays["links.indices"].copy()
    indices[0] = 0
    return {"links.indices": indices}


def wrapping(starts):
    """The same ends, and rows so long that their sum wraps around: all differences seem to be at least 0."""
    long = np.uint64(2**64 // (len(starts) - 1)) * np.arange(len(starts) - 1, dtype=np.uint64)
    return np.append(long.view(np.int64), starts[-1])


def table(**columns):
    """A table of the 30 nodes, as it stands in a file."""
    columns = {"node": pa.array([f"person {number}" for number in range(30)]), **columns}
    return {"nodes": written(pa.table(columns))}


def written(table, **options):
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        writer.write_table(table)
    return np.frombuffer(sink.getvalue(), dtype=np.uint8)


def column_twice(arrays):
    names, values = pa.array([f"person {number}" for number in range(30)]), pa.array(["x", "y"] * 15)
    return {"nodes": written(pa.table([names, values, values], names=["node", "column a", "column a"]))}


DAMAGES = {
    "a column that is there twice": column_twice,
    "lists for values": lambda a: table(**{"column a": pa.array([[1, 2]] * 30)}),
    "nodes of the same name": lambda a: table(node=pa.array(["ann"] * 30)),
    "a node without a name": lambda a: table(node=pa.array([None] + [str(number) for number in range(29)])),
    "links out of order": reversed_links,
    "a link in one row only": one_sided_link,
    "a self-loop": self_loop,
    "links beyond the nodes": lambda a: {"links.indices": a["links.indices"] + np.int32(10)},
    "rows that do not end": lambda a: {"links.indptr": a["links.indptr"] * 2},
    "rows that wrap around": lambda a: {"links.indptr": wrapping(a["links.indptr"])},
    "listed pairs that wrap around": lambda a: {"prior.listed.indptr": wrapping(a["prior.listed.indptr"])},
    "a prior that overflows": lambda a: {"prior.own": a["prior.own"] + 1e300},
    "steps without end": lambda a: {"steps": np.full_like(a["steps"], np.inf)},
    "multipliers of one dimension": lambda a: {"prior.own": a["prior.own"][0]},
    "groups of one dimension": lambda a: {"prior.group": a["prior.group"][0]},
    "single precision": lambda a: {"prior.own": a["prior.own"].astype(np.float32)},
    "a table that is too short": lambda a: {"prior.tables": a["prior.tables"][:-1]},
    "a basis that does not begin with ones": lambda a: {"prior.basis": 2 * a["prior.basis"]},
    "listed pairs beyond the rows": lambda a: {"prior.listed.indptr": a["prior.listed.indptr"] + np.int64(1)},
    "groups beyond the table": lambda a: {"prior.group": a["prior.group"] + np.int32(100)},
    "NaN": lambda a: {"positions": a["positions"] * np.float32(np.nan)},
    "no coordinates": lambda a: {"positions": a["positions"][:, :0].copy()},
    "fewer nodes": lambda a: {"positions": a["positions"][:-1]},
    "names that are no table": lambda a: {"nodes": a["nodes"][:100]},
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damaged_arrays_are_refused(tmp_path, packed, name):
    arrays, header = packed
    save_arrays(tmp_path / "x.ng", {**arrays, **DAMAGES[name](arrays)}, header)
    with pytest.raises(ng.FormatError, match=r"x\.ng"):
        ng.load(tmp_path / "x.ng")


@pytest.mark.parametrize("name", ["positions", "prior.own", "prior.listed.value", "links.indptr", "steps", "nodes"])
def test_missing_arrays_are_refused(tmp_path, packed, name):
    arrays, header = packed
    save_arrays(tmp_path / "x.ng", {key: array for key, array in arrays.items() if key != name}, header)
    with pytest.raises(ng.FormatError, match=r"x\.ng"):
        ng.load(tmp_path / "x.ng")


HEADERS = {
    "text for a number": lambda h: {"likelihood": {**h["likelihood"], "value": "much"}},
    "no spread": lambda h: {"spread": None},
    "impossible spread": lambda h: {"spread": {**h["spread"], "s2": -1.0}},
    "unknown status": lambda h: {"fit": {**h["fit"], "convergence": {**h["fit"]["convergence"], "status": "EXPLODED"}}},
    "text for steps": lambda h: {"fit": {**h["fit"], "convergence": {**h["fit"]["convergence"], "steps": "many"}}},
    "strange check": lambda h: {"prior": {**h["prior"], "checks": [{"knowledge": 1}]}},
    "strange cleaning": lambda h: {"cleaning": {"given": "all"}},
    "no fit": lambda h: {"fit": 5},
    "settings that are none": lambda h: {"fit": {**h["fit"], "settings": 5}},
    "a setting that is missing": lambda h: {"fit": {**h["fit"], "settings": {"dimensions": 3}}},
    "a setting out of range": lambda h: {
        "fit": {**h["fit"], "settings": {**h["fit"]["settings"], "learning_rate": -1}}
    },
    "a method that there is not": lambda h: {
        "fit": {**h["fit"], "settings": {**h["fit"]["settings"], "method": {"name": "magic"}}}
    },
    "a setting that is left open": lambda h: {
        "fit": {**h["fit"], "settings": {**h["fit"]["settings"], "max_steps": None}}
    },
    "a setting beyond all numbers": lambda h: {
        "fit": {**h["fit"], "settings": {**h["fit"]["settings"], "shrinkage": 10**400}}
    },
    "absurd spread": lambda h: {"spread": {**h["spread"], "s1": 1e-200, "s2": 1e-180}},
    "spread beyond all numbers": lambda h: {"spread": {**h["spread"], "s1": 10**400, "s2": 10**401}},
    "other dimensions": lambda h: {"fit": {**h["fit"], "settings": {**h["fit"]["settings"], "dimensions": 7}}},
    "a trial that is cut off": lambda h: {"fit": {**h["fit"], "trials": [[8, 2.0]]}},
    "a training prior that is not there": lambda h: {"train_prior": h["prior"]},
}


@pytest.mark.parametrize("name", HEADERS)
def test_damaged_headers_are_refused(tmp_path, packed, name):
    arrays, header = packed
    save_arrays(tmp_path / "x.ng", arrays, {**header, **HEADERS[name](header)})
    with pytest.raises(ng.FormatError, match=r"x\.ng"):
        ng.load(tmp_path / "x.ng")


def test_the_training_prior_is_kept_where_it_is_another_one(tmp_path):
    network = ng.datasets.company(people=30)
    given = {"train_given": ng.group_degrees("department"), "predict_given": "degrees"}
    made = ng.embed(network, dimensions=3, reach=2.0, shrinkage=0.5, max_steps=10, **given)
    made.save(tmp_path / "x.ng")
    again = ng.load(tmp_path / "x.ng")
    assert again.prior.knowledge == "degrees" and again.fit.prior.knowledge == "group_degrees:department"
    assert again.fit.settings == made.fit.settings and list(again.fit.steps) == list(made.fit.steps)
    pair = network.nodes[0], network.nodes[1]
    assert again.explain(*pair).table().equals(made.explain(*pair).table())


def test_saving_only_writes(tmp_path, monkeypatch):
    made = ng.embed(ng.datasets.company(people=30), dimensions=3, reach=2.0, shrinkage=0.5, max_steps=10)
    monkeypatch.setattr("netgiven.embedding.log_likelihood", lambda *given: pytest.fail("the likelihood was computed"))
    made.save(tmp_path / "x.ng")
    assert ng.load(tmp_path / "x.ng").stored_likelihood is None


def test_an_undamaged_file_loads(tmp_path, packed):
    arrays, header = packed
    save_arrays(tmp_path / "x.ng", arrays, header)
    assert len(ng.load(tmp_path / "x.ng")) == 30
