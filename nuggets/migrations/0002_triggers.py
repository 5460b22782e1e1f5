"""Triggers that refuse UPDATE and DELETE on this app's ledger tables.

What a database of version 0.1 has of these already, by 0002_ledger, stays as it is.
"""

from django.db import migrations

TABLES = [
    "nuggets_nuggetedit",
    "nuggets_nuggetvote",
    "nuggets_nuggetmatch",
    "nuggets_itemreview",
    "nuggets_classedit",
    "nuggets_classlabel",
    "nuggets_classassignment",
]

SQLITE = """
CREATE TRIGGER IF NOT EXISTS {table}_no_{verb} BEFORE {verb} ON {table}
BEGIN SELECT RAISE(ABORT, '{table} is a ledger: rows are added, never changed'); END;
"""
POSTGRESQL = """
CREATE OR REPLACE TRIGGER {table}_no_{verb} BEFORE {verb} ON {table} FOR EACH ROW EXECUTE FUNCTION assay_ledger_refuses();
"""


def create(apps, schema_editor):
    statement = POSTGRESQL if schema_editor.connection.vendor == "postgresql" else SQLITE
    for table in TABLES:
        for verb in ("UPDATE", "DELETE"):
            schema_editor.execute(statement.format(table=table, verb=verb))


def drop(apps, schema_editor):
    on = " ON {table}" if schema_editor.connection.vendor == "postgresql" else ""
    for table in TABLES:
        for verb in ("UPDATE", "DELETE"):
            schema_editor.execute(f"DROP TRIGGER {table}_no_{verb}" + on.format(table=table))


class Migration(migrations.Migration):
    dependencies = [("nuggets", "0001_schema"), ("assess", "0002_triggers")]
    operations = [migrations.RunPython(create, drop)]
