"""An index of judgments that holds what is counted of many, so that no row is looked up, instead of two.

The index of the foreign key is dropped by its name, since altering the field would make SQLite copy the table, without
the triggers of the ledger.
"""

import django.db.models.deletion
from django.db import migrations, models

NAME = "assess_judgment_item_id_d52e635f"


class Migration(migrations.Migration):
    dependencies = [
        ("assess", "0017_versions_of_imported_judgments"),
    ]

    operations = [
        migrations.RemoveIndex(model_name="judgment", name="current_judgment"),
        migrations.AddIndex(
            model_name="judgment",
            index=models.Index(
                fields=["item", "criterion", "assessor", "id", "value", "assignment"], name="current_judgment"
            ),
        ),
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(f"DROP INDEX {NAME}", f"CREATE INDEX {NAME} ON assess_judgment (item_id)")
            ],
            state_operations=[
                migrations.AlterField(
                    model_name="judgment",
                    name="item",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="judgments",
                        to="assess.item",
                    ),
                ),
            ],
        ),
    ]
