"""graspologic: adjacency and Laplacian spectral embedding, as they come but for the check of connectedness."""

import numpy as np
from common import run
from graspologic.embed import AdjacencySpectralEmbed, LaplacianSpectralEmbed
from scipy import sparse


def method(kind):
    def embed(order):
        model = kind(n_components=order.dimensions, check_lcc=False, svd_seed=0)
        order.save(model.fit_transform(sparse.csr_array(order.matrix().astype(np.float64))))

    return embed


run({"ASE": method(AdjacencySpectralEmbed), "LSE": method(LaplacianSpectralEmbed)})
