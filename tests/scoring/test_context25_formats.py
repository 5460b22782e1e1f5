import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.formats.context25_claims import (
    Entity,
    EvidenceClaim,
    GroundingClaim,
    last_of_each,
    read_evidence_claims,
    read_grounding_claims,
    write_evidence_claims,
    write_grounding_claims,
)
from scoring.formats.context25_predictions import EvidenceHeader, EvidenceRow, read_evidence_answers
from scoring.formats.document_files import read_documents, sniff_document_format, text_documents
from scoring.formats.plain_text import read_full_texts
from scoring.records import Issue

TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20)
ID = st.text(st.sampled_from("abcXYZ019_-"), min_size=1, max_size=12)
MAYBE = st.none() | st.lists(TEXT, max_size=3).map(tuple)
MORE = st.just(()) | st.tuples(st.tuples(st.just("color"), TEXT))
ENTITIES = st.none() | st.lists(
    st.builds(Entity, text=TEXT, kind=st.sampled_from(["what", ""]), more=MORE), max_size=2
).map(tuple)
CLAIM = TEXT.filter(lambda text: text.strip())


def content(lines):
    return io.BytesIO("".join(line + "\n" for line in lines).encode())


@given(
    st.lists(
        st.builds(
            EvidenceClaim, id=ID, claim=CLAIM, dataset=TEXT, findings=MAYBE, candidates=MAYBE,
            pages=st.lists(ID, max_size=3).map(tuple), is_annotated=st.booleans(),
        ),
        min_size=1, max_size=4, unique_by=lambda claim: claim.id,
    )
)  # fmt: skip
def test_evidence_claims_are_read_back(claims):
    read = read_evidence_claims(content(write_evidence_claims(claims)))
    assert [each for each in read if not isinstance(each, Issue)] == claims


@given(
    st.lists(
        st.builds(
            GroundingClaim, id=ID, claim=CLAIM, citekey=ID, dataset=TEXT, snippets=MAYBE, entities=ENTITIES,
            is_annotated=st.booleans(),
        ),
        min_size=1, max_size=4, unique_by=lambda claim: claim.id,
    )
)  # fmt: skip
def test_grounding_claims_are_read_back(claims):
    read = read_grounding_claims(content(write_grounding_claims(claims)))
    assert [each for each in read if not isinstance(each, Issue)] == claims


@pytest.mark.parametrize(
    ("label", "issues"),
    [
        ({"entity": "thing"}, [("$[0].entity_labels[0].type", "missing", "error")]),
        ({"entity": "thing", "type": ""}, [("$[0].entity_labels[0].type", "entity-type", "warning")]),
        ({"entity": "thing", "type": "why"}, [("$[0].entity_labels[0].type", "entity-type", "warning")]),
        ({"entity": "thing", "type": "who", "color": 1}, [("$[0].entity_labels[0].color", "unknown-field", "warning")]),
        ({"entity": "thing", "type": "who"}, []),
    ],
)
def test_a_description_needs_its_type_and_keeps_its_members(label, issues):
    claims = [{"id": "a", "claim": "It is so.", "citekey": "b", "dataset": "", "entity_labels": [label]}]
    found = list(read_grounding_claims(io.BytesIO(json.dumps(claims).encode())))
    assert [(each.where, each.code, each.severity) for each in found if isinstance(each, Issue)] == issues
    read = [each for each in found if isinstance(each, GroundingClaim)]
    assert read == [] if "type" not in label else json.loads("".join(write_grounding_claims(read))) == claims


def test_the_warning_of_a_member_says_that_it_is_kept_and_comes_once():
    claim = {"id": "a", "claim": "It is so.", "citekey": "b", "extra": 1}
    claims = [claim, claim | {"id": "c", "entity_labels": [{"entity": "x", "type": "who", "extra": 2}]}]
    (issue,) = (
        each for each in read_grounding_claims(io.BytesIO(json.dumps(claims).encode())) if isinstance(each, Issue)
    )
    assert issue.message.startswith("“extra” is kept, but not used, here or wherever else it stands. Known: id, claim,")


def test_the_last_of_two_claims_counts_in_the_place_of_the_first():
    claims = [EvidenceClaim(id=name, claim=text) for name, text in (("a", "1"), ("b", "2"), ("a", "3"))]
    assert [(claim.id, claim.claim) for claim in last_of_each(claims)] == [("a", "3"), ("b", "2")]


@pytest.mark.parametrize(
    ("given", "others"), [("ABA", "AB"), ("AAB", "A"), ("ABB", "A"), ("ABAC", "AB"), ("AA", ""), ("A", "")]
)
def test_the_findings_of_all_claims_of_an_id_are_known_in_their_order(given, others):
    claims = [EvidenceClaim(id="a", claim="It is so.", findings=(name,)) for name in given]
    (claim,) = last_of_each(claims)
    assert claim.findings == (given[-1],)
    assert claim.others == tuple((name,) for name in others)
    read = read_evidence_claims(io.BytesIO("".join(write_evidence_claims([claim])).encode()))
    every = [each for each in read if isinstance(each, EvidenceClaim)]
    assert [each.findings for each in every] == [(name,) for name in given]
    assert last_of_each(every) == [claim]


def test_cells_are_read_as_they_stand():
    rows = list(read_evidence_answers(io.BytesIO(b'id,labels\nx,"FIG 1, FIG 2"\ny,\n')))
    assert rows == [
        EvidenceHeader(line=1, cells=("id", "labels")),
        EvidenceRow(line=2, claim="x", cell="FIG 1, FIG 2"),
        EvidenceRow(line=3, claim="y", cell=""),
    ]
    assert [row.labels for row in rows[1:]] == [["FIG 1", " FIG 2"], [""]]


def test_full_texts_are_documents(tmp_path):
    path = tmp_path / "papers.json"
    path.write_text(json.dumps({"smith2019": "We asked\nétudiants.", "kim2020": "They ran."}), encoding="utf-8")
    assert sniff_document_format(path) == "full-texts"
    records = list(read_documents(path, "full-texts"))
    assert [(record.docno, record.raw.decode(), record.offset) for record in records] == [
        ("smith2019", "We asked\nétudiants.", 0),
        ("kim2020", "They ran.", 1),
    ]
    assert [record.docno for record in read_documents(path, "full-texts", start=1)] == ["kim2020"]
    (tmp_path / "lee2021.txt").write_text("We counted.", encoding="utf-8")
    assert text_documents([tmp_path]) == {
        "smith2019": "We asked\nétudiants.",
        "kim2020": "They ran.",
        "lee2021": "We counted.",
    }


@pytest.mark.parametrize(
    ("raw", "where", "code"),
    [
        (b"", "", "empty-file"),
        (b"{}", "$", "no-documents"),
        (b"[]", "$", "type"),
        (b'{"a": 1}', "$.a", "type"),
        (b'{"two words": "x"}', "$['two words']", "bad-docno"),
        (b'{"": "x"}', "$['']", "missing-docno"),
        (b'{"a": "x", "a": "y"}', "$", "duplicate-key"),
        (b'{"a": "x', 1, "not-json"),
        (b'{"a": "x\\u0000"}', "$.a", "character"),
        (b'{"a": "' + b"x" * 40 + b'"}', "$.a", "document-too-large"),
    ],
)
def test_bad_full_texts_are_issues(raw, where, code):
    (issue,) = read_full_texts(io.BytesIO(raw), limit=30)
    assert isinstance(issue, Issue)
    assert (issue.where, issue.code) == (where, code)


# ---------------------------------------------------------------- real data


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "read", "write", "count", "distinct"),
    [
        ("task1-train-dev", read_evidence_claims, write_evidence_claims, 459, 441),
        ("task1-testset-release", read_evidence_claims, write_evidence_claims, 160, 160),
        ("task2-train-dev", read_grounding_claims, write_grounding_claims, 39, 39),
        ("task2-testset-release", read_grounding_claims, write_grounding_claims, 159, 159),
    ],
)
def test_released_claims_come_out_byte_for_byte(shared_data, name, read, write, count, distinct):
    raw = (shared_data / "context25" / f"{name}.json").read_bytes()
    found = list(read(io.BytesIO(raw)))
    claims = [each for each in found if not isinstance(each, Issue)]
    issues = [each for each in found if isinstance(each, Issue)]
    assert (len(claims), len(last_of_each(claims))) == (count, distinct)
    assert [issue for issue in issues if issue.severity == "error"] == []
    assert sum(issue.code == "claim-twice" for issue in issues) == count - distinct
    assert "".join(line + "\n" for line in write(claims)).encode() == raw + b"\n"


@pytest.mark.shared
def test_released_papers_are_all_read(shared_data):
    path = shared_data / "context25" / "full-texts-task2-train-dev.json"
    texts = json.loads(path.read_bytes())
    assert text_documents([path]) == texts
    assert len(texts) == 29
