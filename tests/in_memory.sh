#!/usr/bin/env bash
# Runs a command that keeps its temporary files in memory where the machine has room for them: tests write thousands, which
# nobody reads afterwards, and waited for the disk. Usage: tests/in_memory.sh COMMAND [ARG …]
set -euo pipefail
memory=/dev/shm
if [ -w "$memory" ] &&
  [ "$(df --output=avail -k "$memory" | tail -n 1)" -gt 4000000 ] &&
  [ "$(awk '/^MemAvailable:/ {print $2}' /proc/meminfo)" -gt 6000000 ]; then
  TMPDIR=$(mktemp -d "$memory/assay.XXXXXX")
  chmod 711 "$TMPDIR" # PostgreSQL runs as somebody else
  export TMPDIR
  trap 'rm -rf "$TMPDIR"' EXIT
fi
"$@"
