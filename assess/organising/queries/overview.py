"""What an organiser sees first: the state of the campaign in numbers that add up, and the next step."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Q
from django.utils.translation import gettext, ngettext, pgettext

from assess.adjudication.queries.disagreements import open_disagreements
from assess.assignments.models import Assignment, HelpRequest
from assess.assignments.queries.topics import unassigned_stages, unassigned_text
from assess.assignments.queries.who_can_be_given_work import people_of
from assess.base.numbers import grouped
from assess.campaigns.grown_work import OPENED_AGAIN
from assess.campaigns.models import Campaign, Role
from assess.campaigns.queries import drafting_of, frozen_point, is_corrected, stage_of, track_of
from assess.documents.queries.documents import document_counts
from assess.items.models import Item
from assess.items.queries import current_pools
from assess.jobs.models import Job
from assess.practice.queries import used_up
from assess.runs.models import Run
from assess.runs.queries import named_runs, runs_not_pooled
from assess.topic_drafts.queries import count_sent
from assess.topics.queries import not_asked

NONE = (0, 0)


@dataclass(frozen=True, kw_only=True, slots=True)
class Counts:
    """A campaign in numbers.

    ``runs`` = accepted + rejected + withdrawn + checking; ``rejected_open`` are rejected files whose tag has no
    accepted run yet. ``loads_documents`` says whether a job loads some now. ``named_without_document`` counts documents
    and page images that topics name but nobody stored.
    ``assignments`` = open + started + done + stopped; ``grown`` are those that were done and have been reopened.
    ``unassigned`` counts (topic, stage) pairs without a primary assessor. ``unpooled`` are the tasks that have topics
    and something to pool, but no pool. ``not_pooled`` are the tags of runs that were accepted after the pools were
    built.
    """

    series: int
    topics: int
    documents: int
    loads_documents: bool
    runs: int
    accepted: int
    rejected: int
    withdrawn: int
    checking: int
    rejected_open: int
    pooled: int
    pooled_without_document: int
    named_without_document: int
    unpooled: tuple[str, ...]
    not_pooled: tuple[str, ...]
    assessors: int
    assignments: int
    open: int
    started: int
    done: int
    grown: int
    stopped: int
    unassigned: int
    unassigned_topics: int
    questions: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """The next thing to do: a sentence, the label of a button, and the page on which it is done."""

    text: str
    action: str
    page: str
    query: str = ""


def campaign_counts(campaign: Campaign) -> Counts:
    """Return the numbers of a campaign.

    It takes fifteen queries whatever the campaign's size, and one for each pool and for each kind of pooled item.
    """
    topics = campaign.topics.aggregate(asked=Count("id", filter=~Q(task="")), series=Count("id", filter=Q(task="")))
    accepted = campaign.runs.filter(state=Run.State.ACCEPTED)
    runs = dict(campaign.runs.order_by().values_list("state").annotate(count=Count("id")))
    rejected = campaign.runs.filter(state=Run.State.REJECTED)
    pools = list(current_pools(campaign).values_list("pk", flat=True))
    named = document_counts(campaign, pools)
    counted_work = campaign.assignments.filter(topic__dropped=False)
    live = counted_work.exclude(Q(state=Assignment.State.RETURNED) | Q(role=Assignment.Role.MACHINE))
    rows = live.order_by().values_list("state").annotate(count=Count("id"), grown=Count("id", filter=OPENED_AGAIN))
    states = {state: (count, grown) for state, count, grown in rows}
    unassigned = unassigned_stages(campaign)
    return Counts(
        series=topics["series"],
        topics=topics["asked"],
        documents=named.documents,
        loads_documents=campaign.jobs.filter(kind="documents", state__in=Job.UNDER_WAY).exists(),
        runs=sum(runs.values()),
        accepted=runs.get(Run.State.ACCEPTED, 0),
        rejected=runs.get(Run.State.REJECTED, 0),
        withdrawn=runs.get(Run.State.WITHDRAWN, 0),
        checking=runs.get(Run.State.CHECKING, 0),
        rejected_open=rejected.exclude(tag__in=accepted.values("tag")).values("tag").distinct().count(),
        pooled=named.pooled,
        pooled_without_document=named.pooled_without_document,
        named_without_document=named.named_without_document,
        unpooled=unpooled_tasks(campaign),
        not_pooled=tuple(runs_not_pooled(campaign)) if pools else (),
        assessors=len(people_of(campaign, Role.ASSESSOR, willing=False)),
        assignments=sum(count for count, _ in states.values()),
        open=states.get(Assignment.State.OPEN, NONE)[0],
        started=states.get(Assignment.State.STARTED, NONE)[0],
        done=states.get(Assignment.State.DONE, NONE)[0],
        stopped=states.get(Assignment.State.STOPPED, NONE)[0],
        grown=sum(grown for _, grown in states.values()),
        unassigned=len(unassigned),
        unassigned_topics=len({topic for topic, _ in unassigned}),
        questions=HelpRequest.objects.filter(assignment__in=counted_work, answered_at=None).count(),
    )


def unpooled_tasks(campaign: Campaign) -> tuple[str, ...]:
    """Return the tasks that have topics and something to pool (from runs, from topics or given), but no pool.

    One query if there is no such task, otherwise two or three.
    """
    built = current_pools(campaign).values("task")
    asked = set(
        campaign.topics.exclude(task="")
        .exclude(task__in=built)
        .exclude(pk__in=not_asked(campaign))
        .order_by()
        .values_list("task", flat=True)
        .distinct()
    )
    pooling = {task.key: task.pooling for task in track_of(campaign).tasks if task.key in asked and task.pooling}
    if not pooling or campaign.runs.filter(state=Run.State.ACCEPTED).exists():
        return tuple(sorted(pooling))
    given = set(
        Item.objects.filter(topic__in=campaign.topics.all(), given=True)
        .order_by()
        .values_list("topic__task", flat=True)
    )
    brought = {key for key, recipes in pooling.items() if any(recipe.items is not None for recipe in recipes)}
    return tuple(sorted(brought | (given & set(pooling))))


def next_steps(campaign: Campaign, counts: Counts) -> list[Step]:
    """Return what is to be done next, the most urgent first. Empty if there is nothing to do."""
    if campaign.state == Campaign.State.RELEASED:
        return [Step(text=gettext("The campaign is released."), action=gettext("See the scores"), page="scores")]
    if campaign.state == Campaign.State.FROZEN:
        if campaign.releases.filter(as_of=frozen_point(campaign), published=False).exists():
            text = gettext("A release is made and waits to be published.")
            return [Step(text=text, action=gettext("See the release"), page="release")]
        action = gettext("Make the corrected release") if is_corrected(campaign) else gettext("Make a release")
        return [Step(text=gettext("Judging is closed."), action=action, page="release")]
    drafts, documents, work = _draft_steps(campaign), _document_steps(counts), _work_steps(campaign, counts)
    loading = [*drafts, *_loading_steps(campaign, counts), *_under_way_steps(counts)]
    steps = [*loading, *work]
    if not steps and counts.assignments and counts.done + counts.stopped == counts.assignments:
        text = gettext("All work is done or was stopped.") if counts.stopped else gettext("All work is done.")
        steps.append(Step(text=text, action=gettext("Freeze the campaign"), page="freeze"))
    if counts.documents:  # missing documents delay nothing, and may never be available
        return [*steps, *documents]
    return [*loading, *documents, *steps[len(loading) :]]


def lacking_to_judge(campaign: Campaign, counts: Counts) -> list[Step]:
    """Return what a campaign in setup lacks before judging starts, each with the page on which it is resolved. Empty in
    every other state.
    """
    if campaign.state != Campaign.State.SETUP:
        return []
    steps = [*_loading_steps(campaign, counts), *_document_steps(counts)]
    return steps + _under_way_steps(counts) + _people_steps(campaign, counts)


def _under_way_steps(counts: Counts) -> list[Step]:
    """Return what to wait for: runs that are being checked, and documents that are being loaded."""
    steps = []
    if counts.checking:
        text = ngettext(
            "%(count)s run still being checked.", "%(count)s runs still being checked.", counts.checking
        ) % {"count": grouped(counts.checking)}
        steps.append(Step(text=text, action=gettext("See the runs"), page="runs"))
    if counts.loads_documents:
        text = gettext("Documents are still being loaded.")
        steps.append(Step(text=text, action=gettext("See the documents"), page="documents"))
    return steps


def _people_steps(campaign: Campaign, counts: Counts) -> list[Step]:
    """Return the steps to take if nobody judges, or if work is handed out to nobody."""
    steps = []
    if counts.topics and not counts.assessors:
        steps.append(Step(text=gettext("Nobody judges yet."), action=gettext("Invite assessors"), page="people"))
    if counts.pooled and counts.unassigned:
        text = unassigned_text(campaign, stages=counts.unassigned, topics=counts.unassigned_topics)
        steps.append(Step(text=text, action=gettext("Hand out work"), page="assignments"))
    return steps


def _draft_steps(campaign: Campaign) -> list[Step]:
    waiting = count_sent(campaign) if drafting_of(campaign) is not None else 0
    if not waiting:
        return []
    text = ngettext("%(count)s topic draft waits for you.", "%(count)s topic drafts wait for you.", waiting) % {
        "count": grouped(waiting)
    }
    return [Step(text=text, action=gettext("Read the drafts"), page="topic-drafts-desk")]


def pool_missing(campaign: Campaign, unpooled: tuple[str, ...]) -> str:
    """Return a sentence on the tasks whose pool is not built. If the track has a single task, it is not named."""
    is_one = len(track_of(campaign).tasks) == 1
    return (
        gettext("The pool is not built.")
        if is_one
        else gettext("The pool is not built for %(unpooled)s.") % {"unpooled": ", ".join(unpooled)}
    )


def _loading_steps(campaign: Campaign, counts: Counts) -> list[Step]:
    steps = []
    if not counts.topics:
        text = gettext("No topics are loaded.")
        if drafting_of(campaign) is not None:
            text = gettext("There are no topics yet: load a file of them, or let assessors make them under My topics.")
        steps.append(Step(text=text, action=gettext("Load topics"), page="topics"))
    if not counts.runs:
        steps.append(Step(text=gettext("No run was submitted."), action=gettext("Submit a run"), page="run-new"))
    if counts.rejected_open:
        text = ngettext(
            "%(count)s run failed the check, with no accepted version yet.",
            "%(count)s runs failed the check, with no accepted version yet.",
            counts.rejected_open,
        ) % {"count": grouped(counts.rejected_open)}
        steps.append(Step(text=text, action=gettext("See the reports"), page="runs", query="?state=rejected"))
    if counts.topics and counts.unpooled:
        text = pool_missing(campaign, counts.unpooled)
        steps.append(Step(text=text, action=gettext("Build the pool"), page="pool"))
    if counts.not_pooled:
        text = ngettext(
            "%(count)s run came in after the pool was built: %(runs)s. What only it returned is not judged.",
            "%(count)s runs came in after the pool was built: %(runs)s. What only they returned is not judged.",
            len(counts.not_pooled),
        ) % {"count": grouped(len(counts.not_pooled)), "runs": named_runs(list(counts.not_pooled))}
        steps.append(Step(text=text, action=gettext("Build the pool again"), page="pool"))
    return steps


def _document_steps(counts: Counts) -> list[Step]:
    steps = []
    if counts.pooled_without_document:
        text = ngettext(
            "%(count)s pooled item without a document to show.",
            "%(count)s pooled items without a document to show.",
            counts.pooled_without_document,
        ) % {"count": grouped(counts.pooled_without_document)}
        steps.append(Step(text=text, action=gettext("Load documents"), page="documents"))
    if counts.named_without_document:
        text = ngettext(
            "%(count)s document or page that topics name is not stored.",
            "%(count)s documents or pages that topics name are not stored.",
            counts.named_without_document,
        ) % {"count": grouped(counts.named_without_document)}
        steps.append(Step(text=text, action=gettext("Load documents"), page="documents"))
    return steps


def _work_steps(campaign: Campaign, counts: Counts) -> list[Step]:
    steps: list[Step] = []
    if counts.questions:
        text = ngettext(
            "%(count)s question from assessors to answer.",
            "%(count)s questions from assessors to answer.",
            counts.questions,
        ) % {"count": grouped(counts.questions)}
        steps.append(Step(text=text, action=pgettext("act", "Answer"), page="questions"))
    for key, number in used_up(campaign).items() if campaign.state == Campaign.State.JUDGING else ():
        text = ngettext(
            "One person has used all tries of the practice for “%(stage)s”.",
            "%(count)s people have used all tries of the practice for “%(stage)s”.",
            number,
        ) % {"count": grouped(number), "stage": stage_of(campaign, key)[1].label}
        steps.append(Step(text=text, action=gettext("See who"), page="people"))
    steps += _people_steps(campaign, counts)
    if campaign.state == Campaign.State.SETUP and counts.assignments:
        text = gettext("Work is handed out, and judging is not open.")
        steps.append(Step(text=text, action=gettext("Start judging"), page="campaign-state"))
    steps += _disagreement_steps(campaign)
    if campaign.state == Campaign.State.JUDGING and counts.grown:
        text = ngettext(
            "%(count)s assignment that was done is open again: more came into it since.",
            "%(count)s assignments that were done are open again: more came into them since.",
            counts.grown,
        ) % {"count": grouped(counts.grown)}
        steps.append(Step(text=text, action=gettext("See which"), page="progress", query="?state=grown#pieces"))
    left = counts.open + counts.started
    if campaign.state == Campaign.State.JUDGING and left:
        text = ngettext("%(count)s assignment not done yet.", "%(count)s assignments not done yet.", left) % {
            "count": grouped(left)
        }
        steps.append(Step(text=text, action=gettext("See progress"), page="progress"))
    return steps


def _disagreement_steps(campaign: Campaign) -> list[Step]:
    if campaign.state != Campaign.State.JUDGING:
        return []
    waiting = open_disagreements(campaign)
    if waiting == 0:
        return []
    text = gettext("Much was judged twice; disagreements may wait.") if waiting is None else ""
    return [
        Step(
            text=text
            or ngettext(
                "%(count)s disagreement between assessors to settle.",
                "%(count)s disagreements between assessors to settle.",
                waiting or 0,
            )
            % {"count": grouped(waiting or 0)},
            action=gettext("Adjudicate disagreements"),
            page="adjudication",
        )
    ]
