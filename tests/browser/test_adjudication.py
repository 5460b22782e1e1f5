"""Settling disagreements in a real browser, by keyboard alone; and judging with a machine's judgment in sight."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from assess.assignments.models import DecidedLater
from assess.campaigns.queries import stage_of
from assess.judging.queries.current import official_judgments
from assess.judging.queries.picked import official_pickers, ranking_of
from assess.judging.snapshots import Snapshot
from assess.kinds.picks.record import record_picks
from assess.models import Campaign, Judgment, Topic
from nuggets.classes.models import ClassEdit
from nuggets.matches.current import official_marks
from nuggets.votes.current import counting_importance
from nuggets.writing.counting_lists import official_lists
from tests import factories
from tests.assess import judged_campaign as judging
from tests.benches import Benches
from tests.browser.by_ear import Ear
from tests.browser.conftest import SignIn
from tests.browser.disagreement import ANSWERS, DOCNO
from tests.browser.disagreement import sought as sought
from tests.browser.disagreement import whole as whole
from tests.browser.every_bench import Makers
from tests.browser.in_view import look_at_bench
from tests.browser.keyboard import came, picture, saved
from tests.browser.look import violations, violations_by_day_and_night
from tests.browser.waiting import wait_until
from tests.nuggets.settled import votes_settled as votes_settled

pytestmark = pytest.mark.browser

SAID = {"blue bicycle": (1, -1), "green bicycle": (2, 3), "red bicycle": (-1, 1), "silver bicycle": (1, 1)}


@pytest.fixture
def disputed(site: LiveServer, rigid: Topic, assessor: User, second_assessor: User) -> Campaign:
    """Four answers that two people judged; on three of them they differ."""
    factories.document(rigid.campaign, DOCNO, "I like the blue bicycle. 😀 The red bicycle of Velora broke.")
    factories.pooled(rigid, ANSWERS)
    author = factories.assignment(rigid, "instances", assessor)
    other = factories.assignment(rigid, "instances", second_assessor, role="second")
    for text, (first, second) in SAID.items():
        judging.judge(author, text, first, note=f"The second comment says {text}.")
        judging.judge(other, text, second, note="" if text == "red bicycle" else "I don't find it in the document.")
    return rigid.campaign


def official(campaign: Campaign) -> dict[str, int | None]:
    return {row.item.text: row.value for row in official_judgments(Snapshot(campaign)).select_related("item")}


def test_three_disagreements_are_settled_by_keyboard(
    sign_in: SignIn, site: LiveServer, disputed: Campaign, adjudicator: User
) -> None:
    page = sign_in(adjudicator)
    page.goto(f"{site.url}/c/opinions/adjudication/")
    expect(page.locator("main")).to_contain_text("0 of 3 decided")
    picture(page, "adjudication-list")
    page.keyboard.press("n")  # Start deciding
    progress, sides = page.locator("[data-progress-words]"), page.locator(".sides .side-value strong")
    expect(progress).to_have_text("0 of 3 decided")
    picture(page, "adjudicate-light")
    page.emulate_media(color_scheme="dark")
    picture(page, "adjudicate-dark")
    assert violations_by_day_and_night(page) == []

    texts = page.locator("[data-work-list] bdi").all_inner_texts()
    names = {-1: "incorrect", 1: "correct", 2: "unsupported", 3: "non-exact"}
    left = sides.first.inner_text()
    expect(page.locator("[data-answer]")).to_have_text(texts[0])
    page.keyboard.press("ArrowLeft")
    expect(progress).to_have_text("1 of 3 decided")
    expect(page.locator("[data-answer]")).to_have_text(texts[1])
    right = sides.last.inner_text()
    page.keyboard.press("ArrowRight")
    expect(progress).to_have_text("2 of 3 decided")
    expect(page.locator("[data-answer]")).to_have_text(texts[2])
    page.keyboard.press("t")
    page.keyboard.type("Neither of them.")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="unsupported").first.press("Enter")
    expect(progress).to_have_text("3 of 3 decided")
    expect(page.locator("[data-did]")).to_contain_text("All are decided.")
    saved(page)
    found = official(disputed)
    assert (names[found[texts[0]] or 0], names[found[texts[1]] or 0], found[texts[2]]) == (left, right, 2)
    assert Judgment.objects.filter(assessor=adjudicator).latest("id").note == "Neither of them."

    page.keyboard.press("u")
    expect(progress).to_have_text("2 of 3 decided")
    saved(page)
    assert official(disputed)[texts[2]] == SAID[texts[2]][0]


def test_a_disagreement_that_ended_is_said_to_be_gone_and_asked_for_once(
    sign_in: SignIn, site: LiveServer, disputed: Campaign, adjudicator: User
) -> None:
    page = sign_in(adjudicator)
    page.goto(f"{site.url}/c/opinions/adjudication/")
    page.get_by_role("link", name="Start deciding").press("Enter")
    expect(page.locator("[data-move-on-label]")).to_be_visible()
    texts = page.locator("[data-work-list] bdi").all_inner_texts()
    judging.judge(disputed.assignments.get(role="second"), texts[2], SAID[texts[2]][0])
    page.wait_for_timeout(1_000)  # by then those that follow are fetched for a time without a network
    page.wait_for_load_state("networkidle")
    asked: list[str] = []
    page.on("requestfinished", lambda request: asked.append(request.url))
    page.keyboard.press("j")
    expect(page.locator("[data-answer]")).to_have_text(texts[1])
    page.keyboard.press("j")
    expect(page.get_by_role("alert")).to_have_text(
        "Nobody disagrees about this any more, so there is nothing to decide. Go on with the next one."
    )
    page.wait_for_timeout(3_500)  # by then it would have been asked for again
    line = page.locator("[data-work-list] li").nth(2).get_attribute("data-item")
    assert len([url for url in asked if f"/items/{line}/" in url]) == 1
    page.keyboard.press("k")
    expect(page.locator("[data-answer]")).to_have_text(texts[1])


def test_the_next_disagreements_are_decided_without_a_network(
    sign_in: SignIn, site: LiveServer, makers: Makers
) -> None:
    topic = makers.campaign.topics.get(number="1.1")
    texts = [f"bicycle {number}" for number in range(12)]
    factories.pooled(topic, texts)
    first = factories.assignment(topic, "instances", makers.assessor)
    second = factories.assignment(topic, "instances", makers.second, role="second")
    for text in texts:
        judging.judge(first, text, 1)
        judging.judge(second, text, -1)
    page = sign_in(makers.adjudicator)
    fetched: set[str] = set()
    page.on("requestfinished", lambda request: fetched.add(request.url) if "/items/" in request.url else None)
    page.goto(f"{site.url}/c/{makers.campaign.slug}/adjudication/instances/correctness/")
    came(page)
    wait_until(page, lambda: len(fetched) == 11, "the others are fetched ahead")
    page.wait_for_load_state("networkidle")
    page.context.set_offline(True)
    expect(page.locator("[data-did]")).to_have_text(
        "No network. Go on: what you judge is sent later, and all that are left are here."
    )
    for place in range(1, 12):
        page.keyboard.press("4")
        expect(page.locator("[data-progress-words]")).to_have_text(f"{place} of 12 decided")
        came(page)
        expect(page.locator("[data-answer]")).to_be_visible()
    page.context.set_offline(False)
    saved(page)
    assert Judgment.objects.filter(assignment__role="adjudicator").count() == 11


def look(page: Page, name: str) -> None:
    """In light and dark: a picture of each, and nothing that keeps people out."""
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        picture(page, f"{name}-{scheme}")
    assert violations_by_day_and_night(page) == []


def test_marks_and_votes_are_settled_by_keyboard(
    sign_in: SignIn, site: LiveServer, sought: Campaign, adjudicator: User, votes_settled: None
) -> None:
    page = sign_in(adjudicator)
    progress, sides = page.locator("[data-progress-words]"), page.locator(".sides .side-value strong")
    page.goto(f"{site.url}/c/opinions/adjudication/matches/match/")
    expect(progress).to_have_text("0 of 2 decided")
    expect(page.locator(".settle-about")).to_have_text("Its price is low")
    look(page, "adjudicate-matches")
    look_at_bench(page, "adjudicate-matches", kind="adjudicated nuggets")
    key = "ArrowLeft" if sides.first.inner_text() == "no" else "ArrowRight"
    page.keyboard.press(key)
    expect(page.locator(".settle-about")).to_have_text("It does not last")
    page.keyboard.press("1")
    expect(page.locator("[data-did]")).to_contain_text("All are decided.")
    saved(page)
    (nuggets,) = official_lists([sought.topics.get(number="1.2").pk]).values()
    assert [(mark.number, mark.quote) for mark in official_marks([nuggets])] == [(3, "broke in a week")]
    page.keyboard.press("u")
    expect(progress).to_have_text("1 of 2 decided")
    saved(page)
    assert official_marks([nuggets]) == []

    page.goto(f"{site.url}/c/opinions/adjudication/votes/importance/")
    expect(page.locator(".settle-about")).to_have_text("Its price is low")
    look(page, "adjudicate-votes")
    look_at_bench(page, "adjudicate-votes", kind="adjudicated nuggets")
    page.keyboard.press("2")
    expect(page.locator(".settle-about")).to_have_text("It weighs little")
    page.keyboard.press("1")
    expect(progress).to_have_text("2 of 2 decided")
    saved(page)
    assert counting_importance([nuggets]) == {(nuggets.topic_id, 1): "okay", (nuggets.topic_id, 2): "vital"}
    page.goto(f"{site.url}/c/opinions/adjudication/")
    look(page, "adjudication-all")


def test_lists_and_groupings_are_taken_by_keyboard(
    sign_in: SignIn, site: LiveServer, whole: Campaign, adjudicator: User, second_assessor: User
) -> None:
    page = sign_in(adjudicator)
    ear = Ear(page)
    progress = page.locator("[data-progress-words]")
    squishy = whole.topics.get(number="1.2")
    for stage, name in (("nuggets", "list"), ("classes", "grouping")):
        page.goto(f"{site.url}/c/opinions/adjudication/{stage}/{name}/")
        expect(progress).to_have_text("0 of 1 decided")
        ear.at(words={"list": "1.2", "grouping": "1.1"}[name])
        look(page, f"adjudicate-{name}")
        page.keyboard.press("ArrowRight")
        ear.at(words="what is on the right counts")
        expect(progress).to_have_text("1 of 1 decided")
        expect(page.locator("main")).to_contain_text("what is on the right counts")
        look(page, f"adjudicate-{name}-decided")
    page.keyboard.press("u")
    expect(progress).to_have_text("0 of 1 decided")
    page.set_viewport_size({"width": 640, "height": 360})
    assert page.evaluate("document.documentElement.scrollWidth") <= 640
    picture(page, "adjudicate-whole-narrow")
    (nuggets,) = official_lists([squishy.pk]).values()
    assert nuggets.owner == adjudicator
    page.goto(f"{site.url}/c/opinions/adjudication/")
    look(page, "adjudication-whole-all")


def test_a_decision_about_a_list_or_a_grouping_waits_for_the_network(
    sign_in: SignIn, site: LiveServer, whole: Campaign, adjudicator: User
) -> None:
    page = sign_in(adjudicator)
    ear = Ear(page)
    status, progress = page.locator("[data-save-status]"), page.locator("[data-progress-words]")
    for stage, name in (("nuggets", "list"), ("classes", "grouping")):
        ear.open(f"{site.url}/c/opinions/adjudication/{stage}/{name}/")
        ear.page.context.set_offline(True)
        page.keyboard.press("ArrowRight")
        expect(status).to_contain_text("not saved, will try again (1 waiting). There is no connection to the site.")
        expect(page.get_by_role("button", name="take it").nth(1)).to_have_attribute("aria-pressed", "true")
        page.get_by_role("button", name="take it").first.click()
        expect(page.locator("[data-did]")).to_have_text(
            "The decision before this one is not saved yet, so this one did nothing."
        )
        page.keyboard.press("j")
        expect(page.locator("[data-did]")).to_have_text("The next page is still coming, so these keys did nothing: j")
        page.context.set_offline(False)
        ear.at(words="what is on the right counts")
        expect(progress).to_have_text("1 of 1 decided")
    assert ClassEdit.objects.latest("id").how == "key"

    page.keyboard.press("u")
    expect(progress).to_have_text("0 of 1 decided")
    Campaign.objects.update(state="frozen")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("[data-did]")).to_contain_text("Not saved: The campaign is frozen")
    expect(page.get_by_role("button", name="take it").first).to_have_attribute("aria-pressed", "false")


PRESS = """(keys) => {
  const down = (key) => new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
  for (const key of keys) document.activeElement.dispatchEvent(down(key));
  return document.querySelector("[data-did]").textContent;
}"""
"""Keys faster than any page comes, and what was said of them."""


def test_keys_before_the_next_page_has_come_do_nothing(
    sign_in: SignIn, site: LiveServer, whole: Campaign, adjudicator: User
) -> None:
    page = sign_in(adjudicator)
    page.goto(f"{site.url}/c/opinions/adjudication/classes/grouping/")
    expect(page.locator("[data-begins]")).to_be_focused()
    with page.expect_navigation():
        said = page.evaluate(PRESS, ["j", "ArrowRight", "u"])  # of the next one, which nobody has seen yet
    assert said == "The next page is still coming, so these keys did nothing: ArrowRight u"
    expect(page.locator("[data-progress-words]")).to_have_text("0 of 1 decided")
    with page.expect_navigation():
        said = page.evaluate(PRESS, ["ArrowLeft", "ArrowRight"])
    assert said == "The next page is still coming, so these keys did nothing: ArrowRight"
    expect(page.locator("main")).to_contain_text("what is on the left counts")
    with page.expect_navigation():
        page.keyboard.press("u")
    expect(page.locator("[data-progress-words]")).to_have_text("0 of 1 decided")
    follow = """(where) => {
      const link = Object.assign(document.createElement("a"), { href: where });
      if (where.startsWith("/")) link.download = "all";
      document.querySelector("main").append(link);
      link.click();
    }"""
    for where in ("/static/css/workbench.css", "mailto:organiser@example.org", f"{page.url}#main"):  # none is a page
        page.evaluate(follow, where)
        assert "still coming" not in page.evaluate(PRESS, ["y"])  # which has no key here


def test_picks_are_taken_by_keyboard(benches: Benches, sign_in: SignIn, site: LiveServer) -> None:
    campaign, (one, two, *_) = benches.campaign, benches.items("figure")
    other = factories.member(campaign, "other", "assessor")
    second = factories.assignment(benches.topic, "figures", other, role="second")
    record_picks(actor=benches.assessor, assignment=benches.work["figures"], items=[two, one], client_key=uuid4())
    record_picks(actor=other, assignment=second, items=[one], client_key=uuid4())
    page = sign_in(factories.member(campaign, "settler", "adjudicator"))
    stage = stage_of(campaign, "figures")[1]
    page.goto(f"{site.url}/c/benches/adjudication/figures/{ranking_of(stage).key}/")
    look(page, "adjudicate-picks")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("[data-progress-words]")).to_have_text("1 of 1 decided")
    expect(page.locator("body")).to_contain_text("7-1: what is on the left counts")
    page.keyboard.press("u")
    expect(page.locator("[data-progress-words]")).to_have_text("0 of 1 decided")
    assert official_pickers(Snapshot(campaign), ranking_of(stage).key) == {"7-1": benches.assessor.pk}


def test_words_that_only_a_hidden_line_has_are_said_to_be_hidden(
    sign_in: SignIn, site: LiveServer, disputed: Campaign, adjudicator: User
) -> None:
    page = sign_in(adjudicator)
    page.goto(f"{site.url}/c/opinions/adjudication/instances/correctness/?filter=unjudged")
    decided = page.locator("[data-work-list] bdi").first.inner_text()
    page.keyboard.press("ArrowLeft")
    expect(page.locator("[data-answer]")).not_to_have_text(decided)
    expect(page.locator("[data-work-list] bdi", has_text=decided)).to_be_hidden()
    for words, said in (
        (decided, "What has these words is not among “undecided”: choose “all” first."),
        ("nowhere at all", "No disagreement has these words."),
    ):
        page.locator("[data-list-words]").fill(words)
        page.keyboard.press("Enter")
        expect(page.locator("[data-did]")).to_have_text(said)


def test_the_bench_fits_narrow_screens_and_large_type(
    sign_in: SignIn, site: LiveServer, disputed: Campaign, adjudicator: User
) -> None:
    page = sign_in(adjudicator)
    page.goto(f"{site.url}/c/opinions/adjudication/instances/correctness/")
    page.set_viewport_size({"width": 640, "height": 360})
    assert page.evaluate("document.documentElement.scrollWidth") <= 640
    picture(page, "adjudicate-narrow")
    page.set_viewport_size({"width": 1920, "height": 1080})
    picture(page, "adjudicate-wide")


@pytest.fixture
def drafted(site: LiveServer, rigid: Topic, assessor: User) -> Campaign:
    """Four answers to judge; a machine has judged two of them."""
    factories.document(rigid.campaign, DOCNO, "I like the blue bicycle. 😀 The red bicycle of Velora broke.")
    items = factories.pooled(rigid, ANSWERS)
    robot = factories.assignment(
        rigid, "instances", factories.member(rigid.campaign, "robot", "assessor"), role="machine"
    )
    for item in items[:2]:
        judging.judge(robot, item.text, 2, note="The document never says so; it only names the colour.")
    factories.assignment(rigid, "instances", assessor)
    return rigid.campaign


def judge_at_bench(page: Page, site: LiveServer, campaign: Campaign, answer: str) -> None:
    work = campaign.assignments.get(role="primary")
    page.goto(f"{site.url}/c/opinions/work/{work.pk}/")
    expect(page.locator("[data-undo]")).to_be_visible()
    page.locator("[data-work-list] a", has_text=answer).click()
    expect(page.locator("[data-answer]")).to_have_text(answer)


def test_an_open_draft_stands_beside_the_form_from_the_start(
    sign_in: SignIn, site: LiveServer, drafted: Campaign, assessor: User
) -> None:
    Campaign.objects.update(drafts="open")
    page = sign_in(assessor)
    judge_at_bench(page, site, drafted, "blue bicycle")
    expect(page.locator(".draft")).to_contain_text("machine judge A")
    picture(page, "draft-open-light")
    page.emulate_media(color_scheme="dark")
    picture(page, "draft-open-dark")
    assert violations(page) == []
    page.keyboard.press("4")
    expect(page.locator("[data-answer]")).not_to_have_text("blue bicycle")
    saved(page)
    assert [(row.value, row.draft) for row in Judgment.objects.filter(assessor=assessor)] == [(1, "open")]


def test_a_draft_that_comes_after_waits_for_the_own_judgment(
    sign_in: SignIn, site: LiveServer, drafted: Campaign, assessor: User
) -> None:
    Campaign.objects.update(drafts="after")
    page = sign_in(assessor)
    judge_at_bench(page, site, drafted, "green bicycle")
    expect(page.locator(".draft")).to_have_count(0)
    page.keyboard.press("4")
    expect(page.locator(".draft")).to_contain_text("unsupported")
    expect(page.locator("[data-answer]")).to_have_text("green bicycle")
    expect(page.locator("[data-did]")).to_contain_text("Compare with the machine judge")
    picture(page, "draft-after")
    page.keyboard.press("2")
    expect(page.locator("[data-answer]")).not_to_have_text("green bicycle")
    saved(page)
    said = [(row.value, row.draft) for row in Judgment.objects.filter(assessor=assessor).order_by("id")]
    assert said == [(1, None), (2, "after")]


def test_a_note_written_before_a_decision_goes_with_it(makers: Makers, sign_in: SignIn, site: LiveServer) -> None:
    bench = makers.make("adjudication")
    page = bench.open(sign_in(bench.person), site)
    note(page, "Neither.")
    with page.expect_response(lambda answer: answer.url == page.url):
        page.evaluate("dispatchEvent(new Event('focus'))")  # it is no change that another window made
    page.keyboard.press("j")
    came(page)
    page.keyboard.press("k")
    came(page)
    expect(page.locator("[data-note]")).to_have_value("Neither.")
    page.keyboard.press("1")
    saved(page)
    page.keyboard.press("u")
    saved(page)
    came(page)
    expect(page.locator("[data-note]")).to_have_value("Neither.")
    page.keyboard.press("4")
    saved(page)
    assert [row[2:4] for row in bench.rows()] == [(-1, "Neither."), (None, "Neither."), (1, "Neither.")]


def test_a_note_without_its_decision_stays_when_the_page_is_left(
    makers: Makers, sign_in: SignIn, site: LiveServer
) -> None:
    bench = makers.make("adjudication")
    page = bench.open(sign_in(bench.person), site)
    note(page, "Neither.")
    page.reload()
    came(page)
    expect(page.locator("textarea[data-note]")).to_have_value("Neither.")
    page.keyboard.press("1")
    saved(page)
    assert [row[2:4] for row in bench.rows()] == [(-1, "Neither.")]
    page.reload()
    came(page)
    page.keyboard.press("j")
    came(page)
    expect(page.locator("textarea[data-note]")).to_have_value("")


def test_undo_takes_back_that_a_disagreement_is_for_later(makers: Makers, sign_in: SignIn, site: LiveServer) -> None:
    bench = makers.make("adjudication")
    page = bench.open(sign_in(bench.person), site)
    came(page)
    page.keyboard.press("l")
    saved(page)
    assert DecidedLater.objects.count() == 1
    came(page)
    page.keyboard.press("u")
    expect(page.locator("[data-did]")).to_contain_text("is not for later any more")
    saved(page)
    assert DecidedLater.objects.count() == 0


def test_a_decision_that_was_taken_back_can_be_made_again(makers: Makers, sign_in: SignIn, site: LiveServer) -> None:
    bench = makers.make("adjudication")
    page = bench.open(sign_in(bench.person), site)
    page.locator("[data-move-on]").uncheck()
    page.keyboard.press("1")
    saved(page)
    note(page, "Neither.")
    saved(page)
    page.get_by_role("button", name="Take the decision back").press("Enter")
    saved(page)
    page.keyboard.press("4")
    saved(page)
    assert [row[2:4] for row in bench.rows()] == [(-1, ""), (-1, "Neither."), (None, "Neither."), (1, "Neither.")]


def note(page: Page, text: str) -> None:
    page.keyboard.press("t")
    page.keyboard.type(text)
    page.keyboard.press("Escape")
