"""Edge lists and CSV or TSV tables of links."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from netgiven.edges import Links
from netgiven.errors import InputError
from netgiven.readers.columns import LinkColumns, Roles, check_no_gaps, find_roles, named_ends
from netgiven.readers.files import File
from netgiven.readers.layout import Text, is_number, lay_out
from netgiven.readers.lines import Row
from netgiven.readers.table import integer_columns, place_of_row, skipped_comments, text_columns


def read_text(file: File, header: bool | None = None, delimiter: str | None = None) -> Links:
    """Links from lines of two names; a third column may hold weights, and further ones what a header says.

    >>> links = read_text(File("friends.csv", ".csv", b"from,to\\nann,bob\\nbob,cid\\n"))
    >>> links.names.tolist(), links.first.tolist(), links.second.tolist()
    (['ann', 'bob', 'cid'], [0, 1], [1, 2])
    """
    text = lay_out(file, looks_like_header, header, delimiter)
    if text.width < 2:
        place = place_of_row(text, 0)
        raise InputError(f"{place} is one column only; a link is two names, with a tab, comma or blank between.")
    roles = find_roles(text.header, text.width)
    links = _links(text, roles)
    return replace(links, notes=(*text.notes, *links.notes, *_notes(text, roles, links)))


def looks_like_header(first: Row, rest: list[Row]) -> bool:
    """Whether the first row names columns: with known words, or with words where all rows below hold numbers.

    >>> looks_like_header(["Source", "Target"], [["ann", "bob"]]), looks_like_header(["ann", "bob"], [["1", "2"]])
    (True, True)
    >>> looks_like_header(["u", "v"], [["v", "w"]]), looks_like_header(["ann", "bob"], [["bob", "cid"]])
    (False, False)
    """
    ends = named_ends(first)
    if ends is not None:  # words that come again are names: nobody repeats a header
        words = {first[end] for end in ends}
        return not any(words.intersection(row) for row in rest)
    begin = 1 if len(first) > 2 and not first[0] else 0  # pandas and R leave the name of their row numbers empty
    return _are_words_above_numbers(first[begin : begin + 2], [row[begin : begin + 2] for row in rest])


def _are_words_above_numbers(first: Row, rest: list[Row]) -> bool:
    below = [cell for row in rest for cell in row]
    return bool(below) and not any(map(is_number, first)) and all(map(is_number, below))


def _links(text: Text, roles: Roles) -> Links:
    wanted = [*roles.ends, *roles.others]
    columns = None if roles.of_nodes else integer_columns(text, roles.ends, roles.weight)
    locate = partial(place_of_row, text)
    if columns is None:
        columns = text_columns(text, wanted)
        check_no_gaps(columns[:2], locate)
    return LinkColumns.chosen(dict(zip(wanted, columns, strict=True)), roles).links(text.file, locate)


def _notes(text: Text, roles: Roles, links: Links) -> list[str]:
    notes = []
    if roles.ignored:
        notes.append(f"Ignored columns: {', '.join(roles.ignored)}.")
    comments = skipped_comments(text)
    if comments:
        notes.append(f"Lines skipped as comments below the first link, as they begin with # or %: {comments:,}.")
    spaced = _with_blanks_around(text, links)
    if len(spaced):
        notes.append(f"Names that begin or end with a blank: {len(spaced):,}, such as {spaced[0]!r}.")
    return notes


def _with_blanks_around(text: Text, links: Links) -> pd.Index[Any]:
    if links.names.dtype == np.int64 or b" " not in text.data:
        return links.names[:0]
    return links.names[links.names.str.strip() != links.names]
