"""Files of the field that are a little other than expected, each with the command and the right result.

Each case is a folder beside the project with a README that names source, command and what is right.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import CommandError

from assess.models import Campaign, Document, DocumentBody
from scoring.__main__ import main as scoring
from tests import factories
from tracks.__main__ import main as tracks

pytestmark = [pytest.mark.shared, pytest.mark.django_db]


class Case:
    """A folder in which commands are called, and a campaign into which documents are loaded."""

    def __init__(self, capsys: pytest.CaptureFixture[str], campaign: Campaign, organiser: User) -> None:
        self._capsys, self.campaign, self._organiser = capsys, campaign, organiser

    def call(self, main: Callable[[list[str]], int], *arguments: str) -> tuple[int, str, str]:
        """Status, output and problems of a command, without the notes on what is not checked."""
        status = main(list(arguments))
        shown = self._capsys.readouterr()
        problems = [line for line in shown.err.splitlines(keepends=True) if "not-checked" not in line]
        return status, shown.out, "".join(problems)

    def documents(self, *arguments: str) -> str:
        """What `load_documents` prints, or says as it refuses."""
        out = StringIO()
        try:
            call_command(
                "load_documents", self.campaign.slug, *arguments, organiser=self._organiser.username,
                stdout=out, stderr=out,
            )  # fmt: skip
        except CommandError as error:
            out.write(str(error))
        return out.getvalue()

    def texts(self) -> dict[str, str]:
        """The texts of the documents that are stored, by docno, with single blanks."""
        bodies = DocumentBody.objects.filter(document__campaign=self.campaign)
        return {docno: " ".join(text.split()) for docno, text in bodies.values_list("document__docno", "text")}

    def converted(self, name: str) -> tuple[list[dict[str, Any]], str]:
        """The topics of a file as JSON lines, and the problems."""
        status, out, err = self.call(scoring, "convert", "--from", "trec-topics", "--to", "trec-topics", name)
        assert status == 0, err
        return [json.loads(line) for line in out.splitlines()], err


def biogen25_four_citations(case: Case) -> None:
    status, out, err = case.call(tracks, "check", "biogen2024", "--topics", "biogen-topics.json", "biogen.jsonl")
    assert status == 0 and "\terror\t" not in out + err
    assert "\twarning\t" in out


def docs_csv_cord(case: Case) -> None:
    out = case.documents("metadata.csv", "--records", "--look")
    assert "cord_uid" in out and "zz001abc" in out and "One, two." in out


def docs_jsonl_way_on(case: Case) -> None:
    assert "--records" in case.documents("corpus.jsonl", "--all")
    assert not case.texts()


def docs_nested_members(case: Case) -> None:
    out = case.documents("pool.jsonl", "--records", "--look")
    assert any(line.startswith("d1\t") and line.endswith("one") for line in out.splitlines()), out


def docs_sgml_dates(case: Case) -> None:
    case.documents("news.txt", "--all")
    dates = {each.docno: str(each.fields) for each in Document.objects.filter(campaign=case.campaign)}
    assert "28 Mar 1994" in dates["FBIS3-90001"]
    assert "03/24/87" in dates["WSJ870324-9001"]
    assert "January 1, 1989" in dates["LA010189-9001"]


def docs_sgml_entities(case: Case) -> None:
    case.documents("fr.txt", "--all")
    assert "under § 12.3 of the long-term rule" in case.texts()["FR890101-9001"].replace("\u2010", "-")


def docs_tsv_headerless(case: Case) -> None:
    lines = case.documents("collection.tsv", "--records", "--look").splitlines()
    shown = [(line.split("\t")[0], line.split("\t")[-1]) for line in lines if "passage" in line]
    assert shown == [("0", "The first passage."), ("1", "The second passage.")]


def docs_warc_chunked(case: Case) -> None:
    case.documents("crawl.warc", "--records", "--all")
    assert list(case.texts().values()) == ["Readable text of the page"]


def docs_xhtml(case: Case) -> None:
    case.documents("crawl.warc", "--records", "--all")
    (text,) = case.texts().values()
    assert "After a script closed by itself" in text


def false_missing_topic(case: Case) -> None:
    status, out, err = case.call(tracks, "check", "adhoc", "--topics", "topics.jsonl", "run.txt")
    assert status == 1
    assert [line.split("\t")[:3] for line in out.splitlines()] == [["1", "error", "value"]], out + err


def msmarco_run(case: Case) -> None:
    status, out, _ = case.call(scoring, "rank", "--qrels", "qrels.txt", "--run", "run.tsv", "-m", "map")
    assert (status, [line.split("\t")[-1] for line in out.splitlines()]) == (0, ["1.000000"] * 3)


def rag_common_shape(case: Case) -> None:
    status, out, err = case.call(tracks, "check", "rag-nuggets", "--topics", "topics.jsonl", "run.jsonl")
    assert (status, "\terror\t" in out + err) == (0, False)


def run_dict(case: Case) -> None:
    status, out, _ = case.call(scoring, "rank", "--qrels", "qrels.json", "--run", "run.json", "-m", "map")
    assert (status, [line.split("\t")[-1] for line in out.splitlines()]) == (0, ["1.000000"] * 3)


def ties_against_rank(case: Case) -> None:
    status, out, _ = case.call(tracks, "check", "adhoc", "--topics", "topics.jsonl", "run.txt")
    assert status == 0
    (line,) = out.splitlines()
    assert "\twarning\ttied-scores\t" in line and "in topic 1 the order used is b, a, not that of the ranks" in line


def topics_fire(case: Case) -> None:
    (topic,), _ = case.converted("topics.txt")
    assert (topic["id"], topic["title"]) == ("176", "Bridge of Examples")
    assert topic["narrative"] == "Relevant: the opening."


def topics_json_array(case: Case) -> None:
    topics, _ = case.converted("topics.json")
    assert [(topic["id"], topic["title"]) for topic in topics] == [("1", "bridges"), ("2", "ferries")]


def topics_request_id(case: Case) -> None:
    (topic,), _ = case.converted("topics.jsonl")
    assert topic["id"] == "leaf"
    assert "Why do leaves turn red?" in str(topic) and "For a child." in str(topic)


def topics_tot(case: Case) -> None:
    (topic,), _ = case.converted("topics.jsonl")
    assert "A bridge falls in the last scene, and a dog is saved." in str(topic)


def topics_xml_attribute(case: Case) -> None:
    (topic,), _ = case.converted("topics.xml")
    assert (topic["id"], topic["title"]) == ("1", "bridge opening")
    assert (topic["description"], topic["narrative"]) == ("which bridges were opened?", "Days & places of openings.")


RIGHT = {
    check.__name__.replace("_", "-"): check
    for check in (
        biogen25_four_citations, docs_csv_cord, docs_jsonl_way_on, docs_nested_members, docs_sgml_dates,
        docs_sgml_entities, docs_tsv_headerless, docs_warc_chunked, docs_xhtml, false_missing_topic, msmarco_run,
        rag_common_shape, run_dict, ties_against_rank, topics_fire, topics_json_array, topics_request_id, topics_tot,
        topics_xml_attribute,
    )
}  # fmt: skip
"""The name of a case -> what shows that its result is right."""


def test_every_case_of_the_folder_is_looked_at(field_cases: Path) -> None:
    assert sorted(path.name for path in field_cases.iterdir() if path.is_dir()) == sorted(RIGHT)


@pytest.fixture
def field_cases(shared_data: Path) -> Path:
    """The folder of the cases, beside that of the real data."""
    return shared_data.parent / "field-cases"


@pytest.mark.parametrize("name", RIGHT)
def test_the_result_is_right(
    name: str,
    field_cases: Path,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    organiser: User,
) -> None:
    shutil.copytree(field_cases / name, tmp_path / "case")
    monkeypatch.chdir(tmp_path / "case")
    RIGHT[name](Case(capsys, factories.campaign(organiser=organiser, track="adhoc"), organiser))
