"""fastnode2vec: the numbers that have no default are those of the node2vec paper."""

import numpy as np
from common import run
from fastnode2vec import Graph, Node2Vec

LENGTH, WINDOW, EPOCHS = 80, 10, 10


def embed(order):
    links = np.loadtxt(order.edges, dtype=np.int64).tolist()
    graph = Graph(links, directed=False, weighted=False, verbose=False)
    settings = {"walk_length": LENGTH, "window": WINDOW, "workers": order.threads, "seed": 0}
    model = Node2Vec(graph, dim=order.dimensions, **settings)
    model.train(epochs=EPOCHS, verbose=False)
    order.save_named([int(name) for name in model.wv.index_to_key], model.wv.vectors)


run({"node2vec": embed})
