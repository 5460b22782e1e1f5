"""Find the track of a release: one that is installed here, or the design in the release."""

from __future__ import annotations

from assess.protocol import Criterion, Track
from scoring.release.releases import DESIGN, DESIGNS, BadRelease, Release
from tracks.designs.reading import BadDesign, criteria_of_texts, track_of_text


def track_of_release(release: Release, tracks: tuple[Track, ...]) -> Track:
    """Return the track with which a release was made: the design in the release or, if it holds none, the one of
    ``tracks`` that the manifest names. Raises BadRelease if there is none, or if the design or its earlier versions
    have faults.
    """
    named = release.manifest["track"]
    if DESIGN in release.files:
        try:
            found = track_of_text(release.path(DESIGN).read_bytes().decode())
        except (BadDesign, UnicodeDecodeError, OSError) as error:
            raise BadRelease(f"{DESIGN}: {str(error).splitlines()[0]}") from error
        if found.key != named or any(each.key == named for each in tracks):
            raise BadRelease(f"{DESIGN} is the design “{found.key}”, and the manifest names “{named}”")
        if wrong := _unlike_versions(release):
            raise BadRelease(wrong)
        return found
    known = next((each for each in tracks if each.key == named), None)
    if known is None:
        raise BadRelease(f"there is no track “{named}” here")
    return known


def criteria_of_release(release: Release) -> dict[str, Criterion]:
    """Return the criteria of a release's design by key. Each accepts whatever any version of the design accepted.
    Return {} if the design has only one version.

    The release's track must have been found by `track_of_release`.
    """
    number = release.manifest.get("designs") or 0
    texts = [release.path(f"{DESIGNS}/{each + 1}.toml").read_bytes().decode() for each in range(number)]
    try:
        return criteria_of_texts(texts) if texts else {}
    except BadDesign as error:
        raise BadRelease(f"{DESIGNS}: {str(error).splitlines()[0]}") from error


def _unlike_versions(release: Release) -> str:
    """Return what is wrong with the versions of a design that was changed during the campaign, or "" if nothing is."""
    held = {name for name in release.files if name.startswith(f"{DESIGNS}/")}
    said = release.manifest.get("designs")
    if said is None and not held:
        return ""
    if not isinstance(said, int) or isinstance(said, bool) or said < 2 or said != len(held):
        return f"manifest.json: “designs” is not how many versions {DESIGNS}/ has, which are {len(held)}"
    names = [f"{DESIGNS}/{number + 1}.toml" for number in range(said)]
    if held != set(names):
        return f"the versions in {DESIGNS}/ are not numbered from 1"
    if release.path(names[-1]).read_bytes() != release.path(DESIGN).read_bytes():
        return f"{names[-1]}, the last version, is not {DESIGN}"
    for name in names[:-1]:
        try:
            track_of_text(release.path(name).read_bytes().decode())
        except (BadDesign, UnicodeDecodeError, OSError) as error:
            return f"{name}: {str(error).splitlines()[0]}"
    return ""
