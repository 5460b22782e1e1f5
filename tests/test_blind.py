"""Nobody who judges sees a run tag or a team name: every page they can reach is read for all of them."""

from __future__ import annotations

import re
from html import unescape
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.core import signing
from django.db import connection
from django.test import Client
from django.urls import reverse

from assess.controls.domain import make_control_items
from assess.controls.plan import ControlItemRequest
from assess.documents.views.pane import SALT
from assess.models import Assignment, Campaign, Item, ListedDocument, Topic
from tests import factories
from tests.assess import judged_campaign as judging
from tests.benches import Benches
from tests.pages import page_of

pytestmark = pytest.mark.django_db

TAGS = ["Zanzibar1", "Quillwort2"]
LINK = re.compile(r"""(?:href|src|hx-get|hx-post|action|data-url)=["']([^"'#]+)""")


@pytest.fixture
def judged_by_assessor(
    campaign: Campaign,
    organiser: User,
    assessor: User,
    rigid: Topic,
    squishy: Topic,
    rigid_items: list[Item],
    squishy_items: list[Item],
) -> User:
    """An assessor with work of every stage on items that two runs returned."""
    factories.document(campaign, rigid_items[0].docno)
    for tag in TAGS:
        run = factories.run(campaign, tag, organiser)
        factories.response(run, rigid, rigid_items)
        factories.response(run, squishy, squishy_items)
    for topic, stage in ((rigid, "instances"), (rigid, "classes"), (squishy, "nuggets"), (squishy, "matches")):
        factories.assignment(topic, stage, assessor)
    factories.assignment(squishy, "votes", assessor, role="second")
    return assessor


def read_all(client: Client, start: list[str]) -> dict[str, str]:
    """Every page reachable by links from these addresses, as address -> text."""
    pages: dict[str, str] = {}
    waiting = list(start)
    while waiting:
        address = waiting.pop()
        if address in pages or not address.startswith("/") or address.startswith(("/static/", "/admin/")):
            continue
        if any(word in address for word in ("logout", "login")):
            continue
        response = client.get(address)
        body = b"".join(response.streaming_content) if response.streaming else response.content  # type: ignore[attr-defined]
        text = body.decode(errors="replace")
        pages[address] = f"{response.headers.get('Location', '')}\n{text}"
        if response.status_code in (301, 302):
            waiting.append(response.headers["Location"])
        if response.status_code == 200 and "html" in response.headers.get("Content-Type", ""):
            found = (unescape(link).partition("#")[0] for link in LINK.findall(text))
            waiting.extend(link if not link.startswith("?") else address.partition("?")[0] + link for link in found)
        assert len(pages) < 500
    return pages


def test_no_page_of_an_assessor_names_a_run_or_a_team(client: Client, judged_by_assessor: User) -> None:
    client.force_login(judged_by_assessor)
    pages = read_all(client, [reverse("home")])
    assert len([address for address in pages if "/work/" in address]) >= 6
    hidden = [word for tag in TAGS for word in (tag, tag[:-1])]
    seen = {(address, word) for address, text in pages.items() for word in hidden if word in text}
    assert seen == set()


def test_no_bench_of_any_kind_names_a_run_or_a_team(client: Client, benches: Benches) -> None:
    client.force_login(benches.assessor)
    pages = read_all(client, [reverse("home")])
    for work in benches.work.values():
        assert any(address.startswith(f"/c/benches/work/{work.pk}/") for address in pages)
    hidden = [word for tag in TAGS for word in (tag, tag[:-1])]
    assert {(address, word) for address, text in pages.items() for word in hidden if word in text} == set()


def test_no_answer_of_the_api_to_an_assessor_names_a_run_or_a_team(client: Client, judged_by_assessor: User) -> None:
    client.force_login(judged_by_assessor)
    base = "/api/v1/campaigns/opinions/"
    work = client.get(base + "assignments/").json()["results"]
    addresses = [base, base + "topics/", base + "runs/", base + "members/", base + "scores/", base + "activity/"]
    for row in work:
        addresses += [f"{base}assignments/{row['id']}/{part}/" for part in ("items", "judgments")]
    texts = [client.get(address).content.decode() for address in addresses]
    assert sum("blue bicycle" in text for text in texts) >= 1
    assert not any(word in text for text in texts for tag in TAGS for word in (tag, tag[:-1]))


def test_the_reader_of_pages_does_find_names_where_they_may_be(
    client: Client, judged_by_assessor: User, organiser: User
) -> None:
    client.force_login(organiser)
    assert "Zanzibar1" in page_of(client.get(reverse("runs", args=["opinions"])))


def test_nothing_that_an_assessor_opens_tells_which_items_are_planted(
    client: Client, judged_by_assessor: User, campaign: Campaign, organiser: User, rigid: Topic, rigid_items: list[Item]
) -> None:
    document = factories.document(campaign, rigid_items[0].docno + "-shown")
    Item.objects.filter(pk__in=[item.pk for item in rigid_items]).update(document=document)
    far = Item.objects.create(pk=98_765_400, topic=rigid, kind="instance", key="stored before what is planted")
    if connection.vendor == "postgresql":  # whose next number does not follow from the highest
        with connection.cursor() as cursor:
            cursor.execute("SELECT setval(pg_get_serial_sequence('assess_item', 'id'), %s)", [far.pk])
    wish = ControlItemRequest(repeats=3, gold=0, gap=1)
    planted = make_control_items(actor=organiser, campaign=campaign, stage="instances", wish=wish)
    assert all(each.item_id > far.pk for each in planted)
    work = planted[0].assignment
    client.force_login(judged_by_assessor)
    base = f"/api/v1/campaigns/{campaign.slug}/assignments/{work.pk}/"
    rows = client.get(base + "items/").json()["results"]
    asked = {"text": "Why?", "client_key": str(uuid4())}
    said = {"criterion": "correctness", "value": 1}
    texts = {
        "asked": client.post(base + "ask/", {**asked, "item": rows[-1]["id"]}, "application/json").content.decode()
    }
    for row in rows:
        judged = client.post(
            base + "judgments/", {**said, "item": row["id"], "client_key": str(uuid4())}, "application/json"
        )
        assert judged.json()["item"] == row["id"]
        texts[f"judgment {row['id']}"] = judged.content.decode()
    for part in ("items/", "judgments/", ""):
        texts[base + part] = client.get(base + part).content.decode()
    bench = reverse("workbench", args=[campaign.slug, work.pk])
    start = [
        reverse("home"),
        *(f"{bench}{show}" for row in rows for show in (f"?item={row['id']}", f"items/{row['id']}/")),
    ]
    texts |= read_all(client, start)
    tokens = {token for text in texts.values() for token in re.findall(r"/d/([^/\"]+)/", text)}
    assert tokens
    texts |= {token: repr(signing.loads(token, salt=SALT)) for token in tokens}
    assert {address for address, text in texts.items() if "987654" in text} == set()
    for each in planted:
        assert client.get(f"{bench}items/{each.item_id}/").status_code == 404
        answer = client.post(
            base + "judgments/", {**said, "item": each.item_id, "client_key": str(uuid4())}, "application/json"
        )
        assert answer.status_code == 404


@pytest.mark.parametrize("role", ["assessor", "adjudicator", "participant"])
def test_what_topics_bring_besides_their_text_is_for_organisers(
    client: Client, campaign: Campaign, organiser: User, squishy: Topic, role: str
) -> None:
    squishy.fields = {"gold": {"labels": ["FIG 7 is the answer"]}}
    squishy.save()
    ListedDocument.objects.create(topic=squishy, rank=1, docno="D-1", score=1.0)
    start = f"/api/v1/campaigns/{campaign.slug}"
    addresses = [f"{start}/topics/", f"{start}/topics/{squishy.number}/", f"{start}/document-lists/"]
    client.force_login(factories.member(campaign, role, "somebody"))
    for address in addresses:
        answer = client.get(address)
        assert answer.status_code == 200
        assert "FIG 7" not in page_of(answer)
    client.force_login(organiser)
    assert "FIG 7 is the answer" in page_of(client.get(addresses[1]))


@pytest.mark.parametrize("drafts", ["sealed", "open"])
def test_no_page_of_an_adjudicator_names_a_run_or_a_person_and_machines_only_by_letters(
    client: Client,
    campaign: Campaign,
    judged_by_assessor: User,
    rigid: Topic,
    rigid_items: list[Item],
    second_assessor: User,
    adjudicator: User,
    drafts: str,
) -> None:
    Campaign.objects.update(drafts=drafts)
    robot = factories.assignment(rigid, "instances", factories.member(campaign, "robot-x", "assessor"), role="machine")
    other = factories.assignment(rigid, "instances", second_assessor, role="second")
    author = Assignment.objects.get(topic=rigid, stage="instances", role="primary")
    for item in rigid_items:
        for work, value in ((robot, 2), (author, 1), (other, -1)):
            judging.judge(work, item.text, value)
    people = [judged_by_assessor.username + "<", "second_assessor", "robot-x", *TAGS, *(tag[:-1] for tag in TAGS)]
    for reader, sees_machine in ((adjudicator, False), (judged_by_assessor, drafts == "open")):
        client.force_login(reader)
        read = read_all(client, [reverse("home")])
        pages = {address: text for address, text in read.items() if not address.startswith("/help/")}
        own = {f"{reader.username}<"}
        found = {
            (address, word) for address, text in pages.items() for word in people if word in text and word not in own
        }
        assert found == set()
        benches = [text for address, text in pages.items() if "/work/" in address or "/adjudication/" in address]
        assert len(benches) > 3
        assert any("machine judge A" in text for text in benches) == sees_machine
