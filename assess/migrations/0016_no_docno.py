from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("assess", "0015_kept_estimates"),
    ]

    operations = [
        migrations.AddField(
            model_name="segment",
            name="no_docno",
            field=models.CharField(blank=True, default="", max_length=200),
        ),
    ]
