"""Five small question-answering programs, all different. Their outputs over the pages are the demonstration's runs.

A program is a function of the collection and a question; it sees no other question and no judgment.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from bench.demo_runs.collection import STOP, Collection, Sentence, one_line, terms

_PLEASED_WORDS = """
    love loves loved adore adored best better favorite favorites favourite great good lovely wonderful excellent
    perfect nice fine fun funny beautiful superb sharp quiet friendly free cheap cheaper recommend recommends
    praise joy worth delicious kind thanks thank swears happy clever brilliant easy
"""
PLEASED = frozenset(_PLEASED_WORDS.split())
_CROSS_WORDS = """
    hate hates hated worst worse bad awful dreadful terrible broken broke slow late never hopeless complaint
    complaints complain angry dislike disappointed thin wrong noise hard expensive dead stuck mean sorry worst
    maze disgrace lag crime rotten waste nothing nobody unjust hopeless full raised loud narrow
"""
CROSS = frozenset(_CROSS_WORDS.split())
_GLAD = re.compile(r"\b(like|praise|recommend|favou?rite|defen[sc]e|prefer)", re.IGNORECASE)
_CROSS_QUESTION = re.compile(r"\b(dislike|complain|fault|angry|give up|gave up|hard)", re.IGNORECASE)
_NAME = re.compile(r"(?:[A-Z][\w\u2019'-]+\.?|Mk)(?: (?:of|the|and|de)(?= [A-Z])| [A-Z][\w\u2019'-]+)*")
_QUOTED = re.compile(r"[\"\u201c]([^\"\u201c\u201d]{3,50})[\"\u201d]")
_NOUN = re.compile(
    r"\b(?:the|a|an|try|get|like|got|bought|took|use|used|of|with|recommends?|love|is called) "
    r"((?:[\w-]+['\u2019]s )?[\w-]+(?: [\w-]+){0,3})"
)
_CUES = re.compile(r"\b(because|since|the best|the worst|so that|I love|I hate|what I|reason|why|and it|but)\b")


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """What a program is given: one question of a series."""

    target: str
    text: str
    is_rigid: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """One [answer-string, docid] pair."""

    docno: str
    text: str


Program = Callable[[Collection, Asked], list[Answer]]


def bm25_sentences(collection: Collection, asked: Asked) -> list[Answer]:
    """Return the sentences nearest to the question and to what its target's pages say; for rigid lists their names."""
    ranked = _by_question(collection, asked, all_sentences=True, with_feedback=not asked.is_rigid)
    if not asked.is_rigid:
        return _spread(ranked, 12)
    return _best(((phrase, value, s) for value, s in ranked[:150] for phrase in _names(s.text)), asked, 10)


def opinion_sentences(collection: Collection, asked: Asked) -> list[Answer]:
    """Return sentences with words of praise or blame, as the question wants; for rigid lists their noun phrases."""
    lexicon = _lexicon(asked.text)
    scored = []
    for value, s in _by_question(collection, asked, all_sentences=True):
        words = re.findall(r"[a-z]+", s.text.lower())
        opinions = sum(word in lexicon for word in words)
        if opinions:
            scored.append(((0.5 + value) * opinions / math.sqrt(len(words)), s))
    scored.sort(key=lambda pair: (-pair[0], pair[1].docno, pair[1].position))
    if not asked.is_rigid:
        return _spread(scored, 14)
    found = ((_trim(m[1]), value, s) for value, s in scored[:70] for m in _NOUN.finditer(s.text))
    return _best(found, asked, 12)


def first_paragraphs(collection: Collection, asked: Asked) -> list[Answer]:
    """Return how the best pages begin, as a baseline; for rigid lists their titles."""
    pages = [collection.pages[docno] for docno, _ in collection.rank(f"{asked.target} {asked.text}", 8)]
    if asked.is_rigid:
        titles = ((re.split(r": | \u00bb | \| | - ", page.title)[-1][:80], page.docno) for page in pages)
        return _distinct(Answer(docno, one_line(title)) for title, docno in titles if title.strip())
    openings = ((page.docno, next((b for b in page.blocks if len(b) > 120), "")) for page in pages[:4])
    return _distinct(Answer(docno, block[:500]) for docno, block in openings if block)


def patterns(collection: Collection, asked: Asked) -> list[Answer]:
    """Return what stands in quotation marks, lists and names; for squishy questions sentences that give a reason."""
    ranked = _by_question(collection, asked, all_sentences=True)
    if not asked.is_rigid:
        wanted = _lexicon(asked.text)
        cued = [
            (
                value
                + len(_CUES.findall(s.text))
                + 2 * sum(word in wanted for word in re.findall("[a-z]+", s.text.lower())),
                s,
            )
            for value, s in ranked
        ]
        cued.sort(key=lambda pair: (-pair[0], pair[1].docno, pair[1].position))
        return _spread(cued, 12)
    found = []
    for value, s in ranked[:120]:
        found += [(phrase, value + 2, s) for phrase in _QUOTED.findall(s.text)]
        found += [(phrase, value + 1, s) for phrase in _listed(s.text)]
        found += [(phrase, value, s) for phrase in _names(s.text) if " " in phrase]
    return _best(found, asked, 14)


def mmr_summary(collection: Collection, asked: Asked) -> list[Answer]:
    """Return sentences that add something new (maximal marginal relevance); for rigid lists the target's phrases."""
    if asked.is_rigid:
        return _typical_phrases(collection, asked)
    ranked = _by_question(collection, asked, all_sentences=True, with_feedback=True)
    lexicon = _lexicon(asked.text)
    waiting = [(v * (1.5 if lexicon & set(s.text.lower().split()) else 1), s) for v, s in ranked if _is_long(s)][:120]
    chosen: list[Sentence] = []
    top = max((value for value, _ in waiting), default=1.0)
    while waiting and len(chosen) < 16:
        best = max(waiting, key=lambda pair: 0.7 * pair[0] / top - 1.2 * _likeness(pair[1], chosen))
        chosen.append(best[1])
        waiting.remove(best)
    return [Answer(s.docno, s.text) for s in chosen]


PROGRAMS: dict[str, tuple[Program, str]] = {
    "Harbor1": (bm25_sentences, "Sentences by BM25 over the whole collection; names in them for rigid lists."),
    "Harbor2": (opinion_sentences, "Sentences with words of an opinion lexicon; noun phrases for rigid lists."),
    "Harbor3": (first_paragraphs, "Baseline: titles and first paragraphs of the best pages."),
    "Larch1": (patterns, "Quotations, enumerations and names by patterns; sentences with words that give a reason."),
    "Quill1": (mmr_summary, "Maximal marginal relevance over sentences; typical phrases of the target's pages."),
}


# ---------------------------------------------------------------- what they share


def _by_question(
    collection: Collection, asked: Asked, *, all_sentences: bool = False, with_feedback: bool = False
) -> list[tuple[float, Sentence]]:
    """Return the sentences of the target's best pages, each after its value, by their likeness to the question.

    Only those that share a term with the question or the target, unless ``all_sentences``. With feedback the words
    that are frequent near the target's name count, too (a simple relevance model).
    """
    docnos = [docno for docno, _ in collection.rank(asked.target, 30)]
    target = set(terms(asked.target))
    near = {docno: _near(collection, docno, target) for docno in docnos}
    enough = 0.4 * max((value for values in near.values() for value in values), default=0.0)
    sentences = [s for s in collection.sentences(docnos) if s.terms and near[s.docno][s.position] >= enough]
    weights = {t: 0.2 * collection.idf(t) for t in target} | {t: collection.idf(t) for t in terms(asked.text)}
    if with_feedback:
        weights = _feedback(collection, sentences, target) | weights
    scored = []
    for s in sentences:
        value = sum(weights.get(t, 0.0) for t in sorted(set(s.terms))) / math.sqrt(6 + len(s.terms))
        if value > 0 or all_sentences:
            scored.append((value + 0.2 * near[s.docno][s.position] + 0.1 / (1 + docnos.index(s.docno)), s))
    return sorted(scored, key=lambda pair: (-pair[0], pair[1].docno, pair[1].position))


def _feedback(collection: Collection, sentences: list[Sentence], target: set[str]) -> dict[str, float]:
    """Return the weights, up to 1.5, of the forty terms most typical of these sentences."""
    counts = Counter(t for s in sentences for t in set(s.terms) - target)
    values = {t: math.log(n) * collection.idf(t) for t, n in counts.items() if n > 1}
    best = sorted(values, key=lambda t: (-values[t], t))[:40]
    return {t: 1.5 * values[t] / values[best[0]] for t in best if values[best[0]]}


def _spread(ranked: list[tuple[float, Sentence]], count: int) -> list[Answer]:
    """Return the best ``count`` sentences of seven words or more, three a page at most."""
    taken: Counter[str] = Counter()
    answers = []
    for _, s in ranked:
        if _is_long(s) and taken[s.docno] < 3:
            taken[s.docno] += 1
            answers.append(Answer(s.docno, s.text))
    return answers[:count]


def _is_long(sentence: Sentence) -> bool:
    return len(sentence.text.split()) >= 7


def _near(collection: Collection, docno: str, target: set[str]) -> list[float]:
    """Return for each sentence of a page how much of the target's name stands near it, by idf: half of it makes 1."""
    sentences = collection.pages[docno].sentences
    whole = sum(collection.idf(t) for t in sorted(target)) or 1.0
    found = []
    for n in range(len(sentences)):
        window = {t for s in sentences[max(0, n - 20) : n + 6] for t in s.terms}
        found.append(min(1.0, 2 * sum(collection.idf(t) for t in sorted(target & window)) / whole))
    return found


def _lexicon(question: str) -> frozenset[str]:
    if _CROSS_QUESTION.search(question):
        return CROSS
    return PLEASED if _GLAD.search(question) else PLEASED | CROSS


def _names(text: str) -> list[str]:
    """Return the capitalised phrases of a sentence, but not a single word with which it begins."""
    inner = (m[0].rstrip(".") for m in _NAME.finditer(text) if m.start() > 2 or " " in m[0])
    found = (
        re.sub(r"^(?:And|But|The|In|At|For|If|It|I)(?:[\u2019'][a-z]+)? (?=[A-Z])|[\u2019']s$", "", name)
        for name in inner
    )
    return [name for name in found if len(name) > 3 and name.split("\u2019")[0].split("'")[0].lower() not in STOP]


def _listed(text: str) -> list[str]:
    """Return the short parts of an enumeration "a, b and c" that look like names, where at least three are short."""
    parts = [_trim(part) for part in re.split(r", (?:and )?| and |; ", re.sub(r"\([^)]*\)", "", text))]
    short = [part for part in parts if part and len(part.split()) <= 4]
    return [part for part in short if " " in part or part[0].isupper()] if len(short) >= 3 else []


def _trim(phrase: str) -> str:
    """Return the phrase without small words before it, up to the next one, without numbering and punctuation."""
    words = re.sub(r"^\W*\d*[.)]?\s*", "", phrase).split()
    while words and (words[0].lower() in STOP or words[0].endswith("n't")):
        words.pop(0)
    end = next((n for n, word in enumerate(words) if word.lower() in STOP), len(words))
    return " ".join(words[:end]).strip(".,;:!?\"'\u201c\u201d()")


def _best(found: Iterable[tuple[str, float, Sentence]], asked: Asked, count: int) -> list[Answer]:
    """Return the ``count`` phrases that many good sentences share, each with the page of the first that has it."""
    known = set(terms(f"{asked.target} {asked.text}"))
    values: dict[str, float] = defaultdict(float)
    first: dict[str, Answer] = {}
    for phrase, value, sentence in found:
        key = " ".join(terms(phrase))
        if key and not set(key.split()) <= known and len(phrase) <= 60:
            values[key] += value
            first.setdefault(key, Answer(sentence.docno, phrase))
    return [first[key] for key in sorted(values, key=lambda key: (-values[key], key))[:count]]


def _typical_phrases(collection: Collection, asked: Asked) -> list[Answer]:
    """Return twelve pairs and triples of rare words that good sentences of the target's pages repeat."""
    ranked = _by_question(collection, asked, all_sentences=True)
    counts: dict[str, float] = defaultdict(float)
    first: dict[str, Answer] = {}
    known = set(terms(f"{asked.target} {asked.text}"))
    for value, s in ranked:
        words = re.findall(r"[\w\u2019'-]+", s.text)
        for length in (2, 3):
            for start in range(len(words) - length + 1):
                phrase = words[start : start + length]
                if phrase[0].lower() in STOP or phrase[-1].lower() in STOP or set(terms(" ".join(phrase))) & known:
                    continue
                rarity = sum(collection.idf(term) for term in terms(" ".join(phrase))) / length
                key = " ".join(phrase).lower()
                counts[key] += rarity * (0.4 + value)
                first.setdefault(key, Answer(s.docno, " ".join(phrase)))
    return [first[key] for key in sorted(counts, key=lambda key: (-counts[key], key))[:12]]


def _likeness(sentence: Sentence, chosen: list[Sentence]) -> float:
    mine = set(sentence.terms)
    return max((len(mine & set(c.terms)) / max(len(mine | set(c.terms)), 1) for c in chosen), default=0.0)


def _distinct(answers: Iterable[Answer]) -> list[Answer]:
    return list(dict.fromkeys(answers))
