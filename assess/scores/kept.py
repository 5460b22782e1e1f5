"""Scores that were computed, one file for each state of a campaign: all processes have it, and so does a restart.

`DATA_DIR/scores/<campaign>/<what scores depend on>-<ledger point>.npz`: the columns of the scores, and beside them as
JSON the runs, the issues and the time. Nothing else remembers scores. Such a file may go at any time: then they are
computed again, so backups leave it out.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

from assess.base.process import code_version
from assess.jobs.kept_files import keep_file, kept_folder, open_kept
from assess.jobs.workers import holding
from assess.judging.figures import RunKey
from scoring.records import Issue
from scoring.release.score_columns import ScoreColumns, from_arrays

if TYPE_CHECKING:
    from scoring.release.score_columns import Numbers

logger = logging.getLogger(__name__)

MOST = 24
"""Files of a campaign; of more those go that nobody has looked at for longest."""
ABOUT = "about"
EXACT = ("numerator", "denominator")
Arrays = Mapping[str, "Numbers"]
"""Columns of numbers by name."""


@dataclass(frozen=True, kw_only=True, slots=True)
class KeptScores:
    """What was computed at a ledger point: of these runs and pooled items (`assess.judging.figures`), and of
    ``further`` runs that judgments alone score.

    ``exact`` are numerators and denominators of the values that are fractions, where scores are made of those of topics
    (`assess.protocol.ByTopic`), and 0 / 0 of others. ``row`` tells the ledger row with that number from any other
    (`assess.campaigns.queries.row_at`).
    """

    point: int
    row: str
    at: datetime
    runs: tuple[RunKey, ...]
    pooled: int
    further: tuple[str, ...]
    issues: tuple[Issue, ...]
    columns: ScoreColumns
    exact: Arrays = field(default_factory=dict)


def kept_points(campaign: int, key: str) -> list[int]:
    """The ledger points whose scores are kept under a key, in order."""
    return sorted(int(path.stem.rpartition("-")[2]) for path in _folder(campaign).glob(f"{key}-*.npz"))


def read_kept(campaign: int, key: str, point: int) -> KeptScores | None:
    """Return the scores stored under a key at a ledger point; None where there are none or their file is damaged."""
    arrays = read_arrays(campaign, f"{key}-{point}")
    if arrays is None:
        return None
    about = from_bytes(arrays[ABOUT])
    return KeptScores(
        point=point,
        row=about["row"],
        at=datetime.fromisoformat(about["at"]),
        runs=tuple((tag, kind, file, is_there) for tag, kind, file, is_there in about["runs"]),
        pooled=about["pooled"],
        further=tuple(about["further"]),
        issues=tuple(Issue(**each) for each in about["issues"]),
        columns=from_arrays(about["names"], arrays),
        exact={name: arrays[name] for name in EXACT if name in arrays},
    )


def keep_scores(campaign: int, key: str, kept: KeptScores) -> None:
    """Keep scores in a file; who reads at the same moment finds all of it or nothing."""
    about = {
        "row": kept.row,
        "at": kept.at.isoformat(),
        "runs": kept.runs,
        "pooled": kept.pooled,
        "further": kept.further,
        "issues": [asdict(each) for each in kept.issues],
        "names": kept.columns.names,
    }
    keep_arrays(campaign, f"{key}-{kept.point}", {ABOUT: as_bytes(about), **kept.columns.arrays(), **kept.exact})


def compute_once(campaign: int, told: object, compute: Callable[[], Arrays]) -> Arrays:
    """What follows from these JSON values and the code, computed once for as many as ask, and kept like scores."""
    key = hashlib.sha256(json.dumps((code_version(), told)).encode()).hexdigest()[:32]
    found = read_arrays(campaign, f"of-{key}")
    if found is None:
        with holding(f"of-scores-{campaign}-{key}", patience=inf):
            found = read_arrays(campaign, f"of-{key}")
            if found is None:
                found = compute()
                keep_arrays(campaign, f"of-{key}", found)
    return found


def json_once(campaign: int, told: object, compute: Callable[[], Any]) -> Any:
    """The same of a JSON value."""
    return from_bytes(compute_once(campaign, told, lambda: {ABOUT: as_bytes(compute())})[ABOUT])


def as_bytes(value: object) -> Numbers:
    """A JSON value as a column of numbers."""
    import numpy

    return numpy.frombuffer(json.dumps(value).encode(), dtype=numpy.uint8)


def from_bytes(column: Numbers) -> Any:
    """The JSON value of such a column."""
    return json.loads(column.tobytes())


def read_arrays(campaign: int, name: str) -> Arrays | None:
    """The columns kept under a name; None where nothing is, or where the file is damaged."""
    import numpy

    path = _folder(campaign) / f"{name}.npz"
    try:
        with open_kept(path) as kept, numpy.load(kept, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, BadZipFile) as error:
        logger.warning("%s can't be read, so it is computed again: %s", path, error)
        return None


def keep_arrays(campaign: int, name: str, arrays: Arrays) -> None:
    """Keep columns under a name; who reads at the same moment finds all of them or nothing."""
    import numpy

    path = _folder(campaign) / f"{name}.npz"
    keep_file(path, lambda file: numpy.savez(file, allow_pickle=False, **arrays), most=MOST)


def _folder(campaign: int) -> Path:
    return kept_folder("scores", campaign)
