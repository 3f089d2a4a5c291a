"""Reproduction of the tables of the paper, beside its published numbers: `make reproduce`."""
