"""TREC iKAT 2023: personalised conversations, judged turn by turn for passages, statements about the user, and
responses.

Systems answer each turn of each dialogue with ranked responses; each response rests on passages of the collection and
on statements about the user (the PTKB). Passages are pooled and graded. Two groups of assessors judge the statements as
relevant or not. The first responses that rest on a relevant passage are judged as texts.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from assess.protocol import (
    Grading,
    Needs,
    PoolRecipe,
    Ranking,
    Scoring,
    Stage,
    Submission,
    Task,
    TopicFile,
    Track,
    by_question,
)
from scoring.run_tags import rename_members
from tracks.ikat2023.checks import OF_TOPICS, TAGS, check
from tracks.ikat2023.criteria import OF_RESPONSES, PTKB, RELEVANCE
from tracks.ikat2023.exports import EXPORTS
from tracks.ikat2023.published_judgments import JUDGMENT_FILES
from tracks.ikat2023.runs import (
    PASSAGE,
    RESPONSE,
    SEGMENT_HEADER,
    convert,
    cut_documents,
    faults,
    last_counted,
    preview,
    read_form,
    read_passages,
    read_segments,
    read_statements,
    read_tag,
)
from tracks.ikat2023.scores import (
    MEASURES,
    READERS,
    build_gold,
    explain_run,
    gold_name,
    load_gold,
    over_turns,
    run_nodes,
    score_run,
)
from tracks.ikat2023.settings import Ikat2023Settings
from tracks.ikat2023.topics import STATEMENT, TURN, read_topics, statement_items, turn_context, wordings, write_topics

RUNS_A_TEAM = 4

TURNS = Task(
    key=TURN,
    label="Turns",
    pooling=(
        PoolRecipe(kind=PASSAGE, priorities_setting="", depth_setting="passage_depth"),
        PoolRecipe(kind=STATEMENT, priorities_setting="", items=statement_items),
        PoolRecipe(kind=RESPONSE, priorities_setting="", depth_setting="response_depth"),
    ),
    topics_setting="judged_turns",
    stages=(
        Stage(
            key="passages",
            label="Grade passages",
            work=Grading(criteria=(RELEVANCE,)),
            help="Judge how good each passage would be as an answer to the turn.",
            item_kind=PASSAGE,
            noun="passage",
        ),
        Stage(
            key="ptkb",
            label="Judge statements",
            work=Grading(criteria=(PTKB,)),
            help="Decide for each statement about the user whether a good answer has to take it into account.",
            item_kind=STATEMENT,
            second=True,
            noun="statement",
        ),
        Stage(
            key="responses",
            label="Judge responses",
            work=Grading(
                criteria=OF_RESPONSES,
                needs=Needs(kind=PASSAGE, criterion=RELEVANCE.key, setting="response_threshold", last=last_counted),
            ),
            help="Judge the responses that rest on a relevant passage.",
            item_kind=RESPONSE,
            after="passages",
            noun="response",
        ),
    ),
)

TRACK = Track(
    key="ikat2023",
    label="TREC iKAT 2023",
    source="TREC iKAT 2023 guidelines (NIST, 2023); irlabamsterdam/iKAT",
    settings=Ikat2023Settings,
    topic_files=(
        TopicFile(
            key="dialogues",
            label="Dialogues",
            help="JSON: a list of dialogues with their PTKB and turns, as released or as in the guidelines.",
            file_names=("*topics*.json", "*dialogues*.json"),
            read=read_topics,
            write=write_topics,
            name="topics.json",
        ),
    ),
    submissions=(
        Submission(
            key="run",
            label="Run",
            help="JSON: run_name, run_type, and for every turn ranked responses with their passages and statements.",
            tasks=(TURN,),
            check=check,
            lists=("docnos",),
            read=read_segments,
            own_kinds=(RESPONSE,),
            segment_noun="response",
            priorities=(),
            convert=convert,
            tag=read_tag,
            tags=TAGS,
            records=faults,
            topic_codes=OF_TOPICS,
            is_whole=True,
            rename=partial(rename_members, members=("run_name",)),
            rankings=(
                Ranking(kind=PASSAGE, read=read_passages),
                Ranking(kind=STATEMENT, read=read_statements, is_document=False),
            ),
            form=read_form,
            file_names=("runs/good/*.json", "runs/*.json"),
            segment=cut_documents,
            segment_header=SEGMENT_HEADER,
            preview=preview,
            runs_a_team=RUNS_A_TEAM,
        ),
    ),
    tasks=(TURNS,),
    exports=EXPORTS,
    scoring=Scoring(
        measures=MEASURES,
        gold_files=tuple(READERS),
        build=build_gold,
        load=load_gold,
        score=score_run,
        explain=explain_run,
        by_topic=by_question(run_nodes, over_turns),
        gold_name=gold_name,
        explore=("binary_threshold",),
    ),
    document_formats=("ikat-passages", "trec-sgml", "text"),
    document_files=("documents*", "*psg_text*.jsonl"),
    judgment_files=JUDGMENT_FILES,
    context=turn_context,
    wordings=wordings,
    resolved="resolved",
    guidelines=Path(__file__).with_name("guidelines.md").read_text(encoding="utf-8"),
)
