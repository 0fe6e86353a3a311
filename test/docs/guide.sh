# guide.sh: a copy of the library, in $copy, to which the steps of a document are applied; for add_type.sh and
# add_operator.sh, which are in the top folder.
# shellcheck shell=sh
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
copy=$tmp/copy

# guide_follow DOCUMENT HEADING: applies what stands under a heading. A block that names a file is added to the end of
# that file, or makes it; one that names a line too, "FILE after: LINE", is added after it. A block `sh` is run in the
# copy.
guide_follow() {
  awk -v heading="## $2" -v top="$copy/" -v script="$tmp/script" '
    function insert(into, after, text,   line, all, found) {
      while ((getline line <into) > 0) {
        all = all line "\n"
        sub(/^ +/, "", line)
        if (line == after) { all = all text; found = 1 }
      }
      close(into)
      if (!found) { print "guide.sh: " into " has no line \"" after "\"" >"/dev/stderr"; exit 1 }
      printf "%s", all >into
      close(into)
    }
    /^## / { in_part = $0 == heading; next }
    $1 == "```c" && $3 == "after:" && in_part { into = top $2; after = $0; sub(/.* after: /, "", after); text = ""; next }
    $1 == "```c" && NF == 2 && in_part { file = top $2; next }
    $1 == "```sh" && in_part { file = script; next }
    $1 == "```" { if (into != "") insert(into, after, text); file = into = "" }
    { sub(/^   /, "") }
    into != "" { text = text $0 "\n" }
    file != "" { print >>file }' "doc/$1"
  [ ! -e "$tmp/script" ] || (cd "$copy" && sh -eu "$tmp/script")
  rm -f "$tmp/script"
}

# guide_copy BUILD: files are as they were, with what was built of them: kernels, which take minutes to compile, and the
# command, whose sources see the public header only. Of the kernels no more depends on the lists of types and operators
# than the number of rows in `mms_isa`, where they do not look. New kernels are compiled with the rest.
guide_copy() {
  mkdir -p "$copy/build/lib/kernel" "$copy/examples"
  cp -R Makefile include lib tools bench "$copy"
  chmod -R u+w "$copy"
  cp test/docs/new_rows.c "$copy/examples"
  cp -R "$1/lib/kernel/cell" "$copy/build/lib/kernel"
  cp -R "$1/tools" "$1/bench" "$copy/build"
  find "$copy/build" -name '*.d' -exec rm {} +
  guide_in_copy build/flags
  find "$copy/build" -name '*.o' -exec touch {} +
}

# Builds the command, and new_rows, which checks all scans by an operator or of a type. The rest need not be fast.
guide_make() { guide_in_copy build/mmscan build/examples/new_rows; }
guide_in_copy() { (cd "$copy" && make -s BUILD=build WERROR=1 CFLAGS=-O0 "$@"); }

# guide_run PROGRAM ...: runs it with every instruction set.
guide_run() {
  isas=$("$copy/build/mmscan" info | awk '/^[^ ]/ { is_in = $0 == "instruction sets"; next } is_in { print $1 }')
  for isa in $isas; do
    status=0
    MMSCAN_ISA=$isa "$@" || status=$?
    case $status in
    0) ;;
    77) echo "$isa: skipped, as it does not run here" ;;
    *) exit 1 ;;
    esac
  done
}

# guide_engines NAME: every scan by an operator or of a type, by every engine.
guide_engines() { for engine in serial auto simd; do "$copy/build/examples/new_rows" "$engine" "$1"; done; }

# guide_check NAME: the same, and with every instruction set that runs here.
guide_check() {
  for engine in serial auto; do "$copy/build/examples/new_rows" "$engine" "$1"; done
  guide_run "$copy/build/examples/new_rows" simd "$1"
}
