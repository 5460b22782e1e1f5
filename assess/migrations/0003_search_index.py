"""The search index over the viewable text of documents, kept by triggers.

SQLite: an FTS5 table whose content is `assess_documentbody`. PostgreSQL: a tsvector column of that table.
A later migration that makes SQLite copy the table anew (AlterField) drops these triggers and must make
them again. What a database of version 0.1 has of these already, by 0003_search, stays as it is.
"""

from django.db import migrations

SQLITE = [
    """
    CREATE VIRTUAL TABLE IF NOT EXISTS assess_documentsearch USING fts5(
        text, content='assess_documentbody', content_rowid='document_id',
        tokenize='porter unicode61 remove_diacritics 2'
    )
    """,
    """
    CREATE TRIGGER IF NOT EXISTS assess_documentbody_search_insert AFTER INSERT ON assess_documentbody BEGIN
        INSERT INTO assess_documentsearch (rowid, text) VALUES (new.document_id, new.text);
    END
    """,
    """
    CREATE TRIGGER IF NOT EXISTS assess_documentbody_search_delete AFTER DELETE ON assess_documentbody BEGIN
        INSERT INTO assess_documentsearch (assess_documentsearch, rowid, text)
        VALUES ('delete', old.document_id, old.text);
    END
    """,
    """
    CREATE TRIGGER IF NOT EXISTS assess_documentbody_search_update AFTER UPDATE OF text ON assess_documentbody BEGIN
        INSERT INTO assess_documentsearch (assess_documentsearch, rowid, text)
        VALUES ('delete', old.document_id, old.text);
        INSERT INTO assess_documentsearch (rowid, text) VALUES (new.document_id, new.text);
    END
    """,
    "INSERT INTO assess_documentsearch (assess_documentsearch) VALUES ('rebuild')",
]
SQLITE_BACK = [
    "DROP TRIGGER assess_documentbody_search_insert",
    "DROP TRIGGER assess_documentbody_search_delete",
    "DROP TRIGGER assess_documentbody_search_update",
    "DROP TABLE assess_documentsearch",
]

# A tsvector holds at most a megabyte: of a text with more different words than that, the start is indexed.
POSTGRESQL = [
    "ALTER TABLE assess_documentbody ADD COLUMN IF NOT EXISTS search tsvector",
    """
    CREATE OR REPLACE FUNCTION assess_documentbody_search() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        BEGIN
            new.search := to_tsvector('english', new.text);
        EXCEPTION WHEN program_limit_exceeded THEN
            new.search := to_tsvector('english', left(new.text, 100000));
        END;
        RETURN new;
    END; $$
    """,
    """
    CREATE OR REPLACE TRIGGER assess_documentbody_search BEFORE INSERT OR UPDATE OF text ON assess_documentbody
    FOR EACH ROW EXECUTE FUNCTION assess_documentbody_search()
    """,
    "UPDATE assess_documentbody SET text = text WHERE search IS NULL",
    "CREATE INDEX IF NOT EXISTS assess_documentbody_search_index ON assess_documentbody USING gin (search)",
]
POSTGRESQL_BACK = [
    "DROP INDEX assess_documentbody_search_index",
    "DROP TRIGGER assess_documentbody_search ON assess_documentbody",
    "DROP FUNCTION assess_documentbody_search()",
    "ALTER TABLE assess_documentbody DROP COLUMN search",
]


def create(apps, schema_editor):
    for statement in POSTGRESQL if schema_editor.connection.vendor == "postgresql" else SQLITE:
        schema_editor.execute(statement)


def drop(apps, schema_editor):
    for statement in POSTGRESQL_BACK if schema_editor.connection.vendor == "postgresql" else SQLITE_BACK:
        schema_editor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [("assess", "0002_triggers")]
    operations = [migrations.RunPython(create, drop)]
