"""Ratios of CPU time, taken in one run, that say whether fitting is as fast as it should be.

    python benchmarks/speed/fit.py [kernel] [step] [facebook] [loops] [memory] [--data FOLDER]

kernel    the exact kernel over the same loop in C (needs cc)
step      a sampled step on 1,000,000 nodes and 10,000,000 links over a bare gather of its link rows
facebook  a plain NumPy loop over our fit, both to within 0.1 % of the exact optimum, and both to the cost that our
          default reaches (needs the data folder)
loops     the same on Facebook, arXiv and BlogCatalog, to within 0.1 % of where our default ends (ten minutes)
memory    peak memory of `netgiven embed` on a file of 10,000,000 lines

Without names, all of them. Prints one table with targets; exit code 1 if one is missed.
"""

from __future__ import annotations

import argparse
import importlib
from pathlib import Path

from measuring import Target, add_data_option, finish

NAMES = ("kernel", "step", "facebook", "loops", "memory")
NEED_DATA = ("facebook", "loops")


def measure(name: str, folder: Path | None) -> list[Target]:
    """The targets of one benchmark; each is a module beside this one."""
    module = importlib.import_module(name)
    return module.measure(folder) if name in NEED_DATA else module.measure()


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="name", help=", ".join(NAMES))
    add_data_option(parser)
    options = parser.parse_args()
    unknown = set(options.names) - set(NAMES)
    if unknown:
        parser.error(f"there is no {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}")
    finish([target for name in options.names or NAMES for target in measure(name, options.data)])


if __name__ == "__main__":
    main()
