"""The search index is over words that are made in Python, in the language of each document.

SQLite: an FTS5 table whose content is `assess_documentwords`, kept by triggers. PostgreSQL: the tsvector is the column
itself. Documents that are stored already are indexed by `manage.py index_documents`. A later migration that makes SQLite
copy the table anew (AlterField) drops these triggers and must make them again.
"""

from importlib import import_module

import django.db.models.deletion
from django.db import migrations, models

import assess.base.fields
import assess.documents.models

earlier = import_module("assess.migrations.0003_search_index")

SQLITE = [
    """
    CREATE VIRTUAL TABLE assess_documentsearch USING fts5(
        words, content='assess_documentwords', content_rowid='document_id', tokenize='ascii'
    )
    """,
    """
    CREATE TRIGGER assess_documentwords_insert AFTER INSERT ON assess_documentwords BEGIN
        INSERT INTO assess_documentsearch (rowid, words) VALUES (new.document_id, new.words);
    END
    """,
    """
    CREATE TRIGGER assess_documentwords_delete AFTER DELETE ON assess_documentwords BEGIN
        INSERT INTO assess_documentsearch (assess_documentsearch, rowid, words)
        VALUES ('delete', old.document_id, old.words);
    END
    """,
    """
    CREATE TRIGGER assess_documentwords_update AFTER UPDATE OF words ON assess_documentwords BEGIN
        INSERT INTO assess_documentsearch (assess_documentsearch, rowid, words)
        VALUES ('delete', old.document_id, old.words);
        INSERT INTO assess_documentsearch (rowid, words) VALUES (new.document_id, new.words);
    END
    """,
]
SQLITE_BACK = [
    "DROP TRIGGER assess_documentwords_insert",
    "DROP TRIGGER assess_documentwords_delete",
    "DROP TRIGGER assess_documentwords_update",
    "DROP TABLE assess_documentsearch",
]
POSTGRESQL = ["CREATE INDEX assess_documentwords_index ON assess_documentwords USING gin (words)"]
POSTGRESQL_BACK = ["DROP INDEX assess_documentwords_index"]


def create(apps, schema_editor):
    for statement in POSTGRESQL if schema_editor.connection.vendor == "postgresql" else SQLITE:
        schema_editor.execute(statement)


def drop(apps, schema_editor):
    for statement in POSTGRESQL_BACK if schema_editor.connection.vendor == "postgresql" else SQLITE_BACK:
        schema_editor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [("assess", "0003_search_index")]
    operations = [
        migrations.RunPython(earlier.drop, earlier.create),
        migrations.AddField(
            model_name="document",
            name="language",
            field=assess.base.fields.CharField(blank=True, default="", max_length=8),
        ),
        migrations.AddIndex(
            model_name="document",
            index=models.Index(fields=["campaign", "language"], name="documents_by_language"),
        ),
        migrations.CreateModel(
            name="DocumentWords",
            fields=[
                (
                    "document",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="assess.document",
                    ),
                ),
                ("words", assess.documents.models.IndexWords()),
            ],
        ),
        migrations.RunPython(create, drop),
    ]
