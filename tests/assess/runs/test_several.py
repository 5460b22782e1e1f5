"""Several runs in one form, as files or in a zip: all are taken in, or none."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from assess.models import Campaign, Run
from tests.assess.runs.submitted import GOOD

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
    inside = {f"runs/{name}": content for name, content in files.items()} | {"__MACOSX/._one.txt": b"x", "runs/": b""}
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
        (zipped({"one.txt": bytes(68 << 20)}), "would unpack to"),
        (zipped({f"{each}.txt": run_of(1) for each in range(200)}), "200 files"),
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
    content: bytes, why: str, client: Client, setup: Campaign, participant: User, tmp_path: Path
) -> None:
    client.force_login(participant)
    before = (setup.runs.count(), kept(tmp_path))
    answer = client.post(PAGE, {**FORM, "file": SimpleUploadedFile("runs.zip", content)})
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
    assert "Choose one run file" in answer.text, answer.text[answer.text.index("<main") :][:6000]
