"""The freeze check: whether every assignment adds up, and what is missing where."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext, ngettext, pgettext

from assess.adjudication.queries.disagreements import stages_to_settle, undecided
from assess.assignments.models import Assignment, HelpRequest
from assess.assignments.queries.topics import unassigned_stages, unassigned_text
from assess.base.numbers import grouped
from assess.campaigns.models import Campaign
from assess.documents.queries.documents import pooled_without_document
from assess.items.models import Item, PoolItem
from assess.items.queries import current_pools
from assess.jobs.models import Job
from assess.kinds.base import FreezeIssue, kinds
from assess.organising.queries.earlier_versions import allowed_in_earlier_versions
from assess.organising.queries.overview import pool_missing, unpooled_tasks
from assess.organising.queries.scales import values_off_scale
from assess.progress.queries.assignment_progress import AssignmentProgress, progress_of_assignments
from assess.progress.queries.counted import Counts
from assess.runs.models import Run
from assess.runs.queries import named_runs, runs_left_out
from assess.topics.queries import not_asked

STOPPED = Assignment.State.STOPPED
FINISHED = (Assignment.State.DONE, "empty", STOPPED)
SEE_WHO = {"page": "freeze", "query": "?show=missing#pieces"}
"""The link to the assignments that do not add up, on the page of freezing itself."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Account:
    """The numbers of one assignment. ``total`` items are pooled for it: ``done`` (judged or excused) plus ``left``.

    ``place`` orders assignments by topic and stage. ``state`` is "empty" if the assignment has nothing to do.
    """

    place: int
    topic: str
    stage: str
    assessor: str
    role: str
    role_label: str
    state: str
    unit: str
    total: int
    done: int
    left: int

    @property
    def adds_up(self) -> bool:
        """Whether the assignment is done or empty and has nothing left, or its judging was stopped."""
        return self.state in FINISHED and (not self.left or self.state == STOPPED)


@dataclass(frozen=True, kw_only=True, slots=True)
class FreezeState:
    """What is missing (errors first), and the numbers of every assignment."""

    issues: tuple[FreezeIssue, ...]
    accounts: tuple[Account, ...]

    @property
    def errors(self) -> tuple[FreezeIssue, ...]:
        """The issues that must be resolved first."""
        return tuple(issue for issue in self.issues if issue.severity == "error")

    @property
    def warnings(self) -> tuple[FreezeIssue, ...]:
        """The issues that an organiser may pass over with a reason."""
        return tuple(issue for issue in self.issues if issue.severity == "warning")

    @property
    def total(self) -> int:
        """The number of items to judge, over all assignments."""
        return sum(account.total for account in self.accounts)

    @property
    def done(self) -> int:
        """The number of items that are judged or excused."""
        return sum(account.done for account in self.accounts)


def freeze_state(campaign: Campaign, counts: Counts | None = None) -> FreezeState:
    """Return what is missing before the campaign can be frozen, and the numbers of every assignment.

    It takes the queries of `progress_of_assignments`, of `undecided` and of the checks of the kinds of work, and a few
    more. With complete ``counts`` (`count_work`) it gives the same result without reading every judgment.
    """
    pieces = [
        piece for piece in progress_of_assignments(campaign, counts=counts) if not _is_decisions(piece.assignment)
    ]
    accounts = tuple(_account(place, piece) for place, piece in enumerate(pieces))
    issues = [*_unfinished(accounts), *_not_handed_out(campaign), *_open_questions(campaign)]
    issues += [*_under_way(campaign), *_disagreements(campaign)]
    issues += [*allowed_in_earlier_versions(campaign), *_repeats_in_pools(campaign)]
    issues += [*runs_left_out(campaign), *_topics_left_out(campaign), *_off_scale(campaign)]
    issues += _without_documents(campaign)
    issues += [issue for kind in kinds().values() for check in kind.checks for issue in check(campaign)]
    return FreezeState(issues=tuple(sorted(issues, key=lambda issue: issue.severity)), accounts=accounts)


def _is_decisions(work: Assignment) -> bool:
    """Return whether the assignment is a done one of an adjudicator: its decisions concern the disagreements alone, not
    all pooled items.
    """
    return work.role == Assignment.Role.ADJUDICATOR and work.state == Assignment.State.DONE


def _account(place: int, piece: AssignmentProgress) -> Account:
    work = piece.assignment
    return Account(
        place=place,
        topic=work.topic.number,
        stage=piece.stage_label,
        assessor=work.assessor.username,
        role=work.role,
        role_label=str(Assignment.Role(work.role).label),  # get_role_display looks at all choices for each
        state=piece.state,
        unit=piece.tally.unit,
        total=piece.tally.total,
        done=min(piece.tally.done, piece.tally.total),
        left=piece.tally.left,
    )


def _unfinished(accounts: tuple[Account, ...]) -> Iterator[FreezeIssue]:
    """Yield issues for work that is not done, and for done work that has items left because the pool or a list grew."""
    people = [account for account in accounts if account.role != Assignment.Role.MACHINE]
    not_done = [account for account in people if account.state not in FINISHED]
    if not_done:
        left = sum(account.left for account in not_done)
        text = ngettext(
            "%(count)s assignment not done, with %(items)s left. Have it finished, take it back, or stop judging "
            "on the overview (Change state).",
            "%(count)s assignments not done, with %(items)s left. Have them finished, take them back, or stop judging "
            "on the overview (Change state).",
            len(not_done),
        ) % {
            "count": grouped(len(not_done)),
            "items": ngettext("%(count)s item", "%(count)s items", left) % {"count": grouped(left)},
        }
        yield FreezeIssue(
            code="not-done", severity="error", count=len(not_done), text=text, action=gettext("See who"), **SEE_WHO
        )
    fallen = [account for account in people if account.state == Assignment.State.DONE and account.left]
    if fallen:
        left = sum(account.left for account in fallen)
        works = ngettext("%(count)s assignment", "%(count)s assignments", len(fallen)) % {"count": grouped(len(fallen))}
        if len(fallen) == 1:
            text = ngettext(
                "%(works)s marked as done, but %(count)s item of it is not judged (a pool or a list has grown since). "
                "Have it taken up again.",
                "%(works)s marked as done, but %(count)s items of it are not judged (a pool or a list has grown "
                "since). Have it taken up again.",
                left,
            )
        else:
            text = ngettext(
                "%(works)s marked as done, but %(count)s item of them is not judged (a pool or a list has grown "
                "since). Have it taken up again.",
                "%(works)s marked as done, but %(count)s items of them are not judged (a pool or a list has grown "
                "since). Have it taken up again.",
                left,
            )
        text %= {"works": works, "count": grouped(left)}
        yield FreezeIssue(
            code="left-over", severity="error", count=left, text=text, action=gettext("See who"), **SEE_WHO
        )


def _not_handed_out(campaign: Campaign) -> Iterator[FreezeIssue]:
    unpooled = unpooled_tasks(campaign)
    if unpooled:
        text = pool_missing(campaign, unpooled)
        yield FreezeIssue(
            code="no-pool", severity="error", count=len(unpooled), text=text, page="pool", action=gettext("Build it")
        )
    unassigned = unassigned_stages(campaign)
    if unassigned:
        topics = len({topic for topic, _ in unassigned})
        said = unassigned_text(campaign, stages=len(unassigned), topics=topics)
        yield FreezeIssue(
            code="not-handed-out",
            severity="warning",
            count=len(unassigned),
            text=f"{said} {gettext('What is pooled there stays unjudged.')}",
            page="assignments",
            action=gettext("Hand it out"),
        )


def _open_questions(campaign: Campaign) -> Iterator[FreezeIssue]:
    waiting = HelpRequest.objects.filter(
        assignment__campaign=campaign, assignment__topic__dropped=False, answered_at=None
    ).count()
    if waiting:
        text = ngettext(
            "%(count)s question of assessors waits for an answer.",
            "%(count)s questions of assessors wait for an answer.",
            waiting,
        ) % {"count": grouped(waiting)}
        yield FreezeIssue(
            code="questions",
            severity="error",
            count=waiting,
            text=text,
            page="questions",
            action=pgettext("act", "Answer"),
            query="?answered=no",
        )


def _under_way(campaign: Campaign) -> Iterator[FreezeIssue]:
    checking = campaign.runs.filter(state=Run.State.CHECKING).count()
    if checking:
        text = ngettext(
            "%(count)s run still being checked. Wait, or withdraw.",
            "%(count)s runs still being checked. Wait, or withdraw.",
            checking,
        ) % {"count": grouped(checking)}
        yield FreezeIssue(
            code="checking", severity="error", count=checking, text=text, page="runs", action=gettext("See the runs")
        )
    busy = campaign.jobs.filter(state__in=Job.UNDER_WAY).exclude(kind="release").count()
    if busy:
        text = ngettext(
            "%(count)s background job not ended. Wait, or stop it.",
            "%(count)s background jobs not ended. Wait, or stop it.",
            busy,
        ) % {"count": grouped(busy)}
        yield FreezeIssue(
            code="jobs", severity="error", count=busy, text=text, page="documents", action=gettext("See the jobs")
        )


def _disagreements(campaign: Campaign) -> Iterator[FreezeIssue]:
    """Yield an issue for disagreements that an adjudicator should decide but has not (`Adjudication.is_choice`)."""
    open_ones = undecided(campaign, stages_to_settle(campaign))
    if open_ones:
        text = ngettext(
            "%(count)s disagreement that nobody decided: the primary assessor's value counts.",
            "%(count)s disagreements that nobody decided: the primary assessor's value counts.",
            open_ones,
        ) % {"count": grouped(open_ones)}
        yield FreezeIssue(
            code="disagreements",
            severity="warning",
            count=open_ones,
            text=text,
            page="adjudication",
            action=gettext("Decide"),
        )


def _repeats_in_pools(campaign: Campaign) -> Iterator[FreezeIssue]:
    """Yield an issue if pools contain repeated items. Those are for assessors only, but would be exported and
    scored.
    """
    pools = current_pools(campaign)
    wrong = PoolItem.objects.filter(pool__in=pools, item__in=Item.objects.filter(repeats__isnull=False)).count()
    if wrong:
        text = ngettext(
            "%(count)s repeated item in a pool, where they would be exported. Build the pool again.",
            "%(count)s repeated items in a pool, where they would be exported. Build the pool again.",
            wrong,
        ) % {"count": grouped(wrong)}
        yield FreezeIssue(
            code="plants-pooled",
            severity="error",
            count=wrong,
            text=text,
            page="pool",
            action=gettext("Build it again"),
        )


def _topics_left_out(campaign: Campaign) -> Iterator[FreezeIssue]:
    """Yield an issue for topics that were dropped when their pool was built, and restored since. One query if none was
    ever restored.
    """
    acts = campaign.activities.filter(action__in=("topics.drop", "topics.restore")).order_by("id")
    changes = list(acts.values_list("id", "action", "data__topics"))
    if all(action == "topics.drop" for _, action, _ in changes):
        return
    pools = {str(pool.pk): pool.task for pool in current_pools(campaign)}
    builds = campaign.activities.filter(action="pool.build", object_id__in=pools).values_list("object_id", "id")
    counted = campaign.topics.exclude(pk__in=not_asked(campaign)).order_by("ordinal", "id")
    of_task: dict[str, list[str]] = {}
    for number, task in counted.values_list("number", "task"):
        of_task.setdefault(task, []).append(number)
    left: list[str] = []
    for pool, build in builds.order_by("id"):
        last = {number: action for act, action, numbers in changes if act < build for number in numbers}
        left += [number for number in of_task.get(pools[pool], ()) if last.get(number) == "topics.drop"]
    if left:
        text = ngettext(
            "%(count)s topic was restored after the pool was built, and is not in it: %(topics)s.",
            "%(count)s topics were restored after the pool was built, and are not in it: %(topics)s.",
            len(left),
        ) % {"count": grouped(len(left)), "topics": named_runs(left)}
        yield FreezeIssue(
            code="topics-not-pooled",
            severity="warning",
            count=len(left),
            text=text,
            page="pool",
            action=gettext("Build it again"),
        )


def _off_scale(campaign: Campaign) -> Iterator[FreezeIssue]:
    """Yield an issue for values that fit no scale under the current settings: a release with them could not be
    loaded.
    """
    off = values_off_scale(campaign)
    if off:
        number = sum(each.count for each in off)
        what = "; ".join(map(str, off[:3])) + ("; …" if off[3:] else "")
        text = ngettext(
            "%(count)s judgment is not on the scale that the settings give: %(what)s. Set what was set when they were "
            "made, or have them judged again.",
            "%(count)s judgments are not on the scale that the settings give: %(what)s. Set what was set when they "
            "were made, or have them judged again.",
            number,
        ) % {"count": grouped(number), "what": what}
        yield FreezeIssue(
            code="off-scale",
            severity="error",
            count=number,
            text=text,
            page="settings",
            action=gettext("See the settings"),
        )


def _without_documents(campaign: Campaign) -> Iterator[FreezeIssue]:
    """Yield an issue for pooled items without a stored document: their assessors could not read the documents here."""
    bare = pooled_without_document(campaign)
    if bare:
        text = ngettext(
            "%(count)s pooled item without a document to show.",
            "%(count)s pooled items without a document to show.",
            bare,
        ) % {"count": grouped(bare)}
        yield FreezeIssue(
            code="no-document",
            severity="warning",
            count=bare,
            text=text,
            page="documents",
            action=gettext("Load documents"),
        )
