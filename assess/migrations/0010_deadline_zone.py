"""The deadline's zone stands by itself, so that the campaign's own zone says where its days begin."""

from django.conf import settings
from django.db import migrations, models
from django.db.models import F

ANYWHERE = "Etc/GMT+12"


def part(apps, schema_editor):
    """Deadlines keep their zone; nobody works anywhere on Earth, so days were counted there for a deadline alone."""
    campaigns = apps.get_model("assess", "Campaign").objects
    campaigns.filter(runs_due__isnull=False).update(due_zone=F("time_zone"))
    campaigns.filter(time_zone=ANYWHERE).update(time_zone=settings.TIME_ZONE)


def join(apps, schema_editor):
    """As it was: one zone for both."""
    apps.get_model("assess", "Campaign").objects.exclude(due_zone="").update(time_zone=F("due_zone"))


class Migration(migrations.Migration):
    dependencies = [("assess", "0009_account_names")]

    operations = [
        migrations.AddField("campaign", "due_zone", models.CharField(max_length=64, default="", blank=True)),
        migrations.RunPython(part, join),
    ]
