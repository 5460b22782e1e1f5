"""Report errors to a Sentry project, if the site's administrator names one."""

from __future__ import annotations

from typing import Any

from assay_site.environment import BadValue
from scoring.version import version


def report_errors(address: str) -> str:
    """Report the errors of this process to the address (DSN) of a Sentry project, and return the address.

    Reports contain no name or network address of a person, no body of a request, and nothing that opens an invitation
    or sets a password. Raises ValueError if the package is not installed or the address is not valid.
    """
    try:
        import sentry_sdk
    except ImportError as error:
        raise BadValue("its package is missing: pip install sentry-sdk") from error
    sentry_sdk.init(
        dsn=address,
        send_default_pii=False,
        max_request_body_size="never",
        include_local_variables=False,
        before_send=_without_secrets,
        release=f"assay@{version()}",
    )
    return address


def _without_secrets(event: dict[str, Any], hint: object) -> dict[str, Any]:
    """Return a report whose texts are cleaned as in the log. Query strings are removed from its addresses."""
    from assay_site.logs import without_secrets  # not before the settings are read

    def cleaned(value: Any) -> Any:
        if isinstance(value, str):
            return without_secrets(value)
        if isinstance(value, dict):
            return {key: cleaned(each) for key, each in value.items() if key != "query_string"}
        return [cleaned(each) for each in value] if isinstance(value, list | tuple) else value

    return {key: cleaned(value) for key, value in event.items()}
