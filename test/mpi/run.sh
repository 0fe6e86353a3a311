#!/bin/sh
# Runs test_mpi by 1, 2, 3, 5 and 8 ranks: test/mpi/run.sh TEST_MPI. MPIRUN starts programs (default: mpirun). Ends with
# the line "N passed, N failed, N skipped".
set -u
test=$1
start=$(dirname "$0")/../../scripts/mpirun
passed=0 failed=0

# run RANKS ARGUMENT ...
run() {
  ranks=$1
  shift
  begun=$(date +%s)
  if timeout -k 5 120 "$start" "$ranks" "$test" "$@"; then
    passed=$((passed + 1)) verdict=passed
  else
    failed=$((failed + 1)) verdict=FAILED
  fi
  echo "${test##*/} $*, $ranks ranks: $verdict, $(($(date +%s) - begun)) s"
}

for ranks in 1 2 3 5 8; do run "$ranks"; done
run 3 environment
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
