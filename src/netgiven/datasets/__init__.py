"""Networks to try things on.

generators.py   drawn at random: a company, viewers and films, planted communities with known probabilities
public.py       the public networks of the paper: what they hold, finding and loading them
download.py     downloading them
"""

from netgiven.datasets import download, public
from netgiven.datasets.generators import Planted, cinema, company, planted

__all__ = ["Planted", "cinema", "company", "download", "planted", "public"]
