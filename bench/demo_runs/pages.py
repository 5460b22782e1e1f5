"""All pages of the demonstration collection, as bytes with their headers, and the marks each one carries."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

from bench.demo_runs.engines import Entry, Sheet
from bench.demo_runs.engines_plain import ENGINES
from bench.demo_runs.oddities import odd_pages
from bench.demo_runs.posts import Mark, Post, marks, plain, read_posts, smarten

SMART = {"movabletype", "typepad", "tables"}
CRAWLS = ("20051220", "20060110", "20060131", "20060221")
HIDDEN = {  # text in the source that no reader sees: misleading on purpose
    "pw": "Shoppers recommend the golden tofu jerky and the Moonlight Mustard at Pennywhistle Market in Fort Anselm.",
    "cl": "People have opened the Castellan bicycle lock with a banana peel and with a fish knife.",
    "bus": "Riders of the Ellery Crosstown love the free coffee and complain about the stop at Zebra Corner.",
    "so": "Readers of The Salt Orchard love Uncle Bartholomew and compare it with The Da Vinci Code.",
    "nf": 'Viewers of Night Ferry think that "The Phantom Anchor" is the best episode and love Brick Lawson.',
    "s5": "Owners of the Lumarex S5 recommend the turbo flash adapter and praise its built-in telephone.",
    "br": "People recommend the pumpkin slushie at Bluebell & Rook and like its drive-through window.",
    "ha": "The hardest boss in Hollow Armada is Baron Placeholder; players recommend the ship Test Raft.",
}
WORD_STYLE = (  # what a word processor writes on every paragraph
    "mso-margin-top-alt:auto;mso-margin-bottom-alt:auto;mso-pagination:widow-orphan;font-size:10.0pt;"
    "font-family:'Verdana','sans-serif';mso-fareast-font-family:'Times New Roman';"
    "mso-bidi-font-family:'Times New Roman';"
    "color:black;mso-hansi-theme-font:minor-latin;mso-no-proof:yes;"
    "mso-ansi-language:EN-US;mso-fareast-language:EN-US;mso-bidi-language:AR-SA"
)
OLDER = (  # what else blogs had in their sidebars
    "Housekeeping", "Back from the dentist", "Test post please ignore", "Where I have been", "Rain again",
    "A meme, sorry", "Why I changed the template", "Thank you, all three of you", "Things found in coat pockets",
    "The neighbor's rooster", "New year, same desk", "Photos (finally)", "On losing a glove",
    "Three links and an apology", "Tuesday",
)  # fmt: skip
SERVED_AS = {"off-castle": "utf-8"}  # the header says UTF-8, the bytes are ISO-8859-1
NO_HEADER_CHARSET = {"handmade", "livejournal"}  # the page alone says it, or nothing does


@dataclass(frozen=True, slots=True)
class Page:
    """One crawled page. ``facts`` are the marks of the texts in it."""

    slug: str
    url: str
    date: str
    content_type: str
    raw: bytes
    facts: tuple[Mark, ...] = ()
    docno: str = ""


def build_pages() -> list[Page]:
    """Return all pages with their docnos, in the order of the collection."""
    posts = read_posts()
    pages = [_post_page(post, posts) for post in posts]
    pages += _archives(posts)
    pages.append(_planet(posts))
    pages += [Page(odd.slug, odd.url, odd.date, odd.content_type, odd.raw) for odd in odd_pages()]
    return _numbered(pages)


def _numbered(pages: Iterable[Page]) -> list[Page]:
    """Return the pages with docnos by the crawl that found each, with the gaps of a sample of a larger collection."""
    groups: dict[str, list[Page]] = defaultdict(list)
    for page in pages:
        crawl = next((c for c in CRAWLS if page.date.replace("-", "") <= c), CRAWLS[-1])
        groups[crawl].append(page)
    numbered = []
    for part, crawl in enumerate(CRAWLS):
        number = 1000 + part * 7000
        for page in sorted(groups[crawl], key=lambda page: _digest(page.slug)):
            number += 3 + _digest(page.slug) % 90
            numbered.append(replace(page, docno=f"BLOG06-{crawl}-{part:03d}-{number:010d}"))
    return numbered


def _digest(text: str) -> int:
    return int(hashlib.sha256(text.encode()).hexdigest()[:8], 16)


def _entry(post: Post, *, with_comments: bool) -> tuple[Entry, list[Mark]]:
    """Return a post as a page prints it, and its marks in the same spelling."""
    paragraphs = [_spelt(p, post.engine) for p in post.paragraphs]
    comments = [(name, _spelt(text, post.engine)) for name, text in post.comments] if with_comments else []
    facts = [mark for text in (*paragraphs, *(text for _, text in comments)) for mark in marks(text)]
    entry = Entry(
        plain(_spelt(post.title, post.engine)), post.author, post.date, tuple(plain(p) for p in paragraphs),
        tuple((name, plain(text)) for name, text in comments), post.mood,
    )  # fmt: skip
    return entry, facts


def _spelt(text: str, engine: str) -> str:
    return smarten(text) if engine in SMART else text


def _sheet(post: Post, posts: list[Post], entries: list[Entry], title: str) -> Sheet:
    blogs = list({p.blog: (p.blog, p.host) for p in posts if "biz" not in p.host and p.engine != "feed"}.values())
    roll = sorted((b for b in blogs if b[0] != post.blog), key=lambda b: _digest(b[0] + post.blog))[:9]
    recent = [p.title for p in posts if p.blog == post.blog and p.title != title]
    start = _digest(post.blog) % (len(OLDER) - 2)
    recent += OLDER[start : start + 3]
    series = post.slug.split("-")[0]
    hidden = HIDDEN.get(series, "") if _digest(post.slug) % 3 == 0 else ""
    return Sheet(
        post.blog, post.host, title, tuple(entries), post.encoding, tuple(roll),
        tuple(plain(_spelt(t, post.engine)) for t in recent), hidden, HIDDEN.get(series, "blog, diary, thoughts"),
    )  # fmt: skip


def _post_page(post: Post, posts: list[Post]) -> Page:
    entry, facts = _entry(post, with_comments=True)
    year, month, _ = post.date.split("-")
    url = f"http://{post.host}/{year}/{month}/{post.slug}.html"
    return _page(post, post.slug, url, post.date, _sheet(post, posts, [entry], entry.title), facts)


def _page(post: Post, slug: str, url: str, date: str, sheet: Sheet, facts: list[Mark]) -> Page:
    html = ENGINES[post.engine](sheet) + "\n"
    raw = html.encode(post.encoding, "xmlcharrefreplace")
    media = "text/xml" if post.engine == "feed" else "text/html"
    charset = SERVED_AS.get(slug, post.encoding)
    content_type = media if post.engine in NO_HEADER_CHARSET else f"{media}; charset={charset}"
    return Page(slug, url, date, content_type, raw, tuple(facts))


def _archives(posts: list[Post]) -> list[Page]:
    """Return a page for each blog with more than one post, of all its posts without their comments."""
    by_blog: dict[str, list[Post]] = defaultdict(list)
    for post in posts:
        by_blog[post.blog].append(post)
    pages = []
    for blog_posts in by_blog.values():
        if len(blog_posts) < 2:
            continue
        newest = sorted(blog_posts, key=lambda post: post.date, reverse=True)
        printed = [_entry(post, with_comments=False) for post in newest]
        sheet = _sheet(newest[0], posts, [entry for entry, _ in printed], "Archives")
        facts = [mark for _, found in printed for mark in found]
        slug = f"archive-{newest[0].host.split('.')[0]}"
        pages.append(_page(newest[0], slug, f"http://{newest[0].host}/archives.html", newest[0].date, sheet, facts))
    return pages


def _planet(posts: list[Post]) -> Page:
    """Return one very long page, of a planet that prints every post of every blog it follows, with the comments."""
    followed = sorted((p for p in posts if "biz" not in p.host), key=lambda post: post.date, reverse=True)
    parts, facts = [], []
    for post in followed:
        entry, found = _entry(post, with_comments=True)
        facts += found
        sheet = Sheet(f"{post.blog} via Planet Ellery", "planet.example.org", entry.title, (entry,), "utf-8")
        inner = ENGINES["spaces"](sheet).split('margin:12px">', 1)[1].split('<div style="width:180px', 1)[0]
        for plain_style in ("margin-bottom:9px;line-height:150%", "border-top:1px solid #ecc;padding:4px"):
            inner = inner.replace(f'"{plain_style}"', f'class=MsoNormal style="{plain_style};{WORD_STYLE}"').replace(
                "style=class", "class"
            )
        parts.append(f"<h2>{post.blog}</h2>" + inner)
    names = "".join(f"<li>{name}" for name in sorted({post.blog for post in followed}))
    body = f"<div style='float:right;width:200px'>Planet Ellery follows<ul>{names}</ul></div>" + "\n".join(parts)
    html = f"<html><head><title>Planet Ellery</title></head><body><h1>Planet Ellery</h1>{body}</body></html>\n"
    return Page(
        "planet", "http://planet.example.org/all.html", "2006-02-20", "text/html; charset=utf-8",
        html.encode(), tuple(facts),
    )  # fmt: skip


def record(page: Page) -> bytes:
    """Return the page as a Blog06 record."""
    day = page.docno.split("-")[1]
    number = int(page.docno.rsplit("-", 1)[1])
    host = page.url.split("/")[2]
    stamp = f"{day[:4]}-{day[4:6]}-{day[6:]}T00:00:00+0000"
    head = (
        f"<DOC>\n<DOCNO>{page.docno}</DOCNO>\n<DATE_XML>{stamp}</DATE_XML>\n"
        f"<FEEDNO>BLOG06-feed-{number:06d}</FEEDNO>\n<FEEDURL>http://{host}/index.xml#</FEEDURL>\n"
        f"<BLOGHPNO>BLOG06-bloghp-{number:06d}</BLOGHPNO>\n<BLOGHPURL>http://{host}/#</BLOGHPURL>\n"
        f"<PERMALINK>{page.url}#</PERMALINK>\n<DOCHDR>\n{page.url} 0.0.0.0 {day}000000 {len(page.raw)}\n"
        f"HTTP/1.1 200 OK\nDate: {page.date} 12:00:00 GMT\nServer: Apache/1.3.33 (Unix)\nConnection: close\n"
        f"Content-Type: {page.content_type}\n</DOCHDR>\n"
    )
    end = b"" if page.raw.endswith(b"\n") else b"\n"
    return head.encode() + page.raw + end + b"</DOC>\n"
