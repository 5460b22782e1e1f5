"""The track of a release: one of those that there are here, or the design that the release holds."""

from __future__ import annotations

from assess.protocol import Track
from scoring.releases import DESIGN, BadRelease, Release
from tracks.designs.reading import BadDesign, track_of_text


def track_of_release(release: Release, tracks: tuple[Track, ...]) -> Track:
    """The track by which a release was made. BadRelease where there is none such."""
    named = release.manifest["track"]
    if DESIGN in release.files:
        try:
            found = track_of_text(release.path(DESIGN).read_bytes().decode())
        except (BadDesign, UnicodeDecodeError, OSError) as error:
            raise BadRelease(f"{DESIGN}: {str(error).splitlines()[0]}") from error
        if found.key != named or any(each.key == named for each in tracks):
            raise BadRelease(f"{DESIGN} is the design “{found.key}”, and the manifest names “{named}”")
        return found
    known = next((each for each in tracks if each.key == named), None)
    if known is None:
        raise BadRelease(f"there is no track “{named}” here")
    return known
