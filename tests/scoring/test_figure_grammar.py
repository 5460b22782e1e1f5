import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.figure_grammar import LABEL_LIMIT, FigureLabel, normalise_label, parse_label

SPELLINGS = {
    "FIG 1A": ["FIG 1A", "fig 1a", "Figure 1a", " Fig. 1A ", "FIGURE  1 A", "FIG FIGURE1A", "FIG 1-A", "FIG 1A;\n"],
    "TAB 3": ["Table 3", "TAB 3", "tab. 3", "TAB\u00a03\n"],
    "FIG S4B": ["SUPP FIG S4B", "Supplementary Fig. S4B", "supplementary figure 4b", "FIG S4.B", "FIG FIGS4.B"],
    "FIG ED5H": ["FIG ED5H", "FIG EXTENDED5H", "Extended Data Fig. 5h"],
    "FIG 3S1E": ["FIG 3S1E"],
    "FIG 5.4A": ["FIG 5.4 A", "FIG 5.4A"],
    "FIG 4D'": ["FIG 4D'", "FIG 4D\u2019", "FIG 4D\u2032"],
    "FIG 3B''": ['FIG 3B"', "FIG 3B''"],
    "FIG 3B-3": ["FIG 3B-3", "FIG 3B3"],
    "FIG 8A-II": ["FIG 8AII", "FIG 8A-II"],
    "FIG 2E,2F": ["FIG 2(E,F)", "FIG 2E,F", "FIG 2E,2F"],
    "FIG 1B,1C,1D": ["FIG 1(B-D)"],
    "FIG NA": ["FIG NA"],
    "SUPP TAB NA": ["SUPP TAB NA"],
    "TAB A1-13": ["TAB A1-13", "TAB A.1-13"],
    "FIG APPENDIX 1C": ["FIG APPENDIX1C", "FIG APPENDIX 1C"],
    "FIG MOVIE S2": ["FIG MOVIE S2", "FIG MOVIES2"],
    "CAPTION FIG S5": ["SUPP CAPTION FIGS5"],
    "FIG B": ["FIG B"],
}  # fmt: skip
NO_LABELS = [
    "",
    " ",
    "1A",
    ".DS_Store",
    "FIG",
    "FIG FINALMODEL",
    "FIG 1 and 2",
    "Chart 3",
    "FIG 1''",
    'FIG S4"',
    "FIG TAB 1",
    "FIG \u00e4",
    "SUPP CAPTION S1",
]

PANELS = (
    st.lists(st.sampled_from(["A", "B", "Q", "1", "12", "II", "'"]), max_size=3)
    .filter(lambda panels: "''" not in "".join(panels) and panels[:1] != ["'"])
    .map(tuple)
)
LABELS = st.builds(
    FigureLabel,
    kind=st.sampled_from(["FIG", "TAB"]),
    designation=st.sampled_from(["", "S", "ED", "A"]),
    series=st.sampled_from(["", "APPENDIX", "MOVIE"]),
    is_caption=st.booleans(),
    pictures=st.tuples(st.sampled_from(["1", "10", "5.4", "3S1"]), PANELS).map(lambda each: ((each[0], *each[1]),)),
)


def are_related(one, other):
    """Whether one of two labels is part of the other; texts that are no labels are related to nothing."""
    first, second = parse_label(one), parse_label(other)
    return first is not None and second is not None and first.is_related(second)


@pytest.mark.parametrize(("proper", "text"), [(proper, text) for proper, texts in SPELLINGS.items() for text in texts])
def test_spellings_of_one_label_are_one(proper, text):
    assert normalise_label(text) == proper
    assert parse_label(text) == parse_label(proper)


@pytest.mark.parametrize("text", NO_LABELS)
def test_what_is_no_label_is_none(text):
    assert parse_label(text) is None


ONES = ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX")
ROMAN = [*ONES[1:], *(f"X{one}" for one in ONES), "XX"]


@pytest.mark.parametrize("number", ROMAN)
def test_roman_numbers_to_twenty_are_labels(number):
    """ "Table labels should be of the form `TAB {optionaldesignation}{tabnum}{obtionalsublabel}`" (Context25)"""
    assert [normalise_label(f"Table {number}"), normalise_label(f"tab {number.lower()}")] == [f"TAB {number}"] * 2
    label = parse_label(f"TAB {number}")
    assert label is not None
    assert str(parse_label(str(label))) == str(label)


@pytest.mark.parametrize("text", ["TAB XXI", "TAB IIII", "TAB VVX", "TAB IIIA", "TAB MIX"])
def test_other_runs_of_letters_are_no_numbers(text):
    assert parse_label(text) is None


def test_a_text_that_is_no_label_is_folded_alone():
    assert normalise_label("  the  final model ") == "THE FINAL MODEL"


def test_a_label_of_unusual_length_is_none():
    assert parse_label("FIG 1" + "A" * LABEL_LIMIT) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("FIG 1", "FIG 1A"), ("FIG 1A", "FIG 1A-2"), ("FIG 1", "FIG 1A-2"), ("SUPP FIG 4", "FIG S4B"),
        ("FIG 3S1", "FIG 3S1E"), ("FIG 2(E,F)", "FIG 2E"), ("FIG 2", "FIG 2(E,F)"), ("TAB 4", "TAB 4-2"),
        ("FIG 8A", "FIG 8AII"), ("FIG 4D", "FIG 4D'"),
    ],
)  # fmt: skip
def test_parts_are_related_to_their_wholes(one, other):
    assert are_related(one, other)
    assert are_related(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("FIG 1", "FIG 1"), ("FIG 1", "FIG 10"), ("FIG 1A", "FIG 1B"), ("FIG 5D", "SUPP FIG 5D"), ("FIG 1", "TAB 1"),
        ("FIG 3", "FIG 3S1"), ("FIG 5", "FIG 5.4"), ("FIG 1", "FIG ED1A"), ("FIG 8AI", "FIG 8AII"),
        ("FIG S1", "CAPTION FIG S1"),
        ("FIG 4D'", "FIG 4D''"), ("FIG 1", "nonsense"), ("", "FIG 1"),
    ],
)  # fmt: skip
def test_others_are_not(one, other):
    assert not are_related(one, other)
    assert not are_related(other, one)


@given(LABELS)
def test_a_written_label_is_read_back(label):
    assert parse_label(str(label)) == label
    assert normalise_label(str(label)) == str(label)


@given(LABELS, LABELS)
def test_a_relation_goes_both_ways_and_never_to_itself(one, other):
    assert one.is_related(other) == other.is_related(one)
    assert not one.is_related(one)


@given(LABELS)
def test_a_label_is_related_to_what_it_is_part_of(label):
    (path,) = label.pictures
    for length in range(1, len(path)):
        whole = FigureLabel(
            kind=label.kind, designation=label.designation, series=label.series, is_caption=label.is_caption,
            pictures=(path[:length],),
        )  # fmt: skip
        assert label.is_related(whole)


@given(st.text(max_size=40) | st.text(st.sampled_from("FIGTABSUPP 0123.,-()'\"\n"), max_size=30))
def test_normalising_twice_changes_nothing(text):
    once = normalise_label(text)
    assert normalise_label(once) == once
    assert not are_related(text, once)


def test_normalising_any_character_twice_changes_nothing():
    assert [each for each in map(chr, range(0x10000)) if normalise_label(once := normalise_label(each)) != once] == []


@pytest.mark.shared
def test_every_real_label_is_taken_apart_but_six(shared_data):
    claims = json.loads((shared_data / "context25" / "task1-train-dev.json").read_bytes())
    labels = {label for claim in claims for label in claim["findings"] + claim["figures_tables"]}
    unread = sorted(label for label in labels if parse_label(label) is None)
    assert len(labels) == 982
    assert [" ".join(label.split()) for label in unread] == [
        ".DS_Store", "FIG FINALMODEL", "FIG FINALMODEL A", "FIG FINALMODEL B", "FIG FINALMODEL C", "SUPP CAPTION S1",
    ]  # fmt: skip
    assert all(normalise_label(normalise_label(label)) == normalise_label(label) for label in labels)
