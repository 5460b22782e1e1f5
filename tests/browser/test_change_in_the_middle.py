"""A campaign in which much changes after judging began, played on pages: topics are removed, amended and dropped, a run
comes late, guidelines change, an assessor is replaced, judging stops with a reason, and a release is corrected.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence, Set
from pathlib import Path
from zipfile import ZipFile

import pytest
from playwright.sync_api import Locator, Page, expect

from assess.models import Assignment, Campaign
from scoring.__main__ import main as scoring
from tests.browser.keyboard import came, finish, picture, saved
from tests.browser.play import (
    FOLDER,
    Cast,
    downloaded,
    invite,
    load_documents,
    load_topics,
    make_campaign,
    send_run,
    submit,
    submit_in,
    work_off,
)
from tests.browser.whole_campaign import printed

pytestmark = [pytest.mark.browser, pytest.mark.slow]

GRADES = {
    "1": {"HIVE-01": 3, "HIVE-02": 2, "HIVE-04": 1},
    "2": {"RIVER-01": 1, "RIVER-02": 3, "RIVER-03": 3, "HIVE-01": 2},
    "3": {"BREAD-01": 3, "BREAD-03": 2},
    "4": {"RIVER-04": 1, "BREAD-01": 2},
}
"""What assessors think of documents, by topic; of others they think 0."""
LATE = {"1": ["RIVER-03", "HIVE-01"], "2": ["HIVE-01", "RIVER-02"], "3": ["HIVE-03", "BREAD-03"], "4": ["BREAD-01"]}
"""What the late run returned: of each topic the first is new."""
MEASURES: dict[str, Callable[[Sequence[str], Set[str]], float]] = {
    "P@5": lambda found, good: sum(docno in good for docno in found[:5]) / 5,
    "AP": lambda found, good: (
        sum(sum(each in good for each in found[:rank]) / rank for rank, docno in enumerate(found, 1) if docno in good)
        / len(good)
    ),
}
"""Worked out in the plainest way, for few documents."""
MISREAD = "An onion against stings was misread."
WORDING = "protection against floods and high water"


def test_change_in_the_middle(cast: Cast, tmp_path: Path) -> None:
    begin(cast, tmp_path)
    first, second = judge_all(cast)
    add_late_run(cast, tmp_path)
    find_more_to_judge(cast, first)
    amend(cast, second)
    publish_guidelines(cast, first)
    judge(cast, first, leaving={"3"})
    replace(cast, second)
    read_both_wordings(cast, "cleo")
    judge(cast, "cleo", leaving={"3"})
    drop(cast)
    stop(cast)
    archive = release(cast, tmp_path / "first.zip")
    names = run_names(cast, tmp_path)
    assert figures(archive, names) == pytest.approx(by_hand(GRADES))
    correct(cast, first)
    corrected = release(cast, tmp_path / "second.zip", "Make the corrected release")
    assert figures(corrected, names) == pytest.approx(by_hand(GRADES | {"1": GRADES["1"] | {"HIVE-03": 2}}))
    see_both(cast, archive, corrected)


def begin(cast: Cast, place: Path) -> None:
    """Two runs come in; a topic that neither answers is removed, and judging starts."""
    make_campaign(cast)
    topics = place / "topics.txt"
    fifth = "\n<top>\n<num> Number: 5\n<title> the price of honey\n</top>\n"
    topics.write_text((FOLDER / "topics.txt").read_text("utf-8") + fifth, "utf-8")
    page = load_topics(cast, topics)
    expect(page.locator("body")).to_contain_text("5 topics")
    load_documents(cast)
    for tag in ("maple", "oak"):
        send_run(cast, "olga", FOLDER / "runs" / "good" / f"{tag}.txt", team=tag)
    remove = change_form(cast, "5", "remove")
    picture(page, "change-remove")
    submit_in(remove, "Remove the topic")
    picture(page, "change-removed")
    for person in ("anna", "ben"):
        cast.join(person, invite(cast, "assessor"))
    build_pool(cast)
    page = cast.campaign("olga", "state/")
    picture(page, "change-start")
    submit(page, "Start judging")
    submit(cast.campaign("olga", "assignments/balance/"), "Hand out")
    picture(page, "change-handed-out")


def change_form(cast: Cast, topic: str, act: str) -> Locator:
    page = cast.campaign("olga", f"topics/{topic}/view/")
    with page.expect_navigation():
        page.get_by_role("link", name="Amend, drop or remove").press("Enter")
    return page.locator(f"#{act}-form")


def build_pool(cast: Cast) -> Page:
    page = cast.campaign("olga", "pool/")
    with page.expect_navigation():
        page.get_by_role("link", name=re.compile("^Build (the pool|again)")).press("Enter")
    picture(page, "change-pool-plan")
    submit(page, "Build the pool")
    page.wait_for_url(re.compile(r"/pool/$"))
    return page


def judge_all(cast: Cast) -> tuple[str, str]:
    """Both assessors finish all that they have. Who judges topic 2 is named second."""
    for person in ("anna", "ben"):
        judge(cast, person)
    second = Assignment.objects.get(topic__number="2").assessor.username
    return {"anna": "ben", "ben": "anna"}[second], second


def judge(cast: Cast, name: str, *, leaving: Collection[str] = ()) -> None:
    """All that is open for somebody is judged, and finished."""
    page = cast.campaign(name, "work/")
    while page.locator("[data-key=n]").count():
        page.keyboard.press("n")
        page.wait_for_url(re.compile(r"/work/\d+/$"))
        topic = page.locator("h1 .topic").inner_text()
        picture(page, f"change-bench-{name}-{topic}")
        if topic in leaving:
            return
        judge_bench(page, GRADES[topic])
        finish(page)


def judge_bench(page: Page, grades: dict[str, int]) -> None:
    progress = page.locator("[data-progress-words]")
    expect(progress).to_have_text(re.compile(r"^\d+ of \d+ judged"))
    done, _, count, *_ = progress.inner_text().split()
    shown = page.locator("[data-bench-item] .docno").first
    for place in range(int(done) + 1, int(count) + 1):
        came(page)
        docno = shown.inner_text()
        page.keyboard.press(str(grades.get(docno, 0)))
        expect(progress).to_have_text(re.compile(rf"^{place} of {count} judged"))
        if place < int(count):
            expect(shown).not_to_have_text(docno)
    saved(page)


def add_late_run(cast: Cast, place: Path) -> None:
    late = place / "willow.txt"
    lines = [
        f"{topic} Q0 {docno} {rank} {9 - rank} willow"
        for topic, docnos in LATE.items()
        for rank, docno in enumerate(docnos, start=1)
    ]
    late.write_text("\n".join(lines) + "\n", "utf-8")
    page = send_run(cast, "olga", late, team="willow")
    picture(page, "change-late-run")
    page = cast.campaign("olga")
    picture(page, "change-late-overview")
    expect(page.locator("main")).to_contain_text("1 run came in after the pool was built")
    build_pool(cast)
    picture(page, "change-late-pool")


def find_more_to_judge(cast: Cast, name: str) -> None:
    """Overview, first page and list of work say that what was done is open again."""
    page = cast.campaign("olga")
    picture(page, "change-grown-overview")
    expect(page.locator("main")).to_contain_text("open again")
    page = cast.go(name, "/")
    picture(page, "change-grown-home")
    expect(page.locator("main")).to_contain_text("2 of them were done and are open again")
    page = cast.campaign(name, "work/")
    picture(page, "change-grown-work")
    place = page.get_by_role("heading", level=1).bounding_box()
    assert place is not None and place["y"] < 150, "what is said stands at the head of the page"
    expect(page.locator("main")).to_contain_text("2 of your assignments that were done are open again")


def amend(cast: Cast, name: str) -> None:
    """Both wordings stand on the bench of who judged the topic."""
    form = change_form(cast, "2", "amend")
    form.get_by_label("Title").fill(WORDING)
    form.get_by_label("Reason").fill("“Floods” alone was read as river floods.")
    submit_in(form, "Amend the topic")
    picture(form.page, "change-amended")
    page = cast.go(name, "/")
    picture(page, "change-amended-home")
    page = cast.campaign(name, "work/")
    picture(page, "change-amended-work")
    expect(page.locator("#notices")).to_contain_text("Topic 2 was amended. Look again at what you judged of it.")
    read_both_wordings(cast, name)


def read_both_wordings(cast: Cast, name: str) -> None:
    page = cast.campaign(name, "work/")
    with page.expect_navigation():
        page.locator("main").get_by_role("link", name="2", exact=True).first.press("Enter")
    picture(page, f"change-amended-bench-{name}")
    amended = page.locator("#topic-amended")
    expect(amended.locator("del")).to_have_text("protection against floods")
    expect(amended.locator("ins")).to_have_text(WORDING)


def publish_guidelines(cast: Cast, name: str) -> None:
    page = cast.campaign("olga", "settings/guidelines/")
    page.locator("main form textarea").first.fill("Judge what is said, not what is meant.")
    submit(page, "Publish as the next version")
    picture(page, "change-guidelines")
    page = cast.campaign(name, "work/")
    notices = page.locator("#notices")
    expect(notices).to_contain_text("The guidelines were changed: version 2 is in force.")
    picture(page, "change-notice")
    with page.expect_response("**/work/notices/"):
        page.keyboard.press("z")
    expect(notices).to_have_text("")


def replace(cast: Cast, name: str) -> None:
    """All that somebody has is handed over to a third assessor."""
    cast.join("cleo", invite(cast, "assessor"))
    page = cast.campaign("olga", "assignments/")
    page.get_by_label("Only work of").select_option(label=name)
    page.locator("select[name=assessor]").select_option(label="cleo")
    for box in page.locator("input[name=column]").all():
        box.press("Space")
    picture(page, "change-hand-over-form")
    submit(page, "Hand over …")
    picture(page, "change-hand-over-shown")
    submit(page, "Hand over")
    picture(page, "change-handed-over")


def drop(cast: Cast) -> None:
    form = change_form(cast, "4", "drop")
    form.get_by_label("Reason").fill("Nobody can say what is asked.")
    picture(form.page, "change-drop")
    submit_in(form, "Drop the topic")
    picture(form.page, "change-dropped")


def stop(cast: Cast) -> None:
    page = cast.campaign("olga", "freeze/")
    picture(page, "change-freeze-before")
    page = cast.campaign("olga", "state/")
    picture(page, "change-state")
    with page.expect_navigation():
        page.get_by_role("link", name="Stop judging here").press("Enter")
    page.get_by_label("Why does judging stop?").fill("The money is spent.")
    picture(page, "change-stop")
    submit_in(page.locator("#stop-form"), "Stop judging")
    picture(page, "change-stopped")
    page = cast.campaign("olga")
    picture(page, "change-stopped-overview")
    expect(page.locator("main")).to_contain_text("1 assignment ended with 1 item not judged.")
    page = cast.go("cleo", "/")
    picture(page, "change-stopped-home")
    expect(page.locator("main")).to_contain_text("Your assignment is done.")
    page = cast.campaign("anna", "work/")
    picture(page, "change-stopped-work")
    expect(page.locator("main")).to_contain_text("1 done, 1 stopped")


def release(cast: Cast, place: Path, make: str = "Make a release") -> Path:
    page = cast.campaign("olga", "freeze/")
    picture(page, f"change-freeze-{place.stem}")
    submit(page, "Freeze the campaign")
    page = cast.campaign("olga", "release/")
    submit(page, make)
    work_off()
    page = cast.campaign("olga", "release/")
    picture(page, f"change-release-{place.stem}")
    archive = downloaded(page, place)
    page.get_by_role("link", name="Publish …").press("Enter")
    page.wait_for_url(re.compile(r"/publish/$"))
    picture(page, f"change-publish-{place.stem}")
    submit(page, "Publish it")
    picture(page, f"change-published-{place.stem}")
    assert Campaign.objects.get().state == Campaign.State.RELEASED
    verify(archive)
    return archive


def verify(archive: Path) -> None:
    """Nothing in it is other than it says."""
    found = {line.split("\t")[1] for line in printed(scoring, "verify", str(archive)).splitlines()}
    assert found == {"ok", "recomputed"}


def run_names(cast: Cast, place: Path) -> dict[str, str]:
    """The names of runs in releases, by tag."""
    page = cast.campaign("olga", "release/")
    key = downloaded(page, place / "key.tsv", "Key of run names")
    rows = [line.split("\t") for line in key.read_text("utf-8").splitlines()[1:]]
    return {tag: name for name, tag, *_ in rows}


def figures(archive: Path, names: dict[str, str]) -> dict[tuple[str, str, str], float]:
    """Precision and average precision that a release says, by tag, topic and measure."""
    found = {}
    with ZipFile(archive) as release:
        for tag, name in names.items():
            for line in release.read(f"scores/{name}.tsv").decode().splitlines():
                topic, measure, value, *_ = line.split("\t")
                if measure in MEASURES:
                    found[tag, topic, measure] = float(value)
    return found


def by_hand(grades: Mapping[str, Mapping[str, int]]) -> dict[tuple[str, str, str], float]:
    """The same from the grades that were pressed: of the topics that count, and their mean."""
    good = FOLDER / "runs" / "good"
    runs = {tag: ranked((good / f"{tag}.txt").read_text()) for tag in ("maple", "oak")} | {"willow": LATE}
    found = {}
    for tag, answers in runs.items():
        for measure in MEASURES:
            values = {topic: MEASURES[measure](answers[topic], {*grades[topic]}) for topic in ("1", "2", "3")}
            found |= {(tag, topic, measure): value for topic, value in values.items()}
            found[tag, "all", measure] = sum(values.values()) / len(values)
    return found


def ranked(run: str) -> dict[str, list[str]]:
    answers: dict[str, list[str]] = {}
    for line in run.splitlines():
        topic, _, docno, *_ = line.split()
        answers.setdefault(topic, []).append(docno)
    return answers


def correct(cast: Cast, name: str) -> None:
    """A published release is opened for a correction: a judgment that was wrong."""
    page = cast.campaign("olga", "release/")
    with page.expect_navigation():
        page.get_by_role("link", name="Correct what is released").press("Enter")
    page.get_by_label("Why?").fill(MISREAD)
    picture(page, "change-correct")
    submit(page, "Open judging again")
    picture(page, "change-opened")
    picture(cast.campaign("olga", "release/"), "change-release-opened")
    page = cast.campaign(name, "work/")
    picture(page, "change-correct-work")
    page.locator("details.finished summary").press("Enter")
    with page.expect_navigation():
        page.get_by_role("link", name="1", exact=True).press("Enter")
    submit(page, "Take up again")
    page.wait_for_url(re.compile(r"/work/\d+/$"))
    line = page.locator("[data-item]", has=page.locator(".words[title='HIVE-03']"))  # its title stands there
    line.locator("a").press("Enter")
    expect(page.locator("[data-bench-item] .docno").first).to_have_text("HIVE-03")
    came(page)
    page.keyboard.press("2")
    expect(line.locator(".said")).to_have_text("highly relevant")
    saved(page)
    finish(page)


def see_both(cast: Cast, first: Path, second: Path) -> None:
    """Members get both releases, and read which one counts and why."""
    page = cast.campaign("anna", "release/")
    picture(page, "change-both")
    rows = page.locator("#releases-table tbody tr")
    expect(rows).to_have_count(2)
    expect(rows.filter(has_text="Superseded by the release")).to_contain_text(MISREAD)
    expect(rows.filter(has_text="Supersedes the release")).to_contain_text(MISREAD)
    for row, archive in (("Supersedes", second), ("Superseded by", first)):
        link = rows.filter(has_text=f"{row} the release").get_by_role("link", name="Download")
        with page.expect_download() as download:
            link.press("Enter")
        assert Path(download.value.path()).read_bytes() == archive.read_bytes()
    verify(first)
