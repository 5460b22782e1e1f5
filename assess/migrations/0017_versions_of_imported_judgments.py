"""Imported judgments hold the version of the design under which they were made, where their file says so."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    """A column that may be empty is added at once, however many rows there are, and leaves the triggers alone."""

    dependencies = [("assess", "0016_order_of_grades")]

    operations = [
        migrations.AddField(model_name="judgment", name="design_version", field=models.SmallIntegerField(null=True)),
    ]
