"""Replaying judgments of items."""

from __future__ import annotations

from assess.base.errors import Refused
from assess.kinds.grade.record import JudgmentInput
from assess.kinds.grade.record_many import record_judgments
from assess.ledger.models import How
from assess.replay.session import Desk, Line
from scoring.deeds import Judged


def replay_grades(desk: Desk, lines: list[Line]) -> None:
    """Record the judgments, all at once."""
    given: list[tuple[Line, JudgmentInput]] = []
    for line in lines:
        if isinstance(line.deed, Judged):
            try:
                given.append((line, _judgment(desk, line.deed)))
            except Refused as refused:
                desk.session.refuse(line, refused)
    judgments = [judgment for _, judgment in given]
    try:
        results = record_judgments(actor=desk.user, assignment=desk.assignment, judgments=judgments)
    except Refused as refused:
        desk.session.refuse(lines[0], refused)
        return
    for (line, _), result in zip(given, results, strict=True):
        if result is not None:
            desk.session.refuse(line, result)


def _judgment(desk: Desk, deed: Judged) -> JudgmentInput:
    known = desk.session.anchors
    evidence = [
        {
            **known.get((deed.docno, snippet.quote, snippet.start), {}),
            "quote": snippet.quote,
            "start": snippet.start,
            "value": snippet.value,
        }
        for snippet in deed.evidence
    ]
    return JudgmentInput(
        item=desk.item(deed),
        criterion=deed.criterion,
        value=deed.value,
        note=deed.note,
        evidence=evidence or None,
        client_key=desk.session.key(deed),
        how=How.IMPORT,
        draft=deed.draft,
    )
