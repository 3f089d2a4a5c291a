"""What all adapters do: read the training network, save what was made of it. Needs only NumPy and SciPy.

An adapter is a program that runs in its peer's own environment:

    python adapters/PEER.py METHOD DIMENSIONS THREADS NETWORK_FOLDER OUTPUT_FOLDER
"""

import os
import sys
from pathlib import Path

import numpy as np


class Order:
    """What an adapter is asked to do."""

    def __init__(self, words):
        self.method, self.dimensions, self.threads = words[0], int(words[1]), int(words[2])
        self.network, self.output = Path(words[3]), Path(words[4])

    @property
    def edges(self):
        """The training links as text, two node numbers a line."""
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
        """One row a node."""
        np.save(str(self.output / "vectors.npy"), np.asarray(vectors, dtype=np.float32))

    def save_named(self, names, vectors):
        """Rows in an order of their own; a node without links, which a peer may not have seen, gets zeros."""
        with np.load(str(self.matrix_file)) as archive:
            count = int(archive["shape"][0])
        whole = np.zeros((count, np.shape(vectors)[1]), dtype=np.float32)
        whole[np.asarray(names, dtype=np.int64)] = vectors
        self.save(whole)


def order():
    """From the command line."""
    return Order(sys.argv[1:])


def run(methods):
    """Call the method that was asked for with the order, and write down its CPU time: libraries are there by now."""
    asked, begin = order(), cpu_seconds()
    methods[asked.method](asked)
    (asked.output / "seconds.txt").write_text(str(cpu_seconds() - begin))


def cpu_seconds():
    """Of this process and those that it has started and waited for."""
    return sum(os.times()[:4])
