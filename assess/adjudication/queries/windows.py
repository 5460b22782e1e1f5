"""Lists of disagreements as pages show them: read as a whole, or only the topics that a page shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from django.contrib.auth.models import User

from assess.adjudication.queries.disagreements import DisagreementGroup, disagreements, kind_of
from assess.campaigns.models import Campaign
from assess.kinds.opinions import Disagreement, parse_name
from assess.protocol import Criterion, Stage
from assess.topics.queries import tree_order


class Rows(Protocol):
    """A list of disagreements as a page uses it."""

    @property
    def decided(self) -> int:
        """The number of decided disagreements."""

    def __len__(self) -> int:
        """Return the number of disagreements."""

    def __getitem__(self, place: slice) -> list[Disagreement]:
        """Return the disagreements in a slice of places, from 0."""

    def place_of(self, name: str) -> int | None:
        """Return the place, from 0, of the disagreement with this name, or None."""

    def open_after(self, name: str) -> Disagreement | None:
        """Return the next undecided disagreement after the one with this name, going back to the top at the end; None
        if all are decided.

        If no disagreement in the list has this name, return the first undecided one.
        """


@dataclass(frozen=True, slots=True)
class WholeRows:
    """A list that was read as a whole, in any order."""

    rows: Sequence[Disagreement]

    @property
    def decided(self) -> int:
        """The number of decided disagreements."""
        return sum(row.decided is not None for row in self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, place: slice) -> list[Disagreement]:
        return list(self.rows[place])

    def place_of(self, name: str) -> int | None:
        """Return the place, from 0, of the disagreement with this name, or None."""
        return next((place for place, row in enumerate(self.rows) if row.name == name), None)

    def open_after(self, name: str) -> Disagreement | None:
        """Return the next undecided disagreement after the one with this name (or after none, if no row has it), going
        back to the top at the end; None if all are decided.
        """
        place = self.place_of(name)
        start = 0 if place is None else place + 1
        round_about = [*self.rows[start:], *self.rows[:start]]
        return next((row for row in round_about if row.decided is None), None)


@dataclass(frozen=True, kw_only=True, slots=True)
class TopicRows:
    """A list in topic order that reads a topic's disagreements only when they are needed.

    It holds the disagreements with at least this ``size`` that are decided or undecided, as ``is_decided`` says; None
    means both. ``total`` maps topic ids, in topic order, to the number of these disagreements; ``done`` maps them to
    the number of decided ones.
    """

    campaign: Campaign
    stage: Stage
    criterion: Criterion
    person: User
    size: int
    is_decided: bool | None = None
    total: Mapping[int, int]
    done: Mapping[int, int]

    @property
    def decided(self) -> int:
        """The number of decided disagreements."""
        return sum(self.done.values())

    def __len__(self) -> int:
        return sum(self.total.values())

    def __getitem__(self, place: slice) -> list[Disagreement]:
        first, last, _ = place.indices(len(self))
        before, topics, skipped = 0, [], 0
        for topic, number in self.total.items():
            if before + number <= first:
                skipped += number
            elif before < last:
                topics.append(topic)
            before += number
        return self._of(topics)[first - skipped : last - skipped] if topics else []

    def place_of(self, name: str) -> int | None:
        """Return the place, from 0, of the disagreement with this name, or None.

        It makes the queries of `disagreements` and one more.
        """
        topic = self._topic_of(name)
        if topic is None:
            return None
        before = sum(self.total[each] for each in self._topics[: self._topics.index(topic)])
        return next((before + place for place, row in enumerate(self._of([topic])) if row.name == name), None)

    def open_after(self, name: str) -> Disagreement | None:
        """Return the next undecided disagreement after the one with this name (or after none, if no row has it), going
        back to the top at the end; None if all are decided.

        It makes the queries of `disagreements` twice, or once for each topic up to the one that it finds.
        """
        return next((row for row in self._round_about(name) if row.decided is None), None)

    @property
    def _topics(self) -> list[int]:
        return list(self.total)

    def _topic_of(self, name: str) -> int | None:
        named = parse_name(name)
        topic = kind_of(self.stage).topic_of(named[0]) if named is not None else None
        return topic if topic in self.total else None

    def _round_about(self, name: str) -> Iterator[Disagreement]:
        topic, topics = self._topic_of(name), self._topics
        own = self._of([topic]) if topic is not None else []
        at = next((place for place, row in enumerate(own) if row.name == name), None)
        if topic is None or at is None:
            yield from self._with_open(topics)
            return
        yield from own[at + 1 :]
        place = topics.index(topic)
        yield from self._with_open([*topics[place + 1 :], *topics[:place]])
        yield from own[: at + 1]

    def _with_open(self, topics: Sequence[int]) -> Iterator[Disagreement]:
        for topic in topics:
            if self.done.get(topic, 0) < self.total[topic]:
                yield from self._of([topic])

    def _of(self, topics: Sequence[int]) -> list[Disagreement]:
        rows = disagreements(self.campaign, self.stage, self.criterion, person=self.person, topics=topics)
        return [row for row in rows if row.size >= self.size and self.is_decided in (None, row.decided is not None)]


def numbers_in_order(campaign: Campaign, groups: Mapping[DisagreementGroup, int]) -> dict[int, str]:
    """Return topic id -> topic number for the topics of these groups, in topic order. One query."""
    topics = campaign.topics.filter(pk__in={group.topic_id for group in groups}).order_by(*tree_order())
    return dict(topics.values_list("pk", "number"))


def counted_in_order(
    groups: Mapping[DisagreementGroup, int], topics: Sequence[int], size: int, *, is_decided: bool | None = None
) -> tuple[dict[int, int], dict[int, int]]:
    """Return, by topic in the given order, how many disagreements match, and how many of those are decided.

    These are the ``total`` and ``done`` of `TopicRows`.
    """
    total, done = dict.fromkeys(topics, 0), dict.fromkeys(topics, 0)
    for group, number in groups.items():
        fits = group.size >= size and is_decided in (None, group.is_decided)
        if group.topic_id in total and fits:
            total[group.topic_id] += number
            done[group.topic_id] += number if group.is_decided else 0
    return {topic: number for topic, number in total.items() if number}, done
