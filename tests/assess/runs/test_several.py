"""Several runs in one form, as files or in a zip: all are taken in, or none."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db import transaction
from django.test import Client

from assess.models import Campaign, Run
from assess.runs.domain import several
from tests.assess.runs.submitted import GOOD
from tests.assess.worker import run_worker

pytestmark = pytest.mark.django_db
PAGE = "/c/opinions/runs/new/"
FORM = {"team": "Harbor", "priority": "1", "automatic": "yes", "field-documents": "collection"}


def zipped(files: dict[str, bytes]) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return held.getvalue()


def run_of(place: int) -> bytes:
    return GOOD.format(tag=f"Harbor{place}").encode()


def encrypted() -> bytes:
    raw = bytearray(zipped({"a.txt": run_of(1)}))
    for start, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        raw[raw.index(start) + flags] |= 1
    return bytes(raw)


def of_a_bad_block() -> bytes:
    """Return a zip whose first packed block is of no known kind."""
    raw = bytearray(zipped({"a.txt": run_of(1) * 50}))
    raw[30 + len("a.txt")] |= 0x07
    return bytes(raw)


def named(name: str) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        info = zipfile.ZipInfo("xyzzy.txt")
        info.filename = name
        archive.writestr(info, run_of(1))
    return held.getvalue()


def of_a_far_directory() -> bytes:
    """Return a zip whose directory says that it begins behind the file's end."""
    raw = bytearray(zipped({"a.txt": run_of(1)}))
    end = raw.index(b"PK\x05\x06")
    raw[end + 16 : end + 20] = (len(raw) + 500).to_bytes(4, "little")
    return bytes(raw)


def kept(folder: Path) -> int:
    """How many files the site keeps."""
    return sum(1 for path in folder.rglob("*") if path.is_file() and len(path.name) == 64)


@pytest.mark.parametrize("is_zipped", [False, True])
def test_each_file_becomes_a_run_with_the_next_priority(
    is_zipped: bool, client: Client, setup: Campaign, participant: User
) -> None:
    files = {"one.txt": run_of(1), "two.txt": run_of(2)}
    inside = {f"runs/{name}": content for name, content in files.items()} | {
        "__MACOSX/._one.txt": b"x", "runs/": b"", "runs/Thumbs.db": b"x", "runs\\desktop.ini": b"x",
    }  # fmt: skip
    sent = {"folder.zip": zipped(inside)} if is_zipped else files
    client.force_login(participant)
    uploads = [SimpleUploadedFile(name, content) for name, content in sent.items()]
    before = setup.runs.count()
    answer = client.post(PAGE, {**FORM, "file": uploads})
    assert answer.status_code == 302
    runs = list(setup.runs.order_by("id"))[before:]
    assert [(run.tag, run.priority, run.file_name, run.state) for run in runs] == [
        ("Harbor1", 1, "one.txt", Run.State.CHECKING),
        ("Harbor2", 2, "two.txt", Run.State.CHECKING),
    ]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (zipped({"../one.txt": run_of(1)}), "leads out of it"),
        (zipped({"/etc/one.txt": run_of(1)}), "leads out of it"),
        (zipped({"C:\\one.txt": run_of(1)}), "leads out of it"),
        (zipped({f"{'n' * 300}.txt": run_of(1)}), "too long"),
        (zipped({"one.zip": zipped({"one.txt": run_of(1)})}), "is a zip again"),
        (partial(zipped, {"one.txt": bytes(68 << 20)}), "would unpack to"),
        (zipped({f"{each}.txt": run_of(1) for each in range(200)}), "more than 100 files"),
        (zipped({f"{each}.txt": run_of(each) for each in range(11)}), "at most 10"),
        (zipped({"a/one.txt": run_of(1), "b/one.txt": run_of(2)}), "Two files are called"),
        (zipped({}), "it holds no file"),
        (zipped({"one.txt": run_of(1)})[:-30], "cut off or damaged"),
        (encrypted(), "is encrypted"),
        (of_a_bad_block(), "cut off or damaged"),
        (named("."), "it holds no"),
        (named("./"), "it holds no"),
        (named(""), "it holds no"),
        (zipped({"xyzzy.txt": run_of(1)}).replace(b"xyzzy.txt", b"\0yzzy.txt"), "it holds no"),
        (of_a_far_directory(), "cut off or damaged"),
    ],
)
def test_a_hostile_zip_is_refused_and_nothing_of_it_stays(
    content: bytes | Callable[[], bytes], why: str, client: Client, setup: Campaign, participant: User, tmp_path: Path
) -> None:
    client.force_login(participant)
    before = (setup.runs.count(), kept(tmp_path))
    sent = SimpleUploadedFile("runs.zip", content if isinstance(content, bytes) else content())
    answer = client.post(PAGE, {**FORM, "file": sent})
    assert answer.status_code == 422
    assert why in answer.text
    assert (setup.runs.count(), kept(tmp_path)) == before


def test_one_that_is_refused_takes_the_others_back(
    client: Client, setup: Campaign, participant: User, tmp_path: Path
) -> None:
    client.force_login(participant)
    before = (setup.runs.count(), kept(tmp_path))
    files = [SimpleUploadedFile(f"{each}.txt", run_of(each)) for each in range(1, 9)]
    answer = client.post(PAGE, {**FORM, "file": files})  # more priorities than there are
    assert answer.status_code == 422
    assert "None of the files was taken in." in answer.text
    assert (setup.runs.count(), kept(tmp_path)) == before


def test_only_one_file_is_checked_alone(client: Client, setup: Campaign, participant: User) -> None:
    client.force_login(participant)
    files = [SimpleUploadedFile(f"{each}.txt", run_of(each)) for each in (1, 2)]
    answer = client.post(PAGE, {**FORM, "check": "yes", "file": files})
    wanted = "Several runs, or a zip, can only be submitted. To check without submitting"
    assert wanted in answer.text
    assert "“Check only” takes one run at a time." in answer.text, "the field said so before"
    both = SimpleUploadedFile("both.zip", zipped({"1.txt": run_of(1), "2.txt": run_of(2)}))
    answer = client.post(PAGE, {**FORM, "check": "yes", "file": both})
    said = answer.text[answer.text.index("<main") :]
    assert "This is an archive (zip), not a run of answers. Unpack it first" in said


def by_page(client: Client, *, replace: bool, **files: bytes) -> tuple[int, str]:
    uploads = [SimpleUploadedFile(f"{name}.txt", content) for name, content in files.items()]
    answer = client.post(PAGE, {**FORM, "file": uploads, **({"replace": "each"} if replace else {})})
    return answer.status_code, answer.text


def by_api(client: Client, *, replace: bool, **files: bytes) -> tuple[int, str]:
    uploads = [SimpleUploadedFile(f"{name}.txt", content) for name, content in files.items()]
    form = {"team": "Harbor", "priority": "1", "fields.documents": "collection", "replace": str(replace).lower()}
    answer = client.post("/api/v1/campaigns/opinions/runs/several/", {**form, "file": uploads})
    return answer.status_code, answer.text


def by_command(folder: Path, *, replace: bool, **files: bytes) -> tuple[int, str]:
    for name, content in files.items():
        (folder / f"{name}.txt").write_bytes(content)
    paths = [str(folder / f"{name}.txt") for name in files]
    form = ["--as", "participant", "--team", "Harbor", "--priority", "1", "--field", "documents=collection"]
    out = io.StringIO()
    try:
        call_command("submit_run", "opinions", *paths, *form, *(["--replace"] if replace else []), stdout=out)
    except CommandError as error:
        return 1, str(error)
    return 0, out.getvalue()


def test_page_api_and_command_take_several_and_replace_where_it_is_said(
    client: Client, setup: Campaign, participant: User, tmp_path: Path
) -> None:
    client.force_login(participant)
    ways = {
        "page": partial(by_page, client),
        "api": partial(by_api, client),
        "command": partial(by_command, tmp_path),
    }
    for way, send in ways.items():
        point = transaction.savepoint()
        code, text = send(replace=False, one=run_of(1), two=run_of(2))
        assert (way, code) in {("page", 302), ("api", 202), ("command", 0)}, text
        run_worker()
        first = list(setup.runs.order_by("id").values_list("pk", "tag", "state"))[-2:]
        assert [(tag, state) for _, tag, state in first] == [("Harbor1", "accepted"), ("Harbor2", "accepted")]
        other = run_of(1).replace(b"blue", b"grey")
        assert other != run_of(1)
        code, text = send(replace=False, one=other, two=run_of(2))
        assert code in (409, 1) and "one.txt: Harbor has a run Harbor1 already" in text.replace("&#x27;", "'"), text
        assert way != "page" or 'name="replace" value="each"' in text
        code, text = send(replace=True, one=other, two=run_of(2))
        assert code in (302, 202, 0), text
        run_worker()
        assert setup.runs.get(pk=first[0][0]).state == "withdrawn", way
        assert setup.runs.get(tag="Harbor1", state="accepted").replaces_id == first[0][0]
        transaction.savepoint_rollback(point)


def test_a_zip_by_api_and_command_and_no_tag_for_all(
    client: Client, setup: Campaign, participant: User, tmp_path: Path
) -> None:
    client.force_login(participant)
    content = zipped({"one.txt": run_of(1), "two.txt": run_of(2)})
    (tmp_path / "folder.zip").write_bytes(content)
    form = ["--as", "participant", "--team", "Harbor", "--priority", "1", "--field", "documents=collection"]
    with pytest.raises(CommandError, match="Several runs can't have one tag"):
        call_command("submit_run", "opinions", str(tmp_path / "folder.zip"), "--tag", "Harbor1", *form)
    code, text = by_api(client, replace=False, folder=content)
    assert code == 202 and [each["tag"] for each in json.loads(text)] == ["Harbor1", "Harbor2"]


def test_a_full_disk_is_not_blamed_on_the_zip(
    client: Client, setup: Campaign, participant: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*arguments: object, **named: object) -> None:
        raise UnicodeError("of ours")

    monkeypatch.setattr(several, "store_file", fails)
    client.force_login(participant)
    upload = SimpleUploadedFile("folder.zip", zipped({"one.txt": run_of(1)}))
    with pytest.raises(UnicodeError, match="of ours"):
        client.post(PAGE, {**FORM, "file": upload})
