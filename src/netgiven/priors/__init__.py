"""What is known of a network beforehand, and the maximum-entropy distribution that says it and nothing else."""

from netgiven.priors.assortativity import assortativity
from netgiven.priors.blocks import blocks
from netgiven.priors.common_neighbours import common_neighbours
from netgiven.priors.constraint import constraint
from netgiven.priors.degrees import degrees
from netgiven.priors.density import density
from netgiven.priors.group_degrees import group_degrees
from netgiven.priors.homophily import homophily
from netgiven.priors.knowledge import Knowledge, parse_knowledge
from netgiven.priors.order import order
from netgiven.priors.prior import Prior

__all__ = [
    "Knowledge",
    "Prior",
    "assortativity",
    "blocks",
    "common_neighbours",
    "constraint",
    "degrees",
    "density",
    "group_degrees",
    "homophily",
    "order",
    "parse_knowledge",
]
