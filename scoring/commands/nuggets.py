"""The command `nuggets`: NR, NP and F of runs from nugget lists, matches and lengths."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from io import BufferedReader
from statistics import fmean
from typing import BinaryIO, TypeVar

from scoring.commands.command_line import (
    BadInput,
    Problems,
    WrongCall,
    print_scores,
    read_file,
    refuse_empty,
    standard_input_once,
)
from scoring.commands.rubric_verdicts import run_verdicts
from scoring.folding import count_characters
from scoring.formats.nugget_files import read_match_lines, read_nugget_lines, read_responses, read_vote_lines
from scoring.formats.nuggetizer import matches_of, nuggets_of, read_equal_lists, read_numbered_nuggetizer, response_of
from scoring.formats.pool_tables import topic_order
from scoring.formats.spec import short
from scoring.formats.value_tables import read_lengths
from scoring.measures.nuggets import Mark, importance_weights, nugget_score, part_counts, returned_nuggets, vote_weights
from scoring.measures.supported_nuggets import assignment_score
from scoring.reading.unpacking import damage_errors
from scoring.records import Issue, Nugget, NuggetizerLine, NuggetVote, ResponseItem, RunMatch, Score
from scoring.release.tables import with_means

# `nuggets --nuggetizer`: the four measures of nuggetizer's own `metrics`, from its assign file alone.
#
# strict_vital, strict_all, vital and all are V_strict, A_strict, V and A of `scoring/measures/supported_nuggets.py`,
# but 0 where those are undefined, as nuggetizer prints it. The mean is over the lines of a run: nuggetizer's own,
# if a file holds one run; nuggetizer itself mixes the runs of a file. For documents (lines without a run) it is
# over all of them.

MEASURES = {
    "strict_vital_score": "V_strict",
    "strict_all_score": "A_strict",
    "vital_score": "V",
    "all_score": "A",
}
DOCUMENTS = "-"
"""The name used for the run in the mean of lines that name documents and no run."""


def run_nuggetizer(options: argparse.Namespace, problems: Problems) -> int:
    """Print the scores of each line, sorted by run, and then those of "all". If the lines are about documents, the
    column of the run holds the docno. Raises WrongCall or BadInput.
    """
    others = ("nuggets", "matches", "votes", "lengths", "responses", "verdicts", "rubrics")
    if given := [name for name in others if getattr(options, name)] + ["pyramid"] * options.pyramid:
        raise WrongCall(f"--nuggetizer F says all that is needed: leave out --{given[0]}")
    runs: dict[str, list[NuggetizerLine]] = {}
    for line in read_file(options.nuggetizer, _read_assigned, problems):
        runs.setdefault(line.run or DOCUMENTS, []).append(line)
    if not runs:
        refuse_empty(options.nuggetizer, "line", problems)
    print_scores(options.format, [score for run, lines in runs.items() for score in _nuggetizer_scores(run, lines)])
    return 0


def _nuggetizer_scores(run: str, lines: list[NuggetizerLine]) -> Iterator[Score]:
    values: dict[str, list[float]] = {name: [] for name in MEASURES}
    for line in lines:
        found = assignment_score(line.nuggets)
        for name, ours in MEASURES.items():
            value = float(found.value(ours) or Fraction(0))
            values[name].append(value)
            yield Score(run=line.docno or run, topic=line.topic, measure=name, value=value)
    for name, each in values.items():
        yield Score(run=run, topic="all", measure=name, value=fmean(each), topics=len(each))


def _read_assigned(file: BinaryIO) -> Iterator[NuggetizerLine | Issue]:
    """Yield the lines of an assign file. A list without assignments is an issue, and so is a second line about the same
    answer.
    """
    seen: set[tuple[str, str, str]] = set()
    for each in read_numbered_nuggetizer(file):
        if isinstance(each, Issue):
            yield each
            continue
        number, line = each
        if not (line.run or line.docno) or any(not nugget.assignment for nugget in line.nuggets):
            message = "The line says of no run or document which nuggets it supports. Give nuggetizer's assign file."
            yield Issue(where=number, code="fields", message=message)
        elif (line.topic, line.run, line.docno) in seen:
            message = f"Topic {line.topic} has a second line for {line.run or line.docno}. Leave one of them out."
            yield Issue(where=number, code="duplicate", message=message)
        else:
            seen.add((line.topic, line.run, line.docno))
            yield line


# `nuggets`: scores from lists, matches and lengths of our own formats.

Record = TypeVar("Record")


@dataclass(kw_only=True)
class Campaign:
    """What the files contain: nuggets and votes by topic, and marks and lengths by topic and run."""

    nuggets: dict[str, list[Nugget]] = field(default_factory=dict)
    votes: dict[str, list[NuggetVote]] = field(default_factory=dict)
    marks: dict[tuple[str, str], list[Mark]] = field(default_factory=dict)
    lengths: dict[tuple[str, str], int] = field(default_factory=dict)

    def add(self, found: RunMatch | ResponseItem) -> None:
        """Add a nugget that was found, or a string of a response. The string's characters add to the length of the
        response.
        """
        key = found.topic, found.run
        if isinstance(found, RunMatch):
            self.marks.setdefault(key, []).append((found.number, found.part))
        else:
            self.lengths[key] = self.lengths.get(key, 0) + count_characters(found.text)

    def runs(self) -> list[str]:
        """Return every run that is named in any file, in sorted order."""
        return sorted({run for _, run in (*self.marks, *self.lengths)})


def run_nuggets(options: argparse.Namespace, problems: Problems) -> int:
    """Print the scores of each run: topics, then "all" (the mean over the topics where NR, NP and F are all
    defined). Raises WrongCall or BadInput.
    """
    if options.nuggetizer:
        return run_nuggetizer(options, problems)
    if options.verdicts or options.rubrics:
        if not options.verdicts:
            raise WrongCall("give what the reports say of the rubrics with --verdicts F")
        return run_verdicts(options, problems)
    if not (options.nuggets and options.matches):
        raise WrongCall("give --nuggets F and --matches F, or --nuggetizer F alone, or --verdicts F and --rubrics F")
    standard_input_once([options.nuggets, options.matches, options.votes, options.lengths, options.responses])
    campaign = _read(options, problems)
    scores = score_campaign(campaign, beta=options.beta, allowance=options.allowance, pyramid=options.pyramid)
    print_scores(options.format, scores)
    return 0


def score_campaign(campaign: Campaign, *, beta: float, allowance: int, pyramid: bool) -> list[Score]:
    """Return NR, NP and F of each run: topics, then "all", the mean over the topics where all three are defined."""
    scores = _scores(campaign, beta=beta, allowance=allowance, pyramid=pyramid)
    ordered: list[Score] = []
    for run in campaign.runs():
        own = [score for score in scores if score.run == run]
        undefined = {score.topic for score in own if score.value is None}
        means = with_means(score for score in own if score.topic not in undefined)
        ordered += own + [score for score in means if score.topic == "all"]
    return ordered


def _scores(campaign: Campaign, *, beta: float, allowance: int, pyramid: bool) -> list[Score]:
    """Return NR, NP and F of every run on every topic that has a list. A run without a response to the topic gets 0."""
    scores = []
    for topic in sorted(campaign.nuggets, key=topic_order):
        nuggets = campaign.nuggets[topic]
        votes = campaign.votes.get(topic, [])
        weights = vote_weights(nuggets, votes) if pyramid else importance_weights(nuggets)
        parts = part_counts(mark for (of, _), marks in campaign.marks.items() if of == topic for mark in marks)
        for run in campaign.runs():
            returned = returned_nuggets(campaign.marks.get((topic, run), []), parts)
            length = campaign.lengths.get((topic, run), 0)
            found = nugget_score(weights, returned, length, beta=beta, allowance=allowance)
            for measure, value in (("NR", found.recall), ("NP", found.precision), ("F", found.f)):
                defined = None if value is None else float(value)
                scores.append(Score(run=run, topic=topic, measure=measure, value=defined))
    return scores


def _read(options: argparse.Namespace, problems: Problems) -> Campaign:
    """Read all files of the call. Nuggets, votes, matches and lengths are read even if another of these files has
    errors, so that the errors of all are reported.
    """
    campaign = Campaign()
    bad: list[str] = []

    def each(path: str | None, read: Callable[[BinaryIO], Iterable[Record | Issue]]) -> Iterator[Record]:
        try:
            yield from read_file(path, read, problems) if path else ()
        except BadInput as error:
            bad.append(str(error))

    for nugget in each(options.nuggets, read_lists):
        campaign.nuggets.setdefault(nugget.topic, []).append(nugget)
    for vote in each(options.votes, read_vote_lines):
        campaign.votes.setdefault(vote.topic, []).append(vote)
    matches: Iterator[RunMatch | ResponseItem] = each(options.matches, partial(read_found, listed=campaign.nuggets))
    is_empty = True
    for found in matches:
        is_empty = False
        if isinstance(found, RunMatch) or not (options.lengths or options.responses):
            campaign.add(found)
    for length in each(options.lengths, read_lengths):
        campaign.lengths[length.topic, length.run] = length.characters
    for item in each(options.responses, read_responses):
        campaign.add(item)
    if bad:
        raise BadInput(", ".join(bad))
    if is_empty:
        refuse_empty(options.matches, "match or response", problems)
    _refuse_what_cannot_be_scored(campaign, options, problems)
    return campaign


def _refuse_what_cannot_be_scored(campaign: Campaign, options: argparse.Namespace, problems: Problems) -> None:
    if not campaign.nuggets:
        refuse_empty(options.nuggets, "nugget", problems)
    if campaign.marks and not campaign.lengths and (path := options.lengths or options.responses):
        refuse_empty(path, "response", problems)
    if campaign.marks and not campaign.lengths:
        raise WrongCall("lengths are missing: give --lengths F (topic run characters) or --responses F")
    require_known_nuggets(campaign)
    path = options.lengths or options.responses or options.matches
    if missing := sorted(campaign.marks.keys() - campaign.lengths.keys()):
        topic, run = missing[0]
        message = (
            f"There is no length of {run}'s response to {topic}, in which nuggets were found ({len(missing)} such)."
        )
        problems.add(path, Issue(where="", code="missing-length", message=f"{message} Add it."))
        raise BadInput(path)
    if campaign.nuggets.keys().isdisjoint(topic for topic, _ in (*campaign.marks, *campaign.lengths)):
        message = f"No topic of the responses has a nugget in {options.nuggets}. Check that the files belong together."
        problems.add(path, Issue(where="", code="no-common-topic", message=message))
        raise BadInput(path)


def read_lists(file: BinaryIO) -> Iterator[Nugget | Issue]:
    """Yield the nuggets of a file in columns or in nuggetizer's JSONL, and issues. In JSONL a topic's list is repeated
    for each run: a line with another list is an issue.
    """
    if not _is_json(file):
        yield from read_nugget_lines(file)
        return
    seen: set[str] = set()
    for each in read_equal_lists(file):
        if isinstance(each, Issue):
            yield each
        elif (line := each[1]).topic not in seen:
            seen.add(line.topic)
            yield from nuggets_of(line)


def read_found(
    file: BinaryIO, listed: Mapping[str, Sequence[Nugget]] | None = None
) -> Iterator[RunMatch | ResponseItem | Issue]:
    """Yield the matches in a file in columns or in nuggetizer's JSONL, and issues. Nuggetizer's lines also contain the
    responses, which are yielded too. As matches are by number, a line is an issue if its nuggets are not those of the
    topic's other lines, or have other texts than the nuggets of these numbers in ``listed``.
    """
    if not _is_json(file):
        yield from read_match_lines(file)
        return
    seen: set[tuple[str, str]] = set()
    for each in read_equal_lists(file):
        if isinstance(each, Issue):
            yield each
            continue
        number, line = each
        if not line.run:
            message = 'The line has no "run_id". Give nuggetizer\'s assign form.'
            yield Issue(where=number, code="fields", message=message)
        elif (line.topic, line.run) in seen:
            message = f"Topic {line.topic} has a second line for {line.run}. Leave one of them out."
            yield Issue(where=number, code="duplicate", message=message)
        elif strange := _not_listed(line, (listed or {}).get(line.topic, ())):
            yield Issue(where=number, code="other-list", message=strange)
        else:
            seen.add((line.topic, line.run))
            yield response_of(line)
            yield from matches_of(line)


def _not_listed(line: NuggetizerLine, listed: Iterable[Nugget]) -> str:
    """Return a sentence about the first nugget whose text is not that of the listed nugget of its number, or ""."""
    texts = {each.number: " ".join(each.text.split()) for each in listed}
    for own in nuggets_of(line):
        text = " ".join(own.text.split())
        if texts.get(own.number, text) != text:
            there = short(texts[own.number])
            message = f"Nugget {own.number} of topic {short(line.topic)} is {short(text)} here, and {there} in the list"
            return f"{message} of nuggets. Give the list that was searched for."
    return ""


def _is_json(file: BinaryIO) -> bool:
    try:
        start = file.peek(64) if isinstance(file, BufferedReader) else b""
        return start.lstrip(b"\xef\xbb\xbf\xff\xfe\0 \t\r\n").startswith(b"{")  # also after a mark, of UTF-16 too
    except damage_errors():
        return False  # the reader reports the damage


def require_known_nuggets(campaign: Campaign) -> None:
    """Refuse marks and votes for a nugget that is on no list, since the files do not belong together. Raises
    WrongCall.
    """
    known = {(topic, nugget.number) for topic, nuggets in campaign.nuggets.items() for nugget in nuggets}
    marked = [(topic, number) for (topic, _), marks in campaign.marks.items() for number, _ in marks]
    voted = [(topic, vote.number) for topic, votes in campaign.votes.items() for vote in votes]
    for name, pairs in (("matches", marked), ("votes", voted)):
        if strangers := sorted(set(pairs) - known):
            topic, number = strangers[0]
            message = f"--{name}: nugget {number} of topic {topic} is on no list ({len(strangers)} such)"
            raise WrongCall(f"{message}; do the files belong together?")
