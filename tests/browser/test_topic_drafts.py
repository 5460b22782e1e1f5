"""A question of each kind made from nothing on real blog pages, each step by keys: searched, drafted, sent back,
accepted, released, run, pooled, judged with the author's own finds, scored.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from assess.campaigns.domain import create_campaign
from assess.campaigns.queries import track_of
from assess.documents.queries.search import search_documents
from assess.models import Campaign, DocumentBody, Judgment
from assess.people.domain.members import add_member
from assess.topic_drafts.queries import show_draft
from nuggets.models import NuggetList, NuggetSource
from scoring.reading.opening import split_issues
from tests import factories
from tests.browser.drafting import judge_ten, keep, look_for, open_draft, send, write
from tests.browser.keyboard import came, finish, follow, go_to, picture, press_button
from tests.browser.people import (
    People,
    build_pools,
    download,
    hand_out,
    open_judging,
    open_people,
    read_scores,
    set_release_date,
    submit_run,
)
from tests.browser.whole_campaign import in_test_all

pytestmark = [pytest.mark.browser, pytest.mark.shared, pytest.mark.slow]
SLUG = "nothing"
LONG = "He always came back to music, " + "and said so on the radio, in the paper and to whoever asked him, " * 3
LATER, LONG_AGO = "01 01 2999 09 00 AM", "01 01 2020 09 00 AM"


@pytest.fixture
def people(
    browser: Browser, browser_context_args: dict[str, Any], site: LiveServer, settings: Any, tmp_path: Path
) -> Iterator[People]:
    settings.DATA_DIR = tmp_path / "data"
    yield from open_people(browser=browser, options=browser_context_args, site=site, slug=SLUG)


def begun(track: str, documents: Path) -> Campaign:
    """A campaign that is being set up, with documents and people, and without any topic."""
    organiser = factories.user("olga", is_staff=True)
    made = create_campaign(actor=organiser, slug=SLUG, title="From nothing", track=track)
    for name in ("anna", "ben"):
        add_member(actor=organiser, campaign=made, user=factories.user(name), role="assessor")
    add_member(actor=organiser, campaign=made, user=factories.user("pia"), role="participant", team="Harbor")
    call_command("load_documents", SLUG, str(documents), "--all")
    assert (made.topics.count(), made.documents.count(), made.state) == (0, 60, "setup")
    return made


def send_back(people: People, word: str) -> None:
    """The organiser reads the drafts side by side, and says of the first what to change; its author reads that."""
    page = people.at("olga", "Topics", "Drafts of assessors")
    picture(page, "drafts-desk")
    page.keyboard.press("b")
    expect(page.locator("textarea:focus")).to_have_count(1)
    page.keyboard.type(word)
    press_button(page, "Send back")
    expect(page.get_by_text("Draft 1 went back to anna.")).to_be_visible()
    page = people.at("anna", "My topics")
    expect(page.locator("#own-drafts")).to_contain_text(word)
    follow(page, "1")
    expect(page.locator(".bench-form")).to_contain_text(word)


def accept(people: People) -> None:
    page = people.at("olga", "Topics", "Drafts of assessors")
    page.keyboard.press("a")
    expect(page.get_by_text("Draft 1 is topic 1 now.")).to_be_visible()


def release(people: People, campaign: Campaign, *numbers: str) -> None:
    """Participants get the topics in the track's format once the date that the organiser typed has come, not before."""
    page = people.at("olga", "Overview", "Settings")
    set_release_date(page, LATER)
    picture(page, "release-dates")
    page = people.at("pia", "Topics")
    expect(page.get_by_text("Not released yet")).to_be_visible()
    assert page.request.get(page.url + "files/questions/").status in (403, 404, 409)
    page = people.at("olga", "Topics")
    given = download(page, "Questions")
    set_release_date(people.at("olga", "Overview", "Settings"), LONG_AGO)
    page = people.at("pia", "Topics")
    picture(page, "topics-released")
    assert download(page, "Questions") == given
    problems: list[object] = []
    read = split_issues(track_of(campaign).topic_files[0].read(BytesIO(given)), problems.append)
    assert ([each.number for each in read], problems) == (list(numbers), [])


RESPONSE = "[data-bench-item] .bench-thing"
"""Where the words of a whole response stand."""


def grade_by(page: Page, keys_for: Callable[[str], str], *, words: str = "[data-answer]") -> None:
    """Press for each item the keys that ``keys_for`` says of its words, and finish."""
    progress = page.locator("[data-progress-words]")
    count = int(re.findall(r"of (\d+)", progress.inner_text())[0])
    for number in range(1, count + 1):
        came(page)
        for key in keys_for(page.locator(words).inner_text()):
            page.keyboard.press(key)
        expect(progress).to_have_text(re.compile(rf"^{number} of {count} judged"))
    finish(page)


def group(page: Page) -> None:
    """The answers that the author found are there; what is suggested for the others is taken."""
    expect(page.locator("[data-class] .class-label")).to_have_text(["Peelie", "Sheila"])
    page.keyboard.press("A")
    expect(page.locator("[data-progress-words]")).to_contain_text(re.compile(r"(\d+) of \1 grouped"))
    expect(page.locator("[data-class] .class-label")).to_have_text(["Peelie", "Sheila", "Billy"])
    picture(page, "own-answers")
    finish(page)


def freeze(*texts: str) -> Callable[[Page], None]:
    """The nuggets that the author found are on the first list; all are vital, and the list is frozen."""

    def act(page: Page) -> None:
        expect(page.locator("[data-nugget-text]")).to_have_text(list(texts))
        for number in range(1, len(texts) + 1):
            page.keyboard.press("v")
            expect(page.locator("[data-did]")).to_contain_text(f"Nugget {number} is vital")
            page.keyboard.press("ArrowDown")
        picture(page, "own-nuggets")
        page.keyboard.press("f")
        expect(page.locator("[data-freeze-now]")).to_be_focused()
        page.keyboard.press("Enter")
        page.wait_for_url(re.compile(r"/work/$"))

    return act


def match(page: Page) -> None:
    """Mark nugget 1 in every string about music."""
    progress = page.locator("[data-progress-words]")
    count = int(re.findall(r"of (\d+)", progress.inner_text())[0])
    for number in range(1, count + 1):
        if "music" in page.locator("[data-string][aria-current] [data-words]:visible").inner_text():
            page.keyboard.press("1")
        page.keyboard.press("Enter")
        expect(progress).to_have_text(re.compile(rf"^{number} of {count}"))
    finish(page)


def vote(page: Page) -> None:
    for number in (1, 2):
        page.keyboard.press("v")
        expect(page.locator("[data-progress-words]")).to_have_text(f"{number} of 2 voted")
    finish(page)


def nugget_figures(strings: list[str], *, returned: int, listed: int, beta: int) -> dict[str, float]:
    """NR, NP and F of a response by the formulas of the guidelines: 100 characters without space a nugget."""
    length, allowed = len("".join("".join(strings).split())), 100 * returned
    recall = returned / listed
    precision = 1.0 if length < allowed else (1 - (length - allowed) / length)
    below = beta**2 * precision + recall
    return {"NR": recall, "NP": precision, "F": (beta**2 + 1) * precision * recall / below if below else 0.0}


def list_figures(*, correct: int, final: int, instances: int) -> dict[str, float]:
    """IR, IP and F of a rigid list by the formulas of the guidelines."""
    recall, precision = correct / final, correct / instances
    return {"IR": recall, "IP": precision, "F": 2 * recall * precision / (recall + precision)}


def require_figures(shown: dict[str, dict[str, str]], wanted: dict[str, dict[str, float]]) -> None:
    """The page shows these figures, to four places."""
    found = {run: {name: float(shown[run][name]) for name in values} for run, values in wanted.items()}
    assert found == {run: pytest.approx(values, abs=5e-5) for run, values in wanted.items()}


def answers_of(path: Path, question: str) -> list[str]:
    """The answer-strings of a question in a run file."""
    lines = (line.split(None, 3) for line in path.read_text().splitlines())
    return [text for number, _, _, text in lines if number == question]


def test_a_rigid_and_a_squishy_question_from_nothing_to_scores(
    people: People, shared_data: Path, tmp_path: Path
) -> None:
    """TAC, IV and V: answers and nuggets “found during question development” belong to the final sets."""
    campaign = begun("tac2008-qa", shared_data / "html" / "blog06_like.trec")
    page = open_draft(people, "anna")
    look_for(page, "music")
    judge_ten(page, "music")
    write(page, "e", "John Peel")
    write(page, "1", "Which people are named beside John Peel?", kind="Rig")
    write(page, "2", "What is said of John Peel?", kind="Squ")
    write(page, "o", "Many pages name him in passing.")
    look_for(page, "“John Peel”")
    docno = page.locator("[data-document]").get_attribute("data-document") or ""
    keep(page, "a", "answer", "Peelie", "Peel")
    keep(page, "a", "answer", "Sheila", "Peel")
    keep(page, "w", "nugget", "Peel fuelled a love of music", "Peel")
    keep(page, "w", "nugget", "Peel was on the radio", "Peel")
    picture(page, "draft-bench")
    send(page)
    send_back(people, "Ask what he loved.")
    page = people.page("anna")
    write(page, "2", "What did John Peel love?", kind="Squ")
    send(page)
    draft = show_draft(campaign.topic_drafts.get())
    assert [(part.task, part.text) for part in draft.content.parts] == [
        ("rigid", "Which people are named beside John Peel?"),
        ("squishy", "What did John Peel love?"),
    ]
    assert draft.content.notes == "Many pages name him in passing."
    assert [find.text for find in (*draft.answers, *draft.nuggets)] == [
        *("Peelie", "Sheila", "Peel fuelled a love of music", "Peel was on the radio")
    ]
    assert all(find.quote in text_of(campaign, find.docno) for find in (*draft.answers, *draft.nuggets))
    accept(people)
    release(people, campaign, "1", "1.1", "1.2")

    other = next(hit.docno for hit in search_documents(campaign, "music").hits if hit.docno != docno)
    files = {}
    for tag, answer, said in (("Harbor1", "Peelie", "a love of music"), ("Harbor2", "a radio", LONG)):
        files[tag] = tmp_path / f"{tag}.txt"
        lines = (f"1.1 {tag} {docno} {answer}", f"1.1 {tag} {other} Billy", f"1.2 {tag} {docno} {said}")
        files[tag].write_text("".join(f"{line.strip()}\n" for line in lines))
        submit_run(people, "pia", files[tag], Priority=tag[-1], Which_documents="The whole")
    build_pools(people, "olga", count=2)
    open_judging(people, "olga")
    hand_out(people, "olga")
    assert set(campaign.assignments.filter(role="primary").values_list("assessor__username", flat=True)) == {"anna"}

    acts = {
        "instances": lambda page: grade_by(page, lambda answer: "4" if answer in ("Peelie", "Billy") else "1"),
        "classes": group,
        "nuggets": freeze("Peel fuelled a love of music", "Peel was on the radio"),
        "matches": match,
        "votes": vote,
    }
    done = people.judge_all("anna", acts) + people.judge_all("ben", acts)
    assert {stage for _, stage in done} == set(acts)
    assert set(Judgment.objects.exclude(how="import").values_list("how", flat=True)) == {"key"}
    correct = {"Harbor1": 2, "Harbor2": 1}  # of Peelie, Billy and Sheila, whom no run named
    rigid = {
        tag: list_figures(correct=correct[tag], final=3, instances=len(answers_of(path, "1.1")))
        for tag, path in files.items()
    }
    squishy = {
        tag: nugget_figures(answers_of(path, "1.2"), returned=1, listed=2, beta=3) for tag, path in files.items()
    }
    assert squishy["Harbor2"]["NP"] < 1 == squishy["Harbor1"]["NP"]
    require_figures(read_scores(people, "olga", "1.1"), rigid)
    require_figures(read_scores(people, "olga", "1.2"), squishy)
    means = {tag: {"Combined": (rigid[tag]["F"] + squishy[tag]["F"]) / 2} for tag in files}
    require_figures(read_scores(people, "olga", "all"), means)


@in_test_all
def test_a_definition_question_from_nothing_to_scores(people: People, shared_data: Path, tmp_path: Path) -> None:
    """Pilot, 1: assessors “searched the AQUAINT collection looking for appropriate targets” and defined them."""
    campaign = begun("aquaint-definition", as_sgml(shared_data, tmp_path))
    page = open_draft(people, "anna")
    look_for(page, "music")
    judge_ten(page, "music")
    write(page, "e", "Who is John Peel?")
    write(page, "d", "A man of the radio.")
    look_for(page, "“John Peel”")
    docno = page.locator("[data-document]").get_attribute("data-document") or ""
    keep(page, "w", "nugget", "Peel fuelled a love of music", "Peel")
    picture(page, "draft-pilot")
    send(page)
    send_back(people, "Say what he loved, too.")
    page = people.page("anna")
    write(page, "d", "A man of the radio who fuelled a love of music.")
    send(page)
    assert show_draft(campaign.topic_drafts.get()).content.definition.endswith("fuelled a love of music.")
    accept(people)
    release(people, campaign, "1")
    said = {"A": "Peel fuelled a love of music", "B": f"a man {LONG.strip()}", "C": "a man"}
    for tag, text in said.items():
        path = tmp_path / tag
        path.write_text(f"1 {tag} {docno} {text}\n")
        submit_run(people, "pia", path, Run_tag=tag)
    build_pools(people, "olga", count=1)
    open_judging(people, "olga")
    hand_out(people, "olga")
    give_to_seconds(people)

    scores = {"anna": {True: "85", False: "20"}, "ben": {True: "73", False: "14"}}
    acts = {
        "holistic": lambda page: grade_by(page, lambda said: scores["anna"]["music" in said], words=RESPONSE),
        "nuggets": freeze("Peel fuelled a love of music"),
        "matches": match,
    }
    assert [stage for _, stage in people.judge_all("anna", acts)] == ["holistic", "nuggets", "matches"]
    page = people.at("ben", "Work")
    page.keyboard.press("n")
    page.wait_for_url(re.compile(r"/work/\d+/"))
    page.wait_for_load_state()
    grade_by(page, lambda said: scores["ben"]["music" in said], words=RESPONSE)
    page.keyboard.press("n")
    expect(page.locator("[data-nugget-bench], .bench-bar, .workbench").first).to_be_visible()
    expect(page.locator("[data-nugget-text]")).to_have_count(0)  # the other assessor begins with nothing
    assert list(NuggetSource.objects.values_list("nugget__nugget_list__owner__username", "docno")) == [("anna", docno)]
    assert NuggetList.objects.filter(owner__username="ben", nuggets=None).exists()
    wanted = {}
    for tag, text in said.items():
        returned = int("music" in text)
        figures = nugget_figures([text], returned=returned, listed=1, beta=5)
        wanted[tag] = {"F, author": figures["F"]}
        for name, label in (("anna", "author"), ("ben", "other assessor")):
            content, organization = (int(key) for key in scores[name]["music" in text])
            wanted[tag][f"Holistic, {label}"] = 5 * content + content * organization / 2
    require_figures(read_scores(people, "olga", "1"), wanted)
    require_figures(read_scores(people, "olga", "all"), wanted)


def give_to_seconds(people: People) -> None:
    """On *Second assessors*: what the author does, of all topics."""
    page = people.at("olga", "Work", "Second assessors")
    for stage in ("Judge responses", "Write nuggets", "Find nuggets"):
        go_to(page, page.get_by_label(f"Definition: {stage}", exact=True))
        page.keyboard.press("Space")
    go_to(page, page.get_by_label("How many topics"))
    page.keyboard.type("all")
    press_button(page, "Show what would be handed out")
    page.wait_for_url(re.compile("of=all"))
    picture(page, "seconds")
    press_button(page, "Hand out")
    expect(page.get_by_text("handed out to second assessors")).to_be_visible()


def text_of(campaign: Campaign, docno: str) -> str:
    return DocumentBody.objects.get(document__campaign=campaign, document__docno=docno).text


def as_sgml(shared_data: Path, place: Path) -> Path:
    """The texts of the real pages as newswire records, since the pilot's documents are such."""
    from assess.models import Document

    organiser = factories.user("loader", is_staff=True)
    create_campaign(actor=organiser, slug="texts", title="Texts", track="tac2008-qa")
    call_command("load_documents", "texts", str(shared_data / "html" / "blog06_like.trec"), "--all")
    path = place / "pages.sgml"
    with path.open("w", encoding="utf-8") as file:
        for document in Document.objects.filter(campaign__slug="texts").select_related("body"):
            text = document.body.text.replace("&", "and").replace("<", "(").replace(">", ")")
            file.write(f"<DOC>\n<DOCNO> {document.docno} </DOCNO>\n<TEXT>\n{text}\n</TEXT>\n</DOC>\n")
    return path
