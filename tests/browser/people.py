"""People of one campaign, each logged in to a browser of their own, who go through its pages by keys alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from assess.jobs.background import do_job
from assess.models import Assignment, Job
from tests.browser.conftest import PATIENCE_MS, USUAL_MS
from tests.browser.keyboard import choose_file, follow, go_to, picture, press_button


class People:
    """Opens pages as somebody; what is typed there is up to the test."""

    def __init__(self, *, browser: Browser, options: dict[str, Any], site: LiveServer, slug: str) -> None:
        self.browser, self.options, self.site, self.slug = browser, options, site, slug
        self.pages: dict[str, Page] = {}

    def page(self, name: str) -> Page:
        """The browser of this person, logged in."""
        if name not in self.pages:
            client = Client()
            client.force_login(User.objects.get(username=name))
            context = self.browser.new_context(**self.options, accept_downloads=True)
            cookie = client.cookies["sessionid"].value
            context.add_cookies([{"name": "sessionid", "value": cookie, "url": self.site.url}])
            self.pages[name] = context.new_page()
        return self.pages[name]

    def home(self, name: str) -> Page:
        """The campaign as this person finds it when they come to it."""
        page = self.page(name)
        page.goto(f"{self.site.url}/c/{self.slug}/")
        return page

    def at(self, name: str, *links: str) -> Page:
        """The page to which these links lead, one after the other: from where this person is, since all pages have the
        menu, else from the campaign's first page.
        """
        page = self.page(name)
        if not page.get_by_role("link", name=links[0], exact=True).count():
            page = self.home(name)
        for link in links:
            follow(page, link)
        return page

    def judge_all(self, name: str, acts: Mapping[str, Callable[[Page], None]]) -> list[tuple[str, str]]:
        """Take up with n what lies on *Work*, until nothing does, and do there what the stage asks; work that is done
        leads back to *Work*.
        """
        done: list[tuple[str, str]] = []
        page = self.at(name, "Work")
        while page.locator("[data-key=n]").count():
            page.keyboard.press("n")
            page.wait_for_url(re.compile(r"/work/\d+/"))
            page.wait_for_load_state()
            work = Assignment.objects.get(pk=int(re.findall(r"/work/(\d+)/", page.url)[0]))
            assert (work.topic.number, work.stage) not in done
            picture(page, f"{self.slug}-{work.stage}-{name}")
            acts[work.stage](page)
            expect(page).to_have_url(re.compile(r"/work/$"))
            done.append((work.topic.number, work.stage))
        return done

    def close(self) -> None:
        for page in self.pages.values():
            page.context.close()


def open_people(*, browser: Browser, options: dict[str, Any], site: LiveServer, slug: str) -> Iterator[People]:
    """People with patience: a busy machine takes its time with real pages."""
    expect.set_options(timeout=PATIENCE_MS)
    found = People(browser=browser, options=options, site=site, slug=slug)
    yield found
    found.close()
    expect.set_options(timeout=USUAL_MS)


def work_off() -> None:
    """What waits for the background worker."""
    for work in Job.objects.filter(state=Job.State.WAITING):
        do_job(work.pk)


def set_release_date(page: Page, moment: str) -> None:
    """On *Settings*: type when the topics are released, as month, day, year, hour, minute and half of the day."""
    field = page.get_by_label("Topics from")
    go_to(page, field)
    for part in moment.split():
        page.keyboard.type(part)
        if len(part) > 2:
            page.keyboard.press("ArrowRight")  # a year may have more digits
    press_button(page, "Save the release dates")
    expect(page.get_by_text("The release dates are saved.")).to_be_visible()


def download(page: Page, name: str) -> bytes:
    """What the link with this name gives out."""
    link = page.get_by_role("link", name=name, exact=False).first
    go_to(page, link)
    with page.expect_download() as found:
        page.keyboard.press("Enter")
    return Path(found.value.path()).read_bytes()


def submit_run(people: People, name: str, path: Path, **said: str) -> None:
    """Submit a file with what is typed into fields, or chosen by its first letters; it is accepted."""
    page = people.at(name, "My runs", "Submit or check a run")
    choose_file(page, "Run file", path)
    for label, text in said.items():
        go_to(page, page.get_by_label(label.replace("_", " ")).first)
        page.keyboard.type(text)
    go_to(page, page.get_by_role("button", name="Submit", exact=True))
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/runs/\d+/$"))
    work_off()
    page.reload()
    picture(page, f"run-{path.stem}")
    expect(page.locator("main .page-bar")).to_contain_text("accepted")


def build_pools(people: People, name: str, *, count: int) -> None:
    """Build the pool of each task, once it was seen what would be pooled."""
    for number in range(count):
        page = people.at(name, "Pools")
        picture(page, f"pool-{number}")
        follow(page, "Build the pool …")
        expect(page.get_by_text("new and will be judged")).to_be_visible()
        picture(page, f"pool-build-{number}")
        press_button(page, "Build the pool of")
        page.wait_for_url(re.compile(r"/pool/$"))
        work_off()
    page = people.at(name, "Pools")
    expect(page.get_by_text("The pool is not built")).to_have_count(0)
    picture(page, "pool-built")


def open_judging(people: People, name: str) -> None:
    page = people.at(name, "Overview", "Change state")
    press_button(page, "Start judging")
    expect(page.locator("main")).to_contain_text("judging")


def hand_out(people: People, name: str) -> None:
    page = people.at(name, "Work")
    follow(page, "Hand them out evenly …")
    picture(page, "balance")
    press_button(page, "Hand out")
    expect(page.get_by_text("handed out").first).to_be_visible()


def read_scores(people: People, name: str, topic: str) -> dict[str, dict[str, str]]:
    """The table on *Scores* of one topic, which is chosen by its number: run -> heading -> what stands there."""
    page = people.at(name, "Scores")
    if topic != "all":
        go_to(page, page.locator("#score-topic"))
        page.keyboard.type(f"{topic} ")
        press_button(page, "Show")
        page.wait_for_url(re.compile(rf"topic={re.escape(topic)}\b"))
    picture(page, f"scores-{topic}")
    heads = [head.strip() for head in page.locator("#scores-table thead tr").last.locator("th").all_inner_texts()]
    found = {}
    for row in page.locator("#scores-table tbody tr").all():
        run, *cells = row.locator("th, td").all_inner_texts()
        found[run.strip()] = dict(zip(heads[1:], [cell.split("/")[0].strip() for cell in cells], strict=True))
    return found
