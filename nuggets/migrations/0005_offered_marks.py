"""What a machine's draft said of a nugget in an item, where somebody had it in sight who marked it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("nuggets", "0004_given_with_like_ones"),
    ]

    operations = [
        migrations.AddField(
            model_name="nuggetmatch",
            name="offered",
            field=models.CharField(
                choices=[
                    ("full", "contains the nugget"),
                    ("partial", "contains a part of it"),
                    ("absent", "does not contain it"),
                ],
                max_length=7,
                blank=True,
                null=True,
            ),
        ),
    ]
