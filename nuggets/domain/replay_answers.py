"""Replaying judgments of items and the grouping of answers."""

from __future__ import annotations

from dataclasses import dataclass, field

from assess.domain.errors import Invalid, Refused
from assess.domain.judging.bulk import record_judgments
from assess.domain.judging.judgments import JudgmentInput
from assess.domain.judging.picks import record_picks
from assess.models import How
from nuggets.domain.classes import assign_to_class, checked_label, create_class
from nuggets.domain.found_answers import add_found_answer
from nuggets.domain.replay_session import Desk, Line
from nuggets.domain.writing import clean_line
from nuggets.models import AnswerClass, ClassAssignment
from nuggets.queries.classes import classes_before, current_members
from scoring.folding import answer_key
from scoring.formats.judgments_jsonl import AnswerFound, Classed, Judged, NonePicked


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


def replay_picks(desk: Desk, lines: list[Line]) -> None:
    """Record the picks with their places, or that none of them fits."""
    picks = [line for line in lines if isinstance(line.deed, Judged)]
    if picks:
        replay_grades(desk, picks)
    for line in lines:
        if isinstance(line.deed, NonePicked):
            desk.session.attempt(line, _pick_none, desk, line.deed, bool(picks))


def _pick_none(desk: Desk, deed: NonePicked, has_picks: bool) -> None:
    if has_picks:
        raise Invalid("The file has picks of this person, and that none fits. Leave out one or the other.")
    key = desk.session.key(deed)
    record_picks(actor=desk.user, assignment=desk.assignment, items=[], client_key=key, none=True, how=How.IMPORT)


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


def replay_classes(desk: Desk, lines: list[Line]) -> None:
    """Make one class for each label with all its members at once, then add the answers that were found."""
    classes = _Classes(desk, classes_before(desk.assignment))
    groups: dict[str, list[Line]] = {}
    for line in lines:
        if isinstance(line.deed, Classed):
            groups.setdefault(line.deed.label, []).append(line)
    for label, members in groups.items():
        desk.session.attempt(members[0], classes.group, label, [line.deed for line in members])
    for line in lines:
        if isinstance(line.deed, AnswerFound):
            desk.session.attempt(line, classes.find, line.deed)


@dataclass(frozen=True, slots=True)
class _Classes:
    """The classes made so far, by label; those of who had the work before it was handed over among them."""

    desk: Desk
    made: dict[str, AnswerClass | None] = field(default_factory=dict)

    def group(self, label: str, members: list[Classed]) -> None:
        """A class with these members, under the number that they say it had."""
        label = checked_label(label)
        made = self.made.get(label)
        if made is not None:
            assign_to_class(
                actor=self.desk.user,
                assignment=self.desk.assignment,
                items=[self.desk.item(deed) for deed in members],
                answer_class=made,
                client_key=self.desk.session.key(*members),
                how=How.IMPORT,
            )
            return
        edit = create_class(
            actor=self.desk.user,
            assignment=self.desk.assignment,
            items=[self.desk.item(deed) for deed in members],
            label=label,
            number=members[0].number or None,
            client_key=self.desk.session.key(*members),
            how=How.IMPORT,
        )
        self.made[label] = edit.answer_class

    def find(self, deed: AnswerFound) -> None:
        """An answer that the assessor found, in its class. Where a run returned it too, it may be there already."""
        label = checked_label(deed.label)
        if self._has(label, deed):
            return
        edit = add_found_answer(
            actor=self.desk.user,
            assignment=self.desk.assignment,
            text=deed.answer,
            docno=deed.docno,
            answer_class=self.made.get(label),
            label=label,
            number=deed.number or None,
            client_key=self.desk.session.key(deed),
            how=How.IMPORT,
        )
        self.made[label] = edit.answer_class

    def _has(self, label: str, deed: AnswerFound) -> bool:
        made, key = self.made.get(label), answer_key(clean_line(deed.answer), deed.docno)
        if made is None:
            return False
        rows = ClassAssignment.objects.filter(assignment=self.desk.assignment, item__key=key, is_found=False)
        return current_members(rows).filter(answer_class=made).exists()
