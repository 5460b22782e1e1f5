"""Reads about runs: lists for organisers and participants, names in releases, progress of checks, runs not pooled."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import count

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext, gettext_lazy, ngettext

from assess.base.numbers import grouped
from assess.base.wording import letters, renamed
from assess.campaigns.dates import span_words
from assess.campaigns.models import Campaign
from assess.campaigns.queries import track_of
from assess.items.models import Item
from assess.items.queries import current_pools
from assess.jobs.kinds import CHECK
from assess.jobs.models import Job
from assess.kinds.base import FreezeIssue
from assess.runs.models import Citation, Response, Run, Segment
from scoring.formats.run_rules import ORDER_CODES
from scoring.records import Issue

# Runs: for organisers and participants. No workbench query uses any of this.


def accepted_runs(campaign: Campaign) -> QuerySet[Run]:
    """Return the accepted runs, by tag."""
    return campaign.runs.filter(state=Run.State.ACCEPTED).order_by("tag")


def judged_runs(campaign: Campaign, priorities: Iterable[int]) -> QuerySet[Run]:
    """Return the accepted runs of these priorities, and those without a priority, by tag."""
    runs = accepted_runs(campaign)
    return runs.filter(priority__in=list(priorities)) | runs.filter(priority=None)


def run_replacing(run: Run) -> Run | None:
    """Return the run that replaced this one, or None. One query for a withdrawn run, none for others."""
    if run.state != Run.State.WITHDRAWN:
        return None
    return run.replacements.exclude(state=Run.State.CHECKING).order_by("id").first()


def run_in_place(run: Run) -> Run | None:
    """Return the accepted run that this one will replace when it is accepted, or None."""
    same = Run.objects.filter(campaign=run.campaign_id, state=Run.State.ACCEPTED, tag=run.tag, team=run.team)
    return same.exclude(pk=run.pk).first()


def older_attempts() -> Q:
    """Return the condition for rejected runs after which the same team submitted the same tag again."""
    same = Run.objects.filter(campaign=OuterRef("campaign"), team=OuterRef("team"), tag=OuterRef("tag"))
    return Q(Exists(same.filter(pk__gt=OuterRef("pk"))), state=Run.State.REJECTED)


def runs_with_sizes(runs: QuerySet[Run]) -> QuerySet[Run]:
    """Return the runs, each with ``answered`` (topics it answers) and ``strings`` (segments it returned)."""
    return runs.select_related("submitted_by").annotate(
        answered=Count("responses", distinct=True), strings=Count("responses__segments")
    )


def order_warnings(campaign: Campaign, runs: Iterable[Run]) -> list[Issue]:
    """Return the checker's warnings about ranks that contradict the scores: one of each kind.

    Each gives the first run concerned and the names of the others. One query, since lists of runs leave the reports
    unread.
    """
    ranked = {each.key for each in track_of(campaign).submissions if any(one.blocks for one in each.rankings)}
    found: dict[str, list[tuple[str, str]]] = {}
    runs = [run for run in runs if run.submission in ranked]
    asked = [run.pk for run in runs]
    reports = dict(Run.objects.filter(pk__in=asked).values_list("pk", "report")) if asked else {}
    for run in runs:
        for row in reports.get(run.pk, ()):
            if row["code"] in ORDER_CODES:
                found.setdefault(row["code"], []).append((run.tag, row["message"]))
    issues = []
    for code, ((tag, message), *others) in sorted(found.items()):
        more = named_runs([tag for tag, _ in others])
        also = f" The same holds of {len(others):,} more: {more}." if others else ""
        issues.append(Issue(where="", code=code, message=f"{tag}: {message}{also}", severity="warning"))
    return issues


def any_strings(runs: QuerySet[Run]) -> bool:
    """Return whether any of these runs returned segments. One query."""
    return Segment.objects.filter(response__run__in=runs.order_by()).exists()


def returned_items(runs: QuerySet[Run], *, task: str, kind: str, depth: int | None = None) -> list[QuerySet[Item]]:
    """Return the items of a kind that these runs returned for a task's topics, as two query sets.

    The first has items returned as segments, the second items that were cited or are whole responses. An item may be in
    both, once in each: a single query would take the database three times as long. With ``depth``, only segments with
    an ordinal up to it count, and their citations.
    """
    segments = Segment.objects.filter(response__run__in=runs, response__topic__task=task)
    citations = Citation.objects.filter(segment__response__run__in=runs, item__topic__task=task, item__kind=kind)
    responses = Response.objects.filter(run__in=runs, topic__task=task, item__kind=kind)
    if depth is not None:
        segments = segments.filter(ordinal__lte=depth)
        citations = citations.filter(segment__ordinal__lte=depth)
    found = Item.objects.filter(pk__in=segments.filter(item__kind=kind).values("item"))
    cited = Item.objects.filter(pk__in=citations.values("item"))
    return [found.order_by(), (cited | Item.objects.filter(pk__in=responses.values("item"))).order_by()]


def returned_in_order(runs: QuerySet[Run], *, kind: str) -> Iterator[tuple[int, int]]:
    """Yield (response id, item id) for the items of a kind that these runs returned, then for those that they cite.

    Returned items come in the order of each response, cited ones in the order of the citations. Two queries.
    """
    segments = Segment.objects.filter(response__run__in=runs, item__kind=kind)
    yield from segments.order_by("response", "ordinal").values_list("response_id", "item_id").iterator(5_000)
    cited = Citation.objects.filter(segment__response__run__in=runs, item__kind=kind)
    in_order = cited.order_by("segment__response", "segment__ordinal", "ordinal")
    yield from in_order.values_list("segment__response_id", "item_id").iterator(5_000)


# The names of runs and teams in a release, which do not reveal whose run is whose.


@dataclass(frozen=True, kw_only=True, slots=True)
class RunNames:
    """The names of runs ("RUN-A" by tag) and teams ("TEAM-A" by team) in releases.

    ``key`` gives for each run: tag, name, team, team's name, file name. ``withdrawn`` and ``gone`` are words for runs
    and teams that a release does not have but may still name (`assess.releases.domain.renamed_runs.release_names`).
    """

    runs: dict[str, str]
    teams: dict[str, str]
    key: tuple[tuple[str, str, str, str, str], ...]
    withdrawn: dict[str, str] = field(default_factory=dict)
    gone: dict[str, str] = field(default_factory=dict)

    @property
    def tags(self) -> dict[str, str]:
        """What stands for each tag: the name of its run, or else the word for a withdrawn one."""
        return {**self.withdrawn, **self.runs}

    @property
    def words(self) -> dict[str, str]:
        """What stands in texts for each team and each tag."""
        return {**self.gone, **self.teams, **self.tags}

    def key_lines(self) -> list[str]:
        """Return the key as lines of tab-separated values, with a header."""
        rows = [("name", "tag", "team-name", "team", "file"), *self.key]
        return ["\t".join(" ".join(cell.split()) for cell in row) + "\n" for row in rows]


def run_names(campaign: Campaign, further: Iterable[str] = (), *, as_of: int | None = None) -> RunNames:
    """Return the names of runs and teams in a release as of a ledger point.

    Names are given to all accepted runs, the ``further`` tags that exist only in judgments, and teams without a run
    that accepted the user agreement. Runs accepted and agreements made after the ledger point are left out, since they
    would change the names of a release that is made again. The order is derived from digests of the files, not from
    tags or teams, and never changes. Runs that a published release named keep their names: later runs follow, and the
    name of a withdrawn run is not used again. A campaign made from a release keeps the names of that release.
    """
    found = [
        (since, run.tag, run.team, run.file, run.file_name) for since, run in named_in_releases(campaign, as_of=as_of)
    ]
    found += [(0, tag, "", "", "") for tag in sorted(set(further) - {tag for _, tag, *_ in found})]
    found.sort(key=lambda row: (row[0], hashlib.sha256("\0".join((campaign.slug, row[3], row[1])).encode()).digest()))
    rows = [(tag, team, file, name) for _, tag, team, file, name in found]
    kept = _released_names(campaign)
    runs = _named("RUN", [tag for tag, *_ in rows], kept)
    named: list[str] = []
    for release, point in enumerate((*_points_before(campaign, as_of), as_of)):
        named += [team for since, _, team, *_ in found if since == release and team]
        named += _silent_teams(campaign, set(named), point)
    silent = set(named) - {team for _, team, *_ in rows}
    teams = _named("TEAM", named, kept)
    key = [(runs[tag], tag, teams.get(team, ""), team, name) for tag, team, _, name in rows]
    key.sort(key=lambda row: (len(row[0]), row[0]))
    without_runs = sorted(("", "", teams[team], team, "") for team in silent)
    return RunNames(runs=runs, teams=teams, key=(*key, *without_runs))


def named_in_releases(campaign: Campaign, *, as_of: int | None = None) -> list[tuple[int, Run]]:
    """Return the runs that a release as of ``as_of`` names, by tag, each with the number of releases published before
    it.

    They are the runs accepted up to then, and those withdrawn since a published release named them. The number counts
    the releases that were published before the run was accepted. Two queries if no release was published and no point
    is given, otherwise four.
    """
    accepted = list(accepted_runs(campaign))
    points = list(campaign.releases.filter(published=True).order_by("as_of").values_list("as_of", flat=True))
    if not points and as_of is None:
        return [(0, run) for run in accepted]
    acts = campaign.activities.filter(action__in=("run.accept", "run.withdraw")).order_by("id")
    at = {(int(pk), action): point for pk, action, point in acts.values_list("object_id", "action", "id")}
    gone = [
        (at.get((run.pk, "run.accept"), 0), at.get((run.pk, "run.withdraw"), 0), run)
        for run in campaign.runs.filter(state=Run.State.WITHDRAWN)
    ]
    named = [run for came, went, run in gone if any(0 < came < point < went for point in points)]
    found = [(at.get((run.pk, "run.accept"), 0), run) for run in (*named, *accepted)]
    since = [(sum(point < came for point in points), run) for came, run in found if as_of is None or came <= as_of]
    return sorted(since, key=lambda each: (each[1].tag, each[1].pk))


def _points_before(campaign: Campaign, as_of: int | None) -> list[int]:
    """Return the ledger points of published releases before a point, in order."""
    points = campaign.releases.filter(published=True).order_by("as_of").values_list("as_of", flat=True)
    return list(points if as_of is None else points.filter(as_of__lt=as_of))


def without_names(campaign: Campaign, text: str) -> str:
    """Return an organiser's text for assessors to read, without tags of runs and names of teams.

    Two queries, or none if the text is empty.
    """
    if not text:
        return ""
    runs = campaign.runs.order_by().values_list("tag", "team").distinct()
    seats = campaign.memberships.exclude(team="").order_by().values_list("team", flat=True).distinct()
    tags, teams = {tag for tag, _ in runs}, {*seats, *(team for _, team in runs)}
    return renamed(text, {**dict.fromkeys(teams, "a team"), **dict.fromkeys(tags, "a run")})


def _silent_teams(campaign: Campaign, known: Collection[str], as_of: int | None) -> list[str]:
    """Return the teams that accepted a user agreement but have no run here, in an order that reveals nothing about
    them.
    """
    told = campaign.activities.filter(action="agreement.accept")
    told = told if as_of is None else told.filter(id__lte=as_of)
    silent = set(told.order_by().values_list("data__team", flat=True)) - set(known)
    return sorted(silent, key=lambda team: hashlib.sha256("\0".join((campaign.slug, "", team)).encode()).digest())


def _named(kind: str, words: Sequence[str], kept: Collection[str]) -> dict[str, str]:
    """Return a name for each word: the word itself if it must be kept, otherwise the next free name."""
    names = {word: word for word in words if word in kept}
    free = (name for name in (f"{kind}-{letters(place)}" for place in count(1)) if name not in kept)
    return {word: names.get(word) or next(free) for word in dict.fromkeys(words)}


def _released_names(campaign: Campaign) -> set[str]:
    """Return the names of runs and teams in the release from which the campaign was made; empty if there was none."""
    found = campaign.activities.filter(action="release.import").values_list("data", flat=True).first()
    return set(found.get("names", ())) if found else set()


# How far the check of a run is.

PATIENCE = timedelta(seconds=30)
"""If a job waits this long while no other job is being done, no worker is running."""


LOST = gettext_lazy(
    "The worker that checked it was lost. The next one goes on by itself. If this stays, tell the organiser: the "
    "background worker of the site does not run (manage.py db_worker)."
)


@dataclass(frozen=True, kw_only=True, slots=True)
class RunCheck:
    """The check of a run in words: what is happening, and how far it is (``done`` of ``total`` bytes).

    ``is_busy`` means that it continues by itself, so that a page should look again; ``is_stuck`` that a person should
    restart it.
    """

    sentence: str
    done: int = 0
    total: int = 0
    is_busy: bool = True
    is_stuck: bool = False

    @property
    def percent(self) -> int:
        """How much of the file has been read, in percent."""
        return 100 * self.done // self.total if self.total else 0


def newest_check(run: Run) -> Job | None:
    """Return the newest job that checks this run, or None."""
    return Job.objects.filter(campaign=run.campaign_id, kind=CHECK, arguments__run=run.pk).order_by("-id").first()


def run_check(run: Run, *, now: datetime) -> RunCheck:
    """Return how far the check of a run is. At most three queries."""
    work = newest_check(run)
    if work is None:
        return RunCheck(sentence=gettext("Nobody checks this run."), is_busy=False, is_stuck=True)
    if work.state == Job.State.WAITING:
        return _waiting(work, now)
    if work.state == Job.State.RUNNING:
        if work.is_lost():
            return RunCheck(sentence=str(LOST), is_stuck=True)
        said = work.message or gettext("the check begins")
        return RunCheck(
            sentence=gettext("Being checked: %(said)s.") % {"said": said}, done=work.done, total=work.total or run.size
        )
    if work.state == Job.State.DONE:
        return RunCheck(sentence=work.message)
    sentence = (
        gettext("The check was stopped. %(work)s") % {"work": work.message}
        if work.state == Job.State.STOPPED
        else work.message
    )
    return RunCheck(sentence=sentence, is_busy=False, is_stuck=True)


def _waiting(work: Job, now: datetime) -> RunCheck:
    ahead = Job.objects.filter(state=Job.State.WAITING, pk__lt=work.pk).count()
    is_worked = any(not each.is_lost() for each in Job.objects.filter(state=Job.State.RUNNING))
    if is_worked or now - work.updated_at < PATIENCE:
        if not ahead:
            return RunCheck(sentence=gettext("The file was received completely and waits for the checker."))
        said = ngettext(
            "The file was received completely and waits for the checker, %(ahead)s job before it.",
            "The file was received completely and waits for the checker, %(ahead)s jobs before it.",
            ahead,
        )
        return RunCheck(sentence=said % {"ahead": ahead})
    span = span_words(now - work.updated_at)
    sentence = gettext(
        "The file was received completely, but nobody has taken up the check for %(span)s. If this goes on, tell the "
        "organiser: the background worker of the site does not run (manage.py db_worker)."
    ) % {"span": span}
    return RunCheck(sentence=sentence)


# Runs accepted after the pools were built: they are scored, although what they returned was never pooled.


def contributed_to_pool(pooled: Set[tuple[str, str]], tag: str, file: str) -> bool:
    """Return whether a run was used for a pool. In a pool from a release, files are named after their runs."""
    return (tag, file) in pooled or (tag, f"the file of {tag}") in pooled


def count_runs_being_checked(campaign: Campaign) -> int:
    """Return the number of runs that are being checked. One query."""
    return campaign.runs.filter(state=Run.State.CHECKING).count()


def runs_not_pooled(campaign: Campaign) -> list[str]:
    """Return the tags of accepted runs that have a pool's priorities but were not used for it.

    A run that was considered but was not among the best by a measure counts as used. One query, and one for each pool.
    """
    tags: set[str] = set()
    for recipe in current_pools(campaign).values_list("recipe", flat=True):
        if "runs" in recipe:
            priorities = recipe.get("priorities")
            runs = accepted_runs(campaign) if priorities is None else judged_runs(campaign, priorities)
            pooled = {tuple(run) for run in recipe["runs"]}
            ranked = {tag for best in recipe.get("best", {}).values() for tag in best["scores"]}
            for tag, file in runs.values_list("tag", "file"):
                if tag not in ranked and not contributed_to_pool(pooled, tag, file):
                    tags.add(tag)
    return sorted(tags)


def named_runs(tags: list[str]) -> str:
    """Return the first of these tags, for a sentence.

    >>> named_runs(["a", "b"]), named_runs(list("abcdef"))
    ('a, b', 'a, b, c, d, e, …')
    """
    return ", ".join(tags[:5]) + (", …" if len(tags) > 5 else "")


def runs_left_out(campaign: Campaign) -> Iterator[FreezeIssue]:
    """Yield a freeze issue if accepted runs were not used for a pool."""
    tags = runs_not_pooled(campaign)
    if tags:
        said = ngettext(
            "%(count)s run was accepted after the pool was built, so what nobody else returned stays unjudged: "
            "%(runs)s.",
            "%(count)s runs were accepted after the pool was built, so what nobody else returned stays unjudged: "
            "%(runs)s.",
            len(tags),
        )
        yield FreezeIssue(
            code="runs-not-pooled",
            severity="warning",
            count=len(tags),
            text=said % {"count": grouped(len(tags)), "runs": named_runs(tags)},
            page="pool",
            action=gettext("Build it again"),
        )
