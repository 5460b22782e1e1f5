"""Mails, which a thread of its own sends one after another.

So nobody waits for a mail server that is slow or away, the worker does its jobs meanwhile, and neither the time that a
page takes nor an error reveals whether it sent a mail. A mail that can't be sent is lost, with a line in the log. A
process that ends by itself first sends the mails that wait.
"""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor
from smtplib import SMTPRecipientsRefused

from django.core.mail import EmailMessage, get_connection

SENDER = ThreadPoolExecutor(max_workers=1, thread_name_prefix="mail")
logger = logging.getLogger(__name__)


def post(mail: EmailMessage) -> None:
    """Send a mail soon, by the settings of this moment."""
    mail.connection = get_connection()
    SENDER.submit(_send, mail)


def _send(mail: EmailMessage) -> None:
    try:
        mail.send()
    except SMTPRecipientsRefused:
        logger.warning("The mail server refused an address to which a mail was to be sent.")
    except OSError as error:
        logger.warning("A mail can't be sent: %s", error)
    except Exception:
        logger.exception("A mail can't be sent.")  # of a future, nobody would hear
