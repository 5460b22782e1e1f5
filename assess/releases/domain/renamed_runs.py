"""Replace the tags of runs by their names in a release: in the records of exports and in the recipes of pools."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from itertools import count
from operator import attrgetter
from typing import Any

from django.db.models import QuerySet

from assess.base.wording import letters
from assess.campaigns.models import Campaign
from assess.exports.writing import collect_records
from assess.items.models import Item, Pool
from assess.items.queries import current_pools
from assess.judging.snapshots import Snapshot
from assess.protocol import Export
from assess.runs.models import Run
from assess.runs.queries import RunNames, accepted_runs, run_names
from scoring.formats.match_labels import LABELS
from scoring.own_items import renamed_key
from scoring.records import TopicMatches
from scoring.release.recorded_acts import TopicMarks

_LIST = "a list that was uploaded"  # its name may contain the name of a team


def renamed_records(snapshot: Snapshot, export: Export, names: RunNames) -> Iterator[Any]:
    """Return the records of an export with runs under their names in a release."""
    tags = names.tags
    return (renamed(record, tags) for record in collect_records(snapshot, export))


def renamed(record: Any, runs: Mapping[str, str]) -> Any:
    """Return a record in which each run has its name in a release. A record that names no run is returned itself."""
    if isinstance(record, (TopicMarks, TopicMatches)):
        own = {pk: (*said[:2], renamed_key(said[2], runs)) for pk, said in record.items.items() if "@" in said[2]}
        return replace(record, items={**record.items, **own}) if own else record
    known = _naming(type(record))  # type: ignore[arg-type]  # a class is hashable
    if not known:
        return record
    changes: dict[str, Any] = {}
    if "run" in known and record.run in runs:
        changes["run"] = runs[record.run]
    if "key" in known and "@" in record.key:
        changes["key"] = renamed_key(record.key, runs)
    if "response_key" in known and record.response_key:
        changes["response_key"] = renamed_key(record.response_key, runs)
        cited = record.citations
        changes["citations"] = tuple((docno, kind, renamed_key(key, runs)) for docno, kind, key in cited)
    if "fields" in known and LABELS in record.fields:
        said = record.fields
        changes["fields"] = {**said, LABELS: _labels(said[LABELS], runs)}
    return _changed(record, changes) if changes else record


def _changed(record: Any, changes: dict[str, Any]) -> Any:
    """Do what `dataclasses.replace` does in half the time, since there are hundreds of thousands of records."""
    kind: Any = type(record)
    names, values_of = _members(kind)
    return kind(**dict(zip(names, values_of(record), strict=True)) | changes)


@cache
def _members(kind: type) -> tuple[tuple[str, ...], Callable[[Any], tuple[Any, ...]]]:
    """Return the names of the members of a kind of record, and a function that returns their values as a tuple. The
    kind must have at least two members, since `attrgetter` returns no tuple for one.
    """
    names = tuple(field.name for field in fields(kind))
    return names, attrgetter(*names)


@cache
def _naming(kind: type) -> frozenset[str]:
    """Return the names of the fields, in this kind of record, that may contain a run's tag."""
    named = {field.name for field in fields(kind)} if is_dataclass(kind) else set()
    return frozenset(named & {"run", "key", "response_key", "fields"})


def renamed_pools(campaign: Campaign, names: RunNames) -> Iterator[dict[str, Any]]:
    """Yield the recipe and digest of each current pool, with runs and files under their names in a release."""
    tags = names.tags
    gone = _withdrawn(campaign).values_list("file", "tag")
    files = {file: f"the file of {names.withdrawn[tag]}" for file, tag in gone}
    for file, tag in accepted_runs(campaign).values_list("file", "tag"):
        files[file] = f"the file of {names.runs[tag]}"
    for pool in current_pools(campaign).order_by("task"):
        yield {"task": pool.task, "digest": pool.digest, "recipe": _recipe(pool, tags, files)}


def _recipe(pool: Pool, tags: Mapping[str, str], files: Mapping[str, str]) -> dict[str, Any]:
    """Return a pool's recipe in which runs have their names in a release, but only in places that name runs.

    Runs are sorted by these names, since the order of their tags would reveal something about the tags.
    """
    recipe = dict(pool.recipe)
    if "runs" in recipe:
        known = [[tags.get(tag, tag), files.get(file, file)] for tag, file in recipe["runs"]]
        recipe["runs"] = sorted(known, key=lambda run: by_name(run[0]))
    if "ranked" in recipe:
        recipe["ranked"] = {
            kind: {tags.get(tag, tag): counts for tag, counts in found.items()}
            for kind, found in recipe["ranked"].items()
        }
    if "best" in recipe:
        recipe["best"] = {
            kind: {**best, "scores": {tags.get(tag, tag): value for tag, value in best["scores"].items()}}
            for kind, best in recipe["best"].items()
        }
    selection = recipe.get("selection", {})
    if selection.get("union", {}).get("file"):
        recipe["selection"] = {**selection, "union": {**selection["union"], "file": _LIST}}
    return recipe


def names_any(text: str, names: RunNames) -> bool:
    """Return whether a text contains the name of a run or a team as a whole word, in any case."""
    words = "|".join(re.escape(name) for name in names.words if name)
    return bool(words) and re.search(rf"(?<!\w)(?:{words})(?!\w)", text, re.IGNORECASE) is not None


def by_name(name: str) -> tuple[int, str]:
    """Return a sort key that puts RUN-B before RUN-AA."""
    return len(name), name


def _labels(labels: Any, runs: Mapping[str, str]) -> Any:
    """Return labels of `scoring.formats.graded_nuggets` ([batch, run] by key) with renamed runs. Anything else stays as
    it is.
    """
    if not isinstance(labels, dict):
        return labels
    return {renamed_key(key, runs): _label(label, runs) for key, label in labels.items()}


def _label(label: Any, runs: Mapping[str, str]) -> Any:
    if not isinstance(label, list) or len(label) != 2 or not isinstance(label[1], str):
        return label
    return [label[0], runs.get(label[1], label[1])]


def release_names(snapshot: Snapshot, further: Iterable[str] = ()) -> RunNames:
    """Return the names of `run_names`, and words for withdrawn runs and for their teams.

    Replaced runs are withdrawn runs, too. Pools, keys of items that were judged for one run alone, and reasons may
    still name them.
    """
    names = run_names(snapshot.campaign, further, as_of=snapshot.as_of)
    rows = list(_withdrawn(snapshot.campaign).values_list("tag", "team"))
    used = _withdrawn_before(snapshot.campaign)
    free = (name for place in count(1) if (name := f"WITHDRAWN-{letters(place)}") not in used)
    withdrawn = {tag: next(free) for tag, _ in rows}
    return replace(names, withdrawn=withdrawn, gone={team: "a team" for _, team in rows if team})


def _withdrawn_before(campaign: Campaign) -> set[str]:
    """Return the words for runs that were withdrawn before the release from which the campaign was made, as far as its
    items, pools and reasons name them. One query for any other campaign.
    """
    if not campaign.activities.filter(action="release.import").exists():
        return set()
    keys = Item.objects.filter(topic__campaign=campaign, key__contains="@WITHDRAWN-").order_by().values_list("key")
    said = [*keys, *campaign.pools.values_list("recipe"), *campaign.activities.values_list("data")]
    return set(re.findall(r"WITHDRAWN-[A-Z]+", str(said)))


def _withdrawn(campaign: Campaign) -> QuerySet[Run]:
    return campaign.runs.filter(state=Run.State.WITHDRAWN).order_by("file", "id")
