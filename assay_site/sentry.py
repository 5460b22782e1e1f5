"""Errors are reported to a Sentry project where the site's keeper names one."""

from __future__ import annotations

from assay_site.environment import Because
from scoring.version import version


def report_errors(address: str) -> str:
    """Have the errors of this process reported to the address (DSN) of a Sentry project, and return it.

    Nobody's name or network address is sent with them, and no body of a request. ValueError where the package is not
    installed, or the address is none.
    """
    try:
        import sentry_sdk
    except ImportError as error:
        raise Because("its package is missing: pip install sentry-sdk") from error
    sentry_sdk.init(
        dsn=address,
        send_default_pii=False,
        max_request_body_size="never",
        include_local_variables=False,
        release=f"assay@{version()}",
    )
    return address
