"""Write what tests compare with, for all tracks or those named: `python -m tests.tracks.regenerate [KEY …]`.

Beside each broken file `<name>.issues.tsv` with the columns line, severity, code (the line is empty for the file as a
whole), and `expected/`: every export and the scores of the track's folder, loaded and judged as recorded in a database
of its own that is thrown away. Read the differences like code before they are committed: what goes wrong here writes
wrong goldens.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assess.protocol import Track


def main() -> int:
    """Write all files, print how many, and return 0; 1 where a file is refused, which is printed with its lines."""
    with tempfile.TemporaryDirectory(prefix="assay-goldens-") as folder:
        os.environ["ASSAY_DATA_DIR"] = folder
        os.environ.pop("ASSAY_DATABASE", None)
        os.environ["DJANGO_SETTINGS_MODULE"] = "assay_site.settings"
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        from assess.base.errors import BadFile
        from tracks import TRACKS

        for track in (each for each in TRACKS if each.key in (sys.argv[1:] or {track.key for track in TRACKS})):
            print(f"{track.key}: {write_issues(track)} files of issues")
            try:
                print(f"{track.key}: {write_expected(track)} files in expected/")
            except BadFile as refused:
                print(f"{track.key}: {refused.message}", *map(str, refused.issues), sep="\n  ", file=sys.stderr)
                return 1
    return 0


def write_issues(track: Track) -> int:
    """Write what the checkers say of the track's broken files, and return how many of these there are."""
    from tests.tracks import track_folder

    paths = [(place, path) for place in track_folder.PLACES for path in track_folder.broken_files(track, place)]
    for place, path in paths:
        found = track_folder.issues_of(track, path, place)
        lines = (f"{issue.where}\t{issue.severity}\t{issue.code}\n" for issue in found)
        path.with_name(f"{path.stem}.issues.tsv").write_text("".join(lines), encoding="utf-8")
    return len(paths)


def write_expected(track: Track) -> int:
    """Write the exports and scores of a track's folder, and return how many files."""
    from django.contrib.auth.models import User

    from tests.tracks import track_folder

    organiser, _ = User.objects.get_or_create(username="organiser")
    campaign = track_folder.load(track, organiser=organiser, slug=track.key)
    track_folder.replay(campaign, organiser=organiser, content=track_folder.recorded(track))
    files = track_folder.exported(campaign, organiser=organiser)
    files[track_folder.SCORES] = track_folder.scored(campaign)
    folder: Path = track_folder.folder_of(track) / "expected"
    folder.mkdir(exist_ok=True)
    for path in folder.iterdir():
        path.unlink()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return len(files) + write_published(track)


def write_published(track: Track) -> int:
    """Load the track's published files, and write the exports anew over those in ``published/expected/``. Return how
    many there are; if there are none, nothing is loaded.
    """
    from django.contrib.auth.models import User

    from tests.tracks import track_folder

    folder = track_folder.folder_of(track) / "published"
    compared = sorted((folder / "expected").glob("*"))
    if not compared:
        return 0
    organiser = User.objects.get(username="organiser")
    slug = f"{track.key}-published"
    campaign = track_folder.load(track, organiser=organiser, slug=slug, folder=folder)
    files = track_folder.exported(campaign, organiser=organiser)
    for path in compared:
        path.write_bytes(files[path.name])
    return len(compared)


if __name__ == "__main__":
    sys.exit(main())
