"""Sparse matrices that scipy wrote (.npz)."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from netgiven.edges import Links
from netgiven.errors import InputError
from netgiven.network import matrix_links
from netgiven.readers.columns import check_positions, check_size
from netgiven.readers.files import File


def read_npz(file: File) -> Links:
    """Links from a sparse matrix that `scipy.sparse.save_npz` wrote. Nothing in it is unpickled."""
    try:
        links = matrix_links(_matrix(file))
    except InputError:
        raise
    except Exception as error:
        told = f"{type(error).__name__}: {error}".splitlines()[0]
        raise file.error(f"the file cannot be read as a sparse matrix: it is cut off or damaged ({told}).") from error
    return replace(links, notes=("Nodes are numbered from 0, by their rows.",))


def _matrix(file: File) -> Any:
    with np.load(io.BytesIO(file.data), allow_pickle=False) as archive:
        parts = {name: archive[name] for name in archive.files}
    if "format" not in parts or "shape" not in parts:
        raise file.error(f"there is no sparse matrix, only {', '.join(parts) or 'nothing'}; use scipy.sparse.save_npz.")
    form = parts["format"].item()
    form = form.decode("ascii") if isinstance(form, bytes) else str(form)
    rows, columns = (int(size) for size in parts["shape"])
    check_size(file, max(rows, columns), len(file.data))
    return _built(form, parts, (rows, columns))


def _built(form: str, parts: dict[str, Any], shape: tuple[int, int]) -> Any:
    if form == "coo":
        places = (parts["row"], parts["col"]) if "row" in parts else tuple(parts["coords"])
        return sparse.coo_array((parts["data"], places), shape=shape)
    if form == "dia":
        return sparse.dia_array((parts["data"], parts["offsets"]), shape=shape)
    build = {"csr": sparse.csr_array, "csc": sparse.csc_array, "bsr": sparse.bsr_array}[form]
    return check_positions(build((parts["data"], parts["indices"], parts["indptr"]), shape=shape))
