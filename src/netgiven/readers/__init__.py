"""Readers: one file a family of formats; `read` chooses among them.

files.py     bytes from a path              layout.py   how a text table is laid out
lines.py     a text table line by line      table.py    the same, fast, by PyArrow
columns.py   what columns of links mean     nodes.py    the table of nodes
numbering.py names to numbers, compiled
text.py, arrow.py, graphs.py, gml.py, pajek.py, mtx.py, mat.py, npz.py   the families
"""

from netgiven.readers.families import read
from netgiven.readers.label_list import read_labels
from netgiven.readers.pair_list import read_pairs

__all__ = ["read", "read_labels", "read_pairs"]
