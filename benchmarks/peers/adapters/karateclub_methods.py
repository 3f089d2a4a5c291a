"""karateclub: some of its methods, as they come."""

import karateclub
import networkx
import numpy as np
from common import run

THREADED = ("DeepWalk", "Walklets")


def whole_graph(matrix):
    """Its own demand: nodes 0, 1, ..., all in one component. Each component beyond the first gets a link to node 0."""
    graph = networkx.from_scipy_sparse_matrix(matrix)
    components = [min(nodes) for nodes in networkx.connected_components(graph)]
    graph.add_edges_from((0, node) for node in components if node != 0)
    return graph


def method(name):
    def embed(order):
        settings = {"workers": order.threads} if name in THREADED else {}
        model = getattr(karateclub, name)(dimensions=order.dimensions, **settings)
        model.fit(whole_graph(order.matrix()))
        order.save(np.asarray(model.get_embedding()))

    return embed


run({name: method(name) for name in ("DeepWalk", "Walklets", "RandNE", "NetMF")})
