"""The published numbers of the paper, as printed.

Bo Kang, Jefrey Lijffijt, Tijl De Bie: Conditional Network Embeddings. International Conference on Learning
Representations (ICLR), 2019. Tables 2 and 3.
"""

from __future__ import annotations

CITATION = (
    "Bo Kang, Jefrey Lijffijt, Tijl De Bie: Conditional Network Embeddings. "
    "International Conference on Learning Representations (ICLR), 2019"
)

TITLES = {
    "facebook": "Facebook",
    "ppi": "PPI",
    "arxiv_astroph": "arXiv",
    "blogcatalog": "BlogCatalog",
    "wikipedia": "Wikipedia",
}

Scores = dict[str, dict[str, float]]  # by row, by network

_TABLE_2 = {
    "Common Neighbor": (0.9735, 0.7693, 0.9422, 0.9215, 0.8392),
    "Jaccard Sim.": (0.9705, 0.7580, 0.9422, 0.7844, 0.5048),
    "Adamic Adar": (0.9751, 0.7719, 0.9427, 0.9268, 0.8634),
    "Prefere. Attach.": (0.8295, 0.8892, 0.8640, 0.9519, 0.9130),
    "Deepwalk": (0.9798, 0.6365, 0.9207, 0.6077, 0.5563),
    "LINE": (0.9525, 0.7462, 0.9771, 0.7563, 0.7077),
    "node2vec": (0.9881, 0.6802, 0.9721, 0.7332, 0.6720),
    "metapath2vec++": (0.7408, 0.8516, 0.8258, 0.9125, 0.8334),
    "CNE (uniform)": (0.9905, 0.8908, 0.9865, 0.9190, 0.8417),
    "CNE (degree)": (0.9909, 0.9115, 0.9882, 0.9636, 0.9158),
}
LINK_AUC: Scores = {row: dict(zip(TITLES, values, strict=True)) for row, values in _TABLE_2.items()}

# Table 2, last column. The database is no longer public; these numbers cannot be compared with those of other networks.
STUDENTDB_AUC = {
    "Common Neighbor": 0.4160,
    "Jaccard Sim.": 0.4160,
    "Adamic Adar": 0.4160,
    "Prefere. Attach.": 0.9106,
    "Deepwalk": 0.7644,
    "LINE": 0.8562,
    "node2vec": 0.8261,
    "metapath2vec++": 0.9244,
    "CNE (uniform)": 0.9300,
    "CNE (degree)": 0.9439,
    "CNE (block)": 0.9830,
}

_LABELLED = ("blogcatalog", "ppi", "wikipedia")
_TABLE_3_MACRO = {
    "Deepwalk": (0.2544, 0.1795, 0.1872),
    "LINE": (0.1495, 0.1547, 0.1721),
    "node2vec": (0.2364, 0.1844, 0.1985),
    "metapath2vec++": (0.0351, 0.0337, 0.1031),
    "CNE-LR (degree)": (0.1833, 0.1484, 0.1370),
    "CNE-LP (block+degree)": (0.2935, 0.2639, 0.3374),
}
_TABLE_3_MICRO = {
    "Deepwalk": (0.3950, 0.2248, 0.4661),
    "LINE": (0.2947, 0.2047, 0.5193),
    "node2vec": (0.3880, 0.2353, 0.4746),
    "metapath2vec++": (0.1684, 0.0726, 0.3942),
    "CNE-LR (degree)": (0.3376, 0.1952, 0.4339),
    "CNE-LP (block+degree)": (0.4002, 0.25195, 0.4839),
}
LABEL_MICRO_F1: Scores = {row: dict(zip(_LABELLED, values, strict=True)) for row, values in _TABLE_3_MICRO.items()}
_MACRO: Scores = {row: dict(zip(_LABELLED, values, strict=True)) for row, values in _TABLE_3_MACRO.items()}

# The paper measures labels as links by another macro-F1 than the regressions: the harmonic mean of mean precision and
# mean recall, over labels that were predicted or are true.
LABEL_MACRO_F1: Scores = {row: values for row, values in _MACRO.items() if "LP" not in row}
LABEL_MACRO_F1_AS_LINKS: Scores = {row: values for row, values in _MACRO.items() if "LP" in row}
