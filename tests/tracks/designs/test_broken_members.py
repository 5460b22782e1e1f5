"""Broken designs in members that say how work is handed out, checked and practised: each with its line and member."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.design_text import DESIGN
from tracks.designs.checking import check_design

KNOWN = '{"topic": "1", "docno": "A", "misleading": "yes"}'
AFTER = "people = 2\n"
"""The line of a stage after which its members are written; they stand in the line after it."""
LINE = DESIGN[: DESIGN.index(AFTER)].count("\n") + 2
LATER = "belongs to a question: write it under [[stages.questions]]; or to [stages.hand_out]."

OF_STAGE = [
    ('hand_out = { order = "likenes" }', "hand_out.order", "Did you mean likeness?"),
    ("hand_out = { days = 1.5 }", "hand_out.days", "days is a whole number, not 1.5."),
    ("most = 200", "most", f"“most” {LATER}"),
    ("days = 7", "days", "“days” belongs to [stages.hand_out]."),
    ('tell = "after"', "tell", "“tell” belongs to [stages.control]."),
    (f"control = {{ answers = '{KNOWN}', tell = \"afterwards\" }}", "control.tell", "Did you mean after?"),
    (f"practice = {{ items = 1, answers = '{KNOWN}', pass = 80 }}", "practice.pass", "pass is at most 1, not 80."),
    (f"practice = {{ items = 1, answers = '{KNOWN}', passed = 1 }}", "practice.passed", "Did you mean pass?"),
    (
        f"practice = {{ items = 2, answers = '''{KNOWN}\n{KNOWN.replace('yes', 'no')}''' }}",
        "practice.answers",
        "Line 2 of what is practised: A of topic 1 stands in line 1, too: say all that is known of it in one line.",
    ),
    (
        f"control = {{ answers = '''{KNOWN}\n\n{KNOWN}''' }}",
        "control.answers",
        "Line 3 of the known answers: A of topic 1 stands in line 1, too",
    ),
    ('control = { file = "../gold.jsonl" }', "control.file", "lies beside the design: write its name alone."),
    (f"control = {{ file = \"gold.jsonl\", answers = '{KNOWN}' }}", "control.file", "Both file and answers"),
    ('help_file = "none.md"', "help_file", "none.md can't be read: No such file or directory."),
]


def faults(text: str, folder: Path) -> list[tuple[int, str, str]]:
    return [(each.line, each.member, each.message) for each in check_design(text, folder=folder)[1]]


@pytest.mark.parametrize(("said", "member", "words"), OF_STAGE, ids=[each[1] for each in OF_STAGE])
def test_what_is_wrong_in_a_stage(said: str, member: str, words: str, tmp_path: Path) -> None:
    ((line, where, message),) = faults(DESIGN.replace(AFTER, f"{AFTER}{said}\n"), tmp_path)
    assert (line, where) == (LINE, f"stages.passages.{member}")
    assert words in message


def test_what_stands_in_a_table_that_has_no_such_thing(tmp_path: Path) -> None:
    ((line, member, message),) = faults(DESIGN.replace("[scores]", '[hand_out]\norder = "pool"\n[scores]'), tmp_path)
    assert (line, member) == (DESIGN[: DESIGN.index("[scores]")].count("\n") + 1, "hand_out")
    assert message == "“hand_out” belongs to a stage: write [stages.hand_out] after the [[stages]] that it is of."
    ((_, member, message),) = faults(DESIGN.replace("\n[runs]", 'help_file = "a.md"\n\n[runs]', 1), tmp_path)
    assert (member, "belongs to a stage" in message) == ("help_file", True)
    ((_, member, message),) = faults(DESIGN.replace("limit = 1000", 'help_file = "a.md"'), tmp_path)
    assert (member, message) == ("runs.help_file", "“help_file” is no member of [runs]. There are: form, limit.")


OF_ITEM = "stages.passages.item"
OF_GRADES = "stages.passages.questions.misleading.grades"
OF_SCALE = "stages.passages.questions.readability.grades"


@pytest.mark.parametrize(
    ("before", "after", "line", "member", "words"),
    [
        ("people = 2", 'item = "topic"', 15, OF_ITEM, 'Not yet known: item = "topic".'),
        ("gain = 0", "gain = -1", 22, f"{OF_GRADES}.yes.gain", "A gain of misleading is below 0"),
        ('"1-5"', '"0-10"', 30, OF_SCALE, 'let a number be typed (answer = "number"), which'),
        ("[pool]", '[pool]\ntask = "A"', 10, "pool.task", "belongs to the design itself: move it to its top"),
        ('ends = ["unreadable", "clear"]', 'ends = "clear"', 31, OF_SCALE[:-6] + "ends", 'write ["clear"].'),
        ('"How readable is it?"', '""', 29, OF_SCALE[:-6] + "ask", "ask is empty: write something."),
        ('["nDCG@10", {', '["nDCG@10", "citation-recall", {', 36, "scores.measures.2", "citation-recall"),
    ],
)
def test_what_somebody_from_outside_writes_has_its_line(
    before: str, after: str, line: int, member: str, words: str
) -> None:
    (fault,) = check_design(DESIGN.replace(before, after, 1))[1]
    assert (fault.line, fault.member, words in fault.message) == (line, member, True), fault


def test_a_doubled_value_is_the_only_fault_that_is_told_of_it() -> None:
    text = DESIGN.replace("value = 0", "value = 1").replace(
        "ends =", 'asked_if = { misleading = ["somewhat"] }\nends ='
    )
    assert [each.line for each in check_design(text)[1]] == [24]


def test_a_list_that_is_not_closed_is_told_where_it_begins() -> None:
    for after in ('key = "b"', "[runs]"):
        (fault,) = check_design(f'design = 1\nlist = [\n  "a", "b"\n{after}\n')[1]
        assert (fault.line, "is not closed before line 4: ] is missing" in fault.message) == (2, True), fault
