"""Roles of work are called as in the field; the column stays as it is."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("assess", "0023_webhooks"),
    ]

    operations = [
        migrations.AlterField(
            model_name="assignment",
            name="role",
            field=models.CharField(
                choices=[
                    ("primary", "primary assessor"),
                    ("second", "second assessor"),
                    ("adjudicator", "adjudicator"),
                    ("machine", "machine judge"),
                ],
                default="primary",
                max_length=12,
            ),
        ),
    ]
