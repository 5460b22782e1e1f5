"""Lists written from documents alone: groups to choose from, no importance, quotes as sources."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.base.errors import Conflict, Invalid
from assess.exports.writing import everything
from assess.judging.snapshots import Snapshot
from assess.models import Assignment, Campaign
from nuggets.models import Nugget, NuggetList
from nuggets.writing.edits import redo_edit, undo_edit
from nuggets.writing.export import nuggets_of
from nuggets.writing.lists import freeze_list, revise_list, start_list
from nuggets.writing.record import add_nugget, edit_nugget, split_nugget
from nuggets.writing.sources import add_seen_nugget, add_source
from scoring.records import OwnedNugget
from scoring.release.recorded_acts import NuggetWritten
from tests import factories
from tests.nuggets.keys import key
from tests.pages import page_of

pytestmark = pytest.mark.django_db
TEXT = "We asked forty students. They sorted cards twice. The second time took less."


@pytest.fixture
def grounding(workshop: Campaign, author: User) -> Assignment:
    for docno in ("smith2020", "jones 2021/a"):
        factories.document(workshop, docno, TEXT)
    topic = workshop.topics.get(number="g1")
    topic.fields = {"documents": ["smith2020", "jones 2021/a", "not-loaded", "smith2020", 7]}
    topic.save()
    return factories.assignment(topic, "ground", author)


@pytest.fixture
def snippets(grounding: Assignment, author: User) -> NuggetList:
    draft = start_list(actor=author, assignment=grounding)
    document = grounding.campaign.documents.get(docno="smith2020")
    quotes = [("who", "forty students"), ("how", "They sorted cards twice."), ("what", "took less")]
    for group, quote in quotes:
        add_seen_nugget(
            actor=author,
            nugget_list=draft,
            text=f"about {quote}",
            importance="okay",
            group=group,
            quote=quote,
            document=document,
            client_key=key(quote),
        )
    return draft


def post(client: Client, work: Assignment, **fields: Any) -> dict[str, Any]:
    client.force_login(work.assessor)
    answer = client.post(
        reverse("nuggets-edit", args=["workshop", work.pk]), fields, headers={"accept": "application/json"}
    )
    found: dict[str, Any] = answer.json()
    return found


def shown(client: Client, work: Assignment, query: str = "") -> str:
    client.force_login(work.assessor)
    return page_of(client.get(reverse("workbench", args=["workshop", work.pk]) + query))


def test_nuggets_stand_under_the_groups_of_the_stage(
    client: Client, grounding: Assignment, snippets: NuggetList, author: User
) -> None:
    add_nugget(actor=author, nugget_list=snippets, text="loose", importance="okay", client_key=key("loose"))
    page = shown(client, grounding)
    places = [
        page.index(words)
        for words in (
            "<h3>Who",
            "about forty",
            "<h3>What",
            "about took",
            "<h3>How",
            "about They",
            "<h3>in no group",
            ">loose<",
        )
    ]
    assert places == sorted(places)


def test_the_paper_of_a_claim_opens_at_the_sentence_that_is_most_like_it(client: Client, grounding: Assignment) -> None:
    grounding.topic.text = "Students were faster the second time"
    grounding.topic.save()
    page = shown(client, grounding)
    assert 'data-place="1"' in page and "the likeliest sentence" in page
    likely = TEXT.index("The second time")
    assert f'data-likely="{likely}-{len(TEXT)} ' in page
    other = factories.document(grounding.campaign, "found", TEXT)  # which the topic does not name
    found = page_of(client.get(f"{reverse('workbench', args=['workshop', grounding.pk])}documents/{other.docno}/"))
    assert "data-place" not in found and '<mark class="term"' in found


def test_nothing_of_importance_is_shown_or_asked(client: Client, grounding: Assignment, snippets: NuggetList) -> None:
    page = shown(client, grounding)
    assert "vital" not in page.replace("/static/", "")
    assert post(client, grounding, do="add", text="more", group="who")["said"] == "Description 4 written."
    frozen = freeze_list(actor=grounding.assessor, nugget_list=snippets, client_key=key("f"))
    assert frozen.is_frozen
    assert "vital" not in shown(client, grounding)


def test_the_stage_says_what_a_line_is_called(client: Client, grounding: Assignment, snippets: NuggetList) -> None:
    words = _words(shown(client, grounding))
    assert "descriptions of" in words and "New description, from the marked words" in words
    freeze_list(actor=grounding.assessor, nugget_list=snippets, client_key=key("f"))
    frozen = _words(shown(client, grounding))
    assert "begin a new version: a draft with the same 3 descriptions" in frozen
    for text in (words, frozen):
        assert not re.search("nugget|matching|votes|[◦★]", text, re.IGNORECASE)


def _words(page: str) -> str:
    """What is read on a page or said of its keys, without addresses, classes and names of hooks."""
    labels = " ".join(re.findall(r'(?:aria-label|data-key-label|title)="([^"]*)"', page))
    return re.sub(r"<[^>]*>", " ", page[page.index("<main") :]) + labels


def test_group_is_changed_undone_and_redone(client: Client, grounding: Assignment, snippets: NuggetList) -> None:
    said = post(client, grounding, do="group", number=1, group="how")["said"]
    assert (said, snippets.nuggets.get(number=1).group) == ("Description 1 is in “How”.", "how")
    undo_edit(actor=grounding.assessor, nugget_list=snippets, client_key=key("u"))
    assert snippets.nuggets.get(number=1).group == "who"
    redo_edit(actor=grounding.assessor, nugget_list=snippets, client_key=key("r"))
    assert snippets.nuggets.get(number=1).group == "how"


def test_a_group_that_the_stage_does_not_name_is_refused(grounding: Assignment, snippets: NuggetList) -> None:
    author = grounding.assessor
    with pytest.raises(Invalid, match=r"“when” is no group of this work\. Use one of: who, what, how\."):
        edit_nugget(actor=author, nugget_list=snippets, number=1, group="when", client_key=key("e"))
    with pytest.raises(Invalid, match="no group"):
        add_nugget(actor=author, nugget_list=snippets, text="x", importance="okay", group="when", client_key=key("a"))
    assert snippets.nuggets.count() == 3


def test_api_sets_groups_and_asks_for_no_importance(
    client: Client, grounding: Assignment, snippets: NuggetList
) -> None:
    client.force_login(grounding.assessor)
    base = f"/api/v1/campaigns/workshop/assignments/{grounding.pk}/nugget-list/"
    said = {"text": "by API", "group": "what", "client_key": str(key("api"))}
    assert client.post(f"{base}add/", said, "application/json").json()["group"] == "what"
    change = {"number": 4, "group": "who", "client_key": str(key("api 2"))}
    assert client.post(f"{base}edit/", change, "application/json").status_code == 200
    assert snippets.nuggets.get(number=4).group == "who"


def test_fields_stay_with_versions_and_parts(grounding: Assignment, author: User) -> None:
    draft = start_list(actor=author, assignment=grounding)
    more = {"gold": "s1"}
    add_nugget(
        actor=author,
        nugget_list=draft,
        text="a and b",
        importance="okay",
        fields=more,
        group="who",
        client_key=key("1"),
    )
    split_nugget(actor=author, nugget_list=draft, number=1, texts=["a", "b"], client_key=key("2"))
    undo_edit(actor=author, nugget_list=draft, client_key=key("3"))
    assert [(n.number, n.fields) for n in draft.nuggets.all()] == [(1, more)]
    redo_edit(actor=author, nugget_list=draft, client_key=key("4"))
    frozen = freeze_list(actor=author, nugget_list=draft, client_key=key("5"))
    revised = revise_list(actor=author, nugget_list=frozen)
    kept = {(n.number, n.group, n.fields["gold"]) for n in Nugget.objects.filter(nugget_list=revised)}
    assert kept == {(1, "who", "s1"), (2, "who", "s1"), (3, "who", "s1")}


def test_documents_of_the_topic_stand_beside_the_list(client: Client, grounding: Assignment) -> None:
    page = shown(client, grounding)
    assert 'data-opened-docno="smith2020"' in page  # no strings: the first is open
    assert TEXT in page
    assert page.count("data-open-topic-document=") == 2
    assert "not-loaded</span>" in page
    assert 'data-opened-docno="jones 2021/a"' in shown(client, grounding, "?doc=jones%202021/a")
    fragment = reverse("work-document", args=["workshop", grounding.pk, "jones 2021/a"])
    assert 'data-opened-docno="jones 2021/a"' in page_of(client.get(fragment))
    missing = reverse("work-document", args=["workshop", grounding.pk, "nowhere"])
    assert client.get(missing).status_code == 404


def test_a_topic_may_name_documents_in_any_shape(client: Client, grounding: Assignment) -> None:
    for fields in ({}, {"documents": "smith2020"}, {"documents": None}, {"documents": [{}, 3]}, {"documents": []}):
        topic = grounding.topic
        topic.fields = fields
        topic.save()
        assert "data-open-topic-document" not in shown(client, grounding)


def test_quotes_are_verbatim_and_a_nugget_has_several(
    client: Client, grounding: Assignment, snippets: NuggetList
) -> None:
    author, document = grounding.assessor, grounding.campaign.documents.get(docno="smith2020")
    more = {"actor": author, "nugget_list": snippets, "number": 1, "document": document}
    with pytest.raises(Invalid, match="word for word"):
        add_source(**more, quote="Forty students", client_key=key("s1"))
    start = TEXT.index("students")
    with pytest.raises((Invalid, Conflict)):
        add_source(**more, quote="students", span={"start": start + 1, "end": start + 9}, client_key=key("s2"))
    add_source(**more, quote="students", span={"start": start, "end": start + 8}, client_key=key("s3"))
    page = shown(client, grounding)
    assert '<q dir="auto" lang="en">forty students</q>' in page
    assert '<q dir="auto" lang="en">students</q>' in page
    edit_nugget(actor=author, nugget_list=snippets, number=1, text="Who took part", client_key=key("t"))
    assert [source.quote for source in snippets.nuggets.get(number=1).sources.all()] == ["forty students", "students"]


def test_exports_hold_groups_and_quotes(workshop: Campaign, grounding: Assignment, snippets: NuggetList) -> None:
    assert list(nuggets_of(Snapshot(workshop))) == []
    freeze_list(actor=grounding.assessor, nugget_list=snippets, client_key=key("f"))
    assert next(nuggets_of(Snapshot(workshop))) == OwnedNugget(
        by="assessor-1",
        role="primary",
        topic="g1",
        number=1,
        importance="okay",
        text="about forty students",
        group="who",
        sources=(("smith2020", "forty students"),),
    )
    groups = [act.group for act in everything(Snapshot(workshop)) if isinstance(act, NuggetWritten)]
    assert groups == ["who", "how", "what"]
