"""Checking, submitting and withdrawing runs."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.base.errors import Conflict, Invalid, NotAllowed
from assess.base.files import open_file
from assess.documents.domain.lists import load_docnos
from assess.models import Activity, Campaign, Item, Response, Run, Segment, Topic
from assess.pools.domain.wanted_documents import named_docnos
from assess.runs.domain.checking import check_run
from assess.runs.domain.deciding import withdraw_run
from assess.runs.domain.replacing import Replace
from assess.runs.domain.submitting import submit_run
from assess.runs.queries import runs_with_sizes
from tests import factories
from tests.assess.runs.submitted import HARBOR_RUN, form
from tests.pages import page_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _data_dir(settings, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path


def submit(
    campaign: Campaign,
    actor: User,
    text: str = HARBOR_RUN,
    name: str = "harbor.txt",
    replace: Replace = False,
    **changes: object,
) -> Run:
    return submit_run(
        actor=actor,
        campaign=campaign,
        form=form(**changes),
        file=io.BytesIO(text.encode()),
        file_name=name,
        replace=replace,
    )


def segments(run: Run) -> list[tuple[str, int, str, str, int | None]]:
    found = Segment.objects.filter(response__run=run).order_by("response__topic__number", "ordinal")
    return [(each.response.topic.number, each.ordinal, each.text, each.docno, each.line) for each in found]


def test_a_good_run_becomes_responses_segments_and_items(setup: Campaign, participant: User) -> None:
    document = factories.document(setup, "D1")
    run = submit(setup, participant)
    assert (run.state, run.tag, run.team, run.priority, run.errors) == ("accepted", "Harbor1", "Harbor", 1, 0)
    assert segments(run) == [
        ("1.1", 1, "blue", "D1", 1),
        ("1.1", 2, "the  red one", "D2", 2),
        ("1.2", 1, "They are light.", "D1", 3),
        ("1.2", 2, "They are cheap.", "D3", 4),
    ]
    assert dict(run.responses.values_list("topic__number", "characters")) == {"1.1": 4 + 9, "1.2": 13 + 13}
    linked = Item.objects.filter(document=document).values_list("topic__number", "text")
    assert sorted(linked) == [("1.1", "blue"), ("1.2", "They are light.")]
    assert list(Activity.objects.filter(action="run.accept").values_list("data__segments", flat=True)) == [4]


def test_the_file_is_kept_byte_for_byte(setup: Campaign, participant: User) -> None:
    run = submit(setup, participant, text=HARBOR_RUN.replace("\n", "\r\n"), name="C:\\runs\\harbor.txt")
    with open_file(run.file) as file:
        assert file.read() == HARBOR_RUN.replace("\n", "\r\n").encode()
    assert (run.file_name, run.size, run.warnings) == ("harbor.txt", len(HARBOR_RUN) + 4, 1)


def test_two_runs_with_the_same_instance_share_its_item(setup: Campaign, participant: User, organiser: User) -> None:
    submit(setup, participant)
    other = "1.1 Pier1 D1  blue\n1.1 Pier1 D2 blue\n1.2 Pier1 D1 They are heavy.\n"
    run = submit(setup, organiser, text=other, team="Pier")
    rigid = Item.objects.filter(topic__number="1.1").order_by("id")
    assert [(item.text, item.docno) for item in rigid] == [("blue", "D1"), ("the  red one", "D2"), ("blue", "D2")]
    shared = Segment.objects.get(response__run=run, response__topic__number="1.1", ordinal=1)
    assert shared.item == rigid[0]


def test_a_run_with_errors_leaves_only_its_report(setup: Campaign, participant: User) -> None:
    wrong = "1.1 Harbor1 D1 blue\n9.9 Harbor1 D1 x\n1.1 Harbor1\n"
    run = submit(setup, participant, text=wrong)
    assert (run.state, run.errors) == ("rejected", 3)
    assert [(row["where"], row["severity"], row["code"]) for row in run.report] == [
        (2, "error", "unknown-question"),
        (3, "error", "columns"),
        ("", "error", "missing-question"),
    ]
    assert (Response.objects.count(), Segment.objects.count(), Item.objects.count()) == (0, 0, 0)
    with open_file(run.file) as file:
        assert file.read() == wrong.encode()


def test_checking_gives_the_same_report_and_stores_nothing(setup: Campaign, participant: User, tmp_path: Path) -> None:
    wrong = "1.1 Harbor1 D1 blue\n9.9 Harbor1 D1 x\n"
    report = check_run(campaign=setup, stream=io.BytesIO(wrong.encode()), form=form())
    assert Run.objects.count() == 0
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
    assert report.as_rows() == submit(setup, participant, text=wrong).report
    assert check_run(campaign=setup, stream=io.BytesIO(HARBOR_RUN.encode())).is_clean


def test_all_errors_are_counted_and_the_first_shown_before_warnings(setup: Campaign) -> None:
    """Lines that say the same are told together, and what else is wrong is seen behind them."""
    lines = "\r\n".join(f"8.{n} Harbor1 D1 x" for n in range(1, 101))
    report = check_run(campaign=setup, stream=io.BytesIO(lines.encode()))
    assert (report.errors, report.warnings, report.hidden) == (102, 2, 0)
    assert [issue.severity for issue in report.issues] == ["error"] * 3 + ["warning"] * 2
    assert [issue.count for issue in report.issues] == [100, 1, 1, 1, 1]
    assert report.issues[0].message.startswith("100 lines: There is no question")
    every = check_run(campaign=setup, stream=io.BytesIO(lines.encode()), limit=None, each=True)
    assert [issue.where for issue in every.issues if issue.code == "unknown-question"] == list(range(1, 101))


def test_docids_are_checked_against_the_list(setup: Campaign, organiser: User, participant: User) -> None:
    load_docnos(actor=organiser, campaign=setup, stream=io.BytesIO(b"D1\nD2\n"), name="docnos.txt")
    run = submit(setup, participant)
    assert [(row["where"], row["code"]) for row in run.report] == [(4, "unknown-docid")]


def test_the_tag_of_the_file_must_be_the_form_s(setup: Campaign, participant: User) -> None:
    run = submit(setup, participant, priority=2)
    assert [row["code"] for row in run.report] == ["run-tag-mismatch"]


def test_the_same_submission_again_changes_nothing(setup: Campaign, participant: User) -> None:
    first = submit(setup, participant)
    count = Activity.objects.count()
    assert submit(setup, participant).pk == first.pk
    assert (Run.objects.count(), Activity.objects.count()) == (1, count)
    rejected = submit(setup, participant, text="1.1 Harbor2 D1 x\n", priority=2)
    assert submit(setup, participant, text="1.1 Harbor2 D1 x\n", priority=2).pk == rejected.pk


def rejected_before(campaign: Campaign, participant: User, *, count: int, tag: str = "Harbor1") -> None:
    for _ in range(count):
        run = factories.run(campaign, tag, participant)
        Run.objects.filter(pk=run.pk).update(state="rejected", team="Harbor")


def test_of_rejected_files_under_a_tag_the_newest_is_listed(
    client: Client, setup: Campaign, participant: User, organiser: User
) -> None:
    rejected_before(setup, participant, count=3)
    client.force_login(participant)
    address = reverse("runs", args=[setup.slug])
    assert [run.state for run in client.get(address).context["table"].rows] == ["rejected"]
    good = submit(setup, participant)
    Run.objects.filter(pk=good.pk).update(team="Harbor")
    for person in (participant, organiser):
        client.force_login(person)
        answer = client.get(address)
        assert [run.pk for run in answer.context["table"].rows] == [good.pk]
        assert "3 rejected files that were sent in again under the same tag are not listed" in page_of(answer)
        assert len(client.get(address + "?attempts=all").context["table"].rows) == 4
    other = factories.run(setup, "Harbor2", participant)
    Run.objects.filter(pk=other.pk).update(state="rejected", team="Harbor")
    assert len(client.get(address).context["table"].rows) == 2


def test_a_team_s_rejected_files_are_kept_up_to_a_number(
    setup: Campaign, participant: User, organiser: User, settings
) -> None:
    settings.ASSAY_TEAM_TRIES = 2
    submit(setup, participant, text="1.1 Harbor1 D1 x\n")
    submit(setup, participant, text="1.1 Harbor1 D2 x\n")
    with pytest.raises(
        Conflict, match=r"2 runs of Harbor were rejected or withdrawn, and no more are taken. Check the file without"
    ):
        submit(setup, participant)
    assert Run.objects.count() == 2
    assert submit(setup, organiser).state == "accepted"


def test_a_tag_again_takes_the_earlier_run_s_place_in_setup(setup: Campaign, participant: User) -> None:
    first = submit(setup, participant)
    second = submit(setup, participant, text=HARBOR_RUN + "1.1 Harbor1 D4 green\n", replace=True)
    first.refresh_from_db()
    assert (first.state, second.state) == ("withdrawn", "accepted")
    assert first.responses.count() == 0
    assert [row[2] for row in segments(second) if row[0] == "1.1"] == ["blue", "the  red one", "green"]


def test_a_rejected_run_does_not_take_the_place_of_an_accepted_one(setup: Campaign, participant: User) -> None:
    first = submit(setup, participant)
    assert submit(setup, participant, text="nothing", replace=True).state == "rejected"
    first.refresh_from_db()
    assert first.state == "accepted"
    assert len(segments(first)) == 4


def test_participants_submit_for_their_team_and_in_setup_only(setup: Campaign, participant: User) -> None:
    with pytest.raises(NotAllowed, match="your own team"):
        submit(setup, participant, team="Pier")
    setup.state = Campaign.State.JUDGING
    setup.save()
    with pytest.raises(Conflict, match="Judging has begun"):
        submit(setup, participant)
    assert Run.objects.count() == 0


@pytest.mark.parametrize(
    ("person", "said"), [("assessor", "your own team only"), ("stranger", "stranger is no member of this campaign")]
)
def test_others_submit_nothing(setup: Campaign, person: str, said: str, request: pytest.FixtureRequest) -> None:
    with pytest.raises(NotAllowed, match=said):
        submit(setup, request.getfixturevalue(person))


def test_organisers_add_runs_while_judging_but_replace_none(campaign: Campaign, organiser: User) -> None:
    assert submit(campaign, organiser).state == "accepted"
    with pytest.raises(Conflict, match="can't be replaced"):
        submit(campaign, organiser, text=HARBOR_RUN + "1.1 Harbor1 D4 green\n")
    campaign.state = Campaign.State.FROZEN
    campaign.save()
    with pytest.raises(Conflict, match="frozen"):
        submit(campaign, organiser, team="Pier", text=HARBOR_RUN.replace("Harbor", "Pier"))


def test_a_priority_is_given_once_by_a_team(setup: Campaign, organiser: User) -> None:
    factories.run(setup, "Harbor9", organiser, team="Harbor", priority=1)
    Run.objects.update(submission="run")
    with pytest.raises(Conflict, match="given priority 1 to Harbor9"):
        submit(setup, organiser)


def test_another_team_s_tag_is_taken(setup: Campaign, organiser: User) -> None:
    factories.run(setup, "Harbor1", organiser, team="Other")
    with pytest.raises(Conflict, match="taken"):
        submit(setup, organiser)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"team": ""}, "Give the team"),
        ({"tag": "two words"}, "Give it another form"),
        ({"priority": 4}, "one of 1, 2, 3"),
        ({"priority": None}, "Give the priority"),
        ({"fields": {}}, "Which documents were searched"),
        ({"fields": {"documents": "some"}}, "must be one of: collection, top50"),
        ({"fields": {"documents": "top50", "x": 1}}, "There is no question x"),
        ({"description": "x" * 10_001}, "Shorten the description"),
    ],
)
def test_a_form_that_is_not_filled_in_is_refused(
    setup: Campaign, organiser: User, changes: dict[str, object], sentence: str
) -> None:
    with pytest.raises(Invalid, match=sentence):
        submit(setup, organiser, **changes)


def test_withdrawing_drops_the_responses_and_keeps_file_and_items(setup: Campaign, participant: User) -> None:
    run = submit(setup, participant)
    assert withdraw_run(actor=participant, run=run).state == "withdrawn"
    run.refresh_from_db()
    assert (run.state, run.responses.count(), Item.objects.count()) == ("withdrawn", 0, 4)
    with open_file(run.file) as file:
        assert file.read() == HARBOR_RUN.encode()
    count = Activity.objects.count()
    withdraw_run(actor=participant, run=run)
    assert Activity.objects.count() == count
    assert submit(setup, participant).state == "accepted"


def test_withdrawing_is_for_the_team_and_for_organisers(setup: Campaign, participant: User, organiser: User) -> None:
    run = submit(setup, participant)
    other = factories.member(setup, "other", "participant", team="Pier")
    with pytest.raises(NotAllowed):
        withdraw_run(actor=other, run=run)
    setup.state = Campaign.State.JUDGING
    setup.save()
    run = Run.objects.get(pk=run.pk)
    with pytest.raises(Conflict):
        withdraw_run(actor=participant, run=run)
    assert withdraw_run(actor=organiser, run=run).state == "withdrawn"


def test_runs_say_how_much_they_returned_and_what_they_name(setup: Campaign, participant: User, rigid: Topic) -> None:
    submit(setup, participant)
    assert [(run.answered, run.strings) for run in runs_with_sizes(setup.runs.all())] == [(2, 4)]  # type: ignore[attr-defined]
    assert named_docnos(setup) == {"D1", "D2", "D3"}


@pytest.mark.parametrize(("kept", "shown"), [(True, True), (False, False)], ids=["with strings", "with none"])
def test_strings_stand_on_the_page_of_a_run_that_has_some(
    setup: Campaign, participant: User, client: Client, kept: bool, shown: bool
) -> None:
    run = submit(setup, participant)
    if not kept:
        run.responses.all().delete()
    client.force_login(participant)
    page = page_of(client.get(reverse("run", args=[setup.slug, run.pk])))
    assert ("<dt>Strings</dt>" in page) == shown
    listed = client.get(reverse("runs", args=[setup.slug]))
    assert [label for _, label, *_ in listed.context["table"].heads if label == "Strings"] == ["Strings"] * shown
    assert page_of(listed).count("<td") == 8 + shown
