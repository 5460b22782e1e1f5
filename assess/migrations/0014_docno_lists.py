"""Lists of valid docnos have names: the docnos of a campaign become one list, called docnos.txt."""

from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models

import assess.base.fields

COPY = """
INSERT INTO assess_validdocno (docno_list_id, docno)
SELECT made.id, old.docno FROM assess_docnobefore old JOIN assess_docnolist made ON made.campaign_id = old.campaign_id
ORDER BY old.id
"""


def copy(apps, schema_editor):
    before, made = apps.get_model("assess", "DocnoBefore"), apps.get_model("assess", "DocnoList")
    counts = before.objects.order_by().values("campaign_id").annotate(docnos=models.Count("id"))
    made.objects.bulk_create(made(name="docnos.txt", in_place=True, **each) for each in counts)
    schema_editor.execute(COPY)


class Migration(migrations.Migration):
    """Rows are copied by one statement, some ten seconds for three million."""

    dependencies = [("assess", "0013_designs")]

    operations = [
        migrations.RenameModel("ValidDocno", "DocnoBefore"),
        migrations.CreateModel(
            name="DocnoList",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", assess.base.fields.CharField(max_length=255)),
                ("docnos", models.PositiveIntegerField(default=0)),
                ("in_place", models.BooleanField(default=False)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="docno_lists",
                        to="assess.campaign",
                    ),
                ),
            ],
            options={"ordering": ["name", "id"]},
        ),
        migrations.CreateModel(
            name="ValidDocno",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("docno", assess.base.fields.CharField(max_length=200)),
                (
                    "docno_list",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="assess.docnolist",
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="docnolist",
            constraint=models.UniqueConstraint(
                condition=models.Q(("in_place", True)), fields=("campaign", "name"), name="one_docno_list_a_name"
            ),
        ),
        migrations.AddConstraint(
            model_name="validdocno",
            constraint=models.UniqueConstraint(fields=("docno_list", "docno"), name="one_docno_a_list"),
        ),
        migrations.RunPython(copy, migrations.RunPython.noop),
        migrations.DeleteModel("DocnoBefore"),
    ]
