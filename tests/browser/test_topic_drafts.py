"""A question of each kind made from nothing on real blog pages, by keys: searched, drafted, accepted, released, run,
pooled, judged with the author's own finds, scored.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.urls import reverse
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from assess.domain.campaigns.campaigns import change_state, create_campaign
from assess.domain.people.members import add_member
from assess.domain.scores.computing import score_campaign
from assess.domain.work.handing_out import balance_work
from assess.models import Campaign, DocumentBody, Judgment
from assess.queries.documents.search import search_documents
from assess.queries.drafts.drafts import show_draft
from assess.queries.tracks import track_of
from nuggets.models import NuggetList, NuggetSource
from scoring.reading import split_issues
from tests import factories
from tests.browser.conftest import SignIn
from tests.browser.keyboard import came, finish, picture
from tests.browser.whole_campaign import WholeCampaign

pytestmark = [pytest.mark.browser, pytest.mark.shared, pytest.mark.slow]
ASSESSORS = ("anna", "ben")


def begun(slug: str, track: str, documents: Path) -> Campaign:
    """A campaign that is being set up, with documents, an organiser and two assessors, and without any topic."""
    organiser = factories.user("olga", is_staff=True)
    made = create_campaign(actor=organiser, slug=slug, title="From nothing", track=track)
    for name in ASSESSORS:
        add_member(actor=organiser, campaign=made, user=factories.user(name), role="assessor")
    call_command("load_documents", slug, str(documents), "--all")
    assert (made.topics.count(), made.documents.count(), made.state) == (0, 60, "setup")
    return made


def open_new_draft(page: Page, site: LiveServer, slug: str) -> None:
    page.on("pageerror", lambda error: pytest.fail(str(error)))
    page.goto(site.url + reverse("topic-drafts", args=[slug]))
    page.keyboard.press("n")
    shown(page)


def shown(page: Page) -> None:
    """The bench is there with its scripts: before that, keys say nothing."""
    expect(page.locator("[data-draft-bench]")).to_be_visible()
    page.wait_for_load_state()


def look_for(page: Page, words: str) -> None:
    page.keyboard.press("/")
    expect(page.locator("#draft-q")).to_be_focused()
    page.keyboard.type(words)
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"\?q="))
    expect(page.locator("[data-document]")).to_be_visible()


def judge_ten(page: Page, words: str) -> None:
    """Say of the first ten documents whether they are relevant: those that hold the words often enough."""
    for number in range(1, 11):
        expect(page.locator(".draft-hits li[data-state=judged]")).to_have_count(number - 1)
        shown(page)
        text = page.locator("[data-text]").inner_text()
        page.keyboard.press("r" if text.count(words) > 1 else "i")
    expect(page.locator(".draft-hits li[data-state=judged]")).to_have_count(10)
    shown(page)
    expect(page.locator(".draft-estimate")).to_contain_text("of the first 10 documents")


def write(page: Page, key: str, text: str, *, kind: str = "") -> None:
    """Write a field by its key; the page says that it is saved."""
    page.keyboard.press(key)
    expect(page.locator("textarea:focus")).to_have_count(1)
    page.keyboard.type(text)
    if kind:
        page.keyboard.press("Shift+Tab")
        page.keyboard.type(kind)
        page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    expect(page.locator("[data-save-status]")).to_have_text("saved ✓")


def keep(page: Page, key: str, kind: str, text: str, words: str) -> None:
    """Go by keys to the sentence of the document that holds the words, and keep what is found there."""
    page.keyboard.press("t")
    line = page.locator("[data-did]")
    for _ in range(400):
        expect(line).to_contain_text("Sentence")
        if words in page.evaluate("getSelection().toString()"):
            break
        page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(line).to_contain_text("Marked")
    page.keyboard.press(key)
    expect(page.locator(f"#{kind}-text")).to_be_focused()
    page.keyboard.type(text)
    page.keyboard.press("Enter")
    expect(page.locator(".draft-finds ol strong", has_text=text)).to_be_visible()
    shown(page)


def send(page: Page) -> None:
    page.keyboard.press("f")
    page.wait_for_url(re.compile(r"/topic-drafts/$"))
    expect(page.locator("#own-drafts")).to_contain_text("sent")


def accept(whole: WholeCampaign, campaign: Campaign, name: str) -> Page:
    """The organiser reads the drafts side by side, accepts the first, and takes the topics in the track's format."""
    page = whole.sign_in(User.objects.get(username="olga"))
    page.goto(whole.site.url + reverse("topic-drafts-desk", args=[campaign.slug]))
    picture(page, f"{name}-desk")
    page.keyboard.press("a")
    expect(page.get_by_text("Draft 1 is topic 1 now.")).to_be_visible()
    return page


def given_out(whole: WholeCampaign, campaign: Campaign) -> list[str]:
    """The numbers of the topics in the file that participants get once the release date is there, and not before."""
    participant = factories.user("pia")
    add_member(
        actor=User.objects.get(username="olga"), campaign=campaign, user=participant, role="participant", team="Harbor"
    )
    whole.call("set_release_date", campaign.slug, "topics", "2999-01-01 09:00")
    page = whole.sign_in(participant)
    address = whole.site.url + reverse("topics-file", args=[campaign.slug, "questions"])
    assert page.request.get(address).status in (403, 404, 409)
    whole.call("set_release_date", campaign.slug, "topics", "none")
    body = page.request.get(address).body()
    problems: list[object] = []
    return [
        each.number for each in split_issues(track_of(campaign).topic_files[0].read(BytesIO(body)), problems.append)
    ]


def text_of(campaign: Campaign, docno: str) -> str:
    return DocumentBody.objects.get(document__campaign=campaign, document__docno=docno).text


def work(whole: WholeCampaign, campaign: Campaign, topic: str, stage: str, person: str) -> Page:
    whole.slug, whole.people = campaign.slug, {name: User.objects.get(username=name) for name in ASSESSORS}
    whole.sign_in(User.objects.get(username=person)).context.clear_cookies()
    return whole.open(topic, stage, person)


def grade_by(page: Page, key_for: Callable[[str], str]) -> None:
    progress = page.locator("[data-progress-words]")
    count = int(re.findall(r"of (\d+)", progress.inner_text())[0])
    for number in range(1, count + 1):
        came(page)
        for key in key_for(page.locator("[data-answer]").inner_text()):
            page.keyboard.press(key)
        expect(progress).to_have_text(re.compile(rf"^{number} of {count} judged"))


def test_a_rigid_and_a_squishy_question_from_nothing_to_scores(
    sign_in: SignIn, site: LiveServer, whole: WholeCampaign, shared_data: Path, tmp_path: Path
) -> None:
    """TAC, IV and V: answers and nuggets “found during question development” belong to the final sets."""
    campaign = begun("nothing", "tac2008-qa", shared_data / "html" / "blog06_like.trec")
    page = sign_in(User.objects.get(username="anna"))
    open_new_draft(page, site, campaign.slug)
    look_for(page, "music")
    judge_ten(page, "music")
    write(page, "e", "John Peel")
    write(page, "1", "Which people are named beside John Peel?")
    write(page, "2", "What is said of John Peel?", kind="Squ")
    look_for(page, "“John Peel”")
    docno = page.locator("[data-document]").get_attribute("data-document") or ""
    keep(page, "a", "answer", "Peelie", "Peel")
    keep(page, "w", "nugget", "Peel fuelled a love of music", "Peel")
    picture(page, "draft-bench")
    draft = show_draft(campaign.topic_drafts.get())
    assert [(part.key, part.task) for part in draft.content.parts] == [(1, "rigid"), (2, "squishy")]
    assert [(find.kind, find.part) for find in (*draft.answers, *draft.nuggets)] == [("answer", 1), ("nugget", 2)]
    assert all(text_of(campaign, find.docno).count(find.quote) for find in draft.answers)
    send(page)
    page.context.clear_cookies()

    accept(whole, campaign, "tac")
    assert given_out(whole, campaign) == ["1", "1.1", "1.2"]
    other = next(hit.docno for hit in search_documents(campaign, "music").hits if hit.docno != docno)
    runs = tmp_path / "runs"
    runs.mkdir()
    for tag, answer in (("Harbor1", "Peelie"), ("Quay1", "a radio")):
        lines = [f"1.1 {tag} {docno} {answer}", f"1.1 {tag} {other} Billy", f"1.2 {tag} {docno} a love of music"]
        (runs / f"{tag}.txt").write_text("".join(f"{line}\n" for line in lines))
        whole.call(
            *("submit_run", campaign.slug, str(runs / f"{tag}.txt"), "--as", "olga", "--team", tag[:-1]),
            *("--priority", "1", "--field", "documents=collection"),
        )
    change_state(actor=User.objects.get(username="olga"), campaign=campaign, state="judging")
    whole.call("build_pool", campaign.slug)
    balance_work(actor=User.objects.get(username="olga"), campaign=campaign)
    authors = campaign.assignments.filter(role="primary").values_list("assessor__username", flat=True)
    assert set(authors) == {"anna"}

    page = work(whole, campaign, "1.1", "instances", "anna")
    grade_by(page, lambda answer: "4" if answer in ("Peelie", "Billy") else "1")
    finish(page)
    page = work(whole, campaign, "1.1", "classes", "anna")
    expect(page.locator("[data-class]").first).to_contain_text(re.compile("Peelie|Billy"))
    page.keyboard.press("A")
    expect(page.locator("[data-progress-words]")).to_contain_text(re.compile(r"(\d+) of \1 grouped"))
    picture(page, "draft-classes")
    finish(page)
    page = work(whole, campaign, "1.2", "nuggets", "anna")
    expect(page.locator("[data-nugget-text]").first).to_have_text("Peel fuelled a love of music")
    picture(page, "draft-nuggets")
    freeze_by_keys(page)
    page = work(whole, campaign, "1.2", "matches", "anna")
    mark_first_nugget(page)
    finish(page)
    page = work(whole, campaign, "1.2", "votes", "ben")
    page.keyboard.press("v")
    expect(page.locator("[data-progress-words]")).to_have_text("1 of 1 voted")
    finish(page)
    assert set(Judgment.objects.exclude(how="import").values_list("how", flat=True)) == {"key"}
    shows_scores_of(whole, campaign, "Harbor1", "Quay1")
    scores = score_campaign(campaign)
    assert scores.table("1.1")["Harbor1"]["IR"].value == 1.0
    assert scores.table("1.1")["Quay1"]["IR"].value == 0.5
    assert (scores.table("1.2")["Harbor1"]["F"].value or 0) > 0


def test_a_definition_question_from_nothing_to_scores(
    sign_in: SignIn, site: LiveServer, whole: WholeCampaign, shared_data: Path, tmp_path: Path
) -> None:
    """Pilot, 1: assessors “searched the AQUAINT collection looking for appropriate targets” and defined them."""
    campaign = begun("pilot", "aquaint-definition", as_sgml(shared_data, tmp_path))
    page = sign_in(User.objects.get(username="anna"))
    open_new_draft(page, site, campaign.slug)
    look_for(page, "music")
    judge_ten(page, "music")
    write(page, "e", "Who is John Peel?")
    write(page, "d", "A man of the radio who fuelled a love of music.")
    look_for(page, "“John Peel”")
    docno = page.locator("[data-document]").get_attribute("data-document") or ""
    keep(page, "w", "nugget", "Peel fuelled a love of music", "Peel")
    picture(page, "draft-pilot")
    send(page)
    page.context.clear_cookies()
    accept(whole, campaign, "pilot")
    assert given_out(whole, campaign) == ["1"]
    runs = tmp_path / "runs"
    runs.mkdir()
    for tag, answer in (("A", "Peel fuelled a love of music"), ("B", "a man")):
        (runs / tag).write_text(f"1 {tag} {docno} {answer}\n")
        whole.call("submit_run", campaign.slug, str(runs / tag), "--as", "olga", "--tag", tag)
    change_state(actor=User.objects.get(username="olga"), campaign=campaign, state="judging")
    whole.call("build_pool", campaign.slug)
    for stage in ("holistic", "nuggets", "matches"):
        for person, role in (("anna", "primary"), ("ben", "second")):
            whole.call(
                *("assign", campaign.slug, "--topic", "1", "--stage", stage),
                *("--assessor", person, "--role", role),
            )
    page = work(whole, campaign, "1", "holistic", "anna")
    grade_by(page, lambda answer: "85" if "music" in answer else "20")
    finish(page)
    page = work(whole, campaign, "1", "nuggets", "anna")
    expect(page.locator("[data-nugget-text]").first).to_have_text("Peel fuelled a love of music")
    page.keyboard.press("v")
    expect(page.locator("[data-did]")).to_contain_text("Nugget 1 is vital")
    freeze_by_keys(page)
    page = work(whole, campaign, "1", "matches", "anna")
    mark_first_nugget(page)
    finish(page)
    page = work(whole, campaign, "1", "holistic", "ben")
    grade_by(page, lambda answer: "50")
    finish(page)
    page = work(whole, campaign, "1", "nuggets", "ben")
    expect(page.locator("[data-nugget-text]")).to_have_count(0)  # the other assessor begins with nothing
    assert list(NuggetSource.objects.values_list("nugget__nugget_list__owner__username", "docno")) == [("anna", docno)]
    assert NuggetList.objects.filter(owner__username="ben", nuggets=None).exists()
    shows_scores_of(whole, campaign, "A", "B")
    scores = score_campaign(campaign)
    rows = scores.table("1").values()
    assert max(row[measure].value or 0 for row in rows for measure in row if "F" in measure) > 0


def shows_scores_of(whole: WholeCampaign, campaign: Campaign, *runs: str) -> None:
    """The organiser's page of scores has a row for each run."""
    whole.sign_in(User.objects.get(username="olga")).context.clear_cookies()
    page = whole.sign_in(User.objects.get(username="olga"))
    page.goto(whole.site.url + reverse("scores", args=[campaign.slug]))
    for run in runs:
        expect(page.get_by_role("rowheader", name=run, exact=True)).to_be_visible()
    picture(page, f"{campaign.slug}-scores")


def freeze_by_keys(page: Page) -> None:
    """Freeze the list; where no nugget is vital, say that this is meant."""
    page.keyboard.press("f")
    meant = page.locator("input[name=without_vital]")
    if meant.count():
        meant.focus()
        page.keyboard.press("Space")
    page.locator("[data-freeze-now]").focus()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/work/$"))


def mark_first_nugget(page: Page) -> None:
    """Mark nugget 1 in every string about music."""
    progress = page.locator("[data-progress-words]")
    count = int(re.findall(r"of (\d+)", progress.inner_text())[0])
    for number in range(1, count + 1):
        if "music" in page.locator("[data-string][aria-current] [data-words]:visible").inner_text():
            page.keyboard.press("1")
        page.keyboard.press("Enter")
        expect(progress).to_have_text(re.compile(rf"^{number} of {count}"))


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
