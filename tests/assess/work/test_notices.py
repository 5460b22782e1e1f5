"""What somebody who judges is told once, and kept from their next page when they have read it."""

from __future__ import annotations

import re
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.assignments.domain.assignments import open_assignment
from assess.assignments.domain.notices import acknowledge_notices
from assess.assignments.domain.questions_to_organiser import answer_question, ask_organiser
from assess.assignments.queries.notices import notice_counts, notices_of
from assess.campaigns.domain import publish_guideline
from assess.models import Activity, Assignment, Campaign, HelpRequest, NoticesSeen
from assess.work.domain import hand_over
from tests import factories
from tests.pages import page_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def opened(grading: Assignment, assessor: User) -> Assignment:
    """Work that its assessor has opened, so that what changes from now on is news."""
    Assignment.objects.filter(pk=grading.pk).update(state="open")
    grading.refresh_from_db()
    return open_assignment(actor=assessor, assignment=grading)


def ask(assignment: Assignment, text: str = "Blue or azure?") -> HelpRequest:
    return ask_organiser(actor=assignment.assessor, assignment=assignment, item=None, text=text, client_key=uuid4())


def texts(campaign: Campaign, person: User) -> list[str]:
    return [f"{each.text} {each.quote}".strip() for each in notices_of(campaign, person)]


def test_new_guidelines_and_answers_to_own_questions_are_told_once(
    opened: Assignment, campaign: Campaign, organiser: User, assessor: User, second_assessor: User
) -> None:
    assert texts(campaign, assessor) == []
    for text in ("Mind the azure.", "Mind the teal."):
        publish_guideline(actor=organiser, campaign=campaign, text=text)
    asked = ask(opened, "“Blue” or azure?")
    answer_question(actor=organiser, request=asked, answer="Azure is blue.", excuse=False)
    told = texts(campaign, assessor)
    assert told == [
        "The guidelines were changed: version 3 is in force. Read what is new.",
        "Your question about 1.1 was answered: “‘Blue’ or azure?” Azure is blue.",
    ]
    assert notice_counts(assessor, [campaign.pk]) == {campaign.pk: 2}
    assert texts(campaign, second_assessor) == [], "who has begun nothing reads all as it is"
    read = notices_of(campaign, assessor)
    acknowledge_notices(actor=assessor, campaign=campaign, point=read[0].point)
    assert texts(campaign, assessor) == told[1:], "what came after what was read is not lost"
    acknowledge_notices(actor=assessor, campaign=campaign, point=read[-1].point)
    acknowledge_notices(actor=assessor, campaign=campaign, point=read[0].point)
    assert (texts(campaign, assessor), notice_counts(assessor, [campaign.pk])) == ([], {})
    asked = HelpRequest.objects.get()
    answer_question(actor=organiser, request=asked, answer="Azure is blue.", excuse=False)
    assert texts(campaign, assessor) == [], "the same answer again is no news"
    answer_question(actor=organiser, request=asked, answer="Azure is not blue.", excuse=True)
    assert texts(campaign, assessor) == [
        "Your question about 1.1 was answered: “‘Blue’ or azure?” You need not judge it. Azure is not blue."
    ]


def test_nobody_is_told_of_their_own_act_or_of_anothers_question(
    opened: Assignment, campaign: Campaign, organiser: User, assessor: User, second_assessor: User
) -> None:
    other = factories.assignment(opened.topic, "instances", second_assessor, role="second")
    Assignment.objects.filter(pk=other.pk).update(state="open")
    other.refresh_from_db()
    open_assignment(actor=second_assessor, assignment=other)
    answer_question(actor=organiser, request=ask(other), answer="Yes.", excuse=False)
    assert (len(texts(campaign, second_assessor)), texts(campaign, assessor)) == (1, [])
    assert notice_counts(assessor, [campaign.pk]) == {}
    campaign.memberships.create(user=assessor, role="organiser")
    publish_guideline(actor=assessor, campaign=campaign, text="By myself.")
    assert texts(campaign, assessor) == []
    assert len(texts(campaign, second_assessor)) == 2


def test_nobody_says_that_they_read_what_is_still_to_come(
    opened: Assignment, campaign: Campaign, organiser: User, assessor: User
) -> None:
    acknowledge_notices(actor=assessor, campaign=campaign, point=10**15)
    publish_guideline(actor=organiser, campaign=campaign, text="Mind the azure.")
    assert len(texts(campaign, assessor)) == 1


def test_the_pages_tell_and_another_browser_does_not_repeat(
    opened: Assignment, campaign: Campaign, organiser: User, assessor: User
) -> None:
    publish_guideline(actor=organiser, campaign=campaign, text="Mind the azure.")
    first, second = Client(), Client()
    for client in (first, second):
        client.force_login(assessor)
    work, part = (reverse(name, args=[campaign.slug]) for name in ("work", "notices"))
    assert "1 notice to read." in page_of(first.get(reverse("home")))
    for page in (work, part):
        shown = page_of(first.get(page))
        assert "version 2 is in force" in shown and "I have read it" in shown
    bench = page_of(first.get(reverse("workbench", args=[campaign.slug, opened.pk])))
    assert f'data-notices="{part}"' in bench, "the bench asks for what comes while it is open"
    assert "version 2 is in force" in bench and "data-notices-now" not in bench, "and tells what came before"
    point = re.search(r'name="point" value="(\d+)"', page_of(first.get(part)))
    assert point is not None
    assert first.post(part, {"point": point[1]}).status_code == 302
    assert NoticesSeen.objects.get().point == int(point[1])
    for client in (first, second):
        assert page_of(client.get(part)).strip() == ""
        assert "I have read it" not in page_of(client.get(work))
    assert first.post(part, {"point": "x"}).status_code == 422


def test_changed_topics_are_told_to_whoever_judges_or_judged_them(
    opened: Assignment, campaign: Campaign, organiser: User, assessor: User, second_assessor: User
) -> None:
    def change(action: str, number: str) -> None:
        topic = campaign.topics.get(number=number)
        data = {"number": number, "topics": [number], "reason": "A typo that Zanzibar1 of AMBER found."}
        Activity.objects.create(campaign=campaign, actor=organiser, action=action, object_id=str(topic.pk), data=data)

    factories.run(campaign, "Zanzibar1", organiser, team="Amber")
    change("topics.amend", "1.2")
    assert texts(campaign, assessor) == [], "somebody else's"
    for action in ("topics.amend", "topics.drop", "topics.restore"):
        change(action, "1.1")
    assert texts(campaign, assessor) == [
        "Topic 1.1 was amended. Look again at what you judged of it. A typo that a run of a team found.",
        "Topic 1.1 is judged again. A typo that a run of a team found.",
    ]
    bench = reverse("workbench", args=[campaign.slug, opened.pk])
    assert {each.address for each in notices_of(campaign, assessor)} == {bench}
    Assignment.objects.filter(pk=opened.pk).update(state="returned")
    assert [each.address for each in notices_of(campaign, assessor)] == ["", ""], "who gave it back has judged it"
    assert texts(campaign, second_assessor) == []


def test_an_answer_reaches_whoever_has_the_work_by_then(
    opened: Assignment, campaign: Campaign, organiser: User, assessor: User, second_assessor: User
) -> None:
    asked = ask(opened)
    onward = hand_over(actor=organiser, assignment=opened, to=second_assessor)
    open_assignment(actor=second_assessor, assignment=onward)
    answer_question(actor=organiser, request=asked, answer="Azure is blue.", excuse=True)
    (notice,) = notices_of(campaign, second_assessor)
    assert (notice.text, notice.quote) == (
        "A question about 1.1 from before you took it over was answered: “Blue or azure?” You need not judge it.",
        "Azure is blue.",
    )
    assert notice.address == reverse("workbench", args=[campaign.slug, onward.pk])
    (notice,) = notices_of(campaign, assessor)
    assert (notice.text.startswith("Your question about 1.1"), notice.address) == (True, "")
