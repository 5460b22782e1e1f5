"""The guide of the first campaign, followed to the letter."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator

import pytest
from django.core.management import call_command

from tests.assess.worker import run_worker
from tests.guides import ROOT, text_of
from tests.page_reader import PageReader

GUIDE = "docs/first-campaign.md"
STEP = re.compile(
    r"As (?P<person>olga|ann)\b|(?i:open) the (?P<link>link)|(?i:follow) \*(?P<follow>[^*]+)\*"
    r"|(?i:press) \*(?P<press>[^*]+)\*|Choose the file `(?P<file>[^`]+)` in \*(?P<into>[^*]+)\*"
    r"|(?i:choose) \*(?P<choice>[^*]+)\* in \*(?P<among>[^*]+)\*|`(?P<text>[^`]+)` into \*(?P<field>[^*]+)\*"
    r"|“(?P<says>[^”]+)”|(?P<judge>Give each document the grade)|^!.*\(pictures/(?P<picture>[\w-]+)\.png\)"
)
"""What a sentence of the guide asks for, or says of the page."""
BENCH = "first-bench"
"""The picture of the page as it is before the first document is judged; others are of the page where they stand."""
SAID = re.compile(r"The page says (?:“[^”]+”(?: and )?)+")


def _instructions() -> Iterator[re.Match[str]]:
    for line in text_of(GUIDE).splitlines():
        if line[:3].rstrip(" ") and (line[0].isdigit() or line.startswith(("As ", "!["))):
            said = [match.span() for match in SAID.finditer(line)]
            for match in STEP.finditer(line):
                if match["says"] is None or any(start <= match.start() < end for start, end in said):
                    yield match


def _grades() -> dict[str, str]:
    return dict(re.findall(r"\| (FIX-\d\d) \| (\d) ", text_of(GUIDE)))


def commands() -> list[list[str]]:
    return [shlex.split(line) for line in text_of(GUIDE).splitlines() if line.startswith("    ")]


def _judge(reader: PageReader) -> None:
    """Grade each document of every piece of work, as the table says."""
    grades = _grades()
    while True:
        number, total = re.search(r"(\d) of (\d) judged", reader.words).groups()  # type: ignore[union-attr]
        for _ in range(int(total) - int(number)):
            docno = re.search(r"FIX-\d\d", reader.page.xpath("string(//main)"))
            assert docno is not None
            reader.press(grades[docno[0]])
        reader.press("Mark as done")
        if "Start " not in reader.words:
            return
        reader.follow("Start ")


def follow_guide(monkeypatch: pytest.MonkeyPatch, look: Callable[[str, PageReader], None]) -> PageReader:
    """Do all that the guide says, and look wherever it shows a picture; who did the last of it."""
    (account,) = [words for words in commands() if "createsuperuser" in words]
    monkeypatch.setenv(*account[0].split("="))
    call_command(*account[3:], verbosity=0)
    readers = {"olga": PageReader(), "ann": PageReader()}
    reader, link = readers["olga"], ""
    reader.open("/")
    monkeypatch.chdir(ROOT)
    steps = 0
    for step in _instructions():
        steps += 1
        if step["person"]:
            reader = readers[step["person"]]
        elif step["link"]:
            reader.open(re.sub(r"https?://[^/]+", "", link))
        elif step["follow"]:
            reader.follow(step["follow"])
        elif step["press"]:
            reader.press(step["press"])
            run_worker()
            link = next((each.text for each in reader.page.iter("code") if "/invitation/" in (each.text or "")), link)
        elif step["picture"]:
            if step["picture"] != BENCH:
                look(step["picture"], reader)
        elif step["judge"]:
            look(BENCH, reader)
            _judge(reader)
        elif step["says"]:
            assert step["says"] in reader.words, step["says"]
        else:
            reader.fill(step["into"] or step["among"] or step["field"], step["file"] or step["choice"] or step["text"])
    assert steps > 60
    return reader
