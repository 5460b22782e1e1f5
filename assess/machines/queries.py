"""The machine judges of a campaign, how much each has judged, and what happened to their drafts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Max
from django.utils.translation import gettext_noop as noop

from assess.assignments.models import Assignment
from assess.assignments.queries.pseudonyms import MACHINE_PREFIX, pseudonyms
from assess.campaigns.models import Activity, Campaign
from assess.campaigns.queries import is_without_drafts, track_of
from assess.jobs.progress import JobProgress, ReportProgress, no_report
from assess.judging.models import Judgment
from assess.judging.snapshots import Snapshot
from assess.kinds.base import DraftUse, kinds

MACHINE = Assignment.Role.MACHINE


@dataclass(frozen=True, kw_only=True, slots=True)
class Machine:
    """A machine judge. ``letter`` is what assessors see instead of its name, or "" if it has not judged yet.

    ``topics`` counts its topics by the label of the stage, and ``items`` the items that it graded.
    """

    id: int
    name: str
    username: str
    letter: str
    topics: dict[str, int]
    items: int
    last: object | None

    @property
    def key(self) -> str:
        """The key in comparisons and exports; "" if it has not judged yet."""
        return MACHINE_PREFIX + self.letter if self.letter else ""


def machines_of(campaign: Campaign) -> list[Machine]:
    """Return every machine judge, in the order of their letters. Five queries."""
    members = campaign.memberships.filter(is_machine=True).select_related("user").order_by("id")
    names = pseudonyms(campaign)
    labels = {stage.key: stage.label for task in track_of(campaign).tasks for stage in task.stages}
    topics: dict[int, dict[str, int]] = {}
    held = (
        campaign.assignments.filter(role=MACHINE, topic__dropped=False).order_by().values_list("assessor_id", "stage")
    )
    for user, stage in held:
        of_user = topics.setdefault(user, {})
        of_user[labels.get(stage, stage)] = of_user.get(labels.get(stage, stage), 0) + 1
    graded = Judgment.objects.filter(
        assignment__campaign=campaign, assignment__role=MACHINE, item__topic__dropped=False
    ).order_by()
    counts = dict(graded.values_list("assessor_id").annotate(items=Count("item_id", distinct=True)))
    imports = Activity.objects.filter(campaign=campaign, action="machine.import")
    last = dict(imports.order_by().values_list("data__machine").annotate(last=Max("created_at")))
    found = [
        Machine(
            id=member.user_id,
            name=member.user.first_name or member.user.username,
            username=member.user.username,
            letter=names.get(member.user_id, "").removeprefix(MACHINE_PREFIX),
            topics=topics.get(member.user_id, {}),
            items=counts.get(member.user_id, 0),
            last=last.get(member.user_id),
        )
        for member in members
    ]
    return sorted(found, key=lambda machine: (machine.letter == "", len(machine.letter), machine.letter, machine.name))


# What happened to drafts: in each assignment, and compared with work without drafts.


@dataclass(frozen=True, kw_only=True, slots=True)
class DraftLine:
    """What happened to the drafts in one assignment. ``by`` is the pseudonym of its assessor.

    ``is_draftless`` means that nobody sees drafts in this topic.
    """

    stage: str
    topic: str
    by: str
    is_draftless: bool
    offered: int
    original: int
    edited: int
    refused: int
    left: int
    new: int
    minutes: float


@dataclass(frozen=True, kw_only=True, slots=True)
class DraftSummary:
    """The assignments of a stage taken together: those in which drafts were offered, or all others.

    ``works`` is their number, and what became of drafts is summed. ``said`` is the mean number of final marks, and
    ``minutes`` the mean time between acts without pauses. ``agreed`` is the share of marks on which primary and second
    assessor agree, among ``compared``; None if there are none.
    """

    stage: str
    label: str
    with_drafts: bool
    works: int
    offered: int
    original: int
    edited: int
    refused: int
    said: float
    minutes: float
    compared: int
    agreed: float | None


def have_drafts(campaign: Campaign) -> bool:
    """Return whether drafts may have been offered, in a few queries at any size. If not, `draft_lines` is empty."""
    return any(kind.has_drafts(campaign) for kind in kinds().values() if kind.has_drafts)


def draft_lines(campaign: Campaign, progress: ReportProgress = no_report) -> list[DraftLine]:
    """Return each assignment of the kinds that offer drafts, by stage and topic; an empty list if nothing was ever
    offered. ``progress`` is called before each assignment is counted.
    """
    if not have_drafts(campaign):
        return []
    uses: list[DraftUse] = []
    for kind in kinds().values():
        for use in kind.draft_uses(campaign) if kind.draft_uses else ():
            note = noop("counting topic %(topic)s")
            progress(JobProgress(done=len(uses), unit="parts", note=note, values={"topic": use.topic}))
            uses.append(use)
    if not any(use.offered for use in uses):
        return []
    names = pseudonyms(campaign)
    return [_line(campaign, use, names[use.assessor]) for use in uses]


def _line(campaign: Campaign, use: DraftUse, by: str) -> DraftLine:
    return DraftLine(
        stage=use.stage,
        topic=use.topic,
        by=by,
        is_draftless=is_without_drafts(campaign, use.topic),
        offered=use.offered,
        original=use.original,
        edited=use.edited,
        refused=use.refused,
        left=use.left,
        new=use.new,
        minutes=round(use.seconds / 60, 1),
    )


def draft_summaries(campaign: Campaign, lines: Sequence[DraftLine]) -> list[DraftSummary]:
    """Return two summaries for each stage, with drafts and without. One that would have no assignments is left out."""
    agreed = _agreements(campaign, lines)
    labels = {stage.key: stage.label for task in track_of(campaign).tasks for stage in task.stages}
    groups: dict[tuple[str, bool], list[DraftLine]] = {}
    for line in lines:
        groups.setdefault((line.stage, line.offered > 0), []).append(line)
    return [
        DraftSummary(
            stage=stage,
            label=labels.get(stage, stage),
            with_drafts=offered,
            works=len(found),
            offered=sum(line.offered for line in found),
            original=sum(line.original for line in found),
            edited=sum(line.edited for line in found),
            refused=sum(line.refused for line in found),
            said=round(sum(line.original + line.edited + line.new for line in found) / len(found), 1),
            minutes=round(sum(line.minutes for line in found) / len(found), 1),
            compared=agreed[stage, offered].total(),
            agreed=_share(agreed[stage, offered]),
        )
        for (stage, offered), found in sorted(groups.items(), key=lambda group: (group[0][0], not group[0][1]))
    ]


def _agreements(campaign: Campaign, lines: Sequence[DraftLine]) -> defaultdict[tuple[str, bool], Counter[bool]]:
    """Count how often primary and second assessor agreed and how often not, by the stage and whether its topic had
    drafts. Topics that only one person judged are not counted.
    """
    found: defaultdict[tuple[str, bool], Counter[bool]] = defaultdict(Counter)
    drafted = {(line.stage, line.topic) for line in lines if line.offered}
    several = {
        stage for (stage, _), number in Counter((line.stage, line.topic) for line in lines).items() if number > 1
    }
    sources = [source for kind in kinds().values() if kind.draft_uses for source in kind.questions]
    for source in sources if several else ():
        for question in source.questions(campaign):
            if question.stage not in several:
                continue
            first, second = (source.values(Snapshot(campaign), question, judge) for judge in ("primary", "second"))
            for thing, value in second.items():
                if (other := first.get(thing)) is not None:
                    found[question.stage, (question.stage, thing[0]) in drafted][value == other] += 1
    return found


def _share(counts: Counter[bool]) -> float | None:
    return counts[True] / counts.total() if counts else None
