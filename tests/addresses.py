"""Every address of the site, each of which leads somewhere in one small campaign."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.urls import URLPattern, get_resolver, reverse

from assess.assignments.queries.work_items import handle_of
from assess.models import (
    Assignment,
    Campaign,
    DocumentCluster,
    HelpRequest,
    Item,
    Job,
    ListedDocument,
    Pool,
    Topic,
)
from assess.people.domain.acting_for import create_password_link
from assess.people.domain.invitations import create_invitation
from assess.people.domain.tokens import create_token
from assess.releases.domain.site_jobs import backup_path
from assess.releases.models import SiteJob
from nuggets.writing.lists import freeze_list, start_list
from nuggets.writing.record import add_nugget
from tests import factories
from tests.access_table import OWN_RULES
from tests.assess import judged_campaign as judging
from tests.assess.submitted_run import harbor_run
from tests.assess.topic_drafts.made_drafts import drafted
from tests.remembered import remembered

EXPLAINED = "?run=Harbor1&topic=all&measure=combined"
BEHIND = "?run=Harbor1&topic=1.1&measure=IP&row=2.1"
COMPARED = "?question=votes/importance&judge=primary&judge=second"
QUERY = {
    "consistency-plot": "?assessor=assessor",
    "double-judging": "?stages=instances&of=all&seed=1",
    "api-disagreement-list": "?stage=instances&criterion=correctness",
    "score-topics": "?run=Harbor1",
    **dict.fromkeys(("agreement", "agreement-items"), COMPARED),
    "api-agreement-list": "?stage=votes&criterion=importance&judges=primary,second",
    **dict.fromkeys(("score-explain", "api-score-explain"), EXPLAINED),
    **dict.fromkeys(("score-judgments", "api-score-judgments"), BEHIND),
    "score-report-plot": "?measure=IP&plot=topics",
}
STAGES = {"classes-": "classes", "api-class": "classes", "votes-": "votes", "api-vote": "votes"} | {
    "nuggets-": "nuggets",
    "api-nugget-list": "nuggets",
    "matches-": "matches",
    "string-": "matches",
    "api-nugget-list-counting": "matches",
    "api-response": "matches",
    "api-match": "matches",
    "api-review": "matches",
}


def named_patterns() -> dict[str, URLPattern]:
    """Every address of the site but the admin site's, by name."""

    def walk(patterns: list[Any]) -> Iterator[URLPattern]:
        for pattern in patterns:
            if isinstance(pattern, URLPattern):
                yield pattern
            elif pattern.namespace != "admin":
                yield from walk(pattern.url_patterns)

    found = list(walk(get_resolver().url_patterns))
    assert all(pattern.name for pattern in found)
    return {str(pattern.name): pattern for pattern in found}


@pytest.fixture
@remembered
def addresses(
    campaign: Campaign,
    organiser: User,
    assessor: User,
    second_assessor: User,
    adjudicator: User,
    participant: User,
    stranger: User,
    grading: Assignment,
    squishy: Topic,
    squishy_items: list[Item],
    nugget_writing: Assignment,
    settings,
    tmp_path,
) -> dict[str, str]:
    """Name -> an address that leads somewhere, with a run of the participant's team and work of every kind."""
    settings.DATA_DIR = tmp_path
    factories.member(campaign, "rival", "participant", team="Pier")
    boss = User.objects.create_superuser("superuser", password=factories.PASSWORD)
    imported = SiteJob.objects.create(kind="import", arguments={"slug": "again"}, started_by=boss)
    backup = SiteJob.objects.create(kind="backup", state="done", started_by=boss)
    backup_path(backup).parent.mkdir()
    backup_path(backup).write_bytes(b"a backup")
    item = Item.objects.get(topic=grading.topic, text="blue bicycle")
    document = factories.document(campaign, item.docno)
    Item.objects.filter(docno=item.docno).update(document=document)
    ListedDocument.objects.create(topic=campaign.topics.get(number="1"), rank=1, docno=item.docno, score=1.0)
    for each in (document, factories.document(campaign, "COPY")):
        DocumentCluster.objects.create(topic=campaign.topics.get(number="1"), document=each, number=1)
    nuggets = start_list(actor=assessor, assignment=nugget_writing)
    add_nugget(actor=assessor, nugget_list=nuggets, text="cheap", importance="vital", client_key=UUID(int=1))
    freeze_list(actor=assessor, nugget_list=nuggets, client_key=UUID(int=2))
    _, invitation = create_invitation(actor=organiser, campaign=campaign, role="assessor")
    token, _ = create_token(actor=assessor, name="nightly", scopes=["read"])
    asked = HelpRequest.objects.create(assignment=grading, text="Which?", client_key=UUID(int=3))
    job = Job.objects.create(campaign=campaign, kind="documents", started_by=organiser)
    benches = {"instances": grading, "nuggets": nugget_writing}
    benches["classes"] = factories.assignment(grading.topic, "classes", assessor)
    benches["matches"] = factories.assignment(squishy, "matches", assessor)
    benches["votes"] = factories.assignment(squishy, "votes", second_assessor, role="second")
    disagree(grading, item)
    drafted(campaign, assessor)
    run = harbor_run(campaign, participant).pk
    ids: dict[str, Any] = {
        "slug": campaign.slug,
        "token": invitation,
        "number": "1",
        "cluster": 1,
        "docno": item.docno,
        "job_id": job.pk,
        "run_id": run,
        "task": "rigid",
        "membership_id": campaign.memberships.get(user=assessor).pk,
        "token_id": token.pk,
        "invitation_id": campaign.invitations.get().pk,
        "help_id": asked.pk,
        "version": 1,
        "release_id": factories.release(campaign, organiser).pk,
        "stage": "instances",
        "criterion": "correctness",
        "key": "questions",
    }
    keys = {"api-run": run, "api-pool": Pool.objects.all()[0].pk, "api-job": job.pk, "api-help": asked.pk}
    keys |= {"api-release": ids["release_id"], "api-topic-draft": campaign.topic_drafts.get().number}
    hook = campaign.webhooks.create(url="https://hooks.example.org/", events="release", told=0, created_by=organiser)
    ids["webhook_id"] = hook.pk
    ids["call_id"] = hook.calls.create(event="release", body={}).pk
    bygone = Campaign.objects.create(slug="bygone", title="Bygone", track=campaign.track, state="released")
    factories.release(bygone, organiser, published=True, public=True)
    ids["as_of"] = 0
    keys |= {"api-import": imported.pk, "api-backup": backup.pk}
    keys |= {"api-webhook": hook.pk, "api-assignment": grading.pk, "api-invitation": ids["invitation_id"]}
    factories.invited(campaign, assessor, organiser)
    _, link = create_password_link(actor=organiser, campaign=campaign, user=assessor)
    found = {}
    for name, pattern in named_patterns().items():
        if name in OWN_RULES:
            continue
        prefix = max((each for each in STAGES if name.startswith(each)), key=len, default="")
        bench = benches[STAGES.get(prefix, "instances")]
        own = {"assignment_id": bench.pk, "assignment_pk": bench.pk}
        shown = squishy_items[0] if bench.topic_id == squishy.pk else item
        own["handle"] = handle_of(bench, shown.pk)
        own["token"] = link if name == "new-password" else invitation
        own["thing"] = judging.shown(item, campaign, adjudicator)
        own["name"] = "assessors" if name == "guide" else "judgments.jsonl"
        if name.startswith("backup-"):
            own["job_id"] = backup.pk
        if name.startswith("public-"):
            own["slug"] = bygone.slug
        own["pk"] = next((pk for each, pk in keys.items() if name.startswith(each)), 0)
        wanted = pattern.pattern.regex.groupindex or pattern.pattern.converters  # type: ignore[union-attr]
        found[name] = reverse(name, kwargs={key: {**ids, **own}[key] for key in wanted}) + QUERY.get(name, "")
    return found


def disagree(work: Assignment, item: Item) -> None:
    """Somebody else judges the item too, and says otherwise."""
    other = factories.member(work.campaign, "judge_two", "assessor")
    second = factories.assignment(work.topic, work.stage, other, role="second")
    for each, value in ((work, 1), (second, -1)):
        judging.judge(each, item.text, value)
