"""What assessors said: figures picked, claims grounded in quotes, descriptions and snippets rated."""

from __future__ import annotations

from collections.abc import Iterator

from bench.context25_demo.claims import EVIDENCE, KERB, LAKE, QUIZ, WARM
from bench.context25_demo.papers import BREAD, KITES, PIGEONS, QUIZZES
from bench.context25_demo.runs import GROUNDING_RUNS
from scoring.figure_grammar import normalise_label
from scoring.release.recorded_acts import Judged, ListFrozen, NuggetWritten, RecordedAct, Source
from tracks.context25.files import grounding_number, text_key

ONE, TWO = "assessor-1", "assessor-2"
SECOND = "second"

PICKS = (
    (ONE, "", LAKE, ("FIG 1B", "FIG 1")),
    (ONE, "", WARM, ("FIG 1A", "FIG 1B")),
    (ONE, "", KERB, ("TAB 2", "FIG S3")),  # the last is no label of the paper: seen on a page, and typed
    (TWO, "", QUIZ, ("FIG 1",)),
    (TWO, SECOND, LAKE, ("FIG 1B",)),
    (TWO, SECOND, KERB, ("TAB 2",)),
)
"""Who, role, claim, labels in order."""

LISTS = (
    (
        TWO,
        LAKE,
        KITES,
        (
            ("what", "temperature of the air at 30 metres, every ten minutes", "The kites were held at 30 metres"),
            ("how", "permutation test of 10,000 shuffles", "a permutation test of 10,000 shuffles"),
            ("who", "24 days in July, lake and shore", "24 days in July"),
        ),
    ),
    (
        TWO,
        QUIZ,
        QUIZZES,
        (
            ("what", "score in a test of 30 questions after a month", "the same test of 30 questions without notice"),
            ("who", "two classes, 27 and 29 pupils", "27 and 29 pupils aged thirteen"),
        ),
    ),
)
"""Who, claim, paper, (group, description, quote)."""

RATED = ((ONE, "", (LAKE, WARM, KERB)), (TWO, SECOND, (LAKE, WARM)))
"""Who, role, claims whose descriptions and snippets they rated."""

PAPERS = {LAKE: KITES, WARM: BREAD, KERB: PIGEONS, QUIZ: QUIZZES}


def acts() -> Iterator[RecordedAct]:
    """Yield all that the assessors said: figures picked, lists written and frozen, ratings."""
    for by, role, claim, labels in PICKS:
        known = [label for each in EVIDENCE if each.id == claim for label in each.candidates or ()]
        spelling = {normalise_label(label): label for label in known}
        for place, label in enumerate(labels, start=1):
            yield Judged(
                by=by, role=role, topic=claim, docno="", answer=spelling.get(label, label), key=label,
                criterion="support", value=place,
            )  # fmt: skip
    for by, claim, paper, descriptions in LISTS:
        number = grounding_number(claim)
        for place, (group, text, quote) in enumerate(descriptions, start=1):
            yield NuggetWritten(
                by=by, topic=number, number=place, importance="okay", text=text, group=group,
                sources=(Source(docno=paper, quote=quote),),
            )  # fmt: skip
        yield ListFrozen(by=by, topic=number)
    for by, role, claims in RATED:
        for claim in claims:
            yield from _ratings(by, role, claim)


def _ratings(by: str, role: str, claim: str) -> Iterator[Judged]:
    """Yield an assessor's ratings of what the runs of first priority gave for a claim; the second is stricter."""
    answers = [answer for tag in ("Dahlia", "Ember") for answer in GROUNDING_RUNS[tag] if answer["id"] == claim]
    number, stricter = grounding_number(claim), int(role == SECOND)
    for name, criteria in (
        ("labels", ("description-correct", "description-specific")),
        ("context", ("snippet-relevant",)),
    ):
        for text in dict.fromkeys(text for answer in answers for text in answer[name]):
            for criterion in criteria:
                words = len(text.split())
                value = min(2, words // (6 if criterion == "description-specific" else 4))
                yield Judged(
                    by=by, role=role, topic=number, docno=PAPERS[claim], answer=text, key=text_key(text),
                    criterion=criterion, value=max(0, value - stricter * (words % 2)),
                )  # fmt: skip
