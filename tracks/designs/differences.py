"""Compare two versions of a design, and find the records that each change would affect.

Stages, questions and grades are compared by their keys, so names may be reworded and orders changed freely. A change of
the meaning of what is recorded names the records that depend on it: a stage, a question, or single values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path as File
from typing import Any

from assess.protocol.designs import DependentRecords, DesignChange, DesignChanges, ValueMapping
from scoring.release.phrases import Phrase, marked
from tracks.designs.change_words import STAYS, both, from_to
from tracks.designs.described_work import settled_options
from tracks.designs.nugget_rules import takes_partial
from tracks.designs.places import Path, Places, read_toml
from tracks.designs.question_rules import conditions_of, grades_named, grades_of
from tracks.designs.reading import BadDesign, design_of_text
from tracks.designs.shape import Changed, Design, Grade, Question

OF_STAGE = frozenset({"work", "item", "source", "lines", "none", "file", "frozen", "choose"})
"""Members of a stage that determine the meaning of its records."""

OF_QUESTION = frozenset({"answer", "verdicts", "reasons", "unsure", "evidence_labels", "scales", "highest"})
"""Members of a question that determine the meaning of its answers."""


def changes_between(
    before: str,
    now: str,
    *,
    earlier: Sequence[str] = (),
    folders: tuple[File | None, File | None] = (None, None),
) -> DesignChanges:
    """Compare the texts of two designs. Raises BadDesign if one has faults, or if the new one moves a value twice or a
    value that the other does not have.

    ``earlier`` are the versions before both; their mappings have been carried out already. ``folders`` hold the bases
    of the two designs.
    """
    old = _Text.read(before, "the design before", folders[0])
    new = _Text.read(now, "the new design", folders[1])
    mappings = tuple(_mappings(old, new, [design_of_text(text) for text in earlier]))
    found = [*_top(old, new), *_stages(old, new, mappings)]
    return DesignChanges(changes=tuple(sorted(found, key=lambda each: (each.gone, each.line))), mappings=mappings)


@dataclass(frozen=True, slots=True)
class _Text:
    """A design that was read from a text, with the line of the text at which each of its members stands."""

    design: Design
    places: Places

    @classmethod
    def read(cls, text: str, called: str, folder: File | None) -> _Text:
        try:
            return cls(design_of_text(text, folder=folder), read_toml(text)[1])
        except BadDesign as error:
            raise BadDesign("\n".join(f"{called}: {line}" for line in str(error).splitlines())) from error


def _mappings(old: _Text, new: _Text, earlier: Sequence[Design]) -> Iterator[ValueMapping]:
    """Yield the entries of `[[changes]]` that are new in this version, in its order. An entry counts as new if it now
    occurs more often than in any earlier version.

    Raises BadDesign if a new entry moves a value that was moved already, or that the version before does not have.
    """
    done: Counter[tuple[str, int, int]] = Counter()
    for version in (*earlier, old.design):
        done |= Counter(map(_entry, version.changes))
    where = {question.key: (stage.key, question) for stage in old.design.stages for question in _questions(stage)}
    moved: set[tuple[str, int]] = set()
    for place, each in enumerate(new.design.changes):
        entry = question, before, now = _entry(each)
        if done[entry]:
            done[entry] -= 1
        elif (question, before) in moved:
            line = new.places.line(("changes", place, "from"))
            raise BadDesign(f"line {line}: changes.from: Two new values are given for {before} of {question}.")
        else:
            stage, asked = where.get(question, ("", None))
            if asked is None or before not in [grade.value for grade in grades_of(asked)]:
                line = new.places.line(("changes", place, "from" if asked is not None else "question"))
                known = f"{before} is no value of {question}" if asked is not None else f"{question} is not asked"
                raise BadDesign(f"line {line}: changes: {known} in the version before, so nothing would be moved.")
            moved.add((question, before))
            yield ValueMapping(stage=stage, question=question, before=before, now=now)


def _entry(change: Changed) -> tuple[str, int, int]:
    return change.question, int(change.before), int(change.now)


# ---------------------------------------------------------------- the design itself


def _top(old: _Text, new: _Text) -> Iterator[DesignChange]:
    """Yield changes to members outside of the stages."""
    for name in Design.model_fields:
        before, now = getattr(old.design, name), getattr(new.design, name)
        if name in ("stages", "changes", "base") or before == now:
            continue
        if name == "key":
            yield _change(new, (name,), from_to("key", before, now), stands_on=DependentRecords())
        elif name == "runs":
            yield from _runs(old, new)
        elif hasattr(before, "model_dump") and hasattr(now, "model_dump"):
            for inner in type(now).model_fields:
                pair = getattr(before, inner), getattr(now, inner)
                if pair[0] != pair[1]:
                    said = type(now).model_fields[inner].alias or inner
                    yield _change(new, (name, said), from_to(f"{name}.{said}", *pair))
        else:
            yield _change(new, (name,), from_to(name, before, now))


def _runs(old: _Text, new: _Text) -> Iterator[DesignChange]:
    before, now = old.design.runs.model_dump(by_alias=True), new.design.runs.model_dump(by_alias=True)
    for name in {**before, **now}:
        if before.get(name) != now.get(name):
            free = before["form"] == now["form"] and name in ("limit", "too_long", "words", "citations")
            message = from_to(f"runs.{name}", before.get(name), now.get(name))
            yield _change(new, ("runs", name), message, stands_on=None if free else DependentRecords(runs=True))


# ---------------------------------------------------------------- stages and questions


def _stages(old: _Text, new: _Text, mappings: Sequence[ValueMapping]) -> Iterator[DesignChange]:
    before = {stage.key: (place, stage) for place, stage in enumerate(old.design.stages)}
    now = {stage.key: (place, stage) for place, stage in enumerate(new.design.stages)}
    for key, (place, _) in before.items():
        if key not in now:
            where: Path = ("stages", place)
            yield _gone(
                old,
                where,
                _taken_out(marked("The stage {key} is taken out."), key, before, now),
                DependentRecords(stage=key),
            )
    for key, (place, stage) in now.items():
        where = ("stages", place)
        if key not in before:
            yield _change(new, where, Phrase("The stage {key} is new.", key=key))
            continue
        was = before[key][1]
        yield from _members(
            new,
            where,
            was,
            stage,
            settled=OF_STAGE | settled_options(stage.work),
            stands_on=DependentRecords(stage=key),
        )
        yield from _question_changes(old, new, ("stages", before[key][0]), where, key, mappings)


def _taken_out(text: str, key: str, before: Mapping[str, Any], now: Mapping[str, Any]) -> Phrase:
    """Return the message about a stage or question that was removed; it names another one that asks the same."""
    said = Phrase(text, key=key)
    added = [name for name in now if name not in before]
    same = [name for name in added if _without_names(now[name][1]) == _without_names(before[key][1])]
    if not same:
        return said
    return both(said, Phrase("{key} asks the same: a key can't be renamed, but a label can.", key=same[0]))


def _without_names(thing: Any) -> dict[str, Any]:
    return {name: value for name, value in thing.model_dump().items() if name not in ("key", "label")}


def _questions(stage: Any) -> list[Question]:
    return getattr(stage, "questions", [])


def _question_changes(
    old: _Text, new: _Text, was: Path, where: Path, stage: str, mappings: Sequence[ValueMapping]
) -> Iterator[DesignChange]:
    places = {each.key: place for place, each in enumerate(_questions(old.design.stages[int(was[1])]))}
    asked = {each.key: each for each in _questions(old.design.stages[int(was[1])])}
    wanted = {each.key: (place, each) for place, each in enumerate(_questions(new.design.stages[int(where[1])]))}
    now = {key: question for key, (_, question) in wanted.items()}
    for key in asked:
        if key not in wanted:
            pairs = {name: (0, each) for name, each in asked.items()}
            message = _taken_out(marked("The question {key} is taken out."), key, pairs, wanted)
            yield _gone(old, (*was, "questions", places[key]), message, DependentRecords(stage=stage, question=key))
    for key, (place, question) in wanted.items():
        path = (*where, "questions", place)
        if key not in asked:
            yield _change(
                new, path, Phrase("The question {key} is new: it is asked of what is done already, too.", key=key)
            )
            continue
        stands_on = DependentRecords(stage=stage, question=key)
        members = partial(_members, new, path, asked[key], question, settled=OF_QUESTION, stands_on=stands_on)
        yield from members(same={"asked_if"} if _conditions(asked[key], asked) == _conditions(question, now) else ())
        own = [each for each in mappings if each.question == key]
        yield from _grades(old, new, path, (*was, "questions", places[key]), (asked[key], question), stage, own)


def _conditions(question: Question, questions: Mapping[str, Question]) -> list[dict[str, list[str]]]:
    """Return a question's conditions. Grades in them are named by their permanent keys, so that renaming a grade is no
    change.
    """
    keys = {key: {grade.value: name for name, grade in _by_key(each).items()} for key, each in questions.items()}

    def named_in(key: str, named: Any) -> list[str]:
        return sorted(keys[key][grade.value] for grade in grades_named(questions[key], named))

    return [{key: named_in(key, named) for key, named in each.items()} for each in conditions_of(question)]


def _members(
    new: _Text,
    path: Path,
    before: Any,
    now: Any,
    *,
    settled: frozenset[str],
    stands_on: DependentRecords,
    same: Collection[str] = (),
) -> Iterator[DesignChange]:
    """Yield a change for each member of a stage or question that differs. Members that are compared by key are left
    out, and so are those in ``same``, whose meaning did not change.
    """
    known = {**type(before).model_fields, **type(now).model_fields}
    for name, member in known.items():
        pair = getattr(before, name, None), getattr(now, name, None)
        if name in ("key", "questions", "grades") or name in same or pair[0] == pair[1]:
            continue
        is_added = name in ("unsure", "evidence_labels", "reasons") and _contains(*pair)
        is_added |= name == "scales" and bool(pair[0]) and _contains(*pair)
        said = member.alias or name
        asks_more = name == "references" and pair[1] == "required"  # there may be frozen lists without quotes
        asks_less = name == "marks" and takes_partial(pair[0] or ()) and not takes_partial(pair[1] or ())
        stands = stands_on if asks_more or asks_less or (name in settled and not is_added) else None
        message = from_to(said, *pair)
        if name == "asked_if":
            message = both(message, Phrase("Answers to what is no longer asked are kept, but not exported."))
        yield _change(new, (*path, said), message, stands_on=stands)


def _contains(before: Any, now: Any) -> bool:
    """Return whether ``now`` contains what ``before`` contains. A list must have all the entries that it had; for any
    other value it is enough that there is one.
    """
    if isinstance(before, list) and isinstance(now, list):
        return all(each in now for each in before)
    return before is None or now is not None


# ---------------------------------------------------------------- grades


def _by_key(question: Question) -> dict[str, Grade]:
    """Return permanent key -> grade. By default the permanent key is the grade's name in lower case. In a scale of
    numbers the keys are the numbers, even if its ends have names.
    """
    graded = grades_of(question)
    if isinstance(question.grades, str):
        return {str(each.value): each for each in graded}
    return {each.key or each.name.lower(): each for each in graded}


def _grades(
    old: _Text,
    new: _Text,
    path: Path,
    was: Path,
    pair: tuple[Question, Question],
    stage: str,
    mappings: Sequence[ValueMapping],
) -> Iterator[DesignChange]:
    question = pair[1].key
    if pair[0].scales or pair[1].scales:  # compared as a whole, since a setting chooses among them
        return
    before, now = map(_by_key, pair)
    mapped = {each.before: each.now for each in mappings}
    listed = not isinstance(pair[1].grades, str)
    for place, (key, grade) in enumerate(before.items()):
        found = now.get(key)
        value = int(grade.value)
        stands_on = DependentRecords(stage=stage, question=question, value=value)
        if value in mapped:
            message = Phrase(
                "The grade {grade} of {question}: recorded values of {value} become {now}.",
                grade=grade.name, question=question, value=value, now=mapped[value],
            )  # fmt: skip
            target = next((each for each in now.values() if each.value == mapped[value]), grade)
            if "required" in (target.note, target.evidence):
                message = both(message, STAYS)
            yield _change(new, (*path, "grades"), message)
        elif found is None:
            there = next((each for each in now.values() if each.value == grade.value), None)
            known = {"grade": grade.name, "question": question, "value": value}
            message = Phrase("The grade {grade} of {question} ({value}) is taken out.", **known) if there is None else (
                Phrase(
                    "The value {value} of {question} was {grade} and is {now}: where that is another name for the same "
                    'grade, give it key = "{key}".',
                    **known, now=there.name, key=key,
                )
            )  # fmt: skip
            near = there or min(now.values(), key=lambda each: abs(each.value - grade.value), default=None)
            hint = _mapping(pair[1], value, near.value) if near is not None else ""
            yield _gone(old, (*was, "grades", place), message, stands_on, hint)
        elif found.value != grade.value:
            what = Phrase("The value of the grade {grade} of {question}", grade=grade.name, question=question)
            message = from_to(what, grade.value, found.value)
            hint = _mapping(pair[1], value, found.value)
            inner = (*path, "grades", [*now].index(key), "value") if listed else (*path, "grades")
            yield _change(new, inner, message, stands_on=stands_on, mapping=hint)
        else:
            inner = (*path, "grades", [*now].index(key)) if listed else (*path, "grades")
            yield from _of_grade(new, inner, grade, found, question)
    yield from _added(new, path, pair, stage, mapped)


def _of_grade(new: _Text, path: Path, before: Grade, now: Grade, question: str) -> Iterator[DesignChange]:
    for name in Grade.model_fields:
        was, is_now = getattr(before, name), getattr(now, name)
        if name in ("key", "value") or was == is_now:
            continue
        what = Phrase("The {name} of the grade {grade} of {question}", name=name, grade=before.name, question=question)
        message = from_to(what, was, is_now)
        yield _change(new, (*path, name), both(message, STAYS) if is_now == "required" else message)


def _added(
    new: _Text, path: Path, pair: tuple[Question, Question], stage: str, mapped: Mapping[int, int]
) -> Iterator[DesignChange]:
    """Yield a change for each new grade, and for each recorded value whose place on the scale changes because of it.
    These are the values above the new grade, or all values if the grades are a scale of numbers.
    """
    question = pair[1].key
    before, now = map(_by_key, pair)
    values = {each.value for each in before.values()}
    added = [grade for key, grade in now.items() if key not in before and grade.value not in values]
    kept = [int(each.value) for key, each in before.items() if key in now and now[key].value == each.value]
    is_scale = isinstance(pair[0].grades, str) or isinstance(pair[1].grades, str)
    for grade in added:
        place = () if isinstance(pair[1].grades, str) else ([*now.values()].index(grade),)
        message = Phrase(
            "The grade {grade} of {question} ({value}) is new: nobody could give it until now.",
            grade=grade.name, question=question, value=grade.value,
        )  # fmt: skip
        yield _change(new, (*path, "grades", *place), message)
    if pair[1].level == "nominal" or pair[1].answer != "grade" or pair[0].grades == pair[1].grades:
        return
    moved = kept if is_scale and added else [value for value in kept if any(each.value < value for each in added)]
    for value in moved:
        if value not in mapped:
            name = next(each.name for each in before.values() if each.value == value)
            message = Phrase(
                "The grade {grade} of {question} ({value}) has another place on the scale.",
                grade=name, question=question, value=value,
            )  # fmt: skip
            stands_on = DependentRecords(stage=stage, question=question, value=value)
            hint = _mapping(pair[1], value, value)
            yield _change(new, (*path, "grades"), message, stands_on=stands_on, mapping=hint)


def _mapping(question: Question, before: int | float, now: int | float) -> str:
    """Return the entry of [[changes]] that would move recorded grades. Return "" for answers that are not grades, since
    they can't be moved.
    """
    if question.answer != "grade":
        return ""
    return f'[[changes]] question = "{question.key}", from = {before}, to = {now}'


# ---------------------------------------------------------------- words


def _change(
    new: _Text, path: Path, message: str, *, stands_on: DependentRecords | None = None, mapping: str = ""
) -> DesignChange:
    """Return a change at a path of the new file."""
    line, member = new.places.line(path), _member(new.design, path)
    return DesignChange(line=line, member=member, message=message, stands_on=stands_on, mapping=mapping)


def _gone(old: _Text, path: Path, message: str, stands_on: DependentRecords, mapping: str = "") -> DesignChange:
    line, member = old.places.line(path), _member(old.design, path)
    return DesignChange(line=line, member=member, message=message, gone=True, stands_on=stands_on, mapping=mapping)


def _member(design: Design, path: Path) -> str:
    from tracks.designs.checking import member_named

    return member_named(design.model_dump(by_alias=True, exclude_none=True), path)
