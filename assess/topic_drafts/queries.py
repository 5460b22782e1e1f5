"""Reads about drafts: their content, their state and their finds, and similar topics."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from django.utils.translation import gettext, gettext_noop

from assess.campaigns.models import Activity, Campaign
from assess.campaigns.queries import track_of
from assess.documents.queries.search import PAGE_LIMIT, search_documents
from assess.kinds.base import work_kind
from assess.kinds.trace import Quote, TracedAct, TracedOpinion, acts_in_order
from assess.ledger.newest import newest_rows
from assess.protocol import DraftContent, Drafting, DraftPart
from assess.topic_drafts.models import DraftFind, DraftStep, TopicDraft
from assess.topic_drafts.relevant_estimate import Estimate, estimate_from
from assess.topics.models import Topic

Action, Kind = DraftStep.Action, DraftFind.Kind


OPEN, DROPPED = "draft", "dropped"


STATES = {Action.SEND: "sent", Action.BACK: "back", Action.ACCEPT: "accepted", Action.DROP: DROPPED}


WRITABLE = (OPEN, "back")


LABELS = {
    OPEN: gettext_noop("draft"),
    "sent": gettext_noop("sent"),
    "back": gettext_noop("sent back"),
    "accepted": gettext_noop("accepted"),
    DROPPED: gettext_noop("dropped"),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class ShownDraft:
    """A draft in its current state. ``version`` counts its steps.

    ``word`` is the organiser's remark from the last time it was sent back. ``estimate`` is the sentence on relevant
    documents from the last time it was sent.
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
        """Whether the draft's author may change it now."""
        return self.state in WRITABLE

    @property
    def is_author_gone(self) -> bool:
        """Whether the author's account is closed, so that nobody can change the draft."""
        return not self.draft.author.is_active

    @property
    def awaits_decision(self) -> bool:
        """Whether the organiser decides on it now: it was sent, or went back to an author who is gone."""
        return self.state == "sent" or (self.state == "back" and self.is_author_gone)

    @property
    def label(self) -> str:
        """The state in words, in the reader's language."""
        return gettext(LABELS[self.state])

    @property
    def judged(self) -> dict[str, bool]:
        """Whether each document judged so far is relevant, by docno."""
        return {find.docno: bool(find.grade) for find in self.finds if find.kind == Kind.DOCUMENT}

    @property
    def texts(self) -> tuple[str, ...]:
        """The text of the draft and those of its questions, as far as written."""
        return tuple(text for text in (self.content.text, *(part.text for part in self.content.parts)) if text)

    def of_kind(self, kind: str) -> list[DraftFind]:
        """Return the finds of one kind, in the order in which they were first entered."""
        return [find for find in self.finds if find.kind == kind]

    @property
    def answers(self) -> list[DraftFind]:
        """The answers that were found."""
        return self.of_kind(Kind.ANSWER)

    @property
    def nuggets(self) -> list[DraftFind]:
        """The nuggets that were found."""
        return self.of_kind(Kind.NUGGET)


def find_kinds(campaign: Campaign, task: str) -> tuple[str, ...]:
    """Return the kinds of finds for a question of this task: answers if answers are grouped, nuggets if nuggets are
    listed.
    """
    found = track_of(campaign).task(task)
    taken_up = {work_kind(stage.work.key).finds for stage in found.stages} if found is not None else set()
    return tuple(kind.value for kind in (Kind.ANSWER, Kind.NUGGET) if kind.value in taken_up)


def count_sent(campaign: Campaign) -> int:
    """Return the number of drafts that wait for the organiser's decision. One query."""
    steps = newest_rows(DraftStep.objects.filter(draft__campaign=campaign), "draft_id", whole_groups=True)
    return steps.filter(action=Action.SEND).count()


def draft_parts(content: DraftContent, drafting: Drafting) -> tuple[DraftPart, ...]:
    """Return the questions of a draft: its parts or, if the track has none, the draft itself as number 0."""
    if drafting.parts is not None:
        return content.parts
    return (DraftPart(key=0, task=content.task or drafting.tasks[0], text=content.text),)


def read_content(values: object) -> DraftContent:
    """Return the content that a step stores as JSON."""
    if not isinstance(values, dict):
        return DraftContent()
    parts = tuple(DraftPart(**part) for part in values.get("parts", ()))
    return DraftContent(**{**values, "parts": parts})


def show_drafts(drafts: Iterable[TopicDraft]) -> list[ShownDraft]:
    """Return the drafts in their current state, in the order given. Two queries for any number of drafts."""
    rows = list(drafts)
    ids = [draft.pk for draft in rows]
    steps: dict[int, list[DraftStep]] = {}
    for step in DraftStep.objects.filter(draft__in=ids).order_by("id"):
        steps.setdefault(step.draft_id, []).append(step)
    finds: dict[int, list[DraftFind]] = {}
    current = newest_rows(DraftFind.objects.filter(draft__in=ids), "draft_id", "number").filter(is_withdrawn=False)
    for find in current.order_by("number"):
        finds.setdefault(find.draft_id, []).append(find)
    return [_shown_draft(draft, steps.get(draft.pk, ()), finds.get(draft.pk, ())) for draft in rows]


def show_draft(draft: TopicDraft) -> ShownDraft:
    """Return one draft in its current state."""
    return show_drafts([draft])[0]


def _shown_draft(draft: TopicDraft, steps: Sequence[DraftStep], finds: Sequence[DraftFind]) -> ShownDraft:
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


# Topics that a draft is much like, so that nobody makes the same one twice.

NEAR, SHOWN = 0.5, 5
_WORD = re.compile(r"[^\W_]+")
_COMMON_WORDS = (
    "a about all an and any are as at be been by can did do does for from had has have he her his how i in is it its "
    "of on or she so than that the their them they this to was were what when where which who whom whose why will "
    "with would you your"
)
_COMMON = frozenset(_COMMON_WORDS.split())


@dataclass(frozen=True, kw_only=True, slots=True)
class SimilarText:
    """A text similar to a draft: of a topic, or of another draft. ``likeness`` is from 0 to 1."""

    kind: str
    number: str
    text: str
    likeness: float

    @property
    def percent(self) -> int:
        """The likeness in percent."""
        return round(self.likeness * 100)


@lru_cache(maxsize=10_000)
def words_of(text: str) -> frozenset[str]:
    """Return the words by which texts are compared: case-folded, without the most common words, and without a plural s.
    The page of all drafts asks for the same texts many times, so they are cached.

    >>> sorted(words_of("Which colours do the people like?"))
    ['colour', 'like', 'people']
    """
    words = (word.casefold() for word in _WORD.findall(text))
    return frozenset(
        word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
        for word in words
        if word not in _COMMON
    )


def likeness(one: str, other: str) -> float:
    """Return Dice's coefficient for the words of two texts: twice the shared words, divided by the sum of both numbers
    of words.

    >>> likeness("Which colours do people like?", "What colour do people like?")
    1.0
    >>> likeness("kites", "bicycles"), likeness("", "")
    (0.0, 0.0)
    """
    left, right = words_of(one), words_of(other)
    return 2 * len(left & right) / (len(left) + len(right)) if left or right else 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class TopicText:
    """A topic with which drafts are compared."""

    topic: int
    parent: int | None
    number: str
    text: str


def topic_texts(campaign: Campaign) -> list[TopicText]:
    """Return all topics of the campaign for comparison. One query."""
    rows = campaign.topics.order_by("id").values_list("pk", "parent_id", "number", "text")
    return [TopicText(topic=pk, parent=parent, number=number, text=text) for pk, parent, number, text in rows]


def similar_texts(
    draft: ShownDraft, topics: Iterable[TopicText], others: Iterable[ShownDraft] = ()
) -> list[SimilarText]:
    """Return the topics and other drafts that are at least half alike to the draft: at most five, the most similar
    first.

    The topic that the draft became is left out, and so are drafts that became topics. No query.
    """
    own = draft.draft.topic_id
    found = [
        SimilarText(kind="topic", number=each.number, text=each.text, likeness=value)
        for each in topics
        if (own is None or own not in (each.topic, each.parent)) and (value := _nearest(draft.texts, each.text)) >= NEAR
    ]
    for other in others:
        if other.draft.pk == draft.draft.pk or other.draft.topic_id is not None:
            continue
        for text in other.texts:
            if (value := _nearest(draft.texts, text)) >= NEAR:
                found.append(SimilarText(kind="draft", number=str(other.draft.number), text=text, likeness=value))
    return sorted(found, key=lambda near: (-near.likeness, near.kind, near.number))[:SHOWN]


def _nearest(texts: Iterable[str], other: str) -> float:
    return max((likeness(text, other) for text in texts), default=0.0)


# How many relevant documents there are for a draft's topic, by the search that its author judged.


def estimate_of(campaign: Campaign, query: str, judged: Mapping[str, bool]) -> Estimate | None:
    """Return the estimate from the first documents of a search, down to the first one not judged; None without a
    search.

    At most the first hundred documents are considered. Two queries.
    """
    if not query:
        return None
    page = search_documents(campaign, query, limit=PAGE_LIMIT)
    ranked: list[tuple[str, bool]] = []
    for hit in page.hits:
        if hit.docno not in judged:
            break
        ranked.append((hit.docno, judged[hit.docno]))
    return estimate_from(query=query, ranked=ranked, found=page.total)


# What the finds of a topic's author became in its judging, as the activity records it.


@dataclass(frozen=True, slots=True)
class Carried:
    """A find of a draft that was carried into judging: the activity that did so, and the class or nugget (number) it
    became.
    """

    find: DraftFind
    activity: Activity
    place: int


def carried_finds(topic: Topic, kind: str, *, as_of: int | None = None) -> Iterator[Carried]:
    """Yield the finds of one kind that were carried into the judging of a topic, up to a ledger point if one is given,
    in order.

    One query, and one more for each assignment into which finds were carried.
    """
    told = Activity.objects.filter(campaign=topic.campaign_id, action="draft.carry", data__topic=topic.number)
    told = told.filter(data__has_keys=["draft", "finds"])
    if as_of is not None:
        told = told.filter(id__lte=as_of)
    for activity in told.order_by("id"):
        places = {int(number): place for number, place in activity.data["finds"].items()}
        finds = DraftFind.objects.filter(
            draft__campaign=topic.campaign_id, draft__number=activity.data["draft"], number__in=places, kind=kind
        )
        newest = {find.number: find for find in finds.select_related("actor").order_by("id")}
        for number in sorted(newest):
            yield Carried(newest[number], activity, places[number])


def trace_of_find(each: Carried, place: str) -> TracedOpinion:
    """Return how a find is traced under a score: who found it, and what it became in judging (``place``)."""
    find = each.find
    how = gettext("draft %(data)s") % {"data": each.activity.data["draft"]}
    quotes = (Quote(quote=find.quote or find.text, docno=find.docno),)
    return TracedOpinion(
        question=gettext("Found while the topic was made"),
        role=gettext("author of the topic"),
        assessor=find.actor.username,
        acts=acts_in_order(
            [
                TracedAct(number=find.pk, value=find.text, at=find.created_at, how=how),
                TracedAct(
                    number=each.activity.pk,
                    value=gettext("%(text)s: taken into the judging as %(place)s")
                    % {"text": find.text, "place": place},
                    at=each.activity.created_at,
                    how=how,
                    quotes=quotes,
                ),
            ]
        ),
    )
