"""Networks from files: import from the modules, so that only the libraries of one format are loaded.

read.py        read a network, labels or pairs from a file of any format
files.py       a path to bytes: bounded decompression, encoding, file errors
tables.py      tables of links: what their columns mean; Parquet, Feather, Arrow
text.py        text tables: layout, fast and line-by-line parsing
numbering.py   names to numbers, compiled, for long lists
nodes.py       node tables: groups, attributes, nodes without links
graphs.py      GraphML, GEXF, GML, JSON, adjacency lists, Pajek
matrices.py    Matrix Market, MATLAB, SciPy
part_files.py  a folder of part files, each read by itself
"""
