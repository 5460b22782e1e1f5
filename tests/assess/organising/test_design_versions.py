"""A design changed in the middle of a campaign: what is allowed, what is refused with how many, what is moved."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from html import unescape
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import override

from assess.assignments.queries.notices import notices_of
from assess.base.errors import BadFile, Conflict, Invalid
from assess.base.files import stored_path
from assess.campaigns.activity import record_activity
from assess.campaigns.changed_since import ChangedSince, digests_of
from assess.campaigns.designs import campaign_at, design_versions, version_of, version_points
from assess.campaigns.domain import create_campaign
from assess.campaigns.queries import _designed, ledger_point, stage_of, track_of
from assess.controls.consistency import checked_control_items
from assess.controls.domain import GoldAnswer, make_control_items
from assess.controls.plan import ControlItemRequest
from assess.exports import kept as kept_exports
from assess.exports.writing import export_lines
from assess.judging.queries.current import current_judgments, official_judgments
from assess.judging.queries.judged import is_judged
from assess.judging.snapshots import Snapshot
from assess.kinds.grade.record import JudgmentInput, record_judgment
from assess.kinds.grade.trace import find_item
from assess.ledger.models import How
from assess.machines.importing import SHORT_BYTES, take_files
from assess.models import Assignment, Campaign, ControlItem, Item, Job, Judgment, Pool, PoolItem
from assess.organising.design_versions import change_design, plan_design
from assess.organising.domain import change_settings
from assess.organising.moved_values import PreparedMoves, prepare_moves
from assess.protocol.designs import ValueMapping
from assess.replay.importing import start_import
from assess.replay.replaying import import_judgments
from assess.work.domain import hand_over
from scoring.release.explained import About
from tests import factories
from tests.assess.worker import run_worker
from tests.design_text import DESIGN
from tests.remembered import remembered

MOVED = DESIGN.replace('value = 2, press = "y"', 'value = 3, press = "y"').replace(
    'value = 1, press = "s"', 'value = 2, press = "s"'
)
MAPPING = """
[[changes]]
question = "misleading"
from = 1
to = 2

[[changes]]
question = "misleading"
from = 2
to = 3
"""
RENAMED = DESIGN.replace('name = "somewhat"', 'name = "a little"')


@pytest.fixture
@remembered
def made(organiser: User, settings: Any, tmp_path: Path) -> Campaign:
    """A campaign by the design in which one assessor has begun."""
    settings.DATA_DIR = tmp_path
    campaign = create_campaign(actor=organiser, slug="own", title="Own", design=DESIGN)
    topic = factories.topic(campaign, "1", "bees", task="ranking")
    pool = Pool.objects.create(campaign=campaign, task="ranking", digest="0" * 64, recipe={})
    for docno in ("A", "B", "C"):
        item = Item.objects.create(topic=topic, kind="document", key=docno, docno=docno)
        PoolItem.objects.create(pool=pool, item=item)
    factories.assignment(topic, "passages", factories.member(campaign, "anna", "assessor"), state="started")
    Campaign.objects.filter(pk=campaign.pk).update(state="judging")
    campaign.refresh_from_db()
    return campaign


def judge(
    campaign: Campaign, docno: str, value: int | None, question: str = "misleading", how: str = How.KEY
) -> Judgment:
    campaign = Campaign.objects.get(pk=campaign.pk)
    assignment = Assignment.objects.get(campaign=campaign)
    item = Item.objects.get(topic__campaign=campaign, key=docno)
    row = JudgmentInput(item=item, criterion=question, value=value, client_key=uuid4(), note=f"of {docno}", how=how)
    return record_judgment(actor=assignment.assessor, assignment=assignment, judgment=row)


def current(campaign: Campaign) -> dict[tuple[str, str], int | None]:
    rows = current_judgments(Snapshot(Campaign.objects.get(pk=campaign.pk)))
    return {(row.item.key, row.criterion): row.value for row in rows.select_related("item")}


def test_while_nothing_is_judged_everything_may_change(made: Campaign, organiser: User) -> None:
    text = MOVED.replace('key = "misleading"', 'key = "false"').replace('question = "misleading"', 'question = "false"')
    text = text.replace('key = "misleading-2026"', 'key = "false-2026"').replace("depth = 20", "depth = 30")
    version = change_design(actor=organiser, campaign=made, text=text)
    kept = Campaign.objects.get(pk=made.pk)
    assert (version.version, kept.track, kept.settings["pool_depth"]) == (2, "false-2026", 30)
    assert [each.key for each in stage_of(kept, "passages")[1].criteria] == ["false", "readability"]
    assert [each.version for each in design_versions(kept)] == [1, 2]
    assert change_design(actor=organiser, campaign=kept, text=text).version == 2


def test_a_harmless_change_holds_from_then_on_and_is_told(made: Campaign, organiser: User) -> None:
    anna = Assignment.objects.get(campaign=made).assessor
    with transaction.atomic():
        record_activity(actor=anna, action="assignment.open", campaign=made)
    first = judge(made, "A", 2)
    text = DESIGN.replace("Is it misleading?", "Does it mislead?").replace("gain = 1 }", "gain = 0 }")
    text = text.replace('name = "somewhat"', 'name = "a little", key = "somewhat"')
    version = change_design(actor=organiser, campaign=made, text=text)
    second = judge(made, "B", 1)
    made.refresh_from_db()
    points = version_points(made, None)
    assert [version_of(points, row.pk, row.design_version) for row in (first, second)] == [1, 2]
    assert campaign_at(made, first.pk).design == design_versions(made)[0].design
    assert campaign_at(made, second.pk) is made
    assert track_of(made).tasks[0].stages[0].criteria[0].question == "Does it mislead?"
    assert current(made) == {("A", "misleading"): 2, ("B", "misleading"): 1}
    (notice,) = notices_of(made, anna)
    assert notice.text.startswith("What is asked was changed.")
    assert "Is it misleading?" in notice.quote and "gain" not in notice.quote
    with override("de"):
        (notice,) = notices_of(made, anna)
    assert "ask: „Is it misleading?“, jetzt „Does it mislead?“." in notice.quote
    assert "Das Feld „name“ der Stufe somewhat von misleading: „somewhat“, jetzt „a little“." in notice.quote
    assert len(version.changes) == 3


NO = '  { value = 0, press = "o", name = "no", gain = 2 },\n'
SOMEWHAT = '  { value = 1, press = "s", name = "somewhat", gain = 1 },\n'
OF_READABILITY = ', { measure = "AP", question = "readability", relevant_from = 4, label = "AP (readable)" }'
SHORTER = DESIGN[: DESIGN.index('[[stages.questions]]\nkey = "readability"')] + DESIGN[DESIGN.index("[scores]") :]
ONE = "1 judgment stands in the way"
THREE = "3 judgments stand in the way"
REFUSED = [
    ("another value", MOVED, ONE, "from = 1, to = 2"),
    ("another name without a key", RENAMED, ONE, 'give it key = "somewhat"'),
    ("a grade taken out", DESIGN.replace(SOMEWHAT, ""), ONE, "to = 2"),
    ("a question taken out", SHORTER.replace(OF_READABILITY, ""), ONE, "The question readability is taken out"),
    ("other ends", DESIGN.replace('"1-5"', '"1-7"'), ONE, "has another place on the scale"),
    ("another stage", DESIGN.replace('key = "passages"', 'key = "pages"'), THREE, "a key can't be renamed"),
    ("another key", DESIGN.replace("misleading-2026", "misleading-2027"), THREE, "key: "),
]


@pytest.mark.parametrize(("text", "number", "hint"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_what_changes_the_meaning_of_what_is_recorded_is_refused(
    made: Campaign, organiser: User, text: str, number: str, hint: str
) -> None:
    judge(made, "A", 2)
    judge(made, "A", 1)  # the newest counts
    judge(made, "B", 4, "readability")
    before = Campaign.objects.get(pk=made.pk).design
    with pytest.raises(Conflict) as refused:
        change_design(actor=organiser, campaign=made, text=text)
    assert number in refused.value.message and hint in refused.value.message, refused.value.message
    assert Campaign.objects.get(pk=made.pk).design == before
    assert not made.activities.filter(action="campaign.design").exists()


def test_nothing_stands_on_what_was_taken_back(made: Campaign, organiser: User) -> None:
    judge(made, "A", 1)
    assert len(plan_design(made, RENAMED).in_the_way) == 1
    judge(made, "A", 2)
    assert plan_design(made, RENAMED).in_the_way == []
    assert change_design(actor=organiser, campaign=made, text=RENAMED).version == 2


def test_a_bench_that_shows_a_grade_that_went_is_told_to_be_loaded_again(made: Campaign, organiser: User) -> None:
    change_design(actor=organiser, campaign=made, text=DESIGN.replace(SOMEWHAT, ""))
    for how in (How.KEY, How.CLICK, How.LIKE):
        with pytest.raises(Conflict, match="The grades were changed since this page was loaded"):
            judge(made, "A", 1, how=how)
    with pytest.raises(Invalid, match="not on the scale"):
        judge(made, "A", 1, how=How.API)
    assert judge(made, "A", 2).value == 2


def test_a_mapping_moves_recorded_values_as_acts(made: Campaign, organiser: User) -> None:
    for docno, value in (("A", 2), ("B", 1), ("C", 0)):
        judge(made, docno, value)
    judge(made, "B", 4, "readability")
    rows = Judgment.objects.filter(assignment__campaign=made)
    before = list(rows.order_by("pk").values_list("pk", "value"))
    version = change_design(actor=organiser, campaign=made, text=MOVED + MAPPING)
    assert current(made) == {
        ("A", "misleading"): 3, ("B", "misleading"): 2, ("C", "misleading"): 0, ("B", "readability"): 4,
    }  # fmt: skip
    assert list(rows.order_by("pk").values_list("pk", "value"))[: len(before)] == before
    moved = rows.filter(pk__gt=version.point).order_by("pk")
    assert [(row.value, row.note, row.assessor.username) for row in moved] == [
        (3, "of A", "anna"),
        (2, "of B", "anna"),
    ]
    assert version.mapped == (
        {"question": "misleading", "from": 1, "to": 2, "judgments": 1},
        {"question": "misleading", "from": 2, "to": 3, "judgments": 1},
    )
    made.refresh_from_db()
    assert _grades(made, before[-1][0]) == {"1 0 A 2", "1 0 B 1", "1 0 C 0"}
    assert _grades(made, None) == {"1 0 A 3", "1 0 B 2", "1 0 C 0"}
    then = Snapshot(made, before[-1][0]).campaign
    assert [grade.value for grade in stage_of(then, "passages")[1].criteria[0].grades] == [2, 1, 0]
    later = change_design(actor=organiser, campaign=made, text=(MOVED + MAPPING).replace("depth = 20", "depth = 9"))
    assert (later.version, later.mapped, rows.count()) == (3, (), len(before) + 2)


@pytest.mark.parametrize("role", ["primary", "adjudicator"])
def test_of_two_people_the_later_still_counts_after_values_were_moved(
    made: Campaign, organiser: User, role: str
) -> None:
    made.assignments.update(role=role)
    judge(made, "A", 1)
    ben = factories.member(made, "ben", "adjudicator" if role == "adjudicator" else "assessor")
    later = hand_over(actor=organiser, assignment=made.assignments.get(), to=ben)
    Assignment.objects.filter(pk=later.pk).update(state="started")
    later.refresh_from_db()
    item = Item.objects.get(topic=later.topic, docno="A")
    row = JudgmentInput(item=item, criterion="misleading", value=0, client_key=uuid4())
    record_judgment(actor=ben, assignment=later, judgment=row)
    change_design(actor=organiser, campaign=made, text=MOVED + MAPPING)
    rows = official_judgments(Snapshot(Campaign.objects.get(pk=made.pk))).values_list("assessor__username", "value")
    assert list(rows) == [("ben", 0)]


def test_a_mapping_keeps_in_which_order_the_grades_stood(made: Campaign, organiser: User) -> None:
    work = made.assignments.get()
    item = Item.objects.get(topic=work.topic, docno="A")
    said = JudgmentInput(item=item, criterion="misleading", value=2, client_key=uuid4(), order=[1, 2, 0])
    record_judgment(actor=work.assessor, assignment=work, judgment=said)
    change_design(actor=organiser, campaign=made, text=MOVED + MAPPING)
    assert [(row.value, row.grade_order) for row in item.judgments.order_by("pk")] == [(2, [1, 2, 0]), (3, [2, 3, 0])]


def test_an_imported_line_keeps_its_version_and_is_refused_where_it_means_nothing_now(
    made: Campaign, organiser: User
) -> None:
    change_design(actor=organiser, campaign=made, text=DESIGN.replace("Is it", "Is this"))
    judge(made, "A", 1)
    change_design(actor=organiser, campaign=made, text=MOVED + MAPPING)
    made.refresh_from_db()
    people = {"assessor-2": factories.member(made, "ben", "assessor")}

    def imported(docno: str, value: int, **members: object) -> int:
        line = {"do": "judge", "by": "assessor-2", "topic": "1", "docno": docno, "key": docno, "value": value}
        line |= {"answer": "", "role": "second", "criterion": "misleading"}
        content = json.dumps(line | members).encode()
        stream = io.BytesIO(content)
        return import_judgments(actor=organiser, campaign=made, stream=stream, people=people).added

    added = [imported("B", 0, version=1), imported("C", 0, version=2, note="why"), imported("C", 3)]
    assert added == [3, 1, 1] and imported("B", 0, version=1) == 0 == imported("B", 0)
    points = version_points(made, None)
    rows = Judgment.objects.filter(assignment__campaign=made).order_by("pk")
    assert [version_of(points, row.pk, row.design_version) for row in rows] == [2, 3, 1, 2, 3]
    export = next(each for each in track_of(made).exports if each.name == "judgments.jsonl")
    lines = [json.loads(line) for line in export_lines(Snapshot(made), export)]
    assert [(each["docno"], each.get("version")) for each in lines] == [("A", None), ("B", 1), ("C", None)]
    evidence = [{"quote": "bees", "value": 1}]
    for version, value, more, words in (
        (4, 0, {}, "of this campaign its design has 3 versions"),
        (2, 1, {}, "Version 3 of the design moved 1 of misleading"),
        (1, 0, {"evidence": evidence}, "Version 3 of the design moved 1 of misleading"),
        (0, 0, {}, "“version” must be a whole number from 1"),
    ):
        with pytest.raises(BadFile) as refused:
            imported("C", value, version=version, **more)
        assert words in refused.value.issues[0].message, refused.value.issues
    assert rows.count() == 5


def question_named(key: str) -> str:
    return f'[[stages.questions]]\nkey = "{key}"\nask = "And?"\ngrades = "1-5"\n\n'


def test_a_mapping_is_carried_out_once_wherever_it_stands(made: Campaign, organiser: User) -> None:
    for docno, value in (("A", 2), ("B", 1), ("C", 0)):
        judge(made, docno, value)
    judge(made, "B", 4, "readability")
    change_design(actor=organiser, campaign=made, text=MOVED + MAPPING)
    _, first, second = (f"[[changes]]{each}" for each in MAPPING.split("[[changes]]"))
    other = second.replace("misleading", "readability").replace("from = 2", "from = 4").replace("to = 3", "to = 5")
    moves = [other + MAPPING, second + other + first, second, MAPPING + other]
    mapped = [change_design(actor=organiser, campaign=made, text=f"{MOVED}\n{text}\n").mapped for text in moves]
    assert mapped == [({"question": "readability", "from": 4, "to": 5, "judgments": 1},), (), (), ()]
    assert current(made) == {
        ("A", "misleading"): 3, ("B", "misleading"): 2, ("C", "misleading"): 0, ("B", "readability"): 5,
    }  # fmt: skip
    third = first.replace("from = 1", "from = 0")
    twice = f"{MOVED}\n{third}{third.replace('to = 2', 'to = 3')}"
    with pytest.raises(Invalid, match=r"line \d+: changes\.from: Two new values are given for 0 of misleading"):
        change_design(actor=organiser, campaign=made, text=twice)
    for changed, words in (
        (("from = 2", "from = 9"), "9 is no value of misleading"),
        (("misleading", "new"), "new is"),
    ):
        added = question_named("new") if changed[1] == "new" else ""
        text = MOVED.replace("[scores]", f"{added}[scores]") + second.replace(*changed).replace("to = 3", "to = 2")
        with pytest.raises(Invalid, match=rf"line \d+: changes: {words} .*in the version before"):
            change_design(actor=organiser, campaign=made, text=text)
    again = change_design(actor=organiser, campaign=made, text=f"{MOVED}\n{second}\n{MAPPING}")  # written once more
    assert again.mapped == ({"question": "misleading", "from": 2, "to": 3, "judgments": 1},)


def test_what_is_judged_while_rows_are_prepared_is_moved_as_it_is_then(
    made: Campaign, organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    for docno in ("A", "B"):
        judge(made, docno, 1)

    def judged_meanwhile(campaign: Campaign, mappings: Sequence[ValueMapping]) -> PreparedMoves:
        found = prepare_moves(campaign, mappings)
        judge(made, "A", 0)
        judge(made, "C", 2)
        return found

    monkeypatch.setattr("assess.organising.design_versions.prepare_moves", judged_meanwhile)
    began = timezone.now()
    version = change_design(actor=organiser, campaign=made, text=MOVED + MAPPING)
    assert [each["judgments"] for each in version.mapped] == [1, 1]
    assert current(made) == {("A", "misleading"): 0, ("B", "misleading"): 2, ("C", "misleading"): 3}
    assert [(row.item.key, row.created_at > began) for row in Judgment.objects.order_by("-pk")[:2]] == [
        ("C", True),
        ("B", True),
    ]
    assert (Judgment.objects.count(), ledger_point(made)) == (6, Judgment.objects.latest("pk").pk)


def test_rows_that_were_prepared_for_other_moves_are_not_used(
    made: Campaign, organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge(made, "A", 1)
    other = [ValueMapping(stage="passages", question="misleading", before=1, now=0)]
    monkeypatch.setattr(
        "assess.organising.design_versions.prepare_moves", lambda campaign, _: prepare_moves(campaign, other)
    )
    change_design(actor=organiser, campaign=made, text=MOVED + MAPPING)
    assert current(made) == {("A", "misleading"): 2}


def test_the_grade_of_a_snippet_stands_in_the_way_and_is_moved(made: Campaign, organiser: User) -> None:
    change_design(
        actor=organiser, campaign=made, text=(text := DESIGN.replace("level =", 'evidence_ask = "?"\nlevel ='))
    )
    work = Assignment.objects.get(campaign=made)
    item = Item.objects.get(topic__campaign=made, key="A")
    evidence = [{"quote": "bees", "value": 1}, {"quote": '"value": 1', "value": None}]
    said = JudgmentInput(item=item, criterion="misleading", value=0, evidence=evidence, client_key=uuid4())
    record_judgment(actor=work.assessor, assignment=work, judgment=said)
    campaign = Campaign.objects.get(pk=made.pk)
    (standing,) = plan_design(campaign, text.replace(SOMEWHAT, "")).in_the_way
    assert (standing.number, standing.change.stands_on and standing.change.stands_on.value) == (1, 1)
    moved = text.replace('value = 1, press = "s"', 'value = 3, press = "s"')
    mapping = MAPPING[: MAPPING.index("to = 2")] + "to = 3\n"
    version = change_design(actor=organiser, campaign=campaign, text=moved + mapping)
    assert version.mapped == ({"question": "misleading", "from": 1, "to": 3, "judgments": 1},)
    row = Judgment.objects.latest("pk")
    assert (row.value, [each["value"] for each in row.evidence or []]) == (0, [3, None])


TAGS = """
[[stages.questions]]
key = "tags"
ask = "Which?"
answer = "several"
grades = [{ value = 1, name = "a" }, { value = 2, name = "b" }, { value = 3, name = "c" }]

[scores]"""


def test_what_is_chosen_among_several_stands_on_its_options(made: Campaign, organiser: User) -> None:
    text = DESIGN.replace("\n[scores]", TAGS)
    change_design(actor=organiser, campaign=made, text=text)
    campaign = Campaign.objects.get(pk=made.pk)
    work = Assignment.objects.get(campaign=made)
    for docno, chosen in (("A", [1, 3]), ("B", [1, 3]), ("B", [1])):
        item = Item.objects.get(topic__campaign=made, key=docno)
        said = JudgmentInput(item=item, criterion="tags", value=None, given={"several": chosen}, client_key=uuid4())
        record_judgment(actor=work.assessor, assignment=work, judgment=said)
    for now, count in (("", 1), (', { value = 4, name = "c" }', 1), (', { value = 3, name = "d" }', 1)):
        plan = plan_design(campaign, text.replace(', { value = 3, name = "c" }', now))
        assert [(each.number, each.change.mapping) for each in plan.in_the_way] == [(count, "")], now
    assert plan_design(campaign, text.replace(', { value = 2, name = "b" }', "")).in_the_way == []
    assert plan_design(campaign, text.replace('"c" }', '"c" }, { value = 0, name = "z" }')).in_the_way == []
    (fault,) = plan_design(campaign, text + '\n[[changes]]\nquestion = "tags"\nfrom = 3\nto = 2\n').errors
    assert (fault.member, "not answered by a grade" in fault.message) == ("changes.1.question", True), fault


def _grades(campaign: Campaign, point: int | None) -> set[str]:
    """The lines of qrels.txt as of a ledger point."""
    snapshot = Snapshot(campaign, point)
    export = next(each for each in track_of(snapshot.campaign).exports if each.name == "qrels.txt")
    lines = (line.strip() for line in export_lines(snapshot, export))
    return {line for line in lines if not line.endswith("-1")}


def test_a_page_made_before_values_were_moved_can_judge_no_more(
    made: Campaign, organiser: User, client: Client
) -> None:
    judge(made, "A", 1)
    shown = made.design[:12]
    assignment = Assignment.objects.get(campaign=made)
    client.force_login(assignment.assessor)
    address = reverse("judge", args=["own", assignment.pk])
    change_design(actor=organiser, campaign=made, text=DESIGN.replace("Is it", "Is this"))
    page = client.get(reverse("workbench", args=["own", assignment.pk])).content.decode()
    handle = page.split('name="item" value="')[1].split('"')[0]
    change = {"criterion": "misleading", "item": handle, "value": "1"}
    assert f'name="design" value="{Campaign.objects.get(pk=made.pk).design[:12]}"' in page
    answer = client.post(
        address, {**change, "client_key": str(uuid4()), "design": shown}, HTTP_ACCEPT="application/json"
    )
    assert answer.status_code == 200, answer.content
    change_design(actor=organiser, campaign=made, text=MOVED + MAPPING)
    answer = client.post(
        address, {**change, "client_key": str(uuid4()), "design": shown}, HTTP_ACCEPT="application/json"
    )
    assert (answer.status_code, answer.json()["code"]) == (409, "moved")
    answer = client.post(address, {**change, "client_key": str(uuid4())}, HTTP_ACCEPT="application/json")
    assert (answer.status_code, answer.json()["code"]) == (409, "moved")  # one that does not say by what it was made


def test_settings_follow_the_design_where_nobody_changed_them(made: Campaign, organiser: User) -> None:
    change_settings(actor=organiser, campaign=made, values={"pool_depth": 7})
    text = DESIGN.replace("depth = 20", "depth = 30").replace("limit = 1000", "limit = 500")
    change_design(actor=organiser, campaign=made, text=text)
    made.refresh_from_db()
    assert (made.settings["pool_depth"], made.settings["ranked_limit"]) == (7, 500)


def test_faults_frozen_campaigns_and_others_changes_are_refused(made: Campaign, organiser: User) -> None:
    with pytest.raises(Invalid, match=r"line 10: pool.dept: .*Did you mean depth\?"):
        change_design(actor=organiser, campaign=made, text=DESIGN.replace("depth = 20", "dept = 20"))
    with pytest.raises(Invalid, match="There is a track “adhoc” already"):
        change_design(actor=organiser, campaign=made, text=DESIGN.replace("misleading-2026", "adhoc"))
    read = digests_of({"design": DESIGN})
    change_design(actor=organiser, campaign=made, text=DESIGN.replace("depth = 20", "depth = 30"))
    with pytest.raises(ChangedSince):
        change_design(actor=organiser, campaign=made, text=RENAMED, made_from=read)
    Campaign.objects.filter(pk=made.pk).update(state="frozen")
    with pytest.raises(Conflict, match="nothing in it can be changed"):
        change_design(actor=organiser, campaign=made, text=RENAMED)


def test_a_stage_with_work_and_a_campaign_of_a_track_stay(
    made: Campaign, organiser: User, settings: Any, campaign: Campaign
) -> None:
    with pytest.raises(Conflict, match="1 assignment stands in the way"):
        change_design(actor=organiser, campaign=made, text=DESIGN.replace('key = "passages"', 'key = "pages"'))
    with pytest.raises(Conflict, match="has an installed track, which has no versions"):
        change_design(actor=organiser, campaign=campaign, text=DESIGN)
    assert design_versions(campaign) == []


def test_the_api_tries_changes_and_lists_versions(made: Campaign, organiser: User, client: Client) -> None:
    judge(made, "A", 1)
    client.force_login(organiser)
    address, attempt = reverse("api-design-list", args=["own"]), reverse("api-design-try", args=["own"])
    answer = client.post(attempt, {"design": DESIGN.replace("depth", "dept")}, content_type="application/json")
    assert answer.json()["faults"][0]["message"].endswith("Did you mean depth? There are: depth.")
    answer = client.post(attempt, {"design": RENAMED}, content_type="application/json")
    (row,) = (each for each in answer.json()["changes"] if each["in_the_way"])
    assert (row["in_the_way"], row["noun"], row["gone"]) == (1, "judgment", True)
    assert row["mapping"] == '[[changes]] question = "misleading", from = 1, to = 1'
    answer = client.post(address, {"design": RENAMED}, content_type="application/json")
    assert (answer.status_code, "1 judgment stands in the way" in answer.json()["detail"]) == (409, True)
    answer = client.post(attempt, {"design": MOVED + MAPPING}, content_type="application/json")
    assert (answer.json()["faults"], answer.json()["moved"]) == ([], 1)
    body = {"design": MOVED + MAPPING, "before": {"design": DESIGN}}
    answer = client.post(address, body, content_type="application/json")
    assert (answer.status_code, answer.json()["version"]) == (201, 2)
    answer = client.post(address, {**body, "design": DESIGN}, content_type="application/json")
    assert (answer.status_code, answer.json()["code"]) == (409, "changed")
    versions = client.get(address).json()["results"]
    assert [(each["version"], each["design"]) for each in versions] == [(2, MOVED + MAPPING), (1, DESIGN)]


def test_versions_cost_the_same_queries_however_many_there_are(made: Campaign, organiser: User, client: Client) -> None:
    client.force_login(organiser)
    addresses = [reverse(name, args=["own"]) for name in ("api-design-list", "design")]

    def cost() -> list[int]:
        counts = []
        for address in addresses:
            with CaptureQueriesContext(connection) as asked:
                assert client.get(address).status_code == 200
            counts.append(len(asked))
        return counts

    cost()
    first = cost()
    for depth in (30, 40, 50):
        change_design(actor=organiser, campaign=made, text=DESIGN.replace("depth = 20", f"depth = {depth}"))
    assert cost() == first


def test_a_click_that_was_on_its_way_while_values_were_moved_is_refused(made: Campaign, organiser: User) -> None:
    judge(made, "A", 1)
    assignment = Assignment.objects.select_related("campaign").get(campaign=made)  # read before the change
    item = Item.objects.get(topic__campaign=made, key="B")
    row = JudgmentInput(item=item, criterion="misleading", value=1, client_key=uuid4())
    change_design(actor=organiser, campaign=Campaign.objects.get(pk=made.pk), text=MOVED + MAPPING)
    with pytest.raises(Conflict) as refused:
        record_judgment(actor=assignment.assessor, assignment=assignment, judgment=row)
    assert refused.value.code == "moved"
    assert ("B", "misleading") not in current(made)


def test_done_work_is_asked_a_new_question(made: Campaign, organiser: User) -> None:
    for docno in "ABC":
        judge(made, docno, 0)
        judge(made, docno, 3, "readability")
    Assignment.objects.filter(campaign=made).update(state="done", done_at=timezone.now())
    change_design(actor=organiser, campaign=made, text=DESIGN.replace("Is it", "Is this"))
    assert Assignment.objects.get(campaign=made).state == "done"
    text = DESIGN.replace("\n[scores]", '\n[[stages.questions]]\nkey = "new"\nask = "New?"\ngrades = "0-1"\n\n[scores]')
    change_design(actor=organiser, campaign=made, text=text)
    assert Assignment.objects.get(campaign=made).state == "started"


def test_the_trace_of_a_judgment_names_its_grades_as_they_were(made: Campaign, organiser: User) -> None:
    judge(made, "A", 1)
    text = MOVED.replace('name = "somewhat"', 'name = "in part", key = "somewhat"') + MAPPING
    change_design(actor=organiser, campaign=made, text=text)
    made.refresh_from_db()
    judge(made, "A", 3)
    about = About(kind="item", topic="1", name="document", key="A")
    trace = find_item(Snapshot(made), about, None)
    assert trace is not None
    assert [act.value for act in trace.said[0].acts] == [
        "somewhat (1) (version 1 of the design)",
        "in part (2)",
        "yes (3)",
    ]


def test_a_note_that_was_written_before_its_grade_took_nothing_back(made: Campaign) -> None:
    for value in (None, 1, None):
        judge(made, "A", value)
    trace = find_item(Snapshot(made), About(kind="item", topic="1", name="document", key="A"), None)
    assert trace is not None
    assert [act.value for act in trace.said[0].acts] == ["no grade yet", "somewhat (1)", "undone"]


def test_a_click_that_is_sent_again_after_values_were_moved_is_told_what_it_was(
    made: Campaign, organiser: User, client: Client
) -> None:
    judge(made, "A", 1)
    work = Assignment.objects.get(campaign=made)
    client.force_login(work.assessor)
    page = client.get(reverse("workbench", args=["own", work.pk])).content.decode()
    click = {
        "criterion": "misleading",
        "item": page.split('name="item" value="')[1].split('"')[0],
        "value": "1",
        "client_key": str(uuid4()),
        "design": made.design[:12],
    }
    address = reverse("judge", args=["own", work.pk])
    first = client.post(address, click, headers={"accept": "application/json"})
    change_design(actor=organiser, campaign=made, text=MOVED + MAPPING)
    again = client.post(address, click, headers={"accept": "application/json"})
    assert (first.status_code, again.status_code, again.json()["id"]) == (200, 200, first.json()["id"])
    other = client.post(address, {**click, "client_key": str(uuid4())}, headers={"accept": "application/json"})
    assert other.status_code == 409


def test_nothing_said_is_not_judged_where_no_question_is_required(made: Campaign, organiser: User) -> None:
    text = DESIGN
    for key in ("misleading", "readability"):
        text = text.replace(f'key = "{key}"\n', f'key = "{key}"\nrequired = false\n')
    change_design(actor=organiser, campaign=made, text=text)
    criteria = stage_of(Campaign.objects.get(pk=made.pk), "passages")[1].criteria
    assert not any(each.required for each in criteria)
    assert not is_judged(criteria, {})


def test_a_file_has_the_name_that_the_design_gave_it_at_that_point(
    made: Campaign, organiser: User, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.force_login(organiser)
    judge(made, "A", 2)
    point = ledger_point(made)
    renamed = '\n[[exports]]\nname = "gold.qrels"\nstage = "passages"\nquestion = "misleading"\n'
    change_design(actor=organiser, campaign=made, text=DESIGN + renamed)

    def sent(name: str) -> bytes:
        answer: Any = client.get(reverse("export-file", args=["own", name]), {"as_of": point})
        return b"".join(answer.streaming_content) if answer.status_code == 200 else b"%d" % answer.status_code

    small = {name: sent(name) for name in ("gold.qrels", "qrels.txt")}
    assert small["gold.qrels"] == b"404" and small["qrels.txt"].startswith(b"1 0 A ")
    monkeypatch.setattr(kept_exports, "SMALL", -1)
    sent("qrels.txt")
    run_worker()
    assert {name: sent(name) for name in small} == small


GOLD = [GoldAnswer(line=1, topic="1", kind="document", key="A", criterion="misleading", value="1")]
CONTROL = """[stages.control]
every = 2
answers = '{"topic": "1", "docno": "A", "misleading": "somewhat"}'

[[stages.questions]]
key = "misleading"
"""


def _with_control(text: str) -> str:
    return text.replace('[[stages.questions]]\nkey = "misleading"\n', CONTROL, 1)


def test_known_answers_and_repeats_follow_the_scale(made: Campaign, organiser: User) -> None:
    """They are compared on the scale of now, whenever they and what they repeat were judged."""
    wish = ControlItemRequest(repeats=1, gold=1, gap=1)
    make_control_items(actor=organiser, campaign=made, stage="passages", wish=wish, answers=GOLD)
    values = {"A": 1, "B": 2, "C": 1}
    for docno, value in values.items():
        judge(made, docno, value)
    change_design(actor=organiser, campaign=made, text=MOVED + MAPPING)
    assert ControlItem.objects.get(kind="gold").expected == {"misleading": 2}
    for control in ControlItem.objects.select_related("item__repeats"):
        assert control.item.repeats is not None
        judge(made, control.item.key, values[control.item.repeats.key] + 1)
    found = checked_control_items(Campaign.objects.get(pk=made.pk))
    assert [(each.kind, each.is_right) for each in found] == [("gold", True), ("repeat", True)]
    change_design(actor=organiser, campaign=made, text=MOVED.replace('"s", name', '"x", name') + MAPPING)
    assert all(each.is_right for each in checked_control_items(Campaign.objects.get(pk=made.pk)))


def test_known_answers_that_a_design_corrects_are_told_right(made: Campaign, organiser: User) -> None:
    change_design(actor=organiser, campaign=made, text=_with_control(DESIGN))
    campaign, wish = Campaign.objects.get(pk=made.pk), ControlItemRequest(gold=1, gap=1)
    make_control_items(actor=organiser, campaign=campaign, stage="passages", wish=wish, answers=GOLD)
    for now, expected in (('"yes"', {"misleading": 2}), ('"no"', {"misleading": 0})):
        text = _with_control(DESIGN).replace('"misleading": "somewhat"', f'"misleading": {now}')
        change_design(actor=organiser, campaign=made, text=text)
        assert ControlItem.objects.get().expected == expected
    change_design(actor=organiser, campaign=made, text=DESIGN.replace(NO, ""))
    assert ControlItem.objects.get().expected == {}


@pytest.mark.parametrize("kind", ["judgments", "machine"])
def test_a_file_that_waited_while_values_were_moved_is_refused(made: Campaign, organiser: User, kind: str) -> None:
    judge(made, "A", 1)
    line = {
        "do": "judge",
        "topic": "1",
        "by": "assessor-1",
        "criterion": "misleading",
        "answer": "",
        "docno": "B",
        "key": "B",
    }
    sent = json.dumps({**line, "value": 2}).encode()
    if kind == "judgments":
        job = start_import(actor=organiser, campaign=made, file=SimpleUploadedFile("said.jsonl", sent), people={})
    else:
        files = [("said.jsonl", io.BytesIO(sent + b" " * SHORT_BYTES))]
        found = take_files(actor=organiser, campaign=made, name="robot", files=files)
        assert isinstance(found, Job)
        job = found
    before = Campaign.objects.get(pk=made.pk)
    change_design(actor=organiser, campaign=made, text=MOVED + MAPPING)
    with pytest.raises(Conflict, match="Send it again, with the values"):  # of somebody who waits for the import
        import_judgments(actor=organiser, campaign=before, stream=io.BytesIO(sent), people={"assessor-1": organiser})
    run_worker()
    job.refresh_from_db()
    assert (job.state, "Send it again, with the values" in job.message) == ("failed", True), job.message
    assert current(made) == {("A", "misleading"): 2}


@pytest.mark.parametrize("name", ["scores", "exports", "api-score-list"])
def test_a_point_whose_version_is_gone_says_so(made: Campaign, organiser: User, client: Client, name: str) -> None:
    row = judge(made, "A", 1)
    change_design(actor=organiser, campaign=made, text=MOVED + MAPPING)
    stored_path(design_versions(made)[0].design).unlink()
    _designed.cache_clear()
    client.force_login(organiser)
    answer = client.get(reverse(name, args=["own"]), {"as_of": row.pk})
    words = f"What was there at ledger point {row.pk} can't be shown"
    assert (answer.status_code, words in unescape(answer.content.decode())) == (409, True)
    assert client.get(reverse(name, args=["own"])).status_code == 200
