"""Documents loaded by the site's own import, opened side by side and touched."""

from __future__ import annotations

from pathlib import Path

from django.contrib.auth.models import User
from playwright.sync_api import Frame, Page
from pytest_django.live_server_helper import LiveServer

from assess.documents.domain.loading import load_documents
from assess.models import Campaign, DocumentBody

PAGE_URL = "http://pages.example/2006/01/post.html"
READER = "/c/opinions/documents/{}/view/?view=page"


# More documents beside the first, as the side panel gets them: the same view, the same fragment.
BESIDE = """async (addresses) => {
  const asked = addresses.map((each) => fetch(each, {headers: {"HX-Request": "true"}}).then((answer) => answer.text()));
  for (const fragment of await Promise.all(asked)) {
    const frame = new DOMParser().parseFromString(fragment, "text/html").querySelector("[data-frame]");
    document.querySelector(".reader").append(frame);
  }
}"""


# Touches everything that could be touched: clicks, focus, pointer, submission, in each frame.
TOUCH = """(() => {
  const names = ["click", "mouseover", "mousedown", "focus", "pointerenter", "toggle", "wheel", "keydown"];
  for (const element of document.querySelectorAll("*")) {
    for (const name of names) element.dispatchEvent(new Event(name, {bubbles: true}));
    if (typeof element.click === "function") element.click();
    if (element.localName === "form") { try { element.requestSubmit(); } catch { /* nothing to submit */ } }
  }
})()"""


def load(organiser: User, campaign: Campaign, folder: Path, sources: list[bytes]) -> list[str]:
    """The docnos of these pages, stored by the site's own import."""
    docnos = [f"PAGE-{number:04d}" for number in range(len(sources))]
    with (folder / "pages.trec").open("wb") as file:
        for docno, source in zip(docnos, sources, strict=True):
            head = f"<DOC>\n<DOCNO>{docno}</DOCNO>\n<DOCHDR>\n{PAGE_URL} 0 0 0\nContent-Type: text/html\n</DOCHDR>\n"
            file.write(head.encode() + source + b"\n</DOC>\n")
    loaded = load_documents(actor=organiser, campaign=campaign, sources=[folder / "pages.trec"], wanted=None)
    assert loaded.stored == len(sources)
    assert not DocumentBody.objects.filter(page=None).exists()
    return docnos


def open_documents(page: Page, site: LiveServer, docnos: list[str]) -> list[Frame]:
    """The frames of these documents in the document page of the first, all loaded."""
    addresses = [site.url + READER.format(docno) for docno in docnos]
    page.goto(addresses[0])
    page.evaluate(BESIDE, addresses[1:])
    frames = page.frames[1:]
    for frame in frames:
        frame.wait_for_load_state()
    return frames


def touch(page: Page) -> None:
    """Touch all frames from a world of their own, as an extension would: it runs where pages may run nothing."""
    session = page.context.new_cdp_session(page)
    for child in session.send("Page.getFrameTree")["frameTree"].get("childFrames", []):
        world = session.send("Page.createIsolatedWorld", {"frameId": child["frame"]["id"], "worldName": "touch"})
        expression = {"contextId": world["executionContextId"], "expression": TOUCH, "timeout": 2000}
        session.send("Runtime.evaluate", expression)
    session.detach()


def let(campaign: Campaign, allowed: bool) -> None:
    """Let shown pages load images and stylesheets of the web, or not."""
    campaign.settings = {"remote_resources": allowed}
    campaign.save()
