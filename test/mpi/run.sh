#!/bin/sh
# Runs test_mpi by 1, 2, 3, 5 and 8 ranks, and the tests of the command: test/mpi/run.sh TEST_MPI MMSCAN MMSCAN_MPI.
# MPIRUN starts programs (default: mpirun). Ends with the line "N passed, N failed, N skipped".
set -u
test=$1 mmscan=$2 mmscan_mpi=$3
export MPIRUN="${MPIRUN:-mpirun}"
passed=0 failed=0 skipped=0

# Ranks may be more than the cores, and the user may be root: Open MPI asks for leave, and a message for each would hide
# what a test says. Threads would be as many in every rank.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
  OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_vader_single_copy_mechanism=none \
  PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe \
  OMP_WAIT_POLICY=passive MMSCAN_NUM_THREADS="${MMSCAN_NUM_THREADS:-1}"

# run RANKS ARGUMENT ...
run() {
  ranks=$1
  shift
  start=$(date +%s)
  if timeout -k 5 120 "$MPIRUN" -n "$ranks" "$test" "$@"; then
    passed=$((passed + 1)) verdict=passed
  else
    failed=$((failed + 1)) verdict=FAILED
  fi
  echo "${test##*/} $*, $ranks ranks: $verdict, $(($(date +%s) - start)) s"
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
