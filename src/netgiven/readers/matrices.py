"""MATLAB files, as BlogCatalog and PPI come in, and scipy's .npz."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from netgiven.cleaning import Links
from netgiven.errors import InputError
from netgiven.network import matrix_links
from netgiven.readers.columns import check_size
from netgiven.readers.files import File

_FROM_ZERO = "Nodes are numbered from 0, by their rows."


def read_npz(file: File) -> Links:
    """Links from a sparse matrix that `scipy.sparse.save_npz` wrote. Nothing in it is unpickled."""
    return replace(_links(file, "a sparse matrix of scipy", _npz), notes=(_FROM_ZERO,))


def read_mat(file: File) -> Links:
    """Links from the variable `network` of a MATLAB file; groups from the variable `group`, if there is one."""
    group: list[Any] = []

    def network(file: File) -> Any:
        variables = _mat(file)
        group.extend([variables["group"]] if "group" in variables else [])
        return variables["network"]

    links = replace(_links(file, "a MATLAB file", network), notes=(_FROM_ZERO,))
    return _with_group(file, links, group[0]) if group else links


def _links(file: File, kind: str, read: Callable[[File], Any]) -> Links:
    try:
        matrix = _checked(read(file))
        shape, entries = matrix.shape, sparse.coo_array(matrix).nnz
        if len(shape) == 2 and shape[0] == shape[1]:
            check_size(file, shape[0], entries)
        return matrix_links(matrix)
    except InputError:
        raise
    except Exception as error:
        told = f"{type(error).__name__}: {error}".splitlines()[0]
        raise file.error(f"the file cannot be read as {kind}: it is cut off or damaged ({told}).") from error


def _checked(matrix: Any) -> Any:
    """Compiled code follows the positions in a sparse matrix without looking: look here."""
    if isinstance(matrix, (sparse.csr_array, sparse.csc_array, sparse.bsr_array, sparse.csr_matrix, sparse.csc_matrix)):
        matrix.check_format(full_check=True)
    return matrix


def _mat(file: File) -> dict[str, Any]:
    from scipy.io import loadmat, whosmat

    if file.data.startswith(b"\x89HDF") or b"MATLAB 7.3" in file.data[:128]:
        raise file.error("this is a MATLAB 7.3 file; save it with -v7 to have it read.")
    source: Any = io.BytesIO(file.data)
    there = [name for name, *_ in whosmat(source)]
    if "network" not in there:
        found = ", ".join(there) or "none"
        raise file.error(f"there is no variable 'network', the matrix of links. Variables: {found}.")
    source.seek(0)
    variables: dict[str, Any] = loadmat(source, variable_names=["network", "group"])
    return variables


def _npz(file: File) -> Any:
    with np.load(io.BytesIO(file.data), allow_pickle=False) as archive:
        parts = {name: archive[name] for name in archive.files}
    if "format" not in parts or "shape" not in parts:
        raise file.error(f"there is no sparse matrix, only {', '.join(parts) or 'nothing'}; use scipy.sparse.save_npz.")
    form = parts["format"].item()
    form = form.decode("ascii") if isinstance(form, bytes) else str(form)
    rows, columns = (int(size) for size in parts["shape"])
    shape = (rows, columns)
    if form == "coo":
        places = (parts["row"], parts["col"]) if "row" in parts else tuple(parts["coords"])
        return sparse.coo_array((parts["data"], places), shape=shape)
    if form == "dia":
        return sparse.dia_array((parts["data"], parts["offsets"]), shape=shape)
    build = {"csr": sparse.csr_array, "csc": sparse.csc_array, "bsr": sparse.bsr_array}[form]
    return build((parts["data"], parts["indices"], parts["indptr"]), shape=shape)


def _with_group(file: File, links: Links, group: Any) -> Links:
    """The column `group`: a value a node, or from a matrix of marks the numbers of its columns, joined as in '3;7'."""
    count = len(links.names)
    try:
        marks = sparse.csr_array(_checked(group))
    except (TypeError, ValueError) as error:
        raise file.error(f"the variable 'group' is no matrix ({error}).") from error
    if marks.shape[0] != count and marks.shape[-1] == count:
        marks = sparse.csr_array(marks.T)
    if len(marks.shape) != 2 or marks.shape[0] != count:
        raise file.error(
            f"the variable 'group' has shape {marks.shape}; a row for each of {count:,} nodes was expected."
        )
    if marks.shape[1] == 1 and count > 1:
        return replace(links, columns=pd.DataFrame({"group": marks.toarray()[:, 0]}))
    marks.sum_duplicates()
    marks.eliminate_zeros()
    several = int(np.count_nonzero(np.diff(marks.indptr) > 1))
    told = f"{several:,} nodes are in several groups, joined as in '3;7'." if several else ""
    note = f"Groups are numbered from 0, by their columns. {told}".strip()
    return replace(links, columns=pd.DataFrame({"group": _group_names(marks)}), notes=(*links.notes, note))


def _group_names(marks: sparse.csr_array) -> pd.Series[Any]:
    rows = np.repeat(np.arange(marks.shape[0]), np.diff(marks.indptr))
    numbers = pd.Series(marks.indices, index=rows)
    if numbers.index.is_unique:
        return numbers.reindex(range(marks.shape[0]))
    joined = numbers.astype("str").groupby(level=0).agg(";".join)
    return joined.reindex(range(marks.shape[0]))
