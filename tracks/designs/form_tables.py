"""The fields of a design's forms, a table for each form: each member's name, its choices, and how it is typed.

A dotted name is a member of an inner table, such as "repeats.share". `ONLY` lists fields that apply only to some of a
form's tables.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

from assess.protocol.designs import DesignField
from tracks.designs.checked_work import AGREEMENT
from tracks.designs.members import COLOURS
from tracks.designs.shape import Design, Question

Values = Mapping[str, Any]
Kind = Literal["line", "text", "choice", "several"]
NUMBER = re.compile(r"-?[0-9]{1,18}")
DECIMAL = re.compile(r"-?[0-9]{1,18}\.[0-9]{1,18}")
ASKED = (("none", "none"), ("offered", "offered"), ("required", "required"))
NUMBERS = {
    *("depth", "limit", "words", "least", "most", "relevant_from", "value", "gain", "batch", "citations.most"),
    *("repeats.share", "repeats.after", "control.every", "hand_out.days", "hand_out.most", "agreement.floor"),
    *("practice.items", "practice.pass", "practice.tries"),
    "highest",
}
"""Members that are typed as numbers; anything else is written as typed, and the check reports it."""

LISTS = {"shown", "judged", "evidence_labels", "ends", "systems", "agreement.measures", "qrels"}
FLAGS = {"required", "by_hand", "relevant_from_setting", "citations.must_be_in_references"}


def _line(name: str, label: str, help: str = "", *, kind: Kind = "line", size: int = 0) -> DesignField:
    return DesignField(name=name, label=label, help=help, kind=kind, size=size)


def _choice(name: str, label: str, *choices: tuple[str, str], help: str = "") -> DesignField:
    """Return a field for a member that has only a few possible values. The first of them is the default."""
    return DesignField(name=name, label=label, kind="choice", choices=choices, help=help)


EVALUATION = (
    _line("title", "What the evaluation is called"),
    _line("key", "Its key", "Letters, digits and hyphens."),
    _line("task", "What pages call the work on its topics", "Empty: what the evaluation is called."),
    _line("language", "Language of its topics and texts", "A code such as en, de or zh; empty: en.", size=6),
)
TOPICS = (
    _line("shown", "Shown of a topic at once",
          "Fields with commas between, or * for all; else title, description, narrative."),
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
    _choice("too_long", "A longer answer", ("error", "is refused"), ("warning", "is taken with a warning"),
            ("cut", "is cut")),
    _line("citations.most", "Citations of a sentence that are judged, at most", "Without a number all.", size=4),
    _choice("citations.must_be_in_references", "What is cited", ("true", "must be among the references"),
            ("false", "may be anything")),
    _line("text", "Column of the text that is judged"),
    _line("shown", "Columns that stand beside it", "With commas between them."),
    _line("systems", "Columns that say whose it is", "With commas between them; no assessor sees these."),
    _line("topic", "Column by which rows belong together", "Without it so many rows do as the next field says."),
    _line("batch", "Rows that belong together", "Without a number 50.", size=6),
    _line("document", "Column with the docno of the document that opens"),
    _line("source", "Or column with the text of that document"),
    _line("row", "Column that names a row in its topic"),
    _line("group", "Column of the question of a rubric that rows are about"),
    _line("weight", "Column of what that question weighs"),
    _line("suggest", "File of answers that are suggested", "It lies beside the design; see the guide."),
    _choice("suggest_shown", "They are shown", ("with the item", "with the item"),
            ("after one's own judgment", "after one's own judgment"), ("to no one", "to no one, only compared")),
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
    _choice("references", "A quote of a document beside a nugget", ("offered", "is offered"),
            ("required", "is needed before the list is frozen"), ("none", "is not asked for")),
    _choice("from", "Whose nuggets are looked for"),
)  # fmt: skip
CHECKS = (
    _choice("after", "It begins once this stage is done"),
    _choice("by_hand", "Work is", ("false", "taken by assessors, or handed out"), ("true", "handed out by hand alone")),
    _choice("hand_out.order", "Items come", ("random", "in another order for each assessor"),
            ("pool", "those first that runs rank high"), ("likeness", "those next to one another that are alike")),
    _line("hand_out.most", "Items that one person judges, at most", "Empty: any number.", size=6),
    _line("hand_out.days", "Work without anything done goes back after days", "Empty: never. The same for all stages.",
          size=4),
    _line("repeats.share", "Share of the items that come again", "0.05 is one in twenty.", size=6),
    _line("repeats.after", "They come after so many others", "Without a number 20.", size=6),
    _line("agreement.measures", "Measures of agreement",
          f"With commas between them: {', '.join(AGREEMENT)}. The first is shown at once."),
    _line("agreement.floor", "Agreement should reach", "What is below is said.", size=6),
    _line("control.answers", "Items whose grades are known", kind="text",
          help='A JSON object a line: {"topic": "1", "docno": "A", "KEY OF A QUESTION": "NAME OF A GRADE"}'),
    _line("practice.items", "Items to practise on before the work", "Of those whose grades are known.", size=6),
    _line("practice.pass", "Share of them that has to be right", "Without a number 0.8.", size=6),
    _line("practice.tries", "In so many tries", "Without a number 3.", size=4),
    _line("practice.answers", "Items of their own to practise on", kind="text",
          help="As above, with a reason that is read after the answer. Empty: the first of those above."),
    _line("control.every", "One known item for so many others", "Without a number 20.", size=6),
    _choice("control.tell", "Whoever judged a known item", ("never", "is not told"),
            ("after", "reads what is right of it")),
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
    _line("scales", "Scales in place of grades, of which each campaign chooses one", kind="text",
          help="A line each: the names of its grades from 0 on, with commas between them."),
    _line("highest", "It begins with the scale whose highest grade is", size=4),
    _line("qrels", "Files of qrels that are its judgments", "Names with commas between them; * is anything."),
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
    _choice("relevant_from_setting", "That gain is", ("false", "the same in every campaign"),
            ("true", "set by each campaign")),
    _choice("official", "The official measure"),
    _line("gains", "Gains in place of those of the grades", "A line each: its name or value = gain.", kind="text"),
)  # fmt: skip
GRADE = (
    _line("value", "Value", size=4),
    _line("press", "Key to press", size=2),
    _line("name", "Name", size=14),
    _line("gain", "Gain", size=4),
    _choice("note", "Note", ASKED[1], ASKED[0], ASKED[2]),
    _choice("evidence", "Evidence", ASKED[1], ASKED[0], ASKED[2]),
    _choice("colour", "Colour", ("", "none"), *((each, each) for each in COLOURS)),
    _line("help", "What it means", size=28),
)  # fmt: skip
GUIDELINES = (
    _line("text", "What assessors read", kind="text", help="Markdown."),
    _line("file", "A file with that text, in its place", "It lies beside the design."),
)
MEASURE = (
    _line("measure", "Measure", size=12),
    _choice("question", "Of the question"),
    _line("relevant_from", "Relevant from", size=4),
    _line("label", "Called", size=14),
    _line("help", "Above its column", size=28),
)
FORMS = {"": EVALUATION, "topics": TOPICS, "documents": DOCUMENTS, "runs": RUNS, "pool": POOL, "stages": STAGE,
         "checks": CHECKS, "questions": QUESTION, "scores": SCORES, "guidelines": GUIDELINES, "grades": GRADE,
         "measures": MEASURE}  # fmt: skip

MEMBERS = {
    "": list(Design.model_fields),
    "stages": ["key", "work", *(each.name for each in STAGE)],
    "questions": list(Question.model_fields),
}
MEMBERS["checks"] = [*MEMBERS["stages"], *dict.fromkeys(each.name.partition(".")[0] for each in CHECKS)]
"""The order in which the members of a table are written."""

ITEM_COLUMNS = (
    *("text", "shown", "systems", "topic", "batch", "document", "source", "row", "group", "weight", "suggest"),
)

ONLY: Mapping[str, tuple[str, str, Mapping[str, tuple[str, ...]]]] = {
    "questions": (
        "answer",
        "grade",
        {
            **dict.fromkeys(("least", "most"), ("several", "rank")),
            "words": ("text",),
            **dict.fromkeys(("scale", "level", "unsure_press", "unsure_name"), ("grade",)),
            **dict.fromkeys(("order", "scales", "highest", "qrels"), ("grade",)),
        },
    ),
    "stages": (
        "work",
        "",
        {"item": ("grade",), "settle": ("grade",), "references": ("nuggets",), "from": ("matches",)},
    ),
    "checks": (
        "work",
        "",
        dict.fromkeys((each.name for each in CHECKS if "." in each.name and each.name != "hand_out.days"), ("grade",)),
    ),
    "runs": (
        "form",
        "ranked",
        {
            "limit": ("ranked", "strings"),
            **dict.fromkeys(("words", "too_long", "citations.most", "citations.must_be_in_references"), ("answers",)),
            **dict.fromkeys(ITEM_COLUMNS, ("items",)),
            "suggest_shown": ("items",),
        },
    ),
}
"""By form: the member with the table's kind, the usual kind, and the kinds in which each field has an effect."""

RANKED = {"questions": ("scales", "highest", "qrels"), "scores": ("relevant_from_setting",)}
"""By form: fields that have an effect only for ranked runs."""

INSTEAD = {"scale": ("scales", False), "scales": ("grades", False), "highest": ("scales", True)}
"""By field of a question: another member, and whether it must be present or absent for the field to have an effect."""
