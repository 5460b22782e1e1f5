"""The rules that a BioGen run can break, each reported with its topic, sentence and character.

Besides the codes of `submissions` and of `scoring.reading.json_reading`:

    run-name-form, run-differs, run-tag-mismatch, team-mismatch (warning)
    unknown-topic, topic-twice
    missing-topic           (warning) a topic without an answer, reported only if everything else could be read
    no-sentence             an answer in which no sentence was found
    citation-form           an entry of a bracketed list that is not a PMID: "PMID 123", "1-3", nothing
    citation-not-in-references, unknown-pmid, citation-twice (warning)
    citations-limit         (warning) more entries than count, in the format of 2025
    citation-ignored        (warning, one for each answer) entries where citations do not count, in the format of 2024:
                            before any sentence, after the end of one, beyond the first entries of a list
    unpaired-bracket        (warning) an unpaired bracket
    brackets-in-text        (warning) a citation in the text, in the format of 2025
    reference-twice
    reference-not-cited     (a warning in the format of 2025, which asks for no references) an ignored citation does not
                            count as one
    rules                   what the checker of 2025 refuses, if the campaign names it
    word-limit              (warning unless the organiser says otherwise) too many words
    sentences-by-rules      (warning) the model that finds sentences is not installed
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO

from assess.protocol import CheckContext, RunForm
from scoring.formats.answer_rules import RULES
from scoring.formats.rag_answers import count_words
from scoring.reading.opening import excerpt_of, until_too_many
from scoring.reading.plain_names import KnownNames
from scoring.reading.sentences import has_model
from scoring.records import Issue, Severity, has_errors
from scoring.run_tags import TagRule, letter_in_front
from tracks.biogen2024.runs import CitedAnswer, cut, list_place
from tracks.biogen2024.settings import BioGenSettings
from tracks.biogen2024.submissions import PMID, Answer, Head, Place, read_submission

TAGS = TagRule(
    form=re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}"),
    words=letter_in_front(64),
)
TEAM_LIMIT = 50
IGNORED_NAMED = 12
"""The most ignored entries that one message names; the preview names them all."""
_IN_TEXT = re.compile(r"\[\s*[0-9]+(?:\s*,\s*[0-9]+)*\s*\]")


TOPIC_CODES = {"unknown-topic", "topic-twice"}
"""Codes for the topic of an answer that could be read."""


def check(file: BinaryIO, context: CheckContext) -> Iterator[Issue]:
    """Yield an issue for each rule that the form or the file breaks, in file order; issues of the whole file come
    last.
    """
    settings: BioGenSettings = context.settings
    heads = _Heads(context.form)
    topics = _Topics([topic.number for topic in context.topics if topic.task])
    read = list(_cut_answers(file, context, topics))
    answers = [each for each in read if isinstance(each, CitedAnswer)]
    unknown = unknown_pmids(answers, context.unknown_docnos)
    for each in read:
        if isinstance(each, Issue):
            yield each
        elif isinstance(each, Head):
            yield from heads.check(each)
        else:
            yield from check_answer(each, settings, unknown)
    if not has_errors(each for each in read if isinstance(each, Issue) and each.code not in TOPIC_CODES):
        yield from topics.missing(RULES[settings.run_rules].missing)
    if settings.sentences == "parser" and not has_model() and any(each.cut is not None for each in answers):
        message = "The model that finds sentences is not installed, so they were cut by simple rules; cuts may differ."
        yield _issue("", "sentences-by-rules", message, "warning")


def _cut_answers(file: BinaryIO, context: CheckContext, topics: _Topics) -> Iterator[Head | CitedAnswer | Issue]:
    """Yield the heads, answers and issues of the file, with the answers cut into sentences. If the topics are known,
    answers with errors are left out, since cutting is slow.
    """
    rules = RULES[context.settings.run_rules]
    found: Iterator[Head | Answer | Issue] = until_too_many(read_submission(file, rules))
    for each in found:
        if not isinstance(each, Answer):
            yield each
            continue
        context.pace()
        problems = list(topics.check(each))
        yield from problems
        if not problems or not topics.known:
            yield cut(each, context.settings)


def unknown_pmids(
    answers: Iterable[CitedAnswer], unknown_docnos: Callable[[Iterable[str]], set[str]] | None
) -> set[str]:
    """Return the PMIDs of these answers that are not in the release set, which is the campaign's list of documents.
    Return an empty set if the campaign has no such list.
    """
    if unknown_docnos is None:
        return set()
    named = {pmid for each in answers for sentence in each.sentences for pmid in sentence.cited}
    named |= {pmid for each in answers for pmid in each.answer.references or ()}
    return unknown_docnos(sorted(named)) if named else set()


def check_answer(found: CitedAnswer, settings: BioGenSettings, unknown: set[str]) -> Iterator[Issue]:
    """Yield an issue for each rule that one answer breaks."""
    if not found.sentences and found.cut is not None:
        yield _issue(
            _answer_place(found), "no-sentence", f"Topic {found.answer.topic}: no sentence was found. Add text."
        )
    yield from _check_lists(found, settings)
    yield from _check_parts(found, settings)
    yield from _check_cited(found, unknown)
    yield from _check_references(found, settings, unknown)
    yield from _check_length(found, settings)


# ---------------------------------------------------------------- citations


def _check_lists(found: CitedAnswer, settings: BioGenSettings) -> Iterator[Issue]:
    """Check the bracketed lists of an answer in the format of 2024, in the order of the text."""
    if found.cut is None:
        return
    where = _answer_place(found)
    if ignored := ignored_entries(found, settings):
        named = [f"{entry} ({'; '.join(places)})" for entry, places in list(ignored.items())[:IGNORED_NAMED]]
        more = f" and {len(ignored) - IGNORED_NAMED:,} more" if len(ignored) > IGNORED_NAMED else ""
        message = f"Topic {found.answer.topic}: ignored where citations do not count: {', '.join(named)}{more}."
        yield _issue(where, "citation-ignored", f"{message} Move what should count before the final mark.", "warning")
    for each in found.cut.lists:
        place, written = list_place(found, each), excerpt_of(found.answer.text[each.start : each.end], length=40)
        counted = each.counted(settings.citations_limit)
        for entry in counted:
            if not PMID.fullmatch(entry):
                shown = f"“{excerpt_of(entry, length=30)}” is no PMID" if entry else "an entry is empty"
                message = f"{place}: in {written} {shown}. Write numbers alone, parted by commas: [123, 456]."
                yield _issue(where, "citation-form", message)
        for entry, count in Counter(counted).items():
            if count > 1 and entry:
                yield _issue(where, "citation-twice", f"{place}: {entry} stands twice in {written}.", "warning")
    for start in found.cut.unpaired:
        place = f"Topic {found.answer.topic}, sentence {found.cut.sentence_at(start)}, character {start + 1:,}"
        message = f"{place}: “{found.answer.text[start]}” has no partner and counts as text. Close or remove it."
        yield _issue(where, "unpaired-bracket", message, "warning")


def ignored_entries(found: CitedAnswer, settings: BioGenSettings) -> dict[str, list[str]]:
    """Return entry -> places and reasons, for the entries in places where citations do not count. They are in the order
    of the text.

    Such an entry need not be a PMID, nor be in the references or the release set. It also does not count towards any
    rule that asks for citations.
    """
    ignored: dict[str, list[str]] = {}
    for each in found.cut.lists if found.cut is not None else ():
        place = f"character {each.start + 1:,}"
        reason = each.dropped or f"beyond the first {settings.citations_limit} of a list"
        for entry in each.entries[len(each.counted(settings.citations_limit)) :]:
            ignored.setdefault(excerpt_of(entry, length=30) or "an empty entry", []).append(f"{place}, {reason}")
    return ignored


def _check_parts(found: CitedAnswer, settings: BioGenSettings) -> Iterator[Issue]:
    """Check the citations of an answer in the format of 2025, sentence by sentence."""
    for number, (text, cited) in enumerate(found.answer.parts, start=1):
        place = f"Topic {found.answer.topic}, sentence {number}"
        if len(cited) > settings.citations_limit:
            late = ", ".join(cited[settings.citations_limit :][:5])
            message = f"{place}: it has {len(cited)} citations; the first {settings.citations_limit} are judged"
            yield _issue(found.answer.where, "citations-limit", f"{message}, not {late}.", "warning")
        if match := _IN_TEXT.search(text):
            message = (
                f"{place}, character {match.start() + 1:,}: {excerpt_of(match[0], length=40)} stands in the text and "
                "counts as text. Name what is cited in “citations” alone."
            )
            yield _issue(found.answer.where, "brackets-in-text", message, "warning")


def _check_cited(found: CitedAnswer, unknown: set[str]) -> Iterator[Issue]:
    """Check that each cited PMID is in the release set and, in the format of 2024, in the references."""
    where, references = _answer_place(found), found.answer.references
    for sentence in found.sentences:
        for pmid in sentence.cited:
            place = f"Topic {found.answer.topic}, sentence {sentence.number}{_offset(found, sentence.number, pmid)}"
            if pmid in unknown:
                message = f"{place}: {pmid} is not in the release set of documents. Cite one that is."
                yield _issue(where, "unknown-pmid", message)
            if references is not None and pmid not in references and found.cut is not None:
                message = f"{place}: {pmid} is cited but is not in the references. Add it there."
                yield _issue(where, "citation-not-in-references", message)


def _offset(found: CitedAnswer, number: int, pmid: str) -> str:
    """Return a phrase that names the character at which a citation begins, or "" if answers have no offsets."""
    if found.cut is None:
        return ""
    starts = (each.start for each in found.cut.lists_of(number) if pmid in each.entries)
    return f", character {next(starts, 0) + 1:,}"


def _check_references(found: CitedAnswer, settings: BioGenSettings, unknown: set[str]) -> Iterator[Issue]:
    """Check that each reference is in the release set, occurs once, and is cited at least once."""
    cited = {pmid for sentence in found.sentences for pmid in sentence.cited}
    ignored = ignored_entries(found, settings)
    counts = Counter(found.answer.references or ())
    severity: Severity = "error" if found.cut is not None else "warning"  # the format of 2025 does not ask for them
    for pmid, count in counts.items():
        where, topic = _references_place(found), found.answer.topic
        if count > 1:
            message = f"Topic {topic}: {pmid} is {count} times in the references. Keep it once."
            yield _issue(where, "reference-twice", message)
        if pmid in unknown and pmid not in cited:
            message = f"Topic {topic}: {pmid} in the references is not in the release set of documents. Remove it."
            yield _issue(where, "unknown-pmid", message)
        if pmid not in cited:
            said = f"cited only where citations do not count ({'; '.join(ignored[pmid])})" if pmid in ignored else ""
            said = said or "never cited in the answer"
            message = f"Topic {topic}: {pmid} in the references is {said}. Cite it within a sentence or remove it."
            yield _issue(where, "reference-not-cited", message, severity)


def _check_length(found: CitedAnswer, settings: BioGenSettings) -> Iterator[Issue]:
    words, where = count_words(found.text), _answer_place(found)
    if found.cut is None or settings.word_limit_is_fatal:
        limit, said = settings.word_limit, "it may have"
        severity: Severity = "error" if settings.word_limit_is_fatal else "warning"
    else:
        limit, said, severity = settings.word_advice, "the advice is", "warning"
    if words > limit:
        message = f"Topic {found.answer.topic}: the answer has {words} words; {said} {limit}. Shorten it."
        yield _issue(where, "word-limit", message, severity)


# ---------------------------------------------------------------- the whole file


class _Heads:
    """Checks the run's name and its team. Both must be well formed, the same in the whole file, and equal to those in
    the submission form.
    """

    def __init__(self, form: RunForm | None) -> None:
        self.form = form
        self.first: Head | None = None

    def check(self, head: Head) -> Iterator[Issue]:
        """Yield what is wrong with the name and team in one head."""
        if self.first is not None:
            if (head.run, head.team) != (self.first.run, self.first.team):
                message = (
                    f"This line says {head.team}, {head.run}; the first said {self.first.team}, {self.first.run}. "
                    "One file is one run of one team."
                )
                yield _issue(head.where, "run-differs", message)
            return
        self.first = head
        if head.run and not TAGS.allows(head.run):
            message = f"The run's name is “{excerpt_of(head.run, length=40)}”. Give it another form: {TAGS.words}."
            yield _issue(head.where, "run-name-form", message)
        if len(head.team) > TEAM_LIMIT:
            message = f"The team's name has {len(head.team)} characters; it may have {TEAM_LIMIT}. Shorten it."
            yield _issue(head.where, "too-long", message)
        yield from self._check_form(head)

    def _check_form(self, head: Head) -> Iterator[Issue]:
        if self.form is None:
            return
        if self.form.tag and head.run and self.form.tag != head.run:
            message = f"The file says the run is {head.run}, the form says {self.form.tag}. Change one of them."
            yield _issue(head.where, "run-tag-mismatch", message)
        if self.form.team and head.team and self.form.team != head.team:
            message = f"The file says the team is {head.team}, the form says {self.form.team}; the form's counts."
            yield _issue(head.where, "team-mismatch", message, "warning")


class _Topics:
    """Checks that each answered topic is known and answered once, and reports topics without an answer."""

    def __init__(self, known: list[str]) -> None:
        self.known = dict.fromkeys(known)
        self.seen: set[str] = set()

    def check(self, answer: Answer) -> Iterator[Issue]:
        """Yield what is wrong with the topic that one answer names."""
        topic = answer.topic
        if topic not in self.known:
            message = KnownNames(self.known).lacks("topic", topic, "Check the topic's id.")
            yield _issue(answer.where, "unknown-topic", message)
        elif topic in self.seen:
            message = f"Topic {topic} is answered twice. Keep one answer."
            yield _issue(answer.where, "topic-twice", message)
        self.seen.add(topic)

    def missing(self, severity: Severity) -> Iterator[Issue]:
        """Yield an issue for each topic without an answer."""
        for topic in self.known:
            if topic not in self.seen:
                message = f"Topic {topic} has no answer; it will score 0. Answer it if you can."
                yield _issue("", "missing-topic", message, severity)


def _answer_place(found: CitedAnswer) -> Place:
    where = found.answer.where
    return f"{where}.answer" if found.cut is not None and isinstance(where, str) else where


def _references_place(found: CitedAnswer) -> Place:
    return f"{found.answer.where}.references" if isinstance(found.answer.where, str) else found.answer.where


def _issue(where: Place, code: str, message: str, severity: Severity = "error") -> Issue:
    return Issue(where=where, code=code, message=message, severity=severity)
