#!/bin/sh
# Runs test_mpi by 1, 2, 3, 5 and 8 ranks, and mmscan-mpi-bench: test/mpi/run.sh TEST_MPI MMSCAN_MPI_BENCH MMSCAN
# MPIRUN starts programs (default: mpirun). Ends with the line "N passed, N failed, N skipped".
set -u
test=$1 bench=$2 mmscan=$3
mpirun=${MPIRUN:-mpirun}
passed=0 failed=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

# Ranks may be more than the cores, and the user may be root: Open MPI asks for leave, and a message for each would hide
# what a test says. Threads would be as many in every rank.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
  OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_vader_single_copy_mechanism=none \
  PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe \
  OMP_WAIT_POLICY=passive MMSCAN_NUM_THREADS="${MMSCAN_NUM_THREADS:-1}"

# check NAME COMMAND ...: counts whether it succeeds
check() {
  name=$1
  shift
  start=$(date +%s)
  if "$@"; then
    passed=$((passed + 1)) verdict=passed
  else
    failed=$((failed + 1)) verdict=FAILED
  fi
  echo "$name: $verdict, $(($(date +%s) - start)) s"
}

# run RANKS ARGUMENT ...
run() {
  ranks=$1
  shift
  check "${test##*/} $*, $ranks ranks" timeout -k 5 120 "$mpirun" -n "$ranks" "$test" "$@"
}

# What is measured is positive, but for L and o, which are differences. No time is judged.
fit() {
  PATH=$(dirname "$bench"):$PATH MPIRUN=$mpirun \
    timeout -k 5 120 "$mmscan" model --mpi --fit --json >"$tmp/fit" || return
  awk '/:/ { gsub(/[",:]/, ""); of[$1] = $2; count++ }
    END { differences = of["latency"] >= 0 && of["overhead"] >= 0 && of["latency"] + of["overhead"] > 0
      measured = of["gap"] > 0 && of["byte"] > 0 && of["combine"] > 0 && of["memory"] > 0 && of["rank_memory"] > 0
      exit !(count == 8 && differences && measured && of["ranks_per_node"] == 2) }' "$tmp/fit"
}

# A line for each length, with positive times.
table() {
  timeout -k 5 120 "$mpirun" -n 3 "$bench" table 1 1000 >"$tmp/table" || return
  awk 'NR > 1 && $1 == 3 && $3 > 0 && $4 > 0 { lengths = lengths " " $2 }
    END { exit !(NR == 3 && lengths == " 1 1000") }' "$tmp/table"
}

# It fails, and does not hang.
usage() {
  for words in "" "fit x" "table" "table x" "table -1"; do
    # shellcheck disable=SC2086 # several words
    timeout -k 5 60 "$mpirun" -n 2 "$bench" $words >/dev/null 2>&1
    status=$?
    if [ $status -eq 0 ] || [ $status -ge 124 ]; then return 1; fi
  done
  ! timeout -k 5 60 "$mpirun" -n 1 "$bench" fit >/dev/null 2>&1
}

for ranks in 1 2 3 5 8; do run "$ranks"; done
run 3 environment
check "mmscan model --mpi --fit" fit
check "${bench##*/} table" table
check "${bench##*/} with wrong arguments" usage
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
