"""What a design's questions ask beside a grade, judged at the bench and over the API: notes, snippets, conditions."""

from __future__ import annotations

import json
import math
from io import StringIO
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from assess.assignments.queries.work_items import handle_of
from assess.judging.queries.current import judgments_in_topics
from assess.kinds.grade.record import JudgmentInput, record_judgment
from assess.kinds.grade.tally import counted_grade_tally, grade_tally
from assess.models import Assignment, Campaign, Item, Judgment
from assess.organising.domain import freeze_campaign
from assess.progress.domain import count_work
from assess.releases.domain.importing import import_release
from assess.releases.domain.releasing import make_release
from assess.work.domain import balance_work, hand_over
from assess.work.queries.stack import stack_of
from scoring.__main__ import main as scoring
from tests import factories
from tests.pages import page_of
from tests.unpacked import unpack_release

ROOT = Path(__file__).resolve().parent.parent.parent.parent
EXAMPLE = ROOT / "docs" / "designs" / "misleading-passages.toml"
ADHOC = ROOT / "tests" / "data" / "tracks" / "adhoc"


@pytest.fixture(autouse=True)
def _folder(settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path / "data"


@pytest.fixture
def bench(db: None, organiser: User) -> Bench:
    return Bench(organiser)


class Bench:
    """The example of the design page, loaded, with work of one assessor on its first topic."""

    def __init__(self, organiser: User) -> None:
        call_command(
            *("load_campaign", str(ADHOC), "--track", str(EXAMPLE), "--slug", "own", "--organiser", organiser.username),
            stdout=StringIO(), stderr=StringIO(),
        )  # fmt: skip
        Campaign.objects.update(state="judging")
        self.campaign = Campaign.objects.get(slug="own")
        self.assessor = factories.member(self.campaign, "anna", "assessor")
        topic = self.campaign.topics.first()
        assert topic is not None
        self.work = factories.assignment(topic, "passages", self.assessor, state="started")
        items = Item.objects.filter(topic=topic, pool_items__isnull=False, document__isnull=False).order_by("key")
        self.item, self.other = items[:2]
        self.client = Client()
        self.client.force_login(self.assessor)

    def judge(self, criterion: str, value: object, **more: Any) -> Any:
        """A click of the script."""
        sent = {"item": handle_of(self.work, more.pop("on", self.item).pk), "criterion": criterion, "value": value}
        sent |= {"client_key": str(uuid4()), "how": "key", **more}
        return self.client.post(
            reverse("judge", args=["own", self.work.pk]), sent, headers={"accept": "application/json"}
        )

    def call(self, criterion: str, value: int | None, **more: Any) -> Any:
        """The same over the API."""
        sent = {"item": handle_of(self.work, self.item.pk), "criterion": criterion, "value": value, **more}
        path = reverse("api-assignment-judgments", args=["own", self.work.pk])
        return self.client.post(path, sent | {"client_key": str(uuid4())}, content_type="application/json")

    def page(self, item: Item | None = None) -> str:
        """The bench with an item on it."""
        handle = handle_of(self.work, (item or self.item).pk)
        return page_of(self.client.get(f"{reverse('workbench', args=['own', self.work.pk])}?item={handle}"))

    def words(self) -> str:
        """Some words of the item's document."""
        return " ".join(self.item.document.body.text.split()[:4]) if self.item.document else ""


def quote(bench: Bench, **more: Any) -> str:
    text = bench.item.document.body.text
    return json.dumps([{"quote": text[10:40], "start": 10, **more}])


@pytest.mark.django_db
def test_a_grade_that_needs_a_note_and_a_snippet_is_refused_without_alike(bench: Bench) -> None:
    whole = {"note": "It says the opposite.", "evidence": quote(bench, label="false")}
    for lacks, words in (("note", "“yes” needs a note. Why is it misleading?"), ("evidence", "“yes” needs a snippet")):
        sent = {name: value for name, value in whole.items() if name != lacks}
        answer = bench.judge("misleading", 2, **sent)
        assert (answer.status_code, words in answer.json()["detail"]) == (422, True), lacks
        sent = {"note": sent.get("note", ""), "evidence": json.loads(sent.get("evidence", "null"))}
        called = bench.call("misleading", 2, **sent)
        assert (called.status_code, called.json()["detail"]) == (422, answer.json()["detail"])
    wrong = bench.judge("misleading", 2, **whole | {"evidence": quote(bench, label="wrong")})
    assert "The labels are: false, one-sided." in wrong.json()["detail"]
    assert not Judgment.objects.exists()
    assert bench.judge("misleading", 2, **whole).status_code == 200
    row = Judgment.objects.get()
    assert (row.value, row.note, row.evidence[0]["label"]) == (2, "It says the opposite.", "false")
    assert bench.judge("misleading", 1).status_code == 200  # which needs neither
    shown = bench.page()
    assert ('data-needs="note evidence"' in shown, "Why is it misleading?" in shown) == (True, True)


@pytest.mark.django_db
def test_without_a_script_the_note_and_the_words_are_typed(bench: Bench) -> None:
    sent = {"item": handle_of(bench.work, bench.item.pk), "criterion": "misleading", "value": 2, "how": "click"}
    sent |= {"client_key": str(uuid4()), "note": "Wrong way round.", "quote": bench.item.document.body.text[10:40]}
    answer = bench.client.post(reverse("judge", args=["own", bench.work.pk]), sent)
    assert answer.status_code == 302
    assert Judgment.objects.get().evidence[0]["start"] == 10


@pytest.mark.django_db
def test_who_cannot_tell_is_kept_and_not_counted(bench: Bench) -> None:
    assert bench.judge("misleading", "unsure").json()["value"] == "unsure"
    row = Judgment.objects.get()
    assert (row.value, row.given) == (None, {"unsure": True})
    assert bench.call("readability", None, given={"unsure": True}).status_code == 422  # which has no such answer
    shown = bench.page()
    assert "misleading=unsure;" in shown
    answer = bench.client.get(reverse("api-assignment-judgments", args=["own", bench.work.pk])).json()
    assert answer["results"][0]["given"] == {"unsure": True}
    assert "can&#x27;t tell" in answered(bench, bench.item)
    assert tally(bench) == 1  # nothing else is asked of it
    organiser = Client()
    organiser.force_login(User.objects.get(username="organiser"))
    assert '<span class="number">1</span> can&#x27;t tell' in page_of(organiser.get(reverse("progress", args=["own"])))
    assert qrels(bench, "qrels.txt")[bench.item.key] == "-1"
    assert bench.call("misleading", None).status_code == 201
    assert tally(bench) == 0


@pytest.mark.django_db
def test_a_question_is_asked_as_another_is_answered(bench: Bench) -> None:
    refused = bench.judge("readability", 3)
    assert (refused.status_code, "is not asked of this item" in refused.json()["detail"]) == (409, True)
    assert form_of(bench, "readability").endswith("hidden")
    assert bench.judge("misleading", 0).status_code == 200
    assert not form_of(bench, "readability").endswith("hidden")
    assert tally(bench) == 0
    assert bench.judge("readability", 3).status_code == 200
    assert tally(bench) == 1
    assert qrels(bench, "qrels-readability.txt") == {bench.item.key: "3"}
    assert bench.judge("misleading", "unsure").status_code == 200
    assert (tally(bench), qrels(bench, "qrels-readability.txt")) == (1, {})
    kept = [row.value for row in Judgment.objects.filter(criterion="readability")]
    assert (kept, "readability" in exported(bench, "judgments.jsonl")) == ([3], False)
    assert "3" not in answered(bench, bench.item)
    assert bench.judge("misleading", 1).status_code == 200
    assert (tally(bench), qrels(bench, "qrels-readability.txt")) == (1, {bench.item.key: "3"})


def form_of(bench: Bench, criterion: str) -> str:
    """The first tag of a question's form."""
    return bench.page().split(f'id="grade-{criterion}"', 1)[1].split(">", 1)[0].strip()


def answered(bench: Bench, item: Item) -> str:
    """What the list says beside an item."""
    line = bench.page().split(f'data-item="{handle_of(bench.work, item.pk)}"', 1)[1].split("</a>", 1)[0]
    return line.split('class="said"', 1)[1]


def tally(bench: Bench) -> int:
    """How many items are judged, by the bench, by the list of work and as counted by day, which agree."""

    work = Assignment.objects.get(pk=bench.work.pk)
    by_list = grade_tally([work])[work.pk].done
    by_day = counted_grade_tally([work], count_work(bench.campaign))[work.pk].done
    shown = bench.page().split("data-progress-words>", 1)[1].split(" of ", 1)[0]
    assert (by_list, by_day) == (int(shown), int(shown))
    return by_list


def exported(bench: Bench, name: str) -> str:
    """A file of the exports."""
    client = Client()
    client.force_login(User.objects.get(username="organiser"))
    answer = client.get(reverse("export-file", args=["own", name]))
    return b"".join(answer).decode()


def qrels(bench: Bench, name: str) -> dict[str, str]:
    """docno -> grade of the items that somebody judged."""
    rows = [line.split() for line in exported(bench, name).splitlines()]
    return {docno: grade for _, _, docno, grade in rows if grade != "-1" or docno == bench.item.key}


def say(work: Assignment, item: Item, criterion: str, value: int | None, **more: Any) -> None:
    """A judgment by whoever has the work."""
    row = JudgmentInput(item=item, criterion=criterion, value=value, client_key=uuid4(), **more)
    record_judgment(actor=work.assessor, assignment=work, judgment=row)


def judge_all(bench: Bench) -> None:
    """Every pooled item in one of five ways, all that a question can say among them."""
    for topic in bench.campaign.topics.all():
        work = bench.work if topic == bench.work.topic else factories.assignment(topic, "passages", bench.assessor)
        for place, item in enumerate(Item.objects.filter(topic=topic, pool_items__isnull=False).order_by("key")):
            way = place % 5 if item.document is not None else 1
            if way in (0, 4):
                text = item.document.body.text if item.document is not None else ""
                if way == 4:  # readable, until it turned out to mislead
                    say(work, item, "misleading", 0)
                    say(work, item, "readability", 5)
                evidence = [{"quote": text[10:40], "start": 10, "label": "one-sided" if way else ""}]
                say(work, item, "misleading", 2, note="The other way round.", evidence=evidence)
            elif way in (1, 2):
                say(work, item, "misleading", way - 1)
                say(work, item, "readability", 3 + way)
            else:
                say(work, item, "misleading", None, given={"unsure": True})
    Assignment.objects.update(state="done")


@pytest.mark.django_db(transaction=True)
def test_all_that_was_said_is_released_verified_and_imported(
    organiser: User, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bench = Bench(organiser)
    judge_all(bench)
    freeze_campaign(actor=organiser, campaign=bench.campaign, despite="one document is gone")
    bench.campaign.refresh_from_db()
    path = tmp_path / "release"
    unpack_release(make_release(actor=organiser, campaign=bench.campaign), path)
    assert scoring(["verify", str(path)]) == 0, capsys.readouterr()
    acts = [json.loads(line) for line in (path / "exports" / "judgments.jsonl").read_text().splitlines()]
    assert {json.dumps(act["given"]) for act in acts if act["value"] is None} == {'{"unsure": true}'}
    labels = [each.get("label") for act in acts for each in act.get("evidence", ())]
    assert {"one-sided", None} == set(labels)
    asked = {
        (act["topic"], act["docno"]) for act in acts if act["criterion"] == "misleading" and act["value"] in (0, 1)
    }
    assert asked == {(act["topic"], act["docno"]) for act in acts if act["criterion"] == "readability"}
    rows = [line.split() for line in (path / "exports" / "qrels-readability.txt").read_text().splitlines()]
    assert ({(topic, docno) for topic, _, docno, _ in rows}, {row[3] for row in rows}) == (asked, {"4", "5"})
    means = (path / "scores" / "means.tsv").read_text()
    assert all(measure in means for measure in ("nDCG@10", "AP", "P@5", "Judged@10", "AP (readable)"))
    again = import_release(actor=organiser, path=path, slug="again")
    rows_here, rows_there = (
        sorted(
            (row.item.topic.number, row.item.key, row.criterion, row.value, str(row.given), row.note)
            for row in judgments_in_topics(each, list(each.topics.values_list("pk", flat=True)))
        )
        for each in (bench.campaign, again)
    )
    assert (rows_here == rows_there, len(rows_there) > 20) == (True, True)


@pytest.mark.django_db
def test_two_people_judge_a_share_of_the_topics(bench: Bench, organiser: User) -> None:
    campaign = bench.campaign
    for name in ("ben", "cleo"):
        factories.member(campaign, name, "assessor")
    assert stack_of(campaign) is not None
    made = balance_work(actor=organiser, campaign=campaign)
    topics = campaign.topics.count()
    seconds = [work for work in made if work.role == Assignment.Role.SECOND]
    assert (len(seconds), topics) == (math.ceil(topics / 4), topics)
    authors = {work.topic_id: work.assessor_id for work in Assignment.objects.filter(role=Assignment.Role.PRIMARY)}
    assert all(authors[work.topic_id] != work.assessor_id for work in seconds)
    assert balance_work(actor=organiser, campaign=campaign) == []  # nothing is handed out twice
    assert stack_of(campaign) == []  # nor is more than the share on the stack
    seconds[0].delete()
    assert [topic.pk for topic in stack_of(campaign) or ()] == [seconds[0].topic_id]


@pytest.mark.django_db
def test_an_adjudicated_grade_decides_what_else_is_asked_of_an_item(bench: Bench) -> None:
    say(bench.work, bench.item, "misleading", 0)
    say(bench.work, bench.item, "readability", 4)
    assert qrels(bench, "qrels-readability.txt") == {bench.item.key: "4"}
    judge = factories.member(bench.campaign, "dora", "adjudicator")
    work = factories.assignment(bench.work.topic, "passages", judge, role="adjudicator", state="started")
    say(work, bench.item, "misleading", 2)  # an adjudicator writes no note and selects nothing
    assert qrels(bench, "qrels-readability.txt") == {}
    assert qrels(bench, "qrels.txt")[bench.item.key] == "2"
    say(work, bench.item, "misleading", None, given={"unsure": True})
    assert (qrels(bench, "qrels.txt")[bench.item.key], qrels(bench, "qrels-readability.txt")) == ("-1", {})


@pytest.mark.django_db
def test_who_goes_on_with_work_is_asked_what_follows_from_what_was_said_before(bench: Bench, organiser: User) -> None:
    say(bench.work, bench.item, "misleading", 1)
    taker = factories.member(bench.campaign, "ben", "assessor")
    work = hand_over(actor=organiser, assignment=bench.work, to=taker)
    Assignment.objects.filter(pk=work.pk).update(state="started")
    say(work, bench.item, "readability", 2, how="api")
    bench.work = work
    bench.client.force_login(taker)
    assert (tally(bench), qrels(bench, "qrels-readability.txt")) == (1, {bench.item.key: "2"})
    say(work, bench.item, "misleading", None, given={"unsure": True})
    assert (tally(bench), qrels(bench, "qrels-readability.txt")) == (1, {})
    assert qrels(bench, "qrels.txt")[bench.item.key] == "-1"
