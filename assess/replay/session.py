"""What every step of a replay shares: the campaign, who is who, keys made from content, problems by line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from uuid import NAMESPACE_URL, UUID, uuid5

from django.contrib.auth.models import User
from django.db import transaction

from assess.assignments.models import Assignment
from assess.base.errors import Invalid, Refused
from assess.campaigns.models import Campaign
from assess.campaigns.queries import track_of
from assess.documents.domain.items import DOCNO_LIMIT, KEY_LIMIT, documents_of
from assess.items.models import Item
from assess.kinds.base import work_kind
from assess.protocol import Stage, Task
from assess.runs.queries import accepted_runs
from assess.topics.models import Topic
from assess.topics.queries import judged_topics
from scoring.deeds import AnswerFound, Classed, Deed, Judged, Matched, Reviewed
from scoring.folding import answer_key
from scoring.own_items import run_of_key, shared_key
from scoring.records import Issue

ItemDeed = Judged | AnswerFound | Classed | Matched | Reviewed


@dataclass(frozen=True, slots=True)
class Line:
    """A deed with its place: the number of its line, or where in several files it stands."""

    number: int | str
    deed: Deed


@dataclass(slots=True)
class Session:
    """One replay. Problems are reported by line and the replay goes on, so that all are found at once.

    With ``documents_apart`` a nugget's source may be a document that is not stored here; its quote is kept unchecked.
    ``anchors`` says what stands around snippets in such documents, by docno, quote and start.
    ``given_back`` is work, by (topic id, stage, user id), that its assessor gave back after they said something.
    """

    actor: User
    campaign: Campaign
    people: Mapping[str, User]
    report: Callable[[Issue], None]
    documents_apart: bool = False
    anchors: Mapping[tuple[str, str, int], dict[str, str]] = field(default_factory=dict)
    given_back: Mapping[tuple[int, str, int], int] = field(default_factory=dict)
    items: dict[tuple[int, str], dict[str, Item]] = field(default_factory=dict)

    def refuse(self, line: Line, refused: Refused) -> None:
        """Report what the site refused of a line."""
        self.problem(line, refused.code, refused.message)

    def problem(self, line: Line, code: str, message: str) -> None:
        """Report what is wrong with a line."""
        self.report(Issue(where=line.number, code=code, message=message))

    def attempt(self, line: Line, action: Callable[..., object], *arguments: object) -> None:
        """Call ``action``; what it refuses is the line's problem."""
        try:
            action(*arguments)
        except Refused as refused:
            self.refuse(line, refused)

    def work_given_back(self, topic: Topic, stage: Stage, by: str) -> int | None:
        """The id of the work of this stage that somebody gave back or handed over, and does not have again, or None."""
        user = self.people.get(by)
        if user is None:
            return None
        given = self.given_back.get((topic.pk, stage.key, user.pk))
        if given is not None:
            return given
        own = topic.assignments.filter(stage=stage.key, assessor=user).order_by("pk")
        last = own.values_list("pk", "state", "handed_over").last()
        is_handed = last is not None and last[1] == Assignment.State.RETURNED and last[2] is not None
        return last[0] if last is not None and is_handed else None

    def key(self, *content: object) -> UUID:
        """The client key of what a line says: the same for the same campaign and content."""
        return uuid5(NAMESPACE_URL, "\n".join(["assay-replay", self.campaign.slug, *map(repr, content)]))


@dataclass(frozen=True, slots=True)
class Desk:
    """Where one person's lines of one stage of one question are replayed."""

    session: Session
    user: User
    assignment: Assignment
    stage: Stage

    def item(self, deed: ItemDeed) -> Item:
        """The question's item that a deed names, or `Refused`. One query a question.

        The empty response of a run that returned nothing and was judged all the same is added again.
        """
        key = key_of(deed)
        known = self.items()
        item = known.get(key)
        if item is None and self._is_of_nothing(deed):
            topic, kind = self.assignment.topic, self.stage.item_kind
            item = known[key] = Item.objects.create(topic=topic, kind=kind, key=key, given=True)
        if item is None and any(shared_key(each) == shared_key(key) for each in known):
            here = "once for all runs" if run_of_key(key) else "for each run by itself"
            raise Invalid(
                f"“{deed.answer[:80]}” is judged {here} in this campaign, and was not where this was said. Replay it "
                "into a campaign with the same setting judge_each."
            )
        if item is None:
            raise Invalid(f"No run returned “{deed.answer[:80]}” with {deed.docno[:80]} for this question.")
        return item

    def items(self) -> dict[str, Item]:
        """The question's items of the stage's kind by key; what is added to the site is to be added here, too."""
        place = (self.assignment.topic_id, self.stage.item_kind)
        known = self.session.items
        if place not in known:
            known.clear()
            items = Item.objects.filter(topic=place[0], kind=place[1], repeats=None).select_related("topic")
            known[place] = {item.key: item for item in items}
        return known[place]

    def _is_of_nothing(self, deed: ItemDeed) -> bool:
        """Whether a deed judges the response of an accepted run that returned nothing for the question."""
        tag = run_of_key(deed.key)
        if not tag or deed.answer or deed.docno or not isinstance(deed, Judged):
            return False
        runs = accepted_runs(self.session.campaign).filter(tag=tag)
        return runs.exclude(responses__topic=self.assignment.topic_id).exists()


def key_of(deed: ItemDeed) -> str:
    """The key of the item that a deed names: its own, else what follows from answer string and docno."""
    return deed.key or answer_key(deed.answer, deed.docno)


# The items that files of judgments speak of and that no run returned: they are added, and pooled.


def add_given_items(campaign: Campaign, lines: Iterable[Line]) -> int:
    """Add the items that these deeds name and that are not there yet, with their documents; how many were added.

    Deeds of unknown questions, or that no stage asks for, add nothing: replaying them says what is wrong.
    """
    topics = {topic.number: topic for topic in judged_topics(campaign)}
    track = track_of(campaign)
    wanted: dict[tuple[int, str, str], ItemDeed] = {}
    for line in lines:
        if isinstance(line.deed, ItemDeed) and line.deed.topic in topics:
            topic = topics[line.deed.topic]
            task = track.task(topic.task)
            kind = _kind(task, line.deed) if task is not None else ""
            key = key_of(line.deed)
            if kind and len(key) <= KEY_LIMIT and len(line.deed.docno) <= DOCNO_LIMIT:
                wanted.setdefault((topic.pk, kind, key), line.deed)
    with transaction.atomic():
        return _add(campaign, topics, wanted)


def _add(campaign: Campaign, topics: dict[str, Topic], wanted: dict[tuple[int, str, str], ItemDeed]) -> int:
    named = {topic for topic, _, _ in wanted}
    ids = [topic.pk for topic in topics.values() if topic.pk in named]
    known = set(Item.objects.filter(topic__in=ids).order_by().values_list("topic_id", "kind", "key"))
    missing = {place: deed for place, deed in wanted.items() if place not in known}
    documents = documents_of(campaign, (deed.docno for deed in missing.values()))
    rows = [
        Item(
            topic_id=topic,
            kind=kind,
            key=key,
            text=deed.answer,
            docno=deed.docno,
            document_id=documents.get(deed.docno),
            given=True,
        )
        for (topic, kind, key), deed in missing.items()
    ]
    return len(Item.objects.bulk_create(rows, batch_size=1000, ignore_conflicts=True))


def _kind(task: Task, deed: ItemDeed) -> str:
    """The kind of item that a deed is about: that of the first stage in which it is done; "" where there is none."""
    for stage in task.stages:
        if work_kind(stage.work).accepts(stage, deed):
            return stage.item_kind
    return ""
