"""What is planted among work is called a control item."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("assess", "0019_jobs")]

    operations = [
        migrations.RenameModel("Plant", "ControlItem"),
        migrations.AlterField(
            "controlitem",
            "assignment",
            models.ForeignKey("assess.Assignment", on_delete=models.PROTECT, related_name="control_items"),
        ),
        migrations.AlterField(
            "controlitem",
            "item",
            models.ForeignKey("assess.Item", on_delete=models.PROTECT, related_name="control_items"),
        ),
    ]
