#!/usr/bin/env bash
# Makes the stored site of one version: what that version's own code, with the packages of its own lock file, loads,
# judges, exports and backs up. Usage, from a clone: tests/data/sites/make.sh 0.3.0 COMMIT
# v0.1.0.tar.xz was made of 18d8b1db, v0.2.0.tar.xz of 8d6552a1. Each holds backup.tar and a folder of exports for each campaign.
set -euo pipefail
version=$1 commit=$2
here=$(cd "$(dirname "$0")" && pwd)
place=$(mktemp -d /tmp/assay-site.XXXXXX)
trap 'rm -rf "$place"' EXIT
mkdir "$place/source" "$place/made"
git -C "$(git -C "$here" rev-parse --show-toplevel)" archive "$commit" | tar x -C "$place/source"
cd "$place/source"
python3 -m venv "$place/environment"
"$place/environment/bin/pip" install --quiet --require-hashes -r requirements.txt
export ASSAY_DATA_DIR=$place/data
manage() { "$place/environment/bin/python" manage.py "$@" >/dev/null; }
for track in rag-nuggets adhoc; do manage demo --no-serve --track "$track"; done
if [ -f "$here/more-$version.py" ]; then manage shell <"$here/more-$version.py"; fi
for track in rag-nuggets adhoc; do manage export "demo-$track" "$place/made/demo-$track"; done
rm -f "$place"/made/*/manifest.json # it says when
manage backup "$place/made/backup.tar"
tar c -C "$place/made" --sort=name --mtime=2026-01-01 --owner=0 --group=0 --numeric-owner . | xz -9e >"$here/v$version.tar.xz"
