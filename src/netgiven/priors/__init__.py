"""What is known of a network beforehand, and the maximum-entropy distribution that says it and nothing else."""

from netgiven.priors.blocks import blocks
from netgiven.priors.degrees import degrees
from netgiven.priors.density import density
from netgiven.priors.knowledge import Knowledge, parse_knowledge
from netgiven.priors.prior import Prior

__all__ = ["Knowledge", "Prior", "blocks", "degrees", "density", "parse_knowledge"]
