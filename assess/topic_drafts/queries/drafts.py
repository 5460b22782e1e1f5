"""What drafts say, how far they are, and what was found for them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from assess.campaigns.models import Campaign
from assess.campaigns.tracks import track_of
from assess.kinds.base import work_kind
from assess.ledger.newest import newest_rows
from assess.protocol import DraftContent, Drafting, DraftPart
from assess.topic_drafts.models import DraftFind, DraftStep, TopicDraft

Action, Kind = DraftStep.Action, DraftFind.Kind


OPEN, DROPPED = "draft", "dropped"


STATES = {Action.SEND: "sent", Action.BACK: "back", Action.ACCEPT: "accepted", Action.DROP: DROPPED}


WRITABLE = (OPEN, "back")


LABELS = {OPEN: "draft", "sent": "sent", "back": "sent back", "accepted": "accepted", DROPPED: "dropped"}


@dataclass(frozen=True, kw_only=True, slots=True)
class ShownDraft:
    """A draft as it stands. ``version`` counts its steps; ``word`` is the organiser's, of when it was sent back;
    ``estimate`` the sentence that says how many relevant documents there were when it was sent.
    """

    draft: TopicDraft
    content: DraftContent
    state: str = OPEN
    version: int = 0
    word: str = ""
    estimate: str = ""
    finds: tuple[DraftFind, ...] = field(default=())

    @property
    def is_writable(self) -> bool:
        """Whether its author may change it now."""
        return self.state in WRITABLE

    @property
    def label(self) -> str:
        """Its state in words."""
        return LABELS[self.state]

    @property
    def judged(self) -> dict[str, bool]:
        """The documents judged so far: docno -> whether it is relevant."""
        return {find.docno: bool(find.grade) for find in self.finds if find.kind == Kind.DOCUMENT}

    @property
    def texts(self) -> tuple[str, ...]:
        """The text and those of its questions, as far as written."""
        return tuple(text for text in (self.content.text, *(part.text for part in self.content.parts)) if text)

    def of_kind(self, kind: str) -> list[DraftFind]:
        """What was found of one kind, in the order in which it was first entered."""
        return [find for find in self.finds if find.kind == kind]

    @property
    def answers(self) -> list[DraftFind]:
        """The answers found."""
        return self.of_kind(Kind.ANSWER)

    @property
    def nuggets(self) -> list[DraftFind]:
        """The nuggets found."""
        return self.of_kind(Kind.NUGGET)


def find_kinds(campaign: Campaign, task: str) -> tuple[str, ...]:
    """What an author may find for a question of this task: answers where answers are grouped, nuggets where listed."""
    found = track_of(campaign).task(task)
    taken_up = {work_kind(stage.work).finds for stage in found.stages} if found is not None else set()
    return tuple(kind.value for kind in (Kind.ANSWER, Kind.NUGGET) if kind.value in taken_up)


def count_sent(campaign: Campaign) -> int:
    """How many drafts were sent to the organiser and wait for a decision. One query."""
    steps = newest_rows(DraftStep.objects.filter(draft__campaign=campaign), "draft_id", whole_groups=True)
    return steps.filter(action=Action.SEND).count()


def questions_of(content: DraftContent, drafting: Drafting) -> tuple[DraftPart, ...]:
    """The questions of a draft: its parts, or, where it has none, itself as number 0."""
    if drafting.parts is not None:
        return content.parts
    return (DraftPart(key=0, task=content.task or drafting.tasks[0], text=content.text),)


def read_content(values: object) -> DraftContent:
    """The content that a step keeps as JSON."""
    if not isinstance(values, dict):
        return DraftContent()
    parts = tuple(DraftPart(**part) for part in values.get("parts", ()))
    return DraftContent(**{**values, "parts": parts})


def show_drafts(drafts: Iterable[TopicDraft]) -> list[ShownDraft]:
    """The drafts as they stand, in the order given. Two queries, however many."""
    rows = list(drafts)
    ids = [draft.pk for draft in rows]
    steps: dict[int, list[DraftStep]] = {}
    for step in DraftStep.objects.filter(draft__in=ids).order_by("id"):
        steps.setdefault(step.draft_id, []).append(step)
    finds: dict[int, list[DraftFind]] = {}
    current = newest_rows(DraftFind.objects.filter(draft__in=ids), "draft_id", "number").filter(is_withdrawn=False)
    for find in current.order_by("number"):
        finds.setdefault(find.draft_id, []).append(find)
    return [_shown(draft, steps.get(draft.pk, ()), finds.get(draft.pk, ())) for draft in rows]


def show_draft(draft: TopicDraft) -> ShownDraft:
    """One draft as it stands."""
    return show_drafts([draft])[0]


def _shown(draft: TopicDraft, steps: Sequence[DraftStep], finds: Sequence[DraftFind]) -> ShownDraft:
    moves = [step for step in steps if step.action != Action.WRITE]
    words = {action: [step.word for step in moves if step.action == action] for action in (Action.BACK, Action.SEND)}
    return ShownDraft(
        draft=draft,
        content=read_content(steps[-1].content if steps else None),
        state=STATES[Action(moves[-1].action)] if moves else OPEN,
        version=len(steps),
        word=words[Action.BACK][-1] if words[Action.BACK] else "",
        estimate=words[Action.SEND][-1] if words[Action.SEND] else "",
        finds=tuple(finds),
    )
