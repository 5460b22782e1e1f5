"""The app's entry in the site."""

from django.apps import AppConfig


class NuggetsConfig(AppConfig):
    """Nugget lists, votes, matches and answer classes."""

    name = "nuggets"
    verbose_name = "Nuggets"

    def ready(self) -> None:
        """Register the workbenches that this app brings, how its work is settled, and what freezing looks for."""
        from assess.lacks import register_look
        from nuggets.queries import behind, judge_values
        from nuggets.queries.freezing import drafts_begun

        behind.register_nuggets()
        judge_values.register_nuggets()
        register_look(drafts_begun)
