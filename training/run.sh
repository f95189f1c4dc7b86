#!/usr/bin/env bash
# Makes the shipped model from photos and rendered scenes:
#
#   bash training/run.sh --data DIR [--out DIR] [--venv DIR] [--work DIR] [--batches N] [--seed S]
#
# --data   folder with images/, labels/ and manifest.json
# --out    where detector.onnx and detector.json go (default: packages/server/models)
# --venv   a virtual environment with requirements.txt installed (default: training/.venv, made if absent)
# --work   scenes, checkpoints and logs (default: training/.cache)
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
data='' out="$root/packages/server/models" venv="$here/.venv" work="$here/.cache" batches=1800 seed=1

while [ $# -gt 0 ]; do
  case $1 in
    --data) data=$2 ;;
    --out) out=$2 ;;
    --venv) venv=$2 ;;
    --work) work=$2 ;;
    --batches) batches=$2 ;;
    --seed) seed=$2 ;;
    *) echo "unknown option $1" >&2; exit 2 ;;
  esac
  shift 2
done
if [ -z "$data" ]; then
  sed -n '2,9s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi

if [ ! -x "$venv/bin/python" ]; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install --requirement "$here/requirements.txt"
fi
mkdir -p "$out" "$work"

render() { # folder, then options of render-scenes.ts; a finished folder is kept
  local folder=$1
  shift
  [ -e "$folder/.done" ] && return
  rm -rf "$folder"
  (cd "$root" && npx tsx --conditions=x-source scripts/render-scenes.ts --out "$folder" "$@")
  touch "$folder/.done"
}

# Seeds 1 for training; the other seeds are seen for the first time in the evaluation.
render "$work/scenes-train" --count 600 --seed 1
render "$work/scenes-eval" --count 400 --seed 9001
for s in 501 502 503 504 505 506; do
  render "$work/sequences/good-$s" --sequence --frames 40 --seed $s
done
for s in 601 602 603 604 605 606 607 608 609 610; do
  render "$work/sequences/failing-$s" --sequence --frames 60 --fail-at 0.35 --seed $s
done

"$venv/bin/python" "$here/train.py" --data "$data" --scenes "$work/scenes-train" --out "$work" \
  --batches "$batches" --seed "$seed"
"$venv/bin/python" "$here/export.py" --checkpoint "$work/checkpoint.pt" --data "$data" --out "$out/detector.onnx"
"$venv/bin/python" "$here/evaluate.py" --model "$out/detector.onnx" --data "$data" --scenes "$work/scenes-eval" \
  --sequences "$work/sequences" --settings "$work/settings.json" --out "$out/detector.json"
