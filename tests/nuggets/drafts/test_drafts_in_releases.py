"""A release holds how topics came about and who accepted the user agreement; its copy has the same, to the letter."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User

from assess.assignments.domain.assignments import create_assignment, open_assignment
from assess.base.errors import Refused
from assess.campaigns.domain import create_campaign
from assess.documents.queries.search import search_documents
from assess.models import Acceptance, Activity, Campaign, DraftFind, DraftStep, TopicDraft
from assess.organising.domain import change_state
from assess.releases.domain.import_drafts_and_agreements import add_drafts
from assess.releases.domain.importing import import_release
from assess.releases.domain.releasing import make_release, release_key
from assess.topic_drafts.domain.deciding import accept_draft, send_back
from assess.topic_drafts.domain.finding import add_find, judge_document, withdraw_find
from assess.topic_drafts.domain.writing import begin_draft, drop_draft, send_draft, set_query, write_draft
from assess.topic_drafts.queries import ShownDraft, show_drafts
from assess.user_agreements.domain import accept_user_agreement, set_user_agreement
from assess.user_agreements.queries import agreement_in_force, team_answers
from nuggets.models import NuggetList
from nuggets.writing.lists import freeze_list
from scoring.commands.verify import CLEAN, verify_release
from scoring.release.releases import BadRelease, open_release
from tests import factories
from tests.assess.topic_drafts.made_drafts import DEFINITION, SERIES, drafted, sent
from tests.remembered import remembered
from tests.unpacked import unpack_release
from tracks.rescore import rescore

pytestmark = pytest.mark.django_db
TEXT = "The harbor shop sells kites with a long string. So does Ann’s."
FILES = ("drafts.jsonl", "agreements.jsonl", "acceptances.jsonl")


@pytest.fixture(autouse=True)
def store(settings, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path / "data"


@pytest.fixture
@remembered
def developed(campaign: Campaign, organiser: User, assessor: User, second_assessor: User) -> Campaign:
    """Drafts in every state: 1 accepted after it was sent back, with finds that its author judges; 2 dropped; 3 sent;
    4 sent back; 5 begun, by somebody without work; an agreement in two versions.
    """
    factories.document(campaign, "D1", TEXT)
    for number in range(2, 14):
        factories.document(campaign, f"D{number}", "kite " * (40 - number) + "wind " * number)
    draft = drafted(campaign, assessor)
    for text, docno in (("harbor shop", "D1"), ("Ann’s", "D1"), ("a mistake", "D2")):
        find(draft, "answer", text, docno, part=1)
    find(draft, "nugget", "Their strings are long", "D1", part=2, quote="a long string", span={"start": 33, "end": 46})
    withdraw_find(actor=assessor, draft=draft, number=3, client_key=uuid4())
    set_query(actor=assessor, draft=draft, query="wind", client_key=uuid4())
    hits = [hit.docno for hit in search_documents(campaign, "wind").hits]
    for place, docno in enumerate(hits[:10]):
        judge_document(actor=assessor, draft=draft, docno=docno, is_relevant=place < 6, client_key=uuid4())
    judge_document(actor=assessor, draft=draft, docno=hits[0], is_relevant=False, client_key=uuid4())
    send_draft(actor=assessor, draft=draft, client_key=uuid4())
    send_back(actor=organiser, draft=draft, word="Ask for shops.", client_key=uuid4())
    part = replace(SERIES.parts[0], text="Which shops sell kites?")
    changed = replace(SERIES, parts=(part, SERIES.parts[1]), query="wind")
    write_draft(actor=assessor, draft=draft, content=changed, client_key=uuid4())
    send_draft(actor=assessor, draft=draft, client_key=uuid4())
    accept_draft(actor=organiser, draft=draft, client_key=uuid4())
    drop_draft(actor=assessor, draft=drafted(campaign, assessor), client_key=uuid4())
    sent(campaign, assessor)
    send_back(actor=organiser, draft=sent(campaign, second_assessor), word="Too near to 1.", client_key=uuid4())
    begin_draft(actor=factories.member(campaign, "zoe", "assessor"), campaign=campaign, client_key=uuid4())
    set_user_agreement(actor=organiser, campaign=campaign, text="We keep the documents.", parts=["package"])
    return campaign


def find(draft: TopicDraft, kind: str, text: str, docno: str, **more: Any) -> None:
    add_find(actor=draft.author, draft=draft, kind=kind, text=text, docno=docno, client_key=uuid4(), **more)


@pytest.fixture
@remembered
def made(developed: Campaign, organiser: User, assessor: User, participant: User, tmp_path: Path) -> Path:
    """The release, after its author began to judge the topic and teams accepted."""
    factories.member(developed, "rival", "participant", team="Pier")
    accept_user_agreement(actor=participant, campaign=developed, version=1)
    accept_user_agreement(actor=organiser, campaign=developed, version=1, team="Pier", note="fax of Pier, 12 June")
    text = "We keep the documents to ourselves."
    set_user_agreement(actor=organiser, campaign=developed, text=text, parts=["package", "lists"])
    accept_user_agreement(actor=participant, campaign=developed, version=2)
    for number, stage in (("2.1", "classes"), ("2.2", "nuggets")):
        topic = developed.topics.get(number=number)
        work = create_assignment(actor=organiser, campaign=developed, topic=topic, stage=stage, assessor=assessor)
        open_assignment(actor=assessor, assignment=work)
    freeze_list(actor=assessor, nugget_list=NuggetList.objects.get(), client_key=uuid4(), without_vital=True)
    change_state(actor=organiser, campaign=developed, state="frozen")
    accept_user_agreement(actor=organiser, campaign=developed, version=2, team="Pier", note="after the freeze")
    unpack_release(make_release(actor=organiser, campaign=developed), tmp_path / "release")
    organiser.is_superuser = True
    return tmp_path / "release"


def rows_of(folder: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / name).read_text().splitlines()]


def told(shown: ShownDraft) -> tuple[object, ...]:
    """What a draft says and holds, but for its ids."""
    finds = [(f.number, f.kind, f.part, f.text, f.docno, f.quote, f.span, f.grade) for f in shown.finds]
    topic = shown.draft.topic.number if shown.draft.topic is not None else ""
    return (shown.draft.number, shown.content, shown.state, shown.version, shown.word, shown.estimate, finds, topic)


def ledger(campaign: Campaign) -> list[tuple[object, ...]]:
    """All that was said of drafts, in the order of the ledgers."""
    steps = DraftStep.objects.filter(draft__campaign=campaign)
    finds = DraftFind.objects.filter(draft__campaign=campaign)
    rows: list[tuple[Any, ...]] = [
        *steps.values_list("id", "draft__number", "action", "content", "word", "estimate"),
        *finds.values_list("id", "draft__number", "kind", "number", "text", "grade", "is_withdrawn", "quote", "span"),
        *campaign.activities.filter(action="draft.carry").values_list("id", "data"),
    ]
    return [tuple(row[1:]) for row in sorted(rows, key=lambda row: row[0])]


def test_the_copy_has_the_same_drafts_in_the_same_order(made: Path, developed: Campaign, organiser: User) -> None:
    copy = import_release(actor=organiser, path=made, slug="copy")
    both = [show_drafts(each.topic_drafts.select_related("topic").order_by("number")) for each in (copy, developed)]
    assert [told(each) for each in both[0]] == [told(each) for each in both[1]]
    assert [each.state for each in both[0]] == ["accepted", "dropped", "sent", "back", "draft"]
    assert both[0][0].estimate == "“wind”: 5 of the first 10 documents relevant, about 5 of 12 found."
    assert ledger(copy) == ledger(developed)
    assert {each.draft.author.username.rpartition("@")[0] for each in both[0]} == {f"assessor-{n}" for n in (1, 2, 3)}


def test_the_copy_has_the_same_agreement_and_who_accepted_it(made: Path, developed: Campaign, organiser: User) -> None:
    copy = import_release(actor=organiser, path=made, slug="copy")
    assert copy.agreement_for == developed.agreement_for == ["lists", "package"]
    pairs = [
        list(each.user_agreements.order_by("version").values_list("version", "text")) for each in (copy, developed)
    ]
    assert pairs[0] == pairs[1]
    names = {team: name for name, team in teams_of(developed).items()}
    accepted = Acceptance.objects.filter(agreement__campaign=copy).order_by("agreement__version", "team")
    assert sorted(accepted.values_list("agreement__version", "team")) == sorted(
        [(1, names["Harbor"]), (1, names["Pier"]), (2, names["Harbor"])]
    )
    days = {each.accepted_at.date() for each in Acceptance.objects.filter(agreement__campaign=developed)}
    assert {each.accepted_at.date() for each in accepted} == days
    paper = accepted.get(team=names["Pier"])
    assert (paper.accepted_by, paper.note) == (organiser, "")
    answers = team_answers(copy, agreement_in_force(copy))
    assert {each.team for each in answers if each.acceptance is None} == {names["Pier"]}


def teams_of(campaign: Campaign) -> dict[str, str]:
    """Name in the release -> team, by the key that organisers have."""
    return {name: team for _, _, name, team, _ in release_key(campaign).key}


def test_a_release_of_the_copy_has_the_same_bytes_of_it(made: Path, organiser: User, tmp_path: Path) -> None:
    copy = import_release(actor=organiser, path=made, slug="copy")
    unpack_release(make_release(actor=organiser, campaign=copy), tmp_path / "again")
    for name in FILES:
        assert (tmp_path / "again" / name).read_bytes() == (made / name).read_bytes(), name
    assert all(f"| {name} |" in (made / "README.md").read_text() for name in FILES)


def test_nothing_of_it_names_a_person_or_a_team(made: Path) -> None:
    words = "".join((made / name).read_text() for name in (*FILES, "manifest.json", "README.md", "work.jsonl"))
    for name in ("organiser", "assessor", "second_assessor", "zoe", "participant", "rival"):
        assert f'"{name}"' not in words.replace('"by": "organiser"', "")
    assert not any(name in words for name in ('"Harbor"', "Pier", "fax", "after the freeze", "zoe", "rival"))
    assert {row["by"] for row in rows_of(made, "drafts.jsonl") if "by" in row} == {
        "assessor-1", "assessor-2", "assessor-3",
    }  # fmt: skip
    assert [(row["version"], row["by"]) for row in rows_of(made, "acceptances.jsonl") if row["version"] == 2] == [
        (2, "team")
    ]
    assert all(set(row) == {"version", "team", "by", "accepted"} for row in rows_of(made, "acceptances.jsonl"))


def test_a_release_made_again_is_the_same_whoever_accepts_meanwhile(
    made: Path, developed: Campaign, organiser: User
) -> None:
    for team in ("Quay", "Ahoy"):
        factories.member(developed, team.lower(), "participant", team=team)
        accept_user_agreement(actor=organiser, campaign=developed, version=2, team=team, note="late")
    assert make_release(actor=organiser, campaign=developed) == developed.releases.get()
    assert set(teams_of(developed).values()) == {"Harbor", "Pier"}


def test_what_was_found_is_followed_to_where_it_stands(made: Path) -> None:
    carried = [row for row in rows_of(made, "drafts.jsonl") if row["do"] == "carry"]
    assert [(row["topic"], row["stage"], row["finds"], row["left"]) for row in carried] == [
        ("2.1", "classes", [[1, 1], [2, 2]], []),
        ("2.2", "nuggets", [[4, 1]], []),
    ]


def test_a_topic_that_was_changed_after_it_was_accepted_is_said_to_be(
    campaign: Campaign, organiser: User, assessor: User, tmp_path: Path
) -> None:
    accept_draft(actor=organiser, draft=sent(campaign, assessor), client_key=uuid4())
    campaign.topics.filter(number="2.1").update(text="Which shop sells them?")
    change_state(actor=organiser, campaign=campaign, state="judging")
    change_state(actor=organiser, campaign=campaign, state="frozen")
    unpack_release(make_release(actor=organiser, campaign=campaign), tmp_path / "release")
    assert [row["as_drafted"] for row in rows_of(tmp_path / "release", "drafts.jsonl") if row["do"] == "accept"] == [
        False
    ]
    assert status(tmp_path / "release", "drafts.jsonl") == ("recomputed", "")
    organiser.is_superuser = True
    copy = import_release(actor=organiser, path=tmp_path / "release", slug="copy")
    assert copy.topic_drafts.get().topic.number == "2"


def test_a_definition_comes_with_its_draft(organiser: User, assessor: User, tmp_path: Path) -> None:
    organiser.is_superuser = True
    pilot = create_campaign(actor=organiser, slug="pilot", title="Pilot", track="aquaint-definition")
    factories.member(pilot, "ann", "assessor")
    ann = User.objects.get(username="ann")
    accept_draft(actor=organiser, draft=sent(pilot, ann, DEFINITION), client_key=uuid4())
    for state in ("judging", "frozen"):
        change_state(actor=organiser, campaign=pilot, state=state)
    unpack_release(make_release(actor=organiser, campaign=pilot), tmp_path / "release")
    assert status(tmp_path / "release", "drafts.jsonl") == ("recomputed", "")
    copy = import_release(actor=organiser, path=tmp_path / "release", slug="copy")
    (shown,) = show_drafts(copy.topic_drafts.select_related("topic"))
    assert (shown.content, shown.state, shown.draft.topic.number) == (DEFINITION, "accepted", "1")


def status(folder: Path, name: str) -> tuple[str, str]:
    with open_release(folder) as opened:
        return verify_release(opened, rescore).rows[name]


def test_a_release_with_drafts_checks_out(made: Path) -> None:
    with open_release(made) as opened:
        verdict = verify_release(opened, rescore)
    assert {status for status, _ in verdict.rows.values()} <= set(CLEAN)
    assert verdict.rows["drafts.jsonl"] == ("recomputed", "")
    assert verdict.rows["agreements.jsonl"][1].startswith("not computed again")


def sign_again(folder: Path, **said: Any) -> None:
    """The manifest's sums made right again, and members of it changed."""
    path = folder / "manifest.json"
    manifest = {**json.loads(path.read_bytes()), **said}
    manifest["files"] = {name: entry for name, entry in manifest["files"].items() if (folder / name).exists()}
    for name, entry in manifest["files"].items():
        content = (folder / name).read_bytes()
        entry.update(sha256=hashlib.sha256(content).hexdigest(), size=len(content))
    path.write_text(json.dumps(manifest))


def edit(name: str, do: str, place: int = 0, /, **said: Any) -> Callable[[Path], None]:
    """Change members of the n-th line of a file that does this (any line, without), and sign it again."""

    def change(folder: Path) -> None:
        rows = rows_of(folder, name)
        row = [each for each in rows if not do or each["do"] == do][place]
        row |= said
        write(folder, name, rows)

    return change


def write(folder: Path, name: str, rows: list[dict[str, Any]]) -> None:
    (folder / name).write_text("".join(json.dumps(row, ensure_ascii=False, sort_keys=True) + "\n" for row in rows))
    sign_again(folder)


def without(name: str, do: str, place: int = 0) -> Callable[[Path], None]:
    """Leave out the n-th line that does this."""

    def change(folder: Path) -> None:
        rows = rows_of(folder, name)
        rows.remove([each for each in rows if not do or each["do"] == do][place])
        write(folder, name, rows)

    return change


def raw(name: str, content: bytes) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        (folder / name).write_bytes((folder / name).read_bytes() + content)
        sign_again(folder)

    return change


def content(**said: Any) -> Callable[[Path], None]:
    """Change what the last version of the accepted draft says."""

    def change(folder: Path) -> None:
        rows = rows_of(folder, "drafts.jsonl")
        written = [row for row in rows if row["do"] == "write" and row["draft"] == 1]
        written[-1]["content"] |= said
        write(folder, "drafts.jsonl", rows)

    return change


def no_agreements(folder: Path) -> None:
    (folder / "agreements.jsonl").unlink()
    sign_again(folder)


def agreement_for(parts: object) -> Callable[[Path], None]:
    return lambda folder: sign_again(folder, agreement_for=parts)


D, A, C = FILES
SEEN_BY_VERIFY = [
    (content(text="Harbour kites"), "topic 2 is not what draft 1 says, and “as_drafted” is True"),
    (edit(D, "document", 10, relevant=True), "“word” is “wind”: 5 of the first 10"),
    (without(D, "document", 9), "“estimate” counts"),
    (edit(D, "send", word="“wind”: all of them."), "the documents judged before it give “wind”: 5 of the first 10"),
    (edit(D, "accept", topic="99"), "“topic” 99 is no topic of the release"),
    (edit(D, "accept", as_drafted=False), "topic 2 is what draft 1 says, and “as_drafted” is False"),
    (without(D, "send"), "draft 1 is draft, so “back” can't come here"),
    (without(D, "accept"), "draft 1 is sent, so “carry” can't come here"),
    (edit(D, "carry", finds=[[3, 1]]), "“finds” names 3, which draft 1 does not hold so"),
    (edit(D, "carry", topic="1.1"), "“topic” 1.1 is not what draft 1 became"),
    (edit(D, "withdraw", find=77), "draft 1 holds nothing under “find” 77"),
    (edit(D, "answer", find=9), "“find” must be 1, the next number; it is 9"),
    (edit(D, "answer", part=7), "“part” 7 is no question of draft 1"),
    (edit(D, "answer", by="assessor-2"), "draft 1 is assessor-1's, and “by” is assessor-2"),
    (edit(D, "answer", by="zoe"), "“by” must be like assessor-1; it is 'zoe'"),
    (edit(D, "answer", text=7), "“text” must be text of at most 2,000 characters; it is 7"),
    (edit(D, "nugget", span={"start": 1}), "“span” must be an object with start, end, quote, prefix, suffix"),
    (edit(D, "send", estimate={"ranked": "D1", "found": 1}), "“estimate” says a “ranked” that must be a list"),
    (edit(D, "write", draft=4), "no draft 4 was begun; the next one begins with “write” of 1"),
    (edit(D, "write", do="sing"), "line 1: “do” must be one of write, answer"),
    (edit(D, "drop", more=1), "is no object with do, draft, by"),
    (raw(D, b"{\n"), "drafts.jsonl: line "),
    (raw(D, b'{"do": "drop", "draft": 5, "by": "W\xf6rter"}\n'), "drafts.jsonl: line "),
    (content(parts=[]), "something was found for a question that this takes away"),
]  # fmt: skip
SEEN_BY_LOADING = [
    (edit(D, "write", content={"text": " x ", "task": "", "parts": [], "definition": "", "notes": "", "query": ""}),
     "“content” is not as the site keeps it"),
    (edit(D, "write", 1, content={"text": "x", "task": "", "parts": [{"key": 1, "task": "none", "text": "y"}],
                                  "definition": "", "notes": "", "query": ""}),
     "“content”: none is no type of question here"),
    (edit(D, "back", word=" "), "“word” must say to the author what to change"),
    (edit(D, "nugget", quote=""), "a nugget its “quote”"),
    (edit(D, "nugget", part=1), "a question of the type rigid has no nuggets"),
    (edit(D, "carry", stage="instances"), "nobody has work in the stage instances"),
    (edit(A, "", version=3), "agreements.jsonl: line 1: “version” must be 1; it is 3"),
    (edit(A, "", 1, text="We keep the documents."), "agreements.jsonl: line 2: “text” is empty, or that of the"),
    (edit(A, "", published="2026-13-01"), "agreements.jsonl: line 1: “published” must be a day; it is 2026-13-01"),
    (edit(C, "", version=9), "acceptances.jsonl: line 1: there is no version 9, only 2"),
    (edit(C, "", team="Pier"), "acceptances.jsonl: line 1: “team” must be like TEAM-A"),
    (edit(C, "", by="somebody"), "“by” must be one of team, organiser"),
    (edit(C, "", 1, team="TEAM-A", version=1), "says the same as one before it"),
    (edit(C, "", accepted="today"), "“accepted” must be like 2026-06-24"),
    (no_agreements, "it has acceptances.jsonl and no agreements.jsonl"),
    (agreement_for("all"), "manifest.json: “agreement_for” must be a list"),
    (agreement_for(["all"]), "manifest.json: “agreement_for” holds what must be one of topics, lists, package"),
]  # fmt: skip


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kept") / "release"


@pytest.fixture
def folder(kept: Path, organiser: User, tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A copy of the release, which is made once for all tests that break it."""
    if not kept.exists():
        shutil.copytree(request.getfixturevalue("made"), kept)
    organiser.is_superuser = True
    return Path(shutil.copytree(kept, tmp_path / "broken"))


@pytest.mark.parametrize(("change", "words"), [*SEEN_BY_VERIFY, *SEEN_BY_LOADING])
def test_what_is_wrong_is_refused_with_its_place_and_nothing_is_stored(
    change: Callable[[Path], None], words: str, folder: Path, organiser: User
) -> None:
    change(folder)
    models = (Campaign, User, TopicDraft, DraftStep, DraftFind, Acceptance, Activity)
    before = [model.objects.count() for model in models]
    with pytest.raises(Refused) as refused:
        import_release(actor=organiser, path=folder, slug="copy")
    assert words in refused.value.message
    assert [model.objects.count() for model in models] == before


@pytest.mark.parametrize(("change", "words"), SEEN_BY_VERIFY)
def test_verify_sees_what_was_changed_though_its_sums_are_right(
    change: Callable[[Path], None], words: str, folder: Path
) -> None:
    change(folder)
    found, message = status(folder, "drafts.jsonl")
    assert found == "differs"
    assert message.startswith("drafts.jsonl: line ")
    assert words in message


def test_a_release_without_these_files_is_loaded(folder: Path, organiser: User) -> None:
    for name in FILES:
        (folder / name).unlink()
    sign_again(folder, agreement_for=None)
    copy = import_release(actor=organiser, path=folder, slug="copy")
    assert not copy.topic_drafts.exists()
    assert not copy.user_agreements.exists()


def test_drafts_of_a_track_whose_topics_come_in_files_are_refused(organiser: User) -> None:
    made = create_campaign(actor=organiser, slug="files", title="Files", track="context25")
    with pytest.raises(BadRelease, match=r"it has drafts\.jsonl, and topics of its track come in files alone"):
        add_drafts(actor=organiser, campaign=made, acts=[("drafts.jsonl:1", {"draft": 1})], people={})
    assert not TopicDraft.objects.exists()
