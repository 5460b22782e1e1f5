"""Where sentences end when they are chosen by keys."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

pytestmark = pytest.mark.browser

SENTENCES = """async (text) => {
  const { sentencesOf } = await import("/static/js/bench/sentences.js");
  return sentencesOf(text).map(([from, to]) => text.slice(from, to));
}"""

CASES = {
    "plain": ("It rained. We stayed! Why?", ["It rained.", "We stayed!", "Why?"]),
    "page marks": (
        "Two kites flew. (p. 1)\nBoth were read. (pp. 2-3) They fell.\n(p. 4) The end.",
        ["Two kites flew. (p. 1)", "Both were read. (pp. 2-3)", "They fell.", "(p. 4) The end."],
    ),
    "a page inside": ("The rise (p. 2) was small. It stopped.", ["The rise (p. 2) was small.", "It stopped."]),
    "figures": (
        "See Fig. 1A and Figs. S2 and S3. In Tab. 4 and No. 5 it falls. He said no. Then he left.",
        ["See Fig. 1A and Figs. S2 and S3.", "In Tab. 4 and No. 5 it falls.", "He said no.", "Then he left."],
    ),
    "abbreviations": (
        "Methods of Smith et al. Were used, e.g. Sorting by Dr. Lee. Fine.",
        ["Methods of Smith et al. Were used, e.g. Sorting by Dr. Lee.", "Fine."],
    ),
    "brackets": (
        "It fell (by how much? Nobody knows) at once. Then (so. it rose. (Well. Done.) Yes.",
        ["It fell (by how much? Nobody knows) at once.", "Then (so. it rose.", "(Well. Done.)", "Yes."],
    ),
    "broken lines": (
        "The doughs were made\nfrom one starter.\nTwelve of them\n\nrose. A heading\nThe text.",
        ["The doughs were made\nfrom one starter.", "Twelve of them", "rose.", "A heading", "The text."],
    ),
    "nothing": (" \n ", []),
}


@pytest.mark.in_firefox_too
def test_sentences_end_where_a_reader_says(page: Page, site: LiveServer) -> None:
    page.goto(f"{site.url}/login/")
    found = {name: page.evaluate(SENTENCES, text) for name, (text, _) in CASES.items()}
    assert found == {name: expected for name, (_, expected) in CASES.items()}
