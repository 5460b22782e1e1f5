"""Every table of this app, as it stood after the migrations that this one replaces.

Those stay: a database that has only some of them, as every one of version 0.1 does, goes through the others.
"""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ("nuggets", "0001_initial"),
        ("nuggets", "0002_ledger"),
        ("nuggets", "0003_nugget_fields"),
        ("nuggets", "0004_values_of_marks"),
    ]

    initial = True

    dependencies = [
        ("assess", "0005_desk"),  # in a new database it is assess.0001_schema, which replaces it
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="AnswerClass",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="answer_classes",
                        to="assess.assignment",
                    ),
                ),
                (
                    "topic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="answer_classes", to="assess.topic"
                    ),
                ),
            ],
            options={
                "ordering": ["topic", "number"],
                "constraints": [models.UniqueConstraint(fields=("topic", "number"), name="one_answer_class_a_number")],
            },
        ),
        migrations.CreateModel(
            name="NuggetList",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("version", models.PositiveIntegerField(default=1)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("frozen_at", models.DateTimeField(blank=True, null=True)),
                ("frozen_point", models.BigIntegerField(blank=True, null=True)),
                ("last_number", models.PositiveIntegerField(default=0)),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="nugget_lists", to="assess.assignment"
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="nugget_lists",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "previous",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="next",
                        to="nuggets.nuggetlist",
                    ),
                ),
                (
                    "topic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="nugget_lists", to="assess.topic"
                    ),
                ),
            ],
            options={
                "ordering": ["topic", "owner", "version"],
                "constraints": [
                    models.UniqueConstraint(fields=("topic", "owner", "version"), name="one_list_a_version"),
                    models.UniqueConstraint(
                        condition=models.Q(("frozen_at", None)),
                        fields=("topic", "owner"),
                        name="one_draft_list_an_owner",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("frozen_at", None), ("frozen_point", None)),
                            models.Q(("frozen_at__isnull", False), ("frozen_point__isnull", False)),
                            _connector="OR",
                        ),
                        name="frozen_at_a_ledger_point",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ClassEdit",
            fields=[
                ("id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("action", models.CharField(max_length=20)),
                ("asked", models.JSONField(default=dict)),
                ("before", models.JSONField()),
                ("after", models.JSONField()),
                ("client_key", models.UUIDField(unique=True)),
                (
                    "how",
                    models.CharField(
                        choices=[("key", "key press"), ("click", "click"), ("api", "API"), ("import", "import")],
                        max_length=6,
                    ),
                ),
                (
                    "actor",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "answer_class",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="nuggets.answerclass",
                    ),
                ),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="class_edits", to="assess.assignment"
                    ),
                ),
                (
                    "undoes",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="undone_by",
                        to="nuggets.classedit",
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
            },
        ),
        migrations.CreateModel(
            name="ItemReview",
            fields=[
                ("id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("is_reviewed", models.BooleanField()),
                ("client_key", models.UUIDField(unique=True)),
                (
                    "how",
                    models.CharField(
                        choices=[("key", "key press"), ("click", "click"), ("api", "API"), ("import", "import")],
                        max_length=6,
                    ),
                ),
                (
                    "assessor",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="nugget_reviews",
                        to="assess.assignment",
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="nugget_reviews", to="assess.item"
                    ),
                ),
                (
                    "nugget_list",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="reviews", to="nuggets.nuggetlist"
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
                "indexes": [models.Index(fields=["item", "assessor", "id"], name="current_review")],
            },
        ),
        migrations.CreateModel(
            name="Nugget",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField()),
                ("position", models.PositiveIntegerField()),
                ("text", models.TextField()),
                (
                    "importance",
                    models.CharField(choices=[("vital", "vital"), ("okay", "okay")], default="okay", max_length=5),
                ),
                ("group", models.CharField(blank=True, max_length=100)),
                ("is_retired", models.BooleanField(default=False)),
                (
                    "merged_into",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="merged",
                        to="nuggets.nugget",
                    ),
                ),
                (
                    "split_from",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="split",
                        to="nuggets.nugget",
                    ),
                ),
                (
                    "nugget_list",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="nuggets", to="nuggets.nuggetlist"
                    ),
                ),
                ("fields", models.JSONField(blank=True, default=dict)),
            ],
            options={
                "ordering": ["nugget_list", "position", "number"],
                "constraints": [models.UniqueConstraint(fields=("nugget_list", "number"), name="one_nugget_a_number")],
            },
        ),
        migrations.CreateModel(
            name="NuggetEdit",
            fields=[
                ("id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("action", models.CharField(max_length=20)),
                ("asked", models.JSONField(default=dict)),
                ("before", models.JSONField()),
                ("after", models.JSONField()),
                ("client_key", models.UUIDField(unique=True)),
                (
                    "actor",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "undoes",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="undone_by",
                        to="nuggets.nuggetedit",
                    ),
                ),
                (
                    "nugget_list",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="edits", to="nuggets.nuggetlist"
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
            },
        ),
        migrations.CreateModel(
            name="ClassAssignment",
            fields=[
                ("id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("is_found", models.BooleanField(default=False)),
                (
                    "answer_class",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="members",
                        to="nuggets.answerclass",
                    ),
                ),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="class_assignments",
                        to="assess.assignment",
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="class_assignments", to="assess.item"
                    ),
                ),
                (
                    "edit",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="members", to="nuggets.classedit"
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
                "indexes": [models.Index(fields=["assignment", "item", "id"], name="current_class")],
            },
        ),
        migrations.CreateModel(
            name="ClassLabel",
            fields=[
                ("id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("label", models.CharField(max_length=300)),
                (
                    "answer_class",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="labels", to="nuggets.answerclass"
                    ),
                ),
                (
                    "edit",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="labels", to="nuggets.classedit"
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
                "indexes": [models.Index(fields=["answer_class", "id"], name="current_label")],
            },
        ),
        migrations.CreateModel(
            name="NuggetMatch",
            fields=[
                ("id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("part", models.PositiveSmallIntegerField(default=0)),
                (
                    "value",
                    models.CharField(
                        choices=[
                            ("full", "contains the nugget"),
                            ("partial", "contains a part of it"),
                            ("absent", "does not contain it"),
                        ],
                        max_length=7,
                        null=True,
                    ),
                ),
                ("span", models.JSONField(null=True)),
                ("quote", models.TextField(blank=True)),
                ("client_key", models.UUIDField(unique=True)),
                (
                    "how",
                    models.CharField(
                        choices=[("key", "key press"), ("click", "click"), ("api", "API"), ("import", "import")],
                        max_length=6,
                    ),
                ),
                (
                    "assessor",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="nugget_matches",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="nugget_matches",
                        to="assess.assignment",
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="nugget_matches", to="assess.item"
                    ),
                ),
                (
                    "nugget",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="matches", to="nuggets.nugget"
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
                "indexes": [
                    models.Index(fields=["nugget", "part", "item", "assessor", "id"], name="current_match"),
                    models.Index(fields=["item", "assessor", "id"], name="matches_of_an_item"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("value", None), ("value__in", ["full", "partial", "absent"]), _connector="OR"
                        ),
                        name="value_of_a_mark",
                    )
                ],
                "verbose_name_plural": "nugget matches",
            },
        ),
        migrations.CreateModel(
            name="NuggetSource",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("docno", models.CharField(blank=True, max_length=200)),
                ("quote", models.TextField()),
                ("span", models.JSONField(blank=True, null=True)),
                (
                    "document",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="assess.document",
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="assess.item",
                    ),
                ),
                (
                    "nugget",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="sources", to="nuggets.nugget"
                    ),
                ),
            ],
            options={
                "ordering": ["nugget", "id"],
            },
        ),
        migrations.CreateModel(
            name="NuggetVote",
            fields=[
                ("id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "importance",
                    models.CharField(choices=[("vital", "vital"), ("okay", "okay")], max_length=5, null=True),
                ),
                ("client_key", models.UUIDField(unique=True)),
                (
                    "how",
                    models.CharField(
                        choices=[("key", "key press"), ("click", "click"), ("api", "API"), ("import", "import")],
                        max_length=6,
                    ),
                ),
                (
                    "assessor",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="nugget_votes",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="nugget_votes", to="assess.assignment"
                    ),
                ),
                (
                    "nugget",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="votes", to="nuggets.nugget"
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
                "indexes": [models.Index(fields=["nugget", "assessor", "id"], name="current_vote")],
            },
        ),
    ]
