"""What all evaluations of ranked documents share: their files of topics and runs, the checks, and the settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import make_dataclass
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from assess.base.track_settings import Change, TrackSettings, judged_topics_field, setting
from assess.protocol import CheckContext, JudgmentFile, Ranking, Submission, TopicFile
from scoring.formats.qrels import KIND, read_judged_qrels
from scoring.formats.run_blocks import blocks_of_checked_run, read_run_blocks
from scoring.formats.run_rules import check_ranked_run
from scoring.formats.trec_run import tag_of_run, topics_of_run
from scoring.reading.repairs import repair_ranked_run
from scoring.records import Issue
from scoring.release.recorded_acts import Judged
from scoring.run_tags import ANY_LENGTH, LONGEST_TAG, TagRule, letters, rename_column
from tracks.designs.gains import gains_of, gold_question, graded_questions
from tracks.designs.question_rules import grades_of, scales_of
from tracks.designs.shape import Design, Question
from tracks.plain_topics import topics_of, write_plain_topics
from tracks.ranked_runs import no_segments, pooled_rows, read_form, read_ranking

RANKING = "ranking"  # the one task
TOPIC_NAMES = (
    *(f"*topics*.{ending}" for ending in ("txt", "tsv", "jsonl", "trec", "xml", "json", "csv")),
    "*.topics",
    "*queries*.tsv",
    "*queries*.jsonl",
)


# ---------------------------------------------------------------- files in


def plain_topics(task: str) -> TopicFile:
    """Return the kind of topic file for independent topics. ``task`` is the key of their task."""
    return TopicFile(
        key="topics",
        label="Topics",
        help="TREC topics (<top>…</top>), XML, lines of number, tab and query, JSON with id and title, dialogues.",
        file_names=TOPIC_NAMES,
        read=topics_of(task),
        write=write_plain_topics,
        name="topics.jsonl",
    )


def tags_of(settings: Any) -> TagRule:
    """Return the rule for run tags."""
    return letters(settings.tag_length)


def check(file: BinaryIO, context: CheckContext) -> Iterator[Issue]:
    """Yield an issue for each rule that a run breaks (`scoring.formats.run_rules`)."""
    return check_ranked_run(
        file,
        topics=[topic.number for topic in context.topics if topic.task],
        limit=context.settings.ranked_limit,
        tag=context.form.tag if context.form is not None else "",
        tags=None if context.any_tag else tags_of(context.settings),
        unknown_docnos=context.unknown_docnos,
    )


TOPICS = plain_topics(RANKING)
RUN = Submission(
    key="run",
    label="Ranked run",
    help="Plain text, one document a line: topic Q0 docno rank score run-tag.",
    tasks=(RANKING,),
    check=check,
    tags_of=tags_of,
    lists=("docnos",),
    read=no_segments,
    rankings=(Ranking(kind=KIND, read=read_ranking, blocks=blocks_of_checked_run, topics=topics_of_run),),
    priorities=(),
    tag=tag_of_run,
    form=read_form,
    records=read_run_blocks,
    segment=pooled_rows,
    segment_header=("topic", "rank", "document", "score"),
    rename=partial(rename_column, column=6),
    repair=repair_ranked_run,
    topic_codes=frozenset({"unknown-topic", "missing-topic"}),
)


def judgment_files(design: Design) -> tuple[JudgmentFile, ...]:
    """Return the kind of file for qrels that are read as judgments of a question; () if no question names such
    files.
    """
    asked = next((each for each in graded_questions(design) if each.qrels), None)
    if asked is None:
        return ()
    qrels = JudgmentFile(
        key="qrels",
        label="Qrels",
        help="topic iteration docno grade; a file with “second” or “umbrela” in its name is a second judge's.",
        file_names=tuple(asked.qrels),
        read=partial(_read_judgments, asked),
    )
    return (qrels,)


def _read_judgments(
    question: Question, paths: Sequence[Path], context: CheckContext
) -> Iterator[tuple[int | str, Judged] | Issue]:
    """Yield the judgments in qrels files, and an issue for each line that can't be read, has an unknown topic, or has a
    grade that is not on the campaign's scale.
    """
    return read_judged_qrels(
        paths,
        topics={topic.number for topic in context.topics if topic.task},
        grades=[int(grade.value) for grade in grades_of(question, highest_grade(context.settings))],
        criterion=question.key,
    )


# ---------------------------------------------------------------- what an organiser may set


def highest_grade(settings: Any) -> int | None:
    """Return the highest grade that a campaign sets, or None if its design has only one scale."""
    found: int | None = getattr(settings, "highest_grade", None)
    return found


def ranked_settings(design: Design) -> type[TrackSettings]:
    """Return the class of settings for a design with ranked runs. Its defaults come from the design."""
    made: type[TrackSettings] = make_dataclass(
        "DesignSettings",
        _members(design),
        bases=(TrackSettings,),
        namespace={"problems": lambda settings: _problems(design, settings)},
        frozen=True,
        kw_only=True,
        slots=True,
    )
    return made


def _members(design: Design) -> Iterator[tuple[str, Any, Any]]:
    asked = scaled_question(design)
    yield from (
        _free(
            "pool_depth",
            design.pool.depth,
            "Pool depth",
            "How many documents of each run and topic are judged.",
            within=(1, 1_000_000),
        ),
        *([("highest_grade", int, _highest_grade(asked))] if asked is not None else ()),
        *([_relevant_from(design)] if design.scores.relevant_from_setting else ()),
        _free(
            "ranked_limit",
            getattr(design.runs, "limit", 1000),
            "Ranked documents",
            "How many documents a run may rank for a topic.",
            within=(1, 1_000_000),
        ),
        _free(
            "tag_length",
            ANY_LENGTH,
            "Length of run tags",
            "How many letters, digits, “.”, “_” and “-” a run tag may have.",
            within=(1, LONGEST_TAG),
        ),
        _free(
            "all_topics",
            True,
            "All judged topics",
            "A judged topic that a run leaves out counts 0; otherwise it is left out of the run's mean.",
        ),
    )
    yield "judged_topics", tuple[str, ...], judged_topics_field(default=tuple(design.topics.judged))


def _free(name: str, default: Any, label: str, help_text: str, **allowed: Any) -> tuple[str, Any, Any]:
    """Return (name, type, field) of a setting that may be changed at any time. The type is that of its default."""
    return name, type(default), setting(default, label, help_text, **allowed)


def _highest_grade(question: Question) -> Any:
    ends = list(scales_of(question))
    is_range = ends == list(range(ends[0], ends[-1] + 1))
    return setting(
        question.highest,
        "Highest grade",
        f"Documents are graded from 0 to this: {_listed(ends)}.",
        change=Change.JUDGMENTS,
        criterion=question.key,
        allowed=f"{ends[0]} to {ends[-1]}" if is_range else _listed(ends),
    )


def _listed(numbers: Sequence[int]) -> str:
    """Return the numbers as a list in words, such as "1, 2 or 3"."""
    *others, last = map(str, numbers)
    return f"{', '.join(others)} or {last}" if others else last


def _relevant_from(design: Design) -> tuple[str, Any, Any]:
    question, default = gold_question(design), design.scores.relevant_from
    most = _highest_gain(design)
    is_whole = all(float(gain).is_integer() for gain in (*_gold_gains(design), default))
    said = "1 to the highest grade" if question is not None and question.scales else f"above 0, to {most:g}"
    return _free(
        "relevant_from",
        int(default) if is_whole else float(default),
        "Relevant from",
        "The lowest grade that counts as relevant for measures that know only yes and no.",
        allowed=said,
    )


def scaled_question(design: Design) -> Question | None:
    """Return the question whose scale a setting chooses, or None if no question has several."""
    return next((each for each in graded_questions(design) if each.scales), None)


def _gold_gains(design: Design, settings: Any = None) -> Mapping[int | float, float]:
    question = gold_question(design)
    return {} if question is None else gains_of(design, question, highest_grade(settings))


def _highest_gain(design: Design, settings: Any = None) -> float:
    return max(_gold_gains(design, settings).values(), default=1)


def _problems(design: Design, settings: Any) -> dict[str, str]:
    """Return setting's name -> what is wrong with its value."""
    found: dict[str, str] = settings.not_allowed()
    asked = scaled_question(design)
    if asked is not None and settings.highest_grade not in scales_of(asked):
        return found | {"highest_grade": f"The highest grade is {_listed(list(scales_of(asked)))}."}
    if design.scores.relevant_from_setting:
        most = _highest_gain(design, settings)
        if not 0 < settings.relevant_from <= most:
            gold = gold_question(design)
            is_scaled = gold is not None and gold.scales
            words = f"one of the grades from 1 to {most:g}" if is_scaled else f"above 0 and at most {most:g}"
            found["relevant_from"] = f"This must be {words}."
    return found
