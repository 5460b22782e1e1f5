"""The rules of ranked runs as participants submit them: all that is wrong is told, and no error ends the check.

Codes, beside those of `scoring.formats.trec_run` (columns, value, duplicate, run-tag) and `scoring.reading`:

    empty-file          nothing in the file is a line of a run
    unknown-topic       the topic is not among those asked; once a topic
    too-many            more documents for a topic than may be ranked; once a topic
    unknown-docno       the document is not in the collection
    run-tag-form        the tag keeps another form (`scoring.run_tags`)
    run-tag-mismatch    the tag in the file is not that of the form
    rank-order          (warning, once a topic) the ranks do not follow the scores; the scores count
    tied-scores         (warning, once a file) equal scores in another order than the ranks: how many, and the first
    missing-topic       (warning, once a file) topics without any document, those of lines that can't be read apart

Lines that were read together are looked at together, by columns; one by one where a rule has something to say of one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, BinaryIO

from scoring.file_kinds import reads
from scoring.formats.run_blocks import Block, read_numbered_blocks
from scoring.formats.spec import whole
from scoring.formats.trec_run import RUN
from scoring.reading import excerpt_of
from scoring.records import Issue, RankedDoc
from scoring.run_tags import TagRule
from scoring.unread_lines import UnreadLines

if TYPE_CHECKING:
    from scoring.word_columns import Numbers

BATCH = 5_000


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
    """Every rule that a run breaks, in the order of its lines; valid docnos are asked for in batches.

    ``tags`` is what the run tag must look like (None: any word).
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
    yield from rules.ties.issue()
    if is_empty:
        yield Issue(where="", code="empty-file", message="The file is empty. Check that the right file was chosen.")
    elif missing := unread.missing(topics, rules.counts):
        shown = ", ".join(missing[:10]) + (" …" if len(missing) > 10 else "")
        message = f"{len(missing)} of {len(topics)} topics have no document: {shown}. They count 0."
        yield Issue(where="", code="missing-topic", message=message, severity="warning")


class _Rules:
    """The rules, and what they must know of the lines before: ``counts`` and the last line of each topic."""

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
        self.ties = Ties()
        self.counts: dict[str, int] = {}
        self._is_tag_checked = False
        self._last: dict[str, RankedDoc] = {}
        self._disordered: set[str] = set()
        self._waiting: list[tuple[int, str]] = []

    def check_block(self, block: Block) -> Iterator[Issue]:
        """What the rules say of lines of one topic that follow one another."""
        if not self._is_sound(block):  # of a topic that is unknown the first line alone is told
            yield from self.check_line(block.number, _record(block, 0))
            block = block.after_first()
        if not self._is_sound(block):
            for place in range(len(block.docnos)):
                yield from self.check_line(block.number + place, _record(block, place))
            return
        self.counts[block.topic] = self.counts.get(block.topic, 0) + len(block.docnos)
        self._last[block.topic] = self.ties.look_at_block(block, self._last.get(block.topic))
        if self._unknown is not None:
            for number, docno in enumerate(block.docnos, block.number):
                yield from self._ask_for(number, docno)

    def check_line(self, number: int, line: RankedDoc) -> Iterator[Issue]:
        """What the rules say of one line."""
        if not self._is_tag_checked:
            yield from self._check_tag(number, line)
        self._is_tag_checked = True
        yield from self._check_place(number, line)
        if self._unknown is not None:
            yield from self._ask_for(number, line.docno)

    def check_docnos(self) -> Iterator[Issue]:
        """What the collection says of the docnos that wait to be asked for; none waits any more."""
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
            yield Issue(where=number, code="run-tag-mismatch", message=message, excerpt=_shown(line))
        if self._tags is not None and not self._tags.allows(line.run):
            yield self._tags.issue(line.run, number)

    def _check_place(self, number: int, line: RankedDoc) -> Iterator[Issue]:
        count = self.counts[line.topic] = self.counts.get(line.topic, 0) + 1
        shown = f'"{excerpt_of(line.topic, length=40)}"'
        if count == 1 and line.topic not in self._known:
            message = f"There is no topic {shown}. Check the topic file."
            yield Issue(where=number, code="unknown-topic", message=message, excerpt=_shown(line))
        if count == self._limit + 1:
            message = f"Topic {shown} has more than {self._limit:,} documents. Leave out those ranked lowest."
            yield Issue(where=number, code="too-many", message=message, excerpt=_shown(line))
        last = self._last.get(line.topic)
        self._last[line.topic] = line
        self.ties.look(number, line, last)
        if last is None or line.topic in self._disordered:
            return
        if (line.rank - last.rank) * (line.score - last.score) > 0 or line.rank == last.rank:
            self._disordered.add(line.topic)
            message = f"The ranks of topic {shown} do not follow its scores. Only the scores count, ties by docno."
            yield Issue(where=number, code="rank-order", message=message, severity="warning", excerpt=_shown(line))

    def _is_sound(self, block: Block) -> bool:
        """Whether there are lines of which no rule but that of docnos has anything to say."""
        if not len(block.docnos):
            return False
        topic, before = block.topic, self.counts.get(block.topic, 0)
        if not self._is_tag_checked or not (before or topic in self._known):
            return False
        if before <= self._limit < before + len(block.docnos):
            return False
        if topic in self._disordered:
            return True
        ranks = block.ranks.numbers(whole)
        assert ranks is not None, "whole numbers, each of them"
        return _are_in_order(self._last.get(topic), ranks, block.scores)


class Ties:
    """Documents with the score of the document ranked before them, which come before it when scores alone count.

    trec_eval breaks ties by docno, descending, and so do all measures here.
    """

    def __init__(self) -> None:
        self._count = 0
        self._topics: set[str] = set()
        self._first: tuple[int, RankedDoc, str] | None = None

    def look(self, number: int, line: RankedDoc, last: RankedDoc | None) -> None:
        """Compare a line with the one before it in its topic."""
        if last is not None and line.score == last.score and line.rank > last.rank and line.docno > last.docno:
            self._count += 1
            self._topics.add(line.topic)
            self._first = self._first or (number, line, last.docno)

    def look_at_block(self, block: Block, last: RankedDoc | None) -> RankedDoc:
        """The same of lines that follow one another; the last of them."""
        import numpy as np

        self.look(block.number, _record(block, 0), last)
        for place in np.flatnonzero(block.scores[1:] == block.scores[:-1]).tolist():
            if block.docnos[place + 1] > block.docnos[place]:
                self.look(block.number + place + 1, _record(block, place + 1), _record(block, place))
        return _record(block, -1)

    def issue(self) -> Iterator[Issue]:
        """The warning with the count and the first place, where there is any."""
        if self._first is None:
            return
        number, line, before = self._first
        topics = "1 topic" if len(self._topics) == 1 else f"{len(self._topics):,} topics"
        documents = "1 document has" if self._count == 1 else f"{self._count:,} documents have"
        shown = [excerpt_of(each, length=40) for each in (line.topic, line.docno, before)]
        message = (
            f"Tied scores against the ranks in {topics}: {documents} the score of the document ranked before. Scores "
            f"alone count, ties by docno, descending: in topic {shown[0]} the order used is {shown[1]}, {shown[2]}, "
            "not that of the ranks. Give different scores to keep the order of the ranks."
        )
        yield Issue(where=number, code="tied-scores", message=message, severity="warning", excerpt=_shown(line))


def _are_in_order(last: RankedDoc | None, ranks: Numbers, scores: Numbers) -> bool:
    """Whether ranks rise where scores fall, and the other way round, from the line before them on."""
    import numpy as np

    if last is not None:
        ranks, scores = np.append(last.rank, ranks), np.append(last.score, scores)
    with np.errstate(over="ignore", invalid="ignore"):
        steps = np.diff(ranks)
        return bool((steps != 0).all() and not (steps * np.diff(scores) > 0).any())


def _record(block: Block, place: int) -> RankedDoc:
    rank, score = int(block.ranks[place]), float(block.scores[place])
    return RankedDoc(topic=block.topic, docno=block.docnos[place], rank=rank, score=score, run=block.tag)


def _shown(line: RankedDoc) -> str:
    """The line as it is understood, shortened."""
    return excerpt_of(f"{line.topic} Q0 {line.docno} {line.rank} {line.score!r} {line.run}")
