"""An accepted draft becomes topics that the track's own reader takes again from the file that the site writes."""

from __future__ import annotations

import io
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from hypothesis import example, given
from hypothesis import strategies as st

from assess.base.errors import Invalid
from assess.models import Campaign, Membership, Topic
from assess.protocol import DraftContent, DraftPart, TopicRecord
from assess.topic_drafts.domain.deciding import accept_draft
from assess.topic_drafts.domain.writing import checked_content, write_draft
from assess.topic_drafts.queries import show_draft
from assess.topics.reading_back import require_readable
from tests import factories
from tests.assess.topic_drafts.made_drafts import DEFINITION, SERIES, drafted, sent
from tests.pages import page_of
from tracks import TRACKS

DRAFTED = [track for track in TRACKS if track.drafting is not None]


@pytest.fixture
def maker(campaign: Campaign) -> User:
    return factories.member(campaign, "maker", "assessor")


@pytest.mark.django_db
@pytest.mark.parametrize("number", ["4 5", "22.1", "<b>", "7\x01"])
def test_a_number_that_the_reader_refuses_is_refused_in_every_way(
    campaign: Campaign, maker: User, organiser: User, client: Client, number: str
) -> None:
    draft = sent(campaign, maker)
    before = set(Topic.objects.values_list("number", flat=True))
    client.force_login(organiser)
    values = {"do": "accept", "topic": number, "client_key": str(uuid4())}
    page = client.post(reverse("topic-draft-decide", args=[campaign.slug, 1]), values)
    address = f"/api/v1/campaigns/{campaign.slug}/topic-drafts/1/accept/"
    answer = client.post(address, {"topic": number, "client_key": str(uuid4())}, "application/json")
    with pytest.raises(CommandError) as said:
        call_command("call", "topic_drafts_accept", campaign.slug, "id=1", f"topic={number}")
    assert (page.status_code, answer.status_code) == (422, 422)
    for words in (page_of(page), answer.json()["detail"], str(said.value)):
        assert "No file of topics can hold this" in words
    assert set(Topic.objects.values_list("number", flat=True)) == before
    assert show_draft(draft).state == "sent"


@pytest.mark.django_db
def test_the_pilots_questions_keep_their_own_rule(organiser: User) -> None:
    made = Campaign.objects.create(slug="pilot", title="Pilot", track="aquaint-definition")
    Membership.objects.create(campaign=made, user=organiser, role="organiser")
    draft = sent(made, factories.member(made, "author", "assessor"), DEFINITION)
    with pytest.raises(Invalid, match="needs a digit"):
        accept_draft(actor=organiser, draft=draft, client_key=uuid4(), number="4 5")
    assert accept_draft(actor=organiser, draft=draft, client_key=uuid4(), number="22.1").state == "accepted"
    assert made.topics.get().number == "22.1"


@pytest.mark.django_db
def test_what_no_file_holds_is_refused_when_it_is_typed(campaign: Campaign, maker: User) -> None:
    draft = drafted(campaign, maker)
    for content, what in (
        (DraftContent(text="Harbor \x02kites", parts=SERIES.parts), "The target holds .*U\\+0002 after “Harbor ”"),
        (DraftContent(text="Harbor", parts=(DraftPart(key=1, task="rigid", text="\ufffeWho?"),)), "The question holds"),
        (DraftContent(text="Harbor", parts=SERIES.parts, notes="a\nb\x1b[0m"), "The notes holds? .*U\\+001B"),
    ):
        with pytest.raises(Invalid, match=what):
            write_draft(actor=maker, draft=draft, content=content, client_key=uuid4())
    assert show_draft(draft).content == SERIES


ANY = st.text(max_size=20) | st.sampled_from(
    ["]]>", "&amp;", "\u202e", "\x01", "</q>", "<1>\n\n* x", "\t", "\U0001f600"]
)


@pytest.mark.parametrize("track", DRAFTED, ids=lambda track: track.key)
@given(text=ANY, definition=ANY, parts=st.lists(st.tuples(ANY, st.sampled_from([0, 1])), min_size=1, max_size=3))
@example(text="a\u0085b", definition="<2>\n\n3", parts=[("\u2028x", 0)])
def test_whatever_is_taken_as_a_draft_can_be_read_as_topics(
    track: object, text: str, definition: str, parts: list[tuple[str, int]]
) -> None:
    drafting = track.drafting  # type: ignore[attr-defined]
    typed = DraftContent(
        text=text,
        definition=definition if drafting.definition else "",
        parts=tuple(
            DraftPart(key=key, task=drafting.tasks[place], text=said) for key, (said, place) in enumerate(parts, 1)
        )
        if drafting.parts
        else (),
    )
    try:
        content = checked_content(typed, drafting=drafting)
    except Invalid:
        return
    if content.text and (content.parts or not drafting.parts):
        records = list(drafting.records(content, "7", 1))
        require_readable(track, records)  # type: ignore[arg-type]


@pytest.mark.parametrize("track", TRACKS, ids=lambda track: track.key)
@given(number=ANY)
def test_a_number_is_read_again_as_it_is_or_refused(track: object, number: str) -> None:
    """What `require_readable` takes comes back with the same number, text and place in its series."""
    for kind in track.topic_files:  # type: ignore[attr-defined]
        tasks = [task for task, is_below in kind.shapes if not is_below] or [track.tasks[0].key]  # type: ignore[attr-defined]
        if kind.write is None or kind.supplements or all(is_below for _, is_below in kind.shapes or [("", False)]):
            continue
        record = TopicRecord(number=number, task=tasks[0], text="Who?", ordinal=1)
        try:
            require_readable(track, [record])  # type: ignore[arg-type]
        except Invalid:
            continue
        content = "".join(f"{line}\n" for line in kind.write([record])).encode()
        read = [each for each in kind.read(io.BytesIO(content)) if isinstance(each, TopicRecord)]
        assert [each.number for each in read] == [number]
