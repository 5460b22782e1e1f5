"""`design show | new | diff | check --data`: what stands in files, without a site."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path

import pytest

from assess.protocol import TopicRecord
from assess.protocol.designs import DependentRecords
from assess.protocol.records import write_topic_lines
from tests.design_text import DESIGN
from tests.tracks.designs.campaigns import SURVEY
from tracks import TRACKS
from tracks.__main__ import main
from tracks.designs.checking import check_design
from tracks.designs.dependent_records import count_dependents, judgments_counted
from tracks.designs.differences import changes_between
from tracks.designs.item_rows import read_topics
from tracks.designs.question_rules import grades_of
from tracks.designs.reading import track_of_text
from tracks.designs.run_tables import ItemRuns
from tracks.designs.showing import shown_track

ROOT = Path(__file__).resolve().parent.parent.parent.parent
ADHOC = ROOT / "tests" / "data" / "tracks" / "adhoc"


def test_adhoc_is_shown_as_the_design_that_it_is(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["design", "show", "adhoc"]) == 0
    printed = capsys.readouterr()
    again = track_of_text(printed.out)
    (adhoc,) = (track for track in TRACKS if track.key == "adhoc")
    assert (printed.out, printed.err) == (adhoc.design, "")
    assert again.scoring.measures[0].official
    assert [each.key for each in again.scoring.measures] == [each.key for each in adhoc.scoring.measures]
    assert (again.tasks[0].stages[0].label, again.settings().pool_depth) == ("Grade documents", 100)
    path = tmp_path / "x.toml"
    path.write_text(printed.out)
    assert main(["design", "check", str(path)]) == 0
    assert main(["design", "show", str(path)]) == 0
    assert capsys.readouterr().out == printed.out


def test_a_track_is_shown_with_its_settings(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = ("highest_grade=2", "relevant_from=2", "judged_topics=1,3", "pool_depth=7", "ranked_limit=20")
    call = ["design", "show", "adhoc", *(word for each in said for word in ("--set", each))]
    assert main(call) == 0
    printed = capsys.readouterr()
    design, faults = check_design(printed.out)
    assert design is not None and not faults
    (question,) = design.stages[0].questions  # type: ignore[union-attr]
    assert [(grade.value, grade.name) for grade in grades_of(question)] == [
        (0, "not relevant"), (1, "relevant"), (2, "highly relevant"),
    ]  # fmt: skip
    assert (design.scores.relevant_from, design.topics.judged, design.pool.depth) == (2, ["1", "3"], 7)
    assert printed.err == ""
    assert main([*call, "--set", "highest_grade=9"]) == 2
    (tmp_path / "x.toml").write_text(printed.out)
    again = ["--set", "pool_depth=8", "--set", "tag_length=9"]
    assert main(["design", "show", str(tmp_path / "x.toml"), *again]) == 0
    shown = capsys.readouterr()
    assert shown.out == printed.out.replace("depth = 7", "depth = 8")
    assert shown.err.endswith("not in the design: settings.tag_length: 9\n")
    monkeypatch.setattr("tracks.calls.find_track", lambda _: track_of_text(DESIGN))  # of another package
    assert main(["design", "show", "own", "--set", "pool_depth=8"]) == 0
    assert capsys.readouterr().out == DESIGN.replace("depth = 20", "depth = 8")


def test_a_track_that_is_a_design_is_shown_as_it_was_written() -> None:
    assert shown_track(track_of_text(f"# Mine\n{DESIGN}")).text == f"# Mine\n{DESIGN}"


@pytest.mark.parametrize("track", TRACKS, ids=lambda track: track.key)
def test_each_track_is_a_design_or_says_what_no_design_says(track: object, capsys: pytest.CaptureFixture[str]) -> None:
    shown = shown_track(track)  # type: ignore[arg-type]
    assert shown.unsaid or track.design  # type: ignore[attr-defined]
    assert not shown.text or check_design(shown.text)[0] is not None
    assert len({each.member for each in shown.unsaid}) == len(shown.unsaid)


def test_a_track_with_work_of_its_own_says_which(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["design", "show", "tac2008-qa", "--json"]) == 1
    rows = {row["member"]: row["what"] for row in json.loads(capsys.readouterr().out)}
    assert rows["stages.classes"] == "its kind of work, “classes”"
    assert "submissions.run" in rows and "scores.rigid" in rows
    with pytest.raises(SystemExit):
        main(["design", "show"])
    assert main(["design", "show", "tac"]) == 2


def test_a_first_design_passes_its_check_at_once(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    topics, run = ADHOC / "topics.txt", ADHOC / "runs" / "good" / "maple.txt"
    assert main(["design", "new", "--from", str(topics), str(run)]) == 0
    text = capsys.readouterr().out
    assert check_design(text)[1] == []
    assert 'shown = ["title", "description", "narrative"]' in text
    assert 'key = "my-adhoc"' in text
    path = tmp_path / "mine.toml"
    path.write_text(text)
    assert main(["design", "check", str(path), "--data", str(ADHOC)]) == 0
    assert capsys.readouterr().out.split("\t")[1:3] == ["warning", "pool.depth"]


def test_files_that_tell_nothing_make_no_design(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "x.bin").write_bytes(b"%PDF-1.4 nothing")
    assert main(["design", "new", "--from", str(tmp_path / "x.bin")]) == 2
    assert "Nothing here tells what is judged: x.bin: " in capsys.readouterr().err


LOOKED_UP = [
    ("[runs]", '[topics]\nshown = ["title", "narative"]\n\n[runs]', "topics.shown.2", "Did you mean narrative?"),
    ("[runs]", '[topics]\njudged = ["1", "9"]\n\n[runs]', "topics.judged.2", "There is no topic 9 in topics.txt."),
    (
        "[runs]",
        '[documents]\nshown = ["text", "abstract"]\n\n[runs]',
        "documents.shown.2",
        "No document has the field",
    ),
    ("limit = 1000", "limit = 1", "runs", "runs/"),
]


@pytest.mark.parametrize(("before", "now", "member", "message"), LOOKED_UP, ids=[row[2] for row in LOOKED_UP])
def test_what_the_design_names_is_looked_up_in_the_data(
    before: str, now: str, member: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = DESIGN.replace(before, now, 1)
    (tmp_path / "mine.toml").write_text(text)
    assert main(["design", "check", str(tmp_path / "mine.toml"), "--data", str(ADHOC), "--json"]) == 1
    faults = [row for row in json.loads(capsys.readouterr().out) if row["severity"] == "error"]
    assert faults[0]["member"] == member and message in faults[0]["message"]
    line = text.splitlines()[int(faults[0]["line"]) - 1]
    assert line.startswith("[runs]" if member == "runs" else member.split(".")[1])


def test_what_the_base_names_is_looked_up_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "base.toml").write_text(DESIGN.replace("[pool]", '[topics]\nshown = ["backgrond"]\n\n[pool]', 1))
    (tmp_path / "mine.toml").write_text('design = 1\nkey = "mine"\ntitle = "Mine"\nbase = "base.toml"\n')
    assert main(["design", "check", str(tmp_path / "mine.toml"), "--data", str(ADHOC), "--json"]) == 1
    fault = next(row for row in json.loads(capsys.readouterr().out) if row["severity"] == "error")
    assert (fault["member"], fault["line"]) == ("topics.shown.1", "4"), fault


def test_documents_that_can_not_be_read_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "documents").mkdir()
    (tmp_path / "topics.txt").write_text("1\tbees\n")
    (tmp_path / "documents" / "mine.jsonl").write_text('{"docno": "A", "words": "Bees."}\n')
    (tmp_path / "mine.toml").write_text(DESIGN)
    assert main(["design", "check", str(tmp_path / "mine.toml"), "--data", str(tmp_path)]) == 1
    line = next(each for each in capsys.readouterr().out.splitlines() if "error" in each)
    assert "error\tdocuments\tdocuments/mine.jsonl: This is JSON in no form that is known" in line


FORMS = [
    ('{"r": {"automatic": "yes"}}', "error", "r: automatic must be true or false."),
    ('{"r": {"team": "x", "priority": 1}}', "error", "r: priority: Runs of this kind have no priority. Leave it out."),
    ('{"r": {"fields": {"a": "b"}}}', "error", "r: fields: There is no question a in the form."),
    ('{"r.txt": {}, "R": {}}', "warning", "Not used, since no run file in runs/ has this name: R. Name each run by"),
]


@pytest.mark.parametrize(("forms", "severity", "message"), FORMS)
def test_what_a_site_refuses_in_the_forms_of_runs_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], forms: str, severity: str, message: str
) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "topics.txt").write_text("1\tbees\n")
    (tmp_path / "runs" / "r.txt.gz").write_bytes(gzip.compress(b"1 Q0 A 1 1.0 r\n"))
    (tmp_path / "runs" / "forms.json").write_text(forms)
    (tmp_path / "mine.toml").write_text(DESIGN)
    main(["design", "check", str(tmp_path / "mine.toml"), "--data", str(tmp_path)])
    assert f"\t{severity}\truns\truns/forms.json: {message}" in capsys.readouterr().out


def test_documents_in_a_file_beside_the_topics_are_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.toml").write_text(DESIGN)
    data = Path("docs/first-campaign").resolve()
    main(["design", "check", str(tmp_path / "mine.toml"), "--data", str(data)])
    assert "no documents" not in capsys.readouterr().out
    for name in ("topics.txt", "runs"):
        (tmp_path / name).symlink_to(data / name)
    main(["design", "check", str(tmp_path / "mine.toml"), "--data", str(tmp_path)])
    assert "Files or folders of them should be called: documents*." in capsys.readouterr().out


def test_a_folder_without_topics_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.toml").write_text(DESIGN)
    assert main(["design", "check", str(tmp_path / "mine.toml"), "--data", str(tmp_path / "none")]) == 1
    assert "There is no folder" in capsys.readouterr().out
    (tmp_path / "data").mkdir()
    assert main(["design", "check", str(tmp_path / "mine.toml"), "--data", str(tmp_path / "data")]) == 1
    assert "There is no topic file in" in capsys.readouterr().out


MORE = '[[stages]]\nkey = "more"\nwork = "grade"\n[[stages.questions]]\nkey = "x"\nask = "X?"\ngrades = "0-1"\n'
YES, WORSE = '  { value = 2, press = "y"', '  { value = -1, press = "w", name = "worse", gain = 0 },\n'


def test_a_file_that_is_not_beside_the_design_has_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(f'{DESIGN}\n[guidelines]\nfile = "none.md"\n')
    for more in ([], ["--data", str(ADHOC)]):
        assert main(["design", "check", str(path), *more, "--json"]) == 1
        (fault,) = json.loads(capsys.readouterr().out)
        assert (fault["member"], "none.md can't be read" in fault["message"]) == ("guidelines.file", True)
        assert path.read_text().splitlines()[int(fault["line"]) - 1] == 'file = "none.md"'


FREE = [
    ("depth = 20", "depth = 30"),
    ("relevant_from = 1", "relevant_from = 2"),
    ("gain = 1", "gain = 2"),
    ("people = 2", "people = 3"),
    ("Is it misleading?", "Does it mislead?"),
    ('level = "ordinal"', 'level = "interval"'),
    ('press = "s"', 'press = "w"'),
    ('ends = ["unreadable", "clear"]', 'ends = ["illegible", "clear"]'),
    ('name = "somewhat"', 'name = "a little", key = "somewhat"'),
    ('name = "no", gain = 2', 'name = "no", gain = 2, evidence = "required"'),
    ('  { value = 2, press = "y"', '  { value = 3, press = "w", name = "wholly" },\n  { value = 2, press = "y"'),
    ('"nDCG@10", {', '"nDCG@10", "AP", {'),
    ("[scores]", f"{MORE}[scores]"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "now"), FREE, ids=[row[1][:30].replace("\n", " ") for row in FREE])
def test_what_changes_no_recorded_value_is_free(before: str, now: str) -> None:
    assert before in DESIGN
    found = changes_between(DESIGN, DESIGN.replace(before, now, 1))
    assert found.changes and [each.message for each in found.changes if each.stands_on] == []


def test_what_is_pressed_by_who_can_not_tell_may_be_renamed_and_not_taken_out() -> None:
    text = (ROOT / "docs" / "designs" / "misleading-passages.toml").read_text()
    line = next(line for line in text.splitlines() if line.startswith("unsure"))
    renamed = changes_between(text, text.replace("can't tell", "no idea")).changes
    assert [each.stands_on for each in renamed] == [None]
    (gone,) = changes_between(text, text.replace(line, "")).changes
    assert gone.stands_on is not None and gone.stands_on.question == "misleading"


SETTLED = [
    ('key = "passages"', 'key = "pages"', "", "The stage passages is taken out. pages asks the same"),
    ('key = "readability"\nask', 'key = "clarity"\nask', "readability", "is taken out. clarity asks the same"),
    ('value = 1, press = "s"', 'value = 3, press = "s"', "misleading", "The value of the grade somewhat of misleading"),
    ('name = "somewhat"', 'name = "a little"', "misleading", 'same grade, give it key = "somewhat"'),
    ('  { value = 1, press = "s", name = "somewhat", gain = 1 },\n', "", "misleading", "(1) is taken out"),
    ('grades = "1-5"', 'grades = "1-7"', "readability", "(5) has another place on the scale."),
    (YES, WORSE + YES, "misleading", "has another place"),
    ('key = "misleading-2026"', 'key = "misleading-2027"', "", "key: “misleading-2026”, now “misleading-2027”."),
]  # fmt: skip


@pytest.mark.parametrize(("before", "now", "question", "message"), SETTLED, ids=[row[3][:40] for row in SETTLED])
def test_what_gives_recorded_values_another_meaning_stands_on_them(
    before: str, now: str, question: str, message: str
) -> None:
    text = DESIGN.replace(before, now, 1)
    if 'key = "clarity"' in now:
        text = text.replace('question = "readability"', 'question = "clarity"')
    assert text != DESIGN
    found = [each for each in changes_between(DESIGN, text).changes if each.stands_on]
    assert any(message in each.message for each in found), found
    assert {each.stands_on.question for each in found if each.stands_on} == {question}
    assert all(each.line > 1 for each in found)


def test_a_mapping_makes_a_change_free_and_is_applied_once() -> None:
    moved = DESIGN.replace('value = 2, press = "y"', 'value = 3, press = "y"')
    (in_the_way,) = (each for each in changes_between(DESIGN, moved).changes if each.stands_on)
    assert in_the_way.mapping == '[[changes]] question = "misleading", from = 2, to = 3'
    mapped = f'{moved}\n[[changes]]\nquestion = "misleading"\nfrom = 2\nto = 3\n'
    found = changes_between(DESIGN, mapped)
    assert [each for each in found.changes if each.stands_on] == []
    assert [(each.question, each.before, each.now) for each in found.mappings] == [("misleading", 2, 3)]
    again = changes_between(mapped, mapped.replace("depth = 20", "depth = 30"))
    assert (again.mappings, len(again.changes)) == ((), 1)


def test_diff_counts_what_stands_in_the_way_of_an_export(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["design", "show", "adhoc"]) == 0
    adhoc = capsys.readouterr().out
    (tmp_path / "scales.toml").write_text(adhoc.replace('"perfectly', '"wholly'))
    call = ["design", "diff", "adhoc", str(tmp_path / "scales.toml"), "--json"]
    assert main([*call, "--judgments", str(ADHOC / "judgments.jsonl")]) == 1
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["effect"], row["member"]) == ("17 in the way", "stages.documents.questions.relevance.scales")
    scales = adhoc[adhoc.index("scales = [") : adhoc.index("qrels = ")]
    grades = ", ".join(f'{{ value = {value}, press = "{value}", name = "g{value}" }}' for value in range(4))
    old = adhoc.replace(scales, f"grades = [{grades}]\n")
    (tmp_path / "old.toml").write_text(old)
    (tmp_path / "new.toml").write_text(old.replace('value = 3, press = "3"', 'value = 4, press = "3"'))
    call = ["design", "diff", str(tmp_path / "old.toml"), str(tmp_path / "new.toml"), "--json"]
    assert main(call) == 1
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["effect"], row["mapping"]) == ("judged", '[[changes]] question = "relevance", from = 3, to = 4')
    assert main([*call, "--judgments", str(ADHOC / "judgments.jsonl")]) == 1
    (row,) = json.loads(capsys.readouterr().out)
    assert row["effect"] == "5 in the way"
    assert main(["design", "diff", str(tmp_path / "old.toml"), str(tmp_path / "old.toml")]) == 0


def test_a_grade_called_otherwise_changes_no_condition(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "old.toml").write_text(SURVEY)
    call = ["design", "diff", str(tmp_path / "old.toml"), str(tmp_path / "new.toml"), "--json"]
    for named, members in (('"for sure"', ["name"]), ('["for sure", "no"]', ["asked_if", "name"])):
        renamed = SURVEY.replace('press = "j", name = "yes"', 'press = "j", key = "yes", name = "for sure"')
        (tmp_path / "new.toml").write_text(renamed.replace('{ relevant = "yes" }', f"{{ relevant = {named} }}"))
        assert main(call) == 0
        told = json.loads(capsys.readouterr().out)
        assert sorted(row["member"].rpartition(".")[2] for row in told) == members


def test_what_is_chosen_or_written_is_counted_in_an_export(tmp_path: Path) -> None:
    act = {"do": "judge", "topic": "1", "key": "A", "criterion": "tags"}
    said = [("anna", [1, 3]), ("bert", [3]), ("bert", [])]
    lines = [json.dumps({**act, "by": by, "given": {"several": chosen}}) for by, chosen in said]
    lines += [json.dumps({**act, "by": "anna", "criterion": "why", "given": {"text": "so"}})]
    (tmp_path / "judgments.jsonl").write_text("\n".join(lines))
    counts = judgments_counted(tmp_path / "judgments.jsonl")
    for question, value, number in (("tags", 3, 1), ("tags", 2, 0), ("tags", None, 2), ("why", None, 1)):
        stands_on = DependentRecords(stage="s", question=question, value=value)
        assert count_dependents(counts, stands_on, []) == number, (question, value)


CLAIMS = ROOT / "tests" / "data" / "designs" / "claims"


def test_rows_of_items_are_scored_by_their_topics_and_never_without(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = ItemRuns(form="items", text="claim", shown=["claim", "said on"], topic="subject", document="source")
    row = {"claim": "Tea is hot.", "said on": "", "subject": "tea", "source": "T-1"}
    (tmp_path / "items.jsonl").write_text(json.dumps(row))
    (tmp_path / "alpha.jsonl").write_text(json.dumps({"system": "alpha"} | row))
    (topic,) = read_topics(runs, io.BytesIO(json.dumps(row).encode()))
    assert isinstance(topic, TopicRecord)
    grade = {"topic": topic.number, "key": topic.fields["items"][0]["key"], "docno": "T-1", "kind": "item"}
    grade |= {"criterion": "truth", "value": 4, "evidence": []}
    (tmp_path / "grades-truth.jsonl").write_text(json.dumps(grade))
    call = ["score", str(ROOT / "docs/designs/claims.toml"), "--gold", str(tmp_path / "grades-truth.jsonl")]
    call += ["--run", str(tmp_path / "alpha.jsonl")]
    assert main(call) == 2
    assert "give the file of items, or topics.jsonl of a release, with --topics." in capsys.readouterr().err
    (tmp_path / "topics.jsonl").write_text("\n".join(write_topic_lines([topic])))
    for name in ("items.jsonl", "topics.jsonl"):
        assert main([*call, "--topics", str(tmp_path / name)]) == 0
        assert "alpha\tall\tmean\t4.000000" in capsys.readouterr().out


def test_a_table_tells_what_is_judged_and_its_columns_are_looked_up(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["design", "new", "--from", str(CLAIMS / "items.csv")]) == 0
    text = capsys.readouterr().out
    for line in ('text = "claim"', 'systems = ["system"]', 'topic = "subject"', 'document = "source"'):
        assert line in text
    (tmp_path / "mine.toml").write_text(text)
    assert main(["design", "check", str(tmp_path / "mine.toml"), "--data", str(CLAIMS)]) == 0
    assert capsys.readouterr().out == ""
    wrong = text.replace('["system"]', '["sytem"]')
    (tmp_path / "mine.toml").write_text(wrong)
    assert main(["design", "check", str(tmp_path / "mine.toml"), "--data", str(CLAIMS), "--json"]) == 1
    (fault,) = json.loads(capsys.readouterr().out)
    assert (fault["member"], "There is no column “sytem”." in fault["message"]) == ("runs.systems.1", True)
    assert wrong.splitlines()[int(fault["line"]) - 1] == 'systems = ["sytem"]'
    (tmp_path / "mine.toml").write_text(text.replace('"claim"', '"clam"').replace('"subject"', '"sbject"'))
    assert main(["design", "check", str(tmp_path / "mine.toml"), "--data", str(CLAIMS), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    members = {each["member"] for each in told if "“clam”, “sbject”" in each["message"]}
    assert members == {"runs.text", "runs.shown.1", "runs.topic"}


def test_rows_that_hold_their_documents_need_no_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / "docs/designs/claims.toml").read_text().replace('document = "source"', 'source = "source"')
    (tmp_path / "mine.toml").write_text(text)
    (tmp_path / "items.csv").write_text("claim,said on,system,subject,source\nTea warms.,May,alpha,tea,It does.\n")
    assert main(["design", "check", str(tmp_path / "mine.toml"), "--data", str(tmp_path)]) == 0
    assert capsys.readouterr().out == ""


def test_a_design_without_faults_is_said_to_have_been_read(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_text(DESIGN)
    assert main(["design", "check", str(path)]) == 0
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(f"{path} has no faults (") and "2 measures" in printed.err
