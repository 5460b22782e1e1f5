"""Tokens of before, one an account and kept as they are sent: they go on working, by their digest and with all scopes."""

from hashlib import sha256

from django.db import migrations

TABLE = "authtoken_token"
SCOPES = "read judge submit organise"
MADE_AGAIN = f"""
CREATE TABLE {TABLE} (
    "key" varchar(40) NOT NULL PRIMARY KEY, "created" timestamp NOT NULL,
    "user_id" integer NOT NULL UNIQUE REFERENCES "auth_user" ("id") DEFERRABLE INITIALLY DEFERRED
)
"""


def take_over(apps, schema_editor):
    connection, token = schema_editor.connection, apps.get_model("assess", "ApiToken")
    with connection.cursor() as cursor:
        if TABLE not in connection.introspection.table_names(cursor):
            return  # a new site
        cursor.execute(f'SELECT "key", user_id FROM {TABLE} ORDER BY user_id')
        token.objects.bulk_create(
            token(
                user_id=user,
                name="Made before tokens had names",
                sha256=sha256(key.encode()).hexdigest(),
                scopes=SCOPES,
            )
            for key, user in cursor.fetchall()
        )
    schema_editor.execute(f"DROP TABLE {TABLE}")


def go_back(apps, schema_editor):
    """Tokens can't be had back from their digests: people make them anew."""
    schema_editor.execute(MADE_AGAIN)


class Migration(migrations.Migration):
    dependencies = [("assess", "0019_api_tokens")]

    operations = [migrations.RunPython(take_over, go_back)]
