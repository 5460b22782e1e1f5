"""Judgments hold in which order the grades stood, where they stand in another order each time."""

from __future__ import annotations

from django.db import migrations

import assess.base.fields


class Migration(migrations.Migration):
    """A column that may be empty is added at once, however many rows there are, and leaves the triggers alone."""

    dependencies = [("assess", "0015_given_answers")]

    operations = [
        migrations.AddField(model_name="judgment", name="grade_order", field=assess.base.fields.JSONField(null=True)),
    ]
