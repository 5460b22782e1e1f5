"""The counter of all ledgers, and triggers that refuse UPDATE and DELETE on this app's ledger tables."""

from django.db import migrations

TABLES = ["assess_judgment", "assess_activity"]

SQLITE = """
CREATE TRIGGER {table}_no_{verb} BEFORE {verb} ON {table}
BEGIN SELECT RAISE(ABORT, '{table} is a ledger: rows are added, never changed'); END;
"""
POSTGRESQL_FUNCTION = """
CREATE OR REPLACE FUNCTION assay_ledger_refuses() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION '% is a ledger: rows are added, never changed', TG_TABLE_NAME; END; $$;
"""
POSTGRESQL = """
CREATE TRIGGER {table}_no_{verb} BEFORE {verb} ON {table} FOR EACH ROW EXECUTE FUNCTION assay_ledger_refuses();
"""


def create(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(POSTGRESQL_FUNCTION, params=None)
    statement = POSTGRESQL if schema_editor.connection.vendor == "postgresql" else SQLITE
    for table in TABLES:
        for verb in ("UPDATE", "DELETE"):
            schema_editor.execute(statement.format(table=table, verb=verb))
    apps.get_model("assess", "LedgerPoint").objects.create(id=1, value=0)


def drop(apps, schema_editor):
    on = " ON {table}" if schema_editor.connection.vendor == "postgresql" else ""
    for table in TABLES:
        for verb in ("UPDATE", "DELETE"):
            schema_editor.execute(f"DROP TRIGGER {table}_no_{verb}" + on.format(table=table))
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("DROP FUNCTION assay_ledger_refuses()")
    apps.get_model("assess", "LedgerPoint").objects.all().delete()


class Migration(migrations.Migration):
    dependencies = [("assess", "0001_initial")]
    operations = [migrations.RunPython(create, drop)]
