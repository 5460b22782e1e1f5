"""Find the files of a campaign in a folder for `load_campaign`, and replay the published judgments among them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import islice
from pathlib import Path

from django.contrib.auth.models import User
from django.utils.text import slugify

from assess.base.errors import Conflict, Invalid, Refused
from assess.base.file_issues import Collector
from assess.base.wording import counted
from assess.campaigns.models import JUDGES, Campaign, Role
from assess.campaigns.queries import settings_of, track_of
from assess.management.command import DomainCommand, named_people
from assess.organising.domain import change_settings
from assess.people.domain.accounts import closed_account
from assess.people.domain.members import add_member
from assess.protocol import RunForm, Submission, Track
from assess.protocol.files import fitting_kinds
from assess.protocol.run_forms import FORM_KEYS, FORMS, BadForms, name_in, read_run_forms, stem_of
from assess.replay.given_items import add_given_items
from assess.replay.replaying import replay_published
from assess.replay.session import ReplayLine
from assess.runs.domain.checking import check_context
from assess.runs.domain.run_form import Incomplete
from scoring.file_kinds import recognise_path
from scoring.reading.opening import copied, open_input, split_issues
from scoring.reading.unpacking import damage_errors, is_leftover, named_so, plain_name
from scoring.records import Issue

# topics.xml, …         topic files, by the names in the track's records, else by their content
# docnos.txt[.gz]       valid docnos
# lists/*.txt[.gz]      document lists
# runs/good/*, runs/*   run files, and runs/forms.json: {run tag or file name: {team, priority, automatic, …}}
# documents/            collection files
#
# A track may look for its files under other names, too (`file_names`, `document_files`), take runs out of files that
# hold several (`bundles`), and read judgments that were published (`judgment_files`).


def topic_files(folder: Path, track: Track) -> list[Path]:
    """Return the topic files of the folder, in the order of the track's kinds of topic file.

    Each kind has at most one file: the first that matches one of its names. If no file has any of these names, return
    all files whose content can be read as topics and that have no other use.
    """
    found: dict[Path, None] = {}
    for kind in track.topic_files:
        matches = (path for pattern in kind.file_names for path in sorted(named_so(folder, pattern)) if path.is_file())
        found |= dict.fromkeys(islice(matches, 1))
    return list(found) or [path for path in _unnamed_files(folder, track) if _holds_topics(path, track)]


def _unnamed_files(folder: Path, track: Track) -> list[Path]:
    """Return the folder's files with a suffix of topic files, without those that have another use."""
    judgments = [pattern for kind in track.judgment_files for pattern in kind.file_names]
    patterns = ("docnos*", "judgments*", *track.document_files, *judgments)
    used = set(matching_files(folder, patterns))
    suffixes = {Path(name).suffix for kind in track.topic_files for name in kind.file_names}
    return [path for path in _visible(folder) if path not in used and _suffix(path) in suffixes - {""}]


def _suffix(path: Path) -> str:
    return Path(plain_name(path.name)).suffix


def _holds_topics(path: Path, track: Track) -> bool:
    """Return whether the file can be read as topics without any error."""
    with open_input(path) as stream:
        try:
            with copied(stream) as file:
                return bool(fitting_kinds(file, track.topic_files))
        except damage_errors():
            return False


def docno_files(folder: Path) -> list[Path]:
    """Return the folder's lists of valid docnos, by name."""
    return sorted(path for path in folder.glob("docnos*") if path.is_file())


def list_files(folder: Path) -> list[Path]:
    """Return the folder's document lists, by name."""
    return _visible(folder / "lists")


def run_files(folder: Path, track: Track) -> list[tuple[Submission, Path]]:
    """Return the folder's run files, each with its kind of submission.

    A kind may have several file name patterns: only the first pattern that finds any file is used.
    """
    found = []
    for submission in track.submissions:
        patterns = (matching_files(folder, (pattern,)) for pattern in submission.file_names)
        found += [(submission, path) for path in next((paths for paths in patterns if paths), [])]
    return found


def unread_runs(folder: Path, track: Track) -> list[Path]:
    """Return the files in runs/ and below that no pattern of the track finds. Those in runs/bad/, which have faults on
    purpose, are left out.
    """
    bundles = [path for bundle in track.bundles for path in matching_files(folder, bundle.file_names)]
    read = {path for _, path in run_files(folder, track)}.union(bundles)
    found = set(matching_files(folder, ("runs/**/*",))) - read
    return sorted(path for path in found if folder / "runs" / "bad" not in path.parents)


def matching_files(folder: Path, patterns: Iterable[str]) -> list[Path]:
    """Return the files that match any of the patterns, each once and sorted by path.

    Hidden files, what a system left there and `forms.json` are left out.
    """
    paths = {path for pattern in patterns for path in named_so(folder, pattern) if path.is_file()}
    return sorted(path for path in paths if not is_leftover(path) and path.name != FORMS)


def document_places(folder: Path, track: Track) -> list[Path]:
    """Return the files and folders that hold documents, sorted by path."""
    return sorted({path for pattern in track.document_files for path in named_so(folder, pattern)})


def run_forms(folder: Path) -> dict[str, RunForm]:
    """Return the entries of runs/forms.json by run; empty if there is no such file. Raise `Invalid` if it is
    malformed.
    """
    path = folder / "runs" / FORMS
    try:
        return read_run_forms(path)
    except BadForms as error:
        raise Invalid(f"{path}: {error}") from error


def form_for(path: Path, forms: dict[str, RunForm], submission: Submission) -> RunForm:
    """Return the submission form of a run file.

    It is the entry in runs/forms.json under the file's name, with or without its suffix. If there is none, the form is
    read from the run file itself, and the file's name without suffix stands for a missing tag or team. Raise `Invalid`
    if neither has a form.
    """
    form = forms.get(name_in(forms, path))
    if form is None and submission.form is not None:
        with open_input(path) as stream:
            form = submission.form(stream)
        if form is not None:  # a file that names neither is its own team's, under its own name
            form = replace(form, tag=form.tag or stem_of(path), team=form.team or stem_of(path))
    if form is None:
        kind = recognise_path(path)
        if kind.form in ("packed", "binary", "image", "empty"):
            raise Invalid(f"{path.name}: This is {kind.form_name}, not a run. Take it out, or unpack it first.")
        raise Invalid(
            f"{path.name}: Nothing names the run. Add “{stem_of(path)}” with its team and priority to runs/forms.json."
        )
    return form


def why_refused(path: Path, forms: dict[str, RunForm], refused: Refused) -> str:
    """Return why a run was refused: a line for each wrong value of its entry in runs/forms.json, or else, if its values
    are right or it has no entry, a line about the run file.
    """
    name = name_in(forms, path)
    if not name or not isinstance(refused, Incomplete):
        return f"{path.name}: {refused.message}"
    members = {key: key if key in FORM_KEYS else f"fields.{key}" if key else "fields" for key in refused.problems}
    return "\n".join(f"runs/forms.json: {name}: {members[key]}: {said}" for key, said in refused.problems.items())


def _visible(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if path.is_file() and not is_leftover(path))


# Judgments that an evaluation published, found in a campaign's folder and replayed.

NAMES_SHOWN = 5


class PublishedJudgments:
    """The published judgments of a campaign's folder: read, with their items added, when this is made; recorded by
    `replay`.
    """

    def __init__(self, command: DomainCommand, *, actor: User, campaign: Campaign, folder: Path) -> None:
        """Read all files of judgments, set what they say about the track's settings, and add their items. Raise
        `BadFile`, and store nothing, if any file has an error.
        """
        self.command, self.actor, self.campaign = command, actor, campaign
        self.lines: list[ReplayLine] = []
        self.settings: dict[str, object] = {}
        context = check_context(campaign)
        for kind in track_of(campaign).judgment_files:
            paths = matching_files(folder, kind.file_names)
            if not paths or kind.of_machine:
                continue
            problems = Collector()
            lines = [ReplayLine(*each) for each in split_issues(kind.read(paths, context), problems)]
            for path in paths:
                if path.stat().st_size == 0:
                    message = "The file is empty: it holds no judgments."
                    problems(Issue(where=path.name, code="empty-file", message=message, severity="warning"))
            command.warn(problems.refuse_errors(name=kind.label), name=kind.label)
            command.say(f"judgments: {kind.label}: {len(lines):,} read from {_named(paths)}")
            self.lines += lines
            self.settings |= kind.settings(paths) if kind.settings is not None else {}
        if not self.campaign.is_closed:
            self._set()
        if self.lines:
            added = add_given_items(campaign, self.lines)
            command.say(f"judgments: {counted(added, 'item')} added to those that runs brought")

    def _set(self) -> None:
        """Store the settings that the files contain. A setting that somebody has changed, or whose value is refused,
        stays, and the command says so.
        """
        own = track_of(self.campaign).settings().as_mapping()
        present = settings_of(self.campaign).as_mapping()
        for name, value in self.settings.items():
            if value == present[name]:
                continue
            if present[name] != own[name]:
                self.command.say(f"settings: {name} stays as it was set; the file has other text")
                continue
            try:
                change_settings(actor=self.actor, campaign=self.campaign, values={name: value})
                self.command.say(f"settings: {name} taken from the file")
            except Invalid as error:
                self.command.say(f"settings: {name} stays as it was: {error}")

    def replay(self, pairs: list[str]) -> None:
        """Replay the judgments, and print what was stored and under which accounts.

        Judgments of a name in ``pairs`` (NAME=USER) go to that user, who becomes an assessor if they do not judge here
        yet. All others go to accounts that nobody can log in to. Does nothing without judgments; otherwise raises
        `Conflict` if the campaign is frozen, and if somebody can log in to the account of such a name. Judging stays
        closed if it was.
        """
        if not self.lines:
            return
        if self.campaign.is_closed:
            raise Conflict("The campaign is frozen, so judgments can't be added. Load them before, or into another.")
        people = named_people(pairs)
        for person in people.values():
            if not self.campaign.memberships.filter(user=person, role__in=JUDGES).exists():
                add_member(actor=self.actor, campaign=self.campaign, user=person, role=Role.ASSESSOR)
        others = sorted({line.act.by for line in self.lines} - people.keys())
        for name in others:
            people[name] = self._person(name)
        done = replay_published(
            actor=self.actor, campaign=self.campaign, lines=self.lines, people=people, name="What was published"
        )
        self.command.say(f"judgments: {done.lines:,} replayed, {counted(done.added, 'row')} added")
        if others:
            shown = ", ".join(people[name].username for name in others[:NAMES_SHOWN])
            more = f" and {len(others) - NAMES_SHOWN:,} more" if len(others) > NAMES_SHOWN else ""
            kept = counted(len(others), "account")
            self.command.say(
                f"judgments: kept under {kept} that nobody can log in to, nor is given work: {shown}{more}"
            )
        if self.campaign.state == Campaign.State.SETUP:
            self.command.say("judging: still closed; when all is ready, open it by Change state on the Overview page")

    def _person(self, name: str) -> User:
        """Return the account that this person's judgments are stored under; make it if there is none. Raises `Conflict`
        if the account of that name is one that somebody can log in to.
        """
        username = f"{slugify(name) or 'somebody'}@{self.campaign.slug}"[:150]
        person = closed_account(username, first_name=name[:150])
        if person is None:
            raise Conflict(f"{username} is a person's account, so published judgments can't be stored under it.")
        add_member(actor=self.actor, campaign=self.campaign, user=person, role=Role.ASSESSOR)
        return person


def _named(paths: list[Path]) -> str:
    return paths[0].name if len(paths) == 1 else counted(len(paths), "file")
