"""The site's commands: the same functions as the pages, with exit statuses 0, 1 and 2."""

from __future__ import annotations

import gzip
import io
import json
import shlex
import socket
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command, get_commands, load_command_class

from assess.management.command import is_behind
from assess.management.commands.serve import address, require_free_port
from assess.models import ApiToken, Assignment, Campaign, Run, Topic
from tests import factories
from tests.assess.commands import run_command
from tests.assess.documents.blog_documents import record
from tests.assess.runs.submitted import HARBOR_RUN
from tests.assess.topics.series_files import SECOND, SERIES

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _data_dir(settings, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path / "data"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small campaign in files: two targets, two runs (one with a mistake), a list, four documents."""
    place = tmp_path / "small-campaign"
    for name in ("lists", "runs", "documents"):
        (place / name).mkdir(parents=True)
    (place / "topics.xml").write_text(SERIES.format(more=""))
    (place / "docnos.txt").write_text("D1\nD2\nD3\nD4\n")
    (place / "lists" / "ranked.txt").write_text("1 1 D4 2.5\n")
    (place / "runs" / "Harbor1.txt").write_text(HARBOR_RUN)
    (place / "runs" / "Pier1.txt").write_text("1.1 Pier1 D9 red\n")
    form = {"priority": 1, "fields": {"documents": "collection"}}
    forms = {"Harbor1": {"team": "Harbor", **form}, "Pier1.txt": {"team": "Pier", **form}}
    (place / "runs" / "forms.json").write_text(json.dumps(forms))
    (place / "documents" / "a.trec").write_bytes(b"".join(record(f"D{n}") for n in range(1, 6)))
    return place


def load(folder: Path, organiser: User, *more: str) -> tuple[int, str, str]:
    return run_command("load_campaign", folder, "--track", "tac2008-qa", "--organiser", organiser.username, *more)


def test_the_files_of_a_folder_may_be_packed(folder: Path, organiser: User) -> None:
    told = load(folder, organiser, "--slug", "plain")
    for path in [each for each in folder.rglob("*") if each.suffix in (".xml", ".txt", ".trec")]:
        path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    status, out, err = load(folder, organiser, "--slug", "packed")
    assert (status, out.replace(".gz", "").replace("packed", "plain")) == told[:2], err
    plain, packed = (Campaign.objects.get(slug=slug) for slug in ("plain", "packed"))
    for name in ("topics", "runs", "documents", "docno_lists"):
        assert getattr(packed, name).count() == getattr(plain, name).count() > 0, name


def test_a_folder_becomes_a_campaign(folder: Path, organiser: User) -> None:
    status, out, err = load(folder, organiser)
    campaign = Campaign.objects.get(slug="small-campaign")
    assert status == 1
    assert "runs were not accepted: Pier1.txt" in err
    assert "Pier1.txt\t1\terror" in err
    assert out.splitlines() == [
        "campaign: small-campaign made, organiser organises it",
        "topics: topics.xml: 3 added, 0 changed, 0 as before",
        "docnos: docnos.txt: 4 docnos read; the list docnos.txt has 4.",
        "lists: ranked.txt: 1 target stored, 0 as before",
        "runs: Harbor1.txt: accepted, 0 errors, 0 warnings",
        "runs: Pier1.txt: rejected by the checker, 2 errors, 0 warnings",
        "pools: Rigid list: 2 items",
        "pools: Squishy list: 2 items",
        "documents: 4 documents stored, 0 stored before, 1 passed over, since nobody names them.",
    ]
    assert (campaign.state, campaign.runs.count(), campaign.documents.count()) == ("setup", 2, 4)


def test_loading_the_folder_again_changes_nothing(folder: Path, organiser: User) -> None:
    load(folder, organiser)
    campaign = Campaign.objects.get(slug="small-campaign")
    before = [campaign.runs.count(), campaign.documents.count(), campaign.pools.count(), campaign.activities.count()]
    status, out, _ = load(folder, organiser)
    assert "topics: topics.xml: 0 added, 0 changed, 3 as before" in out
    assert [campaign.runs.count(), campaign.documents.count(), campaign.pools.count()] == before[:3]
    assert status == 1


def test_a_folder_without_mistakes_ends_with_zero(folder: Path, organiser: User) -> None:
    (folder / "runs" / "Pier1.txt").unlink()
    assert load(folder, organiser, "--slug", "other", "--title", "Other")[0] == 0
    assert Campaign.objects.get(slug="other").title == "Other"


def test_errors_in_the_questions_stop_the_load(folder: Path, organiser: User) -> None:
    (folder / "topics.xml").write_text("<tacqa><target id='1' text='x'><q id='1.1' type='?'>x</q></target></tacqa>")
    status, _, err = load(folder, organiser)
    assert status == 1
    assert "question-type" in err
    assert "topics.xml has 1 error, so nothing of it was stored" in err
    assert Run.objects.count() == 0


def test_what_is_missing_is_named(folder: Path, organiser: User, tmp_path: Path) -> None:
    assert load(tmp_path / "nowhere", organiser)[0] == 2
    assert run_command("load_campaign", folder, "--track", "x", "--organiser", "organiser")[0] == 1
    assert run_command("load_campaign", folder, "--track", "tac2008-qa", "--organiser", "nobody")[0] == 2
    (folder / "runs" / "forms.json").write_text("{")
    status, _, err = load(folder, organiser)
    assert (status, "forms.json: This is not JSON: column 2: the file or line ends" in err) == (1, True)
    (folder / "runs" / "forms.json").write_text("1 0 a 1\n1 0 b 0\n")
    status, _, err = load(folder, organiser)
    assert (status, "forms.json: This is a file of another kind: qrels" in err, len(err.splitlines())) == (1, True, 1)


def test_what_a_form_has_wrong_is_named_by_its_run_and_member(folder: Path, organiser: User) -> None:
    forms = {
        "Harbor1": {"team": "Harbor", "priority": 9, "fields": {"documents": "none"}},
        "Pier1.txt": {"team": "Pier", "priority": 1, "fields": {"documents": "collection", "colour": "red"}},
        "pier1": {"team": "Elsewhere"},
    }
    (folder / "runs" / "forms.json").write_text(json.dumps(forms))
    status, _, err = load(folder, organiser)
    assert status == 1
    assert "runs/forms.json: Harbor1: priority: Give the priority: one of 1, 2, 3.\n" in err
    assert "\nruns/forms.json: Harbor1: fields.documents: “" in err
    assert "\nruns/forms.json: Pier1.txt: fields: There is no question colour in the form.\n" in err
    assert "\nruns/forms.json: Not used, since no run file in runs/ has this name: pier1. Name each" in err


def test_checking_prints_every_issue_and_stores_nothing(campaign: Campaign, tmp_path: Path) -> None:
    file = tmp_path / "Harbor1.txt"
    file.write_text("1.1 Harbor1 D1 blue\n9.9 Harbor1 D1 x\n")
    status, out, _ = run_command("check_run", "opinions", file)
    assert status == 1
    assert [line.split("\t")[:3] for line in out.splitlines()] == [
        ["2", "error", "unknown-question"],
        ["", "error", "missing-question"],
    ]
    assert json.loads(run_command("check_run", "opinions", file, "--format", "json")[1])[0]["where"] == 2
    assert "run-tag-mismatch" in run_command("check_run", "opinions", file, "--tag", "Pier1")[1]
    file.write_text(HARBOR_RUN)
    assert run_command("check_run", "opinions", file, "--tag", "Harbor1")[:2] == (0, "")
    assert run_command("check_run", "opinions", tmp_path / "none")[0] == 2
    assert run_command("check_run", "nothing", file)[0] == 2
    assert Run.objects.count() == 0


def test_submitting_is_the_page_s(campaign: Campaign, organiser: User, stranger: User, tmp_path: Path) -> None:
    file = tmp_path / "Harbor1.txt"
    file.write_text(HARBOR_RUN)
    form = ("--team", "Harbor", "--priority", "1", "--field", "documents=top50")
    assert run_command("submit_run", "opinions", file, "--as", "stranger", *form)[0] == 1
    status, out, _ = run_command("submit_run", "opinions", file, "--as", "organiser", *form)
    run = Run.objects.get()
    assert (status, out) == (0, f"Harbor1 accepted as run {run.pk}, 0 warnings.\n")
    assert (run.fields, run.file_name, run.submitted_by) == ({"documents": "top50"}, "Harbor1.txt", organiser)
    file.write_text("1.1 Pier1 D1\n")
    status, _, err = run_command("submit_run", "opinions", file, "--as", "organiser", "--team", "Pier", *form[2:])
    assert (status, "Pier1 was rejected" in err, "\tempty-answer\t" in err) == (1, True, True)


def test_pools_are_built_for_every_task(campaign: Campaign, organiser: User, rigid: Topic, squishy: Topic) -> None:
    run = factories.run(campaign, "A3", organiser, priority=3)
    for topic in (rigid, squishy):
        factories.response(run, topic, [factories.item(topic, "blue")])
    status, _, err = run_command("build_pool", "opinions")
    assert (status, "nothing to pool" in err) == (1, True)
    status, out, _ = run_command("build_pool", "opinions", "--priorities", "1,3")
    assert status == 0
    assert [line.split("\t")[:2] for line in out.splitlines()] == [["rigid", "1 item"], ["squishy", "1 item"]]


def test_topics_docnos_lists_and_documents_load_one_by_one(campaign: Campaign, folder: Path) -> None:
    (folder / "more.xml").write_text(f"<tacqa>{SECOND}</tacqa>")
    assert run_command("load_topics", "opinions", folder / "more.xml")[:2] == (
        0,
        "3 topics added, 0 changed, 0 as before.\n",
    )
    assert (
        run_command("load_docnos", "opinions", folder / "docnos.txt")[1]
        == "4 docnos read; the list docnos.txt has 4.\n"
    )
    assert run_command("load_document_list", "opinions", folder / "lists" / "ranked.txt")[0] == 0
    status, out, _ = run_command("load_documents", "opinions", folder / "documents")
    assert (status, out.startswith("1 document stored")) == (0, True)
    assert run_command("load_documents", "opinions", folder / "documents", "--all")[1].startswith("4 documents stored")
    (folder / "documents" / "c.trec").write_bytes(record("D1", "<p>other</p>\n"))
    status, _, err = run_command("load_documents", "opinions", folder / "documents", "--all")
    assert (status, "document-differs" in err, "1 document or file had errors" in err) == (1, True, True)
    assert run_command("load_documents", "opinions", folder / "nothing")[0] == 2


def test_work_is_handed_out(campaign: Campaign, assessor: User, second_assessor: User) -> None:
    status, out, _ = run_command("assign", "opinions", "--topic", "1.1", "--assessor", "assessor")
    assert (status, out.splitlines()) == (
        0,
        ["1.1\tinstances\tassessor\tprimary assessor", "1.1\tclasses\tassessor\tprimary assessor"],
    )
    more = ("--stage", "instances", "--assessor", "second_assessor", "--role", "second")
    assert run_command("assign", "opinions", "--all", *more)[1] == "1.1\tinstances\tsecond_assessor\tsecond assessor\n"
    assert run_command("assign", "opinions", "--topic", "7.7", "--assessor", "assessor")[0] == 2
    assert run_command("assign", "opinions", "--all")[0] == 2
    assert run_command("assign", "opinions", "--topic", "1.2", *more[:4])[0] == 1
    for what in (("--all",), ("--topic", "1.1")):
        status, out, err = run_command("assign", "opinions", *what, "--stage", "nonsense", "--assessor", "assessor")
        assert (status, out) == (2, "")
        assert "There is no stage “nonsense”. The stages are: instances, classes" in err
    status, _, err = run_command(
        "assign", "opinions", "--topic", "1.2", "--stage", "instances", "--assessor", "assessor"
    )
    assert (status, "Its stages are: nuggets, " in err) == (1, True)


def test_a_database_with_all_changes_is_not_behind(campaign: Campaign) -> None:
    assert not is_behind()


def test_a_site_that_lacks_tables_says_that_they_are_made(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("django.conf.settings.ASSAY_COLLECT_STATIC", False)
    for name in ("require_free_port", "call_command", "keep_running", "told_to_stop"):
        monkeypatch.setattr(f"assess.management.commands.serve.{name}", lambda *rest, **named: None)
    for lacks_some in (True, False):
        monkeypatch.setattr("assess.management.commands.serve.is_behind", lambda answer=lacks_some: answer)
        call_command("serve")
        assert ("The tables are being made" in capsys.readouterr().out) == lacks_some


def test_serve_says_its_address() -> None:
    assert address("127.0.0.1", 8000) == "http://127.0.0.1:8000/"
    assert address("0.0.0.0", 80) == "http://localhost:80/"
    assert address("::1", 8000) == "http://[::1]:8000/"


@pytest.mark.parametrize(
    ("host", "port", "words"),
    [
        ("127.0.0.1", 99_999, "can't listen at port 99999 of 127.0.0.1"),
        ("192.0.2.1", 8000, "can't listen at port 8000 of 192.0.2.1"),
        ("no host", 8000, "can't listen at port 8000 of no host"),
    ],
)
def test_serve_says_why_it_can_t_listen(host: str, port: int, words: str) -> None:
    with pytest.raises(CommandError, match=words):
        require_free_port(host, port)


def test_a_port_in_use_is_said_to_be() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as taken,
        pytest.raises(CommandError, match=r"by another program. Choose another: PORT="),
    ):
        require_free_port("127.0.0.1", taken.getsockname()[1])


def test_a_file_that_may_not_be_read_is_a_wrong_call(
    campaign: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "docnos.txt").write_text("D1\n")

    def deny(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", deny)
    status, _, err = run_command("load_docnos", "opinions", tmp_path / "docnos.txt")
    assert (status, err) == (2, f"cannot read {tmp_path / 'docnos.txt'}: Permission denied")


def test_priorities_that_are_no_numbers_are_said(campaign: Campaign) -> None:
    with pytest.raises(CommandError, match="“1,x” is no list of whole numbers such as 1,2"):
        call_command("build_pool", "opinions", "--priorities", "1,x")


def test_balancing_gives_a_series_to_one_and_loads_evenly(
    campaign: Campaign, assessor: User, second_assessor: User
) -> None:
    for number in ("2", "3", "4"):
        target = factories.topic(campaign, number, "t", task="", ordinal=int(number))
        factories.topic(campaign, f"{number}.1", "q", task="rigid", parent=target, ordinal=1)
        factories.topic(campaign, f"{number}.2", "q", task="squishy", parent=target, ordinal=2)
    factories.assignment(campaign.topics.get(number="2.1"), "instances", second_assessor)
    status, _, _ = run_command("assign", "opinions", "--balance")
    assert status == 0
    primary = Assignment.objects.filter(role="primary")
    authors = {each.topic.number: each.assessor.username for each in primary.select_related("topic", "assessor")}
    assert authors["2.1"] == authors["2.2"] == "second_assessor"
    assert sorted(authors.values()) == ["assessor"] * 4 + ["second_assessor"] * 4
    assert all(authors[f"{number}.1"] == authors[f"{number}.2"] for number in range(1, 5))
    votes = Assignment.objects.filter(stage="votes", topic__number="1.2")
    assert list(votes.values_list("assessor__username", "role")) == [("second_assessor", "second")]
    assert run_command("assign", "opinions", "--balance")[1] == ""


@pytest.mark.parametrize("name", sorted(name for name, app in get_commands().items() if app in ("assess", "nuggets")))
def test_help_shows_an_example_on_one_line_that_parses(name: str) -> None:
    command = load_command_class(get_commands()[name], name)
    parser = command.create_parser("manage.py", name)
    assert parser.format_help().endswith(f"Example:\n  manage.py {command.example}\n")  # type: ignore[attr-defined]
    assert command.example.split()[0] == name  # type: ignore[attr-defined]
    parser.parse_args(shlex.split(command.example.partition(" > ")[0])[1:])  # type: ignore[attr-defined]


def test_a_command_works_to_its_end_where_nobody_reads_on(organiser: User, monkeypatch: pytest.MonkeyPatch) -> None:
    class Unread(io.StringIO):
        def write(self, *text: str) -> int:
            raise BrokenPipeError

        def flush(self) -> None:
            raise BrokenPipeError

    closed: list[None] = []
    monkeypatch.setattr("assess.management.command.close_output", lambda: closed.append(None))
    call_command("tokens", organiser.username, make="For a pipe", scope=["read"], stdout=Unread())
    assert closed
    assert [token.name for token in ApiToken.objects.all()] == ["For a pipe"]
