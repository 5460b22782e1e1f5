"""Documents from files of records on page, by API and by command: looked at first, loaded after a yes, all or none."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from assess.jobs.background import do_job
from assess.models import Campaign, DocumentBody, Job
from tests import factories
from tests.design_text import DESIGN
from tests.pages import page_of
from tracks.__main__ import main

pytestmark = pytest.mark.django_db

RECORDS = [
    {"id": "R1", "contents": "<script>alert(1)</script>Words of one.", "headline": "One & all"},
    {"id": "R2", "contents": "二つ目の文書", "headline": ""},
    {"id": "R3", "contents": "Words of three.", "headline": ""},
    {"id": "R4", "contents": "Words of four.", "headline": ""},
]
GOOD = "".join(json.dumps(each) + "\n" for each in RECORDS).encode()
BAD = GOOD + b'{"id": "R5"}\n'


def upload(content: bytes = GOOD, name: str = "records.jsonl") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


@pytest.fixture
def desk(client: Client, organiser: User, campaign: Campaign) -> Client:
    client.force_login(organiser)
    return client


def address(campaign: Campaign) -> str:
    return reverse("documents-records", args=[campaign.slug])


def look(desk: Client, campaign: Campaign, content: bytes = GOOD, **values: Any) -> Any:
    sent = {"file": upload(content), "wanted": "all", "act": "look", **values}
    return desk.post(address(campaign), sent)


def again(shown: Any, **values: Any) -> dict[str, Any]:
    """What the page's own form would send."""
    form = shown.context["form"]
    return {name: form[name].value() or "" for name in form.fields} | values


def test_the_first_three_documents_are_shown_and_nothing_is_stored_before_a_yes(
    desk: Client, campaign: Campaign
) -> None:
    shown = look(desk, campaign)
    page = shown.content.decode()
    assert [each.docno for each in shown.context["look"].documents] == ["R1", "R2", "R3"]
    assert "preset <strong>pyserini</strong>" in " ".join(page.split())
    assert "&lt;script&gt;alert(1)&lt;/script&gt;Words of one." in page
    assert (campaign.documents.count(), Job.objects.count()) == (0, 0)

    loaded = desk.post(address(campaign), again(shown, act="load", title="headline"))
    assert (loaded.status_code, loaded["Location"]) == (302, reverse("documents", args=[campaign.slug]))
    job = Job.objects.get()
    do_job(job.pk)
    job.refresh_from_db()
    assert (job.state, job.message) == ("done", "4 documents stored, 0 stored before.")
    assert dict(campaign.documents.values_list("docno", "title")) == {"R1": "One & all", "R2": "", "R3": "", "R4": ""}
    assert DocumentBody.objects.get(document__docno="R2").text.strip() == "二つ目の文書"


def test_a_preset_or_other_names_are_tried_on_the_same_file(desk: Client, campaign: Campaign) -> None:
    shown = look(desk, campaign)
    other = desk.post(address(campaign), again(shown, act="look", text="headline, contents"))
    assert other.context["look"].documents[0].text.startswith("One & all")
    chosen = desk.post(address(campaign), again(other, act="look", preset="pyserini"))
    assert chosen.context["look"].documents[0].title == "One & all"
    preset = desk.post(address(campaign), again(other, act="look", preset="ragtime"))
    assert preset.context["look"].documents == ()
    assert {issue.code for issue in preset.context["look"].issues} == {"missing"}
    assert 'records.jsonl:1:</span> <span class="breakable">R1 has no “text”.' in page_of(preset)


def test_what_is_wrong_is_shown_with_file_and_line_and_no_button_that_loads(desk: Client, campaign: Campaign) -> None:
    broken = upload(b"id,contents\n1,a\n2,b\n3,c,d\n4,e,f\n5,g,h\n", name="brokencsv.csv")
    page = page_of(look(desk, campaign, file=broken))
    for line in (4, 5, 6):
        assert f"brokencsv.csv:{line}:" in page
    assert "Load the documents" not in page
    assert '<button name="act" value="look" class="primary">Look again</button>' in page
    buffer = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist([{"foo": "1", "bar": "2", "baz": "3"}]), buffer)
    page = page_of(look(desk, campaign, file=upload(buffer.getvalue(), name="foo.parquet")))
    assert "which member holds the text." in page and "which member holds the docno." in page
    assert "Load the documents" not in page
    assert "Load the documents" in page_of(look(desk, campaign))


def test_one_bad_record_anywhere_keeps_the_whole_file_out(desk: Client, campaign: Campaign) -> None:
    shown = look(desk, campaign, BAD)
    desk.post(address(campaign), again(shown, act="load"))
    job = Job.objects.get()
    do_job(job.pk)
    job.refresh_from_db()
    assert job.state == "failed"
    assert job.message.startswith("records.jsonl has 1 error, so nothing of it was stored.")
    assert [(issue["where"], issue["code"]) for issue in job.issues] == [("records.jsonl:5", "missing")]
    assert campaign.documents.count() == 0


def test_members_that_become_further_fields_are_named(
    desk: Client, campaign: Campaign, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = {"docid": "7", "headline": "News", "body": "Words", "url": "u", "date": "2024-05-01", "extra": "e"}
    content = json.dumps(record).encode()
    shown = look(desk, campaign, content)
    page = " ".join(shown.content.decode().split())
    first = shown.context["look"].documents[0]
    assert (first.docno, first.title, first.date, first.text.strip()) == ("7", "News", "2024-05-01", "Words")
    assert "Kept as further fields:</strong> <code>extra</code>." in page and "preset <strong>" not in page
    looked = desk.post(f"/api/v1/campaigns/{campaign.slug}/document-records/look/", {"file": upload(content)}).json()
    assert (looked["preset"], looked["further"]) == ("", ["extra"])
    file = tmp_path / "a.jsonl"
    file.write_bytes(content)
    call_command("load_documents", campaign.slug, file, "--look")
    assert capsys.readouterr().err == "Kept as further fields: extra\n"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"%PDF-1.4 \0\0", "This is a PDF file, which is not read here"),
        (b"[1]\n", "The first record is not one JSON object"),
        (b"{\n", "JSON object"),
        (gzip.compress(GOOD, mtime=0)[:-9], "it is cut off after"),
    ],
)
def test_other_files_are_refused_in_words(desk: Client, campaign: Campaign, content: bytes, said: str) -> None:
    refused = look(desk, campaign, content)
    assert refused.status_code == 422
    assert said in refused.content.decode()


def test_a_file_is_needed_and_a_token_opens_no_other_campaign(
    desk: Client, campaign: Campaign, organiser: User
) -> None:
    empty = desk.post(address(campaign), {"wanted": "all", "act": "look"})
    assert (empty.status_code, "Choose a file." in empty.content.decode()) == (422, True)
    shown = look(desk, campaign)
    other = factories.campaign(organiser=organiser, slug="other")
    for values in (again(shown, act="load"), again(shown, act="load", token="made-up")):
        refused = desk.post(address(other), values)
        assert refused.status_code == 422
        assert "Choose it again." in refused.content.decode()
    assert Job.objects.count() == 0


def test_the_api_shows_and_loads_by_the_same_words(desk: Client, campaign: Campaign) -> None:
    base = f"/api/v1/campaigns/{campaign.slug}/document-records/"
    looked = desk.post(f"{base}look/", {"file": upload(), "title": "headline"}).json()
    assert looked["members"] == {
        "form": "json-lines",
        "id": "id",
        "text": ["contents"],
        "title": "headline",
        "url": "",
        "date": "",
        "media_type": "text/plain",
        "listed": "",
        "header": "",
    }
    assert (looked["names"], looked["issues"]) == (["id", "contents", "headline"], [])
    assert [(each["docno"], each["title"]) for each in looked["documents"]] == [
        ("R1", "One & all"),
        ("R2", ""),
        ("R3", ""),
    ]
    made = desk.post(base, {"file": upload(), "title": "headline", "wanted": "all"})
    assert made.status_code == 201
    do_job(Job.objects.get().pk)
    assert campaign.documents.count() == 4
    refused = desk.post(base, {"file": upload(), "preset": "unknown"})
    assert (refused.status_code, "msmarco-v2.1-segments" in refused.json()["detail"]) == (422, True)


def test_the_command_shows_and_loads_by_the_same_words(
    campaign: Campaign, organiser: User, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    good.write_bytes(GOOD)
    bad.write_bytes(BAD)
    call_command("load_documents", campaign.slug, good, "--look", "--title", "headline")
    printed = capsys.readouterr().out.splitlines()
    assert json.loads(printed[0])["text"] == ["contents"]
    assert printed[1] == "R1\tOne & all\t\t\t<script>alert(1)</script>Words of one."
    assert campaign.documents.count() == 0
    with pytest.raises(CommandError, match="so nothing of it was stored"):
        call_command("load_documents", campaign.slug, bad, "--all", "--records")
    assert campaign.documents.count() == 0
    call_command("load_documents", campaign.slug, good, "--all", "--preset", "pyserini", stdout=io.StringIO())
    assert campaign.documents.count() == 4


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("mine.jsonl", '{"docno": "A", "title": "Bees", "text": "Bees live in A."}\n'),
        ("mine.csv", "doc_id,title,contents\nA,Bees,Bees live in A.\n"),
    ],
)
def test_records_are_documents_of_a_folder(
    name: str, text: str, organiser: User, settings: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.DATA_DIR = tmp_path / "data"
    folder = tmp_path / "folder"
    for part in ("documents", "runs"):
        (folder / part).mkdir(parents=True)
    (folder / "topics.txt").write_text("1\tbees\n")
    (folder / "runs" / "maple").write_text("1 Q0 A 1 9.5 maple\n")
    (folder / "documents" / name).write_text(text)
    (tmp_path / "mine.toml").write_text(DESIGN)
    assert main(["design", "check", str(tmp_path / "mine.toml"), "--data", str(folder)]) == 0, capsys.readouterr()
    call_command("load_campaign", str(folder), track=str(tmp_path / "mine.toml"), slug="own", organiser="organiser")
    document = Campaign.objects.get(slug="own").documents.get()
    assert (document.docno, document.title) == ("A", "Bees")


def test_the_command_takes_a_folder_of_records(campaign: Campaign, organiser: User, tmp_path: Path) -> None:
    folder = tmp_path / "records"
    for number in (1, 2):
        (folder / "parts").mkdir(parents=True, exist_ok=True)
        (folder / "parts" / f"{number}.jsonl").write_text(json.dumps({"docid": f"d{number}", "text": "Words."}) + "\n")
    call_command("load_documents", campaign.slug, folder, "--all", "--records", stdout=io.StringIO())
    assert sorted(campaign.documents.values_list("docno", flat=True)) == ["d1", "d2"]
    (tmp_path / "none").mkdir()
    with pytest.raises(CommandError, match="There is no file in "):
        call_command("load_documents", campaign.slug, tmp_path / "none", "--records")
