"""Compare importing pages with `bleach.clean` of the same pages, in one run.

    python bench/bench_pages.py [FOLDER] [--pages 60] [--repeat 3] [--json FILE]

FOLDER holds .html files; without one, pages like those of blogs are generated. Prints both times, MB/s and the ratio.
Importing does more: it keeps the whole document with its stylesheets, and finds the viewable text.
"""

# ruff: noqa: E501, SIM905 - tables read better in long lines
from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import bleach

from assess.rendering.render import render_document
from bench.figures import Figure, add_json_option, ratios, write

PREPARING = Figure(name="preparing", what="preparing pages", against="`bleach.clean` of the same pages", asked=1.0)
FIGURES = (PREPARING,)

WORDS = (
    "wine cheese store people like cheap friendly staff weekend snow blog post comment market really think great never "
    "again open coffee house review price quality"
).split()
TAGS = [
    "a",
    "b",
    "blockquote",
    "br",
    "div",
    "em",
    "h2",
    "h3",
    "img",
    "li",
    "p",
    "span",
    "strong",
    "table",
    "td",
    "tr",
    "ul",
]


def generated_page(number: int) -> bytes:
    """Return a page of about 18 kB like those of blogs in 2006: with a stylesheet, posts, comments and a script."""
    rng = random.Random(number)

    def sentence(length: int) -> str:
        return " ".join(rng.choice(WORDS) for _ in range(length)).capitalize() + "."

    posts = "".join(
        f'<div class="post" id="p{n}"><h3><a href="/2006/{n}.html" title="t">{sentence(5)}</a></h3>'
        f'<p style="margin: 1em">{sentence(60)} <b>{sentence(4)}</b></p><p>{sentence(80)}<br>{sentence(40)}</p>'
        f'<blockquote>{sentence(30)}</blockquote><img src="/i/{n}.gif" alt="i" onclick="x()"><ul>'
        + "".join(
            f'<li class="comment">{sentence(25)} &amp; <a href="http://c{k}.example/">{k}</a></li>' for k in range(6)
        )
        + "</ul></div>"
        for n in range(8)
    )
    style = "".join(
        f".post .c{n} {{ color: #33{n:02d}33; margin: {n}px; background: url(/i/{n}.png) }}\n" for n in range(30)
    )
    head = f"<title>{sentence(4)}</title><style>{style}.hide{{display:none}}</style><script>var x = '<b>' + {number};</script>"
    return f"<!DOCTYPE html><html><head>{head}</head><body>{posts}<div class=hide>x</div></body></html>".encode()


def seconds(work: Callable[[bytes], object], pages: list[bytes]) -> float:
    """Return how many seconds ``work`` takes for all pages."""
    start = time.perf_counter()
    for page in pages:
        work(page)
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--pages", type=int, default=60)
    parser.add_argument("--repeat", type=int, default=3)
    add_json_option(parser)
    options = parser.parse_args()
    if options.folder:
        pages = [path.read_bytes() for path in sorted(options.folder.rglob("*.html"))[: options.pages]]
    else:
        pages = [generated_page(number) for number in range(options.pages)]
    if not pages:
        parser.error(f"no .html file in {options.folder}")
    size = sum(map(len, pages)) / 1e6

    def ours(raw: bytes) -> object:
        return render_document(raw, media_type="text/html", charset=None, url="http://blog.example/1.html")

    def theirs(raw: bytes) -> object:
        return bleach.clean(raw.decode("utf-8", "replace"), tags=TAGS, strip=True)

    imports, cleanings = zip(
        *((seconds(ours, pages), seconds(theirs, pages)) for _ in range(options.repeat)), strict=True
    )
    import_time, bleach_time = min(imports), min(cleanings)
    print(f"pages\t{len(pages)}\t{size:.2f} MB")
    print(f"import\t{import_time:.2f} s\t{size / import_time:.2f} MB/s")
    print(f"bleach.clean\t{bleach_time:.2f} s\t{size / bleach_time:.2f} MB/s")
    print(f"ratio import / bleach.clean\t{import_time / bleach_time:.2f}")
    of = "real pages" if options.folder else "generated pages"
    write(options.json, [PREPARING.measured(ratios(imports, cleanings), size=len(pages), of=of, took=imports)])


if __name__ == "__main__":
    main()
