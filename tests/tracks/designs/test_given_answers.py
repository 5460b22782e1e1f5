"""Questions that are answered by a text, a number or several of what is offered."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.assignments.queries.work_items import handle_of
from assess.exports.writing import everything
from assess.judging.queries.current import judgments_in_topics
from assess.judging.snapshots import Snapshot
from assess.kinds.grade.record import JudgmentInput, record_judgment
from assess.kinds.grade.tally import grade_tally
from assess.models import Assignment, Item, Judgment
from assess.organising.domain import freeze_campaign
from assess.releases.domain.importing import import_release
from assess.releases.domain.releasing import make_release
from scoring.__main__ import main as scoring
from scoring.release.recorded_acts import Judged
from tests import factories
from tests.pages import page_of
from tests.tracks.designs.campaigns import SURVEY, survey
from tests.unpacked import unpack_release
from tracks.designs.checking import check_design


@pytest.fixture(autouse=True)
def _folder(settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path / "data"


@pytest.mark.parametrize(
    ("before", "after", "line", "words"),
    [
        ('answer = "text"', 'answer = "text"\ngrades = "1-5"', 25, "has no grades: take them away"),
        ("most = 2", "most = 2\nleast = 3", 19, "more than can be chosen, which is 2"),
        ('relevant = "yes"', "faults = 1", 26, "faults is not answered by a grade"),
        ("words = 5", 'order = "random"', 25, "order is of grades, and claim has"),
        ("words = 5", "most = 5", 25, 'least and most are for answer = "several"'),
        ('answer = "number"', 'answer = "rank"', 28, "needs two grades or more"),
    ],
)
def test_what_does_not_go_together_is_told_with_its_line(before: str, after: str, line: int, words: str) -> None:
    design, faults = check_design(SURVEY.replace(before, after, 1))
    assert (design, [fault.line for fault in faults if words in fault.message]) == (None, [line]), faults


def test_a_design_without_any_grades_is_refused() -> None:
    question = "[[stages.questions]]"
    only_text = f"{SURVEY.partition(question)[0]}{question}\nkey = 'a'\nask = 'A?'\nanswer = 'text'\n"
    assert ["let one question be answered by grades" in fault.message for fault in check_design(only_text)[1]] == [True]


@pytest.mark.django_db(transaction=True)
def test_answers_are_checked_kept_released_and_imported(
    organiser: User, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    campaign = survey(organiser, tmp_path, SURVEY.replace("most = 2", 'most = 2\norder = "random"'))
    assessor = factories.member(campaign, "anna", "assessor")
    topic = campaign.topics.first()
    assert topic is not None
    work = factories.assignment(topic, "documents", assessor, state="started")
    item = Item.objects.filter(topic=topic, pool_items__isnull=False).order_by("key")[0]
    client = Client()
    client.force_login(assessor)
    handle, judge = handle_of(work, item.pk), reverse("judge", args=["own", work.pk])

    def sent(criterion: str, value: object, **fields: object) -> Any:
        body = {"item": handle, "criterion": criterion, "value": value, "client_key": str(uuid4()), "how": "key"}
        return client.post(judge, body | fields, headers={"accept": "application/json"})

    def called(criterion: str, given: dict[str, object]) -> Any:
        body = {"item": handle, "criterion": criterion, "value": None, "given": given, "client_key": str(uuid4())}
        address = reverse("api-assignment-judgments", args=["own", work.pk])
        return client.post(address, body, content_type="application/json")

    refused = [
        ("faults", {"several": [1, 2, 3]}, "Choose at most 2."),
        ("faults", {"several": [7]}, "7 is none of what is offered."),
        ("claim", {"text": "one two three four five six"}, "has 6 words; 5 are allowed."),
        ("year", {"text": "old"}, "is answered otherwise: give"),
        ("relevant", {"number": 1}, "is answered otherwise: give one of the grades"),
        ("faults", {"unsure": True}, "has to be answered"),
    ]
    assert sent("relevant", 1).status_code == 200
    for criterion, given, words in refused:
        by_page, by_api = sent(criterion, json.dumps(given)), called(criterion, given)
        assert (by_page.status_code, by_api.status_code) == (422, 422)
        assert words in by_page.json()["detail"] and by_api.json()["detail"] == by_page.json()["detail"]
    assert "is answered otherwise" in called("faults", {"rank": [1, 2]}).json()["detail"]  # as what it is
    assert sent("claim", 1).status_code == 422  # which has no grades
    assert "is a list of values" in sent("faults", "given", given_several=["a", "1"]).json()["detail"]
    assert sent("faults", "given", given_several=["3", "1"]).json()["value"] == '{"several":[1,3]}'
    assert grade_tally([work])[work.pk].done == 0
    assert called("claim", {"text": "Bees; live=here."}).status_code == 201
    assert grade_tally([work])[work.pk].done == 1
    assert sent("year", "given", given_number="1999.5").json()["value"] == '{"number":1999.5}'
    assert [row.given for row in Judgment.objects.order_by("id")[1:]] == [
        {"several": [1, 3]}, {"text": "Bees; live=here."}, {"number": 1999.5},
    ]  # fmt: skip
    page = page_of(client.get(f"{reverse('workbench', args=['own', work.pk])}?item={handle}"))
    assert "yes, old + one-sided, Bees; live=here., 1999.5" in page
    assert 'data-taken-keys="j k 1 2 3' in page and "claim=%7B%22text%22%3A%22Bees%3B%20live%3Dhere.%22%7D;" in page
    for each in Item.objects.filter(pool_items__isnull=False).exclude(pk=item.pk):
        found = Assignment.objects.filter(topic=each.topic).first()
        own = found or factories.assignment(each.topic, "documents", assessor, state="started")
        for criterion, value, given in (("relevant", 0, None), ("faults", None, {"several": []})):
            said = JudgmentInput(item=each, criterion=criterion, value=value, given=given, client_key=uuid4())
            record_judgment(actor=assessor, assignment=own, judgment=said)
    Assignment.objects.update(state="done")
    freeze_campaign(actor=organiser, campaign=campaign, despite="a trial")
    campaign.refresh_from_db()
    path = tmp_path / "release"
    unpack_release(make_release(actor=organiser, campaign=campaign), path)
    assert scoring(["verify", str(path)]) == 0, capsys.readouterr()
    assert {each.name for each in (path / "exports").iterdir()} == {"qrels.txt", "judgments.jsonl"}
    again = import_release(actor=organiser, path=path, slug="again")
    rows = judgments_in_topics(again, list(again.topics.values_list("pk", flat=True)))
    kept = Judgment.objects.filter(assignment__campaign=campaign).exclude(grade_order=None)
    assert sorted(row.grade_order for row in rows if row.grade_order) == sorted(row.grade_order for row in kept) != []
    assert sorted(str(row.given) for row in rows if row.given not in (None, {"several": []})) == [
        "{'number': 1999.5}", "{'several': [1, 3]}", "{'text': 'Bees; live=here.'}",
    ]  # fmt: skip


@pytest.mark.django_db
def test_grades_stand_in_an_order_of_their_own_each_time_which_is_recorded(
    organiser: User, tmp_path: Path, client: Client
) -> None:
    grades = ", ".join(f'{{ value = {n}, press = "{n}", name = "g{n}" }}' for n in range(5))
    text = SURVEY.replace('[{ value = 1, press = "j", name = "yes" }, { value = 0, press = "k", name = "no" }]',
                          f'[{grades}]\norder = "random"').replace('"yes"', '"g1"')  # fmt: skip
    campaign = survey(organiser, tmp_path, text)
    assessor = factories.member(campaign, "anna", "assessor")
    topic = campaign.topics.first()
    assert topic is not None
    work = factories.assignment(topic, "documents", assessor, state="started")
    client.force_login(assessor)
    bench, judge = (reverse(name, args=["own", work.pk]) for name in ("workbench", "judge"))
    shown = {}
    for item in Item.objects.filter(topic=topic, pool_items__isnull=False):
        handle = handle_of(work, item.pk)
        pages = [page_of(client.get(f"{bench}?item={handle}")) for _ in "ab"]
        (shown[item.pk],) = {"".join(re.findall(r'data-grade="g(\d)"', each)) for each in pages}  # each time the same
        body = {"item": handle, "criterion": "relevant", "value": 3, "client_key": str(uuid4()), "how": "key"}
        assert client.post(judge, body, headers={"accept": "application/json"}).status_code == 200
    assert len(set(shown.values())) > 1 and {"".join(sorted(each)) for each in shown.values()} == {"01234"}
    kept = Judgment.objects.filter(assignment=work)
    assert {row.item_id: "".join(map(str, row.grade_order)) for row in kept} == shown
    acts = [act for act in everything(Snapshot(campaign)) if isinstance(act, Judged)]
    assert {"".join(map(str, act.order)) for act in acts} == set(shown.values())
    row = JudgmentInput(item=item, criterion="relevant", value=2, client_key=uuid4(), how="api")
    assert (
        record_judgment(actor=assessor, assignment=work, judgment=row).grade_order is None
    )  # who asks knows the order


RANKED = SURVEY.replace('answer = "several"\nmost = 2', 'answer = "rank"')


@pytest.mark.django_db
def test_what_is_put_in_order_is_kept_in_it(organiser: User, tmp_path: Path, client: Client) -> None:
    campaign = survey(organiser, tmp_path, RANKED)
    assessor = factories.member(campaign, "anna", "assessor")
    topic = campaign.topics.first()
    assert topic is not None
    work = factories.assignment(topic, "documents", assessor, state="started")
    client.force_login(assessor)
    item = Item.objects.filter(topic=topic, pool_items__isnull=False).order_by("key")[0]
    handle, judge = handle_of(work, item.pk), reverse("judge", args=["own", work.pk])

    def sent(value: str, **fields: str) -> Any:
        body = {"item": handle, "criterion": "faults", "value": value, "client_key": str(uuid4()), "how": "key"}
        return client.post(judge, body | fields, headers={"accept": "application/json"})

    refused = {
        '{"rank": [3, 1]}': "Put at least 3 in order; 2 are.",
        '{"rank": [3, 1, 1]}': "Name each value that is put in order once.",
        '{"rank": [3, 1, 7]}': "7 is none of what is offered.",
        '{"several": [1]}': "is answered otherwise: put in order, the first first",
    }
    for value, words in refused.items():
        answer = sent(value)
        assert (answer.status_code, words in answer.json()["detail"]) == (422, True), answer.json()
    assert sent('{"rank": [3, 1, 2]}').json()["value"] == '{"rank":[3,1,2]}'
    assert "one-sided &gt; old &gt; vague" in page_of(client.get(reverse("workbench", args=["own", work.pk])))
    assert sent("given", given_order="2 1, 3").json()["value"] == '{"rank":[2,1,3]}'  # as a plain form sends it
    acts = [act for act in everything(Snapshot(campaign)) if isinstance(act, Judged)]
    assert [act.given for act in acts] == [{"rank": [2, 1, 3]}]
