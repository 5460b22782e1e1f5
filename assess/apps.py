"""The app's entry in the site."""

import logging
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import Tags, register
from django.db.models.signals import post_migrate, pre_migrate

from assess.base.deployment import check_names, check_proxies
from assess.base.left_out import load_api_framework
from assess.base.newer_database import refuse_newer_database
from assess.base.private_files import tighten
from assess.base.process import remember_version

log = logging.getLogger(__name__)


class AssessConfig(AppConfig):
    """Campaigns, documents, runs, pools and judging."""

    name = "assess"
    verbose_name = "Assessment"

    def ready(self) -> None:
        """Register signal handlers and checks, including what is done before and after a migration.

        The kinds of work are loaded with the site's addresses, or by a command that needs them.
        """
        from assess.people.domain.accounts import register_log_ins
        from assess.people.domain.names import register_names

        remember_version()
        load_api_framework()
        register_names()
        register_log_ins()
        register(check_names, Tags.security)
        register(check_proxies, Tags.security, deploy=True)
        pre_migrate.connect(refuse_newer_database, sender=self)  # `serve` migrates, too
        post_migrate.connect(close_data_folder, sender=self)


def close_data_folder(**_: Any) -> None:
    """Make the data folder unreadable for other accounts, at every `migrate` and so at every start of `serve`. Files
    that belong to another account can't be closed: log their names.
    """
    left = tighten(settings.DATA_DIR)
    if left:
        names = ", ".join(map(str, left[:3])) + (f" and {len(left) - 3:,} more" if len(left) > 3 else "")
        log.warning("Others can read what another account owns in the data folder: %s. Close it: chmod go-rwx.", names)
