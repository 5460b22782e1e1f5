"""Which texts of a page a screen reader would read in the language of the page itself."""

from __future__ import annotations

from html.parser import HTMLParser

from assess.models import Campaign, Item
from assess.topics.queries import topic_context
from nuggets.writing.models import Nugget

VOID = frozenset({"base", "br", "col", "hr", "img", "input", "link", "meta", "source", "track", "wbr"})
UNREAD = frozenset({"script", "style", "template", "title"})


class _Read(HTMLParser):
    """Collects the text of elements that inherit the language of the page."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[tuple[str, bool]] = []
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            own = "lang" in dict(attrs) and tag != "html"
            self.open.append((tag, own or tag in UNREAD or (bool(self.open) and self.open[-1][1])))

    def handle_endtag(self, tag: str) -> None:
        while any(name == tag for name, _ in self.open) and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if not (self.open and self.open[-1][1]):
            self.found.append(data)


def in_the_pages_language(page: str) -> str:
    """Return the text of a page that has the page's language, with single spaces, and nothing of what has its own."""
    reader = _Read()
    reader.feed(page)
    return " ".join("".join(reader.found).split())


def beginnings(campaign: Campaign) -> set[str]:
    """Return how the topics, nuggets and judged texts of a campaign begin, those long enough to be known again."""
    topics = list(campaign.topics.select_related("campaign", "parent"))
    texts = {each.text for each in topics}
    texts |= {text for each in topics for part in topic_context(each) for _, text in part.lines}
    texts |= set(Nugget.objects.filter(nugget_list__topic__campaign=campaign).values_list("text", flat=True))
    texts |= set(Item.objects.filter(topic__campaign=campaign).values_list("text", flat=True))
    return {" ".join(each.split())[:30] for each in texts if len(each.split()) > 3}
