"""What runs rank, read once from their files and kept by topic, so that a topic is scored again without the others.

`DATA_DIR/rankings/<version of the code>/<sha256 of the run's file>-<kind of file>-<kind of items>`. Such a file may go
at any time: then the run is read again. Those of an older version go when the first of a newer one is kept.
"""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from django.conf import settings

from assess.base.files import stored_path
from assess.base.process import code_version
from assess.protocol import RunContent
from scoring.measures.ranked import Rankings
from scoring.packed_rankings import PackedRankings


@dataclass(frozen=True, kw_only=True, slots=True)
class KeptContent(RunContent):
    """What one run returned, whose rankings are kept; ``sha256`` is that of its file."""

    sha256: str

    def rankings(self, kind: str) -> Rankings:
        """The same as topic -> docno -> score, read from the run's file the first time alone.

        What is read under the campaign's topics or settings, and not by columns alone, is read anew each time.
        """
        ranking = self.submission.ranking(kind)
        if ranking is None or ranking.blocks is None or not stored_path(self.sha256).is_file():
            return RunContent.rankings(self, kind)
        path = _folder() / f"{self.sha256}-{self.submission.key}-{kind}"
        try:
            return PackedRankings.read(path)
        except (OSError, ValueError):  # not there, or damaged
            packed = PackedRankings.of(RunContent.rankings(self, kind))
            _keep(path, packed)
            return packed


def _keep(path: Path, packed: PackedRankings) -> None:
    if not path.parent.is_dir():
        for older in path.parent.parent.glob("*"):
            shutil.rmtree(older, ignore_errors=True)
        path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix="incoming-", delete=False) as file:
        packed.write(cast(BinaryIO, file))
    Path(file.name).replace(path)


def _folder() -> Path:
    return Path(settings.DATA_DIR) / "rankings" / code_version()
