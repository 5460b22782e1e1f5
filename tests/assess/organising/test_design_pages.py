"""The editor of a design by plain requests: checked by a button, put into force, given as a file, a campaign made."""

from __future__ import annotations

import gzip
import re
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.template import Context, Template
from django.test import Client
from django.urls import reverse

from assess.campaigns.domain import create_campaign
from assess.models import Campaign, Item
from assess.organising.queries.overview import campaign_counts, next_steps
from tests import factories
from tests.design_text import DESIGN
from tests.pages import page_of
from tracks.designs.form_tables import FORMS

pytestmark = pytest.mark.django_db


@pytest.fixture
def made(organiser: User, settings: Any, tmp_path: Path, client: Client) -> Campaign:
    settings.DATA_DIR = tmp_path
    campaign = create_campaign(actor=organiser, slug="own", title="Own", design=DESIGN)
    client.force_login(organiser)
    return campaign


def test_the_button_checks_and_saves_without_scripts(made: Campaign, client: Client) -> None:
    address = reverse("design", args=["own"])
    assert "It says what the version in force says." in page_of(client.get(address))
    assert address in client.get(reverse("settings", args=["own"])).content.decode()
    answer = client.post(address, {"design": DESIGN.replace("depth", "dept"), "do": "save"})
    assert answer.status_code == 422
    page = page_of(answer)
    assert "<code>pool.dept</code> “dept” is no member of [pool]. Did you mean depth?" in page
    assert 'data-fault-line="10"' in page
    answer = client.post(address, {"design": DESIGN.replace("Is it", "Is this"), "do": "check"})
    assert "✓ No faults. 1 change." in page_of(answer)
    assert "Is this misleading?" in page_of(answer)
    assert Campaign.objects.get(pk=made.pk).design == made.design
    text = DESIGN.replace("Is it", "Is this").replace("\n", "\r\n")
    assert client.post(address, {"design": text, "do": "save"}).status_code == 302
    page = page_of(client.get(address))
    assert "Version 2 of the design is in force." in page and ">Version 2</a> (in force)" in page
    file = client.get(address, {"version": "2"})
    assert file.content.decode() == DESIGN.replace("Is it", "Is this")
    assert client.get(address, {"version": "3"}).status_code == 404
    answer = client.post(address, {"design": "x = 1", "do": "download"})
    assert (answer.content, answer["Content-Disposition"]) == (b"x = 1", 'attachment; filename="own.toml"')


def test_texts_are_in_the_language_that_the_design_gives(made: Campaign, client: Client) -> None:
    text = DESIGN.replace("\n[runs]", 'language = "de"\n\n[runs]', 1)
    assert client.post(reverse("design", args=["own"]), {"design": text, "do": "save"}).status_code == 302
    template = Template("{% load page_parts %}{% written 'Wein' %} {% written 'вино' %} {% written 'vin' 'fr' %}")
    page = template.render(Context({"campaign": Campaign.objects.get(pk=made.pk)}))
    assert page == 'dir="auto" lang="de" dir="auto" lang="ru" dir="auto" lang="fr"'


def test_the_desk_names_no_task_that_the_organiser_has_not_named(made: Campaign) -> None:
    counts = replace(campaign_counts(made), topics=1, unpooled=("ranking",))
    assert "The pool is not built." in [step.text for step in next_steps(made, counts)]


def test_a_script_gets_the_part_with_the_first_item_of_the_campaign(made: Campaign, client: Client) -> None:
    topic = factories.topic(made, "1", "bees", task="ranking")
    document = factories.document(made, "A", "Bees live in towns.")
    Item.objects.create(topic=topic, kind="document", key="A", docno="A", document=document)
    answer = client.post(
        reverse("design", args=["own"]), {"design": DESIGN, "do": "check"}, headers={"HX-Request": "1"}
    )
    page = answer.content.decode()
    assert page.lstrip().startswith('<div id="design-found"')
    assert "Bees live in towns." in page and "How readable is it?" in page
    assert 'name="value" value="2"' in page and "disabled" in page
    answer = client.post(
        reverse("design", args=["own"]), {"design": DESIGN, "sample": "Wasps."}, headers={"HX-Request": "1"}
    )
    assert "Wasps." in answer.content.decode() and "Bees" not in answer.content.decode()


def test_a_question_is_written_into_the_text_and_nothing_is_saved(made: Campaign, client: Client) -> None:
    address = reverse("design", args=["own"])
    given = {"design": f"{DESIGN}# kept\n", "do": "question", "ask": "Is it useful?", "ask_grades": "1 u yes\n0 z no"}
    answer = client.post(address, given)
    text = answer.context["form"]["design"].value()
    assert 'ask = "Is it useful?"' in text and text.endswith("# kept\n")
    assert "The question is-it-useful is new" in page_of(answer)
    assert Campaign.objects.get(pk=made.pk).design == made.design
    answer = client.post(address, {**given, "ask_grades": "yes"})
    assert (answer.status_code, "“yes” is no grade" in page_of(answer)) == (422, True)


def test_a_change_in_between_is_shown_and_not_overwritten(made: Campaign, client: Client) -> None:
    address = reverse("design", args=["own"])
    form = client.get(address).context["form"]
    given = {"made_from": form["made_from"].value(), "do": "save"}
    assert client.post(address, {**given, "design": DESIGN.replace("Is it", "Is this")}).status_code == 302
    answer = client.post(address, {**given, "design": DESIGN.replace("depth = 20", "depth = 9")})
    assert answer.status_code == 422
    assert "organiser changed this after you had opened it" in page_of(answer)


def test_a_campaign_is_made_from_one_of_the_gallery(client: Client, settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    client.force_login(User.objects.create_superuser("maker"))
    address = reverse("design-new")
    page = client.get(f"{address}?from=misleading-documents")
    text = page.context["form"]["design"].value()
    schema = text.splitlines()[0].removeprefix("#:schema ")  # an address, since a downloaded file lies alone
    assert Client().get(schema).json()["properties"]["stages"]["type"] == "array"
    assert "Is the document misleading?" in page_of(page) and "?from=binary-relevance" in page_of(page)
    given = {"design": text.replace("depth", "deph"), "title": "Mine", "slug": "mine", "do": "make"}
    answer = client.post(address, given)
    assert (answer.status_code, "“deph” is no member of [pool]" in page_of(answer)) == (422, True)
    answer = client.post(address, {**given, "design": text, "title": ""})
    assert "Give the campaign a title." in page_of(answer)
    file = SimpleUploadedFile("x.toml", text.encode())
    answer = client.post(address, {**given, "design": "", "file": file, "do": "check"})
    assert "✓ No faults." in page_of(answer) and text.splitlines()[0] in answer.content.decode()
    assert client.post(address, {**given, "design": ""}).status_code == 422
    assert client.post(address, {**given, "design": text}).status_code == 302
    assert Campaign.objects.get(slug="mine").track == "misleading-documents"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (DESIGN.encode("utf-16"), "x.toml is UTF-16, not UTF-8. Save it as UTF-8."),
        (gzip.compress(DESIGN.encode(), mtime=0), "x.toml is a file that is packed by gzip. Unpack it first."),
        (b'design = 1\nkey = "\xe9"\n', "x.toml is no text in UTF-8: line 2 has the byte 0xE9. Save it as UTF-8."),
        (
            DESIGN.replace("depth", "de\0pth").encode(),
            "x.toml has a NUL in line 10. Take it out; the file may be damaged.",
        ),
        (b"%PDF-1.4\n", "x.toml is a PDF file, and no text."),
    ],
)
def test_a_file_that_is_no_text_is_told_as_the_command_tells_it(
    client: Client, settings: Any, tmp_path: Path, content: bytes, words: str
) -> None:
    settings.DATA_DIR = tmp_path
    client.force_login(User.objects.create_superuser("maker"))
    given = {"title": "Mine", "slug": "mine", "do": "make", "file": SimpleUploadedFile("x.toml", content)}
    answer = client.post(reverse("design-new"), given)
    assert (answer.status_code, words in page_of(answer)) == (422, True)
    given = {"title": "Mine", "slug": "mine", "track": "own", "design": SimpleUploadedFile("x.toml", content)}
    assert words in page_of(client.post(reverse("campaign-new"), given))


def test_a_campaign_of_a_track_has_no_design(campaign: Campaign, organiser: User, client: Client) -> None:
    client.force_login(organiser)
    address = reverse("design", args=[campaign.slug])
    assert "has no design of its own" in page_of(client.get(address))
    assert client.post(address, {"design": DESIGN, "do": "save"}).status_code == 409
    assert address in client.get(reverse("settings", args=[campaign.slug])).content.decode()


def fields_of_page(answer: Any) -> dict[str, Any]:
    """What the forms beside the text would send."""
    given = {"design": answer.context["form"]["design"].value()}
    for part, _ in answer.context["parts"]:
        given[f"made:{part.key}"] = part.made_from
        given |= {f"part:{part.key}:{each.name}": each.value.split("\n") for each in part.fields}
        given |= {f"row:{row.key}:{each.name}": each.value for row in part.rows for each in row.fields}
    return given


def test_a_form_is_written_into_the_text_and_nothing_is_saved(made: Campaign, client: Client) -> None:
    address = reverse("design", args=["own"])
    given = fields_of_page(client.get(address))
    row = "row:stages.0.questions.0.grades.3"
    given |= {f"{row}:name": "utterly", f"{row}:press": "z", "part:pool:depth": "5"}
    answer = client.post(address, {**given, "do": "write stages.0.questions.0"})
    text = answer.context["form"]["design"].value()
    added = '  { value = 0, press = "o", name = "no", gain = 2 },\n'
    assert text == DESIGN.replace(added, added + '  { value = 3, press = "z", name = "utterly" },\n')
    assert "<kbd>z</kbd> utterly</button>" in page_of(answer)
    assert Campaign.objects.get(pk=made.pk).design == made.design
    answer = client.post(address, {**given, "design": text, "do": "write stages.0.questions.0"})
    assert "was changed after the form was made" in page_of(answer)
    script = client.post(
        address, {**given, "part:pool:depth": "x", "do": "write pool"}, headers={"HX-Request": "1"}
    ).content.decode()
    assert "depth = &quot;x&quot;" in script and "line 10: depth is a whole number" in script
    answer = client.post(address, {**given, "do": "remove stages.0.questions.1"})
    assert "How readable" not in answer.context["form"]["design"].value()


def test_a_first_design_is_written_from_the_look_of_files(client: Client) -> None:
    client.force_login(User.objects.create_superuser("maker"))
    url = reverse("design-new")

    def looked(*files: tuple[str, str]) -> tuple[int, str]:
        own = [SimpleUploadedFile(name, content.encode()) for name, content in files]
        answer = client.post(url, {"do": "look", "own": own})
        return answer.status_code, answer.content.decode()

    status, page = looked(("../claims.csv", "claim,system\nBees sleep.,x\nBees sing.,y\n"))
    assert status == 200
    assert "systems = [&quot;system&quot;]" in page and "key = &quot;my-evaluation&quot;" in page
    assert "No faults." in page
    status, page = looked(("odd.bin", "\x01\x02"))
    assert (status, "Nothing here tells what is judged: odd.bin" in page, "binary-relevance" in page) == (
        422,
        True,
        True,
    )
    status, page = looked()
    assert (status, "Choose a file." in page) == (422, True)
    assert not Campaign.objects.exists()


def test_the_bench_has_the_scale_with_which_a_campaign_begins(client: Client) -> None:
    client.force_login(User.objects.create_superuser("maker"))
    adhoc = Path(__file__).resolve().parents[3] / "tracks" / "adhoc.toml"
    text = adhoc.read_text().replace('key = "adhoc"', 'key = "mine"')
    page = page_of(client.post(reverse("design-new"), {"design": text, "do": "check"}))
    assert "</kbd> perfectly relevant" in page or "perfectly relevant</span>" in page
    page = page_of(
        client.post(reverse("design-new"), {"design": text.replace("highest = 3", "highest = 9"), "do": "check"})
    )
    assert "1 fault" in page and "by its highest grade: 1, 2, 3, 4." in page


def test_the_forms_are_in_the_readers_language_and_names_of_the_design_stay(made: Campaign, client: Client) -> None:
    values = {"design": DESIGN.replace("AP (readable)", "offered"), "do": "check"}
    answer = client.post(reverse("design", args=["own"]), values, headers={"Accept-Language": "de"})
    page = answer.content.decode()
    shown = re.findall(r"<label for=[^>]*>([^<]+)</label>|<legend>([^<]+)</legend>", page)
    english = {each.label for form in FORMS.values() for each in form} - {"Gain", "Name"}  # as they are in German
    assert {unescape(one or other).strip() for one, other in shown} & english == set()
    assert "Was gefragt wird" in page and "Frage nach unten" in page and "Frage: Is it misleading?" in page
    assert '<option value="offered"\n    >offered</option>' in page  # a measure of this name
    assert '<option value="offered"\n    selected>möglich</option>' in page  # a note
