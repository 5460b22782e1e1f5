"""The list of valid docnos: loaded in batches, asked in batches."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.base.errors import BadFile, Conflict, Invalid
from assess.documents.domain import lists as module
from assess.documents.domain.lists import empty_docnos, load_docnos
from assess.documents.queries.documents import unknown_docnos, valid_docnos
from assess.jobs.progress import JobProgress
from assess.models import Campaign, Job, ValidDocno
from assess.protocol import RunForm
from assess.runs.domain.late_docnos import runs_refused_now
from assess.runs.domain.submitting import submit_run
from scoring.reading.unpacking import uncompressed
from tests import factories
from tests.assess.pooling import retrieval  # noqa: F401
from tests.pages import page_of
from tracks.__main__ import main as tracks

pytestmark = pytest.mark.django_db


def load(campaign: Campaign, actor: User, content: bytes, **more: object) -> module.LoadedDocnos:
    return load_docnos(actor=actor, campaign=campaign, stream=io.BytesIO(content), name="docnos.txt", **more)  # type: ignore[arg-type]


def valid(campaign: Campaign) -> list[str]:
    return sorted(valid_docnos(campaign).values_list("docno", flat=True))


def test_a_list_has_each_docno_once_and_its_files_name(campaign: Campaign, organiser: User) -> None:
    loaded = load(campaign, organiser, b"D1\nD2\r\n\n  D3 \nD1\n")
    assert (loaded.name, loaded.read, loaded.docnos, loaded.replaced) == ("docnos.txt", 4, 3, 0)
    assert valid(campaign) == ["D1", "D2", "D3"]


def test_a_list_with_a_line_that_is_no_docno_is_refused_whole(campaign: Campaign, organiser: User) -> None:
    with pytest.raises(BadFile) as refused:
        load(campaign, organiser, b"D1\nD2 0.5\n\xff\n" + b"x" * 300 + b"\nD\x003\nD4\nD5\n")
    assert [(issue.where, issue.code) for issue in refused.value.issues] == [
        (2, "docno-form"),
        (3, "not-utf8"),
        (4, "docno-form"),
        (5, "nul-byte"),
    ]
    assert not ValidDocno.objects.exists()


@pytest.mark.parametrize("content", [b'"D1"\n"D2"\n', b"'D1'\n'D2'\n", b'["D1", "D2"]', b'["D1","D2"]\n'])
def test_docnos_in_quotes_or_in_a_json_list_are_refused(campaign: Campaign, organiser: User, content: bytes) -> None:
    with pytest.raises(BadFile):
        load(campaign, organiser, content)
    assert not ValidDocno.objects.exists()


def test_a_first_line_that_names_the_column_is_none(campaign: Campaign, organiser: User) -> None:
    loaded = load(campaign, organiser, b"DOCNO\nD1\n")
    assert loaded.sentence() == "1 docno read; the list docnos.txt has 1."
    assert [(issue.severity, issue.code) for issue in loaded.report.issues] == [("note", "header")]
    assert valid(campaign) == ["D1"]


@pytest.mark.parametrize(
    ("content", "issues"),
    [
        ("D1\n\u200bD2\nD\u00ad3\n", [(2, "unseen-sign")]),
        ("7\n1E+05\n\u200b2\n2e+05\n", [(2, "number"), (3, "unseen-sign")]),
        ("1.0\n20.0\n300.0\n", [("", "number")]),
        ("1.0\n1.1\nC4+05\n", []),
    ],
)
def test_docnos_that_nobody_meant_so_are_told_once_of_each_kind(
    campaign: Campaign, organiser: User, content: str, issues: list[tuple[int | str, str]]
) -> None:
    loaded = load(campaign, organiser, content.encode())
    assert [(issue.where, issue.severity, issue.code) for issue in loaded.report.issues] == [
        (where, "warning", code) for where, code in issues
    ]
    assert loaded.docnos == content.count("\n")


TOPICS = b"<top>\n<num> Number: 301\n<title> bridges\n</top>\n"


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (TOPICS, "topics (tagged, <top>)"),
        (b"1\tbridges of examples\n2\tferries\n", "lines of a number, a tab and a text"),
        (b"1 Q0 a 1 3.0 r\n1 Q0 b 2 2.5 r\n", "a ranked run"),
        (b"qid,docno,rank\n1,a,1\n2,b,1\n", "a ranked run (columns with the header qid, docno, rank)"),
        (b'{"qid": "1", "query": "a"}\n{"qid": "2", "query": "b"}\n', "topics (JSON)"),
        (gzip.compress(TOPICS, mtime=0), "topics (tagged, <top>)"),
    ],
)
def test_a_file_of_another_kind_is_no_list(campaign: Campaign, organiser: User, content: bytes, what: str) -> None:
    with pytest.raises(BadFile) as refused:
        load_docnos(actor=organiser, campaign=campaign, stream=uncompressed(io.BytesIO(content)), name="docnos.txt")
    (issue,) = refused.value.issues
    assert issue.code == "other-file"
    assert what in issue.message and "not a list of docnos" in issue.message
    assert unknown_docnos(campaign) is None


@pytest.mark.parametrize("content", [b"docno,len\nD1,3\nD2,4\n", b'"id";"n"\n"D1";3\n', b"len|DocNo\n3|D1\n"])
def test_a_table_whose_first_line_names_docnos_is_no_list(
    campaign: Campaign, organiser: User, content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(BadFile) as refused:
        load(campaign, organiser, content)
    (issue,) = refused.value.issues
    assert issue.code == "other-file" and issue.message.startswith("This is a table with the columns ")
    assert unknown_docnos(campaign) is None
    for name, told in (("docnos", content), ("topics", b"1\tbees\n"), ("run", b"1 Q0 D1 1 2 r\n"), ("empty", b"")):
        (tmp_path / name).write_bytes(told)
    check = ["check", "adhoc", "--topics", str(tmp_path / "topics"), str(tmp_path / "run"), "--docnos"]
    for name, message in (("docnos", issue.message), ("empty", "The file is empty.")):
        assert tracks([*check, str(tmp_path / name)]) == 1
        shown = capsys.readouterr()
        assert (shown.out, message in shown.err) == ("", True)


def test_a_list_is_replaced_by_its_name_and_others_stay(campaign: Campaign, organiser: User) -> None:
    load(campaign, organiser, b"D1\nD2\n")
    load(campaign, organiser, b"E1\n", list_name="second half")
    loaded = load(campaign, organiser, b"D2\nD3\n")
    assert (loaded.read, loaded.docnos, loaded.replaced) == (2, 2, 2)
    assert loaded.sentence() == "2 docnos read; the list docnos.txt has 2, in place of 2."
    assert valid(campaign) == ["D2", "D3", "E1"]
    assert list(campaign.docno_lists.values_list("name", "docnos", "in_place")) == [
        ("docnos.txt", 2, True),
        ("second half", 1, True),
    ]
    assert ValidDocno.objects.count() == 3


def test_while_a_list_is_replaced_runs_are_checked_against_one_or_the_other(
    campaign: Campaign, organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BATCH", 1)
    seen: list[set[str] | None] = []

    def look(progress: JobProgress) -> None:
        unknown = unknown_docnos(campaign)
        seen.append(unknown(["D1", "D2", "D3"]) if unknown is not None else None)

    load(campaign, organiser, b"D1\nD2\n", progress=look)
    assert seen == [None, None]  # a list that is not whole checks nothing
    load(campaign, organiser, b"D2\nD3\n", progress=look)
    assert seen[2:] == [{"D3"}, {"D3"}]
    assert valid(campaign) == ["D2", "D3"]


def test_a_load_that_is_killed_leaves_nothing_that_counts_and_is_done_anew(
    campaign: Campaign, organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    load(campaign, organiser, b"D1\n")
    monkeypatch.setattr(module, "BATCH", 1)
    with monkeypatch.context() as patch:
        patch.setattr(module, "_drop", lambda lists: None)  # as where the process is gone

        def killed(progress: JobProgress) -> None:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            load(campaign, organiser, b"D2\nD3\n", progress=killed)
    assert (valid(campaign), ValidDocno.objects.count()) == (["D1"], 2)
    load(campaign, organiser, b"D2\nD3\n")
    assert (valid(campaign), ValidDocno.objects.count(), campaign.docno_lists.count()) == (["D2", "D3"], 2, 1)


def test_a_list_among_others_is_taken_out_by_name(campaign: Campaign, organiser: User) -> None:
    load(campaign, organiser, b"D1\n")
    load(campaign, organiser, b"E1\n", list_name="more")
    with pytest.raises(Invalid, match=r"There is no list less\. There are: docnos\.txt, more\."):
        empty_docnos(actor=organiser, campaign=campaign, list_name="less")
    assert empty_docnos(actor=organiser, campaign=campaign, list_name="more") == 1
    assert valid(campaign) == ["D1"]
    factories.run(campaign, "Late1", organiser)
    with pytest.raises(Conflict, match="1 accepted run was checked"):
        empty_docnos(actor=organiser, campaign=campaign, list_name="docnos.txt")


def test_a_list_is_emptied_while_no_accepted_run_was_checked_against_it(campaign: Campaign, organiser: User) -> None:
    factories.run(campaign, "Early1", organiser)
    load(campaign, organiser, b"D1\nD2\n")
    assert empty_docnos(actor=organiser, campaign=campaign) == 2
    assert unknown_docnos(campaign) is None
    load(campaign, organiser, b"D1\n")
    factories.run(campaign, "Late1", organiser)
    with pytest.raises(Conflict, match="1 accepted run was checked against the list"):
        empty_docnos(actor=organiser, campaign=campaign)


def test_the_page_offers_to_empty_a_list_while_it_can_be(campaign: Campaign, organiser: User, client: Client) -> None:
    client.force_login(organiser)
    page, button = reverse("documents", args=[campaign.slug]), "Take out docnos.txt"
    assert button not in page_of(client.get(page))
    load(campaign, organiser, b"D1\nD2\n")
    assert button in page_of(client.get(page))
    answer = client.post(reverse("docnos-empty", args=[campaign.slug]), {"name": "docnos.txt\0"}, follow=True)
    assert "2 docnos were taken out. Docnos of runs are not checked." in page_of(answer)
    load(campaign, organiser, b"D1\n")
    factories.run(campaign, "Late1", organiser)
    found = page_of(client.get(page))
    assert button not in found and "1 accepted run was checked against the list" in found


def test_accepted_runs_that_a_late_list_would_refuse_are_named(organiser: User, retrieval: Campaign) -> None:  # noqa: F811
    content = b"1 Q0 DA 1 9.5 early\n1 Q0 DX 2 9 early\n2 Q0 DX 1 9.5 early\n"
    form = RunForm(tag="early", team="Cape")
    submit_run(actor=organiser, campaign=retrieval, form=form, file=io.BytesIO(content), file_name="r.txt")
    load(retrieval, organiser, b"DX\n")
    load(retrieval, organiser, b"DA\nDB\n")
    (issue,) = (each for each in runs_refused_now(retrieval) if each.where == "early")
    assert (issue.where, issue.severity, issue.code) == ("early", "warning", "refused-now")
    assert issue.message.startswith("early would be refused now: 2 of its documents are not valid. The first: ")


def test_unknown_docnos_are_those_not_on_the_list(campaign: Campaign, organiser: User) -> None:
    assert unknown_docnos(campaign) is None
    load(campaign, organiser, b"".join(b"D%d\n" % number for number in range(12_000)))
    unknown = unknown_docnos(campaign)
    assert unknown is not None
    assert unknown([f"D{number}" for number in range(11_000, 13_000)]) == {f"D{n}" for n in range(12_000, 13_000)}
    assert unknown([]) == set()


def test_another_campaign_has_a_list_of_its_own(campaign: Campaign, organiser: User) -> None:
    other = Campaign.objects.create(slug="other", title="Other", track="tac2008-qa")
    load(campaign, organiser, b"D1\n")
    assert unknown_docnos(other) is None
    load(other, organiser, b"D2\n")
    unknown = unknown_docnos(other)
    assert unknown is not None
    assert unknown(["D1", "D2"]) == {"D1"}


def test_a_load_can_be_stopped_and_started_again(
    campaign: Campaign, organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BATCH", 2)
    seen: list[JobProgress] = []
    stopped = load(campaign, organiser, b"D1\nD2\nD3\nD4\nD5\n", progress=seen.append, should_stop=lambda: True)
    assert (stopped.read, stopped.docnos, stopped.stopped) == (0, 0, True)
    assert (seen, valid(campaign)) == ([JobProgress(done=2, unit="docnos")], [])
    assert not ValidDocno.objects.exists()
    done = load(campaign, organiser, b"D1\nD2\nD3\nD4\nD5\n")
    assert (done.read, done.docnos, done.stopped) == (5, 5, False)


def test_a_long_name_of_a_list_is_whole_in_its_title(campaign: Campaign, organiser: User, client: Client) -> None:
    client.force_login(organiser)
    name = f"{'docnos-' * 20}.txt"
    load_docnos(actor=organiser, campaign=campaign, stream=io.BytesIO(b"D1\n"), name=name)
    job = Job.objects.create(
        campaign=campaign, kind="docnos", state="done", message=f"{name}: read", started_by=organiser
    )
    page = page_of(client.get(reverse("documents", args=[campaign.slug])))
    assert f'<span class="clipped" title="{name}">{name}</span>' in page
    assert f'<span class="clipped" title="{job.message}">{job.message}</span>' in page
    assert "1 docno" in page and "1 docnos" not in page
