"""What plays of a whole campaign on pages share: people, each in a browser of their own, and what they do on forms."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, expect
from pytest_django.live_server_helper import LiveServer

from assess.jobs.background import do_job
from assess.models import Job

FOLDER = Path(__file__).resolve().parent.parent / "data" / "tracks" / "adhoc"
PASSWORD = "a-long-phrase-4-tests"
SLUG = "town"


class Cast:
    """The people, each in a browser of their own."""

    def __init__(self, browser: Browser, site: LiveServer) -> None:
        self.browser, self.site = browser, site
        self.pages: dict[str, Page] = {}

    def page(self, name: str) -> Page:
        if name not in self.pages:
            context = self.browser.new_context(viewport={"width": 1280, "height": 720})
            self.pages[name] = context.new_page()
        return self.pages[name]

    def go(self, name: str, path: str) -> Page:
        page = self.page(name)
        page.goto(path if path.startswith("http") else self.site.url + path)
        return page

    def campaign(self, name: str, path: str = "") -> Page:
        return self.go(name, f"/c/{SLUG}/{path}")

    def log_in(self, name: str) -> None:
        page = self.go(name, "/login/")
        page.get_by_label("Username").fill(name)
        page.get_by_label("Password").fill(PASSWORD)
        page.keyboard.press("Enter")
        page.wait_for_url(lambda url: "/login/" not in url)

    def join(self, name: str, link: str) -> Page:
        """Open an invitation, make an account and be a member."""
        page = self.go(name, link)
        page.get_by_label("Your name here").fill(name)
        for field in page.locator("input[type=password]").all():
            field.fill(PASSWORD)
        page.keyboard.press("Enter")
        page.wait_for_url(re.compile(rf"/c/{SLUG}/"))
        return page


def work_off() -> None:
    """What waits for the background worker."""
    for work in Job.objects.filter(state=Job.State.WAITING):
        do_job(work.pk)


def submit(page: Page, name: str) -> None:
    """Press Enter on the button with this name, and wait for the page to which that leads: until then, nothing is sure
    to be stored.
    """
    with page.expect_navigation():
        page.get_by_role("button", name=name, exact=False).first.press("Enter")


def invite(cast: Cast, role: str, team: str = "") -> str:
    """A link that makes whoever opens it a member."""
    page = cast.campaign("olga", "people/")
    form = page.locator("form[action$='/people/invite/']")
    form.get_by_label("Role").select_option(role)
    if team:
        form.get_by_label("Team").fill(team)
    submit_in(form, "Make a link")
    return page.locator("#invitation-link").inner_text()


def submit_in(form: Locator, name: str) -> None:
    with form.page.expect_navigation():
        form.get_by_role("button", name=name).press("Enter")


def make_campaign(cast: Cast) -> None:
    cast.log_in("olga")
    page = cast.go("olga", "/campaigns/new/")
    page.get_by_label("Title").fill("Town")
    page.get_by_label("Short name").fill(SLUG)
    page.get_by_label("Track").select_option("adhoc")
    submit(page, "Make the campaign")


def load_topics(cast: Cast, file: Path) -> Page:
    page = cast.campaign("olga", "topics/")
    page.locator("input[type=file]").set_input_files(file)
    submit(page, "Load")
    return page


def load_documents(cast: Cast) -> Page:
    page = cast.campaign("olga", "documents/")
    form = page.locator("form[action$='/documents/load/']")
    form.locator("input[type=file]").set_input_files(sorted((FOLDER / "documents").iterdir()))
    form.get_by_label("Store").select_option("all")
    submit_in(form, "Load documents")
    work_off()
    return cast.campaign("olga", "documents/")


def send_run(cast: Cast, name: str, file: Path, *, team: str = "") -> Page:
    """Submit a run whose tag is the name of its file; an organiser says for which team. It is accepted."""
    page = cast.campaign(name, "runs/new/")
    page.locator("input[type=file]").set_input_files(file)
    page.get_by_label("Run tag").fill(file.stem)
    if team:
        page.get_by_label("Team").fill(team)
    page.get_by_role("button", name="Submit", exact=True).press("Enter")
    page.wait_for_url(re.compile(r"/runs/\d+/$"))
    work_off()
    page.reload()
    expect(page.locator("main .page-bar")).to_contain_text("accepted")
    return page


def downloaded(page: Page, place: Path, name: str = "Download") -> Path:
    """What the first link with this name gives, kept in this file."""
    with page.expect_download() as download:
        page.get_by_role("link", name=name).first.press("Enter")
    download.value.save_as(place)
    return place
