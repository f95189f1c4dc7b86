#!/usr/bin/env bash
# One set of rendered pictures: 1,000 good prints, 350 failing ones, 80 that are shifted or warped.
# Usage: bash training/toolpaths/render-set.sh DIR [SEED] [more arguments of render.ts, such as --size 320x240]
set -euo pipefail
out=${1:?where to write}
seed=${2:-1}
more=("${@:3}")
here=$(cd "$(dirname "$0")" && pwd)
render() { npx tsx --conditions=x-source "$here/render.ts" --out "$out" --seed "$seed" "${more[@]}" "$@"; }
cd "$here/../.."
case $out in /*) ;; *) out=$OLDPWD/$out ;; esac
render --negatives --count 1000
render --kinds tangle,detached,tangle,air,stringing,detached,blob --first 100000 --count 350
render --kinds layer_shift,warping --first 200000 --count 80
