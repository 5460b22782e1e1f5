"""Chooses documents of a pool one at a time: which document of a topic to judge next, from the judgments so far.

    move-to-front   every run starts with the same priority and loses one for each document that is not relevant.
                    The next document is from the run of the highest priority, so a run that finds relevant documents
                    is used again (Cormack, Palmer and Clarke 1998)
    max-mean        always from the run with the greatest mean of Beta(1 + relevant, 1 + not relevant), counted over
                    the documents that were drawn from it (Losada, Parapar and Barreiro 2016)

Ties are broken by the smallest run tag. A document that was already drawn from another run is skipped and costs
nothing.

The next document depends on the runs and on the current judgments, not on the order in which they were made: the rule
is applied from the beginning, and wherever it reaches a judged document, that judgment is used. So several people may
judge at the same time, judgments made for other reasons count when their turn comes, and a judgment may change.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy

from scoring.formats.pool_tables import topic_order

Judgment = tuple[str, str, bool]
"""(topic, docno, whether it is relevant)."""

_WORTH: dict[str, Callable[[int, int], float]] = {
    "move-to-front": lambda relevant, others: -others,
    "max-mean": lambda relevant, others: (1 + relevant) / (2 + relevant + others),
}


class OnlinePool:
    """Chooses the next documents of every topic from the judgments made so far.

    ``rankings`` are topic -> run tag -> docnos, best first. Its only state is `judgments`. Pools with the same rankings
    and the same judgments choose the same documents, whatever the order of the judgments. Raises ValueError for a
    strategy other than "move-to-front" and "max-mean".

    >>> pool = OnlinePool("move-to-front", {"1": {"a": ["x", "y"], "b": ["z"]}})
    >>> pool.next_document("1")
    'x'
    >>> pool.judged("1", "x", False)
    >>> pool.next_document("1")
    'z'
    """

    def __init__(
        self,
        strategy: str,
        rankings: Mapping[str, Mapping[str, Sequence[str]]],
        *,
        judgments: Iterable[Judgment] = (),
    ) -> None:
        if strategy not in _WORTH:
            raise ValueError(f"the strategy must be one of {', '.join(_WORTH)}")
        self.strategy = strategy
        self._rankings = rankings
        self._known: dict[str, dict[str, bool]] = {}
        self._walks: dict[str, _Walk] = {}
        for topic, docno, is_relevant in judgments:
            self._known.setdefault(topic, {})[docno] = is_relevant

    def next_document(self, topic: str, *, out: Collection[str] = ()) -> str | None:
        """Return the document to judge next, or None if all documents of the topic's runs are judged or given out.

        Documents that are given ``out`` to other people count as not relevant until they are judged.
        """
        walk = self._walk(topic)
        if out:
            walk = walk.copy()
            walk.go_on(self._known.get(topic, {}), out=frozenset(out))
        return walk.docno

    def next_documents(self, topic: str, count: int, *, out: Collection[str] = ()) -> list[str]:
        """Return up to ``count`` documents that are judged together. Each is chosen as if the ones before it had been
        judged not relevant.

        Documents that are given ``out`` to other people are left out. They count as not relevant as well.
        """
        walk = self._walk(topic).copy()
        known, out = self._known.get(topic, {}), frozenset(out)
        walk.go_on(known, out=out)
        found: list[str] = []
        while len(found) < count and walk.docno is not None:
            found.append(walk.docno)
            walk.answer(is_relevant=False)
            walk.go_on(known, out=out)
        return found

    def judged(self, topic: str, docno: str, is_relevant: bool) -> None:
        """Record a judgment of any document. The last judgment of a document counts."""
        known = self._known.setdefault(topic, {})
        changed = known.get(docno, is_relevant) != is_relevant
        known[docno] = is_relevant
        if topic in self._walks:
            if changed:
                del self._walks[topic]
            else:
                self._walks[topic].go_on(known)

    @property
    def judgments(self) -> tuple[Judgment, ...]:
        """The recorded judgments, sorted by topic and docno."""
        return tuple(
            (topic, docno, known[docno])
            for topic, known in sorted(self._known.items(), key=lambda each: topic_order(each[0]))
            for docno in sorted(known)
        )

    def _walk(self, topic: str) -> _Walk:
        if topic not in self._walks:
            walk = _Walk(_WORTH[self.strategy], self._rankings.get(topic, {}))
            walk.go_on(self._known.get(topic, {}))
            self._walks[topic] = walk
        return self._walks[topic]


def simulated(
    strategy: str, rankings: Mapping[str, Sequence[str]], is_relevant: Callable[[str], bool]
) -> Iterator[str]:
    """Yield one topic's documents in the order in which they would be judged, with ``is_relevant`` as the judge.

    ``is_relevant`` is called once for each document, after the document was yielded. ``rankings`` are run tag ->
    docnos, best first. Raises ValueError for an unknown strategy, as `OnlinePool` does.
    """
    pool = OnlinePool(strategy, {"": rankings})
    while (docno := pool.next_document("")) is not None:
        yield docno
        pool.judged("", docno, is_relevant(docno))


class _Walk:
    """How far one topic has come: the position in each run, and the judgments of the documents that were drawn
    from it.
    """

    def __init__(self, worth: Callable[[int, int], float], rankings: Mapping[str, Sequence[str]]) -> None:
        self._worth = worth
        self._rankings = rankings
        self._places = dict.fromkeys(sorted(rankings), 0)  # of the runs that have documents left
        self._found = dict.fromkeys(rankings, (0, 0))  # relevant, others
        self._seen: set[str] = set()
        self._tag = ""
        self.docno: str | None = None
        self._choose()

    def copy(self) -> _Walk:
        other = copy(self)
        other._places, other._found, other._seen = dict(self._places), dict(self._found), set(self._seen)
        return other

    def answer(self, *, is_relevant: bool) -> None:
        """Record the judgment of the current document and go on to the next."""
        relevant, others = self._found[self._tag]
        self._found[self._tag] = (relevant + is_relevant, others + (not is_relevant))
        if self.docno is not None:
            self._seen.add(self.docno)
        self._choose()

    def go_on(self, known: Mapping[str, bool], *, out: Collection[str] = ()) -> None:
        """Go on to the first document that is neither judged nor given out."""
        while self.docno is not None and (self.docno in known or self.docno in out):
            self.answer(is_relevant=known.get(self.docno, False))

    def _choose(self) -> None:
        while self._places:
            tag = min(self._places, key=lambda each: (-self._worth(*self._found[each]), each))
            ranking, place = self._rankings[tag], self._places[tag]
            while place < len(ranking) and ranking[place] in self._seen:
                place += 1
            if place < len(ranking):
                self._places[tag], self._tag, self.docno = place, tag, ranking[place]
                return
            del self._places[tag]
        self.docno = None
