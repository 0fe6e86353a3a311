#!/bin/sh
# Runs test_mpi by 1, 2, 3, 5 and 8 ranks, and tests mmscan-mpi and mmscan-mpi-bench: test/mpi/run.sh FOLDER MMSCAN.
# FOLDER has the programs, and sleepy.so; MPIRUN starts them (default: mpirun). MMSCAN_TEST_RANKS names other numbers of
# ranks. MMSCAN_TEST_QUICK=1: test_mpi by 3 ranks alone. Ends with the line "N passed, N failed, N skipped".
set -u
test=$1/test_mpi bench=$1/mmscan-mpi-bench tool=$1/mmscan-mpi mmscan=$2
start=$(dirname "$0")/../../scripts/mpirun
passed=0 failed=0 skipped=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
LD_PRELOAD=$(cd "$1" && pwd)/sleepy.so # by which ranks that wait sleep
export LD_PRELOAD

# check NAME COMMAND ...: counts whether it succeeds
check() {
  name=$1
  shift
  begun=$(date +%s)
  "$@"
  case $? in
    0) passed=$((passed + 1)) verdict=passed ;;
    77) skipped=$((skipped + 1)) verdict=skipped ;;
    *) failed=$((failed + 1)) verdict=FAILED ;;
  esac
  echo "$name: $verdict, $(($(date +%s) - begun)) s"
}

# run RANKS ARGUMENT ...
run() {
  ranks=$1
  shift
  check "${test##*/} $*, $ranks ranks" timeout -k 5 120 "$start" "$ranks" "$test" "$@"
}

# fit [COMMAND ...], which starts the program. What is measured is positive, but for LogGP's parameters, which are
# differences: not all are 0. No time is judged.
fit() {
  PATH=$(dirname "$bench"):$PATH OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
    OMPI_MCA_rmaps_base_oversubscribe=1 timeout -k 5 120 "$@" "$mmscan" model --mpi --fit --json >"$tmp/fit" || return
  awk '/:/ { gsub(/[",:]/, ""); of[$1] = $2; count++ }
    END { of_messages = of["latency"] + of["overhead"] > 0 && of["gap"] + of["byte"] > 0
      measured = of["combine"] > 0 && of["memory"] > 0 && of["rank_memory"] > 0
      exit !(count == 8 && of_messages && measured && of["ranks_per_node"] == 2) }' "$tmp/fit"
}

# Where a rank that waits keeps the other one from the core, as those of MPICH do, unless they are told to sleep.
fit_on_one_core() {
  fit "${PYTHON:-python3}" -c 'import os, sys
del os.environ["LD_PRELOAD"]
os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
os.execvp(sys.argv[1], sys.argv[1:])'
}

# A line for each length, with positive times.
table() {
  timeout -k 5 120 "$start" 3 "$bench" table 1 1000 >"$tmp/table" || return
  awk 'NR > 1 && $1 == 3 && $3 > 0 && $4 > 0 { lengths = lengths " " $2 }
    END { exit !(NR == 3 && lengths == " 1 1000") }' "$tmp/table"
}

# fails RANKS ARGUMENT ...: it fails, and does not hang
fails() {
  ranks=$1
  shift
  timeout -k 5 60 "$start" "$ranks" "$bench" "$@" >/dev/null 2>&1
  status=$?
  [ $status -ne 0 ] && [ $status -lt 124 ]
}

# All at once, as Open MPI's mpirun ends seconds after a program that fails.
usage() {
  started=''
  for words in "2" "2 fit x" "2 table" "2 table x" "2 table -1" "1 fit"; do
    # shellcheck disable=SC2086 # several words
    fails $words &
    started="$started $!"
  done
  wrong=0
  for each in $started; do wait "$each" || wrong=1; done
  return $wrong
}

if [ -n "${MMSCAN_TEST_QUICK-}" ]; then
  run 3
  echo "$passed passed, $failed failed, $skipped skipped"
  exit $((failed > 0))
fi
# The instruction set of another machine.
case $(uname -m) in aarch64 | arm64) elsewhere=avx2 ;; *) elsewhere=neon ;; esac
for ranks in ${MMSCAN_TEST_RANKS:-1 2 3 5 8}; do run "$ranks"; done
run 3 MMSCAN_ENGINE none 1
run 3 MMSCAN_ENGINE gemm 4
run 3 MMSCAN_ISA "$elsewhere" 4
run 2 threads
check "mmscan model --mpi --fit" fit
check "mmscan model --mpi --fit, on one core" fit_on_one_core
check "${bench##*/} table" table
check "${bench##*/} with wrong arguments" usage
check "${tool##*/}" "${PYTHON:-python3}" "$(dirname "$0")/command_mpi.py" "$mmscan" "$tool"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
