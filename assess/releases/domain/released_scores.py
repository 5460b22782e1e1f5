"""The scores of a release, computed from its other files as `verify` computes them."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, groupby
from typing import Any

from django.utils.translation import gettext_noop as noop

from assess.base.errors import Conflict
from assess.base.sentences import Sentence
from assess.campaigns.queries import registered_tracks, track_of
from assess.jobs.progress import JobProgress, ReportProgress
from assess.judging.snapshots import Snapshot
from assess.protocol import Submission
from assess.releases.domain.renamed_runs import by_name
from assess.releases.domain.written_folder import Folder
from assess.runs.queries import RunNames, accepted_runs
from assess.scores.domain import forget_gold, score_campaign
from assess.scores.states import CampaignScores, kept_scores, scoring_state
from scoring.commands.verify import SCORER, scorer_named
from scoring.records import Score
from scoring.release.release_tables import mean_lines, means_of, score_lines
from scoring.release.releases import MEANS, SCORES, Entry, Release

logger = logging.getLogger(__name__)


def is_released(submission: Submission | None, *, with_runs: bool) -> bool:
    """Return whether the files of runs of this kind are part of the release."""
    return submission is not None and (submission.rename is not None or with_runs)


def scores_of_site(snapshot: Snapshot, *, with_runs: bool, progress: ReportProgress) -> CampaignScores | None:
    """Return the site's own scores for a release, or None if its scores are to be computed from its files alone.

    The site's scores are returned if they are stored already. They are also returned, computed if need be, if the files
    do not suffice: only the site knows which runs exist in judgments alone, and has the runs whose files are left out.
    Raises `Conflict` if a run could not be scored.
    """
    track = track_of(snapshot.campaign)
    is_told = track.scoring.runs is None and all(
        is_released(track.submission(run.submission), with_runs=with_runs) for run in accepted_runs(snapshot.campaign)
    )
    scores = kept_scores(scoring_state(snapshot)) if is_told else score_campaign(snapshot, progress=progress)
    forget_gold()  # it is built again from the files
    failed = [issue.message for issue in scores.issues if issue.code == "score-failed"] if scores is not None else []
    if failed:
        raise Conflict(Sentence("A release needs the scores of every run. %(faults)s", faults=" ".join(failed)))
    return scores


def write_scores(folder: Folder, manifest: Mapping[str, Any], of_site: CampaignScores | None, names: RunNames) -> None:
    """Write the scores that follow from the other files of the release, as `verify` computes them.

    For runs whose files are left out, write the site's scores. Refused: scores that differ from the site's, if
    ``of_site`` has any.
    """
    means: dict[str, list[Score]] = {}

    def written(run: str, own: Sequence[Score]) -> dict[str, Any]:
        means[run], name = means_of(own), f"{SCORES}/{run}.tsv"
        folder.lines(name, score_lines(own))
        return folder.files[name]

    before: dict[str, dict[str, Any]] = {}
    for tag, found in groupby(of_site.scores if of_site is not None else (), key=lambda score: score.run):
        run = names.runs[tag]
        before[run] = written(run, [replace(score, run=run) for score in found])
    for done, (run, own) in enumerate(_scored(folder, manifest)):
        folder.progress(
            JobProgress(
                done=done, total=len(manifest["scored"]), unit="runs", note=noop("scoring %(run)s"), values={"run": run}
            )
        )
        entry = written(run, own)
        if of_site is not None and before.get(run) != (entry if own else None):
            raise Conflict(
                Sentence(
                    "The scores of %(run)s that follow from the files of the release are not those of the site, so no "
                    "release was made. Whoever runs the site should report it.",
                    run=run,
                )
            )
    folder.lines(MEANS, mean_lines(chain.from_iterable(means[run] for run in sorted(means, key=by_name))))


def _scored(folder: Folder, manifest: Mapping[str, Any]) -> Iterator[tuple[str, Sequence[Score]]]:
    """Yield the name and the scores of each run, computed from the files that are written. Refused: a run whose scoring
    breaks off.
    """
    files = {name: Entry(**entry) for name, entry in folder.files.items()}
    release = Release(folder=folder.place, manifest=manifest, files=files, sha256="")
    try:
        yield from scorer_named(SCORER)(release, tracks=tuple(registered_tracks().values()))
    except Exception as error:
        logger.exception("scoring the release of campaign %s failed", manifest["campaign"]["slug"])
        raise Conflict(
            Sentence(
                "A release needs the scores of every run, and the track's scoring broke off (%(error)s). Whoever runs "
                "the site finds more in its log.",
                error=f"{type(error).__name__}: {error}",
            )
        ) from error
