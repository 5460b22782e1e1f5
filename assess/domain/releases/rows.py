"""What a release says of a campaign's topics, items, pools and runs, checked row by row and stored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from django.contrib.auth.models import User

from assess.domain.campaigns.campaigns import create_campaign
from assess.domain.files import open_file, store_file
from assess.domain.judging.items import require_fitting
from assess.domain.runs.rows import store_run
from assess.domain.topics import add_topics
from assess.models import Campaign, Guideline, Item, Pool, PoolItem, Run, Topic
from assess.protocol import CheckContext, ItemRecord, RunContent
from assess.protocol.topic_lines import read_topic_lines
from assess.queries.topics.listing import topic_records
from assess.queries.tracks import settings_of, track_of
from scoring.json_reading import Flaw, parse_json
from scoring.reading import text_lines
from scoring.records import Issue, has_errors
from scoring.releases import GUIDELINES, ITEMS, POOLS, SIZE_LIMIT, TOPICS, BadRelease, Release

TAG_LIMIT = 100
BATCH = 2_000
ITEM_MEMBERS = {"topic": str, "kind": str, "key": str, "text": str, "docno": str, "fields": dict, "given": bool}
POOL_MEMBERS = {
    "task": str,
    "topic": str,
    "kind": str,
    "key": str,
    "stratum": str,
    "probability": float | int,
    "place": int | None,
}
RUN_MEMBERS = {
    "name": str,
    "team": str,
    "submission": str,
    "priority": int | None,
    "automatic": bool,
    "fields": dict,
    "file": str | None,
}

Shape = Mapping[str, Any]


class ReleaseRows:
    """The tables of a release as rows of the members that they must have; `BadRelease` names the line that has not."""

    def __init__(self, release: Release) -> None:
        self.release = release

    def table(self, name: str, members: Shape) -> Iterator[dict[str, Any]]:
        """The objects of a file of JSON lines."""
        if name not in self.release.files:
            raise BadRelease(f"it has no {name}")
        with self.release.path(name).open("rb") as file:
            for line in text_lines(file):
                if isinstance(line, Issue):
                    raise BadRelease(f"{name}: line {line.where}: {line.message}")
                yield checked_row(parse_json(line[1]), members, f"{name}: line {line[0]}")


def checked_row(value: Any, members: Shape, where: str) -> dict[str, Any]:
    """An object with these members of these types and no others."""
    if isinstance(value, Flaw) or not isinstance(value, dict) or value.keys() != members.keys():
        raise BadRelease(f"{where} is no object with {', '.join(members)}")
    for name, kind in members.items():
        if not isinstance(value[name], kind) or (isinstance(value[name], bool) and kind is not bool):
            raise BadRelease(f"{where}: “{name}” is of another type than it must be")
        if isinstance(value[name], str) and "\0" in value[name]:
            raise BadRelease(f"{where}: “{name}” holds a character that can't be stored")
    return value


def make_campaign(*, actor: User, rows: ReleaseRows, slug: str, title: str) -> Campaign:
    """A campaign in set-up with the release's guidelines, topics, items, pools and runs. Needs a transaction."""
    manifest = rows.release.manifest
    about = manifest["campaign"].get("title")
    campaign = create_campaign(
        actor=actor,
        slug=slug,
        title=title or (about if isinstance(about, str) else slug),
        track=manifest["track"],
        settings=manifest["settings"],
    )
    _add_guidelines(actor, campaign, rows.release)
    _add_topics(actor, campaign, rows.release)
    topics = {topic.number: topic for topic in campaign.topics.all()}
    items = _add_items(rows, topics)
    _add_pools(campaign, rows, items)
    for number, run in enumerate(manifest["runs"], start=1):
        _add_run(actor, campaign, rows.release, checked_row(run, RUN_MEMBERS, f"manifest.json: run {number}"))
    return campaign


def _add_guidelines(actor: User, campaign: Campaign, release: Release) -> None:
    count = release.manifest.get("guidelines")
    if type(count) is not int or not all(f"{GUIDELINES}/{place}.md" in release.files for place in range(1, count + 1)):
        raise BadRelease("the versions of the guidelines are not all there")
    campaign.guidelines.all().delete()
    for place in range(1, count + 1):
        text = release.path(f"{GUIDELINES}/{place}.md").read_text(encoding="utf-8", errors="replace").replace("\0", "")
        Guideline.objects.create(campaign=campaign, version=place, text=text, published_by=actor)


def _add_topics(actor: User, campaign: Campaign, release: Release) -> None:
    if TOPICS not in release.files:
        raise BadRelease(f"it has no {TOPICS}")
    with release.path(TOPICS).open("rb") as file:
        add_topics(actor=actor, campaign=campaign, records=read_topic_lines(file), name=TOPICS)


_ItemKey = tuple[str, str, str]


def _add_items(rows: ReleaseRows, topics: Mapping[str, Topic]) -> dict[_ItemKey, int]:
    """The items in their order; their ids by topic, kind and key."""
    made: list[Item] = []
    for number, row in enumerate(rows.table(ITEMS, ITEM_MEMBERS), start=1):
        if row["topic"] not in topics:
            raise BadRelease(f"{ITEMS}: line {number} is of no topic of the release")
        given = row.pop("given")
        require_fitting(ItemRecord(**row))
        made.append(Item(**{**row, "topic": topics[row["topic"]]}, given=given))
    stored = Item.objects.bulk_create(made, batch_size=BATCH)
    return {(item.topic.number, item.kind, item.key): item.pk for item in stored}


def _add_pools(campaign: Campaign, rows: ReleaseRows, items: Mapping[_ItemKey, int]) -> None:
    pools: dict[str, Pool] = {}
    for number, said in enumerate(rows.release.manifest["pools"], start=1):
        shape = {"task": str, "digest": str, "recipe": dict}
        row = checked_row(said, shape, f"manifest.json: pool {number}")
        pools[row["task"]] = Pool.objects.create(campaign=campaign, **row)
    members = []
    for number, row in enumerate(rows.table(POOLS, POOL_MEMBERS), start=1):
        item = items.get((row["topic"], row["kind"], row["key"]))
        if row["task"] not in pools or item is None:
            raise BadRelease(f"{POOLS}: line {number} is of no pool or no item of the release")
        members.append(
            PoolItem(
                pool=pools[row["task"]],
                item_id=item,
                stratum=row["stratum"],
                probability=row["probability"],
                place=row["place"],
            )
        )
    PoolItem.objects.bulk_create(members, batch_size=BATCH)


def _add_run(actor: User, campaign: Campaign, release: Release, said: dict[str, Any]) -> None:
    """An accepted run with what it returned. It passed the check where it was submitted; here it must be readable."""
    name, submission = said["name"], track_of(campaign).submission(said["submission"])
    if said["file"] is None:
        return
    if submission is None or said["file"] not in release.files or not 0 < len(name) <= TAG_LIMIT:
        raise BadRelease(f"the run {name[:TAG_LIMIT]} has no file, or is of no kind that its track knows")
    with release.path(said["file"]).open("rb") as file:
        kept = store_file(file, SIZE_LIMIT)
    if submission.unreadable is not None:
        with open_file(kept.sha256) as file:
            if has_errors(submission.unreadable(file)):
                raise BadRelease(f"the file of {name} can't be read by its track")
    run = Run.objects.create(
        campaign=campaign,
        submission=submission.key,
        tag=name,
        team=said["team"][:50],
        priority=said["priority"],
        automatic=said["automatic"],
        fields=said["fields"],
        file=kept.sha256,
        file_name=said["file"].rsplit("/", 1)[-1],
        size=kept.size,
        state=Run.State.ACCEPTED,
        submitted_by=actor,
    )
    context = CheckContext(topics=topic_records(campaign), settings=settings_of(campaign))
    content = RunContent(submission=submission, open=partial(open_file, kept.sha256), context=context)
    known = {topic.number for topic in context.topics}
    ranked = [line.topic for kind in submission.rankings for line in content.ranking(kind.kind) if line.topic in known]
    store_run(
        run=run,
        segments=list(content.segments()),
        responses=list(content.responses()),
        ranked_topics=dict.fromkeys(ranked),
    )
