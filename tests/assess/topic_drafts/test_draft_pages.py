"""The pages of drafts by plain forms: the bench, the list of one's own, the organiser's desk, refusals in words."""

from __future__ import annotations

import re
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.models import Campaign, DraftFind, Membership
from assess.topic_drafts.domain.deciding import send_back
from assess.topic_drafts.domain.finding import add_find, judge_document
from assess.topic_drafts.queries import show_draft
from tests import factories
from tests.assess.topic_drafts.made_drafts import DEFINITION, SERIES, drafted, sent
from tests.pages import page_of

pytestmark = pytest.mark.django_db
JSON = {"accept": "application/json"}


@pytest.fixture
def bench(client: Client, assessor: User) -> Client:
    client.force_login(assessor)
    return client


def address(name: str = "topic-draft", *args: object) -> str:
    return reverse(name, args=["opinions", *args])


def fields(**changed: object) -> dict[str, object]:
    """The form of the bench with a target and two questions."""
    return {
        "text": "Harbor kites",
        "part": ["1", "2", "3", "4"],
        "task-1": "rigid",
        "text-1": "Which shops sell them?",
        "task-2": "squishy",
        "text-2": "What do flyers say of their strings?",
        "task-3": "rigid",
        "text-3": "",
        "task-4": "rigid",
        "text-4": " ",
        "definition": "",
        "notes": "Seen on two blogs.",
        "client_key": str(uuid4()),
        **changed,
    }


def test_a_topic_is_made_from_nothing_by_plain_forms(bench: Client, campaign: Campaign, organiser: User) -> None:
    factories.document(campaign, "D1", "The harbor shop sells kites.")
    begun = bench.post(address("topic-draft-begin"), {"client_key": str(uuid4())})
    assert begun.headers["Location"] == address("topic-draft", 1)
    page = page_of(bench.get(address("topic-draft", 1) + "?q=kites"))
    assert "The harbor shop sells" in page
    assert 'id="draft-part-4"' in page
    bench.post(address("topic-draft-write", 1), fields())
    draft = campaign.topic_drafts.get()
    assert show_draft(draft).content == SERIES
    judged = {"do": "relevant", "docno": "D1", "q": "kites", "client_key": str(uuid4())}
    assert bench.post(address("topic-draft-find", 1), judged).headers["Location"].endswith("?q=kites")
    found = {"do": "answer", "part": "1", "text": "harbor shop", "docno": "D1", "client_key": str(uuid4())}
    bench.post(address("topic-draft-find", 1), {**found, "quote": "harbor shop", "span": '{"start": 4, "end": 15}'})
    shown = show_draft(draft)
    assert (shown.judged, shown.content.query) == ({"D1": True}, "kites")
    assert [(find.text, find.quote) for find in shown.answers] == [("harbor shop", "harbor shop")]
    page = page_of(bench.get(address("topic-draft", 1)))
    assert "of the first 1 documents 1 is relevant" in page
    assert "About 1 relevant" in page
    bench.post(address("topic-draft-write", 1), {"do": "send", "client_key": str(uuid4())})
    bench.force_login(organiser)
    desk = page_of(bench.get(address("topic-drafts-desk")))
    assert "1 answer found" in desk
    assert "“kites”: 1 of the first 1 document relevant, about 1 of 1 found." in desk
    bench.post(address("topic-draft-decide", 1), {"do": "accept", "client_key": str(uuid4())})
    numbers = campaign.topics.order_by("number").values_list("number", flat=True)
    assert list(numbers) == ["1", "1.1", "1.2", "2", "2.1", "2.2"]
    assert "topic 2" in page_of(bench.get(address("topic-drafts-desk")))


def test_a_script_is_told_the_version_that_it_wrote(bench: Client, campaign: Campaign, assessor: User) -> None:
    drafted(campaign, assessor)
    saved = bench.post(address("topic-draft-write", 1), fields(notes="More.", version="2"), headers=JSON)
    assert saved.json() == {"version": 3, "parts": 2}
    late = bench.post(address("topic-draft-write", 1), fields(notes="Less.", version="2"), headers=JSON)
    assert (late.status_code, late.json()["type"].rsplit(":", 1)[-1]) == (409, "unseen")


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("topic-draft-write", {"do": "dance"}, "“do” must be save, send or drop"),
        ("topic-draft-write", {"do": "send"}, "Write the target first."),
        ("topic-draft-write", fields(text="x" * 2001), "The target has 2,001 characters"),
        ("topic-draft-find", {"do": "dance"}, "The form was not filled in by this page"),
        ("topic-draft-find", {"do": "relevant", "docno": "D9"}, "There is no document D9 to judge"),
        ("topic-draft-find", {"do": "withdraw", "find": "9"}, "This is not there any more"),
    ],
)
def test_the_bench_says_why_it_refuses(
    bench: Client, campaign: Campaign, name: str, data: dict[str, object], sentence: str
) -> None:
    bench.post(address("topic-draft-begin"))
    page = bench.post(address(name, 1), data, follow=True)
    assert page.status_code == 200
    assert sentence in page_of(page)


def test_the_author_reads_the_organisers_word(
    bench: Client, campaign: Campaign, assessor: User, organiser: User
) -> None:
    draft = sent(campaign, assessor)
    assert "with the organiser" not in page_of(bench.get(address("topic-draft", 1)))
    send_back(actor=organiser, draft=draft, word="Too <broad>.", client_key=uuid4())
    for page in (address("topic-drafts"), address("topic-draft", 1)):
        assert "Too &lt;broad&gt;." in page_of(bench.get(page))


def test_the_desk_says_why_it_refuses(client: Client, campaign: Campaign, assessor: User, organiser: User) -> None:
    sent(campaign, assessor)
    client.force_login(organiser)
    for data, sentence in (
        ({"do": "back", "word": " "}, "Tell the author what to change"),
        ({"do": "accept", "topic": "1"}, "There is a topic 1 already"),
        ({"do": "dance"}, "“do” must be back or accept"),
    ):
        answer = client.post(address("topic-draft-decide", 1), data)
        assert answer.status_code in (409, 422)
        assert sentence in page_of(answer)


def test_an_assessor_sees_no_draft_of_another(
    client: Client, campaign: Campaign, assessor: User, second_assessor: User
) -> None:
    drafted(campaign, assessor)
    client.force_login(second_assessor)
    assert "Harbor kites" not in page_of(client.get(address("topic-drafts")))
    drafted(campaign, second_assessor)
    assert "Much like" not in page_of(client.get(address("topic-draft", 2)))
    assert client.get(address("topic-draft", 1)).status_code == 404
    assert client.post(address("topic-draft-find", 1), {"do": "relevant"}).status_code == 404


def test_a_frozen_campaign_shows_the_draft_and_no_way_to_change_it(
    bench: Client, campaign: Campaign, assessor: User
) -> None:
    drafted(campaign, assessor)
    Campaign.objects.update(state="frozen")
    page = page_of(bench.get(address("topic-draft", 1)))
    assert "Harbor kites" in page
    assert "Send to the organiser" not in page
    answer = bench.post(address("topic-draft-write", 1), fields(notes="More."), headers=JSON)
    assert answer.status_code == 409
    assert DraftFind.objects.count() == 0


def test_a_track_without_drafts_leads_nobody_there(client: Client, organiser: User) -> None:
    made = factories.campaign(organiser=organiser, slug="claims", track="context25")
    client.force_login(factories.member(made, "reader", "assessor"))
    assert "My topics" not in page_of(client.get(reverse("work", args=["claims"])))
    assert "Topics come in files here" in page_of(client.get(reverse("topic-drafts", args=["claims"])))


def test_the_bench_of_the_pilot_asks_for_a_definition(client: Client, organiser: User) -> None:
    made = factories.campaign(organiser=organiser, slug="pilot", track="aquaint-definition")
    author = factories.member(made, "author", "assessor")
    drafted(made, author, DEFINITION)
    client.force_login(author)
    page = page_of(client.get(reverse("topic-draft", args=["pilot", 1])))
    assert "A kite flies." in page
    assert "draft-part-" not in page


def test_a_document_opens_by_its_number_and_an_odd_address_breaks_nothing(
    bench: Client, campaign: Campaign, assessor: User
) -> None:
    factories.document(campaign, "D1", "Kites.")
    drafted(campaign, assessor)
    page = page_of(bench.get(address("topic-draft", 1) + "?doc=D1"))
    assert 'data-document="D1"' in page
    assert bench.get(address("topic-draft", 1) + "?doc=D9").status_code == 404
    assert bench.get(address("topic-draft", 1) + "?from=abc&q=%00").status_code == 200


def test_the_overview_says_that_drafts_wait(client: Client, organiser: User) -> None:
    made = Campaign.objects.create(slug="bare", title="Bare", track="tac2008-qa")
    Membership.objects.create(campaign=made, user=organiser, role="organiser")
    maker = factories.member(made, "maker", "assessor")
    client.force_login(organiser)
    overview = reverse("overview", args=["bare"])
    page = page_of(client.get(overview))
    assert "There are no topics yet: load a file of them, or let assessors make them under My topics." in page
    assert "topic draft" not in page
    first, _ = sent(made, maker), drafted(made, maker)
    page = page_of(client.get(overview))
    assert "1 topic draft waits for you." in page
    assert f'href="{reverse("topic-drafts-desk", args=["bare"])}"' in page
    sent(made, maker)
    assert "2 topic drafts wait for you." in page_of(client.get(overview))
    send_back(actor=organiser, draft=first, word="Ask more.", client_key=uuid4())
    assert "1 topic draft waits for you." in page_of(client.get(overview))


def test_my_topics_counts_answers_and_nuggets_and_no_judged_documents(
    bench: Client, campaign: Campaign, assessor: User
) -> None:
    factories.document(campaign, "D1", "The harbor shop sells kites.")
    draft = drafted(campaign, assessor)
    judge_document(actor=assessor, draft=draft, docno="D1", is_relevant=True, client_key=uuid4())
    found = {"actor": assessor, "draft": draft, "docno": "D1", "quote": "The harbor shop"}
    add_find(kind="answer", part=1, text="the harbor shop", client_key=uuid4(), **found)
    add_find(kind="nugget", part=2, text="A shop sells them", client_key=uuid4(), **found)
    row = page_of(bench.get(address("topic-drafts"))).split("<tbody>")[1].split("</tr>")[0]
    assert re.findall(r'<td class="number">(\d+)</td>', row) == ["2", "2"]  # questions, found


def test_a_question_has_no_type_until_its_author_chooses_one(bench: Client, campaign: Campaign) -> None:
    """A type chosen beforehand makes a question another one in silence, where nobody looked at it."""
    factories.document(campaign, "D1", "The harbor shop sells kites.")
    bench.post(address("topic-draft-begin"), {"client_key": str(uuid4())})
    page = page_of(bench.get(address("topic-draft", 1)))
    assert page.count('<option value="" selected>Choose its type</option>') == 4
    saved = bench.post(address("topic-draft-write", 1), fields(**{"task-2": ""}), headers=JSON)
    assert saved.status_code == 200
    draft = campaign.topic_drafts.get()
    assert [part.task for part in show_draft(draft).content.parts] == ["rigid", ""]
    found = {"do": "nugget", "part": "2", "text": "harbor shop", "docno": "D1", "client_key": str(uuid4())}
    answer = bench.post(address("topic-draft-find", 1), found, follow=True)
    assert "The question has no type yet. Choose it first" in page_of(answer)
    answer = bench.post(address("topic-draft-write", 1), {"do": "send", "client_key": str(uuid4())}, follow=True)
    assert "Choose the type of question 2 first." in page_of(answer)
    assert show_draft(draft).state == "draft"
    bench.post(address("topic-draft-write", 1), fields())
    bench.post(address("topic-draft-write", 1), {"do": "send", "client_key": str(uuid4())})
    assert show_draft(draft).state == "sent"
