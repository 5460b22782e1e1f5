"""The strings of a response with their nuggets, as one record."""

from __future__ import annotations

from scoring.formats.nist_qa import write_other_judged
from scoring.records import JudgedResponse, ResponseItem, RunMatch
from scoring.release.derived_records import nuggets_of_strings

STRINGS = [(1, "one", "D1", "two dollars"), (2, "none", "D2", "not judged"), (3, "two", "", "a\ttab")]


def test_a_nugget_comes_once_in_a_response_and_unjudged_strings_do_not_come() -> None:
    found = nuggets_of_strings("7.2", "A", STRINGS, {"one": [(6, 0), (5, 1)], "two": [(6, 0), (5, 2)]})
    strings, nuggets = ((1, "D1", "two dollars"), (3, "", "a\ttab")), ((1, 5, 1), (1, 6, 0), (3, 5, 2))
    assert found == JudgedResponse(topic="7.2", run="A", strings=strings, nuggets=nuggets)


def test_a_response_gives_the_lines_that_its_strings_and_nuggets_give_one_by_one() -> None:
    responses = [
        JudgedResponse(topic="7.10", run="A", strings=((1, "D1", "x"),), nuggets=()),
        JudgedResponse(topic="7.2", run="B", strings=((1, "D1", "x"), (2, "D", "y\\")), nuggets=((2, 5, 1),)),
        JudgedResponse(topic="7.2", run="A", strings=((2, "D1", "x"),), nuggets=((2, 12, 0),)),
        JudgedResponse(topic="7.3", run="A", strings=(), nuggets=()),
    ]
    singly: list[ResponseItem | RunMatch] = []
    for each in responses:
        about = {"topic": each.topic, "run": each.run}
        singly += [ResponseItem(**about, item=item, docno=docno, text=text) for item, docno, text in each.strings]
        singly += [RunMatch(**about, item=item, number=number, part=part) for item, number, part in each.nuggets]
    lines = ["7.2 A 2 D1 x", "7.2 B 1 D1 x", "7.2 B 2 D y\\\\", "7.10 A 1 D1 x", "7.2 A 2 12", "7.2 B 2 5.1"]
    assert list(write_other_judged(responses)) == list(write_other_judged(singly)) == lines
