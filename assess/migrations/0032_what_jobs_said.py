"""Jobs keep what their last sentence is made of, so that pages can translate it."""

from django.db import migrations

import assess.base.fields


class Migration(migrations.Migration):
    dependencies = [("assess", "0031_site_jobs")]

    operations = [
        migrations.AddField(
            model_name="job", name="made_of", field=assess.base.fields.JSONField(blank=True, default=dict)
        )
    ]
