"""Make a release of a frozen campaign."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from assess.base.errors import Conflict
from assess.base.private_files import replace_privately
from assess.base.wording import counted
from assess.campaigns.queries import published_release
from assess.management.command import DomainCommand, acting_organiser, add_acting_argument, campaign_named
from assess.releases.domain.archives import manifest_sha256, release_archive
from assess.releases.domain.releasing import (
    place_files,
    publish_release,
    release_key,
    released_files,
    require_free,
    require_publishable,
    set_public,
)


class Command(DomainCommand):
    """`manage.py release CAMPAIGN DIR [--zip FILE]`: write the files of a release. The key to the names of runs is
    written beside the folder, never into it.
    """

    help = (
        "Makes a release of a frozen campaign, checks it, and writes it into a folder. DIR.run-key.tsv, beside the "
        "folder and readable by its owner alone, says which run is whose. Made again, the release is the same, byte "
        "for byte."
    )
    example = "release demo releases/demo --zip releases/demo.zip"

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments for the campaign, the folder, and what the release contains."""
        parser.add_argument("campaign", metavar="CAMPAIGN", help="the campaign's short name")
        parser.add_argument("dir", metavar="DIR", type=Path, help="an empty or new folder")
        parser.add_argument("--zip", type=Path, metavar="FILE", help="also write the archive to this file")
        parser.add_argument(
            "--with-runs",
            action="store_true",
            help="with run files that can't be given another name, as they were submitted",
        )
        parser.add_argument(
            "--publish",
            action="store_true",
            help="publish it: the campaign is released; a corrected release supersedes the one that is out",
        )
        parser.add_argument(
            "--public",
            action="store_true",
            help="give the published release a page that anybody can open and download it from, without an account",
        )
        add_acting_argument(parser)

    def work(self, options: dict[str, Any]) -> None:
        """Make the release, write its files, and print a line for each with its sha256; publish it if asked to."""
        campaign = campaign_named(options["campaign"])
        actor = acting_organiser(campaign, options["organiser"])
        folder: Path = options["dir"]
        require_free(folder)
        if options["zip"] is not None:
            _require_place(options["zip"])
        if options["public"] and not options["publish"] and published_release(campaign) is None:
            raise Conflict("No release of this campaign is published, so none can have a public page. Add --publish.")
        with released_files(actor=actor, campaign=campaign, with_runs=options["with_runs"]) as (release, files):
            if options["publish"] or options["public"]:
                require_publishable(release, public=not options["publish"])
            place_files(files, folder)
        if options["zip"] is not None:
            with release_archive(release) as source, replace_privately(options["zip"]) as target:
                shutil.copyfileobj(source, target, 1 << 20)
        key = folder.with_name(f"{folder.name}.run-key.tsv")
        with replace_privately(key) as file:
            file.writelines(line.encode() for line in release_key(campaign).key_lines())
        if options["publish"]:
            publish_release(actor=actor, release=release)
        if options["public"]:
            set_public(actor=actor, release=release, public=True)
        for name, entry in release.manifest["files"].items():
            self.say(f"{entry['sha256']}  {name}")
        self.stderr.write(
            f"{counted(release.number_of_files, 'file')} in {folder}, as of ledger point {release.as_of}; archive "
            f"{release.archive}; the key of run names in {key}"
        )
        self.stderr.write(
            f"sha256 of manifest.json: {manifest_sha256(release.archive)}; publish it elsewhere for verify --sha256"
        )


def _require_place(path: Path) -> None:
    """Refuse a file that can't be written, before minutes are spent on its content."""
    place = path.parent
    if not place.is_dir() or path.is_dir():
        words = f"{path} is a folder" if path.is_dir() else f"There is no folder {place}"
        raise CommandError(f"{words}. Name a file in a folder that is there.", returncode=2)
    if not os.access(path if path.exists() else place, os.W_OK):
        raise CommandError(f"{path} can't be written. Name another file.", returncode=2)
