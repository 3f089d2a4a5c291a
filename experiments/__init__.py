"""Experiments around netgiven, not part of the package: the paper's tables and the vector baselines."""
