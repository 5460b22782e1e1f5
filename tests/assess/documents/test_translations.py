"""Translations of documents: loaded whole or not at all, read beside the original, and nowhere in its place."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.base.errors import BadFile, Conflict, Invalid
from assess.documents.domain.taking_out import take_out_documents
from assess.documents.domain.translations import load_translations, take_out_translations
from assess.jobs.background import do_job
from assess.models import Activity, Campaign, Job
from tests import factories
from tests.assess.commands import run_command
from tests.pages import page_of

pytestmark = pytest.mark.django_db

ARABIC = "قال الوزير إن الاقتصاد الوطني نما. ثم صمت."
ENGLISH = "The minister said that the economy grew. Then he was silent."


@pytest.fixture
def stored(campaign: Campaign) -> Campaign:
    for docno in ("AR/1", "AR-2"):
        factories.document(campaign, docno, ARABIC)
    return campaign


def load(campaign: Campaign, actor: User, path: Path, content: bytes, **more: str) -> str:
    path = path / "file.jsonl"
    path.write_bytes(content)
    return load_translations(actor=actor, campaign=campaign, path=path, name="file.jsonl", **more).sentence()


def lines(*records: dict[str, Any]) -> bytes:
    return "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in records).encode()


def kept(campaign: Campaign) -> list[tuple[str, str, str, str]]:
    return list(campaign.translations.values_list("docno", "language", "tool", "text"))


@pytest.mark.parametrize(
    "content",
    [
        lines({"docno": "AR/1", "text": ENGLISH}, {"docno": "X", "text": "Not stored."}),
        f"docno\ttext\nAR/1\t{ENGLISH}\nX\tNot stored.\n".encode(),
        f'docno,text\nAR/1,"{ENGLISH}"\nX,Not stored.\n'.encode(),
        gzip.compress(lines({"docno": "AR/1", "text": ENGLISH}, {"docno": "X", "text": "Not stored."})),
    ],
    ids=["json-lines", "tsv", "csv", "packed"],
)
def test_a_file_of_records_is_loaded_for_documents_that_are_stored(
    stored: Campaign, organiser: User, tmp_path: Path, content: bytes
) -> None:
    said = load(stored, organiser, tmp_path, content, language="en", tool="NLLB-200")
    assert said == (
        "1 translation stored, 0 replaced, 0 as before, 1 passed over, since their documents are not stored: "
        "load these first."
    )
    assert kept(stored) == [("AR/1", "en", "NLLB-200", ENGLISH)]
    row = Activity.objects.get(action="translations.load")
    assert row.data == {"file": "file.jsonl", "translations": 1, "replaced": 0}


def test_what_a_record_says_counts_first_and_another_text_takes_its_place(
    stored: Campaign, organiser: User, tmp_path: Path
) -> None:
    both = lines(
        {"docno": "AR/1", "language": "PT-br", "tool": "a person", "text": "O ministro"},
        {"docno": "AR/1", "text": ENGLISH},
    )
    load(stored, organiser, tmp_path, both, language="en")
    assert [row[:3] for row in kept(stored)] == [("AR/1", "en", ""), ("AR/1", "pt-BR", "a person")]
    again = load(stored, organiser, tmp_path, both.replace(b"grew", b"rose"), language="en")
    assert again == "0 translations stored, 1 replaced, 1 as before."
    assert kept(stored)[0][3] == ENGLISH.replace("grew", "rose")
    assert take_out_translations(actor=organiser, campaign=stored, language="EN") == 1
    assert [row[1] for row in kept(stored)] == ["pt-BR"]
    with pytest.raises(Invalid, match="There is no translation into “en”"):
        take_out_translations(actor=organiser, campaign=stored, language="en")


@pytest.mark.parametrize(
    ("content", "where", "message"),
    [
        (lines({"docno": "AR/1", "text": "x"}), 1, "Nothing says in which language the text is"),
        (lines({"docno": "AR/1", "language": "in English", "text": "x"}), 1, "“in English” is no language"),
        (lines({"docno": "AR/1", "language": "en", "text": " \n"}), 1, "The text is empty"),
        (lines(*[{"docno": "AR/1", "language": each, "text": "x"} for each in ("en", "EN")]), 2, "There is a tra"),
        (lines({"docno": "AR/1", "language": "en", "tool": "t" * 201, "text": "x"}), 1, "“tool” has more than 200"),
        (lines({"docno": "AR/1", "language": "en", "text": "x"}) + b"[1]\n", 2, "must be an object"),
        (lines({"docno": "AR/1", "language": "en", "text": "a\0b"}), 1, "NUL"),
        (b"", "", "empty"),
        (b"%PDF-1.4\n", "", ""),
    ],
)
def test_a_file_with_one_record_that_is_wrong_is_refused_whole(
    stored: Campaign, organiser: User, tmp_path: Path, content: bytes, where: int | str, message: str
) -> None:
    good = lines({"docno": "AR-2", "language": "en", "text": ENGLISH}) if where == 2 else b""
    with pytest.raises(BadFile) as refused:
        load(stored, organiser, tmp_path, content + good)
    assert refused.value.issues[0].where == where
    assert message in refused.value.issues[0].message
    assert not kept(stored)
    assert not Activity.objects.filter(action="translations.load").exists()


def test_page_api_and_command_load_and_take_out_alike(
    stored: Campaign, organiser: User, client: Client, tmp_path: Path
) -> None:
    client.force_login(organiser)
    content = lines({"docno": "AR/1", "text": ENGLISH})
    page, api = reverse("translations-load", args=[stored.slug]), reverse("api-translations", args=[stored.slug])

    def sent() -> dict[str, Any]:
        return {"file": io.BytesIO(content), "language": "en", "tool": "NLLB"}

    assert client.post(page, {"language": "en"}).status_code == 422
    assert client.post(page, sent()).status_code == 302
    assert client.post(api, sent()).status_code == 409  # one is under way
    do_job(Job.objects.get().pk)
    assert Job.objects.get().message.startswith("1 translation stored, 0 replaced, 0 as before")
    assert client.post(api, sent()).status_code == 201
    do_job(Job.objects.order_by("pk").last().pk)  # type: ignore[union-attr]
    shown = client.get(api, {"language": "en"}).json()["results"]
    assert [(each["docno"], each["language"], each["tool"], len(each["sha256"])) for each in shown] == [
        ("AR/1", "en", "NLLB", 64)
    ]
    assert "English: 1" in " ".join(page_of(client.get(reverse("documents", args=[stored.slug]))).split())
    assert client.delete(f"{api}?language=xx").status_code == 422
    assert client.delete(f"{api}?language=en").status_code == 204
    (tmp_path / "f.jsonl").write_bytes(content)
    code, said, _ = run_command("load_translations", stored.slug, tmp_path / "f.jsonl", "--language", "en")
    assert (code, said.strip()) == (0, "1 translation stored, 0 replaced, 0 as before.")
    code, said, _ = run_command("load_translations", stored.slug, "--take-out", "--language", "en")
    assert (code, said.strip()) == (0, "1 translation taken out.")
    Campaign.objects.update(state=Campaign.State.FROZEN)
    assert client.post(api, sent()).status_code == 409
    with pytest.raises(Conflict):
        load(Campaign.objects.get(), organiser, tmp_path, content, language="en")


def test_it_stands_beside_the_original_said_to_be_one_with_what_is_judged_marked(
    stored: Campaign, organiser: User, client: Client, tmp_path: Path
) -> None:
    load(stored, organiser, tmp_path, lines({"docno": "AR/1", "text": ENGLISH}), language="en", tool="<b>NLLB")
    client.force_login(organiser)
    for view in ("text", "page"):
        address = reverse("document", args=[stored.slug, "AR/1"])
        answer = client.get(address, {"view": view, "q": "economy"})
        words = " ".join(answer.content.decode().split())
        assert 'lang="en"' in words
        assert "translation into English by <bdi>&lt;b&gt;NLLB</bdi>" in words
        assert '<mark class="term">economy</mark>' in words
        assert words.count("data-text-sha256") == (view == "text")  # evidence is of the original alone
    assert "data-translation" not in client.get(reverse("document", args=[stored.slug, "AR-2"])).content.decode()
    client.force_login(factories.user("stranger"))
    assert client.get(reverse("document", args=[stored.slug, "AR/1"])).status_code == 404


def test_it_goes_with_its_document(stored: Campaign, organiser: User, tmp_path: Path) -> None:
    load(stored, organiser, tmp_path, lines({"docno": "AR/1", "language": "en", "text": ENGLISH}))
    take_out_documents(actor=organiser, campaign=stored, source="made by a factory")
    assert not kept(stored)
