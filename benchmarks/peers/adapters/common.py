"""Common parts of the adapters: read the training network, save the result. Needs only NumPy and SciPy.

An adapter is a program that runs in its peer's own environment:

    python adapters/PEER.py METHOD DIMENSIONS THREADS NETWORK_FOLDER OUTPUT_FOLDER
"""

import os
import sys
from pathlib import Path

import numpy as np


class Order:
    """Method, settings and folders of a run."""

    def __init__(self, words):
        self.method, self.dimensions, self.threads = words[0], int(words[1]), int(words[2])
        self.network, self.output = Path(words[3]), Path(words[4])

    @property
    def edges(self):
        """The training links as text, two node numbers per line."""
        return self.network / "train.edges"

    @property
    def matrix_file(self):
        """The training links as a matrix, both directions, in SciPy's format."""
        return self.network / "train.npz"

    def matrix(self):
        """That matrix."""
        from scipy import sparse

        return sparse.load_npz(str(self.matrix_file))

    def save(self, vectors):
        """Save vectors, one row per node."""
        np.save(str(self.output / "vectors.npy"), np.asarray(vectors, dtype=np.float32))

    def save_named(self, names, vectors):
        """Save vectors of named nodes; nodes that are missing, such as those without links, get zeros."""
        with np.load(str(self.matrix_file)) as archive:
            count = int(archive["shape"][0])
        whole = np.zeros((count, np.shape(vectors)[1]), dtype=np.float32)
        whole[np.asarray(names, dtype=np.int64)] = vectors
        self.save(whole)


def order():
    """The order on the command line."""
    return Order(sys.argv[1:])


def run(methods):
    """Call the method, and save its CPU time, without that of importing libraries."""
    wanted, begin = order(), cpu_seconds()
    methods[wanted.method](wanted)
    (wanted.output / "seconds.txt").write_text(str(cpu_seconds() - begin))


def cpu_seconds():
    """CPU seconds of this process and its finished children."""
    return sum(os.times()[:4])
