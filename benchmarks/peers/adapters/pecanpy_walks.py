"""PecanPy: node2vec's walks and gensim; p = q = 1 and all else as it comes."""

from common import run
from pecanpy import pecanpy


def embed(order):
    graph = pecanpy.SparseOTF(p=1, q=1, workers=order.threads, verbose=False)
    graph.read_npz(str(order.matrix_file), weighted=False, implicit_ids=True)
    order.save(graph.embed(dim=order.dimensions))


run({"node2vec": embed})
