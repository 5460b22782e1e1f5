"""All that somebody who judges receives: pages, fragments, frames and answers of the API, and the numbers in them.

What is told of a run is looked for in three ways: an id as such, wherever it stands and whatever it is wrapped in; the
size of a number against the order of runs; and the order of a list against the order of runs.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from html import unescape
from itertools import combinations
from math import sqrt
from typing import Any

from django.contrib.auth.models import User
from django.core import signing
from django.db import connection
from django.test import Client
from django.urls import reverse

from assess.documents.views.pane import SALT
from assess.items.handles import item_in, settling_scope
from assess.models import Assignment, Campaign, Citation, Item, Response, Run, Segment
from tests import factories
from tests.api_shapes import description

WORKS = int(os.environ.get("ASSAY_BLIND_WORKS", "2"))  # of each stage and role
OPENED = int(os.environ.get("ASSAY_BLIND_OPENED", "1"))  # items, documents and frames of each
FAR = {
    Run: 7_100_000_000,
    Response: 7_200_000_000,
    Segment: 7_300_000_000,
    Citation: 7_400_000_000,
    Item: 7_500_000_000,
}
"""Where ids are made to begin, so that each is known as what it is in whatever text it stands."""
ROWS = 1_000_000
WHOLE = re.compile(r"(?<!\d)\d+(?!\d)")
RANDOM = re.compile(
    r"\b[0-9a-f]{8}-[0-9a-f]{4}-[45][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b|\b(?=[0-9]*[a-f])[0-9a-f]{16,}\b"
)
"""Keys that are drawn, digests, ETags and numbers of requests: among the digits of some thousands there is one of these
numbers now and then.
"""
LARGE = re.compile(r"(?<![\w.-])\d{7,18}(?![\w.-])")
ATTRIBUTE = re.compile(r"""\s([\w-]+)=["']([^"']*)["']""")
LINK = re.compile(r"""(?:href|src|hx-get|data-url)=["']([^"'#]+)""")
TOKEN = re.compile(r"/d/([^/\"'\s]+)/")


def number_from_afar() -> None:
    """Let ids of runs and of what they returned begin where no other number is; of work, too, so that all stays so."""
    with connection.cursor() as cursor:
        for model, first in {**FAR, Assignment: 7_000_000_000}.items():
            table = model._meta.db_table
            if connection.vendor == "postgresql":
                cursor.execute("SELECT setval(pg_get_serial_sequence(%s, 'id'), %s)", [table, first])
                continue
            cursor.execute("DELETE FROM sqlite_sequence WHERE name = %s", [table])
            cursor.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (%s, %s)", [table, first])


@dataclass
class Received:
    """What came of one assignment: every answer by its address, and lists of numbers by what they are lists of.

    ``disagreements`` are those that an adjudicator is given, as the API lists them.
    """

    texts: dict[str, str] = field(default_factory=dict)
    lists: dict[str, list[list[int]]] = field(default_factory=dict)
    disagreements: list[dict[str, Any]] = field(default_factory=list)

    def read(self, client: Client, address: str) -> str:
        """An answer, with its head and with what its tokens hold; "" where there is none."""
        answer = client.get(address)
        if answer.status_code != 200:
            return ""
        body = b"".join(answer) if answer.streaming else answer.content  # type: ignore[arg-type]
        text = body.decode(errors="replace")
        told = [repr(signing.loads(token, salt=SALT)) for token in dict.fromkeys(TOKEN.findall(text))]
        self.texts[address] = "\n".join([*(f"{name}: {value}" for name, value in answer.items()), text, *told])
        return text

    def read_present(self, client: Client, address: str, absent: Absent, about: tuple[str, str, str]) -> str:
        """The same, but "" where another answer about the same was that there is none."""
        text = "" if about in absent else self.read(client, address)
        if not text:
            absent.add(about)
        return text

    def ids(self) -> set[tuple[str, int]]:
        """Every id of a run or of what it returned, with the address at which it is told."""
        found = set()
        for address, text in self.texts.items():
            for number in {int(word[:15]) for word in WHOLE.findall(RANDOM.sub("", address + text))}:
                if any(first < number < first + ROWS for first in FAR.values()):
                    found.add((address, number))
        return found

    def numbers(self) -> set[int]:
        """Every whole number of some size that stands in an attribute, a token or a value of JSON."""
        found: set[int] = set()
        for text in self.texts.values():
            values = [value for _, value in ATTRIBUTE.findall(text)] + re.findall(
                r"(?<=[:\[,(])\s*\d{7,}(?=[,}\])])", text
            )
            for value in values:
                found |= {int(word) for word in LARGE.findall(value)}
        return {number for number in found if number // ROWS != 7_000}


def works_of(campaign: Campaign) -> list[Assignment]:
    """Some assignments of every stage and role."""
    taken: dict[tuple[str, str], list[Assignment]] = {}
    for work in campaign.assignments.select_related("topic", "assessor").order_by("pk"):
        taken.setdefault((work.stage, work.role), []).append(work)
    return [work for works in taken.values() for work in works[-WORKS:]]


def add_work(campaign: Campaign, newcomer: User) -> None:
    """The same work of two topics of each stage for somebody who has not begun yet."""
    for stage in dict.fromkeys(campaign.assignments.order_by("pk").values_list("stage", flat=True)):
        for work in campaign.assignments.filter(stage=stage, role="primary").order_by("pk")[:WORKS]:
            factories.assignment(work.topic, stage, newcomer, role="second")


def documents_numbers(campaign: Campaign) -> set[int]:
    """Numbers that stand in the names and texts of what is judged: documents, and items, have them wherever shown."""
    rows = [*Item.objects.filter(topic__campaign=campaign).values_list("docno", "text", "key", "fields")]
    words = [
        *campaign.documents.values_list("docno", "title", "url", "fields"),
        *campaign.topics.values_list("number", "text", "fields"),
    ]
    return {int(word) for row in (*rows, *words) for each in row for word in LARGE.findall(str(each))}


Absent = set[tuple[str, str, str]]
"""What was asked for and was not there: the stage of work, its role and state, the address without its numbers."""


def received(client: Client, work: Assignment, absent: Absent) -> Received:
    """What its assessor can get of an assignment, but what was ``absent`` for other work of its stage."""
    client.force_login(work.assessor)
    found = Received()
    slug = work.campaign.slug
    bench = reverse("workbench", args=[slug, work.pk])
    of = f"{work.role}, {work.state}"
    page = found.read(client, bench)
    _take_lists(found, page)
    for address in _some([link for link in _links(page, bench) if "item=" in link or "document" in link]):
        _follow(found, client, address)
    for path, address in api_addresses("/assignments/{", slug=slug, work=work.pk):
        if text := found.read_present(client, address, absent, (work.stage, of, path)):
            _take_json(found, address.rsplit("/", 2)[1], json.loads(text))
    for number in _some(
        found.lists.get("lines", [[]])[0] + [n for unit in found.lists.get("strings", []) for n in unit]
    ):
        for place in ("items", "strings", "classes/answers"):
            address = f"{bench}{place}/{number}/" + ("document/" if place.startswith("cl") else "")
            _frames(found, client, found.read_present(client, address, absent, (work.stage, of, place)))
    return found


def received_at_desk(client: Client, campaign: Campaign, person: User, absent: Absent) -> Received:
    """What somebody can get who settles the disagreements of a campaign, but what was ``absent`` for another."""
    client.force_login(person)
    found = Received()
    page = found.read(client, reverse("adjudication", args=[campaign.slug]))
    for bench in [link for link in _links(page, reverse("adjudication", args=[campaign.slug])) if link.count("/") > 4]:
        listed = found.read(client, bench)
        for name in _some(re.findall(r'<li data-item="([\d-]+)', listed)):
            _follow(found, client, f"{bench.partition('?')[0]}items/{name}/")
    for path, address in api_addresses("/campaigns/{slug}/", slug=campaign.slug, work=0):
        text = found.read_present(client, address, absent, ("", "adjudicator", path))
        if text.startswith(("{", "[")):
            _take_json(found, address.rsplit("/", 2)[1], json.loads(text))
    return found


def desks(found: Received, campaign: Campaign, person: User) -> Iterator[tuple[str, Received, Callable[[int], int]]]:
    """By stage, what somebody who settles received, with the way from a number back to the item.

    Topics stand in their own order, and nuggets in a topic by number: what is drawn is the order within these.
    """
    by_stage: dict[str, dict[tuple[object, ...], list[int]]] = {}
    for row in found.disagreements:
        if row["item"] is not None:
            about = (row["criterion"], row["topic"], row["number"])
            by_stage.setdefault(row["stage"], {}).setdefault(about, []).append(row["item"])
    for stage, lists in by_stage.items():
        back = partial(item_in, settling_scope(campaign.pk, stage, person.pk))
        yield stage, Received(lists={"desk": list(lists.values())}), back


def api_addresses(start: str, *, slug: str, work: int) -> Iterator[tuple[str, str]]:
    """Every address of the API that can be read and has this in its path, each after its path as it is described."""
    for path, operations in description()["paths"].items():
        filled = (
            re.sub(r"{(assignment_pk|id)}", str(work), path.replace("{slug}", slug))
            if work
            else path.replace("{slug}", slug)
        )
        if start in path and "get" in operations and "{" not in filled:
            yield path, f"{filled}?limit=500"


def _follow(found: Received, client: Client, address: str) -> None:
    """A page or fragment, and what it frames."""
    _frames(found, client, found.read(client, address))


def _frames(found: Received, client: Client, text: str) -> None:
    """What a page or fragment frames."""
    for token in _some(list(dict.fromkeys(TOKEN.findall(text)))):
        found.read(client, reverse("document-page", args=[token]))


def _links(page: str, start: str) -> list[str]:
    """Addresses that the page leads to, below a start."""
    found = (unescape(link) for link in LINK.findall(page))
    return list(dict.fromkeys(link for link in found if link.startswith((start, "/d/"))))


def _some(things: Sequence[str] | Sequence[int]) -> list[str] | list[int]:
    step = max(1, len(things) // OPENED)
    return list(things[::step][:OPENED])  # type: ignore[return-value]


def _take_lists(found: Received, page: str) -> None:
    """The lists of a bench: lines of one item each, strings response by response, labels, answers."""
    sections = re.split(r'<section class="response"', page)
    for section in sections[1:]:
        found.lists.setdefault("strings", []).append([int(n) for n in re.findall(r'data-string="(\d+)"', section)])
    for name, pattern in (
        ("lines", r'<li data-item="(\d+)"'),
        ("labels", r'<li data-label="(\d+)"'),
        ("answers", r'data-row="item-(\d+)"'),
    ):
        if numbers := [int(number) for number in re.findall(pattern, page)]:
            found.lists.setdefault(name, []).append(numbers)


def _take_json(found: Received, part: str, content: object) -> None:
    """The lists of numbers of items in an answer of the API."""
    if part == "responses" and isinstance(content, dict):
        for response in content["results"]:
            found.lists.setdefault("API responses", []).append([string["item"] for string in response["strings"]])
        return
    if part == "disagreements" and isinstance(content, dict):
        found.disagreements += content["results"]
        return
    numbers = [number for number in _items_in(content, "id" if part == "items" else "item") if isinstance(number, int)]
    if numbers:
        found.lists.setdefault(f"API {part}", []).append(list(dict.fromkeys(numbers)))


def _items_in(content: object, name: str) -> Iterator[object]:
    if isinstance(content, dict):
        for key, value in content.items():
            if key == name or (key == "items" and isinstance(value, list)):
                yield from value if isinstance(value, list) else [value]
            else:
                yield from _items_in(value, name)
    elif isinstance(content, list):
        for value in content:
            yield from _items_in(value, name)


# ---------------------------------------------------------------- the order of runs

Compared = tuple[str, str, Sequence[object], Sequence[object]]
"""What is compared, of which list, and both orders."""


def run_places(campaign: Campaign) -> dict[int, tuple[int, int]]:
    """Where each item was first returned, by its id: the response, and the place in it.

    Of rankings no response is stored: their items are, in the order in which runs are read for a pool.
    """
    places: dict[int, tuple[int, int]] = {}
    for model, response in ((Segment, "response_id"), (Citation, "segment__response_id"), (Response, "pk")):
        ordinal = "ordinal" if model is Segment else "pk"
        rows = model._default_manager.filter(item__topic__campaign=campaign)
        for item, first, second in rows.values_list("item", response, ordinal):
            places[item] = min(places.get(item, (first, second)), (first, second))
    if not places:
        return {item: (item, 0) for item in Item.objects.filter(topic__campaign=campaign).values_list("pk", flat=True)}
    return places


DEVIATIONS = 4.5
"""What no list reaches by chance: once in 150,000, and some hundred lists are looked at."""
DRAWN = {"lines", "strings", "desk", "API items", "API responses", "API judgments", "API reviews"}
"""The lists that a draw puts in order. Others stand by the alphabet, or as their author put them."""


def by_runs(found: Received, places: dict[int, tuple[int, int]], item_of: Callable[[int], int]) -> Iterator[Compared]:
    """Every list of numbers against the order of runs: the size of each number, and the place where it stands.

    Responses are drawn as wholes: their strings stand as they were written.
    """
    for name, lists in found.lists.items():
        known = [[(number, places[item_of(number)]) for number in each if item_of(number) in places] for each in lists]
        for each in known:
            yield "size", name, [number for number, _ in each], [place for _, place in each]
        if name in ("strings", "API responses"):
            wholes = [min(place for _, place in each)[0] for each in known if each]
            yield "order", name, range(len(wholes)), wholes
        elif name in DRAWN:
            for each in known:
                yield "order", name, range(len(each)), [place for _, place in each]


@dataclass
class Concordance:
    """Pairs that stand as another order has them, less those that do not, with what chance would make of them.

    Kendall's S, summed over lists, with its variance where either order has ties (Kendall 1970, 4.3).
    """

    pairs: int = 0
    score: int = 0
    variance: float = 0.0

    def add(self, first: Sequence[object], second: Sequence[object]) -> None:
        """One more list, by what two orders say of each of its members."""
        for one, other in combinations(range(len(first)), 2):
            self.score += _sign(first[one], first[other]) * _sign(second[one], second[other])
            self.pairs += 1
        self.variance += _variance(first, second)

    @property
    def deviations(self) -> float:
        """How many standard deviations the score is from nothing."""
        return self.score / sqrt(self.variance) if self.variance else 0.0


def _sign(one: object, other: object) -> int:
    return int(one < other) - int(one > other)  # type: ignore[operator]


def _variance(first: Sequence[object], second: Sequence[object]) -> float:
    n = len(first)
    if n < 2:
        return 0.0
    ties = [_tied(first), _tied(second)]

    def third(size: int) -> int:
        return size * (size - 1) * (2 * size + 5)

    def cubes(size: int) -> int:
        return size * (size - 1) * (size - 2)

    found = (third(n) - sum(sum(map(third, tied)) for tied in ties)) / 18
    if n > 2:
        found += sum(map(cubes, ties[0])) * sum(map(cubes, ties[1])) / (9 * cubes(n))
    halves = [sum(size * (size - 1) for size in tied) for tied in ties]
    return found + halves[0] * halves[1] / (2 * n * (n - 1))


def _tied(values: Iterable[object]) -> list[int]:
    counted: dict[object, int] = {}
    for value in values:
        counted[value] = counted.get(value, 0) + 1
    return list(counted.values())
