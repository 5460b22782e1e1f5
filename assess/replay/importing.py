"""Import a file of recorded judgments in the background, and decide who its pseudonyms are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import BinaryIO

from django.contrib.auth.models import User

from assess.assignments.domain.held_work import require_judging
from assess.assignments.queries.pseudonyms import pseudonyms
from assess.assignments.queries.who_can_be_given_work import assessors_of
from assess.base.errors import Invalid
from assess.base.files import store_file
from assess.base.sentences import Sentence
from assess.base.unpacked import open_upload
from assess.campaigns.designs import MOVED_SINCE_SENT, require_same_scale
from assess.campaigns.models import JUDGES, Campaign, Membership
from assess.jobs.domain import enqueue_job
from assess.jobs.kinds import JUDGMENTS
from assess.jobs.models import Job
from assess.jobs.progress import ReportProgress, open_watched
from assess.judging.queries.judges import is_machine_name
from assess.replay.replaying import Replayed, import_judgments


def start_import(*, actor: User, campaign: Campaign, file: BinaryIO, people: Mapping[str, str]) -> Job:
    """Store a file of recorded judgments, and start the job that replays it. Return the job, which reports errors in
    the file.

    ``people`` gives user names for pseudonyms; for others see `people_by_pseudonym`. Refuses a campaign that is not
    being judged, the name of somebody who does not judge in it, a file that can't be read, and a second import while
    one is under way.
    """
    require_judging(campaign)
    _named(campaign, people)
    with open_upload(file, name=file.name) as opened:
        kept = store_file(opened.stream, may_be_dropped=True)
        arguments = {"sha256": kept.sha256, "name": opened.name, "people": dict(people), "design": campaign.design}
    return enqueue_job(actor=actor, campaign=campaign, kind=JUDGMENTS, arguments=arguments)


def import_for_job(job: Job, progress: ReportProgress) -> Replayed:
    """Replay the file of an import job, as `import_judgments` does. Rows that exist are not added again. Refuses what
    `import_judgments` refuses, the name of somebody who no longer judges in the campaign, and a file that was sent
    before values were moved on a scale.
    """
    campaign, told = job.campaign, job.arguments
    require_same_scale(campaign, told.get("design", campaign.design), MOVED_SINCE_SENT)
    people = {**people_by_pseudonym(campaign), **_named(campaign, told["people"])}
    with open_watched(told["sha256"], progress=progress) as stream:
        return import_judgments(
            actor=job.started_by,
            campaign=campaign,
            stream=stream,
            people=people,
            name=told["name"],
            progress=progress,
        )


def people_by_pseudonym(campaign: Campaign) -> dict[str, User]:
    """Return pseudonym -> person, for all judges of the campaign, and user name -> person where no pseudonym is equal.

    People who have worked keep their pseudonyms. The next numbers go to the other judges, in the order in which they
    joined.
    """
    known = pseudonyms(campaign)
    users = User.objects.in_bulk(list(known))
    people = {name: users[pk] for pk, name in known.items()}
    judges = Membership.objects.filter(campaign=campaign, role__in=JUDGES, user__in=assessors_of(campaign))
    for membership in judges.select_related("user").order_by("id"):
        if membership.user_id not in known and membership.user not in people.values():
            people[f"assessor-{sum(not is_machine_name(name) for name in people) + 1}"] = membership.user
    return {user.username: user for user in assessors_of(campaign)} | people


def _named(campaign: Campaign, people: Mapping[str, str]) -> dict[str, User]:
    """Return pseudonym -> the judge with the user name that ``people`` gives. Refuses a name of somebody who does not
    judge in the campaign.
    """
    judges = {user.username: user for user in assessors_of(campaign)}
    if strangers := sorted({name for name in people.values() if name not in judges}):
        raise Invalid(
            Sentence("Nobody who judges in this campaign is called %(names)s.", names=strangers), field="people"
        )
    return {pseudonym: judges[name] for pseudonym, name in people.items()}
