"""The evaluations that Assay includes, each a package or a design (`adhoc.toml`). `TRACKS` is the only list of them.

Evaluations of other packages follow Assay's own (`tracks.installed`).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from assess.protocol import Track
from tracks.aquaint_definition import TRACK as AQUAINT_DEFINITION
from tracks.biogen2024 import TRACK as BIOGEN2024
from tracks.context25 import TRACK as CONTEXT25
from tracks.designs.reading import own_track
from tracks.ikat2023 import TRACK as IKAT2023
from tracks.installed import installed_tracks
from tracks.rag_nuggets import TRACK as RAG_NUGGETS
from tracks.tac2008_qa import TRACK as TAC2008_QA

if TYPE_CHECKING:
    from tracks.front import score as score

ADHOC = own_track(Path(__file__).with_name("adhoc.toml"))
OWN: tuple[Track, ...] = (TAC2008_QA, AQUAINT_DEFINITION, ADHOC, RAG_NUGGETS, IKAT2023, BIOGEN2024, CONTEXT25)
TRACKS: tuple[Track, ...] = (*OWN, *installed_tracks(OWN))


def find_track(key: str) -> Track | None:
    """Return the track with this key, or None.

    >>> find_track("no-such-track") is None
    True
    """
    return next((track for track in TRACKS if track.key == key), None)


def __getattr__(name: str) -> Any:
    """Return `score`, and raise AttributeError for any other name. `score` is loaded on first use, since callers that
    need only a track need none of its modules.
    """
    if name != "score":
        raise AttributeError(f"module 'tracks' has no attribute {name!r}")
    from tracks.front import score

    return score
