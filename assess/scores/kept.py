"""Computed scores, in one file for each state of a campaign, so that every process has them, even after a restart.

`DATA_DIR/scores/<campaign>/<what scores depend on>-<ledger point>.npz` holds the columns of the scores and, as JSON,
the runs, the issues and the time. There is no other cache of scores. A file may be deleted at any time; then the scores
are computed again, so backups leave them out.
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
"""The most files of a campaign. If there are more, those unread for the longest time are deleted."""
ABOUT = "about"
EXACT = ("numerator", "denominator")
Arrays = Mapping[str, "Numbers"]
"""Columns of numbers by name."""


@dataclass(frozen=True, kw_only=True, slots=True)
class KeptScores:
    """Scores computed at a ledger point, of these runs and pooled items (`assess.judging.figures`).

    ``further`` are runs that exist in judgments alone. ``exact`` holds numerators and denominators of values that are
    fractions, if scores are computed by topic (`assess.protocol.ByTopic`), and 0 / 0 for others. ``row`` identifies the
    ledger row with the number of the point (`assess.campaigns.queries.row_at`).
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
    """Return the ledger points at which scores are stored under a key, in order."""
    return sorted(int(path.stem.rpartition("-")[2]) for path in _folder(campaign).glob(f"{key}-*.npz"))


def read_kept(campaign: int, key: str, point: int) -> KeptScores | None:
    """Return the scores stored under a key at a ledger point; None if there are none or their file is damaged."""
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
    """Store scores in a file. Somebody who reads at the same moment finds all of it or nothing."""
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
    """Return the result of ``compute``, which is called once for the JSON values ``told`` and this version of the code.

    The result is stored in a file for all callers. If another caller is computing it, wait for it.
    """
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
    """Return a JSON value, computed once and stored, as `compute_once` does for columns."""
    return from_bytes(compute_once(campaign, told, lambda: {ABOUT: as_bytes(compute())})[ABOUT])


def as_bytes(value: object) -> Numbers:
    """Return a JSON value as a column of numbers."""
    import numpy

    return numpy.frombuffer(json.dumps(value).encode(), dtype=numpy.uint8)


def from_bytes(column: Numbers) -> Any:
    """Return the JSON value of a column that `as_bytes` made."""
    return json.loads(column.tobytes())


def read_arrays(campaign: int, name: str) -> Arrays | None:
    """Return the columns stored under a name; None if there are none or the file is damaged."""
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
    """Store columns under a name. Somebody who reads at the same moment finds all of them or nothing."""
    import numpy

    path = _folder(campaign) / f"{name}.npz"
    keep_file(path, lambda file: numpy.savez(file, allow_pickle=False, **arrays), most=MOST)


def _folder(campaign: int) -> Path:
    return kept_folder("scores", campaign)
