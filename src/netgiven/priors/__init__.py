"""What is known of a network beforehand, and the maximum-entropy distribution that says it and nothing else."""

from netgiven.priors.custom import constraint
from netgiven.priors.kinds import assortativity, blocks, common_neighbours, degrees, density, group_degrees, homophily
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
