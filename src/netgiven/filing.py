"""An embedding as arrays and a header, and back. Nothing that comes from a file is trusted."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Literal, get_origin, get_type_hints

import numpy as np
import numpy.typing as npt
import pandas as pd

from netgiven.cleaning import Cleaning
from netgiven.errors import FormatError
from netgiven.fitting.outcome import Ending, Outcome
from netgiven.fitting.run import Likelihood
from netgiven.model import Spread
from netgiven.network import Network
from netgiven.priors import Prior
from netgiven.priors.prior import Check
from netgiven.storage import Arrays, table_from_bytes, table_to_bytes


def pack(embedding: Any) -> tuple[Arrays, dict[str, Any]]:
    """An embedding as arrays and a header that JSON can hold."""
    network, prior = embedding.network, embedding.prior
    table, names_as_json = table_to_bytes(network.nodes, network.columns)
    arrays: Arrays = {
        "positions": embedding.positions,
        "prior.node": prior.node,
        "prior.group": prior.group,
        "prior.table": prior.table,
        "links.indptr": network.indptr,
        "links.indices": network.indices,
        "history": embedding.history.to_numpy(dtype=np.float64),
        "nodes": table,
    }
    header = {
        "given": prior.knowledge,
        "checks": [asdict(check) for check in prior.checks],
        "spread": asdict(embedding.spread),
        "outcome": {**asdict(embedding.outcome), "ending": embedding.outcome.ending.name},
        "likelihood": embedding.likelihood._asdict(),
        "settings": embedding.settings,
        "cleaning": asdict(network.cleaning),
        "notes": list(network.notes),
        "names_as_json": names_as_json,
        "columns": list(embedding.history.columns),
    }
    return arrays, header


def unpack(arrays: Arrays, header: dict[str, Any]) -> dict[str, Any]:
    """The fields of an embedding. Nothing is trusted: types, sizes and ranges are checked."""
    _check_arrays(arrays)
    nodes, columns = table_from_bytes(arrays["nodes"], bool(header["names_as_json"]))
    _check_sizes(arrays, len(nodes))
    notes = tuple(str(note) for note in header["notes"])
    cleaning = _typed(Cleaning, header["cleaning"])
    network = Network(nodes, arrays["links.indptr"], arrays["links.indices"], columns, cleaning, notes)
    checks = tuple(_typed(Check, check) for check in header["checks"])
    multipliers = arrays["prior.node"], arrays["prior.group"], arrays["prior.table"]
    outcome = {**header["outcome"], "ending": Ending[header["outcome"]["ending"]]}
    return {
        "network": network,
        "positions": arrays["positions"],
        "prior": Prior(str(header["given"]), nodes, *multipliers, checks),
        "spread": _typed(Spread, header["spread"]),
        "outcome": _typed(Outcome, outcome),
        "history": pd.DataFrame(arrays["history"], columns=header["columns"]).astype({"step": int}),
        "settings": dict(header["settings"]),
        "measured": _typed(Likelihood, header["likelihood"]),
    }


_KINDS = {  # type and number of dimensions of each array
    "positions": ("float32", 2),
    "prior.node": ("float64", 1), "prior.group": ("int32", 1), "prior.table": ("float64", 2),
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
    """Sizes fit together, groups point to what is there, numbers are numbers, and the links are those of a network."""
    group, table, positions, node = (arrays[name] for name in ("prior.group", "prior.table", "positions", "prior.node"))
    sound = (
        len(positions) == len(node) == len(group) == len(arrays["links.indptr"]) - 1 == count
        and positions.shape[1] > 0
        and table.shape[0] == table.shape[1]
        and _within(group, len(table))
        and all(bool(np.all(np.isfinite(array))) for array in (positions, node, table))
        and _are_links(arrays["links.indptr"], arrays["links.indices"], count)
    )
    if not sound:
        raise FormatError("The arrays in the file do not fit together; it is damaged. Make it again.")


def _are_links(indptr: npt.NDArray[np.int64], indices: npt.NDArray[np.int32], count: int) -> bool:
    """Rows of neighbours: ascending, without the node itself, each link in both rows. Kernels rely on it."""
    if indptr[0] != 0 or indptr[-1] != len(indices) or np.any(np.diff(indptr) < 0) or not _within(indices, count):
        return False
    rows = np.repeat(np.arange(count), np.diff(indptr))
    keys = rows * count + indices
    ascending = bool(np.all(np.diff(keys) > 0)) and not np.any(rows == indices)
    return ascending and bool(np.array_equal(np.sort(indices.astype(np.int64) * count + rows), keys))


def _within(numbers: npt.NDArray[np.integer], count: int) -> bool:
    return not len(numbers) or (int(numbers.min()) >= 0 and int(numbers.max()) < count)


def _typed(kind: type[Any], values: dict[str, Any]) -> Any:
    """A record made from the header's values, if each is of the kind that the record's fields are."""
    hints = get_type_hints(kind)
    for name, value in values.items():
        wanted = (int, float) if hints[name] is float else hints[name]
        if get_origin(wanted) is not Literal and not isinstance(value, wanted):
            raise FormatError(f"The header's {name!r} is {value!r}; the file is damaged. Make it again.")
    return kind(**values)
