"""Fitting on a Ray cluster: each worker owns a range of nodes, and the result is the same as on one machine."""
