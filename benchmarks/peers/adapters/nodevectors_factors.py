"""nodevectors: ProNE and GGVec as they come."""

from common import run
from nodevectors import GGVec, ProNE


def prone(order):
    order.save(ProNE(n_components=order.dimensions, verbose=False).fit_transform(order.matrix()))


def ggvec(order):
    order.save(GGVec(n_components=order.dimensions, threads=order.threads).fit_transform(order.matrix()))


run({"ProNE": prone, "GGVec": ggvec})
