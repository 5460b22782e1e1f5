"""Repeats and gold items: unannounced among the work, required, and known to nothing that counts."""

from __future__ import annotations

import gzip
import io
import re
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from assess.assignments.access import access_item
from assess.assignments.domain.assignments import finish_assignment
from assess.assignments.queries.work_items import handle_of, item_of
from assess.base.errors import BadFile, Conflict, Invalid, NotFound
from assess.campaigns.queries import ledger_point
from assess.campaigns.seats import access_seat
from assess.controls.consistency import (
    Tenth,
    checked_control_items,
    consistency_by_assessor,
    control_item_totals,
    drift,
)
from assess.controls.domain import FILE_LIMIT, make_control_items, plan_control_items, read_gold, remove_control_items
from assess.controls.plan import ControlItemRequest
from assess.controls.views import drift_svg
from assess.exports.writing import write_exports
from assess.judging.queries.current import current_judgments, official_judgments
from assess.judging.snapshots import Snapshot
from assess.kinds.grade.record import JudgmentInput, record_judgment
from assess.kinds.grade.tally import grade_tally
from assess.models import Assignment, Campaign, ControlItem, Item, Judgment, Topic
from assess.work.domain import hand_over
from tests import factories
from tests.assess.judged_campaign import bench_lines
from tests.pages import page_of

pytestmark = pytest.mark.django_db

COLOURS = [f"colour {number:02}" for number in range(30)]


@pytest.fixture
def many(rigid: Topic) -> list[Item]:
    return factories.pooled(rigid, COLOURS)


@pytest.fixture
def work(many: list[Item], rigid: Topic, assessor: User) -> Assignment:
    return factories.assignment(rigid, "instances", assessor)


def plant(work: Assignment, organiser: User, **wish: int) -> list[ControlItem]:
    made = ControlItemRequest(**{"repeats": 0, "gold": 0, **wish})
    return make_control_items(actor=organiser, campaign=work.campaign, stage="instances", wish=made)


def lines_of(work: Assignment) -> list[Item]:
    return [Item.objects.get(pk=line.id) for line in bench_lines(work)]


def say(work: Assignment, item: Item, value: int | None, *, seconds: float | None = None) -> Judgment:
    made = JudgmentInput(item=item, criterion="correctness", value=value, client_key=uuid4(), seconds=seconds)
    return record_judgment(actor=work.assessor, assignment=work, judgment=made)


def judge_all(work: Assignment, *, value: int = 1) -> Iterator[Judgment]:
    for item in lines_of(work):
        yield say(work, item, value)


def test_repeats_stand_at_their_places_far_enough_after_their_like(work: Assignment, organiser: User) -> None:
    planted = plant(work, organiser, repeats=5, gap=10)
    lines = lines_of(work)
    assert len(lines) == 35
    for each in planted:
        assert lines[each.place - 1].pk == each.item_id
        first = next(place for place, item in enumerate(lines) if item.pk == each.item.repeats_id)
        assert each.place - 1 - first >= 10


def test_a_copy_is_like_its_item_in_all_that_is_shown(work: Assignment, organiser: User) -> None:
    copy = plant(work, organiser, repeats=1)[0].item
    copy.refresh_from_db()
    first = copy.repeats
    assert first is not None
    assert copy.key != first.key
    fields = ("topic_id", "kind", "text", "docno", "document_id", "fields", "given")
    assert [getattr(copy, field) for field in fields] == [getattr(first, field) for field in fields]


def test_the_same_seed_plants_the_same_and_another_one_others(work: Assignment, organiser: User) -> None:
    def planned(seed: int) -> list[tuple[int, int]]:
        wish = ControlItemRequest(repeats=3, gold=0, seed=seed)
        (found,) = plan_control_items(campaign=work.campaign, stage="instances", wish=wish)
        return [(each.item, each.slot) for each in found.additions]

    assert planned(1) == planned(1)
    assert planned(1) != planned(2)


def test_work_with_too_few_items_gets_fewer_and_it_is_said(
    grading: Assignment, rigid_items: list[Item], organiser: User
) -> None:
    (found,) = plan_control_items(
        campaign=grading.campaign, stage="instances", wish=ControlItemRequest(repeats=2, gold=0, gap=10)
    )
    assert (found.repeats, found.why) == (0, "has too few items (3): repeats (2), each 10 later, need at least 11")
    with pytest.raises(Conflict, match=r"Nothing can be added: 1\.1 has too few items"):
        plant(grading, organiser, repeats=2)
    assert len(plant(grading, organiser, repeats=2, gap=2)) == 2


def test_nothing_is_planted_before_what_is_judged_already(work: Assignment, organiser: User) -> None:
    for item in lines_of(work)[:20]:
        say(work, item, 1)
    planted = plant(work, organiser, repeats=10, gap=1)
    assert min(each.place for each in planted) > 20


def test_what_others_judged_before_a_hand_over_is_neither_repeated_nor_interrupted(
    work: Assignment, organiser: User, second_assessor: User
) -> None:
    judged = lines_of(work)[:20]
    for item in judged:
        say(work, item, 1)
    given = hand_over(actor=organiser, assignment=work, to=second_assessor)
    wish = ControlItemRequest(repeats=9, gold=0, gap=3)
    (found,) = plan_control_items(campaign=work.campaign, stage="instances", wish=wish)
    assert found.why == "8 of 9 repeats: others judged most of it before the hand-over"
    assert min(each.slot for each in found.additions) >= 20
    planted = plant(given, organiser, repeats=8, gap=3)
    assert len(planted) == 8
    assert {each.item.repeats_id for each in planted}.isdisjoint({item.pk for item in judged})


def test_work_that_is_done_or_has_plants_is_left(work: Assignment, organiser: User, second_assessor: User) -> None:
    factories.assignment(work.topic, "instances", second_assessor, role="second", state="done")
    assert {each.assignment for each in plant(work, organiser, repeats=2)} == {work}
    with pytest.raises(Conflict, match="no open work of this stage is without control items"):
        plant(work, organiser, repeats=2)


def test_planted_items_belong_to_one_assignment_alone(work: Assignment, organiser: User, second_assessor: User) -> None:
    other = factories.assignment(work.topic, "instances", second_assessor, role="second")
    planted = plant(work, organiser, repeats=2)
    own = next(each for each in planted if each.assignment_id == work.pk).item
    assert own.pk not in {item.pk for item in lines_of(other)}
    with pytest.raises(NotFound):
        access_item(other, own.pk)
    with pytest.raises(Invalid, match="does not belong to your work"):
        say(other, own, 1)
    assert access_item(work, own.pk) == own


def test_planted_items_count_and_are_required(work: Assignment, organiser: User, assessor: User) -> None:
    planted = plant(work, organiser, repeats=3)
    assert grade_tally([work])[work.pk].total == 33
    copies = {each.item_id for each in planted}
    for item in lines_of(work):
        if item.pk not in copies:
            say(work, item, 1)
    with pytest.raises(Conflict, match="3 of 33 instances are not judged yet"):
        finish_assignment(actor=assessor, assignment=work)
    for each in planted:
        say(work, each.item, 1)
    assert grade_tally([work])[work.pk].left == 0
    assert finish_assignment(actor=assessor, assignment=work).state == "done"


def test_exports_are_the_same_with_and_without_plants_byte_for_byte(
    work: Assignment, organiser: User, tmp_path: Path
) -> None:
    run = factories.run(work.campaign, "Harbor1", organiser)
    factories.response(run, work.topic, list(work.topic.items.all())[:4])
    for item in lines_of(work):
        say(work, item, 1 if "5" in item.text else 3)

    def written(name: str) -> dict[str, bytes]:
        folder = tmp_path / name
        folder.mkdir()
        write_exports(Snapshot(work.campaign, ledger_point(work.campaign)), folder)
        return {file.name: file.read_bytes() for file in folder.iterdir() if file.name != "manifest.json"}

    before = written("before")
    assert b"colour 05" in before["judgments.jsonl"]
    Assignment.objects.filter(pk=work.pk).update(state="started")
    planted = plant(work, organiser, repeats=4, gap=1)
    for each in planted:
        say(work, each.item, 2)
    assert written("after") == before
    copies = [each.item_id for each in planted]
    for rows in (official_judgments(Snapshot(work.campaign)), current_judgments(Snapshot(work.campaign))):
        assert not rows.filter(item__in=copies).exists()


SHAPE = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|\d+")


def test_a_planted_item_looks_exactly_like_the_others(
    client: Client, work: Assignment, organiser: User, assessor: User
) -> None:
    planted = plant(work, organiser, repeats=3)
    client.force_login(assessor)
    bench = reverse("workbench", args=[work.campaign.slug, work.pk])
    page = client.get(bench).content.decode()
    rows = re.findall(r'<li data-item="(\d+)".*?</li>', page, re.DOTALL)
    assert len(rows) == 33
    shapes = {SHAPE.sub("N", row) for row in re.findall(r'<li data-item="\d+".*?</li>', page, re.DOTALL)}
    shapes = {shape.replace(' aria-current="true"', " ").replace("  ", " ") for shape in shapes}
    assert len({re.sub(r"\s+", " ", shape) for shape in shapes}) == 1
    copy = planted[0].item
    assert copy.repeats_id is not None
    parts = [
        SHAPE.sub("N", re.sub(r'value="[0-9A-Za-z]{64}"', "", client.get(address).content.decode()))
        for address in (
            reverse("work-item", args=[work.campaign.slug, work.pk, handle_of(work, copy.pk)]),
            reverse("work-item", args=[work.campaign.slug, work.pk, handle_of(work, copy.repeats_id)]),
        )
    ]
    assert parts[0] == parts[1]
    listed = client.get(f"/api/v1/campaigns/{work.campaign.slug}/assignments/{work.pk}/items/?limit=100").json()
    assert [row["id"] for row in listed["results"]] == [handle_of(work, item.pk) for item in lines_of(work)]
    assert {tuple(row) for row in listed["results"]} == {("id", "kind", "text", "docno", "fields")}


def test_handles_are_other_numbers_in_other_work_and_lead_back(work: Assignment, second_assessor: User) -> None:
    other = factories.assignment(work.topic, "instances", second_assessor, role="second")
    ids = [*range(500), 2**40, 2**48 - 1]
    own, elses = [handle_of(work, each) for each in ids], [handle_of(other, each) for each in ids]
    assert [item_of(work, each) for each in own] == [item_of(other, each) for each in elses] == ids
    assert len(set(own)) == len(ids)
    assert set(own).isdisjoint(elses)
    assert own != sorted(own)
    assert [item_of(work, each) for each in (-1, 2**48, 10**17)] == [0, 0, 0]


@pytest.mark.parametrize("stage", ["nuggets", "matches", "votes"])
def test_work_of_every_kind_has_numbers_of_its_own(squishy: Topic, assessor: User, stage: str) -> None:
    work = factories.assignment(squishy, stage, assessor)
    assert [item_of(work, handle_of(work, each)) for each in range(1, 50)] == [*range(1, 50)]
    assert set(range(1, 50)).isdisjoint(handle_of(work, each) for each in range(1, 50))


def test_a_judged_item_does_not_judge_its_repeat(work: Assignment, organiser: User) -> None:
    copy = plant(work, organiser, repeats=1)[0].item
    first = copy.repeats
    assert first is not None
    say(work, first, 1)
    states = {line.id: line.state for line in bench_lines(work)}
    assert (states[first.pk], states[copy.pk]) == ("judged", "open")


def gold_of(work: Assignment, *lines: str) -> list[object]:
    content = "".join(line.replace(" ", "\t") + "\n" for line in lines)
    return list(read_gold(io.BytesIO(content.encode()), report=lambda issue: None))


def test_gold_comes_from_a_file_and_what_is_wrong_in_it_is_said_by_line(
    work: Assignment, many: list[Item], organiser: User
) -> None:
    right = f"1.1\tinstance\t{many[3].key}\tcorrectness\t3"
    lines = [right, "9.9\tinstance\tx\tcorrectness\t3", "1.1\tpassage\tx\tcorrectness\t3"]
    lines += ["1.1\tinstance\tx\tfluency\t4", f"1.1\tinstance\t{many[4].key}\tcorrectness\t9"]
    lines += ["1.1\tinstance\tnone\tcorrectness\t3", f"1.1\tinstance\t{many[3].key}\tcorrectness\t1"]
    answers = read_gold(io.BytesIO("\n".join(lines).encode()), report=lambda issue: None)
    wish = ControlItemRequest(repeats=0, gold=1)
    with pytest.raises(BadFile) as refused:
        plan_control_items(campaign=work.campaign, stage="instances", wish=wish, answers=answers)
    found = [(issue.where, issue.code) for issue in refused.value.issues]
    assert found == [(2, "topic"), (3, "kind"), (4, "criterion"), (5, "value"), (6, "key"), (7, "twice")]
    made = make_control_items(
        actor=organiser, campaign=work.campaign, stage="instances", wish=wish, answers=answers[:1]
    )
    assert [(each.kind, each.expected, each.item.repeats_id) for each in made] == [
        ("gold", {"correctness": 3}, many[3].pk)
    ]


def test_lines_of_a_gold_file_that_cannot_be_read_are_said() -> None:
    found: list[tuple[int | str, str]] = []
    content = b"a\tb\n\xff\n\n1\tdocument\tD1\trelevance\t1\n"
    read_gold(io.BytesIO(content), report=lambda issue: found.append((issue.where, issue.code)))
    assert found == [(1, "fields"), (2, "not-utf8")]


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le", "utf-16-be"])
def test_a_gold_file_in_two_bytes_a_letter_is_told_once(codec: str) -> None:
    found: list[str] = []
    content = "1\tdocument\tD1\trelevance\t1\n".encode(codec)
    assert read_gold(io.BytesIO(content), report=lambda issue: found.append(issue.message)) == []
    assert found == ["The file is UTF-16, not UTF-8. Save it as UTF-8 and try again; nothing else was checked."]


@pytest.mark.parametrize("separator", ["\t", ",", ";"])
@pytest.mark.parametrize(
    ("header", "turn"),
    [
        ([], 1),
        ([["topic", "kind", "key", "criterion", "value"]], 1),
        ([["Value", "Criterion", "Key", "Kind", "Topic"]], -1),
    ],
)
def test_a_gold_file_may_be_saved_by_a_spreadsheet(separator: str, header: list[list[str]], turn: int) -> None:
    key = "D1" if separator == "," else "D1, p, q"
    rows = [["1", "document", key, "relevance", "1"], ["1", "document", "D2", "relevance", "0"]]
    rows = [*header, *(row[::turn] for row in rows)]
    content = "\r\n".join(["", *(separator.join(row) for row in rows)]).encode()
    found = read_gold(io.BytesIO(content), report=lambda issue: pytest.fail(issue.message))
    assert [(each.key, each.value) for each in found] == [(key, "1"), ("D2", "0")]


def test_a_file_of_another_kind_is_no_gold_file() -> None:
    found: list[str] = []
    assert read_gold(io.BytesIO(b"1 0 a 1\n1 0 b 0\n"), report=lambda issue: found.append(issue.message)) == []
    (message,) = found
    assert message.startswith("This is a file of another kind: qrels (topic iteration docno grade), not gold answers.")


@pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbf\n", b"topic,kind,key,criterion,value\n"])
def test_an_empty_gold_file_is_said_so_that_no_other_gold_is_taken_in_its_place(content: bytes) -> None:
    found: list[str] = []
    assert read_gold(io.BytesIO(content), report=lambda issue: found.append(issue.code)) == []
    assert found == ["empty-file"]


def test_gold_comes_from_what_adjudicators_decided(
    work: Assignment, many: list[Item], organiser: User, adjudicator: User
) -> None:
    settling = factories.assignment(work.topic, "instances", adjudicator, role="adjudicator", state="done")
    Judgment(
        item=many[7],
        criterion="correctness",
        value=2,
        assessor=adjudicator,
        assignment=settling,
        client_key=uuid4(),
        how="key",
    ).save()
    (found,) = plan_control_items(campaign=work.campaign, stage="instances", wish=ControlItemRequest(repeats=0, gold=3))
    assert found.why == "1 of 3 gold items: the topic has 1 known answers"
    made = plant(work, organiser, gold=3)
    assert [(each.kind, each.expected) for each in made] == [("gold", {"correctness": 2})]


@pytest.mark.parametrize(
    "wish",
    [{"repeats": 0, "gold": 0}, {"repeats": -1, "gold": 1}, {"repeats": 2000, "gold": 0}, {"gap": 0, "repeats": 1}],
)
def test_numbers_must_make_sense(work: Assignment, organiser: User, wish: dict[str, int]) -> None:
    with pytest.raises(Invalid):
        plant(work, organiser, **wish)


def test_only_stages_of_grades_take_plants(campaign: Campaign) -> None:
    with pytest.raises(Invalid, match="Nothing can be added in “nuggets”"):
        plan_control_items(campaign=campaign, stage="nuggets", wish=ControlItemRequest(repeats=1, gold=0))


def test_what_nobody_judged_can_be_taken_away(work: Assignment, organiser: User) -> None:
    planted = plant(work, organiser, repeats=3)
    say(work, planted[0].item, 1)
    assert remove_control_items(actor=organiser, campaign=work.campaign, stage="instances") == 2
    assert list(ControlItem.objects.values_list("pk", flat=True)) == [planted[0].pk]
    assert Item.objects.filter(repeats__isnull=False).count() == 1
    assert len(lines_of(work)) == 31


def test_self_consistency_compares_first_judgments(work: Assignment, organiser: User, assessor: User) -> None:
    planted = plant(work, organiser, repeats=12, gap=1)
    for each in planted:
        assert each.item.repeats is not None
        say(work, each.item.repeats, 1)
    for number, each in enumerate(planted):
        say(work, each.item, 3 if number < 3 else 1)
    say(work, planted[0].item, 1)
    (row,) = consistency_by_assessor(work.campaign)
    assert (row.name, row.criterion, row.repeats, row.agreed, row.gold) == ("assessor", "correctness", 12, 9, 0)
    assert row.share == 0.75
    assert row.kappa == 0.0


def test_kappa_has_an_interval_where_it_is_defined(work: Assignment, organiser: User) -> None:
    planted = plant(work, organiser, repeats=12, gap=1)
    for number, each in enumerate(planted):
        assert each.item.repeats is not None
        say(work, each.item.repeats, 1 + 2 * (number % 2))
        say(work, each.item, 1 + 2 * (number % 2) if number else 3)
    (row,) = consistency_by_assessor(work.campaign)
    assert row.kappa == pytest.approx(5 / 6)
    assert row.interval is not None
    assert row.interval.low < 5 / 6 <= row.interval.high


def test_few_repeats_or_none_have_no_kappa(work: Assignment, organiser: User) -> None:
    assert consistency_by_assessor(work.campaign) == []
    planted = plant(work, organiser, repeats=3)
    for each in planted:
        assert each.item.repeats is not None
        say(work, each.item.repeats, 1)
        say(work, each.item, 1)
    (row,) = consistency_by_assessor(work.campaign)
    assert (row.agreed, row.kappa, row.interval) == (3, None, None)


def test_drift_is_by_tenths_of_the_work(work: Assignment, organiser: User, assessor: User) -> None:
    planted = plant(work, organiser, repeats=10, gap=1)
    copies = {each.item_id for each in planted}
    for number, item in enumerate(lines_of(work)):
        say(work, item, 3 if item.pk in copies and number > 30 else 1, seconds=float(number))
    wrong = [each.is_right for each in checked_control_items(work.campaign)].count(False)
    tenths = drift(work.campaign, assessor.pk)
    assert [tenth.judgments for tenth in tenths] == [4] * 10
    assert tenths[0].seconds == 1.5
    assert tenths[-1].seconds == 37.5
    assert sum(tenth.checked for tenth in tenths) == 10
    assert sum(tenth.checked - tenth.right for tenth in tenths) == wrong > 0
    assert drift(work.campaign, organiser.pk) == []


def test_the_plot_leaves_out_what_is_undefined() -> None:
    tenths = [
        Tenth(number=1, judgments=4, checked=0, right=0, seconds=None),
        Tenth(number=2, judgments=4, checked=2, right=1, seconds=12.0),
    ]
    svg = drift_svg(tenths).decode()
    assert "0.50" in svg
    assert ">12<" in svg
    assert "nan" not in svg.lower()
    assert drift_svg(tenths) == drift_svg(tenths) != drift_svg(tenths, dark=True)


def test_the_pages_show_before_they_plant_and_then_what_came_of_it(
    client: Client, work: Assignment, organiser: User
) -> None:
    client.force_login(organiser)
    address = reverse("plants", args=[work.campaign.slug])
    fields = {"stage": "instances", "repeats": "3", "gold": "0", "gap": "10", "seed": "1"}
    page = page_of(client.post(address, fields))
    assert "1 assignment: 3 repeats and 0 gold items" in page
    assert ControlItem.objects.count() == 0
    assert client.post(address, {**fields, "plant": "yes"}).status_code == 302
    assert ControlItem.objects.count() == 3
    for each in ControlItem.objects.all():
        assert each.item.repeats is not None
        say(work, each.item.repeats, 1)
        say(work, each.item, 1)
    seen = page_of(client.get(reverse("consistency", args=[work.campaign.slug]) + "?assessor=assessor"))
    assert "3 of 3 control items are judged" in seen
    assert "assessor over time" in seen
    plot = client.get(reverse("consistency-plot", args=[work.campaign.slug]) + "?assessor=assessor")
    assert (plot.status_code, plot["Content-Type"]) == (200, "image/svg+xml")
    assert client.post(address, {**fields, "repeats": "many"}).status_code == 422


def test_page_and_command_warn_of_lists_so_short_that_a_repeat_is_noticed(
    client: Client, grading: Assignment, rigid_items: list[Item], organiser: User
) -> None:
    client.force_login(organiser)
    slug, address = grading.campaign.slug, reverse("plants", args=[grading.campaign.slug])
    fields = {"stage": "instances", "repeats": "1", "gold": "0", "gap": "2", "seed": "1"}
    assert "1 assignment has fewer than 30 items" in page_of(client.post(address, fields))
    assert "fewer than 30 items" not in page_of(client.post(address, {**fields, "gap": "10"}))
    warned = io.StringIO()
    arguments = ("--stage", "instances", "--repeats", "1", "--gap", "2", "--dry-run")
    call_command("plant", slug, *arguments, stdout=io.StringIO(), stderr=warned)
    assert warned.getvalue().startswith("1 assignment with fewer than 30 items and a repeat")


def test_thirty_items_are_enough_for_a_repeat(client: Client, work: Assignment, organiser: User) -> None:
    client.force_login(organiser)
    fields = {"stage": "instances", "repeats": "1", "gold": "0", "gap": "10", "seed": "1"}
    page = page_of(client.post(reverse("plants", args=[work.campaign.slug]), fields))
    assert "1 repeat and" in page and "fewer than 30 items" not in page


def test_what_nobody_can_judge_any_more_is_not_counted(
    work: Assignment, organiser: User, second_assessor: User
) -> None:
    first, *_ = plant(work, organiser, repeats=3)
    say(work, first.item, 1)
    assert control_item_totals(work.campaign) == (3, 1)
    hand_over(actor=organiser, assignment=work, to=second_assessor)
    assert control_item_totals(work.campaign) == (1, 1)


def test_the_command_says_where_there_is_nothing_to_plant_in(work: Assignment, organiser: User) -> None:
    plant(work, organiser, repeats=1)
    said, aside = io.StringIO(), io.StringIO()
    arguments = ("--stage", "instances", "--repeats", "1", "--dry-run")
    call_command("plant", work.campaign.slug, *arguments, stdout=said, stderr=aside)
    assert said.getvalue() == ""
    assert "no open work of this stage is without control items. Hand it out first." in aside.getvalue()


def test_a_gold_file_goes_through_the_page(client: Client, work: Assignment, many: list[Item], organiser: User) -> None:
    client.force_login(organiser)
    address = reverse("plants", args=[work.campaign.slug])
    fields = {"stage": "instances", "repeats": "0", "gold": "1", "gap": "10", "seed": "1"}
    content = f"1.1\tinstance\t{many[3].key}\tcorrectness\t3\n"
    bad = client.post(address, {**fields, "file": SimpleUploadedFile("gold.tsv", b"1.1\tx\n")})
    assert bad.status_code == 422
    page = client.post(address, {**fields, "file": SimpleUploadedFile("gold.tsv", content.encode())})
    assert page.context["kept"] == content
    packed = client.post(
        address, {**fields, "file": SimpleUploadedFile("gold.tsv.gz", gzip.compress(content.encode()))}
    )
    assert packed.context["kept"] == content
    cut = client.post(address, {**fields, "file": SimpleUploadedFile("a.gz", gzip.compress(content.encode())[:-9])})
    assert cut.status_code == 422 and "The file cannot be read to its end" in page_of(cut)
    client.post(address, {**fields, "answers": page.context["kept"], "plant": "yes"})
    assert list(ControlItem.objects.values_list("kind", "expected")) == [("gold", {"correctness": 3})]


def test_a_gold_file_that_is_shown_can_be_planted_however_large(
    client: Client, work: Assignment, many: list[Item], organiser: User
) -> None:
    """A browser sends the lines back with two characters at the end of each."""
    client.force_login(organiser)
    address = reverse("plants", args=[work.campaign.slug])
    fields = {"stage": "instances", "repeats": "0", "gold": "1", "gap": "2", "seed": "1"}
    line = f"1.1\tinstance\t{many[0].key}\tcorrectness\t1\n"
    content = line * (FILE_LIMIT // len(line.encode()))
    page = client.post(address, {**fields, "file": SimpleUploadedFile("gold.tsv", content.encode())})
    kept = page.context["kept"].replace("\n", "\r\n")
    assert client.post(address, {**fields, "answers": kept, "plant": "yes"}).status_code == 302
    assert ControlItem.objects.get().item.repeats == many[0]
    larger = client.post(address, {**fields, "file": SimpleUploadedFile("gold.tsv", (content + line).encode())})
    assert f"more than {FILE_LIMIT:,} bytes" in page_of(larger)


def test_the_command_plants_shows_and_takes_away(work: Assignment, many: list[Item], tmp_path: Path) -> None:
    def run(*arguments: str) -> str:
        said = io.StringIO()
        call_command("plant", work.campaign.slug, "--stage", "instances", *arguments, stdout=said)
        return said.getvalue()

    assert run("--repeats", "2", "--dry-run") == "1.1\tassessor\t30\t2\t0\t\n"
    assert ControlItem.objects.count() == 0
    file = tmp_path / "gold.tsv"
    file.write_text(f"1.1\tinstance\t{many[3].key}\tcorrectness\t3\n")
    assert run("--repeats", "2", "--gold", "1", "--file", str(file)) == "1.1\tassessor\t30\t2\t1\t\n"
    assert ControlItem.objects.count() == 3
    said = io.StringIO()
    call_command("consistency", work.campaign.slug, stdout=said)
    assert said.getvalue() == "assessor\tcriterion\tagreed\trepeats\tkappa\tlow\thigh\tright\tgold\n"
    assert run("--remove") == "3 control items taken away.\n"
    with pytest.raises(CommandError):
        call_command("plant", work.campaign.slug, "--stage", "nothing", "--repeats", "1", stdout=io.StringIO())


def test_the_api_plants_and_says_how_steadily_people_judge(client: Client, work: Assignment, organiser: User) -> None:
    client.force_login(organiser)
    start = f"/api/v1/campaigns/{work.campaign.slug}/control-items/"
    answer = client.post(start, {"stage": "instances", "repeats": 2}, content_type="application/json")
    assert (answer.status_code, answer.json()) == (201, {"planted": 2})
    assert client.get(start).json()["results"] == []
    for each in ControlItem.objects.all():
        assert each.item.repeats is not None
        say(work, each.item.repeats, 1)
        say(work, each.item, 3)
    (row,) = client.get(start).json()["results"]
    assert (row["assessor"], row["repeats"], row["agreed"], row["kappa"]) == ("assessor", 2, 0, None)


def test_who_judges_sees_none_of_it(client: Client, work: Assignment, organiser: User, assessor: User) -> None:
    plant(work, organiser, repeats=2)
    client.force_login(assessor)
    seat = access_seat(assessor, work.campaign.slug)
    assert not seat.is_organiser
    for name in ("plants", "consistency", "consistency-plot"):
        assert client.get(reverse(name, args=[work.campaign.slug])).status_code == 404
    assert client.get(f"/api/v1/campaigns/{work.campaign.slug}/control-items/").status_code == 404
