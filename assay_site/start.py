"""How programs of the site begin: a setting that is none, or a database that is away, ends them with one line."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from assay_site.environment import begin_no_site, missing_site
from scoring.version import version

FAILED, WRONG_CALL = 1, 2
BEGINNING = ("serve", "demo", "migrate", "restore")
"""The commands that make a data folder and a secret key where there are none."""
WITHOUT_SITE = ("", "help", "check", "makemigrations", "spectacular", "diffsettings")
"""The commands that look at the program alone."""
OF_LOADING, BETWEEN = 300_000, 50_000
"""After how many new objects garbage is looked for: while the program loads, and from then on."""
CANNOT_LOAD = 4
"""Gunicorn's own status for an application that will not load however often it is tried: it gives up at once."""


def run_command(arguments: Sequence[str]) -> None:
    """Run one management command; `--traceback` shows where an error came from."""
    heed_signals()
    collect_seldom()
    if arguments[1:2] in (["--version"], ["version"]):
        print(f"Assay {version()}")
        return
    require_site(arguments)
    read_settings(status=WRONG_CALL)
    from django.core.management import execute_from_command_line

    from assess.base.outages import outage_of

    try:
        execute_from_command_line([*arguments])
    except Exception as error:
        outage = outage_of(error)
        if outage is None or "--traceback" in arguments:
            raise
        sys.exit(_line(f"{outage.cause} {outage.details}", status=FAILED))
    finally:
        gc.freeze()  # else Python looks through all that was loaded once more before it ends, for a quarter of the time


def require_site(arguments: Sequence[str]) -> None:
    """End a command that needs a site where there is none, before its settings make one: it may stand in any folder.

    What only looks at the program makes none either.
    """
    command = arguments[1] if len(arguments) > 1 else ""
    if command in BEGINNING:
        return
    if command in WITHOUT_SITE or command.startswith("-") or {"-h", "--help"} & set(arguments):
        begin_no_site()
    else:
        require_begun_site("manage.py" if Path(arguments[0]).stem == "manage" else "assay", status=WRONG_CALL)


def require_begun_site(program: str, *, status: int) -> None:
    """End the program with one line and this status where a setting is wrong, or else where there is no site."""
    if missing := missing_site():
        begin_no_site()
        read_settings(status=status)
        ways = ", ".join(f"“{program} {each}”" for each in BEGINNING)
        told = f"Call this in the folder of your site, or set ASSAY_DATA_DIR to its data folder. A new site: {ways}."
        sys.exit(_line(f"{missing} {told}", status=status))


def collect_seldom() -> None:
    """Have Python look for garbage after 50,000 new objects instead of 700, and after 300,000 while the program loads.

    Loading makes a quarter of a million that all stay, and looking through them again and again takes a fifth of a
    start.
    """
    gc.set_threshold(OF_LOADING)
    gc.callbacks.append(_end_loading)


def end_loading() -> None:
    """Leave what was loaded alone for good. A command comes here when garbage is looked for for the first time."""
    if _end_loading in gc.callbacks:
        gc.callbacks.remove(_end_loading)
    gc.freeze()
    gc.set_threshold(BETWEEN)


def _end_loading(phase: str, info: dict[str, int]) -> None:
    end_loading()


def heed_signals() -> None:
    """End tidily when told to end, but for signals that whoever began the program has it ignore."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:  # `nohup` has it outlive its terminal
            signal.signal(number, end_tidily)


def end_tidily(number: int, frame: object) -> None:
    """End as after Ctrl+C: what a command had open or unpacked is closed and removed on the way out."""
    sys.exit(128 + number)


def read_settings(*, status: int) -> None:
    """Read the settings, and end the program with one line and this status where one has a value that it can't have."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "assay_site.settings")
    from django.conf import settings

    try:
        _ = settings.INSTALLED_APPS
    except ImproperlyConfigured as error:
        sys.exit(_line(str(error), status=status))


def _line(message: str, *, status: int) -> int:
    print(" ".join(message.split()), file=sys.stderr)
    return status
