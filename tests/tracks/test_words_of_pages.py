"""The pages of every track, read: words, counts and columns are those of the track."""

from __future__ import annotations

import re
from collections.abc import Iterator

import lxml.html
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.models import Assignment, Campaign, Membership, Run
from tests import factories
from tests.tracks.conftest import Judged
from tests.tracks.kept_db import db  # noqa: F401

STRINGS, SERIES = {"tac2008-qa", "aquaint-definition"}, {"tac2008-qa", "ikat2023", "rag-nuggets"}
WORDS: dict[str, set[str]] = {
    r"strings?": STRINGS,
    r"answer sets?": {"tac2008-qa"},
    r"series": SERIES,
    r"answer class(es)?|groupings?": {"tac2008-qa"},
    "\N{REPLACEMENT CHARACTER}": set(),
}
"""Words that belong to the pages of some tracks alone, and what belongs to none."""

ORGANISER = """
overview topics documents runs run-new pool people assignments assignments-balance progress questions activity
campaign-state freeze exports scores release adjudication
"""
PARTICIPANT = "overview topics runs run-new"


def pages_of(judged: Judged) -> Iterator[tuple[str, str, User, str]]:
    """(role, name, person, address) of what is read."""
    campaign, slug = judged.campaign, judged.campaign.slug
    run = Run.objects.filter(campaign=campaign, state=Run.State.ACCEPTED).order_by("pk").first()
    topic = campaign.topics.exclude(task="").order_by("pk").first()
    assert run is not None
    assert topic is not None
    participant = factories.user("reading-participant")
    Membership.objects.create(user=participant, campaign=campaign, role="participant", team=run.team)
    for role, person, names in (("O", judged.organiser, ORGANISER), ("P", participant, PARTICIPANT)):
        for name in names.split():
            yield role, name, person, reverse(name, args=[slug])
        yield role, "topic", person, reverse("topic", args=[slug, topic.number])
        yield role, "run", person, reverse("run", args=[slug, run.pk])
    yield "O", "run-withdraw", judged.organiser, reverse("run-withdraw", args=[slug, run.pk])
    yield "O", "score-topics", judged.organiser, f"{reverse('score-topics', args=[slug])}?run={run.tag}"
    stages: dict[str, Assignment] = {}
    for work in Assignment.objects.filter(campaign=campaign).select_related("assessor").order_by("pk"):
        if stages.setdefault(work.stage, work) is work:
            yield "A", f"bench of {work.stage}", work.assessor, reverse("workbench", args=[slug, work.pk])


def words_of(page: str) -> str:
    """What a page says of its own: without what topics, runs, documents and ledgers hold, and without scripts."""
    main = lxml.html.fromstring(page).find(".//main")
    assert main is not None
    for each in list(main.iter("script", "style", "blockquote", "q", "iframe", "bdi")):
        each.drop_tree()
    labels = (each.get(name) or "" for each in main.iter() for name in ("aria-label", "title", "data-key-label"))
    return " ".join([main.text_content(), *labels])


def test_the_pages_of_a_track_speak_of_what_it_has(judged: Judged, scratch: None) -> None:
    client, foreign, read = Client(), {}, 0
    allowed = {word for word, tracks in WORDS.items() if judged.track.key in tracks}
    for role, name, person, address in pages_of(judged):
        client.force_login(person)
        answer = client.get(address, follow=True)
        assert answer.status_code == 200, address
        said = words_of(answer.content.decode())
        read += 1
        for word in WORDS.keys() - allowed:
            for match in re.finditer(rf"\b(?:{word})\b" if word.isascii() else word, said, re.IGNORECASE):
                foreign.setdefault((role, name), []).append(said[max(0, match.start() - 50) : match.end() + 30])
    assert foreign == {}
    assert read > 25


def test_the_topic_page_shows_all_of_a_topic_and_who_answers_it(judged: Judged, client: Client) -> None:
    """Each accepted run of the track's demonstration that may answer a task answers some of its topics."""
    campaign: Campaign = judged.campaign
    client.force_login(judged.organiser)
    answered: dict[str, int] = {}
    for topic in campaign.topics.exclude(task=""):
        answer = client.get(reverse("topic", args=[campaign.slug, topic.number]))
        facts = answer.context["facts"]
        answered[topic.task] = answered.get(topic.task, 0) + facts.answered
        page = lxml.html.fromstring(answer.content.decode()).text_content()
        for name, value in topic.fields.items():
            for text in [value] if isinstance(value, str) else value if isinstance(value, list) else []:
                assert not isinstance(text, str) or text in page, (topic.number, name)
    assert min(answered.values()) > 0
