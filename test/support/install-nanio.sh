#!/usr/bin/env bash
# Makes a virtual environment with nanio, a small server that speaks S3 and checks signatures, unless it is there. Two that start at once
# wait for each other.
#
#   install-nanio.sh VENV VERSION
set -euo pipefail

VENV=$1; VERSION=$2
mkdir -p "$(dirname "$VENV")"
exec 9>"$VENV.lock"
flock 9
[ ! -x "$VENV/bin/nanio" ] || exit 0
python3 -m venv "$VENV" || { echo "python3 -m venv failed" >&2; exit 1; }
"$VENV/bin/pip" install -q --disable-pip-version-check "nanio==$VERSION" || { echo "pip install nanio==$VERSION failed" >&2; exit 1; }
