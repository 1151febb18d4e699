#!/bin/sh
# Measures and tests the sorts over several GPUs of one host, as many as there are: 2, 4 and 8 of them.
#
#     bench/over_gpus.sh build/release results/h200x4
#
# predicted.csv   what the model expects, written before anything is measured
# over_gpus.csv   samples (bench/over_gpus.json); sets of GPUs that there are not are skipped. The same command resumes.
# parts.*         the time of each kernel and copy, and what overlaps what
# *.txt           tests with delays, with memcheck and racecheck, and with 4 and 8 parts on the GPUs that there are
set -eu
build=$1
out=$2
export NCCL_NVLS_ENABLE=0
mkdir -p "$out"
[ -e "$out/predicted.csv" ] ||
  python3 plots/devices_model.py --predict results/h200/devices_model.csv > "$out/predicted.csv"
"$build/sortlab" verify --filter 'gpu/multi/*' --devices 0,1,0,1 --devices 0,1,0,1,0,1,0,1 --n 1000,3000017 > "$out/verify.txt" 2>&1 || true
for part in keys uneven ranks host small; do
  "$build/sortlab" run --matrix bench/over_gpus.json --part "$part" --csv "$out/over_gpus.csv" || true
done
for devices in 2 4 8; do
  "$build/sortlab" run --filter 'gpu/multi/*' --devices "$devices" --n 2G --breakdown --csv "$out/parts.csv" \
    > "$out/parts.$devices.txt" 2>&1 || true
done
for test in devices_test rank_parts_test devices_stress_test; do
  "$build/tests/$test" > "$out/$test.txt" 2>&1 || true
done
for tool in memcheck racecheck; do
  SORTLAB_MATRIX=reduced compute-sanitizer --tool "$tool" "$build/tests/devices_test" > "$out/$tool.txt" 2>&1 || true
done
