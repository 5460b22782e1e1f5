"""The table of docs/designs.md of what may change in the middle of a campaign, made of one change after the other."""

from __future__ import annotations

from pathlib import Path

import pytest

from assess.protocol.designs import DesignChange
from tests.design_text import DESIGN
from tracks.designs.differences import changes_between
from tracks.designs.shape import Design, Grade, GradeStage, Question

DOCS = Path(__file__).resolve().parents[3] / "docs" / "designs.md"
QUESTION = 'ask = "Is it misleading?"\n'
STAGE = 'work = "grade"\n'
SOMEWHAT = '  { value = 1, press = "s", name = "somewhat", gain = 1 },\n'
SECOND = DESIGN[DESIGN.index('\n[[stages.questions]]\nkey = "readability"') : DESIGN.index("\n[scores]")]
OF_SECOND = ', { measure = "AP", question = "readability", relevant_from = 4, label = "AP (readable)" }'
MORE = '\n[[stages]]\nkey = "more"\nwork = "grade"\n[[stages.questions]]\nkey = "good"\nask = "Good?"\ngrades = "0-1"\n'
CHOICES = '\n[[stages.questions]]\nkey = "why"\nask = "Why?"\nanswer = "several"\ngrades = "1-3"\n'
MAPPED = '\n[[changes]]\nquestion = "misleading"\nfrom = 1\nto = 2\n'

SCALES = '["a", "b"]'
EXPORT = '[[exports]]\nname = "q.txt"\nstage = "passages"\nquestion = "readability"\n'
BELOW = '  { value = -1, press = "z", name = "never", gain = 0 },\n'
ABOVE = '  { value = 3, press = "z", name = "utterly" },\n'

KNOWN = """answers = '{"topic": "1", "docno": "A", "misleading": "no"}'"""

Change = tuple[str, str, str, str]
"""The member, what changes in words, what stands in the text before, and what in its place."""

OF_DESIGN: list[Change] = [
    ("key", "another key", 'key = "misleading-2026"', 'key = "misleading-2027"'),
    ("title", "other words", 'title = "Misleading passages"', 'title = "What misleads"'),
    ("source", "other words", 'title = "M', 'source = "Ours"\ntitle = "M'),
    ("task", "other words", 'title = "M', 'task = "Reading"\ntitle = "M'),
    ("language", "another language of its texts", 'title = "M', 'language = "de"\ntitle = "M'),
    ("topics", "other fields shown", "[runs]", '[topics]\nshown = ["title"]\n[runs]'),
    ("topics", "other topics judged", "[runs]", '[topics]\njudged = ["1"]\n[runs]'),
    ("documents", "shown otherwise", "[runs]", '[documents]\nas = "text"\n[runs]'),
    ("runs", "another limit", "limit = 1000", "limit = 10"),
    ("runs", "another form", 'form = "ranked"\nlimit = 1000', 'form = "strings"'),
    ("pool", "another depth", "depth = 20", "depth = 30"),
    ("scores", "another measure, or official one", 'official = "nDCG@10"', 'official = "AP (readable)"'),
    ("scores", "relevant from another gain", "relevant_from = 1\n", "relevant_from = 2\n"),
    ("scores", "relevant from a gain that each campaign sets", "relevant_from = 1\n", "relevant_from_setting = true\n"),
    ("guidelines", "another file", "[pool]", '[guidelines]\nfile = "g.md"\n[pool]'),
    ("exports", "another name of a file", "[pool]", f"{EXPORT}[pool]"),
]
OF_STAGE: list[Change] = [
    ("stages", "a new stage", "\n[scores]", f"{MORE}\n[scores]"),
    ("stages", "a stage taken out", "", MORE),
    ("key", "another key", 'key = "passages"', 'key = "pages"'),
    ("label", "other words", STAGE, f'{STAGE}label = "Judge"\n'),
    ("help", "other words", STAGE, f'{STAGE}help = "Judge"\n'),
    ("item", "another item", STAGE, f'{STAGE}item = "passage"\n'),
    ("people", "more or fewer", "people = 2", "people = 3"),
    ("settle", "settled otherwise", STAGE, f'{STAGE}settle = "none"\n'),
    ("by_hand", "handed out by hand", STAGE, f"{STAGE}by_hand = true\n"),
    ("repeats", "more or fewer", STAGE, f"{STAGE}repeats = {{ share = 0.1 }}\n"),
    ("control", "other known items, or said to be known", STAGE, f"{STAGE}control = {{ {KNOWN}, tell = 'after' }}\n"),
    ("hand_out", "another order, or at most so many items", STAGE, f"{STAGE}hand_out = {{ order = 'pool' }}\n"),
    ("hand_out", "after other days", STAGE, f"{STAGE}hand_out = {{ days = 3 }}\n"),
    ("agreement", "another measure or floor", STAGE, f"{STAGE}agreement = {{ floor = 0.5 }}\n"),
]
OF_QUESTION: list[Change] = [
    ("questions", "a new question", "\n[scores]", f"{CHOICES}\n[scores]"),
    ("questions", "a question taken out", "", CHOICES),
    ("questions", "in another order", "", ""),
    ("key", "another key", "", CHOICES.replace('"why"', '"wherefore"')),
    ("ask", "other words", "Is it misleading?", "Does it mislead?"),
    ("help", "other words", QUESTION, f'{QUESTION}help = "Think."\n'),
    ("answer", "answered otherwise", "", ""),
    ("level", "another level", 'level = "ordinal"', 'level = "nominal"'),
    ("ends", "other names", '"unreadable"', '"illegible"'),
    ("note_ask", "other words", QUESTION, f'{QUESTION}note_ask = "Why?"\n'),
    ("evidence_ask", "other words", QUESTION, f'{QUESTION}evidence_ask = "Select it"\n'),
    ("evidence_labels", "a new label", QUESTION, f'{QUESTION}evidence_labels = ["false"]\n'),
    ("unsure", "a new answer for who can't tell", QUESTION, f'{QUESTION}unsure = {{ press = "x" }}\n'),
    ("asked_if", "other conditions", "ends = [", 'asked_if = { misleading = "no" }\nends = ['),
    ("required", "needed or not", QUESTION, f"{QUESTION}required = false\n"),
    ("qrels", "other files of qrels", QUESTION, f'{QUESTION}qrels = ["a.qrels"]\n'),
    ("order", "grades in another order each time", QUESTION, f'{QUESTION}order = "random"\n'),
]
GONE: list[Change] = [  # what stands in the second text is taken out
    ("evidence_labels", "a label taken out", QUESTION, f'{QUESTION}evidence_labels = ["false"]\n'),
    ("unsure", "taken out", QUESTION, f'{QUESTION}unsure = {{ press = "x" }}\n'),
]
OF_SEVERAL: list[Change] = [
    ("least", "more or fewer", 'answer = "several"', 'answer = "several"\nleast = 1'),
    ("most", "more or fewer", 'answer = "several"', 'answer = "several"\nmost = 2'),
    ("grades", "an option taken out", '"1-3"', '"1-2"'),
    ("grades", "a new option", '"1-3"', '"1-4"'),
]
OF_SCALES: list[Change] = [
    ("scales", "a further scale", SCALES, f'{SCALES}, ["a", "b", "c"]'),
    ("scales", "a scale taken out, or other names", SCALES, '["a", "c"]'),
    ("highest", "another scale to begin with", f"{SCALES}]\nhighest = 1", f'{SCALES}, ["a", "b", "c"]]\nhighest = 2'),
]
OF_GRADE: list[Change] = [
    ("grades", "a new grade above the others", "grades = [\n", f"grades = [\n{ABOVE}"),
    ("grades", "a new grade below others", SOMEWHAT, SOMEWHAT + BELOW),
    ("grades", "a grade taken out", SOMEWHAT, ""),
    ("grades", "a scale with other ends", '"1-5"', '"1-7"'),
    ("value", "another value", "value = 1,", "value = 5,"),
    ("value", "values moved by a mapping", SOMEWHAT, "MAPPED"),
    ("name", "another name, without a key", 'name = "somewhat"', 'name = "a little"'),
    ("key", "another name, with the key", 'name = "somewhat"', 'name = "a little", key = "somewhat"'),
    ("press", "another key of the keyboard", 'press = "s"', 'press = "w"'),
    ("help", "other words", 'name = "somewhat"', 'name = "somewhat", help = "In part."'),
    ("gain", "another gain", "gain = 1 }", "gain = 0.5 }"),
    ("note", "asked, or not any more", 'note = "offered"', 'note = "required"'),
    ("evidence", "asked, or not any more", 'note = "offered"', 'evidence = "required"'),
    ("colour", "another colour", 'name = "somewhat"', 'name = "somewhat", colour = "red"'),
]  # fmt: skip
SWAPPED = DESIGN.replace(SECOND, "").replace("\n[[stages.questions]]", SECOND + "\n[[stages.questions]]", 1)
TEXT = CHOICES.replace('answer = "several"\ngrades = "1-3"', 'answer = "text"')
LATER = {
    "design", "base", "stages", "changes", "work", "after", "needs", "without_runs", "source", "control", "practice",
    "help_file", "verdicts", "reasons", "words",
}  # fmt: skip
"""Members that no campaign has by themselves: what comes later, what names a file that is written out, or the form."""


def texts(group: str, change: Change) -> tuple[str, str]:
    """Both versions of a change."""
    member, told, before, now = change
    end = "\n[scores]"
    if told == "in another order":
        return DESIGN, SWAPPED
    if told == "answered otherwise":
        return DESIGN.replace(end, CHOICES + end), DESIGN.replace(end, TEXT + end)
    if member == "key" and group == "question":
        return DESIGN.replace(end, CHOICES + end), DESIGN.replace(end, now + end)
    if told in ("a stage taken out", "a question taken out"):
        return DESIGN.replace(end, now + end), DESIGN
    if group == "scales":
        asked = f'\n[[stages.questions]]\nkey = "s"\nask = "S?"\nscales = [{SCALES}]\nhighest = 1\n'
        return DESIGN.replace(end, asked + end), DESIGN.replace(end, asked.replace(before, now) + end)
    if group == "several":
        return DESIGN.replace(end, CHOICES + end), DESIGN.replace(end, CHOICES.replace(before, now) + end)
    if now == "MAPPED":
        return DESIGN, DESIGN.replace(SOMEWHAT, "") + MAPPED
    found = DESIGN.replace(before, now, 1)
    if told == "another form":
        found = found.replace("\n[pool]\ndepth = 20\n", "").replace(STAGE, f'{STAGE}item = "string"\n')
        found = found[: found.index("[scores]")] + '[scores]\nmeasures = ["mean"]\n'
    return (found, DESIGN) if group == "gone" else (DESIGN, found)


def verdict(change: DesignChange) -> str:
    """What is said of a change once something is judged."""
    stands_on = change.stands_on
    if stands_on is None:
        return "free"
    if stands_on.runs:
        what = "runs are in"
    elif stands_on.value is not None:
        what = "it is judged so"
    elif stands_on.question:
        what = "the question is answered"
    else:
        what = "something is judged or handed out in the stage" if stands_on.stage else "anything is judged"
    return f"refused where {what}" + ("; or by a mapping" if change.mapping else "")


def _strength(told: str) -> int:
    """The place of a verdict among all, the widest first."""
    words = ("anything", "something", "runs", "question", "judged so", "")
    return next(place for place, word in enumerate(words) if word in told)


GROUPS = {
    "design": ("the design", OF_DESIGN),
    "stage": ("a stage", OF_STAGE),
    "question": ("a question", OF_QUESTION),
    "gone": ("a question", GONE),
    "several": ('a question with `answer = "several"`', OF_SEVERAL),
    "scales": ("a question with `scales`", OF_SCALES),
    "grade": ("a grade", OF_GRADE),
}


def table() -> str:
    """The table as the docs have it."""
    lines = ["| of | member | what changes | once people judge |", "|---|---|---|---|"]
    for group, (what, changes) in GROUPS.items():
        for change in changes:
            found = changes_between(*texts(group, change)).changes
            verdicts = sorted({verdict(each) for each in found}, key=_strength)
            assert verdicts or change[1] == "in another order", change
            lines.append(f"| {what} | `{change[0]}` | {change[1]} | {verdicts[0] if verdicts else 'free'} |")
    return "\n".join(lines)


def test_the_docs_have_the_table_of_what_may_change() -> None:
    made = table()
    assert made in DOCS.read_text(), f"put this into docs/designs.md, under “A new version”:\n{made}"


@pytest.mark.parametrize("model", [Design, GradeStage, Question, Grade], ids=lambda model: model.__name__)
def test_the_table_has_every_member(model: type) -> None:
    members = {change[0] for _, changes in GROUPS.values() for change in changes}
    assert set(model.model_fields) - members - LATER == set()  # type: ignore[attr-defined]
