"""What earlier versions allowed and this one refuses, as the freeze check names it with what to do."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext, ngettext

from assess.assignments.queries.other_roles import had_before
from assess.base.numbers import grouped
from assess.campaigns.models import Campaign
from assess.campaigns.queries import track_of
from assess.judging.queries.lost_judgments import lost_judgments
from assess.kinds.base import FreezeIssue
from assess.runs.queries import named_runs


def allowed_in_earlier_versions(campaign: Campaign) -> Iterator[FreezeIssue]:
    """Yield the issues. Two queries, and some more for people who had a stage of a topic in two roles."""
    yield from _lost_judgments(campaign)
    yield from _work_had_before(campaign)


def _lost_judgments(campaign: Campaign) -> Iterator[FreezeIssue]:
    """Yield an issue for judgments that do not count, since their assessor had the stage in two roles."""
    if lost := lost_judgments(campaign):
        number = sum(each.count for each in lost)
        text = ngettext(
            "%(count)s judgment does not count, since its assessor had the stage in two roles (allowed in earlier "
            "versions): %(where)s. Have it decided or judged again.",
            "%(count)s judgments do not count, since their assessors had the stage in two roles (allowed in earlier "
            "versions): %(where)s. Have them decided or judged again.",
            number,
        ) % {"count": grouped(number), "where": "; ".join(map(str, lost))}
        yield FreezeIssue(
            code="lost-judgments",
            severity="warning",
            count=number,
            text=text,
            page="assignments",
            action=gettext("See who judges what"),
        )


def _work_had_before(campaign: Campaign) -> Iterator[FreezeIssue]:
    """Yield an issue for work that earlier versions gave to people who had had its stage before (`had_before`)."""
    ungraded = [stage.key for task in track_of(campaign).tasks for stage in task.stages if not stage.criteria]
    works = had_before(campaign, ungraded).order_by("topic__ordinal", "pk")
    if found := list(works.values_list("topic__number", "stage", "assessor__username")):
        text = ngettext(
            "%(count)s assignment was given to somebody who had handed the same stage over, or done it in another role "
            "(allowed in earlier versions): %(where)s. What they say in both counts as one opinion, or not at all. "
            "Take it back, and have somebody else do it.",
            "%(count)s assignments were given to people who had handed the same stage over, or done it in another role "
            "(allowed in earlier versions): %(where)s. What they say in both counts as one opinion, or not at all. "
            "Take them back, and have somebody else do them.",
            len(found),
        ) % {
            "count": grouped(len(found)),
            "where": named_runs([f"{topic} {stage} ({name})" for topic, stage, name in found]),
        }
        yield FreezeIssue(
            code="had-before",
            severity="warning",
            count=len(found),
            text=text,
            page="assignments",
            action=gettext("See who judges what"),
        )
