import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("assess", "0005_document_clusters"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="poolitem",
            index=models.Index(fields=["pool", "id"], name="pool_item_since"),
        ),
        migrations.AlterField(
            model_name="poolitem",
            name="pool",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="pool_items",
                to="assess.pool",
            ),
        ),
    ]
