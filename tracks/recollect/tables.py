"""The large tables of a release, kept on the disk: items, members of pools, and the strings that runs returned."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import IO, Any

from assess.protocol import RunContent
from scoring.reading.kept_rows import KeptRows
from scoring.release.releases import ITEMS, LEFT_ITEMS, POOLS, Release
from tracks.recollect.rows import Unlike, blocks_of

AT_ONCE = 10_000

ItemRow = tuple[str, str, str, Any]  # key, text, docno, fields
StringRow = tuple[str, int, str, str, str]  # run, ordinal, key, docno, text


class Tables:
    """Items, members of pools and what runs returned, by topic and kind, and judged strings by topic.

    Of the items that runs returned, only those with fields are stored. All that is needed of the others is in the
    judgments of them. ``left`` are the items that left the pools.
    """

    def __init__(self, kept: IO[bytes]) -> None:
        self.items: KeptRows[tuple[str, str], ItemRow] = KeptRows(kept, at_once=AT_ONCE)
        self.left: KeptRows[tuple[str, str], ItemRow] = KeptRows(kept, at_once=AT_ONCE)
        self.pooled: KeptRows[tuple[str, str], str] = KeptRows(kept, at_once=AT_ONCE)
        self.returned: KeptRows[tuple[str, str], ItemRow] = KeptRows(kept, at_once=AT_ONCE)
        self.strings: KeptRows[str, StringRow] = KeptRows(kept, at_once=AT_ONCE)
        self.alone: list[tuple[str, str, str, str]] = []  # topic, kind, key, text
        self.answered: set[str] = set()  # the topics of which runs returned items

    def check(self, topics: Collection[str]) -> dict[str, set[str]]:
        """Return the keys of the items that left the pools, by topic.

        Refuses (`Unlike`) an item that occurs twice or has no topic, and a member of a pool that is not an item.
        """
        is_member_twice = is_stranger = is_unpooled = False
        for place in self.items.groups() | self.pooled.groups():
            keys, members = [row[0] for row in self.items.of(place)], list(self.pooled.of(place))
            known, pooled = set(keys), set(members)
            if len(known) < len(keys):
                raise Unlike(ITEMS, "it says an item twice")
            is_member_twice |= len(pooled) < len(members)
            is_stranger |= not pooled <= known
            is_unpooled |= not known <= pooled
        left: dict[str, set[str]] = {}
        for place in self.left.groups():
            keys = [row[0] for row in self.left.of(place)]
            if len(set(keys)) < len(keys) or not {row[0] for row in self.items.of(place)}.isdisjoint(keys):
                raise Unlike(LEFT_ITEMS, "it says an item twice")
            left.setdefault(place[0], set()).update(keys)
        if strange := ({topic for topic, _ in self.items.groups()} | self.answered) - set(topics):
            raise Unlike(ITEMS, f"it has items of {min(strange)[:40]}, which is no topic of the release")
        if is_member_twice:
            raise Unlike(POOLS, "it says a member of a pool twice")
        if is_stranger:
            raise Unlike(POOLS, f"it has members that {ITEMS} does not have")
        if is_unpooled:
            raise Unlike(ITEMS, f"it has items that are in no pool of {POOLS}")
        return left


def filled_tables(
    release: Release,
    kept: IO[bytes],
    *,
    runs: Sequence[RunContent],
    tasks: Container[tuple[str, str]],
    asked: Container[str],
) -> Tables:
    """Return the tables, filled from the files of items, pools.jsonl and the runs, in the file ``kept``.

    ``tasks`` holds (topic, task) for the topics that count. Judged strings are stored only for the topics in ``asked``.
    Refuses (`Unlike`) a pool of another topic's task.
    """
    tables = Tables(kept)
    tables.items.extend_blocks(_listed(release, ITEMS, tables.alone))
    tables.left.extend_blocks(_listed(release, LEFT_ITEMS, tables.alone))
    tables.pooled.extend_blocks(_pooled(release, tasks))
    for run in runs:
        strings = run.strings()
        if strings is None:
            found: list[tuple[str, StringRow]] = []
            tables.returned.extend(_returned(run, tables, asked, found))
            tables.strings.extend(found)
        else:
            for topic, same in groupby(strings, key=itemgetter(0)):
                tables.answered.add(topic)
                if topic in asked:
                    tables.strings.extend_blocks([(topic, [(run.run, *row[1:]) for row in same])])
        tables.returned.extend(_whole(run, tables))
    return tables


def _listed(
    release: Release, name: str, alone: list[tuple[str, str, str, str]]
) -> Iterator[tuple[tuple[str, str], list[ItemRow]]]:
    """Yield the rows of a file of items by topic and kind.

    Items that belong to one response alone and that no run returned are added to ``alone``.
    """
    for _, block in blocks_of(release, name):
        for (topic, kind), same in groupby(block, key=itemgetter(6, 4)):
            rows: list[ItemRow] = []
            for docno, fields, given, key, _, text, _ in same:
                rows.append((key, text, docno, fields))
                if given is True and "@" in key:
                    alone.append((topic, kind, key, text))
            yield (topic, kind), rows


def _pooled(release: Release, tasks: Container[tuple[str, str]]) -> Iterator[tuple[tuple[str, str], list[str]]]:
    """Yield the keys of pools.jsonl by topic and kind. Refuses (`Unlike`) a pool of another topic's task."""
    for first, block in blocks_of(release, POOLS):
        for number, row in enumerate(block, start=first):
            if (row[6], row[5]) not in tasks:
                raise Unlike(POOLS, f"line {number} is of no topic of its task")
        for (topic, kind), same in groupby(block, key=itemgetter(6, 1)):
            yield (topic, kind), [row[0] for row in same]


def _returned(
    run: RunContent, tables: Tables, asked: Container[str], strings: list[tuple[str, StringRow]]
) -> Iterator[tuple[tuple[str, str], ItemRow]]:
    """Yield ((topic, kind), item) for those items of a run's segments and citations that have fields.

    So that no file is read twice, the topics with judged segments are added to ``tables.answered`` meanwhile, and the
    judged strings of the topics in ``asked`` to ``strings``.
    """
    for each in run.segments():
        if each.item_key:
            tables.answered.add(each.topic)
            if each.item_fields:
                yield (each.topic, each.item_kind), (each.item_key, each.text, each.docno, dict(each.item_fields))
            if each.topic in asked:
                strings.append((each.topic, (run.run, each.ordinal, each.item_key, each.docno, each.text)))
        for cited in each.citations:
            if cited.item_key:
                tables.answered.add(each.topic)
                if cited.item_fields:
                    item = (cited.item_key, cited.item_text, cited.docno, dict(cited.item_fields))
                    yield (each.topic, cited.item_kind), item


def _whole(run: RunContent, tables: Tables) -> Iterator[tuple[tuple[str, str], ItemRow]]:
    """Yield ((topic, kind), item) for those items of a run's whole responses that have fields. The topics of all of
    them are added to ``tables.answered``.
    """
    for whole in run.responses():
        tables.answered.add(whole.topic)
        if whole.fields:
            yield (whole.topic, whole.kind), (whole.key, whole.text, whole.docno, dict(whole.fields))
