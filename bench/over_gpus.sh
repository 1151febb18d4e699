#!/bin/sh
# Measures and tests the sorts over several GPUs of one host, as many as there are: 2, 4 and 8 of them.
#
#     bench/over_gpus.sh build/release results/h200x4
#     N=4M SETS='2 0,1,0,1' bench/over_gpus.sh build/release dry --time 0.02 --max-samples 5
#
# The second line is a dry run: all sorts of N items, over SETS of GPUs (0,1,0,1 are four parts on two of them), and with
# other flags of `sortlab run`.
#
# predicted.csv   what the model expects of 4 and 8 GPUs, written before anything is measured
# over_gpus.csv   samples (bench/over_gpus.json); sets of GPUs that there are not are skipped. The same command resumes.
# parts.*         the time of each kernel and copy, and what overlaps what
# *.txt           tests with delays, with memcheck and racecheck, and with 4 and 8 parts on the GPUs that there are
set -eu
build=$1
out=$2
shift 2
export NCCL_NVLS_ENABLE=0
mkdir -p "$out"
[ -e "$out/predicted.csv" ] ||
  python3 plots/devices_model.py --predict results/h200/devices_model.csv > "$out/predicted.csv"
sets=
for set in ${SETS:-}; do sets="$sets --devices $set"; done
for part in keys uneven ranks host small; do
  devices=$sets
  [ "$part" != ranks ] || devices=
  # shellcheck disable=SC2086
  "$build/sortlab" run --matrix bench/over_gpus.json --part "$part" ${N:+--n "$N"} $devices --csv "$out/over_gpus.csv" "$@" || true
done
for set in ${SETS:-2 4 8}; do
  "$build/sortlab" run --filter 'gpu/multi/*' --devices "$set" --n "${N:-2G}" --breakdown --csv "$out/parts.csv" \
    > "$out/parts.$set.txt" 2>&1 || true
done
"$build/sortlab" verify --filter 'gpu/multi/*' --devices 0,1,0,1 --devices 0,1,0,1,0,1,0,1 --n 1000,3000017 \
  > "$out/verify.txt" 2>&1 || true
for test in devices_test rank_parts_test devices_stress_test; do
  "$build/tests/$test" > "$out/$test.txt" 2>&1 || true
done
for tool in memcheck racecheck; do
  SORTLAB_MATRIX=reduced compute-sanitizer --tool "$tool" "$build/tests/devices_test" > "$out/$tool.txt" 2>&1 || true
done
