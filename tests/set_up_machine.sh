#!/usr/bin/env bash
# Installs what the tests need from Debian, where it is missing: chromium for the browser tests, PostgreSQL.
set -euo pipefail
missing=()
command -v chromium >/dev/null || missing+=(chromium)
ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || missing+=(postgresql)
[ ${#missing[@]} -eq 0 ] && exit 0
if ! command -v apt-get >/dev/null; then
  echo "The tests need: ${missing[*]}. Install them with your system's package manager and run make test again." >&2
  exit 1
fi
as_root=""
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "The tests need: ${missing[*]}. As root: apt-get install ${missing[*]}" >&2; exit 1; }
  as_root=sudo
fi
echo "Installing for the tests: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq
$as_root apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
