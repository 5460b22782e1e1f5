"""Checks the rules for ranked runs that participants submit. All problems are reported, and no error ends the check.

Codes, beside those of `scoring.formats.trec_run` (columns, value, duplicate, run-tag) and `scoring.reading.opening`:

    empty-file          nothing in the file is a line of a run
    unknown-topic       the topic is not among those asked; once a topic
    too-many            more documents for a topic than may be ranked; once a topic
    unknown-docno       the document is not in the collection
    run-tag-form        the tag keeps another form (`scoring.run_tags`)
    run-tag-mismatch    the tag in the file is not that of the form
    unseen-sign         (warning, once a file) a docno has a sign that nobody sees
    rank-order          (warning, once a file) the ranks do not follow the scores: how often, and the first place
    tied-scores         (warning, once a file) equal scores in another order than the ranks: how many, and the first
    ranks               (warning, once a file) the scores are 1, 2, 3 … in each topic, and the ranks are not
    missing-topic       (warning, once a file) topics without any document, those of lines that can't be read apart

Lines that were read together are checked together, by columns; they are checked one by one if a rule applies to any of
them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import BinaryIO

from scoring.file_kinds import reads
from scoring.formats.run_blocks import Block, read_numbered_blocks
from scoring.formats.spec import unseen_in_docno
from scoring.formats.trec_run import RUN
from scoring.reading.opening import excerpt_of
from scoring.reading.plain_names import KnownNames
from scoring.reading.unread_lines import UnreadLines
from scoring.records import Issue, RankedDoc, in_single_precision
from scoring.run_tags import TagRule
from scoring.wording import counted, counted_of

BATCH = 5_000
ORDER_CODES = ("rank-order", "tied-scores", "ranks")
"""The codes for scores that contradict the ranks, or may be the ranks."""


@reads("run", takes=RUN, formats=("trec-run",))
def check_ranked_run(
    file: BinaryIO,
    *,
    topics: Sequence[str],
    limit: int,
    tag: str = "",
    tags: TagRule | None = None,
    unknown_docnos: Callable[[Iterable[str]], set[str]] | None = None,
) -> Iterator[Issue]:
    """Yield an issue for every rule that a run breaks, in the order of its lines. Valid docnos are looked up in
    batches.

    ``limit`` is the most documents of a topic. ``tag`` is the run tag that the submission form gives, and ``tags`` the
    rule for its form (None: any word).
    """
    rules = _Rules(known=frozenset(topics), limit=limit, tag=tag, tags=tags, unknown_docnos=unknown_docnos)
    unread = UnreadLines(columns=True)
    is_empty = True
    for each in read_numbered_blocks(file):
        is_empty = False
        if isinstance(each, Issue):
            unread.add(each)
            yield each
        elif isinstance(each, Block):
            yield from rules.check_block(each)
        else:
            yield from rules.check_line(*each)
    yield from rules.check_docnos()
    yield from rules.unseen
    yield from rules.order.issues()
    if is_empty:
        yield Issue(where="", code="empty-file", message="The file is empty. Check that the right file was chosen.")
    elif missing := unread.missing(topics, rules.counts):
        shown = ", ".join(missing[:10]) + (" …" if len(missing) > 10 else "")
        message = (
            f"{counted_of(len(missing), len(topics), 'topic', 'has', 'have')} no document: {shown}. What is "
            "missing counts 0."
        )
        yield Issue(where="", code="missing-topic", message=message, severity="warning")


class _Rules:
    """The rules for a run, and what must be remembered of earlier lines: how many lines each topic has (``counts``),
    how their scores and ranks went (``order``), and the first docno with a sign that nobody sees (``unseen``).
    """

    def __init__(
        self,
        *,
        known: frozenset[str],
        limit: int,
        tag: str,
        tags: TagRule | None,
        unknown_docnos: Callable[[Iterable[str]], set[str]] | None,
    ) -> None:
        self._known, self._limit, self._tag, self._tags, self._unknown = known, limit, tag, tags, unknown_docnos
        self._names = KnownNames(known)
        self.order = ScoreOrder()
        self.unseen: list[Issue] = []
        self.counts: dict[str, int] = {}
        self._is_tag_checked = False
        self._waiting: list[tuple[int, str]] = []

    def check_block(self, block: Block) -> Iterator[Issue]:
        """Yield the issues of consecutive lines of one topic."""
        if not self._is_sound(block):  # only the first line of an unknown topic is reported
            yield from self.check_line(block.number, _record(block, 0))
            block = block.after_first()
        if not self._is_sound(block):
            for place in range(len(block.docnos)):
                yield from self.check_line(block.number + place, _record(block, place))
            return
        self.counts[block.topic] = self.counts.get(block.topic, 0) + len(block.docnos)
        self.order.look_at_block(block)
        if not self.unseen and not block.docnos.are_ascii:
            for place in range(len(block.docnos)):
                self._look_for_unseen(block.number + place, _record(block, place))
        if self._unknown is not None:
            for number, docno in enumerate(block.docnos, block.number):
                yield from self._ask_for(number, docno)

    def check_line(self, number: int, line: RankedDoc) -> Iterator[Issue]:
        """Yield the issues of one line."""
        if not self._is_tag_checked:
            yield from self._check_tag(number, line)
        self._is_tag_checked = True
        yield from self._check_place(number, line)
        if self._unknown is not None:
            yield from self._ask_for(number, line.docno)

    def check_docnos(self) -> Iterator[Issue]:
        """Look up the docnos that are waiting to be checked, and yield an issue for each unknown one."""
        if self._waiting and self._unknown is not None:
            unknown = self._unknown({docno for _, docno in self._waiting})
            for number, docno in self._waiting:
                if docno in unknown:
                    shown = excerpt_of(docno, length=60)
                    message = f'The document "{shown}" is not in the collection. Check the docno column.'
                    yield Issue(where=number, code="unknown-docno", message=message, excerpt=excerpt_of(docno))
        self._waiting.clear()

    def _ask_for(self, number: int, docno: str) -> Iterator[Issue]:
        self._waiting.append((number, docno))
        if len(self._waiting) >= BATCH:
            yield from self.check_docnos()

    def _check_tag(self, number: int, line: RankedDoc) -> Iterator[Issue]:
        if self._tag and line.run != self._tag:
            message = (
                f'The run tag is "{excerpt_of(line.run, length=40)}", but the form says "{self._tag}". '
                "Change one of them."
            )
            yield Issue(where=number, code="run-tag-mismatch", message=message, excerpt=_shortened(line))
        if self._tags is not None and not self._tags.allows(line.run):
            yield self._tags.issue(line.run, number)

    def _check_place(self, number: int, line: RankedDoc) -> Iterator[Issue]:
        count = self.counts[line.topic] = self.counts.get(line.topic, 0) + 1
        shown = f'"{excerpt_of(line.topic, length=40)}"'
        if count == 1 and line.topic not in self._known:
            message = self._names.lacks("topic", line.topic, "Check the topic file.")
            yield Issue(where=number, code="unknown-topic", message=message, excerpt=_shortened(line))
        if count == self._limit + 1:
            message = f"Topic {shown} has more than {self._limit:,} documents. Leave out those ranked lowest."
            yield Issue(where=number, code="too-many", message=message, excerpt=_shortened(line))
        self.order.look(number, line)
        self._look_for_unseen(number, line)

    def _look_for_unseen(self, number: int, line: RankedDoc) -> None:
        if not self.unseen and (unseen := unseen_in_docno(number, line.docno, _shortened(line))):
            self.unseen.append(unseen)

    def _is_sound(self, block: Block) -> bool:
        """Return whether the block has lines and none of them breaks a rule. Whether docnos are known is not checked
        here but later.
        """
        if not len(block.docnos):
            return False
        topic, before = block.topic, self.counts.get(block.topic, 0)
        if not self._is_tag_checked or not (before or topic in self._known):
            return False
        return not before <= self._limit < before + len(block.docnos)


class ScoreOrder:
    """Finds where the scores of a run order documents differently from its ranks. The scores count.

    trec_eval sorts by score, in single precision, and breaks ties by docno, both descending. All measures here do the
    same. Each line is compared with the line before it in its topic. That finds every contradiction, if the lines of
    the topic are in the order of their ranks.
    """

    def __init__(self) -> None:
        self._tied, self._turned = _Places(), _Places()
        self._last: dict[str, RankedDoc] = {}
        self._are_ranks = True

    def look(self, number: int, line: RankedDoc) -> None:
        """Compare a line with the one before it in its topic."""
        last = self._last.get(line.topic)
        if self._are_ranks:
            self._are_ranks = line.score == last.score + 1 if last is not None else line.score in (0, 1)
        self._last[line.topic] = line
        if last is not None:
            self._compare(number, line, last)

    def _compare(self, number: int, line: RankedDoc, last: RankedDoc) -> None:
        is_later = line.rank > last.rank
        is_tied = in_single_precision(line.score) == in_single_precision(last.score)
        if line.rank == last.rank or (not is_tied and is_later == (line.score > last.score)):
            self._turned.add(number, line, last)
        elif is_tied and is_later == (line.docno > last.docno):
            self._tied.add(number, line, last)

    def look_at_block(self, block: Block) -> None:
        """Compare consecutive lines of a topic, and the first with the last line before them."""
        import numpy as np

        self.look(block.number, _record(block, 0))
        with np.errstate(over="ignore"):
            ranks, scores = block.ranks, block.scores.astype(np.float32)
        is_tied = scores[1:] == scores[:-1]
        is_turned = ranks[1:] == ranks[:-1]
        is_turned |= ((ranks[1:] > ranks[:-1]) == (scores[1:] > scores[:-1])) & ~is_tied
        for place in np.flatnonzero(is_tied & ~is_turned).tolist():
            self._compare(block.number + place + 1, _record(block, place + 1), _record(block, place))
        if count := int(np.count_nonzero(is_turned)):
            place = int(is_turned.argmax())
            number = block.number + place + 1
            self._turned.add(number, _record(block, place + 1), _record(block, place), count=count)
        if self._are_ranks:
            self._are_ranks = bool(np.all(block.scores[1:] == block.scores[:-1] + 1))
        self._last[block.topic] = _record(block, -1)

    def issues(self) -> Iterator[Issue]:
        """Yield a warning for each kind of contradiction that was found, with its count and first place."""
        if self._turned.first is not None:
            number, line, last = self._turned.first
            used = sorted((line, last), key=lambda each: (each.score, each.docno), reverse=True)
            shown = ", ".join(f"{excerpt_of(each.docno, length=40)} (rank {each.rank})" for each in used)
            count = self._turned.count
            message = (
                f"The ranks do not follow the scores in {self._turned.topics_counted()}, at {count:,} "
                f"{'document' if count == 1 else 'documents'}. Scores alone count, ties by docno, descending: in topic "
                f"{excerpt_of(line.topic, length=40)} the order used is {shown}."
            )
            yield Issue(where=number, code="rank-order", message=message, severity="warning", excerpt=_shortened(line))
        elif self._are_ranks and any(line.rank > 1 and line.score > 1 for line in self._last.values()):
            message = (
                "The scores are 1, 2, 3 … in each topic and the ranks are not, so that the last document of a topic "
                "comes first. If the two columns are in each other's place, exchange them. Scores alone count."
            )
            yield Issue(where="", code="ranks", message=message, severity="warning")
        if self._tied.first is not None:
            number, line, last = self._tied.first
            used = sorted((line, last), key=lambda each: each.docno, reverse=True)
            documents = counted(self._tied.count, "document has", "documents have")
            shown = ", ".join(excerpt_of(each.docno, length=40) for each in used)
            near = (
                "" if line.score == last.score else f" ({last.score!r} and {line.score!r} are one in single precision)"
            )
            message = (
                f"Tied scores against the ranks in {self._tied.topics_counted()}: {documents} the score of the "
                f"document ranked before{near}. Scores alone count, ties by docno, descending: in topic "
                f"{excerpt_of(line.topic, length=40)} the order used is {shown}, not that of the ranks. "
                "Give different scores to keep the order of the ranks."
            )
            yield Issue(where=number, code="tied-scores", message=message, severity="warning", excerpt=_shortened(line))


class _Places:
    """The faults of one kind: the number of faulty lines, their topics, and the first faulty line with the line before
    it.
    """

    def __init__(self) -> None:
        self.count = 0
        self.topics: set[str] = set()
        self.first: tuple[int, RankedDoc, RankedDoc] | None = None

    def add(self, number: int, line: RankedDoc, last: RankedDoc, *, count: int = 1) -> None:
        self.count += count
        self.topics.add(line.topic)
        self.first = self.first or (number, line, last)

    def topics_counted(self) -> str:
        return counted(len(self.topics), "topic")


def _record(block: Block, place: int) -> RankedDoc:
    rank, score = int(block.ranks[place]), float(block.scores[place])
    return RankedDoc(topic=block.topic, docno=block.docnos[place], rank=rank, score=score, run=block.tag)


def _shortened(line: RankedDoc) -> str:
    """Return the text of the line, shortened."""
    return excerpt_of(f"{line.topic} Q0 {line.docno} {line.rank} {line.score!r} {line.run}")
