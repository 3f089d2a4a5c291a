"""Edge lists: layouts, names exactly as they went in, and errors with their lines."""

from __future__ import annotations

import csv
import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import netgiven as ng
from netgiven.io.files import File
from netgiven.io.text import lay_out, looks_like_header, slow_columns, text_columns
from tests.file_samples import any_text, may_be_missing, named_links, names, pairs_of, read_bytes, read_string

CHAIN = {frozenset(pair) for pair in [("ann", "bob"), ("bob", "cid")]}


@pytest.mark.parametrize(
    "text",
    [
        "ann bob\nbob cid\n",
        "ann bob\nbob cid",  # no end of the last line
        "ann\tbob\r\nbob\tcid\r\n",
        "ann\tbob\rbob\tcid\r",  # old Macintosh
        "\ufeffann,bob\nbob,cid\n",
        "ann;bob\nbob;cid\n",
        "  ann   bob \n\tbob\t  cid\t\n",
        "# a comment\n% another\n\nann bob\n   \n  # indented\nbob cid\n\n",
        "\n\nann,bob\n\n#,\nbob,cid\n\t\n",
        '"ann","bob"\nbob,"cid"\n',
        '"ann", "bob"\n"bob", "cid"\n',
        '"ann" bob\nbob   "cid"\n',
        '"ann"\tbob\nbob\t"cid"\n',
        "ann, bob\nbob, cid\n",
        "source,target\nann,bob\nbob,cid\n",
        "# Nodes: 3\nFromNodeId\tToNodeId\nann\tbob\nbob\tcid\n",
        "\n\nsource target\nann bob\nbob cid\n",
        "weight,target,source\n2,bob,ann\n3,cid,bob\n",
        ",from,to\n0,ann,bob\n1,bob,cid\n",  # pandas with its row numbers
        '"from" "to"\n"1" "ann" "bob"\n"2" "bob" "cid"\n',  # R: no name for its row numbers
        '"","from","to"\n"1","ann","bob"\n"2","bob","cid"\n',
    ],
)
def test_layouts(text):
    network = read_string(text)
    assert named_links(network) == CHAIN
    assert sorted(network.nodes) == ["ann", "bob", "cid"]


@pytest.mark.parametrize("text", ["1 2\n2 3\n", "1,2\r\n2,3", '"1","2"\n"2","3"\n', "1, 2\n2, 3\n", "a,b\n1,2\n2,3\n"])
def test_integers_are_integers(text):
    network = read_string(text)
    assert network.nodes.dtype == np.int64
    assert network.nodes.tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    "odd", ["007", "+1", "1.0", "-0", "0x1F", "1e3", "9223372036854775808", "00", "-01", "1_0", "١", " 1"]
)
@pytest.mark.parametrize("extra", ["", ",0.05", ",x"])
def test_a_name_that_is_not_a_plain_integer_keeps_all_of_them_text(odd, extra):
    for text in (f"{odd},2{extra}\n2,3{extra}\n", f"2,3{extra}\n2,{odd}{extra}\n"):
        network = read_string(text)
        assert named_links(network) == {frozenset((odd, "2")), frozenset(("2", "3"))}


@pytest.mark.parametrize("gap", ["nan", "NaN", "NA", "null", "None"])
@pytest.mark.parametrize("extra", ["", ",0.05", ",x"])
def test_a_missing_value_among_integers_is_an_error_with_its_line(gap, extra):
    with pytest.raises(ng.InputError, match=rf"links\.edges, line 3: '{gap},3{extra}' has a node '{gap}' where all"):
        read_string(f"# comment\n1,2{extra}\n{gap},3{extra}\n")
    with pytest.raises(ng.InputError, match="line 2"):
        read_string(f"source,target\n1,{gap}\n")
    assert gap in read_string(f"1,2{extra}\nann,{gap}{extra}\n").nodes


def test_weights_do_not_make_integers_text():
    network = read_string("1 2 0.05\n2 3 0.5\n3 4 007\n")
    assert network.nodes.tolist() == [1, 2, 3, 4]
    assert network.cleaning.weighted


@given(pairs_of(st.integers(-(2**63), 2**63 - 1) | st.integers(-5, 5)), st.sampled_from([" ", "\t", ",", ";", "  "]))
def test_integers_come_back(pairs, delimiter):
    network = read_string("".join(f"{a}{delimiter}{b}\n" for a, b in pairs))
    assert network.nodes.tolist() == sorted({name for pair in pairs for name in pair})
    assert named_links(network) == {frozenset(pair) for pair in pairs if pair[0] != pair[1]}


def _has_gap_among_integers(pairs):
    others = [name for pair in pairs for name in pair if not may_be_missing(name)]
    return len(others) < 2 * len(pairs) and all(name.lstrip("-").isdecimal() for name in others)


@given(pairs_of(names), st.sampled_from([",", ";", "|"]), st.sampled_from(["\n", "\r\n"]))
def test_any_name_comes_back_from_a_quoted_table(pairs, delimiter, end):
    sink = io.StringIO(newline="")
    csv.writer(sink, delimiter=delimiter, lineterminator=end, quoting=csv.QUOTE_ALL).writerows(pairs)
    assume(not _has_gap_among_integers(pairs))
    network = read_bytes(sink.getvalue().encode(), "links.csv", header=False, delimiter=delimiter)
    given_names = list(dict.fromkeys(name for pair in pairs for name in pair))
    if network.nodes.dtype == np.int64:
        assert [str(name) for name in network.nodes] == sorted(given_names, key=int)
    else:
        assert network.nodes.tolist() == given_names  # in order of appearance


@given(pairs_of(names), st.sampled_from([" ", "\t"]))
def test_any_name_without_the_delimiter_comes_back_unquoted(pairs, delimiter):
    flat = [name for pair in pairs for name in pair]
    forbidden = set('\r\n"' + (" \t" if delimiter == " " else delimiter))
    assume(not any(forbidden.intersection(name) for name in flat))
    assume(not any(a.lstrip(" ")[:1] in ("", "#", "%") for a, _ in pairs) and all(b.strip(" ") for b in flat))
    text = "".join(f"{a}{delimiter}{b}\n" for a, b in pairs)
    assume(not text.startswith("\ufeff") and not _has_gap_among_integers(pairs))
    network = read_string(text, header=False, delimiter=delimiter)
    assert sorted(map(str, network.nodes)) == sorted(set(flat))


cells = st.text(st.sampled_from('ab01,;\t "#%\r\n.-x\u00e9'), max_size=6)


@given(
    st.lists(st.lists(cells, min_size=2, max_size=2), min_size=1, max_size=8), st.sampled_from(",;\t "), st.booleans()
)
def test_the_fast_reader_agrees_with_its_slow_twin(rows, delimiter, quote):
    sink = io.StringIO(newline="")
    if quote:
        csv.writer(sink, delimiter=delimiter, lineterminator="\n").writerows(rows)
    else:
        sink.write("".join(delimiter.join(row) + "\n" for row in rows))
    _compare_twins(sink.getvalue().encode(), delimiter)


@given(st.text(st.sampled_from('ab0,;\t "#%\r\n'), max_size=40), st.sampled_from([",", "\t", " ", None]))
def test_the_twins_agree_on_anything(text, delimiter):
    _compare_twins(text.encode(), delimiter)


def _compare_twins(data, delimiter):
    def columns(reader):
        try:
            return [column.to_pylist() for column in reader(text, range(text.width))]
        except ng.InputError as error:
            return str(error)

    try:
        text = lay_out(File("x", ".csv", data), looks_like_header, None, delimiter)
    except ng.InputError:
        return
    fast, slow = columns(text_columns), columns(slow_columns)
    if text.strip and isinstance(slow, list):
        slow = [[cell if cell is None else cell.strip(" \t") for cell in column] for column in slow]
    assert fast == slow


def test_the_header_is_noted_and_can_be_overruled():
    text = "source,target\nann,bob\n"
    assert "taken as a header: 'source, target'" in read_string(text).notes[0]
    assert "header=False, or --no-header" in read_string(text).notes[0]
    assert read_string(text, header=False).node_count == 4
    network = read_string("ann,bob\nbob,cid\n", header=True)
    assert network.nodes.tolist() == ["bob", "cid"]
    assert network.notes == ()


def test_words_above_numbers_are_a_header_and_words_above_words_are_not():
    assert read_string("x,y\n1,2\n").nodes.tolist() == [1, 2]
    assert read_string("x,y\nz,1\n").node_count == 4
    assert read_string("u v\nv w\n").nodes.tolist() == ["u", "v", "w"]


def test_names_for_nothing_are_names():
    network = read_string("NA nan\nnull NaN\nNone NULL\n")
    assert network.nodes.tolist() == ["NA", "nan", "null", "NaN", "None", "NULL"]


def test_weights_are_noted():
    network = read_string("a b 2.5\nb c 1\nc d 0\n")
    assert network.link_count == 3
    assert str(network.cleaning) == "3 links given, 3 kept: weights of 2 links ignored"
    assert "Links of weight 0, which count as links: 1." in network.notes
    assert not read_string("a b 1\nb c 1\n").cleaning.weighted
    assert not read_string("a b x\nb c 1\n").cleaning.weighted
    assert any("not all of its values are numbers" in note for note in read_string("a b x\nb c 1\n").notes)


def test_columns_of_both_ends_become_a_node_column():
    text = "from,to,from_type,to_type,from_age,to_age,year\nann,db,student,course,21,NA,1\nbob,db,student,course,,,2\n"
    network = read_string(text, groups="type")
    assert network.columns["type"].tolist() == ["student", "course", "student"]
    assert network.columns["age"].iloc[0] == 21
    assert network.columns["age"].isna().tolist() == [False, True, True]
    assert "Ignored columns: year." in network.notes


def test_two_values_of_one_node_are_an_error():
    text = "source,target,source_type,target_type\nann,bob,x,y\nbob,cid,z,z\n"
    with pytest.raises(ng.InputError, match=r"links\.edges: node 'bob' has two values in column 'type': 'z' and 'y'"):
        read_string(text)


def test_codes_stay_text_in_node_columns():
    text = "source,target,source_zip,target_zip\na,b,0123,1000\n"
    assert read_string(text).columns["zip"].tolist() == ["0123", "1000"]


def test_what_cleaning_did_is_counted():
    network = read_string("1 2\n2 1\n1 2\n3 3\n4 3\n")
    expected = "5 links given, 2 kept: 1 self-loop dropped, 1 duplicate merged, 1 given in both directions merged"
    assert str(network.cleaning) == expected


def test_a_node_with_nothing_but_a_loop_stays():
    network = read_string("a a\nb c\n")
    assert network.nodes.tolist() == ["a", "b", "c"]
    assert network.degrees.tolist() == [0, 1, 1]


def test_comments_below_the_first_link_are_noted():
    assert read_string("# c\n# d\n1 2\n").notes == ()
    notes = read_string("# c\na b\n#tag c\n").notes
    assert notes == ("Lines skipped as comments below the first link, as they begin with # or %: 1.",)


def test_blanks_around_names_are_noted():
    assert read_string("a, b\nb, c\n").nodes.tolist() == ["a", "b", "c"]
    assert read_string("a, b\nb, c\n", delimiter=",").nodes.tolist() == ["a", " b", "b", " c"]
    assert any("begin or end with a blank" in note for note in read_string("a, b\nb,c\n").notes)


def test_quotation_marks_that_do_not_pair_up_are_names():
    network = read_string('"\tthe\na\t"\n')
    assert named_links(network) == {frozenset(('"', "the")), frozenset(('"', "a"))}
    assert any("Quotation marks" in note for note in network.notes)
    assert read_string('5" disk,ann\n').nodes.tolist() == ['5" disk', "ann"]


def test_an_ambiguous_delimiter_is_noted():
    network = read_string("New York,Los Angeles\nOld York,San Francisco\n")
    assert network.node_count == 4
    assert network.notes[0].startswith("Fields are separated by commas; blanks would fit too (")
    assert "delimiter=, or --delimiter" in network.notes[0]


ERRORS = [
    ("# a\n\n# b\n", "the file is empty"),
    ("# c\nann\nbob\n", r"links\.edges, line 2: 'ann' is one column only"),
    ("a b\n\n# c\nc\n", r"links\.edges, line 4: 1 field where 2 were expected: 'c'"),
    ("a b\nc d e\n", r"links\.edges, line 2: 3 fields where 2 were expected: 'c d e'"),
    ("1 2\n" * 5 + "3\n", r"links\.edges, line 6: 1 field where 2"),
    ("# c\na,b\n,c\n", r"links\.edges, line 3: ',c' has an empty name"),
    ("1,2\n3,\n", r"links\.edges, line 2: '3,' has an empty name"),
    ('a,b\n"",c\n', r"links\.edges, line 2: ',c' has an empty name"),
    ('"a\nb",c\n\nd,\n', r"links\.edges, line 4: 'd,' has an empty name"),
    ('a,b\n"c,d\n', r"links\.edges, line 2: a quotation mark is opened here and never closed"),
    ("source,target\n", "there is a header, 'source, target', and nothing after it"),
    ("source,target,weight\n1,2\n", "the header names 3 columns, and the line after it has 2 fields"),
]


@pytest.mark.parametrize(("text", "message"), ERRORS)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_errors_tell_file_and_line(text, message, end):
    header = True if text.startswith("source") else None
    with pytest.raises(ng.InputError, match=message):
        read_bytes(text.replace("\n", end).encode(), header=header)


@pytest.mark.parametrize("data", [b"a b\nx \xff\n", b"a b\r\nx \xe9y\r\n", b"a b\rx \xff"])
def test_text_that_is_not_utf8_is_an_error_with_its_line(data):
    with pytest.raises(
        ng.InputError,
        match=r"""links\.edges, line 2: the line is not UTF-8, and reads 'x .y?' as Windows-1252. If that is right, """
        r"""give encoding="cp1252" \(--encoding cp1252 on the command line\), or save the file as UTF-8""",
    ):
        read_bytes(data)


@pytest.mark.parametrize("delimiter", ["", "ab", '"', "\n", "é"])
def test_a_delimiter_is_one_character(delimiter):
    with pytest.raises(ng.InputError, match="one character was expected"):
        read_string("a b\n", delimiter=delimiter)


def test_a_tab_may_be_typed_as_a_shell_hands_it_on():
    assert read_string("a b\tc\n", delimiter=r"\t").nodes.tolist() == ["a b", "c"]


def test_long_names_are_fine_and_are_cut_in_messages():
    long = "x" * 100_000
    assert read_string(f"a {long}\nc d\n").node_count == 4
    for wrong in (f"a b\n{long}\n", f"a b\nc {long * 20}\n"):
        with pytest.raises(ng.InputError, match="line 2") as caught:
            read_string(wrong)
        assert len(str(caught.value)) < 400


@given(any_text)
def test_one_name_alone_is_an_error_or_two(name):
    try:
        network = read_string(name + "\n")
    except ng.InputError as error:
        assert "links.edges" in str(error)
    else:
        assert network.node_count >= 1


def test_a_word_above_numbers_in_any_column_makes_a_header():
    assert read_string("who,whom,count\nann,bob,3\nbob,cid,1\n").nodes.tolist() == ["ann", "bob", "cid"]
    assert read_string("ann,bob,x\nbob,cid,3\ncid,dan,1\n").node_count == 4  # bob comes again
    assert read_string("ann,bob,NA\neva,cid,3\ncid,dan,1\n").node_count == 5
    with pytest.raises(ng.InputError, match=r"links\.edges: Which columns are the two ends of a link"):
        read_string("id,who,whom\n1,ann,bob\n2,bob,cid\n")


# ---- encodings, and files of spreadsheets ----------------------------------------------------------------------------

EUROPE = "Zoë;Bob\nBob;Müller\nMüller;Zoë\n"


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "utf-16", "utf-16-le", "utf-32", "utf-8", "utf-8-sig"])
def test_text_in_any_encoding(encoding):
    network = read_bytes(EUROPE.encode(encoding), "links.csv", encoding=encoding)
    assert network.nodes.tolist() == ["Zoë", "Bob", "Müller"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig"])
def test_a_byte_order_mark_is_enough_and_says_more_than_the_option(encoding):
    for option in (None, "cp1252"):
        network = read_bytes(EUROPE.encode(encoding), "links.csv", encoding=option)
        assert network.nodes.tolist() == ["Zoë", "Bob", "Müller"]


def test_the_encoding_holds_for_node_tables_pairs_and_labels(tmp_path):
    network = read_bytes(
        EUROPE.encode("cp1252"), "links.csv", nodes="name;Größe\nZoë;1,5\nBob;2\n".encode("cp1252"), encoding="cp1252"
    )
    assert network.columns["Größe"].tolist()[:2] == [1.5, 2]
    (tmp_path / "pairs.csv").write_bytes("Zoë;Bob\n".encode("latin-1"))
    pairs = ng.read_pairs(tmp_path / "pairs.csv", network.nodes, encoding="latin-1")
    assert pairs.table.values.tolist() == [["Zoë", "Bob"]]
    assert ng.read_labels(tmp_path / "pairs.csv", network, encoding="latin-1").labels.names.tolist() == ["Bob"]
    with pytest.raises(ng.InputError, match='encoding="cp1252"'):
        ng.read_pairs(tmp_path / "pairs.csv", network.nodes)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_mark_is_refused_with_its_name(encoding):
    with pytest.raises(ng.InputError, match=f'seems to be UTF-16; give encoding="{encoding}"'):
        read_bytes("ann bob\nbob cid\n".encode(encoding))


def test_wrong_encodings_are_errors():
    for name in ("nothing", "base64", "idna", "undefined", "", 3):
        with pytest.raises(ng.InputError, match="There is no encoding"):
            read_bytes(b"a b\n", encoding=name)
    with pytest.raises(ng.InputError, match=r"links\.edges, line 2: the text is not ascii"):
        read_bytes("a b\nc é\n".encode(), encoding="ascii")
    with pytest.raises(ng.InputError, match="as Latin-1"):
        read_bytes(b"a b\nc \x81\xff\n")


def test_pairs_and_labels_in_parquet(tmp_path):
    pd.DataFrame({"node": ["ann"], "label": ["x"]}).to_parquet(tmp_path / "labels.parquet")
    assert ng.read_labels(tmp_path / "labels.parquet", read_string("ann bob\n")).labels.names.tolist() == ["x"]


EXCEL = "source;target;weight\r\nann;bob;0,5\r\nbob;cid;1\r\ncid;dan;12,25\r\n"


@pytest.mark.parametrize("first", ["", "sep=;\r\n", '"sep=;"\r\n', "SEP=;;;\r\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_files_of_spreadsheets(first, encoding):
    network = read_bytes((first + EXCEL).encode(encoding), "links.csv")
    assert network.nodes.tolist() == ["ann", "bob", "cid", "dan"]
    assert network.cleaning.weighted == 2
    assert any("Commas in numbers were read as decimal points" in note for note in network.notes)


def test_a_separator_line_decides_and_keeps_the_numbers_of_lines():
    assert read_string("sep=|\na,x|b,y\nb,y|c,z\n", "links.csv").nodes.tolist() == ["a,x", "b,y", "c,z"]
    with pytest.raises(ng.InputError, match="line 3"):
        read_string("sep=,\na,b\na\n", "links.csv")
    assert read_string("sep=;\tx\nb\tc\n").link_count == 2  # a name, as more follows on the line


def test_decimal_commas_are_read_between_semicolons_only():
    words = read_string("wer;wen;wert\nann;bob;0,5\nbob;cid;2\n", source="wer", target="wen")
    assert words.nodes.tolist() == ["ann", "bob", "cid"]
    assert read_string("source\ttarget\tsource_set\ttarget_set\na\tb\t1,2\t3\n").columns["set"].tolist() == ["1,2", "3"]
    assert read_string("source;target;weight\na;b;1,5\nb;c;x\n").notes[-1].startswith("The column after the two ends")


def test_the_header_is_found_above_decimal_commas():
    with pytest.raises(ng.InputError, match="Which columns are the two ends"):
        read_string("wer;wen;wert\nann;bob;0,5\nbob;cid;2,0\n")
