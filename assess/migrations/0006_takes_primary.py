"""Whether assessors may take primary work from the stack themselves."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("assess", "0005_desk")]

    operations = [
        migrations.AddField(
            model_name="campaign",
            name="takes_primary",
            field=models.BooleanField(default=False),
        ),
    ]
