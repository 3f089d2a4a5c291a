"""Make the pictures of the README: python docs/make_pictures.py"""

from pathlib import Path

import netgiven as ng
from netgiven.tasks.pictures import compare

network = ng.datasets.company()
embeddings = [ng.embed(network, given, dimensions=2) for given in ("density", "degrees", "degrees+blocks:department")]
compare(embeddings, ["department", "project"], Path(__file__).parent / "pictures" / "company.png")
