#!/usr/bin/env bash
# Installs what the tests need from Debian, where it is missing: chromium and Firefox for the browser tests, PostgreSQL, and
# nginx with openssl, for the block of configuration in docs/running-a-site.md.
# Also chromium's headless shell, where this Debian has it: without it the browser tests drive the whole of chromium.
set -euo pipefail
shell=chromium-headless-shell
has_no_shell() { ! command -v "$shell" >/dev/null && [ -n "$(apt-cache search --names-only "^$shell\$" 2>/dev/null)" ]; }
missing=()
command -v chromium >/dev/null || missing+=(chromium)
command -v firefox-esr >/dev/null || missing+=(firefox-esr)
ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || missing+=(postgresql)
command -v nginx >/dev/null || [ -x /usr/sbin/nginx ] || missing+=(nginx-light)
command -v openssl >/dev/null || missing+=(openssl)
if [ ${#missing[@]} -eq 0 ] && ! has_no_shell; then exit 0; fi
if ! command -v apt-get >/dev/null; then
  echo "The tests need: ${missing[*]}. Install them with your system's package manager and run make test again." >&2
  exit 1
fi
as_root=""
if [ "$(id -u)" -ne 0 ]; then
  if [ ${#missing[@]} -eq 0 ] && ! command -v sudo >/dev/null; then exit 0; fi
  command -v sudo >/dev/null || { echo "The tests need: ${missing[*]}. As root: apt-get install ${missing[*]}" >&2; exit 1; }
  as_root=sudo
fi
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq
if has_no_shell; then missing+=("$shell"); fi
echo "Installing for the tests: ${missing[*]}"
$as_root apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
