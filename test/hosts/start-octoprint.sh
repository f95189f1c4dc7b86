#!/usr/bin/env bash
# Starts a real OctoPrint with its bundled Virtual Printer, headless, on 127.0.0.1.
#
#   start-octoprint.sh WORKDIR PORT
#
# Runs in the foreground; prints one line "READY ..." when the REST API answers and the
# virtual printer is Operational. TERM or INT stops OctoPrint and exits.
#
# Environment (all optional):
#   OCTOPRINT_VENV      venv with OctoPrint  (default WORKDIR/venv; made and filled if missing)
#   OCTOPRINT_VERSION   version to install   (default 1.11.8)
#   OCTOPRINT_USER / OCTOPRINT_PASSWORD      (default agent / agent-pass)
#   OCTOPRINT_API_KEY   API key of that user (default 0123456789ABCDEF0123456789ABCDEF)
#   OCTOPRINT_THROTTLE  virtual printer seconds per line (default 0.01)
#   OCTOPRINT_SEND_BUSY true: the printer says "echo:busy processing" during long commands; then every
#                       G4 takes a multiple of 2 s (default false)
#   OCTOPRINT_LOCKED    true: the printer wants a passcode first
#   OCTOPRINT_STREAM / OCTOPRINT_SNAPSHOT    webcam URLs (default: none)
#   OCTOPRINT_AUTOCONNECT  true|false        (default true)
#   OCTOPRINT_WAIT_S    seconds to wait for READY (default 90)
set -euo pipefail

die() { echo "start-octoprint: $*" >&2; exit 1; }
[ $# -eq 2 ] || die "usage: start-octoprint.sh WORKDIR PORT"
mkdir -p "$1"; WORK=$(cd "$1" && pwd); PORT=$2
case $PORT in ''|*[!0-9]*) die "PORT must be a number, got '$PORT'";; esac
command -v curl >/dev/null || die "curl is needed (apt-get install curl)"

VENV=${OCTOPRINT_VENV:-$WORK/venv}
VERSION=${OCTOPRINT_VERSION:-1.11.8}
USER_NAME=${OCTOPRINT_USER:-agent}
USER_PASS=${OCTOPRINT_PASSWORD:-agent-pass}
KEY=${OCTOPRINT_API_KEY:-0123456789ABCDEF0123456789ABCDEF}
AUTO=${OCTOPRINT_AUTOCONNECT:-true}
BASE=$WORK/base
URL=http://127.0.0.1:$PORT

if (exec 3<>"/dev/tcp/127.0.0.1/$PORT") 2>/dev/null; then die "port $PORT is already in use"; fi

bash "$(dirname "$0")/install-octoprint.sh" "$VENV" "$VERSION" || die "OctoPrint could not be installed"

mkdir -p "$BASE"
if [ ! -f "$BASE/config.yaml" ]; then
cat > "$BASE/config.yaml" <<YAML
server:
  host: 127.0.0.1
  port: $PORT
  firstRun: false                # no set-up wizard
  onlineCheck: {enabled: false}  # no internet
  pluginBlacklist: {enabled: false}
  startOnceInSafeMode: false
  incompleteStartup: false       # after a kill -9: don't fall back to safe mode
  ignoreIncompleteStartup: true
  seenWizards: {corewizard: 4, classicwebcam: 1, backup: null, tracking: null}
accessControl:
  autologinLocal: false
api:
  allowCrossOrigin: false
serial:
  port: VIRTUAL
  baudrate: 0
  autoconnect: $AUTO
  additionalPorts: []
events: {enabled: true}
plugins:
  _disabled: [announcements, softwareupdate, tracking, errortracking, discovery, achievements, health_check]
  virtual_printer:
    _config_version: 1
    enabled: true
    throttle: ${OCTOPRINT_THROTTLE:-0.01}
    sendBusy: ${OCTOPRINT_SEND_BUSY:-false}
    locked: ${OCTOPRINT_LOCKED:-false}
    simulated_errors: []         # the default list injects resends at lines 100-115
  classicwebcam:
    _config_version: 1           # else OctoPrint's settings migration empties the two URLs
    stream: "${OCTOPRINT_STREAM:-}"
    snapshot: "${OCTOPRINT_SNAPSHOT:-}"
webcam:
  webcamEnabled: true
  timelapseEnabled: false
YAML
fi
[ -f "$BASE/users.yaml" ] || "$VENV/bin/python" - "$BASE/users.yaml" "$USER_NAME" "$USER_PASS" "$KEY" <<'PY' || die "could not write users.yaml"
# The same file that `octoprint user add NAME --password PW --admin` writes, plus an API key.
import sys, yaml
from passlib.hash import argon2
path, name, password, key = sys.argv[1:]
yaml.safe_dump({name: {
    "password": argon2.hash(password), "active": True, "apikey": key,
    "groups": ["users", "admins"], "permissions": [], "roles": ["user", "admin"], "settings": {}}},
    open(path, "w"))
PY

"$VENV/bin/octoprint" serve --basedir "$BASE" --host 127.0.0.1 --port "$PORT" --iknowwhatimdoing \
  >"$WORK/octoprint.out" 2>&1 &
PID=$!
stop() { trap - TERM INT EXIT; kill "$PID" 2>/dev/null || true; for _ in $(seq 50); do kill -0 "$PID" 2>/dev/null || break; sleep 0.2; done; kill -9 "$PID" 2>/dev/null || true; wait "$PID" 2>/dev/null || true; }
trap 'stop; exit 143' TERM; trap 'stop; exit 130' INT; trap 'stop' EXIT

T0=$(date +%s%N); READY=
for _ in $(seq $(( ${OCTOPRINT_WAIT_S:-90} * 4 ))); do
  kill -0 "$PID" 2>/dev/null || { tail -20 "$WORK/octoprint.out" >&2; die "OctoPrint stopped while starting, see $WORK/octoprint.out"; }
  if curl -sf -m 2 -H "X-Api-Key: $KEY" "$URL/api/connection" 2>/dev/null | grep -Eq "\"state\": *\"$([ "$AUTO" = true ] && echo 'Operational' || echo '(Closed|Operational)')"; then READY=1; break; fi
  sleep 0.25
done
[ -n "$READY" ] || die "not ready in time, see $WORK/octoprint.out"
echo "READY url=$URL key=$KEY user=$USER_NAME password=$USER_PASS pid=$PID base=$BASE after_ms=$(( ($(date +%s%N)-T0)/1000000 ))"
wait "$PID"
