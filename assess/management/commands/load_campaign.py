"""Load a whole campaign from a folder, each step after the steps that it needs."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from django.contrib.auth.models import User
from django.core.management.base import CommandError, CommandParser
from django.db import transaction
from django.utils.text import slugify

from assess.base.errors import Conflict, Refused
from assess.base.file_issues import Collector
from assess.base.wording import counted, counted_issues
from assess.campaigns.domain import DESIGN_LIMIT, create_campaign
from assess.campaigns.models import Campaign
from assess.campaigns.queries import track_of, whole_campaigns
from assess.controls.plan import known_gold
from assess.documents.domain.lists import load_docnos, load_document_list
from assess.documents.domain.loading import load_documents
from assess.judging.queries.stage_items import graded_stages
from assess.machines.domain import import_machine_judge
from assess.management import campaign_folder
from assess.management.campaign_folder import PublishedJudgments
from assess.management.command import (
    DomainCommand,
    acting_organiser,
    add_acting_argument,
    key_value,
    opened,
    opened_run,
)
from assess.pools.domain.building import build_pool
from assess.pools.domain.wanted_documents import docnos_to_store, needs_no_documents
from assess.practice.queries import practised_here, practised_stages
from assess.protocol import RunForm
from assess.protocol.run_forms import FORMS, unused_forms
from assess.runs.domain.submitting import submit_run
from assess.runs.models import Run
from assess.runs.queries import accepted_runs
from assess.topics.domain.loading import load_topics
from assess.topics.queries import topic_docnos
from scoring.file_kinds.refusing import NotText, text_of
from scoring.reading.opening import split_issues


def design_text(path: Path) -> str:
    """Return the text of a design file. Raise Conflict if it is too large or not UTF-8, and what `opened` raises."""
    with opened(path) as file:
        content = file.read(DESIGN_LIMIT + 1)
    if len(content) > DESIGN_LIMIT:
        raise Conflict(f"{path} has more than {DESIGN_LIMIT:,} bytes: it is no design.")
    try:
        return text_of(content)
    except NotText as error:
        raise Conflict(f"{path} {error}") from error


UNREAD = 5
"""The most files that were passed over and are named."""


class Command(DomainCommand):
    """`manage.py load_campaign --track TRACK PATH`: load topics, docnos, lists, runs, documents and published
    judgments, and build the pools.
    """

    help = (
        "Loads a campaign from a folder: topic files, docnos.txt, lists/, runs/ with forms.json, documents/, and "
        "the files under which the track's evaluation was published. Makes the campaign if there is none of that "
        "name. Run again, it continues where it stopped and changes nothing twice."
    )
    example = "load_campaign --track tac2008-qa tests/data/tracks/tac2008-qa --slug opinions"

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments for the folder and for the campaign's short name."""
        parser.add_argument("path", metavar="PATH", type=Path, help="the folder")
        parser.add_argument("--track", required=True, help="the track's key, such as tac2008-qa, or a design (.toml)")
        parser.add_argument("--slug", default="", help="the campaign's short name (default: the folder's name)")
        parser.add_argument("--title", default="", help="its title (default: the track's name)")
        parser.add_argument(
            "--set",
            action="append",
            default=[],
            type=key_value,
            metavar="KEY=VALUE",
            help="a setting of the new campaign",
        )
        which = parser.add_mutually_exclusive_group()
        which.add_argument(
            "--all-documents",
            dest="wanted",
            action="store_const",
            const="all",
            default="named",
            help="also store documents that nobody names",
        )
        which.add_argument(
            "--ranked-documents",
            dest="wanted",
            action="store_const",
            const="ranked",
            help="also store what a later pool may need: all that runs rank, to the 1,000th place",
        )
        parser.add_argument(
            "--person",
            action="append",
            default=[],
            metavar="NAME=USER",
            help="the user behind a name in a file of judgments",
        )
        add_acting_argument(parser)

    def work(self, options: dict[str, Any]) -> None:
        """Do every step, and print what it did. Stop at a step that fails because of errors in a file. Raise
        CommandError at the end if runs were not accepted.
        """
        folder: Path = options["path"]
        if not folder.is_dir():
            raise CommandError(f"There is no folder {folder}.", returncode=2)
        slug = options["slug"] or slugify(folder.resolve().name)
        campaign = whole_campaigns().filter(slug=slug).first()
        actor = acting_organiser(campaign, options["organiser"])
        if campaign is None:
            title = options["title"] or slug.replace("-", " ").title()
            design = Path(options["track"]) if options["track"].endswith(".toml") else None
            by: dict[str, Any] = {"track": options["track"]}
            if design is not None:
                by = {"design": design_text(design), "folder": design.parent}
            with transaction.atomic():  # one whose topics can't be loaded is not made
                campaign = create_campaign(actor=actor, slug=slug, title=title, settings=dict(options["set"]), **by)
                said = self.load_topics(actor, campaign, folder)
            self.say(f"campaign: {slug} made, {actor} organises it")
        elif not options["track"].endswith(".toml") and campaign.track != options["track"]:
            raise Conflict(f"There is a campaign {slug} of the track {campaign.track}. Give another --slug.")
        else:
            self.say(f"campaign: {slug}")
            said = self.load_topics(actor, campaign, folder)
        for line in said:
            self.say(line)
        self.load_docnos(actor, campaign, folder)
        self.load_lists(actor, campaign, folder)
        if topic_docnos(campaign):  # before the runs, whose quotes are compared with them
            self.load_documents(actor, campaign, folder, "named")
        rejected = self.load_runs(actor, campaign, folder)
        rejected += self.load_bundles(actor, campaign, folder)
        published = PublishedJudgments(self, actor=actor, campaign=campaign, folder=folder)
        self.build_pools(actor, campaign)  # before the documents: ranked runs name theirs by being pooled
        self.load_documents(actor, campaign, folder, options["wanted"])
        published.replay(options["person"])
        self.load_machine_judges(actor, campaign, [folder, Path(options["track"]).parent])
        self.report_known_answers(campaign)
        if rejected:
            raise CommandError(f"Loaded, but runs were not accepted: {', '.join(rejected)}.", returncode=1)

    def load_topics(self, actor: User, campaign: Campaign, folder: Path) -> list[str]:
        """Load the topic files of the track, and return a line about each. Raise Conflict if there is no such file
        and the campaign has no topics.
        """
        said = []
        found = campaign_folder.topic_files(folder, track_of(campaign))
        if not found and not campaign.topics.exists():
            names = ", ".join(name for kind in track_of(campaign).topic_files for name in kind.file_names)
            raise Conflict(f"There is no topic file in {folder}. It should be called: {names}.")
        for path in found:
            with opened(path) as stream:
                loaded = load_topics(actor=actor, campaign=campaign, stream=stream, name=path.name)
            self.warn(loaded.report, name=path.name)
            counts = f"{loaded.added} added, {loaded.changed} changed, {loaded.unchanged} as before"
            said.append(f"topics: {path.name}: {counts}")
        return said

    def load_machine_judges(self, actor: User, campaign: Campaign, folders: list[Path]) -> None:
        """Import the judgments of the track's machine judges.

        Each judge's file is taken from the first of the folders that has one.
        """
        for kind in track_of(campaign).judgment_files:
            found = [path for each in folders for path in campaign_folder.matching_files(each, kind.file_names)]
            if not kind.of_machine or campaign.is_closed:
                continue
            if not found:
                self.stderr.write(f"{', '.join(kind.file_names)} is not here: add it under Machine judges.")
                continue
            done = import_machine_judge(
                actor=actor, campaign=campaign, name=kind.of_machine, paths=found[:1], in_setup=True
            )
            for issue in done.issues:
                self.stderr.write("\t".join([found[0].name, str(issue.where), issue.severity, issue.message]))
            self.say(
                f"machine judge: {kind.of_machine}: {counted(done.lines, 'answer')}, {counted(done.added, 'row')} added"
            )

    def report_known_answers(self, campaign: Campaign) -> None:
        """Print for how many items of the campaign the design has known answers."""
        for stage in practised_stages(campaign):
            here, practice = practised_here(campaign, stage), stage.checks.practice
            known = len(practice.answers) if practice is not None else 0
            self.say(f"practice: {stage.key}: {counted(here, 'item')} to practise on")
            if here < known:
                lines = counted(known, "answer")
                self.stderr.write(
                    f"{stage.key}: {lines} to practise on, of which {known - here} name no item that is here."
                )
        for stage in (stage for _, stage in graded_stages(campaign) if stage.checks.gold):
            here, known = sum(map(len, known_gold(campaign, stage).values())), len(stage.checks.gold)
            lines = f"{counted(known, 'line')} of known answers"
            self.say(f"control: {stage.key}: {counted(here, 'item')} by {lines}")
            if here < known:
                self.stderr.write(f"{stage.key}: {lines}, of which {known - here} name no item that is here.")

    def load_docnos(self, actor: User, campaign: Campaign, folder: Path) -> None:
        """Load the lists of valid docnos."""
        for path in campaign_folder.docno_files(folder):
            with opened(path) as stream:
                loaded = load_docnos(
                    actor=actor, campaign=campaign, stream=stream, name=path.name, progress=self.progress()
                )
            self.warn(loaded.report, name=path.name)
            self.say(f"docnos: {path.name}: {loaded.sentence()}")

    def load_lists(self, actor: User, campaign: Campaign, folder: Path) -> None:
        """Load the document lists."""
        for path in campaign_folder.list_files(folder):
            with opened(path) as stream:
                loaded = load_document_list(actor=actor, campaign=campaign, stream=stream, name=path.name)
            self.warn(loaded.report, name=path.name)
            self.say(f"lists: {path.name}: {counted(loaded.targets, 'target')} stored, {loaded.unchanged} as before")

    def load_runs(self, actor: User, campaign: Campaign, folder: Path) -> list[str]:
        """Submit every run. Return the names of the runs that were not accepted."""
        forms = campaign_folder.run_forms(folder)
        rejected = []
        for submission, path in campaign_folder.run_files(folder, track_of(campaign)):
            try:
                form = campaign_folder.form_for(path, forms, submission)
                with opened_run(str(path), submission) as file:
                    done = self.submit(actor, campaign, submission.key, form, file.stream, file.name)
            except Refused as refusal:
                self.stderr.write(campaign_folder.why_refused(path, forms, refusal))
                done = False
            rejected += [] if done else [path.name]
        if unused := unused_forms(forms, (folder / "runs").rglob("*")):
            self.stderr.write(f"runs/{FORMS}: {unused}")
        if unread := campaign_folder.unread_runs(folder, track_of(campaign)):
            names = ", ".join(str(path.relative_to(folder)) for path in unread[:UNREAD])
            more = f" and {len(unread) - UNREAD:,} more" if len(unread) > UNREAD else ""
            self.stderr.write(f"runs: {names}{more} not read. Move runs to the folder's runs/, without folders in it.")
        return rejected

    def load_bundles(self, actor: User, campaign: Campaign, folder: Path) -> list[str]:
        """Submit the runs that share files, except those submitted before. Return the names that were not accepted."""
        rejected = []
        for bundle in track_of(campaign).bundles:
            paths = campaign_folder.matching_files(folder, bundle.file_names)
            problems = Collector()
            present = set(accepted_runs(campaign).values_list("tag", flat=True))
            for run in split_issues(bundle.split(paths), problems) if paths else ():
                if run.form.tag in present:
                    continue
                try:
                    done = self.submit(actor, campaign, run.submission, run.form, BytesIO(run.content), run.file_name)
                except Refused as refusal:
                    self.stderr.write(f"{run.file_name}: {refusal.message}")
                    done = False
                rejected += [] if done else [run.file_name]
            self.warn(problems.refuse_errors(name=bundle.label), name=bundle.label)
        return rejected

    def submit(
        self, actor: User, campaign: Campaign, submission: str, form: RunForm, stream: BinaryIO, name: str
    ) -> bool:
        """Submit one run and print the result. Return whether it was accepted."""
        run = submit_run(
            actor=actor,
            campaign=campaign,
            submission=submission,
            form=form,
            file=stream,
            file_name=name,
            published=True,
            replace=True,  # the file in the folder is the intended one
        )
        for row in run.report:
            self.stderr.write("\t".join([name, *(str(row[key]) for key in ("where", "severity", "message"))]))
        self.say(f"runs: {name}: {run.get_state_display()}, {counted_issues(run)}")
        return run.state != Run.State.REJECTED

    def load_documents(self, actor: User, campaign: Campaign, folder: Path, wanted: str) -> None:
        """Load the documents that `docnos_to_store` finds for "named", "ranked" or "all".

        Only "all" loads any if no judged item of the track can name a document.
        """
        places = campaign_folder.document_places(folder, track_of(campaign))
        if not places:
            return
        if wanted != "all" and needs_no_documents(campaign):
            self.say("documents: passed over, since nothing that is judged names one")
            return
        loaded = load_documents(
            actor=actor,
            campaign=campaign,
            sources=places,
            wanted=docnos_to_store(campaign, wanted),
            may_be_records=True,
            progress=self.progress(),
        )
        self.warn(loaded.report)
        self.say(f"documents: {loaded.sentence()}")

    def build_pools(self, actor: User, campaign: Campaign) -> None:
        """Build a pool for each task, and print how large it is. A task whose pool is refused is passed over."""
        for task in track_of(campaign).tasks:
            try:
                pool = build_pool(actor=actor, campaign=campaign, task=task.key)
            except Conflict as refusal:
                self.say(f"pools: {task.label}: none. {refusal.message}")
            else:
                self.say(f"pools: {task.label}: {counted(pool.pool_items.count(), 'item')}")
