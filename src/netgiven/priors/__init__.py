"""Prior knowledge of a network, and the maximum-entropy distribution over networks that expresses it and nothing else.

knowledge     sums of constraints, their text form, what is given   features       the four blocks of features
constraints   the interface of a constraint                         layout         classes of nodes, shared shape
builtin       density, degrees, blocks, order, homophily, ...       interpolation  fewer points for many classes
custom        any weights                                           expectation    expected totals, Hessian
learned       knowledge from another network                        dual           the dual and Newton's method
extend        new nodes                                             boundary       certain pairs
fit, prior    fitting, and the fitted prior                         unobserved     networks with unobserved pairs
"""

from netgiven.priors.builtin import (
    assortativity,
    blocks,
    common_neighbours,
    degrees,
    density,
    group_degrees,
    homophily,
    order,
)
from netgiven.priors.custom import constraint
from netgiven.priors.knowledge import Knowledge, parse_knowledge
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
