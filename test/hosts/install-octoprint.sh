#!/usr/bin/env bash
# Makes a virtual environment with OctoPrint, unless it is there. Two that start at once wait for each other.
#
#   install-octoprint.sh VENV VERSION
set -euo pipefail

VENV=$1; VERSION=$2
mkdir -p "$(dirname "$VENV")"
exec 9>"$VENV.lock"
flock 9
[ ! -x "$VENV/bin/octoprint" ] || exit 0
python3 -m venv "$VENV" || { echo "python3 -m venv failed" >&2; exit 1; }
"$VENV/bin/pip" install -q "OctoPrint==$VERSION" || { echo "pip install OctoPrint==$VERSION failed" >&2; exit 1; }
