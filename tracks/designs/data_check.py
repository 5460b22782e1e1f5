"""Check a design against a folder of data: look up each field, run, document and topic that it names."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

from assess.protocol import CheckContext, RunContent, Submission, TopicFile, TopicRecord, Track
from assess.protocol.designs import DesignFault
from assess.protocol.files import topic_kind
from assess.protocol.run_forms import FORMS, BadForms, read_run_forms, unused_forms
from scoring.collections.bundle import looks_like_bundle, read_bundle, unfit_bundle
from scoring.collections.guesses import plain_records
from scoring.collections.record_files import read_members
from scoring.file_kinds import recognise_path
from scoring.formats.answer_limits import own_limit
from scoring.formats.document_files import iter_document_files, read_documents, sniff_document_format
from scoring.formats.unfit_files import unfit_document_file
from scoring.reading.grouped_issues import IssueGroups, together
from scoring.reading.opening import CannotOpen, copied, open_input
from scoring.reading.unpacking import damage_errors, damage_issue, is_leftover, named_so
from scoring.records import DocumentRecord, Issue, has_errors
from tracks.designs.bases import read_whole
from tracks.designs.building import ALL_PARTS
from tracks.designs.places import Path as Place
from tracks.designs.places import Places, at
from tracks.designs.reading import track_of_text
from tracks.further_fields import further_of
from tracks.input_files import unknown_in_file

OF_TOPICS = ("title", "description", "narrative")
OF_DOCUMENTS = ("title", "date", "text", "url")
NAMED = 3
"""How many of the missing names a message lists."""


def data_faults(text: str, folder: Path, data: Path) -> Iterator[DesignFault]:
    """Yield a fault for each thing that a design names but that the data does not have. The design itself must have no
    faults.

    ``folder`` holds the design. ``data`` is laid out as `load_campaign` reads it: topic files, runs/, documents/,
    docnos. Each fault has the line of the member that names what is missing.
    """
    track = track_of_text(text, folder=folder)
    values, places = read_whole(text, folder)
    if not data.is_dir():
        yield DesignFault(line=1, member="", message=f"There is no folder {data}.")
        return
    lookup = _Lookup(track, values, places, data)
    yield from lookup.topics()
    if lookup.read:
        yield from lookup.runs()
        yield from lookup.suggestions()


class _Lookup:
    """Looks up what a design names in a folder of data. ``read`` holds the topics read so far."""

    def __init__(self, track: Track, values: Mapping[str, Any], places: Places, data: Path) -> None:
        self.track, self.values, self.places, self.data = track, values, places, data
        self.settings = track.settings()
        self.read: dict[str, TopicRecord] = {}

    def _fault(self, path: Place, message: str, *, is_warning: bool = False) -> DesignFault:
        member = ".".join(str(step + 1) if isinstance(step, int) else step for step in path)
        severity: Any = "warning" if is_warning else "error"
        return DesignFault(line=self.places.line(path), member=member, message=message, severity=severity)

    def _list_at(self, path: Place) -> list[Any]:
        """Return the list at this path of the design. A single value is returned as a list of one entry. Return [] if
        there is nothing at the path.
        """
        try:
            found = at(self.values, path)
        except (KeyError, IndexError, TypeError):
            return []
        return found if isinstance(found, list) else [found]

    # ------------------------------------------------------------ topics

    def topics(self) -> Iterator[DesignFault]:
        """Read the topics, and look up what the design names of them: fields, numbers, and topics with known
        answers.
        """
        kinds = self.track.topic_files
        files = [path for kind in kinds for name in kind.file_names for path in sorted(named_so(self.data, name))]
        files = files or [path for path in sorted(self.data.iterdir()) if _holds_topics(path)]
        if not files:
            names = ", ".join(name for kind in self.track.topic_files for name in kind.file_names)
            yield self._fault(("topics",), f"There is no topic file in {self.data}. It should be called: {names}.")
            return
        for path in dict.fromkeys(files):
            issues = IssueGroups()
            for found in _records(path, _topic_kind(path, kinds).read):
                if isinstance(found, TopicRecord):
                    self.read[found.number] = found
                elif found.severity == "error":
                    issues.add(found)
            for issue in issues.rows():
                for member in self._members_named(issue.message):
                    yield self._fault(member, _of_file(path, issue))
        fields = dict.fromkeys(chain(OF_TOPICS, *(self._fields(topic) for topic in self.read.values())))
        for place, name in enumerate(self._list_at(("topics", "shown"))):
            if name != ALL_PARTS and str(name).lower() not in {each.lower() for each in fields}:
                message = f"No topic has the field “{name}”.{_near(str(name), fields)}"
                yield self._fault(("topics", "shown", place), message)
        for place, number in enumerate(self._list_at(("topics", "judged"))):
            if number not in self.read:
                message = f"There is no topic {number} in {', '.join(path.name for path in dict.fromkeys(files))}."
                yield self._fault(("topics", "judged", place), f"{message}{_near(number, self.read)}")
        limited = [number for number, topic in self.read.items() if own_limit(further_of(topic))]
        if limited and self.values.get("runs", {}).get("form") == "answers":
            message = f"Topic {limited[0]} states a limit of its own, which no design looks at: answers are bounded by "
            yield self._fault(("runs",), f"{message}words alone. The track rag-nuggets keeps to it.", is_warning=True)
        yield from self._known()

    def _known(self) -> Iterator[DesignFault]:
        """Look up the topics that known answers and answers for practice name, by number or by text, and the rows of a
        table that they name.
        """
        topics = {name: topic for topic in self.read.values() for name in (topic.text, topic.number)}
        for place, stage in enumerate(stage for task in self.track.tasks for stage in task.stages):
            practised = stage.checks.practice.answers if stage.checks.practice is not None else ()
            for member, answers in (("control", stage.checks.gold), ("practice", practised)):
                for name in dict.fromkeys(each.topic for each in answers if each.topic not in topics):
                    message = f"An answer is known of the topic “{name}”, which is not here.{_near(name, topics)}"
                    yield self._fault(("stages", place, member), message)
                for each in answers:
                    items = topics[each.topic].fields.get("items") if each.topic in topics else None
                    count = sum(item[each.named_by] == each.item for item in items or ())
                    if items is not None and count != 1:
                        message = (
                            f"An answer is known of “{each.item[:60]}” in topic {each.topic}, the {each.named_by} of"
                        )
                        yield self._fault(("stages", place, member), f"{message} {count or 'no'} items: name one.")

    def _members_named(self, message: str) -> list[Place]:
        """Return the places of those members of [runs] whose values the message quotes. If it quotes none of them,
        return [topics], or [runs] if the design has no [topics].
        """
        quoted = re.findall("“([^”]+)”", message)
        found: list[Place] = []
        for name, value in self.values.get("runs", {}).items():
            if isinstance(value, list):
                found += [("runs", name, place) for place, each in enumerate(value) if each in quoted]
            elif value in quoted:
                found.append(("runs", name))
        return found or [("topics",) if "topics" in self.values else ("runs",)]

    def _fields(self, topic: TopicRecord) -> list[str]:
        return [name for name, _ in further_of(topic)] + [
            name for name, value in topic.fields.items() if isinstance(value, str)
        ]

    # ------------------------------------------------------------ runs and documents

    def runs(self) -> Iterator[DesignFault]:
        """Check each run as a site would, and look up the documents in it that are judged."""
        wanted: dict[str, str] = {}
        number = 0
        for submission in self.track.submissions:
            names = submission.file_names
            found = (sorted(path for path in named_so(self.data, name) if _is_run(path)) for name in names)
            for path in next((paths for paths in found if paths), []):
                number += 1
                yield from self._run(path, submission, wanted)
        yield from self._bundled()
        yield from self._forms()
        given = {docno: f"topic {topic}" for topic, docno in self._given()}
        if not number and not any(recipe.items for task in self.track.tasks for recipe in task.pooling):
            yield self._fault(("runs",), f"There is no run in {self.data / 'runs'}.", is_warning=True)
        yield from self._documents(given | wanted)

    def _bundled(self) -> Iterator[DesignFault]:
        """Yield the faults of files that hold several runs, or that say which system each row of a table is from."""
        for bundle in self.track.bundles:
            paths = sorted({path for name in bundle.file_names for path in named_so(self.data, name) if _is_run(path)})
            for found in bundle.split(paths) if paths else ():
                if isinstance(found, Issue) and found.severity == "error":
                    for member in self._members_named(found.message):
                        yield self._fault(member, f"{bundle.label}: {found.message}")

    def _forms(self) -> Iterator[DesignFault]:
        """Yield the faults of runs/forms.json: what a site would refuse, and entries that name no run file."""
        folder = self.data / "runs"
        try:
            forms = read_run_forms(folder / FORMS)
        except BadForms as error:
            yield self._fault(("runs",), f"runs/{FORMS}: {error}")
            return
        asked = {field.key for submission in self.track.submissions for field in submission.fields}
        has_priorities = any(submission.priorities for submission in self.track.submissions)
        for name, form in forms.items():
            if form.priority is not None and not has_priorities:
                message = f"runs/{FORMS}: {name}: priority: Runs of this kind have no priority. Leave it out."
                yield self._fault(("runs",), message)
            if unknown := sorted(form.fields.keys() - asked):
                message = f"There is no question {', '.join(unknown)} in the form."
                yield self._fault(("runs",), f"runs/{FORMS}: {name}: fields: {message}")
        if unused := unused_forms(forms, folder.rglob("*")):
            yield self._fault(("runs",), f"runs/{FORMS}: {unused}", is_warning=True)

    def _given(self) -> Iterator[tuple[str, str]]:
        """Yield the topic and the docno of each item that comes with its topic."""
        for make in (recipe.items for task in self.track.tasks for recipe in task.pooling if recipe.items is not None):
            for topic in self.read.values():
                yield from ((each.topic, each.docno) for each in make(topic, self.settings) if each.docno)

    def _run(self, path: Path, submission: Submission, wanted: dict[str, str]) -> Iterator[DesignFault]:
        docnos = next(iter(sorted(self.data.glob("docnos*"))), None)
        context = CheckContext(
            topics=tuple(self.read.values()),
            settings=self.settings,
            unknown_docnos=(lambda names: unknown_in_file(docnos, names)) if docnos is not None else None,
        )
        try:
            with open_input(path) as stream, copied(stream) as file:
                issues = together(submission.issues(file, context))
        except CannotOpen as error:
            issues = [Issue(where="", code="unreadable", message=str(error), severity="error")]
        except damage_errors() as error:
            issues = [damage_issue(error)]
        for issue in issues:
            if issue.severity == "error":
                yield self._fault(("runs",), f"runs/{_of_file(path, issue)}")
        if not has_errors(issues):
            content = RunContent(submission=submission, open=partial(open_input, path), context=context, run=path.name)
            for docno in self._pooled(content, submission):
                wanted.setdefault(docno, path.name)

    def suggestions(self) -> Iterator[DesignFault]:
        """Read the suggested answers that lie in the folder, as a site would."""
        context = CheckContext(topics=tuple(self.read.values()), settings=self.settings)
        for kind in (each for each in self.track.judgment_files if each.of_machine):
            for path in (path for name in kind.file_names if (path := self.data / name).is_file()):
                found = list(kind.read([path], context))
                if not found:
                    yield self._fault(("runs", "suggest"), f"{path.name} is empty: nothing is suggested.")
                for issue in found:
                    if isinstance(issue, Issue):
                        yield self._fault(
                            ("runs", "suggest"), _of_file(path, issue), is_warning=issue.severity != "error"
                        )

    def _pooled(self, content: RunContent, submission: Submission) -> Iterator[str]:
        depth = getattr(self.settings, "pool_depth", 0)
        for kind in submission.rankings:
            for ranking in content.rankings(kind.kind).values():
                yield from (str(docno) for docno in islice(ranking, depth))

    def _read_documents(self, path: Path) -> Iterator[Any]:
        """Return the documents of a file, which may be plain records. If it is a table of items, they may be in a
        column of its rows.
        """
        own = self.track.documents_in(path) if self.track.documents_in is not None else None
        if own is not None:
            return own
        records = plain_records(path) if self._misfit(path) is not None else None
        if records is not None:
            return read_members(path, records, name=path.name)
        if looks_like_bundle(path):
            return (found.record for found in read_bundle(path) if not isinstance(found, Issue))
        return read_documents(path, sniff_document_format(path))

    def _unfit(self, path: Path) -> Issue | None:
        """Return the reason why a file can't be a file of documents, or None. Tables of items are always accepted."""
        issue = self._misfit(path) if self.track.documents_in is None else None
        return issue if issue is not None and plain_records(path) is None else None

    def _misfit(self, path: Path) -> Issue | None:
        """Return the reason why a file is neither a bundle nor in one of the track's formats, or None."""
        if looks_like_bundle(path):
            return unfit_bundle(path)
        return unfit_document_file(path, self.track.document_formats)

    def _documents(self, wanted: Mapping[str, str]) -> Iterator[DesignFault]:
        places = sorted({path for pattern in self.track.document_files for path in named_so(self.data, pattern)})
        if not places:
            if wanted:
                names = ", ".join(self.track.document_files)
                message = f"There are no documents in {self.data}. Files or folders of them should be called: {names}."
                yield self._fault(("documents",), message, is_warning=True)
            return
        left, fields = dict(wanted), dict.fromkeys(OF_DOCUMENTS)
        for path in (each for place in places for each in iter_document_files(place)):
            if (issue := self._unfit(path)) is not None:
                inside = path.relative_to(self.data).parent.as_posix()
                prefix = "" if inside == "." else f"{inside}/"
                yield self._fault(("documents",), f"{prefix}{_of_file(path, issue)}")
                continue
            for record in self._read_documents(path):
                if isinstance(record, DocumentRecord):
                    left.pop(record.docno, None)
                    fields |= dict.fromkeys(name.lower() for name in record.fields)
        for place, name in enumerate(self._list_at(("documents", "shown"))):
            if str(name).lower() not in fields:
                message = f"No document has the field “{name}”.{_near(str(name), fields)}"
                yield self._fault(("documents", "shown", place), message)
        if left:
            named = ", ".join(f"{docno} ({run})" for docno, run in islice(left.items(), NAMED))
            more = f" and {len(left) - NAMED:,} more" if len(left) > NAMED else ""
            message = f"The data lacks documents that are to be judged: {named}{more}."
            where: Place = ("pool", "depth") if "pool" in self.values else ("documents",)
            yield self._fault(where, message, is_warning=len(left) < len(wanted))


def _topic_kind(path: Path, kinds: Sequence[TopicFile]) -> TopicFile:
    """Return the kind of a topic file by its content, as when it is loaded, or by its name if it can't be read."""
    try:
        with open_input(path) as stream, copied(stream) as file:
            return topic_kind(file, name=path.name, kinds=kinds)
    except CannotOpen:
        return topic_kind(None, name=path.name, kinds=kinds)
    except damage_errors():
        return topic_kind(None, name=path.name, kinds=kinds)


def _records(path: Path, read: Any) -> Iterator[Any]:
    try:
        with open_input(path) as file:
            yield from read(file)
    except CannotOpen as error:
        yield Issue(where="", code="unreadable", message=str(error), severity="error")
    except damage_errors() as error:
        yield damage_issue(error)


def _holds_topics(path: Path) -> bool:
    return path.is_file() and not path.name.startswith((".", "docnos")) and "topics" in recognise_path(path).kinds[:1]


def _is_run(path: Path) -> bool:
    return path.is_file() and not is_leftover(path) and path.name != FORMS


def _of_file(path: Path, issue: Issue) -> str:
    said = str(issue.where)
    where = f"line {said}: " if said.isdigit() else f"{said}: " if said else ""
    return f"{path.name}: {where}{issue.message}"


def _near(name: str, known: Collection[str]) -> str:
    near = get_close_matches(name, [str(each) for each in known], n=1)
    hint = f" Did you mean {near[0]}?" if near else ""
    listed: Sequence[str] = list(islice(known, 12))
    more = " …" if len(known) > len(listed) else ""
    return f"{hint} There are: {', '.join(listed)}{more}."
