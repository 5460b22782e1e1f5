"""Each campaign gets a ledger point of its own, at the newest number of all; 0 stands for what is of no campaign.

On PostgreSQL numbers are drawn from a sequence from here on. It belongs to the table's column, so that it goes with the
table where a backup from before is restored.
"""

from django.db import migrations, models
from django.db.models import Max

POSTGRESQL = [
    "CREATE SEQUENCE assess_ledger_numbers AS bigint CACHE 1 OWNED BY assess_ledgerpoint.value",
    "SELECT setval('assess_ledger_numbers', max(value) + 1, false) FROM assess_ledgerpoint",
]


def part(apps, schema_editor):
    points = apps.get_model("assess", "LedgerPoint").objects
    value = points.get().value
    points.update(campaign=0)
    campaigns = apps.get_model("assess", "Campaign").objects.values_list("pk", flat=True)
    points.bulk_create(points.model(campaign=pk, value=value) for pk in campaigns)
    if schema_editor.connection.vendor == "postgresql":
        for statement in POSTGRESQL:
            schema_editor.execute(statement)


def join(apps, schema_editor):
    points = apps.get_model("assess", "LedgerPoint").objects
    value = points.aggregate(newest=Max("value"))["newest"] or 0
    points.all().delete()
    points.create(campaign=1, value=value)
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("DROP SEQUENCE assess_ledger_numbers")


class Migration(migrations.Migration):
    dependencies = [("assess", "0007_unfinished_imports")]
    operations = [
        migrations.RenameField(model_name="ledgerpoint", old_name="id", new_name="campaign"),
        migrations.AlterField(
            model_name="ledgerpoint",
            name="campaign",
            field=models.BigIntegerField(primary_key=True, serialize=False),
        ),
        migrations.RunPython(part, join),
    ]
