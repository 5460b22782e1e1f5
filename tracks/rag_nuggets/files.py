"""Read the files of answers and nuggets as records: topics, runs, and files with several runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from assess.protocol import (
    FURTHER,
    BundledRun,
    CheckContext,
    CitationRecord,
    ContextPart,
    RunForm,
    SegmentRecord,
    TopicRecord,
    Wording,
    named_wordings,
)
from scoring.folding import answer_key
from scoring.formats.answer_checks import AnswerCheck
from scoring.formats.answer_limits import CHARACTERS, WORDS, AnswerLimit, own_limit
from scoring.formats.answer_rules import RULES
from scoring.formats.ikat_topics import Dialogue, DialogueTurn, read_dialogues, turn_name, write_dialogues
from scoring.formats.rag_answers import RagAnswer, RagSentence, read_rag_answers, write_rag_answers
from scoring.reading.json_reading import json_path, load_json
from scoring.reading.opening import CannotOpen, excerpt_of, open_input
from scoring.records import Issue
from scoring.release.phrases import Phrase
from tracks.answer_files import TAGS, TEAM_LENGTH, cited_pairs, whole_text
from tracks.further_fields import further_of, further_parts, kept_further
from tracks.plain_topics import described, plain_wordings, topics_of
from tracks.rag_nuggets.settings import RagNuggetsSettings

TASK = "answers"
RESPONSE, CITATION = "response", "citation"

read_topics = topics_of(TASK, conversations=False)


def read_turns(file: BinaryIO) -> Iterator[TopicRecord | Issue]:
    """Yield a record for each dialogue and each of its turns, and an issue for each dialogue that can't be read. The
    record of a dialogue holds what the user and the system said in it, and the statements about the user.
    """
    for place, dialogue in enumerate(read_dialogues(file), 1):
        if isinstance(dialogue, Issue):
            yield dialogue
        else:
            yield from _turns(place, dialogue)


def _turns(place: int, dialogue: Dialogue) -> Iterator[TopicRecord]:
    said = [[turn.number, turn.utterance, turn.response] for turn in dialogue.turns]
    fields = {"ptkb": [list(pair) for pair in dialogue.ptkb], "turns": said, **kept_further(dialogue.further)}
    yield TopicRecord(number=dialogue.number, task="", text=dialogue.title, ordinal=place, fields=fields)
    for turn in dialogue.turns:
        resolved = {"resolved": turn.resolved_utterance} if turn.resolved_utterance else {}
        yield TopicRecord(
            number=turn_name(dialogue.number, turn.number),
            task=TASK,
            text=turn.utterance,
            parent=dialogue.number,
            ordinal=turn.number,
            fields={"statements": list(turn.statements)} | resolved | kept_further(turn.further),
        )


def write_turns(records: Iterable[TopicRecord]) -> Iterator[str]:
    """Yield the lines of a file of dialogues in the released format, without their turns' passages, which are not
    stored.
    """
    topics = list(records)
    asked = {(each.parent, each.ordinal): each for each in topics if each.task and each.parent is not None}
    heads = [each for each in topics if "turns" in each.fields]
    return write_dialogues(_dialogue(head, asked) for head in sorted(heads, key=lambda each: each.ordinal))


def _dialogue(head: TopicRecord, asked: Mapping[tuple[str, int], TopicRecord]) -> Dialogue:
    turns = []
    for number, utterance, response in head.fields["turns"]:
        topic = asked.get((head.number, number))
        fields = topic.fields if topic is not None else {}
        turns.append(
            DialogueTurn(
                number=number,
                utterance=utterance,
                resolved_utterance=fields.get("resolved", ""),
                response=response,
                statements=tuple(fields.get("statements", ())),
                passages=(),
                further=further_of(topic) if topic is not None else (),
            )
        )
    ptkb = tuple((name, text) for name, text in head.fields.get("ptkb", ()))
    return Dialogue(number=head.number, title=head.text, ptkb=ptkb, turns=tuple(turns), further=further_of(head))


def wordings(topic: TopicRecord, series: tuple[TopicRecord, ...]) -> Iterator[Wording]:
    """Yield the texts that can be amended: those of a topic, those of a dialogue, and a turn's utterance and its
    meaning.

    The texts of a turn have a second place, since the dialogue also holds what is said in its turns.
    """
    is_turn = topic.task != "" and topic.parent is not None
    fixed = {"text"} if is_turn else set()
    fixed |= {f"{FURTHER}-{name}" for name in (CHARACTERS, WORDS)}  # runs were read by these
    yield from (each for each in plain_wordings(topic, series) if each.key not in fixed)
    if topic.task and topic.parent is not None:
        head = next((each for each in series if each.number == topic.parent), None)
        turns = head.fields.get("turns", ()) if head is not None else ()
        copies = [(topic.parent, ("turns", place, 1)) for place, turn in enumerate(turns) if turn[0] == topic.ordinal]
        yield Wording(
            key="text", label=Phrase("Utterance"), text=topic.text, places=((topic.number, ("text",)), *copies)
        )
        yield from named_wordings(topic, {"resolved": Phrase("What is asked")})
    for place, (name, text) in enumerate(topic.fields.get("ptkb", ())):
        places = ((topic.number, ("ptkb", place, 1)),)
        yield Wording(
            key=f"statement-{name}",
            label=Phrase("Statement {name} about the user", name=name),
            text=text,
            places=places,
        )
    for place, (number, _, text) in enumerate(topic.fields.get("turns", ())):
        if text:
            places = ((topic.number, ("turns", place, 2)),)
            yield Wording(
                key=f"response-{number}",
                label=Phrase("Response to turn {number}", number=number),
                text=text,
                places=places,
            )


def context(topic: TopicRecord, ancestors: tuple[TopicRecord, ...]) -> Iterator[ContextPart]:
    """Yield what assessors see of a topic. For a turn of a dialogue this includes the dialogue before it and the
    statements about the user.
    """
    yield from described(topic, ancestors)
    if text := topic.fields.get("resolved"):
        yield ContextPart(heading=Phrase("What is asked"), lines=(("", str(text)),))
    if not ancestors:
        return
    dialogue = ancestors[0].fields
    before = [turn for turn in dialogue.get("turns", ()) if turn[0] < topic.ordinal]
    if before:
        lines = tuple(
            line
            for _, user, system in before
            for line in ((Phrase("User"), user), (Phrase("System"), system))
            if line[1]
        )
        yield ContextPart(heading=Phrase("The dialogue so far"), lines=lines)
    if statements := dialogue.get("ptkb"):
        yield ContextPart(
            heading=Phrase("About the user"), lines=tuple((name, text) for name, text in statements), is_open=False
        )
    yield from further_parts(ancestors[0])


def check(file: BinaryIO, context: CheckContext) -> Iterator[Issue]:
    """Yield an issue for each broken rule (`scoring.formats.answer_checks`), under the rules that the campaign
    names.
    """
    settings: RagNuggetsSettings = context.settings
    topics = [topic for topic in context.topics if topic.task]
    checked = AnswerCheck(
        rules=RULES[settings.run_rules],
        topics=[topic.number for topic in topics],
        words=settings.word_limit,
        limits=own_limits(context),
        references=settings.reference_limit,
        strict_length=settings.word_limit_is_fatal,
        tag=context.form.tag if context.form is not None else "",
        tags=None if context.any_tag else TAGS,
        unknown_docnos=context.unknown_docnos,
    )
    return checked.issues(file)


def own_limits(context: CheckContext) -> dict[str, AnswerLimit]:
    """Return the length limit of each topic that has its own."""
    return {each.number: limit for each in context.topics if each.task and (limit := own_limit(further_of(each)))}


def limit_of(topic: str, limits: Mapping[str, AnswerLimit], settings: RagNuggetsSettings) -> AnswerLimit:
    """Return the topic's own limit, or else the campaign's limit on words."""
    return limits.get(topic) or AnswerLimit(words=settings.word_limit)


def read_segments(file: BinaryIO, context: CheckContext) -> Iterator[SegmentRecord]:
    """Yield one segment for each answer. It has all sentences within the length limit, and the citations that are
    judged. Answers that can't be read or have no sentence are left out.
    """
    settings: RagNuggetsSettings = context.settings
    limits = own_limits(context)
    for answer in read_rag_answers(file):
        if isinstance(answer, RagAnswer) and answer.sentences:
            limit = limit_of(answer.topic, limits, settings)
            sentences = answer.sentences[: limit.kept(answer.sentences)]
            text = whole_text(sentences)
            yield SegmentRecord(
                topic=answer.topic,
                ordinal=1,
                text=text,
                docno="",
                item_kind=RESPONSE,
                item_key=answer_key(text, ""),
                line=answer.line,
                citations=tuple(_citations(sentences, settings.judged_citations)),
            )


def _citations(sentences: Sequence[RagSentence], limit: int) -> Iterator[CitationRecord]:
    for ordinal, (text, docno) in enumerate(cited_pairs(sentences, limit), 1):
        yield CitationRecord(
            docno=docno, item_kind=CITATION, item_key=answer_key(text, docno), ordinal=ordinal, item_text=text
        )


def preview(file: BinaryIO, context: CheckContext) -> Iterator[tuple[str, str, str]]:
    """Yield (topic, what, text) for each sentence of the answers. ``what`` names the sentence and the documents that it
    cites, and says what is dropped or not judged.
    """
    settings: RagNuggetsSettings = context.settings
    limits = own_limits(context)
    for answer in read_rag_answers(file):
        if isinstance(answer, RagAnswer):
            kept = limit_of(answer.topic, limits, settings).kept(answer.sentences)
            for number, sentence in enumerate(answer.sentences, 1):
                what = f"sentence {number}" if number <= kept else f"dropped: sentence {number}, beyond the limit"
                cited = list(sentence.citations)
                judged, more = cited[: settings.judged_citations], cited[settings.judged_citations :]
                cites = f"cites {', '.join(judged) or 'nothing'}" + (
                    f" (not judged: {', '.join(more)})" if more else ""
                )
                yield answer.topic, f"{what} · {cites}", sentence.text


# ---------------------------------------------------------------- runs that stand together


def split_responses(paths: Sequence[Path]) -> Iterator[BundledRun | Issue]:
    """Yield the runs in files {turn: {run: response}}, and an issue for everything that can't be read and for a run
    that an earlier file has. Files named "manual…" and "gold…" hold manual runs.

    A response is a text, or an object with the text as "response"; its other members are not read.
    """
    seen: set[str] = set()
    for path in paths:
        runs: dict[str, list[RagAnswer]] = {}
        for each in _responses(path):
            if isinstance(each, Issue):
                yield each
            else:
                runs.setdefault(each.run, []).append(each)
        for run, answers in runs.items():
            if run in seen:
                message = f"The run {excerpt_of(run, length=40)} stands in an earlier file. Keep one of them."
                yield Issue(where=path.name, code="duplicate", message=message)
                continue
            seen.add(run)
            is_manual = path.name.startswith(("manual", "gold"))
            content = "".join(line + "\n" for line in write_rag_answers(answers)).encode()
            form = RunForm(tag=run, team=run[:TEAM_LENGTH], automatic=not is_manual)
            yield BundledRun(form=form, file_name=f"{run}.jsonl", content=content)


def read_responses(path: Path) -> dict[tuple[str, str], str]:
    """Return (turn, run) -> response, for a file that can be read. `split_responses` reports files that can't."""
    found = (each for each in _responses(path) if isinstance(each, RagAnswer))
    return {(each.topic, each.run): each.text for each in found}


def _responses(path: Path) -> Iterator[RagAnswer | Issue]:
    try:
        with open_input(path) as file:
            value: Any = load_json(file)
    except CannotOpen as error:
        value = Issue(where="", code="cannot-open", message=f"{error}")
    if isinstance(value, Issue):
        where = f"{path.name}:{value.where}" if value.where != "" else path.name
        yield Issue(where=where, code=value.code, message=value.message)
        return
    if not isinstance(value, dict):
        yield _issue(path, (), "The file must be an object: turn -> run -> response.")
        return
    empty = 0
    for topic, runs in value.items():
        if not isinstance(runs, dict) or not _is_word(topic):
            yield _issue(path, (topic,), "Here must be an object: run -> response, under a turn named in one word.")
            continue
        for run, written in runs.items():
            text = written.get("response") if isinstance(written, dict) else written
            if not isinstance(text, str) or not _is_word(run):
                yield _issue(path, (topic, run), "A response must be text, and a run's name one word.")
            elif text.strip():
                yield RagAnswer(run=run, topic=topic, sentences=(RagSentence(text=text),))
            else:
                empty += 1
    if empty:
        message = f"{empty} responses are empty: their runs have no answer to these turns."
        yield Issue(where=path.name, code="empty-response", message=message, severity="warning")


def _is_word(name: str) -> bool:
    return len(name.split()) == 1 and name == name.strip() and len(name) <= 100 and name.isprintable()


def _issue(path: Path, place: tuple[str, ...], message: str) -> Issue:
    return Issue(where=f"{path.name}:{json_path(place)}", code="type", message=message)
