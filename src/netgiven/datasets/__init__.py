"""Networks to try things on.

company.py    one of our own                             planted.py       of any size, with known probabilities
registry.py   the public ones: what they hold         public.py        finding them in a folder, and reading them
fetching.py   getting one from its home               downloading.py   one file over https
"""

from netgiven.datasets import fetching, public
from netgiven.datasets.company import company
from netgiven.datasets.planted import Planted, planted

__all__ = ["Planted", "company", "fetching", "planted", "public"]
