"""DeepWalk as people write it with gensim: uniform walks, then Word2Vec. 10 walks of 40 nodes, window 5."""

import numpy as np
from common import run
from gensim.models import Word2Vec

ROUNDS, LENGTH, WINDOW = 10, 40, 5  # defaults of DeepWalk's own program


def walks(matrix, random):
    """Walks of all nodes with links at once, step by step; one walk per row."""
    degrees = np.diff(matrix.indptr)
    nodes = random.permutation(np.flatnonzero(degrees))
    steps = [nodes]
    for _ in range(LENGTH - 1):
        nodes = matrix.indices[matrix.indptr[nodes] + (random.random(len(nodes)) * degrees[nodes]).astype(np.int64)]
        steps.append(nodes)
    return np.column_stack(steps)


class Walks:
    """Walks as gensim reads them, several times, drawn from the same seed each time."""

    def __init__(self, matrix):
        self.matrix = matrix

    def __iter__(self):
        random = np.random.default_rng(0)
        for _ in range(ROUNDS):
            for row in walks(self.matrix, random).tolist():
                yield [str(node) for node in row]


def embed(order):
    corpus = Walks(order.matrix())
    settings = {"window": WINDOW, "sg": 1, "hs": 1, "negative": 0, "min_count": 0, "epochs": 1, "seed": 0}
    model = Word2Vec(corpus, vector_size=order.dimensions, workers=order.threads, **settings)
    order.save_named([int(name) for name in model.wv.index_to_key], model.wv.vectors)


run({"DeepWalk": embed})
