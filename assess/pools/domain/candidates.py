"""Find the items of a task's next pool, in what is stored, in ranked run files and in the topics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from itertools import groupby
from operator import itemgetter
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as noop

from assess.base.errors import Invalid
from assess.base.sentences import Sentence
from assess.campaigns.models import Campaign
from assess.campaigns.queries import settings_of, track_of
from assess.campaigns.track_texts import in_language
from assess.documents.domain.adding_items import ItemKey, require_fitting
from assess.items.models import Item
from assess.jobs.progress import JobProgress, no_report
from assess.pools.domain.draw import BestRuns, Selected, best_runs, document_record, ranking_of, select
from assess.pools.domain.rankings_file import gather_rankings
from assess.pools.domain.strategy import DEEPEST, Selection
from assess.protocol import POOL, CheckContext, ItemRecord, PoolRecipe, Task, TopicRecord, ranked_recipe
from assess.runs.models import Run
from assess.runs.queries import accepted_runs, judged_runs, returned_in_order, returned_items
from assess.topics.models import Topic
from assess.topics.queries import topic_records, topics_asked, topics_chosen

CHUNK = 5_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    """A recipe of a task with its current numbers: which runs it takes, and how much of each.

    It takes the runs of these ``priorities`` (None: all runs) or, if ``best`` is set, the best runs. Of their rankings
    it takes the first ``depth`` documents (None: everything that they return).
    """

    recipe: PoolRecipe
    priorities: tuple[int, ...] | None
    depth: int | None
    best: BestRuns | None = None

    def runs(self, campaign: Campaign) -> QuerySet[Run]:
        """Return the accepted runs that contribute, by tag."""
        if self.best is not None:
            return accepted_runs(campaign).filter(tag__in=self.best.tags)
        return accepted_runs(campaign) if self.priorities is None else judged_runs(campaign, self.priorities)


@dataclass(slots=True)
class Contribution:
    """How many pooled items a run's ranked list has, and how many of them are in no other list."""

    items: int = 0
    unique: int = 0


@dataclass(kw_only=True, slots=True)
class Members:
    """The items of the next pool. ``stored`` are ids of members that exist; ``missing`` are those that building adds.

    ``topics`` are the topics to judge by number; ``numbers`` names them if only some are judged, else it is empty.
    ``given`` are the items that topics give, as the topics now describe them, whether stored or not. ``runs`` are (tag,
    file) of all contributing runs. ``ranked`` counts what ranked lists contribute, by kind and run tag. ``selected`` is
    what the strategy of ``selection`` selected, if there is one. ``ordered`` are the kinds whose items a stage shows in
    an order (`Stage.order`), and ``places`` the places of these items.
    """

    topics: dict[str, Topic]
    choices: tuple[Choice, ...]
    numbers: tuple[str, ...]
    runs: tuple[tuple[str, str], ...]
    stored: dict[ItemKey, int] = field(default_factory=dict)
    missing: dict[ItemKey, ItemRecord] = field(default_factory=dict)
    given: dict[ItemKey, ItemRecord] = field(default_factory=dict)
    ranked: dict[str, dict[str, Contribution]] = field(default_factory=dict)
    selected: Selected | None = None
    selection: Selection | None = None
    ordered: tuple[str, ...] = ()
    places: dict[ItemKey, int] = field(default_factory=dict)

    @property
    def recipe(self) -> dict[str, Any]:
        """The recipe as the pool stores it: everything that determines the members."""
        first = self.choices[0]
        strategy = self.selection.recipe.strategy if self.selection is not None else "all"
        recipe: dict[str, Any] = {"strategy": strategy, "kind": first.recipe.kind}
        if first.priorities is not None:
            recipe["priorities"] = list(first.priorities)
        recipe["runs"] = [list(run) for run in self.runs]
        if len(self.choices) > 1 or first.depth is not None:
            recipe["kinds"] = [_described(choice) for choice in self.choices]
        best = {choice.recipe.kind: choice.best.described() for choice in self.choices if choice.best is not None}
        if best:
            recipe["best"] = best
        if self.numbers:
            recipe["topics"] = list(self.numbers)
        if self.ranked:
            recipe["ranked"] = {
                kind: {tag: [each.items, each.unique] for tag, each in sorted(found.items())}
                for kind, found in sorted(self.ranked.items())
            }
        if self.selected is not None:
            recipe["selection"] = self.selected.recipe
        if self.ordered:
            recipe["ordered"] = list(self.ordered)
        return recipe


def pool_members(
    campaign: Campaign,
    task: Task,
    priorities: Iterable[int] | None = None,
    selection: Selection | None = None,
    *,
    progress: Callable[[JobProgress], None] = no_report,
) -> Members:
    """Return the items of a task's next pool, without writing anything.

    ``priorities`` selects the runs for recipes that have priorities. The default is the recipe's setting, which may
    select the best runs by a measure instead. Ranked files are read once for all pools of the same runs
    (`gather_rankings`). ``selection`` replaces the depth of the kind that runs rank. ``progress`` is called for files
    and topics, and may stop the work by raising.

    Refused: empty priorities, a depth below 1, a topic to judge that the campaign lacks, and a selection although runs
    rank nothing.
    """
    choices = tuple(
        _with_best(campaign, each, priorities) for each in pool_choices(campaign, task, priorities, selection)
    )
    records = topic_records(campaign)
    numbers = topics_chosen(campaign, task)
    asked = {record.number: record for record in topics_asked(task, records, numbers)}
    topics = {topic.number: topic for topic in campaign.topics.filter(task=task.key) if topic.number in asked}
    runs = contributing_runs(campaign, choices)
    members = Members(topics=topics, choices=choices, numbers=numbers, runs=runs, selection=selection)
    chosen = ranked_recipe(track_of(campaign), task) if selection is not None else None
    context = CheckContext(topics=records, settings=settings_of(campaign))
    named: dict[ItemKey, ItemRecord] = {}
    for choice in choices:
        named.update(_given(choice, asked.values(), context, members))
        if selection is not None and choice.recipe is chosen:
            ranked = _selected(campaign, task, choice, selection, members, progress)
        else:
            ranked = _ranked(campaign, task, choice, members, progress)
        for name, record in ranked.items():
            named.setdefault(name, record)  # an item that a topic gives has more details
        members.stored.update(_returned(campaign, task, choice, members))
    members.stored.update(_stored(topics, task, {choice.recipe.kind for choice in choices}, named))
    for name in members.selected.left_out if members.selected is not None else ():
        members.stored.pop(name, None)
        named.pop(name, None)
    members.missing = {name: record for name, record in named.items() if name not in members.stored}
    members.ordered = tuple(sorted({stage.item_kind for stage in task.stages if stage.order == POOL}))
    for choice in choices:
        if choice.recipe.kind in members.ordered:
            members.places.update(_nearest(campaign, choice, members, progress))
    return members


def _nearest(
    campaign: Campaign, choice: Choice, members: Members, progress: Callable[[JobProgress], None]
) -> dict[ItemKey, int]:
    """Return the place of each member of the kind: its best rank in any run, or else its place in its topic.

    All runs are treated alike, so the place does not reveal whose item it is. An item that a topic gives has its place
    there, unless a run returned it. Ranked files are read as for the pool; otherwise it takes two queries.
    """
    kind, runs = choice.recipe.kind, choice.runs(campaign)
    found: dict[ItemKey, int] = {}
    names = {pk: name for name, pk in members.stored.items() if name[1] == kind}

    def note(ranked: Iterable[ItemKey]) -> None:
        for place, name in enumerate(dict.fromkeys(ranked), 1):
            if name in members.stored or name in members.missing:
                found[name] = min(place, found.get(name, place))

    if choice.depth is not None:
        depth = max(choice.depth, DEEPEST)
        rankings = gather_rankings(campaign, kind, list(runs), depth, progress=progress)
        for number, ranked in rankings.each(topics=members.topics) if rankings.runs else ():
            for docnos in ranked.values():
                note((number, kind, docno) for docno in docnos)
    for _, returned in groupby(returned_in_order(runs, kind=kind), key=itemgetter(0)):
        note(names[item] for _, item in returned if item in names)
    in_topic: Counter[str] = Counter()
    for name in members.given:
        if name[1] == kind:
            in_topic[name[0]] += 1
            found.setdefault(name, in_topic[name[0]])
    return found


def contributing_runs(campaign: Campaign, choices: Iterable[Choice]) -> tuple[tuple[str, str], ...]:
    """Return (tag, file) of every run that one of the choices uses, by tag."""
    asked = {(choice.priorities, choice.best): choice.runs(campaign) for choice in choices}
    return tuple(sorted({row for runs in asked.values() for row in runs.values_list("tag", "file")}))


def pool_choices(
    campaign: Campaign, task: Task, given: Iterable[int] | None, selection: Selection | None
) -> tuple[Choice, ...]:
    """Return the task's recipes with their current numbers. Refused: empty priorities, a depth below 1, and a selection
    although runs rank nothing.
    """
    settings = settings_of(campaign)
    chosen = ranked_recipe(track_of(campaign), task) if selection is not None else None
    if selection is not None and chosen is None:
        raise Invalid(
            gettext("Runs rank nothing for “%(task)s”, so it has no strategies: all that they return is pooled.")
            % {"task": in_language(task.label)}
        )
    wanted = list(given) if given is not None else None
    found = []
    for recipe in task.pooling:
        priorities: tuple[int, ...] | None = None
        if recipe.priorities_setting:
            numbers = wanted if wanted is not None else getattr(settings, recipe.priorities_setting)
            priorities = tuple(sorted(set(numbers)))
            if not priorities:
                raise Invalid(gettext("Name the priorities whose runs are judged, such as 1,2."))
        depth = int(getattr(settings, recipe.depth_setting)) if recipe.depth_setting else None
        if depth is not None and depth < 1:
            raise Invalid(
                Sentence(
                    "The setting %(depth_setting)s is %(depth)s; a pool needs a depth of 1 or more.",
                    depth_setting=recipe.depth_setting,
                    depth=depth,
                )
            )
        choice = Choice(recipe=recipe, priorities=priorities, depth=depth)
        if selection is not None and recipe is chosen and selection.recipe.strategy == "priority":
            choice = replace(choice, priorities=None)  # the strategy itself says which priorities are used
        found.append(choice)
    return tuple(found)


def _with_best(campaign: Campaign, choice: Choice, given: Iterable[int] | None) -> Choice:
    """Return the choice with the best runs, if its settings ask for them and no priorities are given."""
    best = best_runs(campaign, choice.recipe) if given is None else None
    return choice if best is None else replace(choice, best=best, priorities=None)


def _given(
    choice: Choice, topics: Iterable[TopicRecord], context: CheckContext, members: Members
) -> dict[ItemKey, ItemRecord]:
    """Return the items that the topics give, and add them to the members' ``given`` ones."""
    found: dict[ItemKey, ItemRecord] = {}
    if choice.recipe.items is not None:
        for topic in topics:
            for record in choice.recipe.items(topic, context.settings):
                require_fitting(record)
                found[record.topic, record.kind, record.key] = record
    members.given.update(found)
    return found


def _ranked(
    campaign: Campaign, task: Task, choice: Choice, members: Members, progress: Callable[[JobProgress], None]
) -> dict[ItemKey, ItemRecord]:
    """Return the top documents of every run's ranked list of this kind, and count in the members what each run
    contributes. Empty if the choice has no depth.
    """
    kind, depth = choice.recipe.kind, choice.depth
    found: dict[ItemKey, ItemRecord] = {}
    owners: dict[ItemKey, str] = {}
    if depth is None:
        return found
    counts: dict[str, Contribution] = {}
    rankings = gather_rankings(campaign, kind, list(choice.runs(campaign)), max(depth, DEEPEST), progress=progress)
    if not rankings.runs:
        return found
    is_document = ranking_of(campaign, task, kind).is_document
    for done, (number, ranked) in enumerate(rankings.each(depth, members.topics)):
        progress(JobProgress(done=done, total=len(members.topics), unit="topics", note=noop("selecting")))
        for tag, docnos in ranked.items():
            for docno in docnos:
                name = (number, kind, docno)
                if name not in found:
                    found[name] = document_record(number, kind, docno, is_document=is_document)
                owners[name] = tag if name not in owners else ""
                counts.setdefault(tag, Contribution()).items += 1
    for tag in owners.values():
        if tag:
            counts[tag].unique += 1
    if counts:
        members.ranked[kind] = counts
    return found


def _selected(
    campaign: Campaign,
    task: Task,
    choice: Choice,
    selection: Selection,
    members: Members,
    progress: Callable[[JobProgress], None],
) -> dict[ItemKey, ItemRecord]:
    """Return the items that the strategy selects from the kind that runs rank, and store the selection in the
    members. Empty without runs.
    """
    runs = list(choice.runs(campaign))
    if not runs:
        return {}
    numbers = sorted(members.topics)
    members.selected = select(campaign, task, choice.recipe.kind, selection, runs, numbers, progress=progress)
    if brought := members.selected.brought:
        counts = {tag: Contribution(items=items, unique=alone) for tag, (items, alone) in brought.items()}
        members.ranked[choice.recipe.kind] = counts
    return members.selected.records


def _returned(campaign: Campaign, task: Task, choice: Choice, members: Members) -> dict[ItemKey, int]:
    """Return the items that runs returned as segments, citations or whole responses.

    If the choice has a depth, runs that rank the kind are left out, since their lists are read instead.
    """
    runs = choice.runs(campaign)
    if choice.depth is not None:
        ranking = [each.key for each in track_of(campaign).submissions if each.ranking(choice.recipe.kind) is not None]
        runs = runs.exclude(submission__in=ranking)
    kind, numbers = choice.recipe.kind, {topic.pk: number for number, topic in members.topics.items()}
    found: dict[ItemKey, int] = {}
    for items in returned_items(runs, task=task.key, kind=kind, depth=choice.depth):
        rows = items.values_list("topic_id", "key", "pk").iterator(CHUNK)
        found.update({(numbers[topic], kind, key): pk for topic, key, pk in rows if topic in numbers})
    return found


def _stored(
    topics: dict[str, Topic], task: Task, kinds: set[str], named: dict[ItemKey, ItemRecord]
) -> dict[ItemKey, int]:
    """Return the ids of the named items that are stored, and of all given items."""
    if not topics:
        return {}
    campaign = next(iter(topics.values())).campaign_id
    items = Item.objects.filter(topic__campaign=campaign, topic__task=task.key, kind__in=kinds)
    if not named:
        items = items.filter(given=True)
    rows = items.order_by().values_list("topic__number", "kind", "key", "pk", "given").iterator(CHUNK)
    return {
        (number, kind, key): pk
        for number, kind, key, pk, given in rows
        if number in topics and (given or (number, kind, key) in named)
    }


def _described(choice: Choice) -> dict[str, Any]:
    described: dict[str, Any] = {"kind": choice.recipe.kind}
    if choice.priorities is not None:
        described["priorities"] = list(choice.priorities)
    if choice.depth is not None:
        described["depth"] = choice.depth
    return described
