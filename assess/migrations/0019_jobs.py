"""What is done in the background is called a job."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("assess", "0018_chain_start")]

    operations = [
        migrations.RenameModel("Work", "Job"),
        migrations.AlterField(
            "job", "campaign", models.ForeignKey("assess.Campaign", on_delete=models.CASCADE, related_name="jobs")
        ),
    ]
