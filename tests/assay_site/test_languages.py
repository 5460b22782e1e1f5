"""People read pages in their language; programs read English, whatever their caller's browser asks for."""

from __future__ import annotations

import json
import pickle
import re
from copy import deepcopy

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.http.response import HttpResponseBase
from django.template import Context, Template
from django.test import Client
from django.test.utils import override_settings
from django.utils.translation import override

from assess.assignments.queries.waiting import unit_of
from assess.base.numbers import grouped, grouped_lazy
from assess.base.sentences import Sentence, in_words
from assess.campaigns.models import Campaign
from assess.campaigns.queries import registered_tracks, track_of_text
from assess.campaigns.track_texts import TrackText, in_language
from assess.jobs.kinds import job_kinds
from assess.jobs.models import Job
from assess.kinds.base import noun_and_plural
from assess.people.models import PersonLanguage
from assess.protocol import TopicRecord
from assess.templatetags.page_parts import noun_of
from nuggets.options import NuggetWriting
from nuggets.writing.tally import unit_of_list
from scoring.release.phrases import Phrase
from tracks import TRACKS

GERMAN = {"Accept-Language": "de-AT,de;q=0.9,en;q=0.8"}
NO_NUMBER = re.compile(
    r'<(?:input(?![^>]*inputmode="decimal")|progress|svg|rect)\b[^>]*?'
    r'\b(?:value|min|max|step|width|x)="-?\d+,\d+"[^>]*>'
)
"""What a form or a shape can't read: a number as German writes it. Fields for numbers that people type can."""
OF_ITS_TABLES_ALONE = {"agreement", "significance", "consistency"}
"""Pages with tables for spreadsheets that they offer only once there is something to compare."""
pytestmark = pytest.mark.django_db


def page(client: Client, **headers: str) -> str:
    return client.get("/login/", headers=headers or None).content.decode()


def test_a_page_is_in_the_language_of_the_browser(client: Client) -> None:
    assert '<html lang="en">' in page(client)
    german = page(client, **GERMAN)
    assert '<html lang="de">' in german
    assert "<h1>Anmelden</h1>" in german
    assert '<html lang="en">' in page(client, **{"Accept-Language": "fr, de;q=0"})
    assert '<html lang="en">' in page(client)  # nothing of it stays with the thread


@override_settings(ASSAY_LANGUAGE="de")
def test_the_sites_language_is_for_who_asks_for_none_that_there_is(client: Client) -> None:
    assert '<html lang="de">' in page(client, **{"Accept-Language": "fr"})
    assert '<html lang="en">' in page(client, **{"Accept-Language": "en-GB"})


def test_a_chosen_language_counts_before_the_browsers_and_comes_back_with_the_account(client: Client) -> None:
    person = User.objects.create_user("ada", password="a long password")
    client.force_login(person)
    answer = client.post("/language/", {"language": "de", "next": "/profile/"})
    assert (answer.status_code, answer["Location"]) == (302, "/profile/")
    assert PersonLanguage.objects.get(user=person).language == "de"
    assert '<html lang="de">' in client.get("/profile/", headers={"Accept-Language": "en"}).content.decode()
    elsewhere = Client()
    elsewhere.post("/login/", {"username": "ada", "password": "a long password"})
    assert elsewhere.cookies[settings.LANGUAGE_COOKIE_NAME].value == "de"
    assert '<html lang="de">' in elsewhere.get("/profile/").content.decode()


def test_a_script_is_answered_in_the_language_of_its_page(client: Client) -> None:
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = "de"  # chosen in another window
    assert '<html lang="en">' in page(client, **{"X-Page-Language": "en"})
    assert '<html lang="de">' in page(client, **{"X-Page-Language": "tlh"})
    assert '<html lang="de">' in page(client)


def test_a_language_that_there_is_not_is_refused_and_nobody_is_led_elsewhere(client: Client) -> None:
    assert client.post("/language/", {"language": "tlh"}).status_code == 422
    away = client.post("/language/", {"language": "de", "next": "https://elsewhere.example.org/"})
    assert away["Location"] == "/"


def test_the_api_refuses_in_english(client: Client) -> None:
    plain, asked = (client.get("/api/v1/campaigns/none/", headers=headers) for headers in (None, GERMAN))
    assert (plain.status_code, plain.content) == (asked.status_code, asked.content)


def body(answer: HttpResponseBase) -> bytes:
    return b"".join(answer.streaming_content) if answer.streaming else answer.content  # type: ignore[arg-type, union-attr, attr-defined]


def test_pages_are_german_throughout_and_no_byte_that_a_program_reads_is(
    addresses: dict[str, str],
    organiser: User,
    client: Client,
) -> None:
    client.force_login(organiser)
    differs, english, commas, plots, tables = [], [], [], "", 0
    for name, address in addresses.items():
        german = client.get(address, headers=GERMAN)
        if german.headers.get("Content-Type", "").startswith("text/html"):
            if b'<html lang="en">' in body(german):
                english.append(name)
            commas += [(name, each) for each in NO_NUMBER.findall(body(german).decode())]
            if b"format=csv" in body(german) or name in OF_ITS_TABLES_ALONE:
                table = f"{address}{'&' if '?' in address else '?'}format=csv"
                plain = client.get(table)
                assert plain.headers["Content-Type"].startswith("text/csv"), name
                differs += [name] if body(plain) != body(client.get(table, headers=GERMAN)) else []
                tables += 1
        elif german.headers.get("Content-Type") == "image/svg+xml":  # a plot is a part of its page
            plots += body(german).decode()
        elif german.status_code == 200 and (told := body(german)) != (plain := body(client.get(address))):
            # asked twice in English it may differ, too: of the newest export each is an act
            differs += [name] if plain == body(client.get(address)) and told else []
    assert (differs, english, commas, tables > 20) == ([], [], [], True)
    assert [each for each in ("Nichts zu vergleichen", "alle Topics", "Median bis Bestwert") if each in plots]
    assert [each for each in ("Nothing to compare", "all topics", "median to best") if each in plots] == []


def test_what_jobs_say_in_whole_sentences_is_read_in_the_readers_language(
    addresses: dict[str, str], organiser: User, client: Client
) -> None:
    client.force_login(organiser)
    said = job_kinds()["release"].stopped
    job = Job.objects.create(
        campaign=Campaign.objects.get(slug=addresses["works"].split("/")[2]),
        kind="release",
        state="stopped",
        unit="files",
        message=said,
        started_by=organiser,
    )
    page = client.get(addresses["works"], headers=GERMAN).content.decode()
    assert "Es wurde kein Release erstellt" in page
    assert "0 Dateien" in page
    assert said in client.get(addresses["works"]).content.decode()
    Job.objects.filter(pk=job.pk).update(message="The release of ledger point 7 is made.")  # by an earlier version
    assert "The release of ledger point 7 is made." in client.get(addresses["works"], headers=GERMAN).content.decode()
    made = Sentence("The pool has %(number)s item.", "The pool has %(number)s items.", 1200)
    Job.objects.filter(pk=job.pk).update(message=made, made_of=made.made_of)
    assert "Der Pool hat 1.200 Items." in client.get(addresses["works"], headers=GERMAN).content.decode()
    assert "The pool has 1,200 items." in client.get(addresses["works"]).content.decode()
    Job.objects.filter(pk=job.pk).update(message="")  # it is started again, and says nothing yet
    assert "1.200" not in client.get(addresses["works"], headers=GERMAN).content.decode()


def test_a_sentence_of_several_parts_is_said_in_each_language_and_stored_in_english() -> None:
    with override("de"):
        parts = [
            Sentence("%(number)s document stored", "%(number)s documents stored", 2000),
            Sentence("%(count)s stored before", count=1),
        ]
        made = Sentence("%(parts)s.", parts=parts)
        assert made == "2,000 documents stored, 1 stored before."
        assert in_words(json.loads(json.dumps(made.made_of))) == "2.000 Dokumente gespeichert, 1 schon gespeichert."


def test_a_label_in_a_sentence_is_said_in_the_readers_language_and_a_designs_own_is_not() -> None:
    refusal = "The campaign is %(state)s. Freeze it first; releases are made of that."
    for label in (Campaign.State.SETUP.label, TrackText("100 % relevant"), "setting up"):
        made = Sentence("“%(task)s” is no longer there.", task=label)
        assert json.loads(json.dumps(made.made_of))["said"] == f"“{label}” is no longer there."
    with override("de"):
        made = Sentence(refusal, state=Campaign.State.SETUP.label)
        assert made == "The campaign is setting up. Freeze it first; releases are made of that."
        assert f" {Campaign.State.SETUP.label}. " in in_words(json.loads(json.dumps(made.made_of)))
        assert " setting up. " in in_words(Sentence(refusal, state="setting up").made_of)


def test_numbers_in_sentences_are_those_of_the_readers_language() -> None:
    with override("de"):
        assert (grouped(1234), grouped(2500.25, 1), str(grouped_lazy(999_999))) == ("1.234", "2.500,2", "999.999")
    assert (grouped(1234), grouped(2500.25, 1), str(grouped_lazy(999_999))) == ("1,234", "2,500.2", "999,999")


def test_what_the_sites_evaluations_say_is_german_on_german_pages(
    addresses: dict[str, str], organiser: User, client: Client
) -> None:
    client.force_login(organiser)
    said = {
        "assignments": ("Judge instances", "Instanzen bewerten"),
        "settings": ("Weight of recall against precision", "Gewicht des Recalls gegenüber der Precision"),
        "exports": ("Questions: targets with their series", "Fragen: Ziele mit ihren Serien"),
        "scores": ("Nugget recall: weight of the nuggets", "Nugget-Recall: Gewicht der gelieferten Nuggets"),
        "adjudicate": ("Is the answer-string a correct, exact", "Ist der Antwort-String eine korrekte, genaue"),
    }
    for name, (english, german) in said.items():
        plain, asked = (client.get(addresses[name], headers=each).content.decode() for each in (None, GERMAN))
        assert (name, english in plain, german in plain) == (name, True, False)
        assert (name, english in asked, german in asked) == (name, False, True)


def test_explanations_of_scores_are_said_in_the_readers_language(
    addresses: dict[str, str], organiser: User, client: Client
) -> None:
    client.force_login(organiser)
    whole = addresses["score-explain"]
    one = whole.split("?")[0] + "?run=Harbor1&topic=1.1&measure=F"
    said = [
        (whole, "1 of 1 averaged", "1 von 1 gemittelt"),
        (one, "Instances returned", "Gelieferte Instanzen"),
        (one, "Distinct correct answers returned", "Gelieferte verschiedene korrekte Antworten"),
        (addresses["score-judgments"], ">answer-string<", ">Antwort-String<"),
    ]
    for address, english, german in said:
        plain, asked = (client.get(address, headers=each).content.decode() for each in (None, GERMAN))
        assert (english, english in plain, english in asked) == (english, True, False)
        assert (german, german in plain, german in asked) == (german, False, True)


def test_headings_beside_the_work_are_said_in_the_readers_language() -> None:
    context = registered_tracks()["ikat2023"].context
    assert context is not None
    topic = TopicRecord(
        number="1-1_1", task="turns", text="And its bell?", fields={"resolved": "Does the bicycle have a bell?"}
    )
    (part,) = context(topic, ())
    with override("de"):
        assert (part.heading, in_language(part.heading)) == ("What the user means", "Was gemeint ist")


def test_a_copied_phrase_is_still_one() -> None:
    said = Phrase("{count} of {all}, {word}", count=1, all=2, word=Phrase("yes"))
    copied = pickle.loads(pickle.dumps(deepcopy(said)))
    assert (str(copied), copied.text, copied.values) == ("1 of 2, yes", said.text, said.values)
    assert isinstance(copied.values["word"], Phrase)
    assert f"{Phrase('{name}', name='{of a run}')}" == "{of a run}"


def test_what_a_design_says_stays_as_its_organisers_wrote_it() -> None:
    """Even where it says what one of the site's own evaluations does."""
    own = registered_tracks()["adhoc"]
    made = track_of_text(own.design)
    page = Template("{{ stage.label }}, {{ criterion.question }} {{ grades.0.name }}")
    said = []
    for track in (own, made):
        (stage,) = track.tasks[0].stages
        criterion = stage.criteria[0].with_scale(track.settings())
        with override("de"):
            said.append(page.render(Context({"stage": stage, "criterion": criterion, "grades": criterion.grades})))
    assert said == [
        "Dokumente einstufen, Wie relevant ist das Dokument für das Topic? nicht relevant",
        "Grade documents, How relevant is the document to the topic? not relevant",
    ]


def test_evaluations_with_marked_texts_are_what_they_were() -> None:
    for track in TRACKS:
        found = registered_tracks()[track.key]
        assert [each.stages[0].key for each in found.tasks] == [each.stages[0].key for each in track.tasks]
        assert (found.exports, found.scoring, found.submissions) == (track.exports, track.scoring, track.submissions)
        with override("de"):
            assert json.loads(json.dumps(found.label)) == track.label == f"{found.label}"


def test_what_the_installed_evaluations_judge_is_counted_in_the_readers_language() -> None:
    stages = [stage for track in TRACKS for task in track.tasks for stage in task.stages]
    nouns = {unit_of(stage) for stage in stages} - {"s"}
    nouns |= {unit_of_list(stage) for stage in stages if isinstance(stage.work, NuggetWriting)}
    with override("de"):
        said = {noun: (noun_of(noun, 1), noun_of(noun, 2)) for noun in nouns}
        assert noun_of("sightings", 2) == "sightings"  # a word of somebody's own evaluation
    assert said["passages"] == ("Passage", "Passagen")
    assert [noun for noun, (_, many) in said.items() if not any(map(str.isupper, many))] == []


def test_nouns_of_designs_are_in_the_readers_language_where_both_numbers_are_known() -> None:
    with override("de"):
        assert [noun_and_plural(noun) for noun in ("nugget", "string", "sentence", "bell", "")] == [
            *(("Nugget", "Nuggets"), ("String", "Strings"), ("Satz", "Sätze"), ("bell", "bells"), ("", "")),
        ]
