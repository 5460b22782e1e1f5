"""The Django configuration of the app."""

from django.apps import AppConfig


class NuggetsConfig(AppConfig):
    """Nugget lists, votes, matches and answer classes."""

    name = "nuggets"
    verbose_name = "Nuggets"
