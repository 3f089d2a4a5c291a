"""scikit-network: spectral methods and projections, as they come."""

from common import run
from sknetwork import embedding


def method(name):
    def embed(order):
        model = getattr(embedding, name)(n_components=order.dimensions)
        order.save(model.fit_transform(order.matrix()))

    return embed


run({name: method(name) for name in ("Spectral", "SVD", "GSVD", "RandomProjection")})
