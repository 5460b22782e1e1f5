"""The app's entry in the site."""

from django.apps import AppConfig


class AssessConfig(AppConfig):
    """Campaigns, documents, runs, pools and judging."""

    name = "assess"
    verbose_name = "Assessment"

    def ready(self) -> None:
        """Register the kinds of workbench that this app brings."""
        from assess.views import workbench_grade, workbench_picks

        workbench_grade.register()
        workbench_picks.register()
