"""TREC BioGen: answers to questions about health, in which every sentence should be backed by PubMed abstracts.

Assessors judge the accuracy of whole answers, the necessity of sentences, and the relation of each cited abstract to
its sentence. They group required sentences into aspects. Runs come in two formats: that of 2024, whose answers are cut
into sentences here, and that of 2025 (Task B), which gives sentences.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from assess.protocol import JudgmentFile, RunBundle, Scoring, Submission, TopicFile, Track, by_question
from scoring.reading.repairs import repair_lines
from scoring.run_tags import rename_members
from tracks.biogen2024.checks import TAGS, check
from tracks.biogen2024.exports import EXPORTS
from tracks.biogen2024.gold import READERS, build_gold, gold_name, load_gold
from tracks.biogen2024.judging import QUESTION
from tracks.biogen2024.published_judgments import (
    check_assessed,
    read_assessed_responses,
    read_assessed_segments,
    read_assessments,
    split_runs,
)
from tracks.biogen2024.runs import (
    ANSWER,
    CITATION,
    SENTENCE,
    preview,
    read_form,
    read_responses,
    read_segments,
    read_tag,
    segment_rows,
)
from tracks.biogen2024.scores import MEASURES, clustered_runs, explain_run, over_questions, run_nodes, score_run
from tracks.biogen2024.settings import BioGenSettings
from tracks.biogen2024.submissions import read_submission
from tracks.biogen2024.topics import context_parts, read_topics, wordings, write_topics

ASSESSMENT_NAMES = (
    "assessments*.json",
    "biogen_2024_submissions*.json",
    "medaesqa*.json",
)

TRACK = Track(
    key="biogen2024",
    label="TREC BioGen 2024",
    source="TREC 2024 Biomedical Generative Retrieval (BioGen) Track: submission specification and overview",
    settings=BioGenSettings,
    topic_files=(
        TopicFile(
            key="topics",
            label="Questions",
            help='JSON: {"topics": [{"id": 116, "topic": …, "question": …, "narrative": …}]}, a list, or one a line.',
            file_names=("topics*.json", "topics*.jsonl", "*topics*.json*", "*topics*.txt"),
            read=read_topics,
            write=write_topics,
            name="topics.json",
        ),
    ),
    submissions=(
        Submission(
            key="run",
            label="Run",
            help="JSON with team_id, run_name, contact_email, results (2024), or one object a line with metadata and "
            "responses (2025). The answers are cut into sentences; look at how before you submit.",
            tasks=(QUESTION.key,),
            check=check,
            lists=("docnos",),
            read=read_segments,
            own_kinds=(ANSWER, SENTENCE, CITATION),
            segment_noun="sentence",
            priorities=(),
            tag=read_tag,
            tags=TAGS,
            records=read_submission,
            topic_codes=frozenset({"unknown-topic", "missing-topic"}),
            is_whole=True,
            is_cut=True,
            rename=partial(rename_members, members=("run_name", "run_id", "team_id", "contact_email")),
            responses=read_responses,
            form=read_form,
            file_names=("runs/good/*", "runs/*", "system-*.jsonl"),
            repair=repair_lines,
            segment=segment_rows,
            segment_header=("topic", "sentence", "citations", "text"),
            preview=preview,
        ),
        Submission(
            key="assessed",
            label="Run out of an assessment file",
            help="One object a line with metadata and responses, its sentences and citations as they were judged.",
            tasks=(QUESTION.key,),
            check=check_assessed,
            read=read_assessed_segments,
            own_kinds=(ANSWER, SENTENCE, CITATION),
            segment_noun="sentence",
            priorities=(),
            for_organisers=True,
            tag=read_tag,
            tags=TAGS,
            records=read_submission,
            topic_codes=frozenset({"unknown-topic", "missing-topic"}),
            rename=partial(rename_members, members=("run_name", "run_id", "team_id", "contact_email")),
            responses=read_assessed_responses,
            form=read_form,
            file_names=("assessed-runs/*.jsonl",),
        ),
    ),
    tasks=(QUESTION,),
    exports=EXPORTS,
    scoring=Scoring(
        measures=MEASURES,
        gold_files=tuple(READERS),
        build=build_gold,
        load=load_gold,
        score=score_run,
        explain=explain_run,
        by_topic=by_question(run_nodes, over_questions),
        runs=clustered_runs,
        gold_name=gold_name,
        topics=lambda gold: gold.topics,
    ),
    document_formats=("pubmed-xml", "pubmed-json", "medline", "text"),
    document_files=("documents*", "abstracts", "pubmed*.xml*", "pubmed*.jsonl*"),
    bundles=(
        RunBundle(
            key="assessments",
            label="Assessments",
            help="The organisers' assessment file: every run's answers with what was said of them.",
            file_names=ASSESSMENT_NAMES,
            split=split_runs,
        ),
    ),
    judgment_files=(
        JudgmentFile(
            key="assessments",
            label="Assessments",
            help="The organisers' assessment file: accuracy, necessity of sentences, relations of citations.",
            file_names=ASSESSMENT_NAMES,
            read=read_assessments,
            kinds=("assessments",),
        ),
    ),
    context=context_parts,
    wordings=wordings,
    guidelines=Path(__file__).with_name("guidelines.md").read_text(encoding="utf-8"),
)
