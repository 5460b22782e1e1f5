"""Drafts of topics with their two ledgers, and triggers that refuse UPDATE and DELETE on those."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

TABLES = ["assess_draftstep", "assess_draftfind"]

SQLITE = """
CREATE TRIGGER {table}_no_{verb} BEFORE {verb} ON {table}
BEGIN SELECT RAISE(ABORT, '{table} is a ledger: rows are added, never changed'); END;
"""
POSTGRESQL = """
CREATE TRIGGER {table}_no_{verb} BEFORE {verb} ON {table} FOR EACH ROW EXECUTE FUNCTION assay_ledger_refuses();
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
    dependencies = [
        ("assess", "0012_release_dates_agreements"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="TopicDraft",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "author",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="topic_drafts",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="topic_drafts", to="assess.campaign"
                    ),
                ),
                (
                    "topic",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="draft",
                        to="assess.topic",
                    ),
                ),
            ],
            options={
                "ordering": ["campaign", "number"],
            },
        ),
        migrations.CreateModel(
            name="DraftStep",
            fields=[
                ("id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "action",
                    models.CharField(
                        choices=[
                            ("write", "written"),
                            ("send", "sent"),
                            ("back", "sent back"),
                            ("accept", "accepted"),
                            ("drop", "dropped"),
                        ],
                        max_length=6,
                    ),
                ),
                ("content", models.JSONField()),
                ("word", models.TextField(blank=True)),
                ("client_key", models.UUIDField(unique=True)),
                (
                    "actor",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "draft",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="steps", to="assess.topicdraft"
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
            },
        ),
        migrations.CreateModel(
            name="DraftFind",
            fields=[
                ("id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("number", models.PositiveIntegerField()),
                (
                    "kind",
                    models.CharField(
                        choices=[("answer", "answer"), ("nugget", "nugget"), ("document", "document")], max_length=8
                    ),
                ),
                ("part", models.PositiveIntegerField(default=0)),
                ("text", models.TextField(blank=True)),
                ("docno", models.CharField(max_length=200)),
                ("quote", models.TextField(blank=True)),
                ("span", models.JSONField(null=True)),
                ("grade", models.SmallIntegerField(null=True)),
                ("is_withdrawn", models.BooleanField(default=False)),
                ("client_key", models.UUIDField(unique=True)),
                (
                    "actor",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "document",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="assess.document"
                    ),
                ),
                (
                    "draft",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="finds", to="assess.topicdraft"
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
            },
        ),
        migrations.AddConstraint(
            model_name="topicdraft",
            constraint=models.UniqueConstraint(fields=("campaign", "number"), name="one_topic_draft_a_number"),
        ),
        migrations.AddIndex(
            model_name="draftfind",
            index=models.Index(fields=["draft", "number", "id"], name="current_find"),
        ),
        migrations.RunPython(create, drop),
    ]
