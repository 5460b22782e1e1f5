"""The share of topics in which assessors see no machine judgments, and the seed by which these topics are drawn."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("assess", "0028_translations_of_documents"),
    ]

    operations = [
        migrations.AddField(
            model_name="campaign",
            name="draftless_share",
            field=models.FloatField(default=0.0),
        ),
        migrations.AddField(
            model_name="campaign",
            name="draftless_seed",
            field=models.PositiveIntegerField(default=0),
        ),
    ]
