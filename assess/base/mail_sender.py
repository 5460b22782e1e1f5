"""Mails, which a thread of its own sends one after another.

So nobody waits for a mail server that is slow or away, the worker does its jobs meanwhile, and neither the time that a
page takes nor an error reveals whether it sent a mail. A mail that the server does not take now waits in memory for up
to an hour and is tried again after pauses that grow. One that is given up, or still waits when the process ends, is
lost: the log says so, and the figure `assay_mails_lost_total` counts it. Mails that can be made again later, such as
notices, are only sent if `server_answers`.
"""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from smtplib import SMTPDataError, SMTPRecipientsRefused, SMTPSenderRefused
from threading import Timer

from django.conf import settings
from django.core.mail import EmailMessage, get_connection

SENDER = ThreadPoolExecutor(max_workers=1, thread_name_prefix="mail")
logger = logging.getLogger(__name__)

FIRST_PAUSE, LONGEST_PAUSE = 15.0, 300.0
"""Seconds until mails that wait are tried again: the first time, and later at most."""
KEPT_FOR = 3600.0
"""Seconds for which a mail is tried. A link for a new password is useless to people long before."""
MOST = 1000
"""The most mails that wait."""
ASKED_EVERY = 60.0
"""Seconds for which the answer of the mail server, or that there was none, counts."""
PATIENCE = 0.5
"""The most seconds for which its answer is waited for. A worker that ends when no job waits asks once."""


@dataclass(slots=True)
class MailServer:
    """What this process knows of the mail server, and the mails that wait for it, each with the time at which it is
    given up. Only the thread of `SENDER` uses ``is_away`` and ``waiting``.
    """

    is_away: bool = False
    waiting: list[tuple[EmailMessage, float]] = field(default_factory=list)
    answer: tuple[float, Future[bool]] | None = None


SERVER = MailServer()


def post(mail: EmailMessage) -> None:
    """Send a mail soon, by the settings of this moment."""
    mail.connection = get_connection()
    SENDER.submit(_send_first, mail)


def server_answers() -> bool:
    """Return whether the mail server answered within the last minute. It is asked in the background, and waited for
    half a second.
    """
    if SERVER.answer is None or time.monotonic() - SERVER.answer[0] > ASKED_EVERY:
        SERVER.answer = time.monotonic(), SENDER.submit(_ask)
    try:
        return SERVER.answer[1].result(timeout=PATIENCE)
    except TimeoutError:
        return False


def mails_lost() -> int:
    """Return how many mails of this site were lost so far."""
    try:
        return _tally().stat().st_size
    except OSError:
        return 0


def _ask() -> bool:
    try:
        connection = get_connection()
        connection.open()
        connection.close()
    except OSError as error:
        logger.warning("The mail server does not answer, so notices wait: %s", error)
        return False
    except Exception:
        logger.exception("The mail server can't be asked, so notices wait.")
        return False
    return True


def _send_first(mail: EmailMessage) -> None:
    """Send a mail, or let it wait. If the server is known to be away, it is not tried for each mail."""
    if not SERVER.is_away and _is_done(mail):
        return
    if len(SERVER.waiting) >= MOST:
        _lose("Too many mails wait for the mail server.")
        return
    SERVER.waiting.append((mail, time.monotonic() + KEPT_FOR))
    if len(SERVER.waiting) == 1:
        _try_later(FIRST_PAUSE)


def _try_later(pause: float) -> None:
    timer = Timer(pause, lambda: SENDER.submit(_send_waiting, min(2 * pause, LONGEST_PAUSE)))
    timer.daemon = True
    timer.start()


def _send_waiting(pause: float) -> None:
    """Send the mails that wait, up to the first that shows that the server is still away. The others are tried again
    after the pause.
    """
    tried, SERVER.is_away = list(SERVER.waiting), False
    SERVER.waiting.clear()
    for mail, until in tried:
        if not SERVER.is_away and _is_done(mail):
            continue
        if time.monotonic() >= until:
            _lose("It was tried for an hour.")
        else:
            SERVER.waiting.append((mail, until))
    if SERVER.waiting:
        _try_later(pause)


def _is_done(mail: EmailMessage) -> bool:
    """Send a mail. Return False if it should be tried again, and remember whether the server is away."""
    try:
        mail.send()
    except SMTPRecipientsRefused as error:
        if all(code < 500 for code, _ in error.recipients.values()):
            return False
        _lose("The mail server refused its address.")
    except (SMTPSenderRefused, SMTPDataError) as error:
        if error.smtp_code < 500:
            return False
        _lose(f"The mail server refused it: {error}")
    except OSError as error:
        logger.warning("A mail can't be sent now: %s", error)
        SERVER.is_away = True
        return False
    except Exception:
        logger.exception("A mail can't be sent.")  # of a future, nobody would hear
        _lose("Sending it failed.")
    return True


def _lose(why: str) -> None:
    """Record that a mail is lost: one more byte in a file, which all processes of the site can add."""
    logger.warning("A mail is lost. %s", why)
    with contextlib.suppress(OSError):
        file = os.open(_tally(), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        os.write(file, b".")
        os.close(file)


def _tally() -> Path:
    return Path(settings.DATA_DIR) / "mails_lost"


@atexit.register
def _lose_waiting() -> None:
    for _ in SERVER.waiting:
        _lose("The process ended before the mail server took it.")
