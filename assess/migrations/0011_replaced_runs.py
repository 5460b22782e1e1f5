"""A run says which run it replaces, so that both pages can lead to the other."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("assess", "0010_deadline_zone")]

    operations = [
        migrations.AddField(
            "run",
            "replaces",
            models.ForeignKey(
                "assess.run",
                null=True,
                blank=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="replacements",
            ),
        ),
    ]
