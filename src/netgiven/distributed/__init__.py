"""Fits on a Ray cluster: each worker computes a shard of the nodes, and the result is the same as on one machine."""
