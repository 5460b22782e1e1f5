"""The app's entry in the site."""

from django.apps import AppConfig


class AssessConfig(AppConfig):
    """Campaigns, documents, runs, pools and judging."""

    name = "assess"
    verbose_name = "Assessment"

    def ready(self) -> None:
        """Register the workbenches that this app brings, what judges are compared on, and how they are settled."""
        from assess.domain.judging.machine_judges import register_grades
        from assess.domain.judging.settled_grades import register_settling
        from assess.queries.analysis import judge_grades
        from assess.queries.judging.behind_items import register_items
        from assess.views.judging import grade as workbench_grade
        from assess.views.judging import picks as workbench_picks

        workbench_grade.register()
        register_grades()
        register_settling()
        register_items()
        workbench_picks.register()
        judge_grades.register_grades()
