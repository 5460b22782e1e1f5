#!/bin/sh
# PostgreSQL with the database and the account of the site, which are made at the first start.
set -eu
export PGDATA=/var/lib/postgresql/assay
PATH="$(echo /usr/lib/postgresql/*/bin):$PATH"
if [ ! -s "$PGDATA/PG_VERSION" ]; then
    echo "$DATABASE_PASSWORD" > /tmp/password
    initdb --username=assay --pwfile=/tmp/password --auth=scram-sha-256 --encoding=UTF8 --locale=C.UTF-8
    rm /tmp/password
    echo "host all all all scram-sha-256" >> "$PGDATA/pg_hba.conf"
    echo "CREATE DATABASE assay" | postgres --single -j -D "$PGDATA" postgres
fi
exec postgres -D "$PGDATA" -c listen_addresses='*' -c unix_socket_directories=/tmp
