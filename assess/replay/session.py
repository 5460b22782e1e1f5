"""What every step of a replay shares: the campaign, the people, keys made from content, and problems by line."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from hashlib import sha1
from typing import Any, Protocol, TypeVar
from uuid import NAMESPACE_URL, UUID, uuid5

from django.contrib.auth.models import User

from assess.assignments.domain.begun_at_once import ids_who_may_begin
from assess.assignments.models import Assignment
from assess.base.errors import Invalid, Refused
from assess.base.wording import counted
from assess.campaigns.designs import DesignVersion, design_versions
from assess.campaigns.models import Campaign
from assess.items.models import Item
from assess.items.queries import pooled_items
from assess.protocol import OFFERED, Criterion, Stage
from assess.runs.models import Citation, Response, Segment
from assess.runs.queries import accepted_runs
from scoring.own_items import run_of_key, shared_key
from scoring.quick_records import quick_record
from scoring.records import Issue
from scoring.release.kept_acts import VALUES
from scoring.release.recorded_acts import ItemAct, Judged, RecordedAct, key_among

T = TypeVar("T")
CHUNK = 2_000
NAMESPACE = NAMESPACE_URL.bytes
VERSION_OF_KEY = 0x5000_8000_0000_0000_0000  # version 5 and variant of RFC 9562
KEPT_OF_KEY = ~0xF000_C000_0000_0000_0000
UNKNOWN = {
    "unknown-person": "Nobody is named for {}. Say who that is.",
    "unknown-topic": "The campaign has no question {}.",
}
"""What is said of a line that names something of which there is none here, by code. One sentence names all of them."""
Group = tuple[str, str, str]
"""(key of a stage, role, pseudonym of a person): the acts of one person in one role, which are replayed into one
assignment.
"""


@quick_record(frozen=True, slots=True)
class ReplayLine:
    """A recorded act with its place: the number of its line, or the file and the line."""

    number: int | str
    act: RecordedAct


class Lines(Protocol):
    """Recorded lines, topic by topic. A file of a million lines is never in memory as a whole."""

    def __len__(self) -> int:
        """Return the number of lines."""
        ...

    @property
    def topics(self) -> Iterable[str]:
        """The numbers of the topics of the lines."""
        ...

    def of_topic(self, number: str) -> list[ReplayLine]:
        """Return the lines of one topic, in order."""
        ...


class Anchors(Protocol):
    """The text around snippets in documents that are not stored here."""

    def get(self, docno: str, quote: str, start: int) -> dict[str, str]:
        """Return the words before and after a snippet, and their digest; empty if unknown."""
        ...


@dataclass
class Session:
    """One replay. Problems are reported by line and the replay continues, so that all are found at once.

    With ``documents_apart``, a nugget's source may be a document that is not stored here; then its quote is not
    checked. ``anchors`` gives the text around snippets in such documents.

    If a release is replayed, ``works`` holds its assignments by topic id, stage and user id. Lines are then recorded in
    these, in whatever state they ended, and no work is handed out; the lines also record which items are finished.
    ``taking`` holds its criteria by key, with all values that any version of the design had (see `as_taken`).

    ``lacks_left_items`` means that an older version made the release, which did not list what was judged and then left
    the pools: such items are added as the acts describe them.

    ``since`` is a ledger point that is part of every row's client key. So content that was recorded before that point
    is recorded again instead of being taken for the same act.

    ``is_trial`` means that everything is rolled back, ``is_held`` that nobody else can write to any assignment
    meanwhile. ``settled`` holds the ids of topics whose work need not be checked again: the replay started all of it,
    and finished it unless something was missing.

    If a topic is replayed in parts, ``whole`` holds all its lines. ``goes_on`` holds the groups of which a later part
    has further lines, so their work is not finished yet.
    """

    actor: User
    campaign: Campaign
    people: Mapping[str, User]
    report: Callable[[Issue], None]
    documents_apart: bool = False
    anchors: Anchors | None = None
    works: Mapping[tuple[int, str, int], Sequence[Assignment]] | None = None
    taking: Mapping[str, Criterion] = field(default_factory=dict)
    lacks_left_items: bool = False
    since: int = 0
    is_trial: bool = False
    is_held: bool = False
    settled: set[int] = field(default_factory=set)
    whole: Mapping[Group, Sequence[ReplayLine]] = field(default_factory=dict)
    goes_on: Collection[Group] = ()
    items: dict[tuple[int, str], dict[str, Item]] = field(default_factory=dict)
    shared_keys: dict[tuple[int, str], Set[str]] = field(default_factory=dict)
    item_ids: dict[tuple[int, str], dict[str, int]] = field(default_factory=dict)
    pooled_ids: dict[tuple[int, str], dict[str, int]] = field(default_factory=dict)
    unpooled: dict[tuple[int, str], Set[int]] = field(default_factory=dict)
    looked_up: dict[tuple[int, str], Any] = field(default_factory=dict)

    def refuse(self, line: ReplayLine, refused: Refused) -> None:
        """Report a refusal by the site as the line's problem."""
        self.problem(line, refused.code, refused.message)

    def problem(self, line: ReplayLine, code: str, message: str) -> None:
        """Report what is wrong with a line."""
        self.report(Issue(where=line.number, code=code, message=message))

    def unknown(self, line: ReplayLine, code: str, name: str) -> None:
        """Report that a line names something of which there is none here; ``code`` is one of `UNKNOWN`."""
        self.report(Issue(where=line.number, code=code, message=UNKNOWN[code].format(name), excerpt=name))

    def attempt(self, line: ReplayLine, action: Callable[..., object], *arguments: object) -> None:
        """Call ``action``, and report what it refuses as the line's problem."""
        try:
            action(*arguments)
        except Refused as refused:
            self.refuse(line, refused)

    @cached_property
    def free(self) -> frozenset[int]:
        """The ids of the people who may be handed any work; empty unless the replay holds the campaign locked."""
        return ids_who_may_begin(self.campaign, self.people.values()) if self.is_held else frozenset()

    @cached_property
    def returned_items(self) -> bool:
        """Whether runs returned items by themselves (a response, segment or citation that is judged), and not only
        ranked lists.
        """
        models = ((Segment, "response__run"), (Citation, "segment__response__run"), (Response, "run"))
        return any(
            model._default_manager.filter(**{f"{path}__campaign": self.campaign}, item__isnull=False).exists()
            for model, path in models
        )

    @cached_property
    def _versions(self) -> list[DesignVersion]:
        return design_versions(self.campaign)

    @cached_property
    def _moved(self) -> dict[tuple[str, int], list[int]]:
        """Return (question, value) -> the versions of the design that gave this value another place on the question's
        scale.
        """
        moved: dict[tuple[str, int], list[int]] = {}
        for each in self._versions:
            for move in each.mapped:
                moved.setdefault((move["question"], move["from"]), []).append(each.version)
        return moved

    def as_taken(self, criterion: Criterion) -> Criterion:
        """Return the criterion with the notes and snippets that the lines replayed here may have.

        A release doesn't say what an installed track asked for when it was made. So it may lack notes and snippets that
        the track requires now, and hold those that it doesn't take any more.
        """
        if self.works is None:
            return criterion
        if self.campaign.design:
            return self.taking.get(criterion.key, criterion)
        grades = tuple(replace(grade, note=OFFERED, evidence=OFFERED) for grade in criterion.grades)
        return replace(criterion, grades=grades, evidence=criterion.evidence or criterion.question)

    def check_version(self, line: ReplayLine) -> None:
        """Report a judgment under a version that the design lacks, or whose value a later version moved."""
        act = line.act
        if not isinstance(act, Judged) or not act.version:
            return
        count = len(self._versions)
        if act.version > count:
            has = f"its design has {counted(count, 'version')}" if count else "it has no design of its own"
            self.problem(
                line,
                "unknown-version",
                f"The judgment is of version {act.version} of a design, and of this campaign {has}. Take “version” out "
                "of the line, if it means what is asked now.",
            )
            return
        values = [act.value, *(snippet.value for snippet in act.evidence)]
        for value in (each for each in values if each is not None):
            later = next((each for each in self._moved.get((act.criterion, value), ()) if each > act.version), None)
            if later is not None:
                self.problem(
                    line,
                    "moved",
                    f"Version {later} of the design moved {value} of {act.criterion} to another place of its scale, "
                    f"and the judgment is of version {act.version}. Write the value of today, without “version”.",
                )

    def key(self, *content: object) -> UUID:
        """Return the client key of a line's content, which is the same for the same campaign and content."""
        return uuid5(NAMESPACE_URL, "\n".join([self._begin_of_keys, *map(_written, content)]))

    def key_text(self, act: RecordedAct) -> str:
        """Return the `key` of an act as text: 32 hexadecimal digits, as both databases take it. This takes a third of
        the time of `key`.
        """
        return uuid5_text(NAMESPACE, f"{self._begin_of_keys}\n{_written(act)}")

    @cached_property
    def _begin_of_keys(self) -> str:
        return f"assay-replay\n{self.campaign.slug}" + (f"\nsince {self.since}" if self.since else "")


def uuid5_text(namespace: bytes, content: str) -> str:
    """Return the hexadecimal digits of the `uuid5` of a content in a namespace, given as its 16 bytes."""
    number = int.from_bytes(sha1(namespace + content.encode(), usedforsecurity=False).digest()[:16])
    return f"{number & KEPT_OF_KEY | VERSION_OF_KEY:032x}"


_FORMS = {
    kind: f"{kind.__name__}({', '.join(f'{each.name}={{!r}}' for each in fields(kind) if each.repr)})"
    for kind in VALUES
}
"""The format in which `repr` writes acts. Members that it leaves out are last in their values."""


def _written(content: object) -> str:
    """Return the ``repr`` of a content, followed by ``given`` for a judgment that has it. For acts the ``repr`` is
    computed in a faster way, since it takes most of the time that making keys takes.
    """
    form = _FORMS.get(type(content))
    text = repr(content) if form is None else form.format(*VALUES[type(content)](content))
    return f"{text} given={content.given!r}" if isinstance(content, Judged) and content.given else text


@dataclass(frozen=True, slots=True)
class Desk:
    """The place where one person's lines of one stage of a topic are replayed.

    ``only_looks`` means a trial in which nobody asks what was added; ``is_first``, that the topic has no earlier
    records. ``whole`` are all lines of the person there, those of other parts included; ``goes_on`` means that a later
    part holds more.
    """

    session: Session
    user: User
    assignment: Assignment
    stage: Stage
    only_looks: bool = False
    is_first: bool = False
    whole: Sequence[ReplayLine] = ()
    goes_on: bool = False

    def item(self, act: ItemAct) -> Item:
        """Return the topic's item that a recorded act names. Raise `Invalid` if there is none. One query for each
        topic.

        The empty response of a run that returned nothing, but was judged, is added again, and so is an item that a
        release `lacks_left_items` of.
        """
        known = self.items()
        key = key_among(known, act)
        item = known.get(key)
        if item is None and self._is_of_nothing(act):
            item = self._add(Item(key=key, given=True))
        if item is None and self.session.lacks_left_items and (act.answer or act.docno):
            item = self._add(Item(key=key, text=act.answer, docno=act.docno))
        if item is None and shared_key(key) in self._shared_keys():
            here = "once for all runs" if run_of_key(key) else "for each run by itself"
            raise Invalid(
                f"“{act.answer[:80]}” is judged {here} in this campaign, and was not where this was said. Replay it "
                "into a campaign with the same setting judge_each."
            )
        if item is None:
            named = [f"“{act.answer[:80]}”" if act.answer else "", act.docno[:80]]
            raise Invalid(f"No run returned {' with '.join(filter(None, named)) or 'nothing'} for this question.")
        return item

    def _add(self, item: Item) -> Item:
        item.topic, item.kind = self.assignment.topic, self.stage.item_kind
        item.save()
        self.items()[item.key] = item
        self.session.shared_keys.clear()
        return item

    def items(self) -> dict[str, Item]:
        """Return the topic's items of the stage's kind by key. Items that are added to the site must be added here,
        too.
        """
        place = (self.assignment.topic_id, self.stage.item_kind)
        known = self.session.items
        if place not in known:
            known.clear()
            items = Item.objects.filter(topic=place[0], kind=place[1], repeats=None)
            known[place] = {item.key: item for item in items.order_by().iterator(CHUNK)}
            for item in known[place].values():
                item.topic = self.assignment.topic
        return known[place]

    def _shared_keys(self) -> Set[str]:
        """Return the keys that the topic's items of the stage's kind would share with those of other runs."""
        place = (self.assignment.topic_id, self.stage.item_kind)
        known = self.session.shared_keys
        if place not in known:
            known.clear()
            known[place] = set(map(shared_key, self.items()))
        return known[place]

    def item_ids(self) -> dict[str, int]:
        """Return the ids of the topic's items of the stage's kind by key, as of the first call."""
        place = (self.assignment.topic_id, self.stage.item_kind)
        known = self.session.item_ids
        if place not in known:
            known.clear()
            items = Item.objects.filter(topic=place[0], kind=place[1], repeats=None)
            known[place] = dict(items.order_by().values_list("key", "pk"))
        return known[place]

    def pooled_ids(self) -> dict[str, int]:
        """Return the ids of the topic's pooled items of the stage's kind, by key."""
        place = (self.assignment.topic_id, self.stage.item_kind)
        known = self.session.pooled_ids
        if place not in known:
            known.clear()
            items = pooled_items(self.assignment.topic, place[1]).filter(repeats=None)
            known[place] = dict(items.order_by().values_list("key", "pk"))
        return known[place]

    def key_text(self, act: RecordedAct) -> str:
        """Return the digits of an act's key, as `Session.key_text` does; "" if nobody will compare it."""
        return "" if self.only_looks and self.is_first else self.session.key_text(act)

    def for_all(self, look: Callable[[Assignment], T]) -> T:
        """Return what ``look`` finds for the stage, looked up once for everybody who does it.

        If every assessor works from their own earlier work, it is looked up each time.
        """
        known, place = self.session.looked_up, (self.assignment.topic_id, self.stage.key)
        if place not in known or self.stage.own:
            known.clear()
            known[place] = look(self.assignment)
        found: T = known[place]
        return found

    def _is_of_nothing(self, act: ItemAct) -> bool:
        """Return whether an act judges the response of an accepted run that returned nothing for the topic."""
        tag = run_of_key(act.key)
        if not tag or act.answer or act.docno or not isinstance(act, Judged):
            return False
        runs = accepted_runs(self.session.campaign).filter(tag=tag)
        return runs.exclude(responses__topic=self.assignment.topic_id).exists()
