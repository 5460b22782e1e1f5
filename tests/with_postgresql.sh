#!/usr/bin/env bash
# Runs a command with ASSAY_DATABASE naming a fresh PostgreSQL of its own: its own folder, port and process.
# Usage: tests/with_postgresql.sh COMMAND [ARG …]
set -euo pipefail
bin=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
folder=$(mktemp -d "${TMPDIR:-/tmp}/assay-postgresql.XXXXXX")
run() { if [ "$(id -u)" -eq 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi; }
[ "$(id -u)" -ne 0 ] || chown postgres "$folder"
stop() { run "$bin/pg_ctl" -D "$folder/data" -m immediate stop >/dev/null 2>&1 || true; rm -rf "$folder"; }
trap stop EXIT
cd "$folder"
# Autovacuum is off: it sees only what tests roll back, and would tell the planner that full tables are empty.
run "$bin/initdb" -N -A trust -U assay -D "$folder/data" --locale=C.UTF-8 -E UTF8 >/dev/null
# Only now, so that nothing else takes it meanwhile.
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
run "$bin/pg_ctl" -D "$folder/data" -w -l "$folder/log" \
  -o "-c listen_addresses=127.0.0.1 -p $port -c unix_socket_directories='' -c fsync=${ASSAY_TEST_FSYNC:-off} -c max_connections=60 -c autovacuum=off" start >/dev/null
cd "$OLDPWD"
run "$bin/createdb" -h 127.0.0.1 -p "$port" -U assay assay
export ASSAY_DATABASE="postgresql://assay@127.0.0.1:$port/assay"
"$@"
