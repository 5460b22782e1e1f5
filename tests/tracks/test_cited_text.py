from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.reading.sentences import TEXT_LIMIT, has_model, sentence_spans
from tracks.biogen2024.cited_text import AFTER, BEFORE, CutAnswer, cut_answer


def cut(answer: str, way: str = "rules") -> CutAnswer:
    return cut_answer(answer, lambda text: sentence_spans(text, way))


def lists(found: CutAnswer) -> list[tuple[tuple[str, ...], int, str]]:
    return [(each.entries, each.sentence, each.dropped) for each in found.lists]


def test_a_list_belongs_to_the_sentence_around_it() -> None:
    found = cut("Rest helps [11, 12] a lot. Ice does not [13].")
    assert [sentence.text for sentence in found.sentences] == ["Rest helps a lot.", "Ice does not."]
    assert lists(found) == [(("11", "12"), 1, ""), (("13",), 2, "")]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("[11] Rest helps.", [(("11",), 0, BEFORE)]),
        ("Rest helps. [11] Ice does not.", [(("11",), 0, AFTER)]),
        ("Rest helps.[11]", [(("11",), 0, AFTER)]),
        ("Rest helps. [11].", [(("11",), 0, AFTER)]),
        ("“Rest helps.” [11]", [(("11",), 0, AFTER)]),
        ("Rest helps [11]", [(("11",), 1, "")]),
        ("Rest helps [11][12].", [(("11",), 1, ""), (("12",), 1, "")]),
        ("As shown by Quill et al. [11].", [(("11",), 1, "")]),
        ("Does rest help? [11] Yes [12]!", [(("11",), 0, AFTER), (("12",), 2, "")]),
    ],
)
def test_lists_outside_of_sentences_are_dropped(answer: str, expected: list[object]) -> None:
    assert lists(cut(answer)) == expected


def test_only_the_first_entries_of_a_list_count_and_none_of_a_dropped_one() -> None:
    kept, dropped = cut("Rest helps [1, 2,3 , 4]. [5]").lists
    assert kept.entries == ("1", "2", "3", "4")
    assert kept.counted(3) == ("1", "2", "3")
    assert dropped.counted(3) == ()


def test_offsets_are_those_of_the_answer() -> None:
    answer = "[9] Rest  helps [11] a lot.[12] Ice does not [13]"
    found = cut(answer)
    assert [answer[each.start : each.end] for each in found.lists] == ["[9]", "[11]", "[12]", "[13]"]
    assert [answer[each.start : each.end] for each in found.sentences] == [
        "Rest  helps [11] a lot.",
        "Ice does not [13]",
    ]


def test_words_are_not_glued_together_where_a_list_is_cut_out() -> None:
    assert cut("Rest[11]helps. [12]Ice does not.").text == "Rest helps. Ice does not."


def test_brackets_without_a_partner_are_named_and_stay_text() -> None:
    found = cut("Rest helps [11. Ice] does [12]] not [13.")
    assert [found.sentences[0].text, found.unpaired] == ["Rest helps does] not [13.", (30, 36)]


@pytest.mark.parametrize(
    ("answer", "entries"),
    [
        ("Rest helps [1 [2]].", [("1", "2")]),
        ("Rest helps [[1] 2, 3].", [("1", "2", "3")]),
        ("Rest helps [1,, [2]].", [("1", "", "2")]),
        ("Rest helps [[1],[2]].", [("1", "2")]),
        ("Rest helps [[1, 2], [ 3 ]].", [("1", "2", "3")]),
        ("Rest helps [[1][2]].", [("1", "2")]),
        ("Rest [] helps [ ] [[]].", [("",), ("",), ("",)]),
    ],
)
def test_nested_and_empty_brackets_leave_nothing_in_the_sentence(answer: str, entries: list[object]) -> None:
    """ "Any text within square brackets (“[”, “]”) will be treated as a citation list" (BioGen 2024)"""
    found = cut(answer)
    assert [sentence.text for sentence in found.sentences] == ["Rest helps."]
    assert [each.entries for each in found.lists] == entries
    assert found.unpaired == ()


@pytest.mark.parametrize("way", ["rules", "parser"])
@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\u2028", "  \n\t"])
def test_a_single_line_break_is_white_space(way: str, line_break: str) -> None:
    """ "each citation will be assumed to be “assigned” to its enclosing sentence" (BioGen 2024)"""
    answer = f"Statins lower the risk of{line_break}[1, 2] heart attack.{line_break}They cost{line_break}little [3]."
    found = cut(answer, way)
    assert [" ".join(sentence.text.split()) for sentence in found.sentences] == [
        "Statins lower the risk of heart attack.",
        "They cost little.",
    ]
    assert lists(found) == [(("1", "2"), 1, ""), (("3",), 2, "")]


@pytest.mark.parametrize("way", ["rules", "parser"])
@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\n\n", "\u2028"])
def test_blank_lines_and_items_of_lists_end_sentences(way: str, line_break: str) -> None:
    """ "Square-bracket runs that take place … outside of a sentence … will be discarded" (BioGen 2024)"""
    answer = line_break.join(["Causes [1]", "- too little salt [2]", "- [3] cold", "1. heat [4]", "2. [5] rest"])
    found = cut(f"{answer}\n\n[6]\n\n[7] Ice", way)
    assert [sentence.text for sentence in found.sentences] == [
        "Causes", "- too little salt", "- cold", "1. heat", "2. rest", "Ice",
    ]  # fmt: skip
    placed = [("1", 1), ("2", 2), ("3", 0), ("4", 4), ("5", 0), ("6", 0), ("7", 0)]
    assert [(each.entries[0], each.sentence) for each in found.lists] == placed
    assert {each.dropped for each in found.lists} == {"", AFTER}


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("It has risen since\n2019. It fell", ["It has risen since 2019.", "It fell"]),
        ("It fell to\n20. Later it rose", ["It fell to 20.", "Later it rose"]),
        ("It needs vitamin\nC. It rose", ["It needs vitamin C. It rose"]),
        ("Causes:\n1) salt\n2) cold\n3. heat", ["Causes:", "1) salt", "2) cold", "3. heat"]),
        ("Causes:\n(a) salt\n(b) cold", ["Causes:", "(a) salt", "(b) cold"]),
        ("## Causes\n\nSalt is one. Cold\nis another.", ["## Causes", "Salt is one.", "Cold is another."]),
    ],
)
def test_a_number_at_the_beginning_of_a_line_is_an_item_only_in_a_list(text: str, sentences: list[str]) -> None:
    assert [" ".join(each.text.split()) for each in cut(text).sentences] == sentences


@pytest.mark.parametrize(
    "end",
    [
        *("[1], [2].", "[1]; [2]", "[1] - [2].", "- [1] [2]", "([1]) ([2]).", "([1], [2])"),
        *("[1] and [2].", "“[1]” [2]", "*[1]*, [2].", ", [1] – [2]!", "[1]. [2].", "[1]\n[2]"),
    ],
)
def test_what_stands_after_the_final_mark_is_outside_whatever_stands_between(end: str) -> None:
    """ "runs that take place after sentence-final punctuation (i.e., outside of a sentence), will be discarded" """
    found = cut(f"Statins help. {end}")
    assert found.text == "Statins help."
    assert lists(found) == [(("1",), 0, AFTER), (("2",), 0, AFTER)]
    followed = cut(f"Statins help. {end} Rest does not.", "parser")
    assert followed.text == "Statins help. Rest does not."
    assert [each.dropped for each in followed.lists] == [AFTER, AFTER]


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("Statins help [1], [2].", "Statins help."),
        ("Statins help ([1]; [2]).", "Statins help."),
        ("Statins help, [1].", "Statins help."),
        ("Statins help – [1]", "Statins help"),
        ("Statins help [1] .", "Statins help."),
        ("Statins [1] , aspirin [2] ; help.", "Statins, aspirin; help."),
        ("Statins help [1] and [2].", "Statins help."),
        ("Statins [1], aspirin [2], and rest [3] help.", "Statins, aspirin, and rest help."),
        ("Statins, [1], aspirin – [2] – help.", "Statins, aspirin – help."),
        ("Statins ([1], old) help (old, [2]).", "Statins (old) help (old)."),
        ("As Quill et al. [1], who saw it, and Marsh et al. [2].", "As Quill et al., who saw it, and Marsh et al."),
        ("Rest “helps” [1] “ice”; [2] it does.", "Rest “helps” “ice”; it does."),
        ("It is 5 [1] .5 or -[2] 7.", "It is 5 .5 or - 7."),
    ],
)
def test_no_punctuation_is_left_where_a_list_was_cut_out(answer: str, text: str) -> None:
    found = cut(answer, "parser")
    assert [found.text, len(found.sentences), {each.sentence for each in found.lists}] == [text, 1, {1}]


@pytest.mark.parametrize("start", ["[1]", "[1],", "[1]:", "([1])", "[1].", "[1] -"])
def test_what_stands_before_any_sentence_leaves_nothing_either(start: str) -> None:
    """ "Square-bracket runs that occur at the beginning of the document … will be discarded" """
    found = cut(f"{start} Rest helps.")
    assert [found.text, lists(found)] == ["Rest helps.", [(("1",), 0, BEFORE)]]


def test_marks_without_end_are_cut_in_time_and_stay_as_they_are() -> None:
    answer = "Rest" + "," * 6000 + " helps [1]."
    assert [(each.text, each.start) for each in cut(answer).sentences] == [(answer.replace(" [1]", ""), 0)]


def test_nothing_but_brackets_has_no_sentence() -> None:
    assert cut("[11] [12].").sentences == ()
    assert cut("").lists == ()


def test_the_parser_is_not_misled_by_lists() -> None:
    assert has_model()
    found = cut("Statins lowered cholesterol in mice. [1234] Next, patients were treated [56, 78].", "parser")
    assert [sentence.text for sentence in found.sentences] == [
        "Statins lowered cholesterol in mice.",
        "Next, patients were treated.",
    ]
    assert lists(found) == [(("1234",), 0, AFTER), (("56", "78"), 2, "")]


def test_an_unknown_way_of_cutting_is_refused() -> None:
    with pytest.raises(ValueError, match="parser or rules"):
        sentence_spans("One.", "tarot")


def test_text_beyond_the_limit_is_cut_by_lines() -> None:
    text = "a" * TEXT_LIMIT + "\nOne line\n\nAnother"
    assert [text[start:end] for start, end in sentence_spans(text, "rules")][1:] == ["One line", "Another"]


@given(st.text(alphabet="ab .[]12,\n!(-)", max_size=60))
def test_every_list_is_placed_or_dropped_and_offsets_hold(answer: str) -> None:
    found = cut(answer)
    for each in found.lists:
        assert answer[each.start] == "[" and answer[each.end - 1] == "]"
        assert bool(each.sentence) != bool(each.dropped)
        if each.sentence:
            sentence = found.sentences[each.sentence - 1]
            assert sentence.start <= each.start and each.end <= sentence.end
    for sentence in found.sentences:
        words = [word for word in sentence.text.split() if word.isalnum()]
        assert all(word in answer[sentence.start : sentence.end] for word in words)
