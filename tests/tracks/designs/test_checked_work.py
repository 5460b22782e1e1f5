"""How a design wants work handed out and checked: what pages begin with, and what they say of too little agreement."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.campaigns.queries import track_of
from assess.controls.domain import add_usual_control_items
from assess.items.queries import known_items
from assess.models import Campaign, ControlItem, Item
from assess.organising.domain import change_state
from assess.practice.queries import practised_here, practised_stages
from assess.protocol import KnownAnswer
from assess.work.domain import balance_work
from tests import factories
from tests.pages import page_of
from tests.tracks.designs.campaigns import DATA, DESIGNS, by_key, judge_all, loaded
from tracks.designs.checking import check_design
from tracks.designs.data_check import data_faults

CHECKED = (
    (DESIGNS / "binary-relevance.toml")
    .read_text()
    .replace(
        "[scores]",
        """[stages.repeats]
share = 0.5
after = 4

[stages.hand_out]
order = "random"
days = 7

[stages.agreement]
measures = ["alpha", "kappa"]
floor = 0.6

[scores]""",
    )
)


@pytest.mark.django_db(transaction=True)
def test_pages_begin_with_what_the_design_says_and_name_what_is_below_its_floor(
    organiser: User, client: Client, tmp_path: Path, settings: Any
) -> None:
    settings.DATA_DIR = tmp_path / "data"
    (tmp_path / "mine.toml").write_text(CHECKED)
    campaign = loaded(organiser, tmp_path / "mine.toml")
    assert campaign.lease_hours == 7 * 24
    work = factories.assignment(
        campaign.topics.get(number="1"), "documents", factories.member(campaign, "carl", "assessor")
    )
    client.force_login(organiser)
    form = page_of(client.get(reverse("plants", args=["own"])))
    items = Item.objects.filter(topic=work.topic, pool_items__isnull=False).count()
    assert f'name="repeats" value="{round(items / 2)}"' in form and 'name="gap" value="4"' in form
    work.delete()
    judge_all(campaign)
    judge_all(campaign, lambda item, criterion: 1 - by_key(item, criterion), by="ben", role="second")
    page = page_of(client.get(reverse("agreement", args=["own"])))
    assert page.count("Below 0.6, the least that is asked for here.") == 4  # alpha, and Cohen's three kappas
    assert 'value="krippendorff_alpha_ordinal" selected' in page  # which the design names first


KNOWN = '{"topic": "1", "docno": "HIVE-02", "relevant": "relevant"}'
REPEATS = "[stages.repeats]\nshare = 0.5\nafter = 4"
WRONG = [
    ('"alpha"', '"alfa"', "stages.documents.agreement.measures.1", "Did you mean alpha?"),
    ('"random"', '"rank"', "stages.documents.hand_out.order", "order"),
    ("days = 7", "days = 700", "stages.documents.hand_out.days", "days is at most 365"),
    ("days = 7", "most = 0", "stages.documents.hand_out.most", "most is at least 1"),
    ("days = 7", "day = 7", "stages.documents.hand_out.day", "Did you mean days?"),
    (REPEATS, "[stages.practice]\nitems = 5", "stages.documents.practice", "No answers are known to practise with"),
    (REPEATS, "[stages.practice]\nitems = 5\nanswers = '{}'", "stages.documents.practice.answers", "it needs a topic"),
    (REPEATS, f"[stages.practice]\nanswers = '{KNOWN}'\nitems = 2", "stages.documents.practice.items", "1 answer is"),
    (REPEATS, '[stages.practice]\nitems = 2\nfile = "x"', "stages.documents.practice.file", "x lies beside the design"),
    ("share = 0.5", "share = 5", "stages.documents.repeats.share", "share is at most 1"),
    ('work = "grade"', "people = { each = 1, share = 0.5 }\nwork = 'grade'", "stages.documents.people", "2 or more"),
    (REPEATS, '[stages.control]\nfile = "x"', "stages.documents.control.file", "x lies beside the design"),
    (REPEATS, "[stages.control]", "stages.documents.control", "No answers are known here"),
    (REPEATS, "[stages.control]\nanswers = '{}'\ntell = \"later\"", "stages.documents.control.tell", "tell"),
    (REPEATS, "[stages.control]\nanswers = '{}'", "stages.documents.control.answers", "it needs a topic"),
]


@pytest.mark.parametrize(("before", "after", "member", "words"), WRONG)
def test_what_is_wrong_is_told_by_line_and_name(before: str, after: str, member: str, words: str) -> None:
    text = CHECKED.replace(before, after, 1)
    said = after.splitlines()[-1 if "control" in after or after.count("\n") > 1 else 0]
    line = next(number for number, each in enumerate(text.splitlines(), 1) if said in each)
    design, faults = check_design(text)
    assert (design, [(each.line, each.member) for each in faults if words in each.message]) == (None, [(line, member)])


GOLD = """{"topic": "1", "docno": "HIVE-02", "relevant": "relevant"}
{"topic": 1, "key": "HIVE-04", "relevant": 0}

{"topic": "1", "docno": "NOWHERE", "relevant": 1}
"""


@pytest.mark.django_db(transaction=True)
def test_known_answers_and_repeats_come_among_the_work_as_it_is_handed_out(
    organiser: User, tmp_path: Path, settings: Any
) -> None:
    settings.DATA_DIR = tmp_path / "data"
    control = '[stages.control]\nfile = "gold.jsonl"\nevery = 3\n\n[stages.agreement]'
    text = CHECKED.replace("[stages.agreement]", control).replace("share = 0.5\nafter = 4", "share = 0.3\nafter = 1")
    (tmp_path / "mine.toml").write_text(text)
    (tmp_path / "gold.jsonl").write_text(GOLD)
    campaign = loaded(organiser, tmp_path / "mine.toml")
    assert track_of(campaign).design.count("HIVE-02") == 1  # a campaign keeps what it needs
    factories.member(campaign, "anna", "assessor")
    change_state(actor=organiser, campaign=campaign, state="judging")
    balance_work(actor=organiser, campaign=Campaign.objects.get(pk=campaign.pk))
    work = campaign.assignments.get(topic__number="1")
    items = Item.objects.filter(topic=work.topic, pool_items__isnull=False).count()
    kinds = Counter(each.kind for each in work.control_items.all())
    assert kinds == {"gold": min(2, items // 3), "repeat": round(0.3 * items)}
    expected = {each.item.repeats.key: each.expected for each in work.control_items.filter(kind="gold")}
    assert expected.items() <= {"HIVE-02": {"relevant": 1}, "HIVE-04": {"relevant": 0}}.items()
    before = ControlItem.objects.count()
    assert add_usual_control_items(actor=organiser, campaign=campaign, stages=["documents"]) == []
    assert ControlItem.objects.count() == before  # what has some gets no more


def test_a_line_of_known_answers_ends_with_a_line_feed_alone(tmp_path: Path) -> None:
    text = CHECKED.replace("[stages.agreement]", '[stages.control]\nfile = "gold.jsonl"\n\n[stages.agreement]')
    (tmp_path / "gold.jsonl").write_text('{"topic": "1", "text": "a\u2028b", "relevant": 0}\r\n')
    assert check_design(text, folder=tmp_path)[1] == []


BAD_GOLD = [
    ('"HIVE-02"', "7", "Line 1 of the known answers: one of key, docno, text names the item"),
    ('"relevant": "relevant"', '"relevent": 1', "There is no question “relevent” in the stage documents. Did you mean"),
    ('"relevant": 0', '"relevant": 5', "Line 2 of the known answers: There is no grade of relevant “5”."),
    ('"topic": "1", "docno": "N', '"docno": "N', 'Line 4 of the known answers: it needs a topic, as in "topic": "1".'),
    ("{", "", "Line 1 of the known answers: "),
]


@pytest.mark.parametrize(("before", "after", "words"), BAD_GOLD)
def test_what_is_wrong_in_known_answers_is_told_by_their_line(
    tmp_path: Path, before: str, after: str, words: str
) -> None:
    text = CHECKED.replace("[stages.agreement]", '[stages.control]\nfile = "gold.jsonl"\n\n[stages.agreement]')
    (tmp_path / "gold.jsonl").write_text(GOLD)
    assert check_design(text, folder=tmp_path)[1] == []
    (tmp_path / "gold.jsonl").write_text(GOLD.replace(before, after, 1))
    design, [fault] = check_design(text, folder=tmp_path)
    assert (design, fault.member, words in fault.message) == (None, "stages.documents.control.answers", True), fault
    assert "[stages.control]" in text.splitlines()[fault.line - 1] or "gold.jsonl" in text.splitlines()[fault.line - 1]


@pytest.mark.django_db
def test_a_known_answer_may_call_a_topic_of_a_table_by_its_words(
    organiser: User, tmp_path: Path, settings: Any
) -> None:
    settings.DATA_DIR = tmp_path / "data"
    claims, folder = (DESIGNS / "claims.toml").read_text(), DATA / "designs" / "claims"
    (tmp_path / "known.jsonl").write_text(
        '{"topic": "swallows", "text": "Swallows drink on the wing.", "truth": 4}\n'
        '{"topic": "2", "text": "Moss has no roots.", "truth": 4}\n'
    )
    text = claims.replace(
        "[[stages.questions]]", '[stages.practice]\nfile = "known.jsonl"\nitems = 2\n\n[[stages.questions]]', 1
    )
    (tmp_path / "mine.toml").write_text(text)
    assert list(data_faults(text, tmp_path, folder)) == []
    campaign = loaded(organiser, tmp_path / "mine.toml", folder)
    (stage,) = practised_stages(campaign)
    assert practised_here(campaign, stage) == 2
    known = (tmp_path / "known.jsonl").read_text()
    (tmp_path / "known.jsonl").write_text(known.replace("swallows", "swalows"))
    [fault] = data_faults(text, tmp_path, folder)
    assert fault.message.startswith(
        "An answer is known of the topic “swalows”, which is not here. Did you mean swallows?"
    )
    assert fault.member == "stages.1.practice"
    (tmp_path / "known.jsonl").write_text(
        known.replace('"text": "Moss has no roots."', '"docno": "SWALLOW-2"').replace('"2"', '"1"')
    )
    [fault] = data_faults(text, tmp_path, folder)
    assert fault.message == "An answer is known of “SWALLOW-2” in topic 1, the docno of 2 items: name one."
    several = KnownAnswer(topic="1", named_by="docno", item="SWALLOW-2", expected=())
    assert known_items(campaign, stage.item_kind, [several]) == [None]


def test_topics_are_read_by_their_content_as_they_are_when_they_are_loaded(tmp_path: Path) -> None:
    """BioASQ's questions are called topics.json, as dialogues are; the check told that they were no dialogues."""
    questions = [{"id": "5a1", "body": "Is it so?"}, {"id": "5a2", "body": "Which?"}]
    (tmp_path / "topics.json").write_text(json.dumps({"questions": questions}))
    text = (DESIGNS / "supported-answers.toml").read_text()
    text = text.replace("[runs]", '[topics]\nshown = ["body"]\njudged = ["5a2"]\n\n[runs]', 1)
    assert [fault.message for fault in data_faults(text, DESIGNS, tmp_path) if fault.severity == "error"] == []


def test_limits_that_requests_state_are_told_since_no_design_keeps_to_them(tmp_path: Path) -> None:
    (tmp_path / "topics.jsonl").write_text('{"request_id": "1", "title": "Is it so?", "limit": 2000}\n')
    told = list(data_faults((DESIGNS / "supported-answers.toml").read_text(), DESIGNS, tmp_path))
    words = "Topic 1 states a limit of its own, which no design looks at"
    assert [words in fault.message for fault in told].count(True) == 1


def test_an_empty_file_of_suggestions_is_told(tmp_path: Path) -> None:
    (tmp_path / "items.csv").write_bytes((DATA / "designs" / "claims" / "items.csv").read_bytes())
    (tmp_path / "machine.jsonl").write_text("\n")
    text = (DESIGNS / "claims.toml").read_text().replace("shown =", 'suggest = "machine.jsonl"\nshown =', 1)
    told = [fault.message for fault in data_faults(text, DESIGNS, tmp_path) if fault.member == "runs.suggest"]
    assert told == ["machine.jsonl is empty: nothing is suggested."]
