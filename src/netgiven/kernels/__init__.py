"""Loops over pairs of nodes.

Numbers and arrays only: no names, no files. `reference` is the slow twin that judges the others.
"""
