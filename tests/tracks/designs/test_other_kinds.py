"""A kind of work, a form of runs and a measure of another package are said in a design, which knows none of them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.base.errors import Invalid
from assess.campaigns.domain import create_campaign
from assess.campaigns.queries import known_track
from assess.models import Campaign
from assess.organising.design_versions import change_design
from assess.protocol import Stage, Track
from tests.design_text import DESIGN
from tests.pages import page_of
from tracks import ADHOC
from tracks.designs.checking import check_design
from tracks.designs.described_work import described_works, design_model
from tracks.designs.differences import changes_between
from tracks.designs.reading import parts_of_text, track_of_text
from tracks.designs.schema import schema_of_designs
from tracks.designs.showing import shown_track
from tracks.installed import installed_forms, installed_measures, installed_works

MODULE = '''
from dataclasses import dataclass
from typing import Literal

from assess.protocol import Work
from assess.protocol.work import DesignOption, option
from tracks.designs.other_forms import string_runs_of
from tracks.designs.run_forms import FormOfRuns
from tracks.designs.run_tables import RunsBase


@dataclass(frozen=True, kw_only=True, slots=True)
class Ticking(Work):
    """Items that are ticked, or not."""

    key = "ticks"

    least: float = option(DesignOption(help="The share that has to be ticked.", least=0, most=1), default=0.5)
    sign: str = option(DesignOption(help="What a tick looks like.", may_change=True), default="x")
    hidden: str = ""


class Pages(RunsBase):
    """Pages of books."""

    form: Literal["pages"]
    limit: int = 10


PAGES = FormOfRuns(form="pages", table=Pages, items={"passage": "string"}, build=string_runs_of)


def first(returned, judged):
    """The gain of what stands first."""
    return returned[0] if returned else 0
'''
POINTS = """[assay.work]
ticks = kinds_of_somebody:Ticking
[assay.runs]
pages = kinds_of_somebody:PAGES
[assay.measures]
first-gain = kinds_of_somebody:first
"""
TICKED = DESIGN.replace("\n[scores]", '\n[[stages]]\nkey = "ticked"\nwork = "ticks"\nleast = 0.25\n\n[scores]')
LINE = TICKED.splitlines().index("least = 0.25") + 1


def _begin_anew() -> None:
    for cached in (installed_works, installed_forms, installed_measures, described_works, design_model):
        cached.cache_clear()


@pytest.fixture
def _installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    about = tmp_path / "kinds_of_somebody-1.0.dist-info"
    about.mkdir()
    (tmp_path / "kinds_of_somebody.py").write_text(MODULE)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: kinds_of_somebody\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(POINTS)
    monkeypatch.syspath_prepend(tmp_path)
    _begin_anew()
    yield
    sys.modules.pop("kinds_of_somebody", None)
    monkeypatch.undo()
    _begin_anew()


def faults(text: str) -> list[tuple[int, str, str]]:
    return [(each.line, each.member, each.message) for each in check_design(text)[1]]


def test_without_the_package_nothing_is_known_of_it() -> None:
    (fault,) = faults(TICKED)
    assert fault[1:] == ("stages.ticked.work", 'work is one of grade, nuggets, matches or pairs, not "ticks".')


@pytest.mark.usefixtures("_installed")
def test_a_kind_of_work_is_said_by_the_options_of_its_record() -> None:
    assert faults(TICKED) == []
    graded, ticked = track_of_text(TICKED).tasks[0].stages
    assert (graded.work.key, ticked.work) == ("grade", installed_works()["ticks"](least=0.25))
    assert (ticked.item_kind, ticked.noun) == ("document", "document")
    schema = schema_of_designs()
    table = schema["$defs"]["TickingStage"]
    assert table["properties"]["least"]["description"] == "The share that has to be ticked."
    assert (table["description"], "hidden" in table["properties"]) == ("Items that are ticked, or not.", False)
    said = {"design": 1, "key": "a", "title": "A", "stages": [{"key": "b", "work": "ticks", "least": 0.5}]}
    jsonschema.validate(said, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**said, "stages": [{"key": "b", "work": "ticks", "least": 2}]}, schema)
    assert [part.heading for part in parts_of_text(TICKED) if "ticked" in part.heading]


@pytest.mark.usefixtures("_installed")
@pytest.mark.parametrize(
    ("before", "after", "member", "words"),
    [
        ("least = 0.25", "least = 2", "least", "least is at most 1, not 2."),
        ("least = 0.25", 'least = "much"', "least", 'least is a number, not "much".'),
        ("least = 0.25", "lest = 0.25", "lest", "“lest” is no member of the stage ticked. Did you mean least?"),
        ("least = 0.25", 'hidden = "a"', "hidden", "“hidden” is no member of the stage ticked."),
        ("least = 0.25", 'item = "sentence"', "item", "There is no item “sentence” in runs of the form ranked."),
        ("least = 0.25", "repeats = { share = 0.1 }", "repeats", "Not yet known: repeats of a stage of ticks."),
        ('work = "ticks"', 'work = "tick"', "work", "Did you mean ticks?"),
    ],
)
def test_what_is_wrong_of_a_kind_of_work_has_its_line(before: str, after: str, member: str, words: str) -> None:
    ((line, where, message),) = faults(TICKED.replace(before, after))
    assert (line, where) == (LINE - (member == "work"), f"stages.ticked.{member}")
    assert words in message


@pytest.mark.usefixtures("_installed")
def test_a_track_with_that_work_is_shown_as_a_design() -> None:
    (task,) = ADHOC.tasks
    ticked = Stage(
        key="ticked", label="Tick", help="Tick.", item_kind="document", work=installed_works()["ticks"](least=0.75)
    )
    shown = shown_track(replace(ADHOC, design="", tasks=(replace(task, stages=(*task.stages, ticked)),)))
    assert 'key = "ticked"\nwork = "ticks"\nlabel = "Tick"\nhelp = "Tick."\nleast = 0.75\n' in shown.text
    assert track_of_text(shown.text).tasks[0].stages[1].work == ticked.work


@pytest.mark.usefixtures("_installed")
def test_an_option_by_which_records_have_their_meaning_stays_once_there_are_some() -> None:
    (change,) = changes_between(TICKED, TICKED.replace("least = 0.25", "least = 0.75")).changes
    assert change.stands_on is not None and change.stands_on.stage == "ticked"
    (change,) = changes_between(TICKED, TICKED.replace("least = 0.25", 'least = 0.25\nsign = "o"')).changes
    assert change.stands_on is None


@pytest.mark.usefixtures("_installed")
def test_a_form_of_runs_and_a_measure_are_said_by_their_records() -> None:
    text = DESIGN.replace("[pool]\ndepth = 20\n", "").replace('form = "ranked"\nlimit = 1000', 'form = "pages"')
    text = text[: text.index("measures = ")] + 'measures = ["first-gain"]\n'
    assert faults(text) == []
    track = track_of_text(text)
    assert (track.settings().string_limit, track.tasks[0].stages[0].item_kind) == (10, "string")
    assert [column.key for column in track.scoring.measures] == ["first-gain"]
    assert shown_track(track).text == text
    wrong = text.replace('form = "pages"', 'form = "pages"\nlimit = "many"')
    assert [each[1:] for each in faults(wrong)] == [("runs.limit", 'limit is a whole number, not "many".')]
    assert "or pages, not" in faults(text.replace('"pages"', '"page"'))[0][2]
    sentences = faults(text.replace("people = 2", 'people = 2\nitem = "sentence"'))
    assert sentences[0][2].startswith("There is no item “sentence” in runs of the form pages.")
    measure = faults(text.replace('["first-gain"]', '["first-gains"]'))
    assert measure[0][1] == "scores.measures.1" and "did you mean first-gain?" in measure[0][2]
    schema = schema_of_designs()
    assert schema["$defs"]["Pages"]["properties"]["form"]["const"] == "pages"
    said = {"design": 1, "key": "a", "title": "A", "stages": [{"key": "b", "work": "ticks"}]}
    jsonschema.validate({**said, "runs": {"form": "pages", "limit": 5}}, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**said, "runs": {"form": "pages", "limit": "many"}}, schema)


@pytest.mark.django_db
@pytest.mark.usefixtures("_installed")
def test_a_site_without_its_bench_refuses_a_kind_of_work_with_its_line(
    client: Client, settings: Any, tmp_path: Path
) -> None:
    settings.DATA_DIR = tmp_path / "data"
    maker = User.objects.create_superuser("maker")
    client.force_login(maker)
    words = 'This site has no bench for work = "ticks"'
    with pytest.raises(Invalid, match=f"^line {LINE - 1}: stages.ticked.work: {words}"):
        create_campaign(actor=maker, slug="mine", title="Mine", design=TICKED)
    page = page_of(client.post(reverse("design-new"), {"design": TICKED, "do": "check"}))
    assert "This site has no bench for work" in page and f"line {LINE - 1}" in page
    campaign = create_campaign(actor=maker, slug="mine", title="Mine", design=DESIGN)
    with pytest.raises(Invalid, match=words):
        change_design(actor=maker, campaign=campaign, text=TICKED)
    # An installed evaluation of such work, and a campaign that was made while the site had its bench.
    (task,) = ADHOC.tasks
    ticked = Stage(key="ticked", label="Tick", help="", item_kind="document", work=installed_works()["ticks"]())
    settings.ASSAY_TRACKS = f"{__name__}.TICKING"
    TICKING[:] = [replace(ADHOC, key="ticking", tasks=(replace(task, stages=(ticked,)),))]
    with pytest.raises(Invalid, match="This site has no bench for the work “ticks”"):
        create_campaign(actor=maker, slug="other", title="Other", track="ticking")
    assert known_track(Campaign(slug="old", track="ticking")) is None


TICKING: list[Track] = []
