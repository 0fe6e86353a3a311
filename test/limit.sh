#!/bin/sh
# test/runner ends a test that hangs, with all that it has started, reports this, and counts the other tests.
set -eu
run=$(cd "$(dirname "$0")" && pwd)/runner
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
if ! timeout -k 1 1 true 2>/dev/null; then
  echo "skipped: no timeout(1) here"
  exit 77
fi
unset MMSCAN_TEST_WRAPPER

cat >"$tmp/hangs.sh" <<'END'
sleep 300 &
echo $! >"${0%/*}/child"
wait
END
echo 'exit 0' >"$tmp/passes.sh"
echo 'exit 77' >"$tmp/is_skipped.sh"
echo 'exit 3' >"$tmp/fails.sh"
printf '#!/bin/sh\n[ "$#" = 0 ]\n' >"$tmp/compiled"
chmod +x "$tmp/compiled"

said() {
  grep -qxF "$1" "$tmp/said" || { echo "not said: $1"; cat "$tmp/said"; exit 1; }
}

status=0
MMSCAN_TEST_LIMIT=2 sh "$run" "$tmp/hangs.sh" "$tmp/passes.sh" "$tmp/is_skipped.sh" "$tmp/fails.sh" "$tmp/compiled" \
  >"$tmp/said" 2>&1 || status=$?
[ $status = 1 ]
said "$tmp/hangs.sh: ended after the limit of 2 s (MMSCAN_TEST_LIMIT)"
said "FAILED (124): $tmp/hangs.sh"
said "FAILED (3): $tmp/fails.sh"
said "2 passed, 2 failed, 1 skipped"
[ "$(grep -c 'after the limit' "$tmp/said")" = 1 ]
# Ended, though perhaps still a zombie.
case $(ps -o state= -p "$(cat "$tmp/child")" || :) in
  '' | Z*) ;;
  *) echo "what a test has started outlives it"; exit 1 ;;
esac

MMSCAN_TEST_LIMIT=0 sh "$run" "$tmp/passes.sh" >"$tmp/said"
said "1 passed, 0 failed, 0 skipped"
