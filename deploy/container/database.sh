#!/bin/sh
# PostgreSQL with the database and the account of the site, which are made at the first start. They get their place when all
# of it is done: a first start that is broken off begins again.
set -eu
umask 077
export PGDATA="${PGDATA:-/var/lib/postgresql/assay}"
PATH="$PATH:$(echo /usr/lib/postgresql/*/bin)"
if [ ! -s "$PGDATA/PG_VERSION" ]; then
    rm -rf "$PGDATA.new"
    echo "$DATABASE_PASSWORD" > "$PGDATA.password"
    initdb --pgdata="$PGDATA.new" --username=assay --pwfile="$PGDATA.password" --auth=scram-sha-256 --encoding=UTF8 --locale=C.UTF-8
    rm "$PGDATA.password"
    echo "host all all all scram-sha-256" >> "$PGDATA.new/pg_hba.conf"
    echo "CREATE DATABASE assay" | postgres --single -j -D "$PGDATA.new" postgres
    mv -T "$PGDATA.new" "$PGDATA"
fi
exec postgres -D "$PGDATA" -c listen_addresses='*' -c unix_socket_directories=/tmp "$@"
