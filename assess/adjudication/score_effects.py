"""What a disagreement does to scores: how far the runs' values of its topic move with the value that counts.

Scored is the topic alone, or the series that it belongs to where measures are of series. Only what the track's gold
says of the thing is exchanged (`assess.kinds.opinions.Adjudication.exchange`); what is made of it afterwards (a class
for an answer now correct) is not made up.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import Any, cast

from assess.adjudication.queries.disagreements import kind_of
from assess.campaigns.models import Campaign
from assess.campaigns.queries import reached_point, settings_of, track_of
from assess.documents.queries.documents import document_text
from assess.exports.writing import collect_records, find_export
from assess.items.models import Item
from assess.judging.snapshots import Snapshot
from assess.kinds.opinions import Adjudication, Disagreement, Exchange
from assess.protocol import (
    CheckContext,
    Criterion,
    Export,
    ItemRecord,
    Lengths,
    RunContent,
    SegmentRecord,
    Stage,
    TopicRecord,
)
from assess.runs.domain.checking import run_content
from assess.runs.models import Run
from assess.runs.queries import accepted_runs
from assess.topics.queries import topic_records
from scoring.measures.ranked import Rankings
from scoring.records import RankedDoc

MOST = 200
"""Disagreements whose effect is computed at once."""
RUN_BYTES = 20_000_000
"""Size of all runs together, up to which their effect is computed while somebody waits."""
KEPT = 2_000
EPSILON = 1e-12

Records = dict[str, list[Any]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Effect:
    """``change``: the largest difference of a run's official value between the values given. ``reorders``: whether the
    runs' order on that topic or series is another one.
    """

    change: float
    reorders: bool


_remembered: OrderedDict[tuple[Any, ...], Effect | None] = OrderedDict()
_lock = Lock()


def why_no_effects(campaign: Campaign, stage: Stage, rows: Sequence[Disagreement]) -> str:
    """Why effects are not computed here, as a sentence; "" where they are. One query."""
    if kind_of(stage).exchange is None:
        return "Effects are not computed where a whole work is settled: what follows from it is judged anew."
    if len(rows) > MOST:
        return (
            f"Effects are computed for at most {MOST} disagreements at once, and these are {len(rows)}. Choose a topic."
        )
    size = sum(accepted_runs(campaign).values_list("size", flat=True))
    if size > RUN_BYTES:
        return (
            f"Effects are computed for runs of up to {RUN_BYTES // 1_000_000} MB together; "
            f"these have {size / 1_000_000:,.0f} MB."
        )
    return ""


def effects_of(
    campaign: Campaign, stage: Stage, criterion: Criterion, rows: Sequence[Disagreement]
) -> dict[str, Effect | None]:
    """The effect of each disagreement, by the thing's name; None where the official measure has no value.

    None, too, where scoring breaks off.

    The official value is exchanged for every value that a side gave, and for nothing else. The process remembers
    effects until a ledger row or a run changes. Costs the records of the campaign's gold, its runs' files, and for
    each row one scoring of a topic by value and run.
    """
    runs = list(accepted_runs(campaign))
    files = tuple((run.pk, run.file) for run in runs)
    settings = str(sorted(campaign.settings.items()))
    state = (campaign.pk, reached_point(campaign, None), stage.key, criterion.key, files, settings)
    with _lock:
        found = {row.name: _remembered[*state, row.name] for row in rows if (*state, row.name) in _remembered}
    missing = [row for row in rows if row.name not in found]
    if missing:
        new = _compute(campaign, kind_of(stage), criterion, missing, runs)
        found |= new
        with _lock:
            _remembered.update({(*state, name): effect for name, effect in new.items()})
            while len(_remembered) > KEPT:
                _remembered.popitem(last=False)
    return found


@dataclass(frozen=True, slots=True)
class _Part(RunContent):
    """What one run returned for some topics, held in memory."""

    topics: frozenset[str]
    held: dict[str, list[Any]]

    def segments(self) -> Iterator[SegmentRecord]:
        return iter(self._of("segments", RunContent.segments(self)))

    def responses(self) -> Iterator[ItemRecord]:
        return iter(self._of("responses", RunContent.responses(self)))

    def ranking(self, kind: str) -> Iterator[RankedDoc]:
        return iter(self._of(f"ranking {kind}", RunContent.ranking(self, kind)))

    def rankings(self, kind: str) -> Rankings:
        return self._by_topic(f"rankings {kind}", partial(RunContent.rankings, self, kind))

    def lengths(self) -> Lengths:
        return self._by_topic("lengths", partial(RunContent.lengths, self))

    def _by_topic(self, name: str, read: Callable[[], Rankings]) -> Rankings:
        if name not in self.held:
            found = read()
            self.held[name] = [{topic: found[topic] for topic in found if topic in self.topics}]
        (of_topics,) = self.held[name]
        return cast(Rankings, of_topics)

    def _of(self, name: str, records: Iterable[Any]) -> list[Any]:
        if name not in self.held:
            self.held[name] = [record for record in records if record.topic in self.topics]
        return self.held[name]


def _compute(
    campaign: Campaign, kind: Adjudication, criterion: Criterion, rows: Sequence[Disagreement], runs: Sequence[Run]
) -> dict[str, Effect | None]:
    official = [measure.key for measure in track_of(campaign).scoring.measures if measure.official]
    topics = topic_records(campaign)
    context = CheckContext(topics=topics, settings=settings_of(campaign), document_text=document_text(campaign))
    exports = _gold_exports(campaign)
    gold = {name: list(collect_records(Snapshot(campaign), export)) for name, export in exports.items()}
    items = Item.objects.in_bulk({row.thing.item_id for row in rows if row.thing.item_id is not None})
    by_series: dict[str, list[Disagreement]] = {}
    for row in rows:
        by_series.setdefault(_series(topics, row.topic)[0], []).append(row)
    found: dict[str, Effect | None] = {}
    for group in by_series.values():
        scope = frozenset(_series(topics, group[0].topic))
        contents = {run.tag: _part(campaign, run, context, scope) for run in runs}
        records = {name: [each for each in said if _topic_of(each) in scope] for name, said in gold.items()}
        for row in group:
            scores = [
                _scores(campaign, _exchanged(kind, exports, records, exchange), contents, official, scope)
                for exchange in _exchanges(row, items.get(row.thing.item_id or 0), criterion)
            ]
            found[row.name] = _effect(scores)
    return found


def _gold_exports(campaign: Campaign) -> dict[str, Export]:
    exports = {name: find_export(campaign, name) for name in track_of(campaign).scoring.gold_files}
    return {name: export for name, export in exports.items() if export is not None}


def _exchanges(row: Disagreement, item: Item | None, criterion: Criterion) -> list[Exchange]:
    """One for each value that a side gave."""
    return [Exchange(row=row, item=item, criterion=criterion, value=value) for value in sorted(set(row.values))]


def _series(topics: Sequence[TopicRecord], number: str) -> list[str]:
    """The topic's series from its root down, the root first."""
    parents = {topic.number: topic.parent for topic in topics}

    def root(number: str) -> str:
        seen = {number}
        while (above := parents.get(number)) and above not in seen:
            seen.add(above)
            number = above
        return number

    top = root(number)
    return [top, *(other for other in parents if other != top and root(other) == top)]


def _topic_of(record: Any) -> str:
    return str(record.number if isinstance(record, TopicRecord) else record.topic)


def _part(campaign: Campaign, run: Run, context: CheckContext, scope: frozenset[str]) -> RunContent:
    content = run_content(campaign, run, context)
    return _Part(
        submission=content.submission, open=content.open, context=context, run=content.run, topics=scope, held={}
    )


def _exchanged(kind: Adjudication, exports: Mapping[str, Export], records: Records, exchange: Exchange) -> Records:
    """The records with this value for the thing, as the kind of work puts it."""
    if kind.exchange is None:
        return records
    return {name: kind.exchange(exports[name].collect, said, exchange) for name, said in records.items()}


def _scores(
    campaign: Campaign,
    records: Records,
    contents: Mapping[str, RunContent],
    official: Sequence[str],
    scope: frozenset[str],
) -> dict[tuple[str, str, str], float] | None:
    """(topic, measure, run) -> value of the official measures, or None where scoring these records breaks off."""
    track, settings = track_of(campaign), settings_of(campaign)
    found: dict[tuple[str, str, str], float] = {}
    try:
        gold = track.scoring.build(records, settings, lambda issue: None)
        for tag, content in contents.items():
            for score in track.scoring.score(gold, tag, content, settings):
                if score.topic in scope and score.measure in official and score.value is not None:
                    found[score.topic, score.measure, tag] = score.value
    except Exception:  # noqa: BLE001 - a track's scoring may need what a part of the gold does not hold
        return None
    return found


def _effect(scores: Sequence[dict[tuple[str, str, str], float] | None]) -> Effect | None:
    """The largest change between any two of these, and whether they order the runs alike."""
    known = [each for each in scores if each]
    if len(known) < len(scores) or not known:
        return None
    places = set.intersection(*(set(each) for each in known))
    changes = [max(each[place] for each in known) - min(each[place] for each in known) for place in places]
    groups = {(topic, measure) for topic, measure, _ in places}
    reorders = any(len({_order(each, group, places) for each in known}) > 1 for group in groups)
    change = max(changes, default=0.0)
    return Effect(change=change if change > EPSILON else 0.0, reorders=reorders)


def _order(
    scores: Mapping[tuple[str, str, str], float], group: tuple[str, str], places: set[tuple[str, str, str]]
) -> tuple[tuple[str, int], ...]:
    """Every run with its rank, ties alike."""
    values = {
        run: round(scores[topic, measure, run], 12) for topic, measure, run in places if (topic, measure) == group
    }
    better = sorted(set(values.values()), reverse=True)
    return tuple(sorted((run, better.index(value)) for run, value in values.items()))
