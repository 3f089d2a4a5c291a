"""Make the pictures of the README: python docs/scripts/readme_pictures.py"""

from pathlib import Path
from typing import Any

import netgiven as ng
from netgiven.cli.demo import compare

network = ng.datasets.company()
plane: dict[str, Any] = {"dimensions": 2, "reach": 2.0, "shrinkage": 0.0}
embeddings = [ng.embed(network, given, **plane) for given in ("density", "degrees", "degrees+blocks:department")]
compare(embeddings, ["department", "project"], Path(__file__).parents[1] / "pictures" / "company.png")
