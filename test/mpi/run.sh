#!/bin/sh
# Runs test_mpi by 1, 2, 3, 5 and 8 ranks, and the tests of the command: test/mpi/run.sh TEST_MPI MMSCAN MMSCAN_MPI.
# MPIRUN starts programs (default: mpirun). Ends with the line "N passed, N failed, N skipped".
set -u
test=$1 mmscan=$2 mmscan_mpi=$3
start=$(dirname "$0")/../../scripts/mpirun
passed=0 failed=0 skipped=0

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
"${PYTHON:-python3}" "$(dirname "$0")/command_mpi.py" "$mmscan" "$mmscan_mpi"
case $? in
  0) passed=$((passed + 1)) ;;
  77) skipped=$((skipped + 1)) ;;
  *) failed=$((failed + 1)) ;;
esac
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
