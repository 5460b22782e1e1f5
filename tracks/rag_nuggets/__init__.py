"""Answers and nuggets: TREC RAG 2024 and 2025, and other evaluations that match nuggets in whole answers.

Systems answer questions in sentences that cite documents. An assessor writes a list of vital and okay nuggets, marks
which of them each answer contains, fully or in part, and judges whether the cited documents support their sentences.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from assess.protocol import (
    Criterion,
    Grade,
    Grading,
    JudgmentFile,
    PoolRecipe,
    RunBundle,
    Scoring,
    Stage,
    Submission,
    Task,
    TopicFile,
    Track,
    by_question,
)
from nuggets.options import Matching, NuggetWriting
from scoring.formats.rag_answers import read_rag_answers
from scoring.reading.repairs import repair_lines
from scoring.run_tags import rename_members
from tracks.answer_files import TAGS, read_form, read_tag
from tracks.plain_topics import write_plain_topics
from tracks.rag_nuggets.exports import ASSIGNMENTS, CRITERION, EXPORTS, NUGGETS, SUPPORT
from tracks.rag_nuggets.files import (
    CITATION,
    RESPONSE,
    TASK,
    check,
    context,
    preview,
    read_segments,
    read_topics,
    read_turns,
    split_responses,
    wordings,
    write_turns,
)
from tracks.rag_nuggets.gold import build_gold, gold_name, load_gold
from tracks.rag_nuggets.published_judgments import read_graded_files, read_nugget_files
from tracks.rag_nuggets.scores import FULL, MEASURES, NONE, PARTIAL, explain_run, over_topics, run_nodes, score_run
from tracks.rag_nuggets.settings import RagNuggetsSettings

SUPPORTED = Criterion(
    key=CRITERION,
    question="Does the document support the sentence?",
    grades=(
        Grade(value=NONE, key="0", name="no support", help="The document says nothing of it, or says otherwise."),
        Grade(value=PARTIAL, key="1", name="partial support", help="The document says some of it."),
        Grade(value=FULL, key="2", name="full support", help="The document says all of it."),
    ),
    level="ordinal",
)

ANSWERS = Task(
    key=TASK,
    label="Answers",
    topics_setting="judged_topics",
    pooling=(PoolRecipe(kind=RESPONSE, priorities_setting=""), PoolRecipe(kind=CITATION, priorities_setting="")),
    stages=(
        Stage(
            key="nuggets",
            label="Write nuggets",
            work=NuggetWriting(),
            help="From all answers and your own search, write the list of vital and okay nuggets; freeze it.",
            item_kind=RESPONSE,
        ),
        Stage(
            key="matches",
            label="Find nuggets",
            work=Matching(partial=True),
            help="Mark which nuggets each answer holds, fully or in part.",
            item_kind=RESPONSE,
            after="nuggets",
            noun="answer",
        ),
        Stage(
            key="support",
            label="Judge support",
            work=Grading(criteria=(SUPPORTED,)),
            help="Say whether the document supports the sentence that cites it.",
            item_kind=CITATION,
            noun="citation",
        ),
    ),
)

TRACK = Track(
    key="rag-nuggets",
    label="Answers and nuggets",
    source="TREC RAG 2024 and 2025; nuggetizer; the nugget study of TREC iKAT 2024",
    settings=RagNuggetsSettings,
    topic_files=(
        TopicFile(
            key="topics",
            label="Questions",
            help="Lines of number, tab and question; JSON with id and title, or requests; XML or TREC topics.",
            file_names=(
                *(f"*topics*.{ending}" for ending in ("tsv", "jsonl", "txt", "trec", "xml")),
                "*queries*.tsv",
                "*queries*.jsonl",
                "*requests*.jsonl",
            ),
            read=read_topics,
            write=write_plain_topics,
            name="topics.jsonl",
            shapes=frozenset({(TASK, False)}),
        ),
        TopicFile(
            key="dialogues",
            label="Dialogues",
            help="A JSON list of dialogues with their turns, as TREC iKAT gives them out; every turn is a question.",
            file_names=("*topics*.json", "*dialogues*.json"),
            read=read_turns,
            write=write_turns,
            name="topics.json",
            shapes=frozenset({(TASK, True)}),
        ),
    ),
    submissions=(
        Submission(
            key="answers",
            label="Answers",
            help="JSON, one object a topic: metadata with run_id and topic_id, references, and responses or answer, a "
            "list of text and citations; as TREC RAG, RAGTIME, DRAGUN, BioGen and iKAT write them.",
            tasks=(ANSWERS.key,),
            check=check,
            lists=("docnos",),
            read=read_segments,
            own_kinds=(RESPONSE, CITATION),
            segment_noun="response",
            priorities=(),
            tag=read_tag,
            tags=TAGS,
            form=read_form,
            records=read_rag_answers,
            rename=partial(rename_members, members=("run_id", "team_id", "run_name", "run_desc")),
            repair=repair_lines,
            preview=preview,
            topic_codes=frozenset({"unknown-topic", "missing-topic"}),
        ),
    ),
    tasks=(ANSWERS,),
    exports=EXPORTS,
    scoring=Scoring(
        measures=MEASURES,
        gold_files=(NUGGETS, ASSIGNMENTS, SUPPORT),
        build=build_gold,
        load=load_gold,
        score=score_run,
        explain=explain_run,
        by_topic=by_question(run_nodes, over_topics),
        gold_name=gold_name,
    ),
    bundles=(
        RunBundle(
            key="responses",
            label="Responses of many runs",
            help='JSON: {turn: {run: response}}; runs in files called "manual…" or "gold…" are manual.',
            file_names=("*_responses.json", "gold_response*.json"),
            split=split_responses,
        ),
    ),
    judgment_files=(
        JudgmentFile(
            key="nuggets",
            label="Nugget lists and assignments",
            help="JSON: nuggetizer's lists, and what answers support of them; nugget banks of version 3; lists of "
            "questions with their answers (RAGTIME, DRAGUN, ResearchRubrics).",
            kinds=("nuggets",),
            file_names=(
                "*nuggets*.jsonl",
                "*assign*.jsonl",
                "nuggets_*.json",
                "*nugget[_-]bank*.json*",
                "*question[_-]lists*.jsonl",
                "*rubric*.json*",
            ),
            read=read_nugget_files,
        ),
        JudgmentFile(
            key="graded",
            label="Graded nuggets and labels",
            help="As the iKAT 2024 study published them: nuggets of each turn with grades, labels of nugget and run.",
            file_names=(
                "gold_nuggets_human*.json",
                "graded-nuggets*.json",
                "*matching-labels*.txt",
                "*_responses.json",
            ),
            read=read_graded_files,
        ),
    ),
    context=context,
    wordings=wordings,
    resolved="resolved",
    guidelines=Path(__file__).with_name("guidelines.md").read_text(encoding="utf-8"),
)
