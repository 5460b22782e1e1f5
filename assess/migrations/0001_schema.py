"""Every table of this app, as it stood after the migrations that this one replaces.

Those stay: a database that has only some of them, as every one of version 0.1 does, goes through the others. Triggers
and index of a new database are made by 0002 and 0003, which leave alone what 0002_ledger and 0003_search have made.
"""

import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ("assess", "0001_initial"),
        ("assess", "0002_ledger"),
        ("assess", "0003_search"),
        ("assess", "0004_item_fields"),
        ("assess", "0005_desk"),
        ("assess", "0006_takes_primary"),
        ("assess", "0007_counted_work"),
        ("assess", "0008_repeating_items"),
        ("assess", "0009_account_names"),
        ("assess", "0010_deadline_zone"),
        ("assess", "0011_replaced_runs"),
        ("assess", "0012_release_dates_agreements"),
        ("assess", "0013_topic_drafts"),
        ("assess", "0014_takes_work"),
        ("assess", "0015_kept_estimates"),
        ("assess", "0016_no_docno"),
        ("assess", "0017_run_notes"),
        ("assess", "0018_chain_start"),
        ("assess", "0019_jobs"),
        ("assess", "0020_control_items"),
    ]

    initial = True

    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="AccountName",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("looks_like", models.CharField(max_length=300, unique=True)),
            ],
        ),
        migrations.CreateModel(
            name="Campaign",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "slug",
                    models.CharField(
                        max_length=50,
                        unique=True,
                        validators=[django.core.validators.RegexValidator("^[a-z0-9]([a-z0-9-]*[a-z0-9])?\\Z")],
                    ),
                ),
                ("title", models.CharField(max_length=200)),
                ("track", models.CharField(max_length=50)),
                ("settings", models.JSONField(blank=True, default=dict)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("setup", "setting up"),
                            ("judging", "judging"),
                            ("frozen", "frozen"),
                            ("released", "released"),
                        ],
                        default="setup",
                        max_length=10,
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "drafts",
                    models.CharField(
                        choices=[
                            ("sealed", "never"),
                            ("after", "once they have judged it themselves"),
                            ("open", "at once"),
                        ],
                        default="sealed",
                        max_length=6,
                    ),
                ),
                ("lease_hours", models.PositiveIntegerField(blank=True, null=True)),
                ("runs_due", models.DateTimeField(blank=True, null=True)),
                ("time_zone", models.CharField(default="UTC", max_length=64)),
                ("takes_primary", models.BooleanField(default=False)),
                ("due_zone", models.CharField(blank=True, default="", max_length=64)),
                ("agreement_for", models.JSONField(blank=True, default=list)),
                ("lists_from", models.DateTimeField(blank=True, null=True)),
                ("package_from", models.DateTimeField(blank=True, null=True)),
                ("topics_from", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["-created_at", "-id"],
            },
        ),
        migrations.CreateModel(
            name="LedgerPoint",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("value", models.BigIntegerField()),
            ],
        ),
        migrations.CreateModel(
            name="Activity",
            fields=[
                ("id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("action", models.CharField(max_length=50)),
                ("object_type", models.CharField(blank=True, max_length=50)),
                ("object_id", models.CharField(blank=True, max_length=100)),
                ("data", models.JSONField(blank=True, default=dict)),
                ("request_id", models.CharField(blank=True, max_length=32)),
                (
                    "actor",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "campaign",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="activities",
                        to="assess.campaign",
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
                "indexes": [models.Index(fields=["campaign", "action", "id"], name="activity_of_a_kind")],
            },
        ),
        migrations.CreateModel(
            name="CountedUpTo",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("point", models.BigIntegerField(default=0)),
                ("pool_item", models.BigIntegerField(default=0)),
                ("basis", models.CharField(max_length=64)),
                (
                    "campaign",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="counted", to="assess.campaign"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Document",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("docno", models.CharField(max_length=200)),
                ("media_type", models.CharField(max_length=100)),
                ("charset", models.CharField(blank=True, max_length=50)),
                ("url", models.TextField(blank=True)),
                ("title", models.CharField(blank=True, max_length=300)),
                ("fields", models.JSONField(blank=True, default=dict)),
                ("size", models.PositiveIntegerField()),
                ("sha256", models.CharField(max_length=64)),
                ("source_file", models.CharField(max_length=500)),
                ("source_offset", models.BigIntegerField()),
                ("text_sha256", models.CharField(max_length=64)),
                ("text_version", models.CharField(max_length=50)),
                ("page_version", models.CharField(max_length=50)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("ok", "page and text"),
                            ("text-only", "text only"),
                            ("blank", "shows nothing without scripts"),
                            ("failed", "could not be prepared"),
                        ],
                        default="ok",
                        max_length=10,
                    ),
                ),
                ("note", models.TextField(blank=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="documents", to="assess.campaign"
                    ),
                ),
            ],
            options={
                "ordering": ["docno"],
                "constraints": [models.UniqueConstraint(fields=("campaign", "docno"), name="one_document_a_docno")],
            },
        ),
        migrations.CreateModel(
            name="Guideline",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("version", models.PositiveIntegerField()),
                ("text", models.TextField()),
                ("published_at", models.DateTimeField(auto_now_add=True)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="guidelines", to="assess.campaign"
                    ),
                ),
                (
                    "published_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "ordering": ["-version"],
                "constraints": [
                    models.UniqueConstraint(fields=("campaign", "version"), name="one_guideline_a_version")
                ],
            },
        ),
        migrations.CreateModel(
            name="Invitation",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("organiser", "organiser"),
                            ("assessor", "assessor"),
                            ("adjudicator", "adjudicator"),
                            ("participant", "participant"),
                        ],
                        max_length=12,
                    ),
                ),
                ("team", models.CharField(blank=True, max_length=50)),
                ("note", models.CharField(blank=True, max_length=200)),
                ("token_sha256", models.CharField(max_length=64, unique=True)),
                ("expires_at", models.DateTimeField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("accepted_at", models.DateTimeField(blank=True, null=True)),
                (
                    "accepted_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="invitations", to="assess.campaign"
                    ),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at", "-id"],
            },
        ),
        migrations.CreateModel(
            name="Job",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.CharField(max_length=50)),
                ("arguments", models.JSONField(default=dict)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "waiting"),
                            ("running", "running"),
                            ("done", "done"),
                            ("failed", "failed"),
                            ("stopped", "stopped"),
                        ],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                ("done", models.BigIntegerField(default=0)),
                ("total", models.BigIntegerField(null=True)),
                ("unit", models.CharField(default="documents", max_length=20)),
                ("message", models.TextField(blank=True)),
                ("issues", models.JSONField(blank=True, default=list)),
                ("asked_to_stop", models.BooleanField(default=False)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("updated_at", models.DateTimeField(auto_now=True)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="jobs", to="assess.campaign"
                    ),
                ),
                (
                    "started_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
            },
        ),
        migrations.CreateModel(
            name="Membership",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("organiser", "organiser"),
                            ("assessor", "assessor"),
                            ("adjudicator", "adjudicator"),
                            ("participant", "participant"),
                        ],
                        max_length=12,
                    ),
                ),
                ("team", models.CharField(blank=True, max_length=50)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="memberships", to="assess.campaign"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("is_machine", models.BooleanField(default=False)),
                ("takes_work", models.BooleanField(default=True)),
            ],
            options={
                "ordering": ["role", "user__username", "id"],
                "constraints": [
                    models.UniqueConstraint(fields=("campaign", "user", "role"), name="one_membership_a_role")
                ],
            },
        ),
        migrations.CreateModel(
            name="Pool",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("task", models.CharField(max_length=50)),
                ("recipe", models.JSONField()),
                ("digest", models.CharField(max_length=64)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="pools", to="assess.campaign"
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
            },
        ),
        migrations.CreateModel(
            name="Release",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("as_of", models.BigIntegerField()),
                ("manifest", models.JSONField()),
                ("archive", models.CharField(max_length=64)),
                ("code_version", models.CharField(max_length=50)),
                ("published", models.BooleanField(default=False)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="releases", to="assess.campaign"
                    ),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
            },
        ),
        migrations.CreateModel(
            name="Run",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("submission", models.CharField(max_length=50)),
                ("tag", models.CharField(max_length=100)),
                ("team", models.CharField(blank=True, max_length=50)),
                ("priority", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("automatic", models.BooleanField(default=True)),
                ("description", models.TextField(blank=True)),
                ("fields", models.JSONField(blank=True, default=dict)),
                ("file", models.CharField(max_length=64)),
                ("file_name", models.CharField(max_length=255)),
                ("size", models.BigIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("checking", "being checked"),
                            ("accepted", "accepted"),
                            ("rejected", "rejected by the checker"),
                            ("withdrawn", "withdrawn"),
                        ],
                        max_length=10,
                    ),
                ),
                ("report", models.JSONField(blank=True, default=list)),
                ("errors", models.PositiveIntegerField(default=0)),
                ("warnings", models.PositiveIntegerField(default=0)),
                ("submitted_at", models.DateTimeField(auto_now_add=True)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="runs", to="assess.campaign"
                    ),
                ),
                (
                    "submitted_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                ("repaired", models.CharField(blank=True, max_length=64)),
                ("repairs", models.JSONField(blank=True, default=list)),
                (
                    "replaces",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="replacements",
                        to="assess.run",
                    ),
                ),
                ("notes", models.PositiveIntegerField(default=0)),
            ],
            options={
                "ordering": ["tag", "id"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("state", "accepted")),
                        fields=("campaign", "tag"),
                        name="one_accepted_run_a_tag",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Topic",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("task", models.CharField(blank=True, max_length=50)),
                ("number", models.CharField(max_length=100)),
                ("ordinal", models.PositiveIntegerField(default=0)),
                ("text", models.TextField()),
                ("fields", models.JSONField(blank=True, default=dict)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="topics", to="assess.campaign"
                    ),
                ),
                (
                    "parent",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="children",
                        to="assess.topic",
                    ),
                ),
            ],
            options={
                "ordering": ["ordinal", "id"],
                "constraints": [models.UniqueConstraint(fields=("campaign", "number"), name="one_topic_a_number")],
            },
        ),
        migrations.CreateModel(
            name="UserAgreement",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("version", models.PositiveIntegerField()),
                ("text", models.TextField()),
                ("published_at", models.DateTimeField(auto_now_add=True)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="user_agreements",
                        to="assess.campaign",
                    ),
                ),
                (
                    "published_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "ordering": ["-version"],
                "constraints": [
                    models.UniqueConstraint(fields=("campaign", "version"), name="one_agreement_a_version")
                ],
            },
        ),
        migrations.CreateModel(
            name="ValidDocno",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("docno", models.CharField(max_length=200)),
                (
                    "campaign",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="valid_docnos",
                        to="assess.campaign",
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("campaign", "docno"), name="one_valid_docno")],
            },
        ),
        migrations.CreateModel(
            name="Acceptance",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("team", models.CharField(max_length=50)),
                ("accepted_at", models.DateTimeField(auto_now_add=True)),
                ("note", models.CharField(blank=True, max_length=200)),
                (
                    "accepted_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "agreement",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="acceptances",
                        to="assess.useragreement",
                    ),
                ),
            ],
            options={
                "ordering": ["team"],
                "constraints": [models.UniqueConstraint(fields=("agreement", "team"), name="one_acceptance_a_team")],
            },
        ),
        migrations.CreateModel(
            name="Assignment",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("stage", models.CharField(max_length=50)),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("primary", "author"),
                            ("second", "other assessor"),
                            ("adjudicator", "adjudicator"),
                            ("machine", "machine judge"),
                        ],
                        default="primary",
                        max_length=12,
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("open", "open"),
                            ("started", "started"),
                            ("done", "done"),
                            ("returned", "given back"),
                        ],
                        default="open",
                        max_length=10,
                    ),
                ),
                ("seed", models.PositiveBigIntegerField()),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("done_at", models.DateTimeField(blank=True, null=True)),
                (
                    "assessor",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="assignments",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="assignments", to="assess.campaign"
                    ),
                ),
                (
                    "topic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="assignments", to="assess.topic"
                    ),
                ),
                (
                    "taken_over",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="handed_over",
                        to="assess.assignment",
                    ),
                ),
                (
                    "chain_start",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="chain",
                        to="assess.assignment",
                    ),
                ),
            ],
            options={
                "ordering": ["topic__ordinal", "topic_id", "stage", "id"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("state", "returned"), _negated=True),
                        fields=("topic", "stage", "assessor"),
                        name="one_live_assignment",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("role", "primary"), models.Q(("state", "returned"), _negated=True)),
                        fields=("topic", "stage"),
                        name="one_primary_a_stage",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="DocumentBody",
            fields=[
                (
                    "document",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="body",
                        serialize=False,
                        to="assess.document",
                    ),
                ),
                ("raw", models.BinaryField()),
                ("page", models.BinaryField(null=True)),
                ("text", models.TextField()),
            ],
        ),
        migrations.CreateModel(
            name="Item",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.CharField(max_length=30)),
                ("key", models.CharField(max_length=200)),
                ("text", models.TextField(blank=True)),
                ("docno", models.CharField(blank=True, max_length=200)),
                (
                    "document",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="items",
                        to="assess.document",
                    ),
                ),
                (
                    "topic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="items", to="assess.topic"
                    ),
                ),
                ("fields", models.JSONField(blank=True, default=dict)),
                ("given", models.BooleanField(default=False)),
                (
                    "repeats",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="copies",
                        to="assess.item",
                    ),
                ),
            ],
            options={
                "ordering": ["topic", "id"],
                "indexes": [
                    models.Index(fields=["docno"], name="assess_item_docno_30bb1b_idx"),
                    models.Index(
                        condition=models.Q(("repeats__isnull", False)), fields=["repeats"], name="item_that_repeats"
                    ),
                ],
                "constraints": [models.UniqueConstraint(fields=("topic", "kind", "key"), name="one_item_a_key")],
            },
        ),
        migrations.CreateModel(
            name="ListedDocument",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("rank", models.PositiveIntegerField()),
                ("docno", models.CharField(max_length=200)),
                ("score", models.FloatField()),
                (
                    "topic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="listed_documents", to="assess.topic"
                    ),
                ),
            ],
            options={
                "ordering": ["topic", "rank", "id"],
                "indexes": [models.Index(fields=["topic", "rank"], name="assess_list_topic_i_17142a_idx")],
                "constraints": [models.UniqueConstraint(fields=("topic", "docno"), name="one_listing_a_document")],
            },
        ),
        migrations.CreateModel(
            name="PooledCount",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.CharField(max_length=30)),
                ("items", models.IntegerField(default=0)),
                (
                    "pool",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="counts",
                        to="assess.pool",
                    ),
                ),
                (
                    "topic",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="+", to="assess.topic"),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("pool", "topic", "kind"), name="one_count_of_a_pool")],
            },
        ),
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
                "constraints": [
                    models.UniqueConstraint(fields=("campaign", "number"), name="one_topic_draft_a_number")
                ],
            },
        ),
        migrations.CreateModel(
            name="WorkDay",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("stage", models.CharField(max_length=50)),
                ("day", models.DateField()),
                ("acts", models.IntegerField(default=0)),
                ("settled", models.IntegerField(default=0)),
                ("seconds", models.FloatField(default=0)),
                ("timed", models.IntegerField(default=0)),
                ("last_at", models.DateTimeField(null=True)),
                (
                    "assessor",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "campaign",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="work_days",
                        to="assess.campaign",
                    ),
                ),
                (
                    "topic",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="+", to="assess.topic"),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("campaign", "topic", "stage", "assessor", "day"), name="one_row_a_day_of_work"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ControlItem",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(choices=[("repeat", "judged before"), ("gold", "answer known")], max_length=6),
                ),
                ("expected", models.JSONField(blank=True, default=dict)),
                ("place", models.PositiveIntegerField()),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="control_items",
                        to="assess.assignment",
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="control_items", to="assess.item"
                    ),
                ),
            ],
            options={
                "ordering": ["assignment", "place", "id"],
                "constraints": [models.UniqueConstraint(fields=("assignment", "item"), name="planted_once")],
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
                "indexes": [models.Index(fields=["draft", "number", "id"], name="current_find")],
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
                ("estimate", models.JSONField(null=True)),
            ],
            options={
                "ordering": ["id"],
            },
        ),
        migrations.CreateModel(
            name="HelpRequest",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("text", models.TextField()),
                ("client_key", models.UUIDField(unique=True)),
                ("asked_at", models.DateTimeField(auto_now_add=True)),
                ("answer", models.TextField(blank=True)),
                ("excused", models.BooleanField(default=False)),
                ("answered_at", models.DateTimeField(blank=True, null=True)),
                (
                    "answered_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="help_requests",
                        to="assess.assignment",
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="help_requests",
                        to="assess.item",
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
            },
        ),
        migrations.CreateModel(
            name="Judgment",
            fields=[
                ("id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("criterion", models.CharField(max_length=50)),
                ("value", models.SmallIntegerField(null=True)),
                ("note", models.TextField(blank=True)),
                ("evidence", models.JSONField(null=True)),
                ("client_key", models.UUIDField(unique=True)),
                (
                    "how",
                    models.CharField(
                        choices=[("key", "key press"), ("click", "click"), ("api", "API"), ("import", "import")],
                        max_length=6,
                    ),
                ),
                ("seconds", models.FloatField(null=True)),
                (
                    "assessor",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="judgments",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="judgments", to="assess.assignment"
                    ),
                ),
                (
                    "guideline",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="assess.guideline"
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="judgments", to="assess.item"
                    ),
                ),
                (
                    "draft",
                    models.CharField(
                        blank=True,
                        choices=[("open", "shown before"), ("after", "shown after an own judgment")],
                        max_length=6,
                        null=True,
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
                "indexes": [models.Index(fields=["item", "criterion", "assessor", "id"], name="current_judgment")],
            },
        ),
        migrations.CreateModel(
            name="PoolItem",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("stratum", models.CharField(blank=True, max_length=50)),
                ("probability", models.FloatField(default=1.0)),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="pool_items", to="assess.item"
                    ),
                ),
                (
                    "pool",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="pool_items", to="assess.pool"
                    ),
                ),
                ("place", models.PositiveIntegerField(blank=True, null=True)),
            ],
            options={
                "ordering": ["pool", "id"],
                "constraints": [models.UniqueConstraint(fields=("pool", "item"), name="one_place_in_a_pool")],
            },
        ),
        migrations.CreateModel(
            name="Response",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("characters", models.PositiveIntegerField(default=0)),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="responses", to="assess.run"
                    ),
                ),
                (
                    "topic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="responses", to="assess.topic"
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="responses",
                        to="assess.item",
                    ),
                ),
            ],
            options={
                "ordering": ["run", "topic"],
                "constraints": [models.UniqueConstraint(fields=("run", "topic"), name="one_response_a_topic")],
            },
        ),
        migrations.CreateModel(
            name="Segment",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("ordinal", models.PositiveIntegerField()),
                ("text", models.TextField()),
                ("docno", models.CharField(blank=True, max_length=200)),
                ("line", models.PositiveIntegerField(null=True)),
                (
                    "item",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="segments",
                        to="assess.item",
                    ),
                ),
                (
                    "response",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="segments", to="assess.response"
                    ),
                ),
                ("no_docno", models.CharField(blank=True, default="", max_length=200)),
            ],
            options={
                "ordering": ["response", "ordinal"],
                "constraints": [models.UniqueConstraint(fields=("response", "ordinal"), name="one_segment_an_ordinal")],
            },
        ),
        migrations.CreateModel(
            name="Citation",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("ordinal", models.PositiveIntegerField()),
                ("docno", models.CharField(max_length=200)),
                (
                    "item",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="citations",
                        to="assess.item",
                    ),
                ),
                (
                    "segment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="citations", to="assess.segment"
                    ),
                ),
            ],
            options={
                "ordering": ["segment", "ordinal"],
                "constraints": [models.UniqueConstraint(fields=("segment", "ordinal"), name="one_citation_an_ordinal")],
            },
        ),
    ]
