"""Judgments hold what was answered without a grade: that somebody can't tell."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    """A column that may be empty is added at once, however many rows there are, and leaves the triggers alone."""

    dependencies = [("assess", "0014_docno_lists")]

    operations = [
        migrations.AddField(model_name="judgment", name="given", field=models.JSONField(null=True)),
    ]
