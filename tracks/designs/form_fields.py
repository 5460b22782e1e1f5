"""The fields of a design's forms, a table for each form: what a member is called, what it may say, how it is typed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from assess.protocol.designs import DesignField
from tracks.designs.judged_items import KINDS
from tracks.designs.places import Path
from tracks.designs.question_rules import grades_of
from tracks.designs.shape import COLOURS, Design, Question

Values = Mapping[str, Any]
Kind = Literal["line", "text", "choice", "several"]
NUMBER = re.compile(r"-?[0-9]+")
DECIMAL = re.compile(r"-?[0-9]+\.[0-9]+")
ASKED = (("none", "none"), ("offered", "offered"), ("required", "required"))
NUMBERS = {"depth", "limit", "words", "least", "most", "relevant_from", "value", "gain"}
"""Members that are typed as numbers; what is no number is written as it was typed, and the check says so."""

LISTS = {"shown", "judged", "evidence_labels"}


def _line(name: str, label: str, help: str = "", *, kind: Kind = "line", size: int = 0) -> DesignField:
    return DesignField(name=name, label=label, help=help, kind=kind, size=size)


def _choice(name: str, label: str, *choices: tuple[str, str], help: str = "") -> DesignField:
    """A member with few values, of which the first is meant where none is written."""
    return DesignField(name=name, label=label, kind="choice", choices=choices, help=help)


EVALUATION = (
    _line("title", "What the evaluation is called"),
    _line("key", "Its key", "Letters, digits and hyphens."),
)
TOPICS = (
    _line("shown", "Shown of a topic at once", "Fields, with commas between; else title, description, narrative."),
    _line("judged", "Topics that are judged", "Numbers, with commas between them; without any: all."),
)  # fmt: skip
DOCUMENTS = (
    _line("shown", "Shown of a document", "title, date and text, with commas between them; without any: all three."),
    _choice("as", "Documents are shown as", ("html", "they are, pages as pages"), ("text", "text alone")),
)
RUNS = (
    _choice("form", "Runs are", ("ranked", "rankings of documents"), ("answers", "answers with citations"),
            ("strings", "answer strings"), ("items", "rows of a table, without runs")),
    _line("limit", "A run may return for a topic", "Documents or strings; without a number 1000 documents.", size=6),
    _line("words", "Words of an answer, at most", size=6),
)  # fmt: skip
POOL = (_line("depth", "Pool depth", "Documents of each run and topic that are judged; without a number 100.", size=6),)
STAGE = (
    _line("label", "What the stage is called"),
    _choice("item", "What is judged"),
    _line("people", "People who judge a topic", "A number, or any: whoever comes.", size=6),
    _line("share", "Of how large a share of the topics", "0.25 is a quarter; the others are judged by one.", size=6),
    _choice("settle", "Where they differ", ("adjudicator", "an adjudicator decides"),
            ("majority", "what most say counts"),
            ("mean", "the mean of all counts"),
            ("none", "nobody decides: the first counts")),
    _line("help", "What assessors read of the stage", kind="text"),
)  # fmt: skip
QUESTION = (
    _line("ask", "What is asked"),
    _line("help", "What helps to answer it", kind="text"),
    _line("key", "Key", "Its name in files; it stays once something is judged."),
    _choice("answer", "It is answered by", ("grade", "one grade"), ("several", "several of the grades"),
            ("rank", "the grades put in order"), ("text", "a text"), ("number", "a number")),
    _choice("level", "The grades are", ("ordinal", "steps of a scale"), ("nominal", "kinds without an order"),
            ("interval", "steps of equal size")),
    _line("scale", "A scale of numbers, in place of grades", "Such as 1-5.", size=8),
    _line("ends", "Names of its two ends", "With a comma between them.", size=24),
    _choice("order", "The grades stand", ("given", "as they are written"), ("random", "in another order each time")),
    _choice("required", "An answer", ("true", "is needed"), ("false", "may be left out")),
    _line("least", "Choices, at least", size=4),
    _line("most", "Choices, at most", size=4),
    _line("words", "Words, at most", size=4),
    _line("unsure_press", "Key of who can’t tell", "Empty: everybody has to say.", size=3),
    _line("unsure_name", "Name of that answer", size=16),
    _line("note_ask", "What a note should say"),
    _line("evidence_ask", "What to select in the text as evidence"),
    _line("evidence_labels", "Labels of what is selected", "With commas between them."),
)  # fmt: skip
SCORES = (
    _choice("question", "Whose gains count"),
    _line("relevant_from", "Relevant from a gain of", "Without a number 1.", size=6),
    _choice("official", "The official measure"),
)  # fmt: skip
GRADE = (
    _line("value", "Value", size=4),
    _line("press", "Key", size=2),
    _line("name", "Name", size=14),
    _line("gain", "Gain", size=4),
    _choice("note", "Note", ASKED[1], ASKED[0], ASKED[2]),
    _choice("evidence", "Evidence", ASKED[1], ASKED[0], ASKED[2]),
    _choice("colour", "Colour", ("", "none"), *((each, each) for each in COLOURS)),
    _line("help", "What it means", size=28),
)  # fmt: skip
MEASURE = (
    _line("measure", "Measure", size=12),
    _choice("question", "Of the question"),
    _line("relevant_from", "Relevant from", size=4),
    _line("label", "Called", size=14),
)
FORMS = {"": EVALUATION, "topics": TOPICS, "documents": DOCUMENTS, "runs": RUNS, "pool": POOL, "stages": STAGE,
         "questions": QUESTION, "scores": SCORES, "grades": GRADE, "measures": MEASURE}  # fmt: skip

MEMBERS = {
    "": list(Design.model_fields),
    "stages": ["key", "work", *(each.name for each in STAGE)],
    "questions": list(Question.model_fields),
}
"""In which order the members of a table are written."""


def fields_of(path: Path, table: Values, values: Values) -> list[DesignField]:
    """Return the fields of the form of a table, with what the text says; those that say nothing there are left out."""
    found = [
        _filled(each, _typed_back(each.name, table), values)
        for each in FORMS[form_at(path)]
        if _fits(path, each, table)
    ]
    return [*found, *_conditions(path, table, values)]


def row_fields(path: Path, entry: Any, values: Values) -> list[DesignField]:
    """Return the fields of an entry of the list at a path; a measure may be its name alone."""
    table = entry if isinstance(entry, dict) else {"measure": entry}
    return [_filled(each, _typed_back(each.name, table), values) for each in FORMS[form_at(path)]]


def form_at(path: Path) -> str:
    """Return the name of the form of a table or of a list's entry."""
    return next((str(step) for step in reversed(path) if not isinstance(step, int)), "")


def _fits(path: Path, field: DesignField, table: Values) -> bool:
    """Whether a field says something in this table: what it says already always does."""
    if field.name in table:
        return True
    answer, form = table.get("answer", "grade"), form_at(path)
    if form == "questions":
        only = {
            "least": "several",
            "most": "several",
            "words": "text",
            "scale": "grade",
            "level": "grade",
            "order": "grade",
        }
        if field.name == "ends":
            return isinstance(table.get("grades"), str)
        if field.name.startswith("unsure"):
            return bool(answer == "grade")
        return bool(only.get(field.name, answer) == answer)
    if form == "stages":
        return bool(table.get("work") == "grade" or field.name not in ("item", "settle"))
    if form == "runs":
        takes = {"limit": ("ranked", "strings"), "words": ("answers",)}
        return table.get("form", "ranked") in takes.get(field.name, (table.get("form", "ranked"),))
    return True


def _filled(field: DesignField, value: str, values: Values) -> DesignField:
    choices = field.choices
    if field.name == "question":
        choices = [("", "the first"), *((key, key) for key in _graded(values))]
    if field.name == "official":
        choices = [("", "the first"), *((each, each) for each in _measures(values))]
    if field.name == "item":
        known = KINDS.get(form_of_runs(values), KINDS["ranked"])
        choices = [(each, each) for each in known]
    if field.kind == "choice":
        value = value or choices[0][0]
        if value not in dict(choices):
            choices = [*choices, (value, value)]
    return DesignField(
        name=field.name,
        label=field.label,
        value=value,
        kind=field.kind,
        choices=choices,
        help=field.help,
        size=field.size,
    )


def _typed_back(name: str, table: Values) -> str:
    """What a member says, as it is typed into its field."""
    people, unsure = table.get("people"), table.get("unsure")
    if name in ("people", "share"):
        said = people if isinstance(people, dict) else {"each": people}
        found = said.get("each" if name == "people" else "share")
    elif name.startswith("unsure_"):
        found = unsure.get(name.removeprefix("unsure_")) if isinstance(unsure, dict) else None
    elif name == "scale":
        found = table.get("grades") if isinstance(table.get("grades"), str) else None
    else:
        found = table.get(name)
    if isinstance(found, list):
        return ", ".join(map(str, found))
    if isinstance(found, bool):
        return str(found).lower()
    return "" if found is None else str(found)


def form_of_runs(values: Values) -> str:
    """Return the form of runs that a text says, or the usual one."""
    runs = values.get("runs")
    return str(runs.get("form", "ranked")) if isinstance(runs, dict) else "ranked"


def tables_in(values: Values, name: str) -> list[dict[str, Any]]:
    """Return the tables of a list, none where a member is no list."""
    found = values.get(name)
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _graded(values: Values) -> list[str]:
    questions = [each for stage in tables_in(values, "stages") for each in tables_in(stage, "questions")]
    return [str(q.get("key")) for q in questions if q.get("answer", "grade") == "grade"]


def _measures(values: Values) -> list[str]:
    """What the measures are called."""
    scores = values.get("scores")
    lines = scores.get("measures") if isinstance(scores, dict) else None
    entries = lines if isinstance(lines, list) else []
    tables = [each if isinstance(each, dict) else {"measure": each} for each in entries]
    return [str(each.get("label") or each.get("measure")) for each in tables]


# ---------------------------------------------------------------- conditions


def _conditions(path: Path, table: Values, values: Values) -> Iterator[DesignField]:
    """A field for each question before this one in its stage: the grades under which this one is asked."""
    if form_at(path) != "questions" or isinstance(table.get("asked_if"), list):
        return
    said = table.get("asked_if") or {}
    for question in _before(path, values):
        key, names = str(question.get("key")), _names(question)
        wanted = said.get(key, []) if isinstance(said, dict) else []
        wanted = [names.get(str(each), str(each)) for each in (wanted if isinstance(wanted, list) else [wanted])]
        choices = list(dict.fromkeys(names.values()))
        yield DesignField(
            name=f"if_{key}",
            label=f"Asked only if “{str(question.get('ask', key))[:60]}” is answered by",
            kind="several",
            value="\n".join(each for each in choices if each in wanted),
            choices=[(each, each) for each in choices],
            help="None: it is asked whatever was answered." if len(choices) > 1 else "",
        )


def _before(path: Path, values: Values) -> list[Values]:
    stage = values["stages"][path[1]]
    return [each for each in stage["questions"][: path[-1]] if isinstance(each, dict) and _names(each)]


def _names(question: Values) -> dict[str, str]:
    """The grades of a question: by value and by name, their names."""
    if question.get("answer", "grade") != "grade":
        return {}
    grades = question.get("grades")
    ends = question.get("ends")
    if isinstance(grades, str):
        listed = [(each.value, each.name) for each in _scale(grades, ends)]
    else:
        entries = grades if isinstance(grades, list) else []
        listed = [(each.get("value"), str(each.get("name"))) for each in entries if isinstance(each, dict)]
    return {str(value): name for value, name in listed} | {name: name for _, name in listed}


def _scale(grades: str, ends: Any) -> list[Any]:
    if not re.fullmatch(r"-?[0-9]{1,4}-[0-9]{1,4}", grades):
        return []
    both = ends if isinstance(ends, list) and len(ends) == 2 and all(isinstance(each, str) for each in ends) else None
    return grades_of(Question.model_construct(grades=grades, ends=both))


def listed(values: Values, path: Path) -> list[dict[str, Any]]:
    """Return the grades of the scale at a path, each with its value and name."""
    table: Any = values
    for step in path[:-1]:
        table = table[step]
    found = _scale(table["grades"], table.get("ends"))
    return [{"value": each.value, **({"press": each.press} if each.press else {}), "name": each.name} for each in found]


# ---------------------------------------------------------------- what is written


def members_of(
    path: Path, changed: Mapping[str, str], said: Mapping[str, str], values: Values
) -> Iterator[tuple[str, Any]]:
    """Yield the members of a table that a form changes, with what they say now; None takes one out."""
    del values
    for name, value in changed.items():
        if name in ("people", "share", "scale") or name.startswith(("unsure_", "if_")):
            continue
        yield name, typed(name, value)
    if {"people", "share"} & set(changed):
        people, share = typed("value", said["people"]), typed("value", said.get("share", ""))
        plain = share in (None, 1) or people == "any"
        yield "people", people if plain else {"each": 1 if people is None else people, "share": share}
    if changed.get("scale"):
        yield "grades", changed["scale"]
    if any(name.startswith("unsure_") for name in changed):
        press, called = said["unsure_press"], said["unsure_name"]
        yield "unsure", {"press": press, **({"name": called} if called else {})} if press else None
    if any(name.startswith("if_") for name in changed):
        chosen = {
            name.removeprefix("if_"): value.split("\n")
            for name, value in said.items()
            if name.startswith("if_") and value
        }
        yield "asked_if", chosen or None


def typed(name: str, value: str) -> Any:
    """Return what a field says as a value of its member; None where it says nothing.

    >>> typed("depth", "20"), typed("gain", "0.5"), typed("shown", "title, date"), typed("help", "")
    (20, 0.5, ['title', 'date'], None)
    """
    if name in LISTS or name == "ends":
        return [each.strip() for each in value.split(",") if each.strip()] or None
    if not value:
        return None
    if name == "required":
        return value == "true"
    if name in NUMBERS and NUMBER.fullmatch(value):
        return int(value)
    if name in NUMBERS and DECIMAL.fullmatch(value):
        return float(value)
    return value


def new_entry(path: Path, written: dict[str, Any], values: Values) -> Any:
    """Return a further grade or measure of a list: a grade without a value gets the next one above the others."""
    table: Any = values
    for step in path[:-1]:
        table = table.get(step, {}) if isinstance(table, dict) else table[step]
    defaults = {each.name: each.choices[0][0] for each in FORMS[form_at(path)] if each.choices}
    entry = {name: value for name, value in written.items() if value != defaults.get(name, object())}
    if form_at(path) == "measures":
        return entry["measure"] if list(entry) == ["measure"] else entry
    others = [each.get("value") for each in table or [] if isinstance(each, dict)]
    numbers = [each for each in others if isinstance(each, int)]
    return {"value": max(numbers, default=-1) + 1, **entry}
