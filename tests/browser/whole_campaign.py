"""A campaign as its organiser runs it by commands, with its assessors in the browser: from a folder to scores."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from assess.base.files import open_file
from assess.campaigns.queries import track_of
from assess.judging.snapshots import Snapshot
from assess.management import campaign_folder
from assess.models import Assignment, Campaign, Judgment, Run
from assess.organising.domain import change_state
from assess.people.domain.members import add_member
from assess.scores.domain import score_campaign
from tests import factories
from tracks.__main__ import main as tracks

ORGANISER = "olga"
in_test_all = pytest.mark.skipif("ASSAY_WHOLE_FOLDERS" not in os.environ, reason="`make test-all` plays it, too")
"""A play of an evaluation, or of a kind of track, that another play goes through in `make test`."""
LONG_TAG = 8
"""Shorter tags may stand in a text by chance."""


def part_of(folder: Path, place: Path, topics: set[str], *, within: tuple[str, ...] = ()) -> Path:
    """A copy of a folder, and of these within it, with what belongs to these topics, or dialogues, alone: a large one
    takes most of a minute to load whole, and shows nothing else in a browser. `make test-all` takes the whole.
    """
    if "ASSAY_WHOLE_FOLDERS" in os.environ:
        return folder
    made = place / folder.name
    folders = (folder, *(folder / each for each in within))
    for path in (each for found in folders for each in found.iterdir() if each.is_file()):
        text = path.read_text("utf-8")
        if path.suffix == ".json":
            part = json.dumps(_of_topics(json.loads(text), topics))
        elif path.suffix == ".csv":
            part = _rows_of(text, topics)
        else:
            lines = text.splitlines(keepends=True)
            part = "".join(line for line in lines if _is_of(_topic_of_line(path.name, line), topics))
        if part:
            kept = made / path.relative_to(folder)
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_text(part, encoding="utf-8")
    return made


def _rows_of(text: str, topics: set[str]) -> str:
    """The headings, and the rows of these topics."""
    headings, *rows = csv.reader(StringIO(text))
    made = StringIO()
    csv.writer(made).writerows([headings, *(row for row in rows if row[0] in topics)])
    return made.getvalue()


def _is_of(topic: str, topics: set[str]) -> bool:
    """Whether it is one of these, or a turn ("4_7") of one of these dialogues; "" is of all."""
    return not topic or topic in topics or topic.rpartition("_")[0] in topics


def _topic_of_line(name: str, line: str) -> str:
    if name.endswith(".jsonl"):
        return str(json.loads(line).get("qid", ""))
    return line.split("_")[1] if name == "human-study-matching-labels.txt" else line.split()[0]


def _of_topics(found: Any, topics: set[str]) -> Any:
    if isinstance(found, list):
        return [each for each in found if str(each["number"] if "number" in each else each["id"]) in topics]
    return {turn: said for turn, said in found.items() if _is_of(turn, topics)}


Values = dict[tuple[str, str, str], float | None]


def printed(program: Callable[[Sequence[str]], int], *words: str) -> str:
    """What a program that knows no site prints. It runs here: to start a process that loads it takes over a second."""
    out, problems = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(problems):
        status = program(words)
    assert status == 0, problems.getvalue()
    return out.getvalue()


@dataclass
class WholeCampaign:
    """Everything here is done by commands, but for what people do on pages."""

    site: LiveServer
    sign_in: Callable[[User], Page]
    slug: str = ""
    folder: Path = Path()
    people: dict[str, User] = field(default_factory=dict)

    def call(self, *command: str) -> str:
        """Run a command; what it printed, which pytest shows of a test that fails, too."""
        out = StringIO()
        try:
            call_command(*command, stdout=out, stderr=out)
        finally:
            print(*command, out.getvalue(), sep="\n")
        return out.getvalue()

    def load(self, track: str, folder: Path, *options: str, slug: str = "real", people: tuple[str, ...] = ()) -> str:
        """Load a folder with the one command; what it printed. The campaign is then being judged."""
        organiser = factories.user(ORGANISER)
        for name in people:
            self.people[name] = factories.user(name)
        self.slug, self.folder = slug, folder
        done = self.call(
            "load_campaign", str(folder), "--track", track, "--slug", slug, "--organiser", ORGANISER, *options
        )
        if self.campaign.state == Campaign.State.SETUP:
            change_state(actor=organiser, campaign=self.campaign, state=Campaign.State.JUDGING)
        seated = set(self.campaign.memberships.values_list("user__username", flat=True))
        for name, person in self.people.items():
            if name not in seated:
                add_member(actor=organiser, campaign=self.campaign, user=person, role="assessor")
        return done

    @property
    def campaign(self) -> Campaign:
        return Campaign.objects.get(slug=self.slug)

    def submit(self, *paths: Path) -> None:
        """Submit further runs, each its own team's, and pool again."""
        for path in paths:
            self.call("submit_run", self.slug, str(path), "--as", ORGANISER, "--published")
        self.call("build_pool", self.slug)

    def hand_out(self, topic: str, stage: str, person: str) -> None:
        self.call("assign", self.slug, "--topic", topic, "--stage", stage, "--assessor", person)

    def open(self, topic: str, stage: str, person: str) -> Page:
        """The bench of an assignment, as the person who has it sees it. It names no run."""
        page = self.sign_in(self.people[person])
        work = Assignment.objects.get(
            campaign=self.campaign, topic__number=topic, stage=stage, assessor=self.people[person]
        )
        page.goto(f"{self.site.url}/c/{self.slug}/work/{work.pk}/")
        expect(page.locator(".workbench, .bench-bar, [data-work-list]").first).to_be_visible()
        content = page.content()
        tags = [run.tag for run in self.campaign.runs.all() if len(run.tag) >= LONG_TAG]
        assert [tag for tag in tags if tag in content] == []
        return page

    def require_every_stage(self, *, without: str = "") -> None:
        """Our people have done work of every stage, and said all by keys."""
        stages = {stage.key for task in track_of(self.campaign).tasks for stage in task.stages} - {without}
        done = Assignment.objects.filter(campaign=self.campaign, assessor__in=self.people.values(), state="done")
        assert set(done.values_list("stage", flat=True)) == stages
        ours = Judgment.objects.filter(assessor__in=self.people.values(), assignment__in=done)
        assert set(ours.values_list("how", flat=True)) <= {"key"}

    def require_equal_scores(self, place: Path, *options: str) -> Values:
        """The site's scores of all runs, after comparing them with those of the exported files and the run files."""
        found = score_campaign(Snapshot(self.campaign))
        assert [issue for issue in found.issues if issue.severity == "error"] == []
        site = {(score.run, score.topic, score.measure): score.value for score in found.scores}
        export, runs = place / "export", place / "sent"
        self.call("export", self.slug, str(export))
        runs.mkdir()
        accepted = self.campaign.runs.filter(state=Run.State.ACCEPTED)
        for run in accepted:
            with open_file(run.file) as stream:
                (runs / run.file_name).write_bytes(stream.read())
        topics = campaign_folder.topic_files(self.folder, track_of(self.campaign))
        words = ["--gold", str(export)] + [word for path in topics for word in ("--topics", str(path))]
        words += [word for path in sorted(runs.iterdir()) for word in ("--run", str(path))]
        rows = json.loads(printed(tracks, "score", self.campaign.track, "--format", "json", *options, *words))
        assert {(row["run"], row["topic"], row["measure"]): row["value"] for row in rows} == site
        assert {run for run, _, _ in site} == {run.tag for run in accepted} != set()
        return site
