"""Write what tests compare with, for all tracks or those named: `python -m bench.demo_runs.regenerate [KEY …]`.

The issues of broken files (`regenerate_goldens`), and `expected/`: every export and the scores of the track's folder,
loaded and judged as recorded in a database of its own that is thrown away. Read the differences like code before they
are committed: what goes wrong here writes wrong goldens.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from assess.protocol import Track


def main() -> int:
    """Write all files, print how many, and return 0; 1 where a file is refused, which is printed with its lines."""
    from bench.demo_runs import regenerate_goldens
    from tracks import TRACKS

    keys = sys.argv[1:] or [track.key for track in TRACKS]

    with tempfile.TemporaryDirectory(prefix="assay-goldens-") as folder:
        os.environ["ASSAY_DATA_DIR"] = folder
        os.environ.pop("ASSAY_DATABASE", None)
        os.environ["DJANGO_SETTINGS_MODULE"] = "assay_site.settings"
        import django
        from django.core.management import call_command

        django.setup()
        regenerate_goldens.main(keys)
        call_command("migrate", verbosity=0)
        from assess.base.errors import BadFile

        for key in keys:
            try:
                print(f"{key}: {write_expected(key)} files in expected/")
            except BadFile as refused:
                print(f"{key}: {refused.message}", *map(str, refused.issues), sep="\n  ", file=sys.stderr)
                return 1
    return 0


def write_expected(key: str) -> int:
    """Write the exports and scores of a track's folder, and return how many files."""
    from django.contrib.auth.models import User

    from tests.tracks import track_folder
    from tracks import find_track

    track = find_track(key)
    assert track is not None, key
    organiser, _ = User.objects.get_or_create(username="organiser")
    campaign = track_folder.load(track, organiser=organiser, slug=key)
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
