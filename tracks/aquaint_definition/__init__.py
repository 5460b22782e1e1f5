"""The AQUAINT pilot evaluation of definition questions: "Who is Colin Powell?", "What is mold?".

Systems answer with a ranked list of text snippets. Two assessors, the author of the question and another, judge
independently. First they score the whole response for content and organization; then each writes a nugget list of their
own and marks its nuggets in all responses. F weighs recall of vital nuggets against length.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from assess.protocol import (
    ContextPart,
    Criterion,
    Drafting,
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
    TopicRecord,
    Track,
    Wording,
    by_question,
    named_wordings,
)
from nuggets.options import Matching, NuggetWriting
from scoring.formats.definition_runs import TAGS, parse_definition_run
from scoring.measures.holistic import HIGHEST
from scoring.reading.repairs import repair_answer_lines
from scoring.release.phrases import Phrase
from scoring.run_tags import rename_column
from tracks.aquaint_definition.exports import EXPORTS
from tracks.aquaint_definition.files import (
    BUNDLES,
    RESPONSE,
    STRING,
    SUMMARY,
    TASK,
    check,
    read_form,
    read_responses,
    read_segments,
    read_summaries,
    read_tag,
    read_topics,
    split_bundles,
    topics_of_draft,
    write_topics,
)
from tracks.aquaint_definition.gold import (
    CONTENT,
    CONTRACTOR,
    GOLD_FILES,
    ORGANIZATION,
    build_gold,
    gold_name,
    load_gold,
)
from tracks.aquaint_definition.published_judgments import (
    HOLISTIC_FILES,
    LIST_FILES,
    comments_of,
    read_holistic_files,
    read_list_files,
)
from tracks.aquaint_definition.scores import MEASURES, chance, explain_run, over_questions, run_nodes, score_run
from tracks.aquaint_definition.settings import AquaintDefinitionSettings

ENDS = {0: "A totally hopeless response.", HIGHEST: "The best answer you could imagine."}
SCALE = tuple(
    Grade(value=value, key=str(value) if value < HIGHEST else "x", name=str(value), help=ENDS.get(value, ""))
    for value in range(HIGHEST + 1)
)
GUT = "10 is the best answer imaginable, 0 totally hopeless; no need to use either. Go with your gut reaction."


def holistic_criteria(prefix: str = "") -> tuple[Criterion, ...]:
    """Return two criteria, content and organization. The prefix is put before their keys."""
    return (
        Criterion(
            key=prefix + CONTENT,
            question="Content: does it have easily identifiable information that answers the question adequately?",
            help=f"Take off for misleading information: wrong, and not obviously recognisable as wrong. {GUT}",
            grades=SCALE,
            level="interval",
        ),
        Criterion(
            key=prefix + ORGANIZATION,
            question="Organization: is it well structured, what matters up front, with little or nothing irrelevant?",
            help=GUT,
            grades=SCALE,
            level="interval",
        ),
    )


def context(topic: TopicRecord, ancestors: tuple[TopicRecord, ...]) -> Iterator[ContextPart]:
    """Yield the definition that the question's author wrote, as a part of the topic that is folded away at first.
    Assessors may take nuggets from it.

    It is folded away because in round one responses are judged on their own merits.
    """
    del ancestors
    summary = topic.fields.get(SUMMARY)
    if isinstance(summary, str) and summary:
        paragraphs = tuple(("", paragraph) for paragraph in summary.split("\n\n"))
        yield ContextPart(heading=Phrase("The author's definition"), lines=paragraphs, is_open=False)


def wordings(topic: TopicRecord, series: tuple[TopicRecord, ...]) -> Iterator[Wording]:
    """Yield the author's definition of the topic, if there is one, as a text that can be amended."""
    del series
    return named_wordings(topic, {SUMMARY: Phrase("The author's definition")})


DEFINITION = Task(
    key=TASK,
    label="Definition",
    topics_setting="judged_topics",
    pooling=(PoolRecipe(kind=RESPONSE, priorities_setting=""), PoolRecipe(kind=STRING, priorities_setting="")),
    stages=(
        Stage(
            key="holistic",
            label="Judge responses",
            work=Grading(criteria=holistic_criteria()),
            help="Give each whole response a score for content and one for organization, from 0 to 10.",
            item_kind=RESPONSE,
            second=True,
            spread_is_weight=True,  # each assessor's scores give separate figures
            noun="response",
        ),
        Stage(
            key="contractor",
            label="Judge responses as the contractor",
            work=Grading(criteria=holistic_criteria(CONTRACTOR)),
            help="A third opinion in the same form, given by a contractor or loaded from a file.",
            item_kind=RESPONSE,
            by_hand=True,
            noun="response",
        ),
        Stage(
            key="nuggets",
            label="Write nuggets",
            work=NuggetWriting(),
            help="From all responses and the author's definition, write your own list of nuggets; freeze it.",
            item_kind=STRING,
            second=True,
            own=True,
            spread_is_weight=True,  # "author and other assessors have different lists", each with its own figures
            first_round="holistic",
            rounds_setting="two_rounds",
        ),
        Stage(
            key="matches",
            label="Find nuggets",
            work=Matching(),
            help="Mark where each nugget of your own list appears, response by response.",
            item_kind=STRING,
            after="nuggets",
            second=True,
            own=True,
        ),
    ),
)

TRACK = Track(
    key="aquaint-definition",
    label="AQUAINT definition questions",
    source="AQUAINT Pilot Evaluation of Definition Questions (NIST, 2003)",
    settings=AquaintDefinitionSettings,
    topic_files=(
        TopicFile(
            key="questions",
            label="Questions",
            help="Plain text, one question a line: its number, a tab (or blanks, or a colon) and the question.",
            file_names=("questions", "questions.txt"),
            read=read_topics,
            write=write_topics,
            name="questions.txt",
        ),
        TopicFile(
            key="author_summaries",
            label="Definitions by the authors",
            help="Plain text: a line <number>, then the definition that the question's author wrote, in paragraphs.",
            file_names=("author_summaries", "author_summaries.txt"),
            read=read_summaries,
            supplements=True,
        ),
    ),
    submissions=(
        Submission(
            key="run",
            label="Run",
            help="Plain text, one snippet a line, the most important first: qnum run docid answer-text. A run without "
            "docids writes a string of X's.",
            tasks=(TASK,),
            check=check,
            lists=("docnos",),
            read=read_segments,
            responses=read_responses,
            segment_noun="string",
            priorities=(),
            tag=read_tag,
            tags=TAGS,
            form=read_form,
            records=parse_definition_run,
            rename=partial(rename_column, column=2),
            repair=repair_answer_lines,
            topic_codes=frozenset({"unknown-question", "missing-question"}),
        ),
    ),
    tasks=(DEFINITION,),
    exports=EXPORTS,
    scoring=Scoring(
        measures=MEASURES,
        gold_files=GOLD_FILES,
        build=build_gold,
        load=load_gold,
        score=score_run,
        explain=explain_run,
        by_topic=by_question(run_nodes, over_questions),
        runs=lambda gold: sorted(gold.responses),
        gold_name=gold_name,
        topics=lambda gold: gold.topics,
        explore=("beta", "beta_secondary", "allowance"),
        chance=chance,
    ),
    document_formats=("trec-sgml", "text"),
    bundles=(
        RunBundle(
            key="responses",
            label="Responses of all runs",
            help="Files Q.<n>: for each question the lines of all runs, with a line of asterisks between runs.",
            file_names=BUNDLES,
            split=split_bundles,
        ),
    ),
    judgment_files=(
        JudgmentFile(
            key="holistic",
            label="Holistic scores",
            help="holistic: qnum run c1 o1 c2 o2 c3 o3, by the contractor, the author and the other assessor.",
            file_names=HOLISTIC_FILES,
            read=read_holistic_files,
            settings=comments_of,
        ),
        JudgmentFile(
            key="lists",
            label="Nugget lists, and nuggets found",
            help="author.<n>, other.<n> are nugget lists; sys.author.<n>, sys.other.<n> say where nuggets were found.",
            file_names=LIST_FILES,
            read=read_list_files,
        ),
    ),
    context=context,
    wordings=wordings,
    drafting=Drafting(
        head="Question",
        tasks=(TASK,),
        records=topics_of_draft,
        definition="Your own definition",
        help="“Who is …?” or “What is …?”. Your definition of the target, from the documents that you read: one or two "
        "paragraphs.",
    ),
    guidelines=Path(__file__).with_name("guidelines.md").read_text(encoding="utf-8"),
)
