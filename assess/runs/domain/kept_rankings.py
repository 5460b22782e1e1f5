"""Cache what runs rank and the lengths of their strings by topic, so that one topic can be scored without the others.

The files are `DATA_DIR/rankings/<version of the code>/<sha256 of the run's file>-<what reads it>-<kind of items, or
"lengths">`. They may be deleted at any time; then the run is read again. Files of older versions are deleted when the
first of a newer version is written. Campaigns that read a file with the same code, track and design share it, since
nothing else affects its content.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO, cast

from django.conf import settings

from assess.base.files import stored_path
from assess.protocol import Lengths, RunContent
from scoring.measures.ranked import Rankings
from scoring.reading.packed_rankings import PackedRankings


@dataclass(frozen=True, kw_only=True, slots=True)
class KeptContent(RunContent):
    """The content of one run, with cached rankings and lengths. ``sha256`` is that of its file.

    ``read_by`` identifies what reads the campaign's files (`assess.campaigns.queries.read_by`).
    """

    sha256: str
    read_by: tuple[str, str, str]

    def rankings(self, kind: str) -> Rankings:
        """Return the rankings as topic -> docno -> score. The run's file is read only the first time.

        A kind whose reading depends on the campaign's topics or settings, and not only on columns, is read each time.
        """
        ranking = self.submission.ranking(kind)
        is_kept = ranking is not None and ranking.blocks is not None
        return self._read_once(kind, partial(RunContent.rankings, self, kind), is_kept=is_kept)

    def lengths(self) -> Lengths:
        """Return the lengths as topic -> item key -> characters. The run's file is read only the first time.

        If the campaign's settings give items their own keys, it is read each time.
        """
        is_kept = self.submission.lengths is not None and not self._has_own()
        return self._read_once("lengths", partial(RunContent.lengths, self), is_kept=is_kept)

    def _read_once(self, kind: str, read: Callable[[], Rankings], *, is_kept: bool) -> Rankings:
        if not is_kept or not stored_path(self.sha256).is_file():
            return read()
        path = self._path(kind)
        try:
            return PackedRankings.read(path)
        except (OSError, ValueError):  # it is missing or damaged
            rankings = read()
            packed = rankings if isinstance(rankings, PackedRankings) else PackedRankings.of(rankings.items())
            _keep(path, packed)
            return packed

    def _path(self, kind: str) -> Path:
        """Return the path of the cached rankings of a kind of items."""
        code, *told = *self.read_by, self.submission.key
        key = hashlib.sha256(json.dumps(told).encode()).hexdigest()[:32]
        return Path(settings.DATA_DIR) / "rankings" / code / f"{self.sha256}-{key}-{kind}"


def _keep(path: Path, packed: PackedRankings) -> None:
    if not path.parent.is_dir():
        for older in path.parent.parent.glob("*"):
            shutil.rmtree(older, ignore_errors=True)
        path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix="incoming-", delete=False) as file:
        packed.write(cast(BinaryIO, file))
    Path(file.name).replace(path)
