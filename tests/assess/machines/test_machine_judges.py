"""Machine judges: read from files of several kinds, recorded beside people, sealed from them."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from assess.adjudication.domain import decide
from assess.assignments.domain.assignments import create_assignment
from assess.assignments.queries.pseudonyms import pseudonyms
from assess.base.errors import BadFile, Conflict, Invalid
from assess.campaigns.queries import ledger_point, stage_of, track_of
from assess.exports.writing import export_lines, find_export
from assess.jobs.progress import JobProgress, Stopped
from assess.judging.queries.current import official_judgments
from assess.judging.queries.judges import values_of
from assess.judging.snapshots import Snapshot
from assess.kinds.opinions import Decision
from assess.machines import domain, importing
from assess.machines.domain import MachineImport, import_machine_judge, machine_account
from assess.machines.queries import machines_of
from assess.models import Activity, Assignment, Campaign, Item, Job, Judgment, Membership, Topic
from assess.progress.queries.assignment_progress import progress_of_assignments
from assess.replay.replaying import import_judgments
from assess.web.problems import sendable
from assess.work.domain import balance_work
from nuggets.matches.current import official_marks
from nuggets.models import NuggetList, NuggetMatch
from nuggets.votes.current import counting_votes
from nuggets.writing.counting_lists import official_list
from tests import factories
from tests.assess import judged_campaign as judging
from tests.assess.worker import run_worker
from tests.pages import page_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def files(tmp_path: Path) -> Path:
    return tmp_path


def act(**values: object) -> str:
    about = {"by": "llm", "topic": "1.1", "do": "judge", "criterion": "correctness", "value": 1}
    return json.dumps({**about, "docno": "BLOG06-20060101-000-0000000001", **values}) + "\n"


def load(campaign: Campaign, organiser: User, path: Path, text: str, **more: str) -> MachineImport:
    path.write_text(text, encoding="utf-8")
    return import_machine_judge(actor=organiser, campaign=campaign, name="GPT nugget 1", paths=[path], **more)


def machine_values(campaign: Campaign) -> dict[str, int]:
    texts = {f"instance:{item.key}": item.text for item in Item.objects.all()}
    return {texts[key]: value for (_, key), value in values_of(Snapshot(campaign), "machine-A", "correctness").items()}


def test_recorded_judgments_of_one_judge_become_a_machines(
    campaign: Campaign, organiser: User, rigid: Topic, rigid_items: list[Item], files: Path
) -> None:
    lines = act(answer="blue bicycle", note="It says so.") + act(answer="red bicycle", value=-1)
    done = load(campaign, organiser, files / "judgments.jsonl", lines)

    machine = done.machine
    assert (machine.first_name, machine.is_active, machine.has_usable_password()) == ("GPT nugget 1", False, False)
    seat = Membership.objects.get(user=machine)
    assert (seat.role, seat.is_machine) == ("assessor", True)
    work = Assignment.objects.get(assessor=machine)
    assert (work.topic, work.stage, work.role, work.state) == (rigid, "instances", "machine", "done")
    assert machine_values(campaign) == {"blue bicycle": 1, "red bicycle": -1}
    assert {row.how for row in Judgment.objects.all()} == {"import"}
    assert (done.lines, done.passed_over) == (2, {})


def test_again_adds_nothing_and_another_value_is_one_row(
    campaign: Campaign, organiser: User, rigid_items: list[Item], files: Path
) -> None:
    lines = act(answer="blue bicycle") + act(answer="red bicycle", value=-1)
    load(campaign, organiser, files / "judgments.jsonl", lines)
    point = ledger_point(campaign)
    assert load(campaign, organiser, files / "judgments.jsonl", lines).added == 0
    assert ledger_point(campaign) == point

    assert load(campaign, organiser, files / "judgments.jsonl", act(answer="blue bicycle", value=2)).added == 1
    assert machine_values(campaign) == {"blue bicycle": 2, "red bicycle": -1}


def test_plain_qrels_name_items_by_key_or_by_a_docno_of_their_own(
    campaign: Campaign, organiser: User, rigid: Topic, files: Path
) -> None:
    items = factories.pooled(rigid, ["blue"])
    Item.objects.filter(pk=items[0].pk).update(docno="D1")
    done = load(
        campaign, organiser, files / "umbrela.txt", f"1.1 0 D1 1\n1.1 0 D9 1\n7.7 0 D1 1\n1.1 0 {items[0].key} 1\n"
    )
    assert machine_values(campaign) == {"blue": 1}
    assert done.passed_over == {"unknown-item": 1, "unknown-topic": 1}
    assert [(issue.where, issue.code) for issue in done.issues] == [(3, "unknown-topic"), (2, "unknown-item")]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("judged.jsonl", '{"qid": "1.1", "docid": "D1", "judgment": 1}\n'),
        ("judged.json", '{"query": {"qid": "1.1"}, "candidates": [{"docid": "D1", "judgment": 1}]}'),
        ("test.tsv", "query-id\tcorpus-id\tscore\n1.1\tD1\t1\n"),
        ("judged.json", '{"1.1": {"D1": 1}}'),
    ],
)
def test_labels_are_read_as_neighbours_tools_write_them(
    campaign: Campaign, organiser: User, rigid: Topic, files: Path, name: str, text: str
) -> None:
    items = factories.pooled(rigid, ["blue"])
    Item.objects.filter(pk=items[0].pk).update(docno="D1")
    done = load(campaign, organiser, files / name, text)
    assert (machine_values(campaign), done.passed_over) == ({"blue": 1}, {})
    assert {issue.severity for issue in done.issues} <= {"note"}


def test_a_file_of_another_kind_is_named_with_where_it_belongs(
    campaign: Campaign, organiser: User, files: Path
) -> None:
    with pytest.raises(BadFile) as refused:
        load(campaign, organiser, files / "r.txt", "1.1 Q0 D1 1 2.5 r\n1.1 Q0 D2 2 1.5 r\n")
    (issue,) = refused.value.issues
    assert (issue.code, "not recorded judgments, qrels or nuggets. Submit it under" in issue.message) == (
        "other-file",
        True,
    )
    with pytest.raises(BadFile) as refused:
        load(campaign, organiser, files / "three.txt", "1.1\tD1\t1\n1.1\tD2\t0\n")
    assert "convert --from qrels-three --to qrels FILE" in refused.value.issues[0].message
    with pytest.raises(BadFile) as refused:
        load(campaign, organiser, files / "nothing.qrels", "")
    assert [issue.code for issue in refused.value.issues] == ["empty-file"]


def test_a_grade_that_is_no_grade_here_is_passed_over_and_counted(
    campaign: Campaign, organiser: User, rigid_items: list[Item], files: Path
) -> None:
    done = load(campaign, organiser, files / "x.jsonl", act(answer="blue bicycle", value=7) + act(answer="red bicycle"))
    assert (machine_values(campaign), done.passed_over) == ({"red bicycle": 1}, {"invalid": 1})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"do": "judge"}\n', "record"),
        (act(answer="blue bicycle") + act(answer="red bicycle", by="another"), "another-judge"),
        (" \n\n", "empty-file"),
    ],
)
def test_a_file_that_is_broken_or_of_several_people_changes_nothing(
    campaign: Campaign, organiser: User, rigid_items: list[Item], files: Path, text: str, said: str
) -> None:
    with pytest.raises(BadFile) as refused:
        load(campaign, organiser, files / "judgments.jsonl", text)
    assert {issue.code for issue in refused.value.issues} == {said}
    assert not User.objects.filter(username__startswith="machine-").exists()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"a": "\0"}\n', (1, "nul-byte")), ("\0 1", (1, "nul-byte")), ('{"a": 1,}', (1, "not-json")),
        ('{"a":' * 3000 + "1" + "}" * 3000, (1, "nesting")),
    ],
)  # fmt: skip
def test_what_is_no_text_or_no_json_is_told_with_its_line(
    campaign: Campaign, organiser: User, files: Path, text: str, told: tuple[int, str]
) -> None:
    with pytest.raises(BadFile) as refused:
        load(campaign, organiser, files / "labels", text)
    assert [(issue.where, issue.code) for issue in refused.value.issues] == [told]


@pytest.mark.parametrize(("name", "kind"), [("umbrela.qrels", ""), ("x", "qrels-plain"), ("x.jsonl", "judgments")])
def test_a_file_without_any_label_is_refused_whatever_it_is_called(
    campaign: Campaign, organiser: User, files: Path, name: str, kind: str
) -> None:
    with pytest.raises(BadFile) as refused:
        load(campaign, organiser, files / name, "\n", kind=kind, criterion="correctness")
    assert [(issue.where, issue.code) for issue in refused.value.issues] == [("", "empty-file")]


def test_what_nobody_can_tell_the_kind_of_is_refused_with_what_is_known(
    campaign: Campaign, organiser: User, files: Path
) -> None:
    with pytest.raises(Invalid, match=r"Say which it is: judgments \(Recorded judgments of one judge"):
        load(campaign, organiser, files / "x.csv", "topic,document\n")
    with pytest.raises(Invalid, match="is not a kind of file that is read here"):
        load(campaign, organiser, files / "x.csv", "topic,document\n", kind="csv")
    (files / "x").write_text("1.1 0 D1 1\n")
    with pytest.raises(Invalid, match="letters and digits"):
        import_machine_judge(actor=organiser, campaign=campaign, name="!!", paths=[files / "x"])


def test_judges_are_told_apart_by_letters_of_any_script(campaign: Campaign, organiser: User) -> None:
    alike = ("Modèle 1", "modele  1", "MODELE-1")
    apart = ("gpt 4", "gpt4", "Модель", "GPT Модель", "模型")
    named = {name: machine_account(actor=organiser, campaign=campaign, name=name).pk for name in (*alike, *apart)}
    assert len({named[name] for name in alike}) == 1
    assert len({*named.values()}) == 1 + len(apart)
    with pytest.raises(Invalid):
        machine_account(actor=organiser, campaign=campaign, name="…")


def test_a_persons_account_is_never_taken_and_frozen_campaigns_refuse(
    campaign: Campaign, organiser: User, rigid_items: list[Item], files: Path
) -> None:
    factories.user("machine-gpt-nugget-1@opinions")
    with pytest.raises(Conflict, match="is a person's account"):
        load(campaign, organiser, files / "judgments.jsonl", act(answer="blue bicycle"))
    Campaign.objects.update(state="frozen")
    with pytest.raises(Conflict, match="is frozen"):
        load(campaign, organiser, files / "judgments.jsonl", act(answer="blue bicycle"))
    assert not Activity.objects.filter(action="machine.import").exists()


def test_a_machine_is_never_official_nor_in_any_file_but_the_one_of_everybody(
    campaign: Campaign, organiser: User, grading: Assignment, rigid_items: list[Item], files: Path
) -> None:
    judging.judge(grading, "blue bicycle", 1)
    names = [export.name for export in track_of(campaign).exports]
    assert len(names) > 5
    exported = {name: lines(campaign, name) for name in names}
    load(
        campaign,
        organiser,
        files / "judgments.jsonl",
        act(answer="blue bicycle", value=2) + act(answer="red bicycle"),
    )

    assert {row.item.text: row.value for row in official_judgments(Snapshot(campaign))} == {"blue bicycle": 1}
    for name, before in exported.items():
        after = [line for line in lines(campaign, name) if '"role": "machine"' not in line]
        assert after == before
    machine = [json.loads(line) for line in lines(campaign, "judgments.jsonl") if '"machine"' in line]
    assert [(each["by"], each["value"]) for each in machine] == [("machine-A", 2), ("machine-A", 1)]


def lines(campaign: Campaign, name: str) -> list[str]:
    export = find_export(campaign, name)
    assert export is not None
    return list(export_lines(Snapshot(campaign), export))


BANK = {
    "query_id": "1.2",
    "format_version": "v3",
    "nugget_bank": {
        "q1": {"question": "Is it cheap?", "importance": "must_have", "answers": {"yes": {"answer": "yes"}}}
    },
    "claim_bank": {"c1": {"claim": "It broke.", "importance": "should_have"}},
}


def test_a_nugget_bank_is_a_frozen_list_of_the_machines_own(
    campaign: Campaign, organiser: User, nugget_writing: Assignment, squishy: Topic, files: Path
) -> None:
    done = load(campaign, organiser, files / "bank.jsonl", json.dumps(BANK) + "\n")
    made = NuggetList.objects.get(owner=done.machine)
    said = [(each.number, each.text, each.importance, each.fields) for each in made.nuggets.order_by("number")]
    assert said == [
        (1, "Is it cheap?", "vital", {"importance": "must_have", "answers": [{"answer": "yes"}]}),
        (2, "It broke.", "okay", {"importance": "should_have"}),
    ]
    assert made.frozen_point is not None
    (machine,) = machines_of(campaign)
    assert (machine.id, machine.items) == (done.machine.pk, 0)
    assert official_list(squishy.pk) is None
    assert load(campaign, organiser, files / "bank.jsonl", json.dumps(BANK) + "\n").added == 0


LINE = {
    "qid": "1.2",
    "query": "Is it?",
    "nuggets": [{"text": "cheap", "importance": "vital"}, {"text": "broke", "importance": "okay"}],
}
WRAPPED = {"schema_version": "1", "artifacts": [{"data": [LINE]}]}


@pytest.mark.parametrize("written", [LINE, WRAPPED])
def test_a_list_of_nuggetizer_is_one_of_the_machines_own(
    campaign: Campaign, organiser: User, nugget_writing: Assignment, squishy: Topic, files: Path, written: object
) -> None:
    done = load(campaign, organiser, files / "n.jsonl", json.dumps(written) + "\n")
    made = NuggetList.objects.get(owner=done.machine)
    said = [(each.number, each.text, each.importance) for each in made.nuggets.order_by("number")]
    assert said == [(1, "cheap", "vital"), (2, "broke", "okay")]
    assert made.frozen_point is not None


def test_marks_and_votes_of_a_machine_count_for_nothing(
    campaign: Campaign,
    organiser: User,
    nugget_writing: Assignment,
    squishy: Topic,
    squishy_items: list[Item],
    assessor: User,
    files: Path,
) -> None:
    made = judging.write_list(nugget_writing, cheap="vital", broke="okay")
    votes = [(vote.number, vote.importance) for vote in counting_votes([made])]
    about = {"by": "llm", "topic": "1.2", "docno": squishy_items[0].docno, "answer": squishy_items[0].text}
    said = [
        {**about, "do": "match", "nugget": "1"},
        {**about, "do": "match", "nugget": "9"},
        {"by": "llm", "topic": "1.2", "do": "vote", "number": 2, "importance": "vital"},
    ]
    done = load(campaign, organiser, files / "j.jsonl", "".join(json.dumps(each) + "\n" for each in said))
    mark = NuggetMatch.objects.get()
    assert (mark.assessor, mark.item, mark.assignment.role) == (done.machine, squishy_items[0], "machine")
    assert official_marks([made]) == []
    assert [(vote.number, vote.importance) for vote in counting_votes([made])] == votes
    assert done.passed_over == {"invalid": 1}

    first, other = [said[0], said[2]], [{**said[0], "value": "none"}, {**said[2], "importance": "okay"}]
    for changed, number in ((other, 2), (first, 2), (other + first, 0)):  # what is said last counts, be it as before
        lines = "".join(json.dumps(each) + "\n" for each in changed)
        assert load(campaign, organiser, files / "j.jsonl", lines).added == number
    assert NuggetMatch.objects.order_by("id").values_list("value", flat=True).last() == "full"


def test_the_command_says_what_was_added_and_what_was_passed_over(
    campaign: Campaign, organiser: User, rigid_items: list[Item], files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = files / "judgments.jsonl"
    path.write_text(act(answer="blue bicycle") + act(answer="pink bicycle"), encoding="utf-8")
    call_command("import_machine_judge", "opinions", "--name", "Umbrela", str(path))
    said = capsys.readouterr()
    assert said.out == "Umbrela: 2 lines read, 1 row added\n"
    assert said.err.splitlines() == [
        "2\twarning\tunknown-item\tThere is no item “pink bicycle” in topic 1.1.",
        "passed over: 1 (unknown-item)",
    ]


# ---------------------------------------------------------------- page and API


def test_the_page_imports_and_says_what_was_passed_over(
    client: Client, campaign: Campaign, organiser: User, rigid_items: list[Item]
) -> None:
    client.force_login(organiser)
    address = reverse("machines", args=[campaign.slug])
    assert "No machine judge yet" in page_of(client.get(address))
    file = SimpleUploadedFile("../../etc/judgments.jsonl", (act(answer="blue bicycle") + act(answer="pink")).encode())
    page = page_of(client.post(address, {"name": "Umbrela", "labels": [file]}))
    assert "2 lines read, 1 row added" in page
    assert "1 × unknown item" in page
    assert "machine-A" in page

    broken = SimpleUploadedFile("judgments.jsonl", b'{"do": "judge"}\n')
    answer = client.post(address, {"name": "Umbrela", "labels": [broken]})
    assert (answer.status_code, Judgment.objects.count()) == (422, 1)
    assert client.post(address, {"name": "", "labels": []}).status_code == 422


def test_the_api_imports_lists_and_sets_drafts(
    client: Client, campaign: Campaign, organiser: User, rigid_items: list[Item]
) -> None:
    client.force_login(organiser)
    address = reverse("api-machine-list", args=[campaign.slug])
    file = SimpleUploadedFile("judgments.jsonl", act(answer="blue bicycle").encode())
    done = client.post(address, {"name": "Umbrela", "file": file})
    assert (done.status_code, done.json()["added"], done.json()["passed_over"]) == (201, 1, {})
    listed = client.get(address).json()["results"]
    assert listed == [{"key": "machine-A", "name": "Umbrela", "items": 1, "topics": {"Judge instances": 1}}]
    kept = client.post(
        reverse("api-machine-drafts", args=[campaign.slug]), {"drafts": "after"}, content_type="application/json"
    )
    assert (kept.status_code, kept.json()) == (200, {"drafts": "after", "share": 0.0, "seed": 0})
    assert Campaign.objects.get().drafts == "after"


def test_long_files_are_imported_by_the_worker(
    client: Client, campaign: Campaign, organiser: User, rigid_items: list[Item], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, "SHORT_BYTES", 10)
    client.force_login(organiser)
    file = SimpleUploadedFile("judgments.jsonl", (act(answer="blue bicycle") + act(answer="pink")).encode())
    answer = client.post(reverse("machines", args=[campaign.slug]), {"name": "Umbrela", "labels": [file]}, follow=True)
    assert answer.redirect_chain == [(reverse("works", args=[campaign.slug]), 302)]
    assert "The labels of Umbrela are being imported in the background." in page_of(answer)
    file.seek(0)
    refused = client.post(reverse("api-machine-list", args=[campaign.slug]), {"name": "Umbrela", "file": file})
    assert refused.status_code == 409  # one import at a time
    assert not Judgment.objects.exists()
    run_worker()
    job = Job.objects.get()
    assert (job.state, job.message) == ("done", "Umbrela: 2 lines read, 1 row added. Passed over: 1 × unknown item.")
    assert [issue["code"] for issue in job.issues] == ["unknown-item"]
    file.seek(0)
    asked = client.post(reverse("api-machine-list", args=[campaign.slug]), {"name": "Umbrela", "file": file})
    assert (asked.status_code, asked.json()["kind"]) == (202, "machine-judge")
    run_worker()
    assert Judgment.objects.count() == 1
    cut = SimpleUploadedFile("umbrela.qrels.gz", gzip.compress(b"1 0 a 1\n")[:12])
    assert client.post(reverse("machines", args=[campaign.slug]), {"name": "U", "labels": [cut]}).status_code == 422
    broken = SimpleUploadedFile("judgments.jsonl", b'{"do": "judge"}\n' * 2)
    assert client.post(reverse("machines", args=[campaign.slug]), {"name": "U", "labels": [broken]}).status_code == 302
    run_worker()
    assert (Job.objects.first().state, Judgment.objects.count()) == ("failed", 1)


def test_many_labels_are_recorded_topic_by_topic_and_those_of_before_a_stop_stay(
    campaign: Campaign, organiser: User, rigid_items: list[Item], squishy_items: list[Item], files: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(domain, "AT_ONCE", 1)
    text = "".join(f"{item.topic.number}\t0\t{item.key}\t1\n" for item in (*rigid_items, *squishy_items))
    path = files / "umbrela.qrels"
    path.write_text(text)
    seen: list[int] = []

    def stop(progress: JobProgress) -> None:
        seen.append(progress.done)
        if progress.done:
            raise Stopped

    asked = {"actor": organiser, "campaign": campaign, "name": "Umbrela", "paths": [path], "criterion": "correctness"}
    with pytest.raises(Stopped):
        import_machine_judge(**asked, progress=stop)
    of_first = {item.topic_id for item in rigid_items}
    first = Judgment.objects.filter(item__topic__in=of_first).count()
    assert (seen, first > 0, Judgment.objects.count()) == ([0, len(rigid_items)], True, first)
    done = import_machine_judge(**asked)
    told = [each.data["rows"] for each in Activity.objects.filter(action="machine.import").order_by("id")]
    assert (done.lines, told) == (len(rigid_items) + len(squishy_items), [first, done.added][: 1 + bool(done.added)])
    assert import_machine_judge(**asked).added == 0


def test_a_machine_gets_no_work_and_is_in_nobodys_way(
    client: Client, campaign: Campaign, organiser: User, rigid_items: list[Item], files: Path
) -> None:
    done = load(campaign, organiser, files / "judgments.jsonl", act(answer="blue bicycle"))
    with pytest.raises(Conflict, match="no assessors yet"):
        balance_work(actor=organiser, campaign=campaign)
    assert not Assignment.objects.filter(assessor=done.machine).exclude(role="machine").exists()
    assert progress_of_assignments(campaign) == []
    client.force_login(organiser)
    for name in ("progress", "assignments"):
        page = page_of(client.get(reverse(name, args=[campaign.slug])))
        assert f"<td>{done.machine.username}</td>" not in page


def test_recorded_judgments_replay_elsewhere_to_the_same_official_values_machines_and_decisions(
    campaign: Campaign,
    organiser: User,
    grading: Assignment,
    rigid: Topic,
    rigid_items: list[Item],
    second_assessor: User,
    adjudicator: User,
    files: Path,
) -> None:
    second = factories.assignment(rigid, "instances", second_assessor, role="second")
    for text, first, other in (("blue bicycle", 1, -1), ("red bicycle", 2, 2), ("green bicycle", -1, 1)):
        judging.judge(grading, text, first)
        judging.judge(second, text, other)
    stage = stage_of(campaign, "instances")[1]
    decision = Decision(
        thing=str(rigid_items[0].pk), criterion="correctness", value=3, client_key=judging.key("d"), note="So."
    )
    decide(actor=adjudicator, campaign=campaign, stage=stage, decision=decision)
    load(campaign, organiser, files / "judgments.jsonl", act(answer="blue bicycle", value=2))
    written = lines(campaign, "judgments.jsonl")
    assert sum('"role": "adjudicator"' in line for line in written) == 1

    elsewhere = factories.campaign(organiser=organiser, slug="elsewhere")
    factories.pooled(elsewhere.topics.get(number="1.1"), [item.text for item in rigid_items])
    people = {}
    for user, name in pseudonyms(campaign).items():
        if name.startswith("assessor-"):
            people[name] = User.objects.get(pk=user)
            Membership.objects.create(campaign=elsewhere, user=people[name], role="assessor")
    import_judgments(actor=organiser, campaign=elsewhere, stream=io.BytesIO("".join(written).encode()), people=people)

    assert nameless(lines(elsewhere, "judgments.jsonl")) == nameless(written)
    assert official(elsewhere) == official(campaign)
    assert official(elsewhere)["blue bicycle"] == 3


def nameless(written: list[str]) -> list[str]:
    """The lines without who said it: people are numbered in the order in which they get work."""
    return sorted(json.dumps({**json.loads(line), "by": ""}) for line in written)


def official(campaign: Campaign) -> dict[str, int | None]:
    return {row.item.text: row.value for row in official_judgments(Snapshot(campaign)).select_related("item")}


def test_machines_and_people_are_not_taken_for_each_other(
    campaign: Campaign, organiser: User, rigid: Topic, rigid_items: list[Item], assessor: User, files: Path
) -> None:
    machine = load(campaign, organiser, files / "judgments.jsonl", act(answer="blue bicycle")).machine
    give = {"actor": organiser, "campaign": campaign, "topic": rigid, "stage": "instances"}
    with pytest.raises(Invalid, match="is a machine judge"):
        create_assignment(assessor=machine, **give)
    with pytest.raises(Invalid, match="machine is not a role"):
        create_assignment(assessor=assessor, role="machine", **give)
    line = act(answer="red bicycle", role="machine").encode()
    with pytest.raises(BadFile) as refused:
        import_judgments(actor=organiser, campaign=campaign, stream=io.BytesIO(line), people={"llm": assessor})
    assert [issue.code for issue in refused.value.issues] == ["person"]


def test_a_refusal_repeats_no_half_of_a_character(client: Client, campaign: Campaign, organiser: User) -> None:
    client.force_login(organiser)
    address = reverse("api-disagreement-list", args=[campaign.slug])
    sent = client.post(address, '{"stage": "\\ud83d"}', content_type="application/json")
    assert (sent.status_code, "half of a surrogate pair" in sent.json()["detail"]) == (400, True)
    assert sendable("no stage “\ud83d”") == "no stage “?”"
