#!/bin/sh
# One backup each night at 03:20 (UTC), named by the day of the week, so that seven are kept. `now` as an argument makes one at once.
set -eu
folder="${BACKUP_FOLDER:-/var/backups/assay}"
while :; do
    [ "${1:-}" = now ] || sleep $(( ($(date -d 'today 03:20' +%s) - $(date +%s) + 86400 - 1) % 86400 + 1 ))
    rm -f "$folder/new.tar"
    if .venv/bin/python manage.py backup "$folder/new.tar"; then
        mv "$folder/new.tar" "$folder/$(date +%a).tar"
    elif [ "${1:-}" = now ]; then
        exit 1
    fi
    [ "${1:-}" = now ] && exit 0
done
