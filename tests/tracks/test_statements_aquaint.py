"""Statements of the definition pilot that no other test quotes."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from assess.protocol import CheckContext
from scoring.formats.definition_judgments import read_pieces
from scoring.formats.definition_runs import parse_definition_run, read_bundle
from scoring.formats.tac_columns import RunLine
from scoring.records import Issue, NuggetPiece, ResponseItem
from tests.tracks.aquaint_records import content, found, gold, nuggets, response, scored, values
from tracks.aquaint_definition import DEFINITION, TRACK
from tracks.aquaint_definition.files import read_responses, read_segments
from tracks.aquaint_definition.settings import AquaintDefinitionSettings

CONTEXT = CheckContext(topics=(), settings=AquaintDefinitionSettings())
EXPECTED = Path(__file__).parent.parent / "data" / "tracks" / TRACK.key / "expected"
HOLISTIC, CONTRACTOR, WRITING, FINDING = DEFINITION.stages


def test_snippets_keep_their_order() -> None:
    """“items appearing earlier in the list were thought to be more important”."""
    run = io.BytesIO(b"1 A D1 last in the alphabet: z\n1 A D1 a\n1 A D2 m\n")
    assert [(each.ordinal, each.text) for each in read_segments(run, CONTEXT)] == [
        (1, "last in the alphabet: z"),
        (2, "a"),
        (3, "m"),
    ]


@pytest.mark.parametrize("asterisks", ["***", "**************", "*" * 80])
def test_runs_are_separated_by_asterisks(asterisks: str) -> None:
    """“Different runs are separated by a string of asterisks (**************).”."""
    found = list(read_bundle(io.BytesIO(f"1 A D1 x\n{asterisks}\n1 B D2 y\n".encode())))
    assert [each.run for each in found if isinstance(each, ResponseItem)] == ["A", "B"]
    assert not [each for each in found if isinstance(each, Issue)]


@pytest.mark.parametrize("space", [" ", "\t", "  \t "])
def test_a_line_is_question_run_document_and_text(space: str) -> None:
    """“The format of a line from a submission file is qnum run document-id answer-text”."""
    (line,) = parse_definition_run(io.BytesIO(f"{space.join(('1', 'A', 'D1', 'in  space'))}\n".encode()))
    assert line == RunLine(line=1, topic="1", run="A", docno="D1", text="in  space")


def test_a_single_x_is_a_document() -> None:
    """“document-id is a string of X's for that system”: one letter alone is read as a name."""
    lines = list(parse_definition_run(io.BytesIO(b"1 A X y\n1 A XX y\n")))
    assert [each.docno for each in lines if isinstance(each, RunLine)] == ["X", ""]


@pytest.mark.parametrize("stage", [HOLISTIC, CONTRACTOR], ids=lambda stage: stage.key)
def test_content_and_organization_have_scales_from_0_to_10(stage: object) -> None:
    """“One score was for content of the response and the other for its organization, ... on a scale of 0-10”."""
    scales = [[grade.value for grade in criterion.grades] for criterion in stage.criteria]  # type: ignore[attr-defined]
    assert scales == [list(range(11)), list(range(11))]


def test_the_contractors_definitions_of_both_scores_are_shown() -> None:
    """“identifiable information that answers the question adequately; penalty for misleading information”;
    “information is well structured, with important information up front and no or little irrelevant material”."""
    content_of, organization = HOLISTIC.criteria
    assert "easily identifiable information that answers the question adequately" in content_of.question
    assert "misleading information" in content_of.help
    assert "well structured" in organization.question and "up front" in organization.question


def test_what_nist_told_its_assessors_is_shown() -> None:
    """“a 10 should be reserved for the best answer they could imagine, and a 0 for a totally hopeless response”; “go
    with their gut reaction”."""
    for criterion in HOLISTIC.criteria:
        assert "10 is the best answer imaginable, 0 totally hopeless" in criterion.help
        assert "gut reaction" in criterion.help
        assert (criterion.grades[0].help, criterion.grades[-1].help) == (
            "A totally hopeless response.",
            "The best answer you could imagine.",
        )


def test_the_documents_of_a_response_stand_beside_it() -> None:
    """“The assessors could display the documents associated with a response if they chose to do so”."""
    (item,) = read_responses(io.BytesIO(b"1 A D1 x\n1 A D2 y\n"), CONTEXT)
    assert item.fields["parts"] == [{"text": "x", "docno": "D1"}, {"text": "y", "docno": "D2"}]


def test_nuggets_are_written_from_all_responses_and_the_definition() -> None:
    """“a list of ``information nuggets'' ... using all the system responses and the question author's definition”."""
    assert "From all responses and the author's definition" in WRITING.help
    assert (WRITING.own, WRITING.second, FINDING.own, FINDING.second) == (True, True, True, True)


def test_a_nugget_is_one_decision_of_yes_or_no() -> None:
    """“a fact for which the assessor could make a binary decision as to whether a response contained the nugget”."""
    assert "for which you can decide, yes or no, whether a response contains it" in " ".join(TRACK.guidelines.split())


def test_numbers_of_nuggets_say_nothing_of_their_importance() -> None:
    """“The numbers in the list do *NOT* indicate importance, they are simply identifiers”."""
    one = gold(lists=nuggets(2, 0), pieces=found("1"))
    other = gold(lists=nuggets(2, 0), pieces=found("2"))
    first, second = (values(scored(each, response(80))) for each in (one, other))
    assert first == second


def test_strings_without_a_nugget_are_in_no_line() -> None:
    """“Items that did not contain any nuggets are not included in the system file”."""
    with (EXPECTED / "sys.author.all").open("rb") as file:
        pieces = [each for each in read_pieces(file) if isinstance(each, NuggetPiece)]
    with (EXPECTED / "Q.all").open("rb") as file:
        returned = [each for each in read_bundle(file) if isinstance(each, ResponseItem)]
    marked = {(each.topic, each.run) for each in pieces}
    assert {("1", "Elm")} <= {(each.topic, each.run) for each in returned} - marked
    assert len({(each.topic, each.run, each.item) for each in pieces}) < len(returned)


def test_recall_is_over_vital_nuggets_and_the_allowance_over_all() -> None:
    """“concept recall is computed only over vital concepts, while the character allowance ... on both vital and non-
    vital concepts”."""
    with_okay = values(scored(gold(lists=nuggets(2, 1), pieces=found("1", "3")), response(200)))
    without = values(scored(gold(lists=nuggets(2, 1), pieces=found("1")), response(200)))
    assert (with_okay["NR_author"], with_okay["NP_author"]) == (0.5, 1.0)
    assert (without["NR_author"], without["NP_author"]) == (0.5, 0.5)


@pytest.mark.parametrize(("length", "precision"), [(99, 1.0), (100, 1.0), (101, 100 / 101), (200, 0.5)])
def test_precision_is_one_up_to_the_allowance(length: int, precision: float) -> None:
    """“set to one if the response is no longer than this allowance ... downgraded using 1 - [(length-
    allowance)/length]”."""
    row = values(scored(gold(lists=nuggets(1, 0), pieces=found("1")), response(length)))
    assert row["NP_author"] == pytest.approx(precision)


def test_the_betas_of_the_pilot_are_the_defaults() -> None:
    """“The main evaluation in the pilot used a value of 5”; “when beta=2”."""
    settings = AquaintDefinitionSettings()
    assert (settings.beta, settings.beta_secondary, settings.allowance) == (5, 2, 100)


def test_the_average_length_of_a_run_is_a_column() -> None:
    """“Average length of system response (number of non-white-space characters)”."""
    judged = gold(2, lists=[*nuggets(1, 0), *nuggets(1, 0, topic="2")])
    for answers, mean in (("1 A D x y\n2 A D four\n", 3.0), ("2 A D four\n", 2.0)):
        scores = list(TRACK.scoring.score(judged, "A", content(answers), AquaintDefinitionSettings()))
        assert [each.value for each in scores if (each.topic, each.measure) == ("all", "length")] == [mean]
