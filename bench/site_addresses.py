"""All addresses of a campaign that can be read, each with somebody who may read it; and the links between pages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import unescape
from typing import Any
from urllib.parse import parse_qsl, urljoin

STAGE_OF = {
    "api-class": "classes",
    "api-match": "matches",
    "api-nugget-list-counting": "matches",
    "api-nugget-list": "nuggets",
    "api-response": "matches",
    "api-review": "matches",
    "api-vote": "votes",
    "classes": "classes",
    "picks": "picks",
    "string-document": "matches",
}
"""The kind of work at whose bench an address is, by how its name begins; others are at the bench of grades."""
OWN = {"work", "look-again", "notices", "topic-drafts"}
OF_WORK = {"assignment_id", "assignment_pk"}
"""Pages of whoever judges, and what addresses of their work are told by; other pages are the organiser's."""
LINKS = re.compile(r'(?:href|src|hx-get)="([^"#]*)')
COMPARED = {"api-disagreement-list": "", "api-agreement-list": "&judges=primary,second"}
OF_PAGES = ("score-explain", "score-judgments")
"""Pages whose calls of the API ask for the same by the same query."""


@dataclass(frozen=True, slots=True)
class Address:
    """A path of the site with its query, and who opens it; of a workbench ``of`` is the stage."""

    name: str
    path: str
    person: str
    of: str = ""

    @property
    def asks(self) -> frozenset[str]:
        """What the query says, each part after the name: its key, and its value where that makes it another page."""
        said = parse_qsl(self.path.partition("?")[2], keep_blank_values=True)
        told = {f"{key}={value}" if key in TOLD or value == ALL else key for key, value in said}
        return frozenset(f"{self.name} {each}" for each in told)

    @property
    def label(self) -> str:
        """The name, with the stage and with what the query asks for."""
        keys = sorted(each.partition(" ")[2] for each in self.asks)
        named = f"{self.name} of {self.of}" if self.of else self.name
        return f"{named} ({', '.join(keys)})" if keys else named


ALL = "all"
TOLD = {"format", "plot", "show", "stage"}
"""Parts of a query whose value says which page it is; of others, one value stands for all."""


def named_patterns() -> dict[str, Any]:
    """Return the patterns of all addresses of the site but the admin site's, by name."""
    from django.urls import URLPattern, get_resolver

    def walk(patterns: list[Any]) -> Iterator[Any]:
        for pattern in patterns:
            if isinstance(pattern, URLPattern):
                yield pattern
            elif pattern.namespace != "admin":
                yield from walk(pattern.url_patterns)

    return {str(pattern.name): pattern for pattern in walk(list(get_resolver().url_patterns))}


def campaign_addresses(campaign: Any, organiser: str) -> tuple[list[Address], list[str]]:
    """Return the addresses for which the campaign has what they name, and the names of those for which it has not."""
    from django.urls import NoReverseMatch, reverse

    found, absent = [], []
    values = _values(campaign)
    for name, pattern in sorted(named_patterns().items()):
        wanted = pattern.pattern.regex.groupindex or pattern.pattern.converters
        person, told = organiser, dict(values)
        work = _work(campaign, name)
        if work is not None:
            told |= _of_work(work)
            is_at_work = name.startswith("api-assignment-") or not OF_WORK.isdisjoint(wanted)
            if name in OWN or (is_at_work and not name.startswith("assignment-")):
                person = work.assessor.username
        told["pk"] = next((told[each] for each in sorted(told, key=len, reverse=True) if name.startswith(each)), None)
        if name == "guide":
            told["name"] = "assessors"
        try:
            if any(told.get(key) is None for key in wanted):
                raise NoReverseMatch
            path = reverse(name, kwargs={key: told[key] for key in wanted})
        except NoReverseMatch:
            absent.append(name)
            continue
        if name != "workbench":
            found.append(Address(name, path + _query(name, campaign), person))
    return [*found, *_benches(campaign)], absent


def _benches(campaign: Any) -> Iterator[Address]:
    """Yield the address of one workbench for each stage that has work."""
    from django.urls import reverse

    from assess.campaigns.queries import track_of

    for stage in [stage for task in track_of(campaign).tasks for stage in task.stages]:
        if (work := _work_of(campaign, [stage.key])) is not None:
            path = reverse("workbench", args=[campaign.slug, work.pk])
            yield Address("workbench", path, work.assessor.username, stage.key)


def linked(page: str, body: str, person: str) -> Iterator[Address]:
    """Yield the addresses to which the page at a path leads: by links, pictures, and fragments that it fetches."""
    from django.urls import Resolver404, resolve, reverse

    for link in dict.fromkeys(LINKS.findall(body)):
        path = urljoin(page, unescape(link))
        found, _, query = path.partition("?")
        try:
            match = resolve(found)
        except Resolver404:
            continue
        yield Address(str(match.url_name), path, person)
        if match.url_name in OF_PAGES:
            call = reverse(f"api-{match.url_name}", kwargs=match.kwargs)
            yield Address(f"api-{match.url_name}", f"{call}?{query}", person)


def _values(campaign: Any) -> dict[str, Any]:
    """Return the first or last of everything that the campaign holds, by what addresses call it; None for nothing."""
    from assess.campaigns.queries import track_of

    track = track_of(campaign)
    topic = campaign.topics.exclude(task="").order_by("ordinal", "pk").first()
    task = next((each for each in track.tasks if each.key == getattr(topic, "task", "")), track.tasks[0])
    seat = campaign.memberships.filter(role="assessor").order_by("pk").first()
    run = campaign.runs.order_by("pk").first()
    pool = campaign.pools.order_by("pk").last()
    job = campaign.jobs.order_by("pk").last()
    numbers = {
        "run_id": run,
        "api-run": run,
        "api-pool": pool,
        "job_id": job,
        "api-job": job,
        "membership_id": seat,
    }
    stage = task.stages[0]
    return {
        **{name: getattr(row, "pk", None) for name, row in numbers.items()},
        "slug": campaign.slug,
        "number": getattr(topic, "number", None),
        "key": track.topic_files[0].key,
        "task": task.key,
        "stage": stage.key,
        "criterion": stage.criteria[0].key if stage.criteria else None,
        "name": track.exports[0].name,
        "version": 1,
    }


def _work(campaign: Any, name: str) -> Any:
    """Return work at the bench to which the address belongs, rather begun than done; None where there is none."""
    from assess.campaigns.queries import track_of

    kind = next((STAGE_OF[each] for each in sorted(STAGE_OF, key=len, reverse=True) if name.startswith(each)), "")
    stages = [stage for task in track_of(campaign).tasks for stage in task.stages]
    return _work_of(campaign, [stage.key for stage in stages if not kind or stage.work.key == kind])


def _work_of(campaign: Any, wanted: list[str]) -> Any:
    work = campaign.assignments.filter(stage__in=wanted, state__in=("started", "done")).select_related("assessor")
    return work.order_by("-state", "pk").first()


def _of_work(work: Any) -> dict[str, Any]:
    from assess.assignments.queries.work_items import handle_of
    from assess.items.models import Item

    item = Item.objects.filter(topic=work.topic_id, pool_items__isnull=False).order_by("pk").first()
    handle = handle_of(work, item.pk) if item is not None else None
    return {"assignment_id": work.pk, "assignment_pk": work.pk, "api-assignment": work.pk, "handle": handle}


def _query(name: str, campaign: Any) -> str:
    """Return the query that an address needs, with its "?"; "" where it needs none."""
    from assess.campaigns.queries import track_of

    if name not in COMPARED:
        return ""
    task = next(each for each in track_of(campaign).tasks if campaign.topics.filter(task=each.key).exists())
    graded: Mapping[str, str] = {stage.key: stage.criteria[0].key for stage in task.stages if stage.criteria} or {
        "votes": "importance"
    }
    stage, criterion = next(iter(graded.items()))
    return f"?stage={stage}&criterion={criterion}{COMPARED[name]}"
