#!/usr/bin/env bash
# Starts a simulated Marlin printer on a pseudo terminal, with what OctoPrint brings along for that. Arguments: see marlin-pty.py.
set -euo pipefail

VENV=${OCTOPRINT_VENV:?a folder for the virtual environment with OctoPrint}
HERE=$(dirname "$0")
"$HERE/install-octoprint.sh" "$VENV" "${OCTOPRINT_VERSION:-1.11.8}"
exec "$VENV/bin/python" "$HERE/marlin-pty.py" "$@"
