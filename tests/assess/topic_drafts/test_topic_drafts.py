"""Drafts of topics: begun before there are topics, written, sent, sent back, accepted; who may do what."""

from __future__ import annotations

from dataclasses import replace
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError, transaction
from django.test import Client
from django.urls import reverse
from django.utils import translation

from assess.base.errors import Conflict, Invalid, NotAllowed, Refused
from assess.models import Campaign, DraftStep, Membership, TopicDraft
from assess.protocol import DraftContent, Drafting, DraftPart
from assess.topic_drafts.domain import writing
from assess.topic_drafts.domain.deciding import accept_draft, next_number, send_back
from assess.topic_drafts.domain.finding import add_find
from assess.topic_drafts.domain.writing import (
    begin_draft,
    checked_content,
    drop_draft,
    send_draft,
    set_query,
    write_draft,
)
from assess.topic_drafts.queries import show_draft
from tests import factories
from tests.assess.topic_drafts.made_drafts import DEFINITION, SERIES, drafted, key, sent

pytestmark = pytest.mark.django_db


@pytest.fixture
def bare(organiser: User) -> Campaign:
    """A campaign that is being set up and has no topics."""
    made = Campaign.objects.create(slug="bare", title="Bare", track="tac2008-qa")
    Membership.objects.create(campaign=made, user=organiser, role="organiser")
    return made


@pytest.fixture
def maker(bare: Campaign) -> User:
    return factories.member(bare, "maker", "assessor")


def test_a_campaign_begins_before_there_are_topics(bare: Campaign, maker: User, organiser: User) -> None:
    """Pilot, 1: “questions were developed by NIST assessors who searched the AQUAINT collection”."""
    draft = sent(bare, maker)
    assert bare.topics.count() == 0
    shown = accept_draft(actor=organiser, draft=draft, client_key=uuid4())
    assert shown.state == "accepted"
    rows = bare.topics.order_by("number").values_list("number", "task", "parent__number", "text", "fields")
    assert list(rows) == [
        ("1", "", None, "Harbor kites", {}),
        ("1.1", "rigid", "1", "Which shops sell them?", {"type": "RigidList"}),
        ("1.2", "squishy", "1", "What do flyers say of their strings?", {"type": "SquishyList"}),
    ]
    assert TopicDraft.objects.get().topic == bare.topics.get(number="1")


def test_the_authors_definition_becomes_a_field_of_the_question(organiser: User) -> None:
    """Pilot, 1: “the assessor also created his or her own definition of the target”."""
    made = Campaign.objects.create(slug="pilot", title="Pilot", track="aquaint-definition")
    Membership.objects.create(campaign=made, user=organiser, role="organiser")
    author = factories.member(made, "author", "assessor")
    accept_draft(actor=organiser, draft=sent(made, author, DEFINITION), client_key=uuid4())
    topic = made.topics.get()
    assert (topic.number, topic.task, topic.text) == ("1", "definition", "What is a kite?")
    assert topic.fields == {"author_summary": "A kite flies.\n\nIt has a string."}


def test_each_key_is_stored_once(bare: Campaign, maker: User) -> None:
    draft = begin_draft(actor=maker, campaign=bare, client_key=key("begin"))
    assert begin_draft(actor=maker, campaign=bare, client_key=key("begin")) == draft
    for _ in range(2):
        write_draft(actor=maker, draft=draft, content=SERIES, client_key=key("write"))
        send = send_draft(actor=maker, draft=draft, client_key=key("send"))
    assert send.state == "sent"
    assert list(draft.steps.values_list("action", flat=True)) == ["write", "write", "send"]
    with pytest.raises(Conflict, match="said something else then"):
        write_draft(actor=maker, draft=draft, content=SERIES, client_key=key("send"))


def test_what_is_so_already_is_not_written_again(bare: Campaign, maker: User) -> None:
    draft = drafted(bare, maker)
    write_draft(actor=maker, draft=draft, content=SERIES, client_key=uuid4())
    assert draft.steps.count() == 2


def test_the_organiser_sends_it_back_with_a_word(bare: Campaign, maker: User, organiser: User) -> None:
    draft = sent(bare, maker)
    with pytest.raises(Conflict, match="Draft 1 is sent"):
        write_draft(actor=maker, draft=draft, content=SERIES, client_key=uuid4())
    with pytest.raises(Invalid, match="Tell the author what to change"):
        send_back(actor=organiser, draft=draft, word=" ", client_key=uuid4())
    back = send_back(actor=organiser, draft=draft, word="Too broad.", client_key=uuid4())
    assert (back.state, back.word) == ("back", "Too broad.")
    narrower = replace(SERIES, text="Harbor box kites")
    shown = write_draft(actor=maker, draft=draft, content=narrower, client_key=uuid4())
    assert (shown.state, shown.content.text) == ("back", "Harbor box kites")
    assert send_draft(actor=maker, draft=draft, client_key=uuid4()).state == "sent"


def test_what_went_back_to_a_closed_account_is_accepted_all_the_same(
    client: Client, bare: Campaign, maker: User, organiser: User
) -> None:
    draft = sent(bare, maker)
    send_back(actor=organiser, draft=draft, word="Too broad.", client_key=uuid4())
    with pytest.raises(Conflict, match="Draft 1 is sent back"):
        accept_draft(actor=organiser, draft=draft, client_key=uuid4())
    User.objects.filter(pk=maker.pk).update(is_active=False)
    draft = TopicDraft.objects.get(pk=draft.pk)
    with pytest.raises(Conflict, match="account is closed, so nobody could change it"):
        send_back(actor=organiser, draft=draft, word="Too broad.", client_key=uuid4())
    client.force_login(organiser)
    page = client.get(reverse("topic-drafts-desk", args=[bare.slug])).content.decode()
    assert reverse("topic-draft-decide", args=[bare.slug, draft.number]) in page
    assert accept_draft(actor=organiser, draft=draft, client_key=uuid4()).state == "accepted"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (DraftContent(), "Write the target first."),
        (replace(SERIES, parts=SERIES.parts[:1]), "It has 1 question; 2 to 4 are asked."),
    ],
)
def test_nothing_unfinished_is_sent(bare: Campaign, maker: User, content: DraftContent, sentence: str) -> None:
    """TAC, II: a series has “2-4 questions”."""
    with pytest.raises(Conflict, match=sentence):
        send_draft(actor=maker, draft=drafted(bare, maker, content), client_key=uuid4())


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (replace(SERIES, text="x" * 2001), "The target has 2,001 characters; 2,000 are allowed."),
        (replace(SERIES, notes="x" * 20001), "The notes has 20,001 characters; 20,000 are allowed."),
        (replace(SERIES, definition="A kite."), "No definition is asked"),
        (replace(SERIES, parts=(DraftPart(key=1, task="essay", text="?"),)), "essay is no type of question here"),
        (replace(SERIES, parts=(DraftPart(key=0, task="rigid", text="?"),)), "The form was not filled in by this page"),
        (replace(SERIES, parts=tuple(DraftPart(key=n, task="rigid", text="?") for n in range(1, 6))), "at most 4"),
    ],
)
def test_a_bad_content_is_refused(bare: Campaign, maker: User, content: DraftContent, sentence: str) -> None:
    draft = drafted(bare, maker)
    with pytest.raises(Invalid, match=sentence):
        write_draft(actor=maker, draft=draft, content=content, client_key=uuid4())
    assert show_draft(draft).content == SERIES


def test_two_windows_never_overwrite_each_other(bare: Campaign, maker: User) -> None:
    draft = drafted(bare, maker)
    seen = show_draft(draft).version
    write_draft(actor=maker, draft=draft, content=replace(SERIES, notes="a"), client_key=uuid4(), version=seen)
    with pytest.raises(Conflict) as refused:
        write_draft(actor=maker, draft=draft, content=replace(SERIES, notes="b"), client_key=uuid4(), version=seen)
    assert refused.value.code == "unseen"
    assert show_draft(draft).content.notes == "a"


def test_a_search_never_overwrites_another_window(bare: Campaign, maker: User, monkeypatch: pytest.MonkeyPatch) -> None:
    draft = drafted(bare, maker)
    newer = replace(SERIES, text="Harbor kites and strings")

    def written_meanwhile(content: DraftContent, *, drafting: Drafting) -> DraftContent:
        monkeypatch.undo()
        write_draft(actor=maker, draft=draft, content=newer, client_key=uuid4())
        return checked_content(content, drafting=drafting)

    monkeypatch.setattr(writing, "checked_content", written_meanwhile)
    with pytest.raises(Conflict, match="changed in another window"):
        set_query(actor=maker, draft=draft, query="kites", client_key=uuid4())
    assert show_draft(draft).content == newer


def test_refusals_are_in_the_reader_s_language(bare: Campaign, maker: User, organiser: User) -> None:
    draft = sent(bare, maker)
    long = replace(SERIES, parts=(DraftPart(key=1, task="rigid", text="x" * 2001),))
    with translation.override("de"):
        with pytest.raises(Conflict, match="Entwurf 1 ist „abgeschickt“"):
            write_draft(actor=maker, draft=draft, content=SERIES, client_key=uuid4())
        with pytest.raises(Invalid, match=r"Frage: 2\.001 Zeichen; erlaubt sind 2\.000"):
            write_draft(actor=maker, draft=draft, content=long, client_key=uuid4())
        with pytest.raises(Invalid, match=r"Schreiben Sie es auf \(Antwort\)"):
            add_find(actor=maker, draft=draft, kind="answer", text="", docno="D1", client_key=uuid4())


def test_a_question_that_something_was_found_for_stays(bare: Campaign, maker: User) -> None:
    factories.document(bare, "D1")
    draft = drafted(bare, maker)
    add_find(actor=maker, draft=draft, kind="answer", text="a shop", docno="D1", part=1, client_key=uuid4())
    without = replace(SERIES, parts=SERIES.parts[1:])
    with pytest.raises(Conflict, match="Something was found for “Which shops sell them\\?”"):
        write_draft(actor=maker, draft=draft, content=without, client_key=uuid4())
    retyped = replace(SERIES, parts=(replace(SERIES.parts[0], task="squishy"), SERIES.parts[1]))
    with pytest.raises(Conflict, match="then change the type"):
        write_draft(actor=maker, draft=draft, content=retyped, client_key=uuid4())


def test_only_the_author_writes_and_only_the_organiser_decides(bare: Campaign, maker: User, organiser: User) -> None:
    other = factories.member(bare, "other", "assessor")
    draft = sent(bare, maker)
    calls = [
        lambda: write_draft(actor=other, draft=draft, content=SERIES, client_key=uuid4()),
        lambda: send_draft(actor=organiser, draft=draft, client_key=uuid4()),
        lambda: drop_draft(actor=organiser, draft=draft, client_key=uuid4()),
        lambda: add_find(actor=other, draft=draft, kind="answer", text="a", docno="D1", client_key=uuid4()),
        lambda: send_back(actor=maker, draft=draft, word="No.", client_key=uuid4()),
        lambda: accept_draft(actor=maker, draft=draft, client_key=uuid4()),
        lambda: begin_draft(actor=organiser, campaign=bare, client_key=uuid4()),
    ]
    for call in calls:
        with pytest.raises(NotAllowed):
            call()


def test_a_machine_drafts_nothing(bare: Campaign) -> None:
    robot = factories.member(bare, "robot", "assessor")
    Membership.objects.filter(user=robot).update(is_machine=True)
    with pytest.raises(NotAllowed):
        begin_draft(actor=robot, campaign=bare, client_key=uuid4())


def test_a_track_whose_topics_come_in_files_alone_refuses_drafts(organiser: User) -> None:
    made = Campaign.objects.create(slug="claims", title="Claims", track="context25")
    author = factories.member(made, "author", "assessor")
    with pytest.raises(Conflict, match="come in files alone"):
        begin_draft(actor=author, campaign=made, client_key=uuid4())


def test_numbers_are_free_ones(bare: Campaign, maker: User, organiser: User) -> None:
    factories.topic(bare, "7", "Kites of paper", task="")
    assert next_number(bare) == "8"
    draft = sent(bare, maker)
    with pytest.raises(Conflict, match="There is a topic 7 already"):
        accept_draft(actor=organiser, draft=draft, client_key=uuid4(), number="7")
    with pytest.raises(Refused):
        accept_draft(actor=organiser, draft=draft, client_key=uuid4(), number="x" * 101)
    assert show_draft(draft).state == "sent"
    accept_draft(actor=organiser, draft=draft, client_key=uuid4())
    assert TopicDraft.objects.get().topic == bare.topics.get(number="8")


@pytest.mark.parametrize("state", ["frozen", "released"])
def test_a_closed_campaign_takes_nothing(bare: Campaign, maker: User, organiser: User, state: str) -> None:
    factories.document(bare, "D1")
    draft, waiting = drafted(bare, maker), sent(bare, maker)
    stale = Campaign.objects.get(pk=bare.pk)
    Campaign.objects.filter(pk=bare.pk).update(state=state)
    calls = [
        lambda: begin_draft(actor=maker, campaign=stale, client_key=uuid4()),
        lambda: write_draft(actor=maker, draft=draft, content=replace(SERIES, notes="b"), client_key=uuid4()),
        lambda: send_draft(actor=maker, draft=draft, client_key=uuid4()),
        lambda: drop_draft(actor=maker, draft=draft, client_key=uuid4()),
        lambda: add_find(actor=maker, draft=draft, kind="answer", text="a", docno="D1", part=1, client_key=uuid4()),
        lambda: send_back(actor=organiser, draft=waiting, word="No.", client_key=uuid4()),
        lambda: accept_draft(actor=organiser, draft=waiting, client_key=uuid4()),
    ]
    before = DraftStep.objects.count()
    for call in calls:
        with pytest.raises(Conflict, match="nothing in it can be changed"):
            call()
    assert (DraftStep.objects.count(), draft.finds.count(), bare.topics.count()) == (before, 0, 0)


def test_steps_are_never_changed(bare: Campaign, maker: User) -> None:
    draft = drafted(bare, maker)
    with pytest.raises(DatabaseError, match="ledger"), transaction.atomic():
        draft.steps.update(word="x")


def test_what_was_done_stands_in_the_activities(bare: Campaign, maker: User, organiser: User) -> None:
    draft = sent(bare, maker)
    send_back(actor=organiser, draft=draft, word="Why?", client_key=uuid4())
    drop_draft(actor=maker, draft=draft, client_key=uuid4())
    accept_draft(actor=organiser, draft=sent(bare, maker), client_key=uuid4())
    actions = bare.activities.order_by("id").values_list("action", flat=True)
    assert list(actions) == [
        *("draft.begin", "draft.send", "draft.back", "draft.drop"),
        *("draft.begin", "draft.send", "topics.load", "draft.accept"),
    ]
