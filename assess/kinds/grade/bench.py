"""What the bench for grading shows of its list: a window of it, and its lines."""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from assess.campaigns.track_texts import in_language
from assess.documents.likeness import like_name
from assess.items.models import Item
from assess.judging.answer_words import LINE_STATES, answer_word, given_shown
from assess.judging.queries.bench import BenchItem, BenchList
from assess.protocol import Criterion, Stage, asked_criteria

LONG = 200  # lines; the page holds only a part of a longer list
WINDOW = 25
SCROLLED = 120  # lines of a window that the script requests while scrolling
LABEL = 90  # characters


@dataclass(frozen=True, kw_only=True, slots=True)
class Window:
    """The lines of a list that a page holds, as ``places``.

    They are the lines ``first`` to ``last`` of ``number`` lines. ``before`` and ``after`` are the numbers of the lines
    with which the previous and the next window begin, or 0.
    """

    places: Sequence[int]
    first: int
    last: int
    number: int
    before: int = 0
    after: int = 0
    is_part: bool = False


def page_window(bench: BenchList, shown: Sequence[int], *, place: int | None, first: int | None) -> Window:
    """Return a window with all lines of a short list, whether visible or not, or with the visible lines of a long one.

    The window of a long list begins at the ``first`` line asked for, or else lies around the current ``place``.
    """
    if len(bench) <= LONG:
        return Window(places=range(1, len(bench) + 1), first=1, last=len(bench), number=len(bench))
    return _window_at(shown, first - 1 if first is not None else _around_place(shown, place or 0, WINDOW), WINDOW)


def asked_window(shown: Sequence[int], *, first: int | None, after: int | None, near: int | None) -> Window | None:
    """Return the window that a script requests: from a line, after a place or around it. None if it requests all."""
    if first is not None:
        return _window_at(shown, first - 1, SCROLLED)
    if after is not None:
        begin = bisect_right(shown, after)
        onward = [*shown[begin : begin + WINDOW], *shown[: max(0, min(begin, begin + WINDOW - len(shown)))]]
        return Window(places=onward, first=begin + 1, last=begin + len(onward), number=len(shown), is_part=True)
    if near is not None:
        return _window_at(shown, _around_place(shown, near, SCROLLED), SCROLLED)
    return None


def like_window(bench: BenchList, place: int) -> Window:
    """Return a window of all items whose texts say nearly the same as the item at ``place``, itself among them.

    One query, and about 10 µs for each item of the topic.
    """
    texts = Item.objects.filter(topic=bench.assignment.topic_id).exclude(text="").order_by().values_list("pk", "text")
    names = {bench.place_of(pk): like_name(text, bench.assignment.pk) for pk, text in texts}
    wanted = names.get(place)
    alike = sorted(each for each, name in names.items() if each is not None and wanted and name == wanted)
    return Window(places=alike, first=1, last=len(alike), number=len(alike), is_part=True)


def _around_place(shown: Sequence[int], place: int, size: int) -> int:
    return max(0, bisect_left(shown, place) - size // 2)


def _window_at(shown: Sequence[int], first: int, size: int) -> Window:
    first = max(0, min(first, len(shown) - 1))
    last = min(first + size, len(shown))
    return Window(
        places=shown[first:last],
        first=first + 1,
        last=last,
        number=len(shown),
        before=max(1, first + 1 - size) if first else 0,
        after=last + 1 if last < len(shown) else 0,
        is_part=True,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """A line of the list as strings only, since Django's templates would format the numbers of each row again.

    ``values``, ``notes`` and ``evidence`` are for the script: the answers, the notes of single criteria and the
    snippets. The last two are JSON, or "" if there are none.
    """

    handle: str
    place: str
    words: str
    is_docno: bool
    docno: str
    source: str
    said: str
    state: str
    flag: str
    note: str
    notes: str
    values: str
    evidence: str
    is_shown: bool
    is_current: bool
    is_carried: bool
    is_later: bool
    is_apart: bool
    like: str


def list_rows(
    bench: BenchList, stage: Stage, places: Iterable[int], shown: Sequence[int], current: int | None
) -> list[Row]:
    """Return the lines at these places; those in ``shown`` are visible, and ``current`` is the open item's place."""
    known = shown if isinstance(shown, range) else set(shown)
    own = [each for each in stage.criteria[1:] if each.has_own_note]
    return [
        Row(
            handle=str(line.handle),
            place=str(line.place),
            words=line.label if len(line.label) <= LABEL else f"{line.label[: LABEL - 1]}…",
            is_docno=line.label == line.docno,
            docno="" if line.text.strip() else line.docno,
            source=line.docno if line.text.strip() else "",
            said=_line_text(line, stage),
            state=line.state,
            flag=line.flag,
            note=line.note,
            notes=_json({each.key: line.notes[each.key] for each in own if each.key in line.notes}),
            values="".join(
                f"{key}={quote(str(answer_word(value, line.given.get(key))), safe='')};"
                for key, value in line.values.items()
            ),
            evidence=_json(line.evidence),
            is_shown=line.place in known,
            is_current=line.place == current,
            is_carried=line.is_carried,
            is_later=line.is_later,
            is_apart=line.is_apart,
            like=like_name(line.text, bench.assignment.pk),
        )
        for line in bench.lines(places)
    ]


def _line_text(line: BenchItem, stage: Stage) -> str:
    """Return the text beside a line: the grades given, or its state."""
    asked = asked_criteria(stage.criteria, line.values)
    said = [each for each in asked if each.key in line.values]
    names = ", ".join(name_of(each, line.values[each.key], line.given.get(each.key)) for each in said)
    return names or str(LINE_STATES[line.flag or ("later" if line.is_later else "open")])


def name_of(criterion: Criterion, value: int | None, given: Mapping[str, Any] | None) -> str:
    """Return the name of an answer in the reader's language, or "" if there is none."""
    if given is not None:
        return given_shown(criterion, given)[:LABEL]
    grade = criterion.grade(value) if value is not None else None
    return in_language(grade.name) if grade is not None else ""


def _json(said: Mapping[str, object]) -> str:
    """Return a mapping by criterion as JSON for the script, or "" if it is empty."""
    return json.dumps(said) if said else ""
