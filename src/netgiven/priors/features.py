"""Features of cells: which constraints a pair of nodes counts for, and with what value."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import sparse

from netgiven.kernels.cells import CellFeatures, add_up, multiply

Doubles = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Features:
    """f_k of one pair of each cell: a matrix, cells x `count` constraints, with the same few entries in each row.

    Entries stand feature by feature, `column[k, c]` and `value[k, c]`, with ascending columns for each cell.

    >>> features = Features.build([[0, 0, 1], [1, 2, 2]], count=3)
    >>> features.times(np.array([1.0, 10.0, 100.0]))
    array([ 11., 101., 110.])
    >>> features.totals(np.array([1.0, 1.0, 5.0]))
    array([2., 6., 6.])
    """

    column: npt.NDArray[np.int32]
    value: Doubles
    count: int

    @classmethod
    def build(cls, columns: npt.ArrayLike, count: int, value: Doubles | None = None) -> Features:
        """From columns, one row a feature; values are 1 unless told."""
        column = np.ascontiguousarray(columns, dtype=np.int32)
        return cls(column, np.ones(column.shape) if value is None else value, count)

    @cached_property
    def arrays(self) -> CellFeatures:
        """What kernels take."""
        return CellFeatures(self.column, self.value)

    def times(self, multipliers: Doubles) -> Doubles:
        """f_c . lambda for each cell."""
        out = np.empty(self.column.shape[1])
        multiply(self.arrays, multipliers, out)
        return out

    def totals(self, weights: Doubles) -> Doubles:
        """sum over cells of weights_c f_c, for each constraint."""
        out = np.empty(self.count)
        add_up(self.arrays, weights, out)
        return out

    def of(self, cells: npt.NDArray[np.bool_]) -> Features:
        """The features of some cells only."""
        return Features(np.compress(cells, self.column, axis=1), np.compress(cells, self.value, axis=1), self.count)

    def renumbered(self, kept: npt.NDArray[np.bool_]) -> Features:
        """The same features over the constraints that are kept; no cell may count for another one."""
        places = (np.cumsum(kept) - 1).astype(np.int32)
        return Features(places[self.column], self.value, int(kept.sum()))

    def beside(self, other: Features) -> Features:
        """Both at once; the other's constraints are numbered after ours."""
        column = np.concatenate([self.column, other.column + np.int32(self.count)])
        return Features(column, np.concatenate([self.value, other.value]), self.count + other.count)

    def matrix(self) -> sparse.csr_array:
        """As a sparse matrix, for libraries."""
        width, cells = self.column.shape
        rows = np.repeat(np.arange(cells), width)
        return sparse.csr_array((self.value.T.ravel(), (rows, self.column.T.ravel())), shape=(cells, self.count))
