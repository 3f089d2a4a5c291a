"""Make the pictures of the README: python docs/make_pictures.py"""

from pathlib import Path

import netgiven as ng
from netgiven.cli.demo import compare

network = ng.datasets.company()
plane = {"dimensions": 2, "spread": ng.Spread.from_reach(2.0), "shrinkage": 0.0}
embeddings = [ng.embed(network, given, **plane) for given in ("density", "degrees", "degrees+blocks:department")]
compare(embeddings, ["department", "project"], Path(__file__).parent / "pictures" / "company.png")
