"""Loops over pairs of nodes.

Numbers and arrays only: no names, no files. `reference` has a readable twin of each kernel, for the tests.
"""
