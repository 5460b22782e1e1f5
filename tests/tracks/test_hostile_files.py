"""A file of nothing but faults is read until there are enough of them: time and report are bounded."""

from __future__ import annotations

import gc
import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from assess.base.file_issues import collect
from assess.protocol import CheckContext, Submission, TopicFile, Track
from assess.protocol.files import LOOKED_AT, topic_kind
from bench.hostile_files import repeated
from scoring.collections import guesses
from scoring.commands.command_line import BadInput, Problems, read_file
from scoring.figure_grammar import parse_label
from scoring.formats import context25_claims, definition_topics, ikat_topics, topic_markup, topic_texts
from scoring.formats.json_members import TEXT, Member, Shape, list_of
from scoring.formats.known_formats import FORMATS
from scoring.formats.member_reports import Codes, Report
from scoring.formats.member_reports import Path as Place
from scoring.formats.rag_answers import MOST_CITED, read_object
from scoring.formats.spec import Format
from scoring.formats.topic_objects import object_topics
from scoring.formats.topic_texts import MOST_MEMBERS
from scoring.reading import json_reading, json_values, line_checks, tolerant_lines
from scoring.reading import opening as reading
from scoring.reading.json_lists import entries_of_list
from scoring.reading.opening import STOPPED, split_issues
from scoring.reading.tolerant_lines import TolerantLines
from scoring.records import Issue
from tests.tracks.track_folder import topic_records
from tracks import TRACKS

MANY, BLANK, SIZE = 50, 40, 6_000
ANY_CODE = 8
"""Kinds of faults that one file may have so many of before its reading stops."""

KINDS = [(track, submission) for track in TRACKS for submission in track.submissions]
TOPIC_FILES = [(track, kind) for track in TRACKS for kind in track.topic_files]

READ = [each for each in FORMATS if each.read is not None]


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    for severity in ("error", "warning", "note"):
        monkeypatch.setitem(reading.TOO_MANY, severity, MANY)
    for module in (reading, line_checks, tolerant_lines):
        monkeypatch.setattr(module, "BLANK_LINES", BLANK)


def hostile() -> Iterator[tuple[str, bytes]]:
    yield from repeated(SIZE)


def counts(issues: Iterator[object]) -> int:
    return sum(1 for _ in issues)


@pytest.mark.parametrize(("track", "submission"), KINDS, ids=lambda each: each.key)
def test_a_check_stops(track: Track, submission: Submission) -> None:
    context = CheckContext(topics=topic_records(track)[:3], settings=track.settings())
    for name, data in hostile():
        assert counts(submission.issues(io.BytesIO(data), context)) <= MANY * ANY_CODE, name


@pytest.mark.parametrize(("track", "kind"), TOPIC_FILES, ids=lambda each: each.key)
def test_reading_topics_stops(track: Track, kind: TopicFile) -> None:
    for name, data in hostile():
        found: list[object] = []
        for _ in split_issues(kind.read(io.BytesIO(data)), found.append):
            pass
        assert len(found) <= MANY * ANY_CODE, name


@pytest.mark.parametrize("kind", READ, ids=lambda each: each.name)
def test_the_commands_stop(kind: Format, tmp_path: Path) -> None:
    path = tmp_path / "file"
    for name, data in hostile():
        path.write_bytes(data)
        problems = Problems()
        try:
            list(read_file(str(path), kind.read, problems))
        except BadInput:
            assert problems.errors(str(path)) <= MANY * ANY_CODE, name


def test_that_reading_stopped_is_said_however_many_issues_are_shown() -> None:
    adhoc = next(track for track in TRACKS if track.key == "adhoc")
    context = CheckContext(topics=topic_records(adhoc), settings=adhoc.settings())
    report = collect(adhoc.submissions[0].issues(io.BytesIO(b"1 Q0 a x 1.5 r\n" * 1000), context))
    assert report.errors == MANY + 1
    assert [issue.code for issue in report.issues].count(STOPPED) == 1
    stop = next(issue for issue in report.issues if issue.code == STOPPED)
    assert stop.where == MANY
    assert "50 errors of the kind “value”" in stop.message
    blank = collect(adhoc.submissions[0].issues(io.BytesIO(b"\n" * 1000), context))
    assert (STOPPED, BLANK + 1) in [(issue.code, issue.where) for issue in blank.issues]


def test_lines_that_belong_to_no_definition_are_read_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(definition_topics, "OUTSIDE", 20)
    found = list(definition_topics.read_author_summaries(io.BytesIO(b"a b\n" * 1000)))
    assert [(issue.code, issue.where) for issue in found if isinstance(issue, Issue)] == [
        ("no-number", 1),
        (STOPPED, 22),
    ]


def test_topics_between_tags_are_read_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(topic_markup, "MOST", 3)
    text = "".join(f"<top><num>{number}<title>a</top>\n" for number in range(9))
    *topics, stop = topic_markup.tagged_topics(text)
    assert (len(topics), isinstance(stop, Issue) and stop.code) == (3, STOPPED)


def test_fields_of_a_topic_between_tags_are_read_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(topic_markup, "MOST", 3)
    (stop,) = topic_markup.tagged_topics("<top><num>1</num>" + "<narr>a</narr>\n" * 9 + "</top>")
    assert isinstance(stop, Issue)
    assert (stop.where, stop.code) == (1, STOPPED)


def test_no_words_are_looked_for_once_enough_is_said_of_a_kind() -> None:
    """Millions of wrong entries of one list are passed over, not put into words."""

    class Counting(Report):
        asked = 0

        def shown(self, inside: Place) -> str:
            self.asked += 1
            return super().shown(inside)

    for kind in (list_of(TEXT), list_of(Shape(members=(Member("a", TEXT),)))):
        report = Counting(root="$")
        kind.take([None] * 1000, report, (), Codes())
        assert report.asked <= MANY + 1


def test_many_references_of_which_the_last_stands_twice_are_looked_through_once() -> None:
    """Looked for among all before it, each would take minutes."""
    docnos = [f"d{number}" for number in range(200_000)]
    value = {
        "metadata": {"team_id": "a", "run_id": "b", "topic_id": "1"},
        "references": [*docnos, docnos[-1]],
        "responses": [{"text": "x", "citations": [*docnos[: MOST_CITED - 1], docnos[0]]}, {"text": "y"}],
    }
    assert [issue.code for issue in read_object(1, value).issues] == ["citation-twice", "reference-twice"]


def test_a_sentence_that_cites_more_than_any_can_is_refused() -> None:
    value = {
        "metadata": {"team_id": "a", "run_id": "b", "topic_id": "1"},
        "references": [],
        "responses": [{"text": "x", "citations": [None] * (MOST_CITED + 1)}],
    }
    (issue,) = [issue for issue in read_object(1, value).issues if issue.severity == "error"]
    assert issue.message.endswith("citations” has 10,001 entries; it may have 10,000.")


def test_no_more_blank_lines_are_read_to_find_a_beginning_than_of_any_file() -> None:
    file = io.BytesIO(b"\n" * 1000 + b"x")
    lines = TolerantLines(file)
    assert (lines.first_text(), file.tell()) == ("", BLANK + 1)
    assert lines.stream.read() == file.getvalue()


def test_a_list_of_more_parts_than_are_read_is_not_taken_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_reading, "MOST_PARTS", MANY)
    text = f"[{','.join(['[]'] * MANY)}]"
    assert json_values._pieces(text) is None
    found = list(json_values.json_values(io.BytesIO(text.encode())))
    assert [issue.code for issue in found if isinstance(issue, Issue)] == ["too-many-parts"]


def test_what_is_left_of_a_file_is_read_at_once_and_its_lines_are_counted() -> None:
    lines = TolerantLines(io.BytesIO(b"one\ntwo\nthree\ncaf\xe9\n"))
    assert lines.stream.readline() == b"one\n"
    assert lines.stream.read(6) == b"two\nth"
    assert lines.stream.read() == "ree\ncafé\n".encode()
    assert [issue.where for issue in lines.issues()] == [4]
    assert TolerantLines(io.BytesIO(b"a\n" * 3)).stream.read() == b"a\n" * 3


def test_one_value_on_one_line_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_values, "value_end", lambda text, start: pytest.fail("it was read to find its end"))
    assert list(json_values.json_values(io.BytesIO(b'\n{"a": 1}\n\n'))) == [(2, {"a": 1})]


def test_the_names_of_an_object_of_many_members_are_not_looked_at_one_by_one() -> None:
    text = ", ".join(f'"k-{number}": 1' for number in range(MOST_MEMBERS + 1))
    topic_texts.plain_member.cache_clear()
    (issue,) = object_topics(io.BytesIO(f"{{{text}}}".encode()))
    assert isinstance(issue, Issue)
    assert (issue.code, topic_texts.plain_member.cache_info().misses) == ("too-long", 0)


def test_the_kind_of_a_long_file_of_claims_is_told_by_its_first_claims(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(context25_claims, "parse_label", lambda label: asked.append(label) or parse_label(label))
    claim = {"claim": "b", "dataset": "c", "findings": ["FIG 1"], "necessary_pages": ["a.png", "b.png", "c.png"]}
    claims = [{"id": str(number)} | claim for number in range(1000)]
    context25 = next(track for track in TRACKS if track.key == "context25")
    kind = topic_kind(io.BytesIO(json.dumps(claims).encode()), name="claims.json", kinds=context25.topic_files)
    assert (kind.key, len(asked)) == ("evidence", LOOKED_AT)


def test_what_a_turn_refers_to_is_looked_at_no_further_than_there_are_too_many_problems() -> None:
    class Asked(Report):
        asked = 0

        def shown(self, inside: Place) -> str:
            self.asked += 1
            return super().shown(inside)

    turn = {"turn_id": 1, "utterance": "a", "ptkb_provenance": [[]] * 20_000}
    report = Asked(root="$[0]")
    ikat_topics._DIALOGUE.take({"number": "9-1", "title": "b", "ptkb": {}, "turns": [turn]}, report)
    assert report.asked == MANY + 1
    many = {"turn_id": 1, "utterance": "a", "ptkb_provenance": list(range(1000))}
    report = Report(root="$[0]")
    ikat_topics._DIALOGUE.take({"number": "9-1", "title": "b", "ptkb": {}, "turns": [many]}, report)
    assert report.counts == {"unknown-statement": MANY + 1}


def test_the_entries_of_a_list_are_read_without_the_collector_of_cycles() -> None:
    """It looked at two million lists again and again, which took four fifths of the time."""
    text = "[" + '{"a": [' + ", ".join(["[]"] * 100_000) + "]}]"
    begun: list[str] = []
    gc.callbacks.append(lambda phase, about: begun.append(phase))
    try:
        next(entries_of_list(text))
    finally:
        gc.callbacks.pop()
    assert len(begun) < 10


def test_what_a_record_is_is_told_by_no_more_of_its_members_than_any_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guesses, "MOST_NAMES", 3)
    path = tmp_path / "records.jsonl"
    path.write_text('{"docid": "a", "text": "b", ' + ", ".join(f'"k{number}": 1' for number in range(9)) + "}\n")
    guess = guesses.guess_members(path)
    assert isinstance(guess, guesses.Guess)
    assert (guess.members.id, guess.members.text, guess.names) == ("docid", ("text",), ("docid", "text", "k0"))
