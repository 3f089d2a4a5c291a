"""An embedding as arrays and a header, and back. Nothing that comes from a file is trusted."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Literal, get_origin, get_type_hints

import numpy as np
import pandas as pd

from netgiven.array_file import Arrays, table_from_bytes, table_to_bytes
from netgiven.edges import Cleaning, check_names
from netgiven.errors import FormatError
from netgiven.fitting.fit import Likelihood
from netgiven.fitting.record import Ending, Outcome
from netgiven.kernels.pair_sums import Listed
from netgiven.model import Spread
from netgiven.network import Network
from netgiven.observed_pairs import Unknown
from netgiven.priors import Prior
from netgiven.priors.prior import Check
from netgiven.types import Int32Array, Int64Array, IntegerArray


def pack(embedding: Any) -> tuple[Arrays, dict[str, Any]]:
    """An embedding as arrays and a header that JSON can hold."""
    arrays, header = pack_whole(embedding)
    network = embedding.network
    links = {"links.indptr": network.indptr, "links.indices": network.indices}
    return {"positions": embedding.positions, **arrays, **links}, header


def pack_whole(embedding: Any) -> tuple[Arrays, dict[str, Any]]:
    """The same without positions and links, which may lie in parts."""
    network, prior, likelihood = embedding.network, embedding.prior, embedding.likelihood
    table, names_as_json = table_to_bytes(network.nodes, network.columns)
    arrays: Arrays = {
        **_pack_prior(prior),
        "history": embedding.history.to_numpy(dtype=np.float64),
        "nodes": table,
        **_pack_unknown(network.unknown),
    }
    header = {
        "given": prior.knowledge,
        "groups": list(prior.width),
        "checks": [asdict(check) for check in prior.checks],
        "spread": asdict(embedding.spread),
        "outcome": {**asdict(embedding.outcome), "ending": embedding.outcome.ending.name},
        "likelihood": likelihood and likelihood._asdict(),
        "settings": embedding.settings,
        "cleaning": asdict(network.cleaning),
        "notes": list(network.notes),
        "unknown": "" if network.unknown is None else KNOWN if network.unknown.lists_known else UNKNOWN,
        "names_as_json": names_as_json,
        "columns": list(embedding.history.columns),
    }
    return arrays, header


def unpack(arrays: Arrays, header: dict[str, Any]) -> dict[str, Any]:
    """The fields of an embedding. Nothing is trusted: types, sizes and ranges are checked."""
    _check_arrays(arrays)
    nodes, columns = table_from_bytes(arrays["nodes"], bool(header["names_as_json"]))
    check_names(nodes)
    _check_sizes(arrays, len(nodes))
    notes = tuple(str(note) for note in header["notes"])
    cleaning = _typed(Cleaning, header["cleaning"])
    links, unknown = (arrays["links.indptr"], arrays["links.indices"]), _unpack_unknown(arrays, header, len(nodes))
    network = Network(nodes, *links, columns, cleaning, notes, unknown)
    checks = tuple(_typed(Check, check) for check in header["checks"])
    outcome = {**header["outcome"], "ending": Ending[header["outcome"]["ending"]]}
    return {
        "network": network,
        "positions": arrays["positions"],
        "prior": _unpack_prior(arrays, header, nodes, checks),
        "spread": _typed(Spread, header["spread"]),
        "outcome": _typed(Outcome, outcome),
        "history": pd.DataFrame(arrays["history"], columns=header["columns"]).astype({"step": int}),
        "settings": dict(header["settings"]),
        "measured": header["likelihood"] and _typed(Likelihood, header["likelihood"]),
    }


KNOWN, UNKNOWN = "known pairs are listed", "unknown pairs are listed"


def _pack_unknown(unknown: Unknown | None) -> Arrays:
    return {} if unknown is None else {"unknown.indptr": unknown.indptr, "unknown.indices": unknown.indices}


def _unpack_unknown(arrays: Arrays, header: dict[str, Any], count: int) -> Unknown | None:
    """Pairs that are not known, if there are any; files of before could not have them."""
    told = header.get("unknown", "")
    if not told:
        return None
    indptr, indices = arrays["unknown.indptr"], arrays["unknown.indices"]
    kinds = indptr.dtype == np.int64 and indices.dtype == np.int32 and len(indptr) == count + 1
    if told not in (KNOWN, UNKNOWN) or not kinds or not _are_links(indptr, indices, count):
        raise FormatError("The unknown pairs in the file are damaged. Make it again.")
    return Unknown(indptr, indices, told == KNOWN)


_KINDS = {  # type and number of dimensions of each array
    "positions": ("float32", 2),
    "prior.own": ("float64", 2), "prior.basis": ("float64", 2), "prior.group": ("int32", 2),
    "prior.tables": ("float64", 1),
    "prior.listed.indptr": ("int64", 1), "prior.listed.indices": ("int32", 1), "prior.listed.value": ("float64", 1),
    "links.indptr": ("int64", 1), "links.indices": ("int32", 1), "history": ("float64", 2), "nodes": ("uint8", 1),
}  # fmt: skip


def _check_arrays(arrays: Arrays) -> None:
    """Each array is there, of its type."""
    for name, (kind, dimensions) in _KINDS.items():
        if arrays[name].dtype != kind or arrays[name].ndim != dimensions:
            raise FormatError(
                f"The array {name!r} in the file is of the wrong kind; the file is damaged. Make it again."
            )


def _check_sizes(arrays: Arrays, count: int) -> None:
    """Sizes fit together, numbers are numbers, and the links are those of a network."""
    positions = arrays["positions"]
    sound = (
        len(positions) == len(arrays["links.indptr"]) - 1 == count
        and positions.shape[1] > 0
        and bool(np.all(np.isfinite(positions)))
        and _are_links(arrays["links.indptr"], arrays["links.indices"], count)
    )
    if not sound:
        raise FormatError("The arrays in the file do not fit together; it is damaged. Make it again.")


def _pack_prior(prior: Prior) -> Arrays:
    """The coefficients of a prior. Without listed pairs, their rows are empty."""
    listed = prior.listed
    nothing = np.zeros(len(prior.nodes) + 1, dtype=np.int64), np.empty(0, dtype=np.int32), np.empty(0)
    indptr, indices, value = nothing if listed is None else (listed.indptr, listed.indices, listed.value[0])
    return {
        "prior.own": prior.own,
        "prior.basis": prior.basis,
        "prior.group": prior.group,
        "prior.tables": prior.tables,
        "prior.listed.indptr": indptr,
        "prior.listed.indices": indices,
        "prior.listed.value": value,
    }


def _unpack_prior(arrays: Arrays, header: dict[str, Any], nodes: pd.Index[Any], checks: tuple[Check, ...]) -> Prior:
    """The prior, if its coefficients fit together and groups point to what is there."""
    own, basis, group, tables = (arrays[f"prior.{name}"] for name in ("own", "basis", "group", "tables"))
    width = tuple(int(count) for count in header["groups"])
    indptr, indices, value = (arrays[f"prior.listed.{name}"] for name in ("indptr", "indices", "value"))
    sound = (
        own.shape == basis.shape
        and len(own) > 0
        and bool(np.all(basis[0] == 1))
        and own.shape[1] == group.shape[1] == len(indptr) - 1 == len(nodes)
        and len(width) == len(group) > 0
        and len(tables) == sum(count * count for count in width)
        and all(_within(row, count) for row, count in zip(group, width, strict=True))
        and all(bool(np.all(np.isfinite(array))) for array in (own, basis, tables, value))
        and len(indices) == len(value)
        and _are_rows(indptr, indices, len(nodes))
    )
    if not sound:
        raise FormatError("The prior in the file does not fit together; it is damaged. Make it again.")
    listed = Listed(indptr, indices, value[None]) if len(value) else None
    return Prior(str(header["given"]), nodes, own, basis, group, tables, width, listed, checks)


def _are_rows(indptr: Int64Array, indices: Int32Array, count: int) -> bool:
    """Rows of node numbers, each ascending."""
    if indptr[0] != 0 or indptr[-1] != len(indices) or np.any(np.diff(indptr) < 0) or not _within(indices, count):
        return False
    keys = np.repeat(np.arange(count), np.diff(indptr)) * count + indices
    return bool(np.all(np.diff(keys) > 0))


def _are_links(indptr: Int64Array, indices: Int32Array, count: int) -> bool:
    """Rows of neighbours: ascending, without the node itself, each link in both rows. Kernels rely on it."""
    if not _are_rows(indptr, indices, count):
        return False
    rows = np.repeat(np.arange(count), np.diff(indptr))
    there, back = rows * count + indices, indices.astype(np.int64) * count + rows
    return not np.any(rows == indices) and bool(np.array_equal(np.sort(back), there))


def _within(numbers: IntegerArray, count: int) -> bool:
    return not len(numbers) or (int(numbers.min()) >= 0 and int(numbers.max()) < count)


def _typed(kind: type[Any], values: dict[str, Any]) -> Any:
    """A record made from the header's values, if each is of the kind that the record's fields are."""
    hints = get_type_hints(kind)
    for name, value in values.items():
        wanted = (int, float) if hints[name] is float else hints[name]
        if get_origin(wanted) is not Literal and not isinstance(value, wanted):
            raise FormatError(f"The header's {name!r} is {value!r}; the file is damaged. Make it again.")
    return kind(**values)
