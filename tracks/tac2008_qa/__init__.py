"""TAC 2008 Question Answering: series of rigid and squishy list questions about opinions in blogs.

Systems answer with [answer-string, docid] pairs. Rigid lists: each pair is judged, correct ones are grouped into
distinct answers, and instance recall and precision are computed. Squishy lists: an assessor writes a nugget list and
marks its nuggets in the pairs, several assessors vote on importance, and nugget recall is weighed against length.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from assess.protocol import (
    ByTopic,
    Criterion,
    Drafting,
    Grade,
    Grading,
    PoolRecipe,
    Scoring,
    Stage,
    Submission,
    Task,
    TopicFile,
    Track,
)
from nuggets.options import ItemGrouping, Matching, NuggetWriting, Voting
from scoring.formats.tac_columns import run_strings, string_lengths
from scoring.formats.tac_run_rules import TAGS
from scoring.formats.tac_runs import parse_run, tag_of_run
from scoring.reading.repairs import repair_answer_lines
from scoring.run_tags import rename_column
from tracks.tac2008_qa.exports import EXPORTS
from tracks.tac2008_qa.files import (
    DOCUMENTS_SEARCHED,
    ITEM_KIND,
    PRIORITIES,
    check,
    read_segments,
    read_topics,
    topics_of_draft,
    write_topics,
)
from tracks.tac2008_qa.gold import READERS, build_gold, gold_name, load_gold
from tracks.tac2008_qa.scores import MEASURES, explain_run, over_topics, question_nodes, score_run
from tracks.tac2008_qa.settings import Tac2008QaSettings

INCORRECT, CORRECT, UNSUPPORTED, NON_EXACT = -1, 1, 2, 3  # as NIST published judgments of 2005

CORRECTNESS = Criterion(
    key="correctness",
    question="Is the answer-string a correct, exact answer item that the document supports?",
    help="Judge against the viewable text of the document.",
    grades=(
        Grade(
            value=INCORRECT,
            key="1",
            name="incorrect",
            help="The answer-string does not contain a correct answer item.",
        ),
        Grade(
            value=UNSUPPORTED,
            key="2",
            name="unsupported",
            help="The answer-string contains a correct answer item but the document returned does not support that "
            "answer item.",
        ),
        Grade(
            value=NON_EXACT,
            key="3",
            name="non-exact",
            help="The answer-string contains a correct answer item and the document supports that answer item, but the "
            "string contains more than just the answer item (or is missing bits of the answer item).",
        ),
        Grade(
            value=CORRECT,
            key="4",
            name="correct",
            help="The answer-string consists of exactly a correct answer item and that answer item is supported by the "
            "document returned.",
        ),
    ),
)

RIGID = Task(
    key="rigid",
    label="Rigid list",
    topics_setting="judged_topics",
    pooling=(PoolRecipe(kind=ITEM_KIND),),
    stages=(
        Stage(
            key="instances",
            label="Judge instances",
            work=Grading(criteria=(CORRECTNESS,)),
            help="Judge whether each answer is incorrect, unsupported, non-exact or correct.",
            item_kind=ITEM_KIND,
        ),
        Stage(
            key="classes",
            label="Group answers",
            work=ItemGrouping(grade=(CORRECTNESS.key, CORRECT)),
            help="Group the correct instances into distinct answers, and add answers that you found yourself.",
            item_kind=ITEM_KIND,
            after="instances",
            without_runs=True,  # "answers found during question development" are its beginning
        ),
    ),
)

SQUISHY = Task(
    key="squishy",
    label="Squishy list",
    topics_setting="judged_topics",
    pooling=(PoolRecipe(kind=ITEM_KIND),),
    stages=(
        Stage(
            key="nuggets",
            label="Write nuggets",
            work=NuggetWriting(),
            help="From all responses and your own search, write the list of acceptable nuggets; freeze it.",
            item_kind=ITEM_KIND,
        ),
        Stage(
            key="matches",
            label="Find nuggets",
            work=Matching(),
            help="Mark which nuggets each answer-string contains, response by response.",
            item_kind=ITEM_KIND,
            after="nuggets",
        ),
        Stage(
            key="votes",
            label="Vote on nuggets",
            work=Voting(),
            help="Decide for each nugget on the frozen list whether it is vital or okay.",
            after="nuggets",
            many=True,
            spread_is_weight=True,  # a nugget's weight is the number of its votes for vital
        ),
    ),
)

TRACK = Track(
    key="tac2008-qa",
    label="TAC 2008 Question Answering",
    source="TAC 2008 Question Answering Track Guidelines (NIST, 2008)",
    settings=Tac2008QaSettings,
    lists_for_series=True,
    topic_files=(
        TopicFile(
            key="questions",
            label="Questions",
            help='XML: <target id="3" text="…"> with <q id="3.1" type="RigidList"> or type="SquishyList" inside.',
            file_names=("questions*.xml", "topics*.xml", "*.xml"),
            read=read_topics,
            write=write_topics,
            name="questions.xml",
        ),
    ),
    submissions=(
        Submission(
            key="run",
            label="Run",
            help="Plain text, one answer a line: qid run-tag docid answer-string. Every question needs a line.",
            tasks=(RIGID.key, SQUISHY.key),
            check=check,
            lists=("docnos",),
            read=read_segments,
            lengths=string_lengths,
            strings=run_strings,
            own_kinds=(ITEM_KIND,),
            segment_noun="string",
            fields=(DOCUMENTS_SEARCHED,),
            priorities=PRIORITIES,
            tag=tag_of_run,
            tags=TAGS,
            records=parse_run,
            rename=partial(rename_column, column=2),
            repair=repair_answer_lines,
            topic_codes=frozenset({"unknown-question", "missing-question"}),
        ),
    ),
    tasks=(RIGID, SQUISHY),
    exports=EXPORTS,
    scoring=Scoring(
        measures=MEASURES,
        gold_files=tuple(READERS),
        build=build_gold,
        load=load_gold,
        score=score_run,
        explain=explain_run,
        gold_name=gold_name,
        topics=lambda gold: (topic for topics in gold.series.values() for topic in topics),
        by_topic=ByTopic(topics=question_nodes, over=over_topics, is_used=lambda settings: not settings.judged_topics),
        explore=("beta", "allowance", "single_assessor"),
    ),
    drafting=Drafting(
        head="Target",
        tasks=(RIGID.key, SQUISHY.key),
        records=topics_of_draft,
        parts=(2, 4),  # "2-4 questions" (guidelines, II)
        help="A target is a person, an organization, a thing; its series has 2 to 4 questions.",
    ),
    guidelines=Path(__file__).with_name("guidelines.md").read_text(encoding="utf-8"),
)
