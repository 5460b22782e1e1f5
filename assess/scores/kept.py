"""Scores that were computed, one file for each state of a campaign: all processes have it, and so does a restart.

`DATA_DIR/scores/<campaign>/<what scores depend on>-<ledger point>.npz`: the columns of the scores, and beside them as
JSON the runs, the issues and the time. Nothing else remembers scores. Such a file may go at any time: then they are
computed again, so backups leave it out.
"""

from __future__ import annotations

import json
import logging
import os
import tempfile
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from django.conf import settings

from scoring.records import Issue
from scoring.score_columns import ARRAYS, ScoreColumns, from_arrays

logger = logging.getLogger(__name__)

MOST = 24
"""Files of a campaign; of more those go that nobody has looked at for longest."""
ABOUT = "about"

RunKey = tuple[str, str, str, bool]
"""A run's tag, kind of file and sha256, and whether that file is there."""


@dataclass(frozen=True, kw_only=True, slots=True)
class KeptScores:
    """What was computed at a ledger point: of these runs, and of ``further`` ones that judgments alone score.

    ``row`` tells the ledger row with that number from any other (`assess.scores.changes.row_at`).
    """

    point: int
    row: str
    at: datetime
    runs: tuple[RunKey, ...]
    further: tuple[str, ...]
    issues: tuple[Issue, ...]
    columns: ScoreColumns


def kept_points(campaign: int, key: str) -> list[int]:
    """The ledger points whose scores are kept under a key, in order."""
    return sorted(int(path.stem.rpartition("-")[2]) for path in _folder(campaign).glob(f"{key}-*.npz"))


def read_kept(campaign: int, key: str, point: int) -> KeptScores | None:
    """What was kept under a key at a ledger point; None where nothing is, or where its file is damaged."""
    import numpy

    path = _path(campaign, key, point)
    try:
        os.utime(path)
        with numpy.load(path, allow_pickle=False) as file:
            about = json.loads(file[ABOUT].tobytes())
            columns = from_arrays(about["names"], {name: file[name] for name in ARRAYS})
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, BadZipFile) as error:
        logger.warning("%s can't be read, so the scores are computed again: %s", path, error)
        return None
    return KeptScores(
        point=point,
        row=about["row"],
        at=datetime.fromisoformat(about["at"]),
        runs=tuple((tag, kind, file, is_there) for tag, kind, file, is_there in about["runs"]),
        further=tuple(about["further"]),
        issues=tuple(Issue(**each) for each in about["issues"]),
        columns=columns,
    )


def keep_scores(campaign: int, key: str, kept: KeptScores) -> None:
    """Keep scores in a file; who reads at the same moment finds all of it or nothing."""
    import numpy

    about: dict[str, Any] = {
        "row": kept.row,
        "at": kept.at.isoformat(),
        "runs": kept.runs,
        "further": kept.further,
        "issues": [asdict(each) for each in kept.issues],
        "names": kept.columns.names,
    }
    told = numpy.frombuffer(json.dumps(about).encode(), dtype=numpy.uint8)
    path = _path(campaign, key, kept.point)
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix="incoming-", delete=False) as file:
        numpy.savez(file, allow_pickle=False, **{ABOUT: told, **kept.columns.arrays()})
    Path(file.name).replace(path)
    _drop_oldest(path.parent)


def _drop_oldest(folder: Path) -> None:
    used = sorted(folder.glob("*.npz"), key=_used_at)
    for path in used[:-MOST]:
        path.unlink(missing_ok=True)


def _used_at(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:  # another process dropped it
        return 0.0


def _path(campaign: int, key: str, point: int) -> Path:
    return _folder(campaign) / f"{key}-{point}.npz"


def _folder(campaign: int) -> Path:
    return Path(settings.DATA_DIR) / "scores" / str(campaign)
