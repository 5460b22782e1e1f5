"""What runs rank, and how long their strings are: read once from their files and kept by topic, so that a topic is
scored again without the others.

`DATA_DIR/rankings/<version of the code>/<sha256 of the run's file>-<what it is read by>-<kind of items, or "lengths">`.
Such a file may go at any time: then the run is read again. Those of an older version go when the first of a newer one
is kept. Campaigns that read a file by the same code, track and design share it; nothing else changes what it says.
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
    """The content of one run, with stored rankings and lengths; ``sha256`` is that of its file.

    ``read_by`` says what reads the campaign's files (`assess.campaigns.queries.read_by`).
    """

    sha256: str
    read_by: tuple[str, str, str]

    def rankings(self, kind: str) -> Rankings:
        """The same as topic -> docno -> score, read from the run's file the first time alone.

        What is read under the campaign's topics or settings, and not by columns alone, is read anew each time.
        """
        ranking = self.submission.ranking(kind)
        is_kept = ranking is not None and ranking.blocks is not None
        return self._read_once(kind, partial(RunContent.rankings, self, kind), is_kept=is_kept)

    def lengths(self) -> Lengths:
        """The same as topic -> item key -> characters, read from the run's file the first time alone.

        Where the campaign's settings give items keys of their own, it is read anew each time.
        """
        is_kept = self.submission.lengths is not None and not self._has_own()
        return self._read_once("lengths", partial(RunContent.lengths, self), is_kept=is_kept)

    def _read_once(self, kind: str, read: Callable[[], Rankings], *, is_kept: bool) -> Rankings:
        if not is_kept or not stored_path(self.sha256).is_file():
            return read()
        path = self._path(kind)
        try:
            return PackedRankings.read(path)
        except (OSError, ValueError):  # not there, or damaged
            packed = PackedRankings.of(read())  # a fifth of the memory, and what all others read
            _keep(path, packed)
            return packed

    def _path(self, kind: str) -> Path:
        """Where the rankings of a kind of items are kept."""
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
