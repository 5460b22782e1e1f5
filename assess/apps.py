"""The app's entry in the site."""

from django.apps import AppConfig


class AssessConfig(AppConfig):
    """Campaigns, documents, runs, pools and judging."""

    name = "assess"
    verbose_name = "Assessment"

    def ready(self) -> None:
        """Register the kinds of workbench that this app brings, and the questions that judges are compared on."""
        from assess.domain.judging.machine_judges import register_grades
        from assess.queries.analysis import judge_grades
        from assess.queries.judging.behind_items import register_items
        from assess.views.judging import grade as workbench_grade
        from assess.views.judging import picks as workbench_picks

        workbench_grade.register()
        register_grades()
        register_items()
        workbench_picks.register()
        judge_grades.register_grades()
