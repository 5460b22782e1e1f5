"""Build the track of a design by its form of runs. Here are the forms of answers, strings, and items that no run
returned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import make_dataclass
from functools import partial
from pathlib import Path
from typing import Any

from assess.base.track_settings import Change, TrackSettings, judge_each_field, judged_topics_field, setting
from assess.protocol import (
    RECORDED_JUDGMENTS,
    ContextPart,
    PoolRecipe,
    RunBundle,
    Submission,
    Task,
    TopicFile,
    TopicRecord,
    Track,
)
from scoring.formats.rag_answers import read_rag_answers
from scoring.formats.tac_runs import parse_run, tag_of_run
from scoring.reading.repairs import repair_lines
from scoring.run_tags import rename_column, rename_members
from tracks import answer_files
from tracks.designs import answer_runs, item_rows, string_runs
from tracks.designs.building import (
    context_of,
    document_facts,
    document_view,
    guidelines_of,
    in_own_words,
    lease_hours,
    opened,
    track_of_design,
)
from tracks.designs.described_work import built_stages
from tracks.designs.graded import graded_exports, graded_scoring
from tracks.designs.judged_items import ITEM, STRING, has_matches, kinds_judged
from tracks.designs.nugget_work import nugget_exports, with_nuggets
from tracks.designs.ranked_form import plain_topics
from tracks.designs.run_forms import RunsOfTrack
from tracks.designs.run_tables import AnswerRuns, ItemRuns, StringRuns
from tracks.designs.shape import Design
from tracks.designs.suggested import DRAFTS, suggested_file
from tracks.installed import installed_forms
from tracks.rag_nuggets import TRACK as ANSWERS
from tracks.rag_nuggets import files as rag_files

ITEM_NAMES = ("*items*.csv", "*items*.tsv", "*items*.jsonl", "*claims*.jsonl", "*.csv", "*.tsv")
OF_DIALOGUES = frozenset({"what is asked", "the dialogue so far"})
"""The parts of a turn that are always open."""
OF_TOPICS = frozenset({"unknown-topic", "missing-topic", "unknown-question", "missing-question", "unknown-item"})


def built_track(design: Design, *, folder: Path | None = None) -> Track:
    """Return the track of a design, whatever its form of runs. ``folder`` holds the files that the design names. Raises
    BadToml if the file of guidelines can't be read.
    """
    if design.runs.form == "ranked":
        return track_of_design(design, built_stages(design), folder=folder)
    return track_of_other_form(design, folder=folder)


def track_of_other_form(design: Design, *, folder: Path | None = None) -> Track:
    """Return the track of a design whose runs are not rankings. Raises BadToml as `built_track`."""
    form = _form(design)
    stages = built_stages(design)
    scoring = graded_scoring(design)
    exports = graded_exports(design)
    if has_matches(design):
        scoring, exports = with_nuggets(design, scoring), (*nugget_exports(), *exports)
    task = Task(
        key=form.task,
        label=design.task or design.title,
        topics_setting="judged_topics",
        pooling=form.pooling,
        stages=stages,
    )
    return Track(
        key=design.key,
        label=design.title,
        source=design.source or "a design",
        language=design.language,
        settings=form.settings,
        topic_files=form.topic_files,
        submissions=(form.submission,),
        tasks=(task,),
        exports=(*exports, RECORDED_JUDGMENTS),
        scoring=in_own_words(design, scoring),
        bundles=form.bundles,
        document_files=form.document_files,
        documents_in=form.documents_in,
        document_view=document_view(design),
        document_facts=document_facts(design),
        context=partial(context_of, frozenset(design.topics.shown)) if form.context is None else form.context,
        wordings=form.wordings,
        resolved=form.resolved,
        lease_hours=lease_hours(design),
        judgment_files=form.judgment_files,
        drafts=form.drafts,
        guidelines=guidelines_of(design, folder),
    )


def _form(design: Design) -> RunsOfTrack:
    runs = design.runs
    build = OWN[runs.form] if runs.form in OWN else installed_forms()[runs.form].build
    return build(design, runs)


def _settings(design: Design, members: Mapping[str, tuple[Any, Any]]) -> type[TrackSettings]:
    """Return a class of settings that has these members and the setting for the judged topics."""
    topics: Any = judged_topics_field(default=tuple(design.topics.judged))
    described = [(name, kind, given) for name, (kind, given) in members.items()]
    made: type[TrackSettings] = make_dataclass(
        "DesignSettings",
        [*described, ("judged_topics", tuple[str, ...], topics)],
        bases=(TrackSettings,),
        frozen=True,
        kw_only=True,
        slots=True,
    )
    return made


def _number(default: int, label: str, help_text: str) -> tuple[type[int], Any]:
    return int, setting(default, label, help_text, change=Change.RUNS, within=(0, 1_000_000))


# ---------------------------------------------------------------- answers


def _answers(design: Design, runs: AnswerRuns) -> RunsOfTrack:
    kinds = kinds_judged(design)
    files = answer_runs.AnswerFiles(runs=runs, kinds=frozenset(kinds))
    settings = _settings(
        design,
        {
            "word_limit": _number(runs.words or 0, "Words", "Words that an answer may have; 0: any number."),
            "judged_citations": _number(
                runs.citations.most or 0,
                "Judged citations",
                "How many citations of each sentence are judged, from the first; 0: all.",
            ),
            "judge_each": (bool, judge_each_field("an answer, a sentence, a sentence with a document that it cites")),
        },
    )
    submission = Submission(
        key="answers",
        label="Answers",
        help="JSON, one object a topic: metadata with run_id and topic_id, references, and responses or answer, a list "
        "of text and citations; as TREC RAG, RAGTIME, DRAGUN, BioGen and iKAT write them.",
        tasks=(answer_runs.TASK,),
        check=files.check,
        lists=("docnos",),
        read=files.read,
        responses=files.responses,
        own_kinds=tuple(kind for kind in kinds if kind != "document"),
        segment_noun="sentence" if "sentence" in kinds else "response",
        priorities=(),
        tag=answer_files.read_tag,
        tags=answer_files.TAGS,
        form=answer_files.read_form,
        records=read_rag_answers,
        rename=partial(rename_members, members=("run_id", "team_id", "run_name", "run_desc")),
        repair=repair_lines,
        preview=files.preview,
        topic_codes=OF_TOPICS,
    )
    return RunsOfTrack(
        task=answer_runs.TASK,
        settings=settings,
        topic_files=ANSWERS.topic_files,
        submission=submission,
        pooling=tuple(PoolRecipe(kind=kind, priorities_setting="") for kind in kinds),
        context=partial(_context_of_answers, frozenset(design.topics.shown) | OF_DIALOGUES),
        wordings=rag_files.wordings,
        resolved="resolved",
    )


def _context_of_answers(
    shown: frozenset[str], topic: TopicRecord, ancestors: tuple[TopicRecord, ...]
) -> Iterator[ContextPart]:
    """Yield the parts of a topic and, if it is a turn, of its dialogue. Parts that the design names are open, all
    others closed.
    """
    for part in rag_files.context(topic, ancestors):
        yield opened(part, shown)


# ---------------------------------------------------------------- strings


def string_runs_of(design: Design, runs: StringRuns) -> RunsOfTrack:
    """Return what runs of answer strings contribute to a track. In `runs`, ``limit`` is the largest number of strings
    for a topic.
    """
    limit = _number(runs.limit or 0, "Strings", "How many strings a run may return for a topic; 0: any number.")
    is_bounded = "depth" in design.pool.model_fields_set
    depth = _number(design.pool.depth, "Pool depth", "The first so many strings of each run and topic are judged.")
    submission = Submission(
        key="strings",
        label="Answer strings",
        help="Plain text, one string a line: topic run-tag docno answer-string.",
        tasks=(string_runs.TASK,),
        check=string_runs.check,
        lists=("docnos",),
        read=string_runs.read,
        segment_noun="string",
        priorities=(),
        tag=tag_of_run,
        tags=string_runs.TAGS,
        form=string_runs.read_form,
        records=parse_run,
        rename=partial(rename_column, column=2),
        topic_codes=OF_TOPICS,
    )
    return RunsOfTrack(
        task=string_runs.TASK,
        settings=_settings(design, {"string_limit": limit, **({"pool_depth": depth} if is_bounded else {})}),
        topic_files=(plain_topics(string_runs.TASK),),
        submission=submission,
        pooling=(PoolRecipe(kind=STRING, priorities_setting="", depth_setting="pool_depth" if is_bounded else ""),),
    )


# ---------------------------------------------------------------- items


def _items(design: Design, runs: ItemRuns) -> RunsOfTrack:
    columns = ", ".join(item_rows.columns_of(runs))
    topic_file = TopicFile(
        key="items",
        label="Items",
        help=f"CSV with a line of names, or JSON lines, with the columns {columns}.",
        file_names=ITEM_NAMES,
        read=partial(item_rows.read_topics, runs),
    )
    submission = Submission(
        key="system",
        label="System",
        help=f"What one system said of the items: the rows of their file that are its own, with {columns}.",
        tasks=(item_rows.TASK,),
        check=partial(item_rows.check_system, runs),
        read=partial(item_rows.read_system, runs),
        segment_noun="row",
        priorities=(),
        for_organisers=True,
        tags=answer_files.TAGS,
        tag=item_rows.tag_of_rows,
        records=partial(item_rows.read_rows, runs),
        rename=partial(rename_members, members=("system",)),
        topic_codes=OF_TOPICS,
        needs_topics=True,
    )
    bundle = RunBundle(
        key="systems",
        label="Systems",
        help="The file of items: a run for each system that it names, or one of all rows.",
        file_names=ITEM_NAMES,
        split=partial(item_rows.systems_of, runs),
    )
    return RunsOfTrack(
        task=item_rows.TASK,
        settings=_settings(design, {}),
        topic_files=(topic_file,),
        submission=submission,
        pooling=(PoolRecipe(kind=ITEM, priorities_setting="", items=item_rows.given_items),),
        bundles=(bundle,),
        document_files=("documents*", *(ITEM_NAMES if runs.source else ())),
        documents_in=partial(item_rows.sources_in, runs) if runs.source else None,
        judgment_files=(suggested_file(design, runs),) if runs.suggest else (),
        drafts=DRAFTS[runs.suggest_shown] if runs.suggest else "",
    )


Build = Callable[[Design, Any], RunsOfTrack]
OWN: Mapping[str, Build] = {"answers": _answers, "strings": string_runs_of, "items": _items}
"""The builders for Assay's own forms of runs, except rankings."""
