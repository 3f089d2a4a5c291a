"""Python may exit right after reading: no thread of PyArrow is left that waits for it to free the file's bytes."""

from __future__ import annotations

import io
import sys

import pyarrow as pa
import pyarrow.parquet
import pytest

from netgiven.io.files import File, arrow_source
from netgiven.io.tables import table_columns
from netgiven.io.text import lay_out, looks_like_header, text_columns

LINKS = [(node, 7 * node % 5_000) for node in range(20_000)]
READS = 200  # without a copy, a thread still holds the bytes after one read in ten


@pytest.fixture(autouse=True)
def _nobody_else_gets_a_turn():
    """Who waits for Python when a read returns is still waiting at the next line."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1.0)
    yield
    sys.setswitchinterval(before)


def reads_that_left_a_holder(data, read):
    """How often somebody besides us refers to the bytes when a read is over."""
    ours = sys.getrefcount(data)
    left = 0
    for _ in range(READS):
        read()
        left += sys.getrefcount(data) != ours
    return left


def test_arrow_reads_from_memory_of_its_own():
    data = b"ann,bob\n" * 100
    ours = sys.getrefcount(data)
    source = arrow_source(data)
    assert sys.getrefcount(data) == ours
    assert source.read() == data


def test_nothing_holds_a_text_after_reading():
    data = "".join(f"{first},{second}\n" for first, second in LINKS).encode()
    text = lay_out(File("links.csv", ".csv", data), looks_like_header, None, None)
    assert reads_that_left_a_holder(data, lambda: text_columns(text, (0, 1))) == 0


def test_nothing_holds_a_parquet_file_after_reading():
    sink = io.BytesIO()
    firsts, seconds = zip(*LINKS, strict=True)
    pa.parquet.write_table(pa.table({"source": firsts, "target": seconds}), sink)
    data = sink.getvalue()
    assert reads_that_left_a_holder(data, lambda: table_columns(File("links.parquet", ".parquet", data))) == 0
