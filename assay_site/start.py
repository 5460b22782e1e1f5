"""How the site's programs start. A wrong setting, or a database that is away, ends them with one line."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from assay_site import environment
from assay_site.site_folders import begin_no_site, is_in_project, usual_data_folder
from scoring.version import version

FAILED, WRONG_CALL = 1, 2
BEGINNING = ("serve", "demo", "migrate", "restore")
"""The commands that make a data folder and a secret key if there are none."""
WITHOUT_SITE = ("", "help", "check", "makemigrations", "spectacular", "diffsettings")
"""The commands that only look at the program and need no site."""
OF_DJANGO = {"createsuperuser", "changepassword", "loaddata", "flush", "clearsessions"}
"""Django's own commands that write into the database. Those of Assay refuse by themselves one of a newer version."""
OF_LOADING, BETWEEN = 300_000, 50_000
"""After how many new objects Python collects garbage, while the program loads and afterwards."""
CANNOT_LOAD = 4
"""Gunicorn's exit status for an application that can never load, after which it does not try again."""


def run_command(arguments: Sequence[str]) -> None:
    """Run one management command. If there is no site, a setting is wrong, or the database is away or older than the
    program, end the program with one line.

    With `--traceback`, an outage is shown with its traceback.
    """
    heed_signals()
    collect_seldom()
    if arguments[1:2] in (["--version"], ["version"]):
        print(f"Assay {version()}")
        return
    require_site(arguments)
    read_settings(status=WRONG_CALL)
    from django.core.management import execute_from_command_line
    from django.db import DatabaseError

    from assess.base.outages import outage_of

    try:
        if {*arguments[1:2]} & OF_DJANGO:
            _refuse_newer_database()
        execute_from_command_line([*arguments])
    except Exception as error:
        if isinstance(error.__cause__, SystemExit):  # told to end while a class was made: `__set_name__` wraps it
            raise error.__cause__ from None
        outage = outage_of(error)
        if outage is None and isinstance(error, DatabaseError) and "--traceback" not in arguments:
            from assess.management.command import BEHIND, is_behind

            if is_behind():
                sys.exit(_line(BEHIND, status=WRONG_CALL))
        if outage is None or "--traceback" in arguments:
            raise
        sys.exit(_line(f"{outage.cause} {outage.details}", status=FAILED))
    finally:
        gc.freeze()  # else Python scans all that was loaded again before it ends, for a quarter of the time


def _refuse_newer_database() -> None:
    import django
    from django.core.management import CommandError

    from assess.base.newer_database import refuse_newer_database

    django.setup()
    try:
        refuse_newer_database()
    except CommandError as refusal:
        sys.exit(_line(str(refusal), status=refusal.returncode))


def require_site(arguments: Sequence[str]) -> None:
    """End the program if its command needs a site and there is none. This is done before the settings are read, which
    could make a site in the wrong folder.

    If the command needs no site, such as one that only prints help, the settings are kept from making one.
    """
    command = arguments[1] if len(arguments) > 1 else ""
    if command in BEGINNING:
        return
    if command in WITHOUT_SITE or command.startswith("-") or {"-h", "--help"} & set(arguments):
        begin_no_site()
    else:
        require_begun_site("manage.py" if Path(arguments[0]).stem == "manage" else "assay", status=WRONG_CALL)


def require_begun_site(program: str, *, status: int) -> None:
    """If there is no site, end the program with one line and this exit status. The line is about a wrong setting if
    there is one.
    """
    if missing := _missing_site():
        begin_no_site()
        read_settings(status=status)
        ways = ", ".join(f"“{program} {each}”" for each in BEGINNING)
        told = f"Call this in the folder of your site, or set ASSAY_DATA_DIR to its data folder. A new site: {ways}."
        sys.exit(_line(f"{missing} {told}", status=status))


def _missing_site() -> str:
    """Return a sentence that says where a site was expected but not found, or "" if there is one.

    There is a site if anything is in the data folder, or if the folder exists and the database is elsewhere.
    """
    given = environment.text("ASSAY_DATA_DIR")
    path = Path(given or usual_data_folder()).expanduser().resolve()
    try:
        if path.is_dir() and (any(path.iterdir()) or environment.text("ASSAY_DATABASE")):
            return ""
    except OSError:
        return ""  # reading the setting then refuses it with the reason
    usual = "“var” in the project" if is_in_project() else "“var” in the folder in which this was called"
    return f"There is no site in {path} ({'the setting ASSAY_DATA_DIR' if given else usual})."


def collect_seldom() -> None:
    """Let Python collect garbage after 50,000 new objects instead of 700, and after 300,000 while the program loads.

    Loading makes a quarter of a million objects that all stay in use. Scanning them again and again took a fifth of the
    time that the program needs to start.
    """
    gc.set_threshold(OF_LOADING)
    gc.callbacks.append(_end_loading)


def end_loading() -> None:
    """Exempt all objects made so far from garbage collection for good. In a command, this is done at the first
    collection.
    """
    if _end_loading in gc.callbacks:
        gc.callbacks.remove(_end_loading)
    gc.freeze()
    gc.set_threshold(BETWEEN)


def _end_loading(phase: str, info: dict[str, int]) -> None:
    end_loading()


def heed_signals() -> None:
    """Make SIGTERM and SIGHUP end the program tidily, unless whoever started it has set them to be ignored."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:  # `nohup` lets it outlive its terminal
            signal.signal(number, end_tidily)


def end_tidily(number: int, frame: object) -> None:
    """End the program as Ctrl+C does, so that a command closes what it has open and removes what it has unpacked."""
    sys.exit(128 + number)


def read_settings(*, status: int) -> None:
    """Read the settings. If a setting has a value that is not allowed, end the program with one line and this exit
    status.
    """
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "assay_site.settings")
    from django.conf import settings

    try:
        _ = settings.INSTALLED_APPS
    except ImproperlyConfigured as error:
        sys.exit(_line(str(error), status=status))


def _line(message: str, *, status: int) -> int:
    print(" ".join(message.split()), file=sys.stderr)
    return status
