"""The file of an embedding: arrays and a header, and back; and its vectors for other programs.

Nothing that is read from a file is trusted.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_origin, get_type_hints

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
from scipy import sparse

from netgiven.array_file import Arrays, table_from_bytes, table_to_bytes, write_atomically
from netgiven.edges import EdgeCleaning, check_names, to_python
from netgiven.errors import FormatError, InputError, require
from netgiven.fitting.record import FitRecord, Likelihood, Trial
from netgiven.fitting.settings import ResolvedSettings
from netgiven.fitting.train import Convergence, Status, Step
from netgiven.kernels.arrays import are_rows
from netgiven.kernels.pair_sums import ListedFeatures
from netgiven.model import Spread
from netgiven.network import Network
from netgiven.observed_pairs import UnobservedPairs
from netgiven.priors import Prior
from netgiven.priors.prior import Check
from netgiven.types import Float32Array, Float64Array, Int32Array, Int64Array, IntegerArray

GEXF = ".gexf"  # the ending of a map for Gephi


class StoredEmbedding(NamedTuple):
    """What a file holds of an embedding."""

    network: Network
    positions: Float32Array
    prior: Prior
    spread: Spread
    fit: FitRecord
    likelihood: Likelihood | None = None  # if it was computed


def pack(stored: StoredEmbedding) -> tuple[Arrays, dict[str, Any]]:
    """An embedding as arrays and a header that JSON can hold."""
    arrays, header = pack_without_links(stored)
    links: Arrays = {"links.indptr": stored.network.indptr, "links.indices": stored.network.indices}
    return {"positions": stored.positions, **arrays, **links}, header


def pack_without_links(stored: StoredEmbedding) -> tuple[Arrays, dict[str, Any]]:
    """The same without positions and links, which may be sharded."""
    network, prior, fit = stored.network, stored.prior, stored.fit
    table, names_as_json = table_to_bytes(network.nodes, network.columns)
    same_prior = fit.prior is prior
    arrays: Arrays = {
        **_pack_prior(prior, "prior"),
        **({} if same_prior else _pack_prior(fit.prior, "train_prior")),
        "steps": np.array(fit.steps, dtype=np.float64).reshape(len(fit.steps), len(Step._fields)),
        "nodes": table,
        **pack_unobserved(network.unobserved),
    }
    header = {
        "prior": _prior_header(prior),
        "train_prior": None if same_prior else _prior_header(fit.prior),
        "spread": asdict(stored.spread),
        "fit": _fit_header(fit),
        "likelihood": stored.likelihood and stored.likelihood._asdict(),
        "cleaning": asdict(network.cleaning),
        "notes": list(network.notes),
        "listed_pairs": None if network.unobserved is None else LISTED[network.unobserved.lists_observed],
        "names_as_json": names_as_json,
    }
    return arrays, header


def unpack(arrays: Arrays, header: dict[str, Any]) -> StoredEmbedding:
    """The parts of an embedding. Nothing is trusted: types, sizes and ranges are checked."""
    _check_arrays(arrays, has_train_prior=header["train_prior"] is not None)
    nodes, columns = table_from_bytes(arrays["nodes"], bool(header["names_as_json"]))
    check_names(nodes)
    _check_sizes(arrays, len(nodes))
    notes = tuple(str(note) for note in header["notes"])
    cleaning = _typed(EdgeCleaning, header["cleaning"])
    links, unobserved = (
        (arrays["links.indptr"], arrays["links.indices"]),
        unpack_unobserved(arrays, header["listed_pairs"], len(nodes)),
    )
    network = Network(nodes, *links, columns, cleaning, notes, unobserved)
    prior = train_prior = _unpack_prior(arrays, "prior", header["prior"], nodes)
    if header["train_prior"] is not None:
        train_prior = _unpack_prior(arrays, "train_prior", header["train_prior"], nodes)
    fit = _unpack_fit(arrays["steps"], header["fit"], train_prior)
    if fit.settings.dimensions != arrays["positions"].shape[1]:
        raise FormatError("The positions in the file do not have the dimensions of its settings. Make it again.")
    likelihood = header["likelihood"] and _typed(Likelihood, header["likelihood"])
    return StoredEmbedding(network, arrays["positions"], prior, _typed(Spread, header["spread"]), fit, likelihood)


def _fit_header(fit: FitRecord) -> dict[str, Any]:
    return {
        "settings": fit.settings.to_json(),
        "convergence": {**asdict(fit.convergence), "status": fit.convergence.status.name},
        "trials": [list(trial) for trial in fit.trials],
        "added_nodes": fit.added_nodes,
    }


def _unpack_fit(steps: Float64Array, header: dict[str, Any], prior: Prior) -> FitRecord:
    convergence = {**header["convergence"], "status": Status[header["convergence"]["status"]]}
    return FitRecord(
        ResolvedSettings.from_json(header["settings"]),
        prior,
        _typed(Convergence, convergence),
        [Step(int(step), *values) for step, *values in steps.tolist()],
        [_trial(values) for values in header["trials"]],
        added_nodes=int(header["added_nodes"]),
    )


def _trial(values: list[Any]) -> Trial:
    dimensions, *others = map(float, values)
    trial = Trial(int(dimensions), *others)  # type: ignore[arg-type]
    return trial._replace(repelling=int(trial.repelling))


LISTED = {True: "observed", False: "unobserved"}  # which pairs a file lists: `UnobservedPairs.lists_observed`


def pack_unobserved(pairs: UnobservedPairs | None) -> Arrays:
    """The arrays of unobserved pairs, none if there are none."""
    return {} if pairs is None else {"unobserved.indptr": pairs.indptr, "unobserved.indices": pairs.indices}


def unpack_unobserved(arrays: Arrays, listed: str | None, count: int) -> UnobservedPairs | None:
    """The unobserved pairs, if there are any."""
    if listed is None:
        return None
    indptr, indices = arrays["unobserved.indptr"], arrays["unobserved.indices"]
    sound = indptr.dtype == np.int64 and indices.dtype == np.int32 and len(indptr) == count + 1
    if listed not in LISTED.values() or not sound or not _are_links(indptr, indices, count):
        raise FormatError("The unobserved pairs in the file are damaged. Make it again.")
    return UnobservedPairs(indptr, indices, listed == LISTED[True])


_KINDS = {  # type and number of dimensions of each array
    "positions": ("float32", 2),
    "prior.own": ("float64", 2), "prior.basis": ("float64", 2), "prior.group": ("int32", 2),
    "prior.tables": ("float64", 1),
    "prior.listed.indptr": ("int64", 1), "prior.listed.indices": ("int32", 1), "prior.listed.value": ("float64", 1),
    "links.indptr": ("int64", 1), "links.indices": ("int32", 1), "steps": ("float64", 2), "nodes": ("uint8", 1),
}  # fmt: skip


def _check_arrays(arrays: Arrays, has_train_prior: bool) -> None:
    """Check that each array is there, with its type and number of dimensions."""
    kinds = dict(_KINDS)
    if has_train_prior:
        kinds |= {f"train_{name}": kind for name, kind in _KINDS.items() if name.startswith("prior.")}
    for name, (kind, dimensions) in kinds.items():
        if arrays[name].dtype != kind or arrays[name].ndim != dimensions:
            raise FormatError(f"The array {name!r} in the file has the wrong type; the file is damaged. Make it again.")


def _check_sizes(arrays: Arrays, count: int) -> None:
    """Sizes fit together, numbers are numbers, and the links are those of a network."""
    positions = arrays["positions"]
    sound = (
        len(positions) == len(arrays["links.indptr"]) - 1 == count
        and positions.shape[1] > 0
        and _are_moderate(positions)
        and _are_links(arrays["links.indptr"], arrays["links.indices"], count)
    )
    if not sound:
        raise FormatError("The arrays in the file do not fit together; it is damaged. Make it again.")


def _pack_prior(prior: Prior, name: str) -> Arrays:
    """The coefficients of a prior. Without listed pairs, their rows are empty."""
    listed = prior.listed
    nothing = np.zeros(len(prior.nodes) + 1, dtype=np.int64), np.empty(0, dtype=np.int32), np.empty(0)
    indptr, indices, value = nothing if listed is None else (listed.indptr, listed.indices, listed.value[0])
    return {
        f"{name}.own": prior.left,
        f"{name}.basis": prior.right,
        f"{name}.group": prior.group,
        f"{name}.tables": prior.tables,
        f"{name}.listed.indptr": indptr,
        f"{name}.listed.indices": indices,
        f"{name}.listed.value": value,
    }


def _prior_header(prior: Prior) -> dict[str, Any]:
    return {"given": prior.knowledge, "groups": list(prior.width), "checks": [asdict(check) for check in prior.checks]}


def _unpack_prior(arrays: Arrays, name: str, header: dict[str, Any], nodes: pd.Index[Any]) -> Prior:
    """A prior, if its coefficients fit together and group numbers are in range."""
    checks = tuple(_typed(Check, check) for check in header["checks"])
    left, right, group, tables = (arrays[f"{name}.{part}"] for part in ("own", "basis", "group", "tables"))
    width = tuple(int(count) for count in header["groups"])
    indptr, indices, value = (arrays[f"{name}.listed.{part}"] for part in ("indptr", "indices", "value"))
    sound = (
        left.shape == right.shape
        and len(left) > 0
        and bool(np.all(right[0] == 1))
        and left.shape[1] == group.shape[1] == len(indptr) - 1 == len(nodes)
        and len(width) == len(group) > 0
        and len(tables) == sum(count * count for count in width)
        and all(_within(row, count) for row, count in zip(group, width, strict=True))
        and all(map(_are_moderate, (left, right, tables, value)))
        and len(indices) == len(value)
        and _are_sorted_rows(indptr, indices, len(nodes))
    )
    if not sound:
        raise FormatError("The prior in the file does not fit together; it is damaged. Make it again.")
    listed = ListedFeatures(indptr, indices, value[None]) if len(value) else None
    return Prior(str(header["given"]), nodes, left, right, group, tables, width, listed, checks)


def _are_sorted_rows(indptr: Int64Array, indices: Int32Array, count: int) -> bool:
    """Rows of node numbers, each ascending."""
    if not are_rows(indptr, indices, (count, count)):
        return False
    keys = np.repeat(np.arange(count), np.diff(indptr)) * count + indices
    return bool(np.all(np.diff(keys) > 0))


def _are_links(indptr: Int64Array, indices: Int32Array, count: int) -> bool:
    """Rows of neighbours: ascending, without the node itself, each link in both rows. Kernels rely on it."""
    if not _are_sorted_rows(indptr, indices, count):
        return False
    rows = np.repeat(np.arange(count), np.diff(indptr))
    there, back = rows * count + indices, indices.astype(np.int64) * count + rows
    return not np.any(rows == indices) and bool(np.array_equal(np.sort(back), there))


def _are_moderate(numbers: npt.NDArray[np.floating]) -> bool:
    """Finite, and such that products do not overflow in single precision."""
    return bool(np.all(np.abs(numbers) < 1e18))


def _within(numbers: IntegerArray, count: int) -> bool:
    return not len(numbers) or (int(numbers.min()) >= 0 and int(numbers.max()) < count)


def _typed(kind: type[Any], values: dict[str, Any]) -> Any:
    """A record made from the header's values, if each is of the kind that the record's fields are."""
    hints = get_type_hints(kind)
    for name, value in values.items():
        wanted = (int, float) if hints[name] is float else hints[name]
        if get_origin(wanted) is not Literal and not isinstance(value, wanted):
            raise FormatError(f"The header's {name!r} is {value!r}; the file is damaged. Make it again.")
        if hints[name] is float:
            float(value)  # JSON holds integers beyond all numbers of floating point
    return kind(**values)


def check_embedding_suffix(path: str | os.PathLike[str]) -> None:
    """Raise an error if the ending of a file for an embedding is that of another format."""
    suffix = Path(path).suffix.lower()
    if suffix in (*WRITERS, GEXF):
        raise InputError(
            f"{path} ends in {suffix!r}; an embedding with its network is written to a file that ends in .ng. "
            f"The vectors are written by embedding.export({Path(path).name!r}) or by 'netgiven export'."
        )


# ---- vectors for other programs --------------------------------------------------------------------------------------


def export(vectors: pd.DataFrame, path: str | os.PathLike[str]) -> None:
    """Write a table of names and coordinates; the ending of `path` chooses the format."""
    suffix = Path(path).suffix.lower()
    if suffix not in WRITERS:
        known = ", ".join(WRITERS)
        raise InputError(f"{path} ends in {suffix or 'nothing'!r}; vectors are written to {known}, a map to {GEXF}.")
    write_atomically(path, lambda target: WRITERS[suffix](vectors, target))


def write_parquet(table: pd.DataFrame, target: Path) -> None:
    """Write a Parquet file. A column has one type: values of mixed types, or beyond 64 bits, are written as text."""
    mixed = [name for name in table if _is_mixed(table[name])]
    written = table.copy(deep=False)
    for name in mixed:
        written[name] = table[name].map(_as_text, na_action="ignore")
    try:
        written.to_parquet(target, index=False)
    except pa.ArrowException as error:
        raise InputError(f"A column cannot be written to Parquet ({error}). Convert it, or leave it out.") from error


def _is_mixed(values: pd.Series[Any]) -> bool:
    if values.dtype != object or values.map(lambda value: isinstance(value, dict)).all():
        return False
    return pd.api.types.infer_dtype(values, skipna=True) not in ("string", "floating", "boolean", "empty")


def _as_text(value: Any) -> str:
    return str(to_python(value))


def _numpy(vectors: pd.DataFrame, target: Path) -> None:
    with target.open("wb") as file:
        np.save(file, vectors.iloc[:, 1:].to_numpy(dtype=np.float32), allow_pickle=False)


def _word2vec(vectors: pd.DataFrame, target: Path) -> None:
    """Write a line with both sizes, then name and coordinates, separated by blanks."""
    names = vectors.iloc[:, 0].astype(str)
    blank = names.str.contains(r"\s", regex=True) | (names == "")
    if blank.any():
        raise InputError(
            f"Node {names[blank].iloc[0]!r} has a blank in its name, which word2vec text cannot hold. Use .csv."
        )
    with target.open("w", encoding="utf-8") as file:
        file.write(f"{len(vectors)} {vectors.shape[1] - 1}\n")
        vectors.assign(node=names).to_csv(file, index=False, header=False, sep=" ", quoting=3, lineterminator="\n")


def make_anndata(network: Network, vectors: pd.DataFrame) -> Any:
    """An AnnData object with one observation per node; the network stands where scanpy looks for its neighbours."""
    observations = network.columns.set_axis(network.nodes.map(str), axis=0)
    mean_degree = int(np.ceil(2 * network.link_count / max(len(network), 1)))
    coordinates = vectors.iloc[:, 1:]
    return require("anndata", extra="").AnnData(
        X=coordinates.to_numpy(copy=True),
        var=pd.DataFrame(index=coordinates.columns),
        obs=observations.set_axis(observations.columns.astype(str), axis=1),
        obsm={"X_netgiven": coordinates.to_numpy(copy=True)},
        obsp={"connectivities": sparse.csr_matrix(network.to_scipy(), dtype=np.float32)},
        uns={
            "neighbors": {
                "connectivities_key": "connectivities",
                "params": {"n_neighbors": mean_degree, "method": "netgiven"},
            }
        },
    )


WRITERS: dict[str, Callable[[pd.DataFrame, Path], None]] = {
    ".csv": lambda vectors, target: vectors.to_csv(target, index=False),
    ".tsv": lambda vectors, target: vectors.to_csv(target, index=False, sep="\t"),
    ".parquet": write_parquet,
    ".npy": _numpy,
    ".txt": _word2vec,
    ".vec": _word2vec,
}
