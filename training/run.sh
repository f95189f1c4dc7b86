#!/usr/bin/env bash
# Makes the shipped model from photos and rendered prints, and measures it:
#
#   bash training/run.sh --data DIR [--out DIR] [--venv DIR] [--work DIR] [--fold-batches N] [--seed S]
#
# --data   folder with images/, labels/ and manifest.json
# --out    where detector.onnx, detector-int8.onnx and detector.json go (default: packages/server/models)
# --venv   a virtual environment with requirements.txt installed (default: training/.venv, made if absent)
# --work   pictures, checkpoints and logs (default: training/.cache); what is finished there is not made again
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
data='' out="$root/packages/server/models" venv="$here/.venv" work="$here/.cache" fold_batches=560 seed=1

while [ $# -gt 0 ]; do
  case $1 in
    --data) data=$2 ;;
    --out) out=$2 ;;
    --venv) venv=$2 ;;
    --work) work=$2 ;;
    --fold-batches) fold_batches=$2 ;;
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
out=$(cd "$out" && pwd) work=$(cd "$work" && pwd) data=$(cd "$data" && pwd)

once() { # folder, then a command that fills it; a finished folder is kept
  local folder=$1
  shift
  [ -e "$folder/.done" ] && return
  rm -rf "$folder"
  mkdir -p "$folder"
  "$@" --out "$folder"
  touch "$folder/.done"
}
scenes() { (cd "$root" && npx tsx --conditions=x-source scripts/render-scenes.ts "$@"); }
toolpaths() { (cd "$root" && npx tsx --conditions=x-source training/toolpaths/render.ts "$@"); }
python() { "$venv/bin/python" "$here/$1" "${@:2}"; }

# Seeds 1 for training; the other seeds are seen for the first time when the result is measured.
once "$work/scenes-train" scenes --count 600 --seed 1
once "$work/scenes-eval" scenes --count 600 --seed 9001
once "$work/toolpaths-train" toolpaths --count 1200 --seed 1 --size 448x336
once "$work/toolpaths-good" toolpaths --count 400 --seed 9001 --negatives
once "$work/toolpaths-kinds" toolpaths --count 280 --seed 9002 \
  --kinds tangle,detached,air,blob,stringing,layer_shift,warping
for s in 501 502 503 504 505 506; do
  once "$work/sequences/good-$s" scenes --sequence --frames 40 --seed $s
done
for s in 601 602 603 604 605 606 607 608 609 610; do
  once "$work/sequences/failing-$s" scenes --sequence --frames 60 --fail-at 0.35 --seed $s
done

once "$work/views-photos" python views.py --data "$data" --scenes "$work/scenes-train" --count 16000 --seed "$seed"
once "$work/views-rendered" python views.py --data "$data" --scenes "$work/toolpaths-train" --mixture rendered \
  --count 4500 --seed $((seed + 1))
once "$work/views-lamps" python views.py --data "$data" --scenes "$work/toolpaths-train" --scenes "$work/scenes-train" \
  --lamp-share 0.12 --count 6000 --seed $((seed + 2))
once "$work/views-healed" python views.py --data "$data" --mixture healed --lamp-share 0.06 --count 4500 --seed $((seed + 3))
plain() { python views.py --data "$data" --scenes "$work/scenes-train" --scenes "$work/toolpaths-train" --mixture plain --count 13000 "$@"; }
once "$work/views-plain-folds" plain --seed $((seed + 19))
once "$work/views-plain-1" plain --training-only --seed $((seed + 20))
once "$work/views-plain-2" plain --training-only --seed $((seed + 21))

# Five folds of each of the two ways of mixing pictures. Those of the first name the labels that they contradict; those of the second are
# the published figures, in which no photo was scored by a network that saw its group.
for fold in 0 1 2 3 4; do
  once "$work/folds/fold-$fold" python train.py --views "$work/views-photos" --views "$work/views-rendered" \
    --data "$data" --fold $fold --batches "$fold_batches" --seed "$seed"
  once "$work/plain-folds/fold-$fold" python train.py --views "$work/views-plain-folds" --score-weight 0.5 \
    --data "$data" --fold $fold --batches "$fold_batches" --seed "$seed"
done
for folds in folds plain-folds; do
  python folds.py --runs "$work/$folds" --data "$data" --out "$work/$folds.json" \
    --rendered "scenes=$work/scenes-eval" --rendered "toolpaths, good=$work/toolpaths-good" \
    --rendered "toolpaths, failing=$work/toolpaths-kinds"
done
python clean.py --records "$work/folds/records.json" --out "$work/dropped.txt"

# Failures pasted small, covered and rendered; then all filters that are not frozen, slower, without the covered ones.
once "$work/first" python train.py --views "$work/views-photos" --views "$work/views-rendered" --views "$work/views-lamps" \
  --views "$work/views-healed" --data "$data" --drop "$work/dropped.txt" --batches 2300 --seed "$seed"
once "$work/second" python train.py --views "$work/views-photos" --views "$work/views-rendered" --views "$work/views-lamps" \
  --data "$data" --drop "$work/dropped.txt" --start "$work/first/checkpoint.pt" --rate 7e-4 --batches 850 --seed $((seed + 10))
# Mostly whole photos; then the same with all filters that are not frozen.
once "$work/plain" python train.py --views "$work/views-plain-1" --views "$work/views-plain-2" --data "$data" --score-weight 0.5 \
  --batches 1300 --seed "$seed"
once "$work/plain-wide" python train.py --views "$work/views-plain-1" --views "$work/views-plain-2" --data "$data" --score-weight 0.5 \
  --start "$work/plain/checkpoint.pt" --rate 7e-4 --batches 650 --seed $((seed + 10))

# A third each: the mean of the first two, and the others. What is named twice counts twice.
checkpoints=() settings=()
for run in first second plain plain plain-wide plain-wide; do
  checkpoints+=(--checkpoint "$work/$run/checkpoint.pt")
  settings+=(--settings "$work/$run/settings.json")
done
python export.py "${checkpoints[@]}" --data "$data" --out "$out/detector.onnx" --int8 "$out/detector-int8.onnx"
python evaluate.py --model "$out/detector.onnx" --int8 "$out/detector-int8.onnx" --data "$data" \
  --scenes "$work/scenes-eval" --toolpaths "$work/toolpaths-kinds" --toolpaths "$work/toolpaths-good" \
  --sequences "$work/sequences" --folds "$work/plain-folds.json" "${settings[@]}" --out "$out/detector.json"
