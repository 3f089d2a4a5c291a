"""Files that were damaged at random or written to do harm are read, or refused by an error of netgiven.

They are read in a process of its own, with limits of memory and time, as they could end it.
"""

from __future__ import annotations

import sys

import pytest

from tests.hostile_files import findings

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs limits of memory and time")

SAMPLE, ALL = 400, 10_000


def test_files_written_to_do_harm():
    assert findings("by_hand") == []


def test_damaged_files():
    assert findings("damaged", 0, SAMPLE) == []


@pytest.mark.thorough
@pytest.mark.parametrize("start", range(SAMPLE, ALL, 1600))
def test_more_damaged_files(start):
    assert findings("damaged", start, min(start + 1600, ALL)) == []
