"""No index of its own for a key with which another index of its table begins: a row less to write for every click.

They are dropped by their names, since altering the fields would make SQLite copy the tables, without the triggers of
the ledgers.
"""

import django.db.models.deletion
from django.db import migrations, models

INDEXES = {
    "nuggets_itemreview_item_id_86ea03d2": "nuggets_itemreview (item_id)",
    "nuggets_nuggetmatch_item_id_32bf83c7": "nuggets_nuggetmatch (item_id)",
    "nuggets_nuggetmatch_nugget_id_c499612c": "nuggets_nuggetmatch (nugget_id)",
    "nuggets_nuggetvote_nugget_id_3071b9d5": "nuggets_nuggetvote (nugget_id)",
}


def altered(model, field, to, related_name):
    key = models.ForeignKey(
        db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name=related_name, to=to
    )
    return migrations.AlterField(model_name=model, name=field, field=key)


class Migration(migrations.Migration):
    dependencies = [
        ("nuggets", "0002_triggers"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(f"DROP INDEX {name}", f"CREATE INDEX {name} ON {columns}")
                for name, columns in INDEXES.items()
            ],
            state_operations=[
                altered("itemreview", "item", "assess.item", "nugget_reviews"),
                altered("nuggetmatch", "item", "assess.item", "nugget_matches"),
                altered("nuggetmatch", "nugget", "nuggets.nugget", "matches"),
                altered("nuggetvote", "nugget", "nuggets.nugget", "votes"),
            ],
        ),
    ]
