"""Each piece of work that goes on with another's names the one with which its chain of hand-overs began."""

import django.db.models.deletion
from django.db import migrations, models


def name_starts(apps, schema_editor):
    """Name it for all work there is: one pass through what was taken over, in the order in which it was."""
    assignments = apps.get_model("assess", "Assignment").objects
    starts = {}
    rows = assignments.filter(taken_over__isnull=False).order_by("pk").values_list("pk", "taken_over_id")
    for pk, before in list(rows):
        starts[pk] = starts.get(before, before)
        assignments.filter(pk=pk).update(chain_start_id=starts[pk])


class Migration(migrations.Migration):
    dependencies = [
        ("assess", "0017_run_notes"),
    ]

    operations = [
        migrations.AddField(
            model_name="assignment",
            name="chain_start",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="chain",
                to="assess.assignment",
            ),
        ),
        migrations.RunPython(name_starts, migrations.RunPython.noop),
    ]
