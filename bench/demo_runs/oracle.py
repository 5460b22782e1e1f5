"""The recorded judgments, made by rule from the marks of the pages (see `posts`).

Rigid lists: an answer-string is correct where, apart from case, quotation marks and articles, it is a wording of an
answer, and its page says so; unsupported where another page does; non-exact where it holds more or less than the
answer. Squishy lists: a string holds a nugget where it repeats most words of a passage marked with it; the hand-made
run's strings carry their own marks. Further assessors vote as the author would, four times in five.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from bench.demo_runs.pages import Page
from bench.demo_runs.posts import Mark, marks, plain
from bench.demo_runs.questions import NUGGETS, PARTLY_OPEN, QUESTIONS, WHOLLY_OPEN
from scoring.folding import answer_key

ASSESSORS = ("assessor-1", "assessor-2", "assessor-3", "assessor-4")
CORRECT, INCORRECT, UNSUPPORTED, NON_EXACT = 1, -1, 2, 3
_ARTICLES = frozenset({"the", "a", "an", "my", "your", "two"})


def judgment_lines(pages: list[Page], runs: Iterable[Path], manual: list[tuple[str, str, str]]) -> list[str]:
    """Return the lines of judgments.jsonl, in the order in which people would do the work."""
    pool = _pool(runs)
    lines: list[dict[str, object]] = []
    for topic, (kind, _) in QUESTIONS.items():
        if topic in WHOLLY_OPEN:
            continue
        pairs = sorted(pool[topic], key=lambda pair: _digest(f"{topic} {pair}"))
        if kind == "RigidList":
            lines += _rigid(topic, pairs, pages)
        else:
            own = {plain(text): {m.key for m in marks(text)} for qid, _, text in manual if qid == topic}
            lines += _squishy(topic, pairs, pages, own)
    return [json.dumps(line, ensure_ascii=False, sort_keys=True) + "\n" for line in lines]


def primary(topic: str) -> str:
    """Return the name of the assessor who wrote the question and judges it."""
    return ASSESSORS[(int(topic.split(".")[0]) - 1) % len(ASSESSORS)]


def _pool(runs: Iterable[Path]) -> dict[str, list[tuple[str, str]]]:
    """Return the distinct [docno, answer-string] pairs of each question."""
    found: dict[str, dict[str, tuple[str, str]]] = defaultdict(dict)
    for path in runs:
        for line in path.read_text(encoding="utf-8").splitlines():
            topic, _, docno, text = line.split(" ", 3)
            found[topic].setdefault(answer_key(text, docno), (docno, text))
    return {topic: list(pairs.values()) for topic, pairs in found.items()}


def _digest(text: str) -> int:
    return int(hashlib.sha256(text.encode()).hexdigest()[:8], 16)


# ---------------------------------------------------------------- rigid lists


def _rigid(topic: str, pairs: list[tuple[str, str]], pages: list[Page]) -> Iterator[dict[str, object]]:
    by = primary(topic)
    facts = [(page.docno, mark) for page in pages for mark in page.facts if mark.topic == topic]
    is_open = topic in PARTLY_OPEN  # half judged: nothing can be grouped yet
    for docno, mark in [] if is_open else _found_answers(facts):
        yield {"do": "find_answer", "by": by, "topic": topic, "docno": docno, "answer": mark.text, "class": mark.key}
    correct = []
    for docno, answer in pairs[: len(pairs) // 2] if is_open else pairs:
        value, label, note = judge_instance(answer, docno, facts)
        line: dict[str, object] = {
            "do": "judge", "by": by, "topic": topic, "docno": docno, "answer": answer,
            "criterion": "correctness", "value": value,
        }  # fmt: skip
        yield line | ({"note": note} if note else {})
        if value == CORRECT and not is_open:
            correct.append((label, docno, answer))
    for label, docno, answer in sorted(correct):
        yield {"do": "class", "by": by, "topic": topic, "docno": docno, "answer": answer, "class": label}


def _found_answers(facts: list[tuple[str, Mark]]) -> list[tuple[str, Mark]]:
    """Return what the assessor found while developing the question: every third answer, where it first stands."""
    first: dict[str, tuple[str, Mark]] = {}
    for docno, mark in facts:
        first.setdefault(mark.key, (docno, mark))
    return [first[label] for n, label in enumerate(sorted(first)) if n % 3 == 1]


def judge_instance(answer: str, docno: str, facts: list[tuple[str, Mark]]) -> tuple[int, str, str]:
    """Return the value of an [answer-string, docid] pair, the label of its class and a note; "" where there is none."""
    wordings: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    support: dict[str, set[str]] = defaultdict(set)
    for page, mark in facts:
        wordings[mark.key] |= {_words(mark.key), _words(mark.text)}
        support[mark.key].add(page)
    words = _words(answer)
    exact = next((label for label in sorted(wordings) if words in wordings[label]), None)
    if exact is not None:
        return (CORRECT if docno in support[exact] else UNSUPPORTED, exact, "")
    inside = [label for label in sorted(wordings) if any(_holds(words, w) for w in wordings[label])]
    if len(inside) > 1:
        return NON_EXACT, "", "several answers in one string"
    part = [label for label in sorted(wordings) if any(_is_part(words, w) for w in wordings[label])]
    for label in inside or part[:1]:
        return (NON_EXACT if docno in support[label] else UNSUPPORTED), "", ""
    return INCORRECT, "", ""


def _words(text: str) -> tuple[str, ...]:
    words = re.findall(r"[\w.'-]*\w", text.replace("\u2019", "'").casefold())
    while len(words) > 1 and words[0] in _ARTICLES:
        words.pop(0)
    return tuple(words)


def _holds(words: tuple[str, ...], wording: tuple[str, ...]) -> bool:
    return any(words[n : n + len(wording)] == wording for n in range(len(words) - len(wording) + 1))


def _is_part(words: tuple[str, ...], wording: tuple[str, ...]) -> bool:
    return bool(words) and len(words) * 2 >= len(wording) and _holds(wording, words) and len("".join(words)) > 3


# ---------------------------------------------------------------- squishy lists


def _squishy(
    topic: str, pairs: list[tuple[str, str]], pages: list[Page], own: dict[str, set[str]]
) -> Iterator[dict[str, object]]:
    by = primary(topic)
    numbers = {key: n for n, key in enumerate(NUGGETS[topic], 1)}
    facts = [(page.docno, mark) for page in pages for mark in page.facts if mark.topic == topic]
    for key, (importance, text) in NUGGETS[topic].items():
        sources = [{"docno": docno, "quote": mark.text} for docno, mark in facts if mark.key == key]
        yield {
            "do": "nugget", "by": by, "topic": topic, "number": numbers[key], "importance": importance, "text": text,
            "sources": _different(sources)[:2],
        }  # fmt: skip
    if topic in PARTLY_OPEN:
        return
    yield {"do": "freeze", "by": by, "topic": topic}
    for docno, answer in pairs:
        for key in sorted(own.get(answer, set()) | _nuggets_in(answer, facts)):
            line: dict[str, object] = {
                "do": "match", "by": by, "topic": topic, "docno": docno, "answer": answer, "nugget": str(numbers[key]),
            }  # fmt: skip
            quote = next((mark.text for _, mark in facts if mark.key == key and mark.text in answer), "")
            yield line | ({"quote": quote} if quote else {})
    for other in ASSESSORS:
        if other != by:
            for key, (importance, _) in NUGGETS[topic].items():
                yield {
                    "do": "vote", "by": other, "topic": topic, "number": numbers[key],
                    "importance": _vote(other, topic, key, importance),
                }  # fmt: skip


def _different(sources: list[dict[str, str]]) -> list[dict[str, str]]:
    """Return the first source with each quote, since an archive repeats what its posts say."""
    return list({source["quote"]: source for source in reversed(sources)}.values())[::-1]


def _nuggets_in(answer: str, facts: list[tuple[str, Mark]]) -> set[str]:
    """Return the nuggets of which the answer has at least seven in ten words of a marked passage."""
    words = set(_words(answer))
    return {mark.key for _, mark in facts if len(words & set(_words(mark.text))) >= 0.7 * len(set(_words(mark.text)))}


def _vote(assessor: str, topic: str, key: str, importance: str) -> str:
    """Return what the author said or, 22 times in 100, the other value; 17 times where the author said okay."""
    chance = _digest(f"{assessor} {topic} {key}") % 100
    if importance == "vital":
        return "okay" if chance < 22 else "vital"
    return "vital" if chance < 17 else "okay"
