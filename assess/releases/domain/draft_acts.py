"""How topics were drafted, as recorded in a release's drafts.jsonl: one act on each line, in order. No Django.

    {"do": "write", "draft": 1, "by": "assessor-1", "content": {"text", "task", "parts": [{"key", "task", "text"}],
                    "definition", "notes", "query"}}                         the first one begins the draft
    {"do": "answer", …, "find": 1, "part": 1, "text", "docno", "quote", "span"}    "nugget" has the same members
    {"do": "document", …, "find": 2, "docno", "relevant": true}              the newest of a docno counts
    {"do": "withdraw", …, "find": 1}
    {"do": "send", …, "word": the estimate as a sentence, "estimate": {"ranked": [docnos], "found": 30} or null}
    {"do": "drop", …}
    {"do": "back", "draft": 1, "word": what the organiser said}              back and accept are the organiser's
    {"do": "accept", "draft": 1, "topic": "2", "as_drafted": true}           false: the topic was changed since
    {"do": "carry", …, "topic": "2.1", "stage": "classes", "finds": [[1, 4], …], "left": [3]}

``carry`` says what the finds became in judging: find 1 is in answer class 4, or is nugget 4. Finds in ``left`` became
nothing. "…" stands for ``draft`` and ``by``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from assess.protocol import DraftContent, Drafting, DraftPart, TopicRecord
from assess.releases.domain.import_shapes import (
    Check,
    checked_row,
    flag,
    list_whose,
    or_null,
    record,
    text,
    tuple_of,
    whole,
)
from assess.topic_drafts.relevant_estimate import estimate_from
from scoring.reading.json_reading import Flaw, parse_json
from scoring.reading.opening import TEXT_LIMIT, text_lines
from scoring.records import Issue
from scoring.release.releases import DRAFTS, BadRelease, Release

Shape = Mapping[str, Check]
Act = dict[str, Any]
OPEN, SENT, BACK, ACCEPTED, DROPPED = "draft", "sent", "sent back", "accepted", "dropped"
WRITABLE = (OPEN, BACK)

_AUTHOR = text(20, r"assessor-[1-9][0-9]{0,8}", "assessor-1")
_LINE, _LONG, _DOCNO, _WORD = text(2_000), text(20_000), text(200), text(20_000)
_OF: Shape = {"do": text(8), "draft": whole(1, 1_000)}
_BY: Shape = {**_OF, "by": _AUTHOR}
_PART = record({"key": whole(1, 1_000), "task": text(50), "text": _LINE})
_SPAN = record(
    {"start": whole(0), "end": whole(0), "quote": _LONG, "prefix": _LONG, "suffix": _LONG, "text_sha256": text(64)}
)
_FOUND: Shape = {
    **_BY,
    "find": whole(1, 5_000),
    "part": whole(0, 1_000),
    "text": _LINE,
    "docno": _DOCNO,
    "quote": _LONG,
    "span": or_null(_SPAN),
}
_CONTENT = record(
    {
        "text": _LINE,
        "task": text(50),
        "parts": list_whose(_PART),
        "definition": _LONG,
        "notes": _LONG,
        "query": text(300),
    }
)
_ESTIMATE = record({"ranked": list_whose(_DOCNO), "found": whole(0)})
MEMBERS: dict[str, Shape] = {
    "write": {**_BY, "content": _CONTENT},
    "answer": _FOUND,
    "nugget": _FOUND,
    "document": {**_BY, "find": whole(1, 5_000), "docno": _DOCNO, "relevant": flag},
    "withdraw": {**_BY, "find": whole(1, 5_000)},
    "send": {**_BY, "word": _WORD, "estimate": or_null(_ESTIMATE)},
    "drop": _BY,
    "back": {**_OF, "word": _WORD},
    "accept": {**_OF, "topic": text(100), "as_drafted": flag},
    "carry": {
        **_BY,
        "topic": text(100),
        "stage": text(50),
        "finds": list_whose(tuple_of(whole(1, 5_000), whole(1))),
        "left": list_whose(whole(1, 5_000)),
    },
}


@dataclass(kw_only=True, slots=True)
class FollowedDraft:
    """A draft after the acts so far. ``finds`` are the current finds by number, as their lines give them.

    ``topic`` is the number of the topic that it became, or "".
    """

    number: int
    author: str
    content: DraftContent = field(default_factory=DraftContent)
    state: str = OPEN
    topic: str = ""
    finds: dict[int, Act] = field(default_factory=dict)
    documents: dict[str, int] = field(default_factory=dict)
    numbered: int = 0

    @property
    def judged(self) -> dict[str, bool]:
        """Whether each document judged so far is relevant, by docno."""
        return {act["docno"]: act["relevant"] for act in self.finds.values() if act["do"] == "document"}


def read_acts(release: Release) -> Iterator[tuple[str, Act]]:
    """Yield the acts, each with the name of its line for messages.

    Raises `BadRelease`, with the reason, for a bad line.
    """
    with release.path(DRAFTS).open("rb") as file:
        for line in text_lines(file, limit=TEXT_LIMIT):
            if isinstance(line, Issue):
                raise BadRelease(f"{DRAFTS}: line {line.where}: {line.message}")
            where, value = f"{DRAFTS}: line {line[0]}", parse_json(line[1])
            if isinstance(value, Flaw):
                raise BadRelease(f"{where}: {value.message}")
            do = value.get("do") if isinstance(value, dict) else None
            if not isinstance(do, str) or do not in MEMBERS:
                raise BadRelease(f"{where}: “do” must be one of {', '.join(MEMBERS)}")
            yield where, checked_row(value, MEMBERS[do], where)


def content_of(values: Mapping[str, Any]) -> DraftContent:
    """Return the draft content that a line holds."""
    return DraftContent(**{**values, "parts": tuple(DraftPart(**part) for part in values["parts"])})


def questions_in(content: DraftContent, drafting: Drafting) -> dict[int, str]:
    """Return the type of each question of a draft by its key. A draft without parts has one question with the key 0."""
    if drafting.parts is None:
        return {0: content.task or drafting.tasks[0]}
    return {part.key: part.task for part in content.parts}


def is_as_drafted(content: DraftContent, drafting: Drafting, topics: Mapping[str, TopicRecord], number: str) -> bool:
    """Return whether the topics that a draft gives under this number are exactly those of the campaign."""
    made = list(drafting.records(content, number, topics[number].ordinal))
    held = [topics.get(record.number) for record in made]
    return [record and replace(record, line=None) for record in held] == made


class DraftFollower:
    """Follows drafts through their acts, each of which is given to `take`.

    ``topics`` are those of the release by number. ``compared`` counts the estimates and topics that were checked
    against earlier acts.
    """

    def __init__(self, *, drafting: Drafting, topics: Mapping[str, TopicRecord]) -> None:
        self.drafting, self.topics = drafting, topics
        self.drafts: dict[int, FollowedDraft] = {}
        self.compared = 0

    def take(self, where: str, act: Act) -> FollowedDraft:
        """Apply an act, and return its draft. Raise `BadRelease` for one that is impossible after the earlier ones."""
        do, draft = act["do"], self.drafts.get(act["draft"])
        if draft is None:
            draft = self._begun(where, act)
        if "by" in act and act["by"] != draft.author:
            raise BadRelease(f"{where}: draft {draft.number} is {draft.author}'s, and “by” is {act['by']}")
        needed = {"back": (SENT,), "accept": (SENT,), "carry": (ACCEPTED,)}.get(do, WRITABLE)
        if draft.state not in needed:
            raise BadRelease(f"{where}: draft {draft.number} is {draft.state}, so “{do}” can't come here")
        _STEPS[do](self, where, draft, act)
        return draft

    def _begun(self, where: str, act: Act) -> FollowedDraft:
        expected = len(self.drafts) + 1
        if act["do"] != "write" or act["draft"] != expected:
            raise BadRelease(
                f"{where}: no draft {act['draft']} was begun; the next one begins with “write” of {expected}"
            )
        draft = self.drafts[expected] = FollowedDraft(number=expected, author=act["by"])
        return draft

    def _write(self, where: str, draft: FollowedDraft, act: Act) -> None:
        draft.content = content_of(act["content"])
        questions = questions_in(draft.content, self.drafting)
        kept = [each for each in draft.finds.values() if each["do"] != "document"]
        if any(questions.get(each["part"]) != each["task"] for each in kept):
            raise BadRelease(f"{where}: something was found for a question that this takes away, or makes another type")

    def _find(self, where: str, draft: FollowedDraft, act: Act) -> None:
        questions = questions_in(draft.content, self.drafting)
        if act["part"] not in questions:
            raise BadRelease(f"{where}: “part” {act['part']} is no question of draft {draft.number}")
        if act["find"] != draft.numbered + 1:
            raise BadRelease(f"{where}: “find” must be {draft.numbered + 1}, the next number; it is {act['find']}")
        draft.numbered += 1
        draft.finds[act["find"]] = {**act, "task": questions[act["part"]]}

    def _document(self, where: str, draft: FollowedDraft, act: Act) -> None:
        expected = draft.documents.get(act["docno"], draft.numbered + 1)
        if act["find"] != expected:
            raise BadRelease(f"{where}: “find” must be {expected}, the number of this document; it is {act['find']}")
        draft.numbered = max(draft.numbered, expected)
        draft.documents[act["docno"]] = expected
        draft.finds[expected] = act

    def _withdraw(self, where: str, draft: FollowedDraft, act: Act) -> None:
        if draft.finds.pop(act["find"], None) is None:
            raise BadRelease(f"{where}: draft {draft.number} holds nothing under “find” {act['find']}")

    def _send(self, where: str, draft: FollowedDraft, act: Act) -> None:
        draft.state = SENT
        if act["estimate"] is None:
            return
        judged, ranked = draft.judged, act["estimate"]["ranked"]
        unjudged = [docno for docno in ranked if docno not in judged]
        if unjudged or len(set(ranked)) != len(ranked):
            name = unjudged[0] if unjudged else "one document twice"
            raise BadRelease(
                f"{where}: “estimate” counts {name[:100]}, which was not judged so in draft {draft.number}"
            )
        first = [(docno, judged[docno]) for docno in ranked]
        words = estimate_from(query=draft.content.query, ranked=first, found=act["estimate"]["found"]).words
        if words != act["word"]:
            raise BadRelease(
                f"{where}: “word” is {act['word'][:200]}; the documents judged before it give {words[:200]}"
            )
        self.compared += 1

    def _drop(self, where: str, draft: FollowedDraft, act: Act) -> None:
        draft.state = DROPPED

    def _back(self, where: str, draft: FollowedDraft, act: Act) -> None:
        draft.state = BACK

    def _accept(self, where: str, draft: FollowedDraft, act: Act) -> None:
        number = act["topic"]
        if number not in self.topics or any(each.topic == number for each in self.drafts.values()):
            raise BadRelease(f"{where}: “topic” {number[:40]} is no topic of the release, or another draft's")
        same = is_as_drafted(draft.content, self.drafting, self.topics, number)
        if same != act["as_drafted"]:
            differs = "what draft {} says" if same else "not what draft {} says"
            raise BadRelease(
                f"{where}: topic {number} is {differs.format(draft.number)}, and “as_drafted” is {act['as_drafted']}"
            )
        draft.state, draft.topic = ACCEPTED, number
        self.compared += 1

    def _carry(self, where: str, draft: FollowedDraft, act: Act) -> None:
        topic = self.topics.get(act["topic"])
        if topic is None or draft.topic not in (topic.number, topic.parent):
            raise BadRelease(f"{where}: “topic” {act['topic'][:40]} is not what draft {draft.number} became")
        carried = [find for find, _ in act["finds"]]
        unknown = [
            find for find in (*carried, *act["left"]) if find not in draft.finds or find in draft.documents.values()
        ]
        if unknown or len(set(carried)) != len(carried):
            name = unknown[0] if unknown else "one of them twice"
            raise BadRelease(f"{where}: “finds” names {name}, which draft {draft.number} does not hold so")


_STEPS: dict[str, Callable[[DraftFollower, str, FollowedDraft, Act], None]] = {
    "write": DraftFollower._write,
    "answer": DraftFollower._find,
    "nugget": DraftFollower._find,
    "document": DraftFollower._document,
    "withdraw": DraftFollower._withdraw,
    "send": DraftFollower._send,
    "drop": DraftFollower._drop,
    "back": DraftFollower._back,
    "accept": DraftFollower._accept,
    "carry": DraftFollower._carry,
}
