#!/bin/sh
# What `make install` installs works for programs that are built with it: sh test/install.sh BUILD
set -eu
build=${1:?usage: install.sh BUILD}
cd "$(dirname "$0")/.."
for program in "${CC:=gcc}" "${CXX:=g++}" pkg-config cmake nm readelf; do
  command -v "$program" >/dev/null || { echo "no $program here"; exit 77; }
done
here=$(pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

fail() { echo "install.sh: $*" >&2; exit 1; }
files() { (cd "$1" && find . ! -type d | sort); }
make_quietly() {
  make -s --no-print-directory BUILD="$build" "$@" >"$tmp/make.log" 2>&1 || { cat "$tmp/make.log"; fail "make $*"; }
}

# ---- What is put down, and where ------------------------------------------------------------------------------------
# Under a strict umask, with spaces in the path, and with DESTDIR; then moved, like a package or a relocated tree.
umask 077
make_quietly install PREFIX="$tmp/first place"
make_quietly install DESTDIR="$tmp/stage" PREFIX=/opt/mmscan INSTALL="install -p" # as packagers do
make_quietly install PREFIX="$tmp/multi" LIBDIR=lib/some-arch
files "$tmp/first place" >"$tmp/list"
files "$tmp/stage/opt/mmscan" | diff "$tmp/list" - || fail "DESTDIR gives other files than PREFIX"
files "$tmp/multi" | sed 's|/lib/some-arch/|/lib/|' | diff "$tmp/list" - || fail "LIBDIR gives other files"
for wrong in /lib64 ./lib lib/../.. 'l&b'; do
  make -s BUILD="$build" install PREFIX="$tmp/wrong" LIBDIR="$wrong" 2>/dev/null && fail "a LIBDIR that is none under PREFIX: $wrong"
done
make -s BUILD="$build" install PREFIX=somewhere 2>/dev/null && fail "a PREFIX that is no absolute path"
for target in install uninstall; do
  make -s BUILD="$build" "$target" DESTDIR="$tmp/wrong" PREFIX= 2>"$tmp/make.log" && fail "$target: an empty PREFIX is taken"
  grep -qF 'PREFIX is empty' "$tmp/make.log" || { cat "$tmp/make.log"; fail "$target: not said that PREFIX is empty"; }
done
for wrong in prefix exec_prefix bindir includedir libdir mandir datadir destdir MANDIR; do
  make -s BUILD="$build" DESTDIR="$tmp/wrong" install "$wrong=/x" 2>"$tmp/make.log" && fail "$wrong= is taken for a setting"
  grep -qF "$wrong= is no setting here: PREFIX=" "$tmp/make.log" || { cat "$tmp/make.log"; fail "$wrong=: not said what there is"; }
done
prefix=/x make -n BUILD="$build" clean >/dev/null || fail "prefix in the environment is refused"
[ ! -e "$tmp/wrong" ] || fail "something was put down in spite of a wrong setting"
make_quietly install-lib PREFIX="$tmp/library"
grep -vE '^\./(bin/mmscan|share/man/man1/mmscan\.1)$' "$tmp/list" >"$tmp/list.library"
files "$tmp/library" | diff "$tmp/list.library" - || fail "install-lib puts down something else than the library"
make -n --no-print-directory BUILD="$tmp/other" install-lib 2>/dev/null | grep -e '-c tools/' && fail "install-lib builds the command"
[ "$(ls "$tmp/stage")" = opt ] || fail "DESTDIR: files outside PREFIX"
diff -r "$tmp/first place" "$tmp/stage/opt/mmscan" || fail "a file knows its prefix"
find "$tmp/first place" -type f ! -perm 644 ! -perm 755 | grep . && fail "wrong file modes"
find "$tmp/first place" -mindepth 1 -type d ! -perm 755 | grep . && fail "wrong folder modes"
for file in lib/pkgconfig/mmscan.pc lib/cmake/mmscan/mmscanConfig.cmake lib/cmake/mmscan/mmscanConfigVersion.cmake; do
  grep -F -e "$here" -e "$tmp" -e @ "$tmp/first place/$file" && fail "$file: a path of the build, or something unfilled"
done
umask 022
prefix="$tmp/second place"
mv "$tmp/first place" "$prefix"

# In the system's own folders: compilers search them last, so pkg-config must not put them before others.
make_quietly install DESTDIR="$tmp/system" PREFIX=/usr
printed=$(PKG_CONFIG_PATH="$tmp/system/usr/lib/pkgconfig" pkg-config --cflags --libs mmscan)
[ "${printed% }" = -lmmscan ] || fail "under /usr pkg-config prints $printed"

# `make -n` and `make -q` write nothing, and cause no rebuild.
make -n --no-print-directory BUILD="$tmp/other" all >"$tmp/make.log" 2>&1 || fail "make -n"
grep -q ' -o .*/libmmscan.so' "$tmp/make.log" || fail "make -n does not tell how the library is built"
[ ! -e "$tmp/other" ] || fail "make -n builds"
before=$(cat "$build/flags")
make -n --no-print-directory BUILD="$build" CFLAGS=-O1 all >"$tmp/make.log" 2>&1 || fail "make -n with other flags"
[ "$before" = "$(cat "$build/flags")" ] || fail "make -n has the next make build anew"
grep -q ' -c lib/api.c' "$tmp/make.log" || fail "make -n does not tell that other flags build anew"
make -q --no-print-directory BUILD="$build" all || fail "make -q: something is left to do"
make -q --no-print-directory BUILD="$build" CFLAGS=-O1 all 2>/dev/null && fail "make -q: other flags are nothing to do"

# Without debugging information but otherwise the same; stripped by another command if STRIP names one.
STRIP=false make_quietly install DESTDIR="$tmp/whole" PREFIX=/opt/mmscan
diff -r "$tmp/whole" "$tmp/stage" || fail "STRIP changes what install puts down"
make -s BUILD="$build" install-strip STRIP=false DESTDIR="$tmp/whole" PREFIX=/opt/mmscan >/dev/null 2>&1 && fail "STRIP is not used"
make_quietly install-strip PREFIX="$tmp/stripped"
files "$tmp/stripped" | diff "$tmp/list" - || fail "install-strip gives other files"
readelf -SW "$tmp/stripped/bin/mmscan" "$tmp/stripped/lib/libmmscan.a" "$tmp/stripped"/lib/libmmscan.so.*.*.* | grep -F .debug_info &&
  fail "install-strip leaves debugging information"
[ "$("$tmp/stripped/bin/mmscan" --version)" = "$("$prefix/bin/mmscan" --version)" ] || fail "a stripped command does not run"

# ---- The BLAS that is named -----------------------------------------------------------------------------------------
mkdir "$tmp/blas"
for library in openblas blis blas mkl_rt; do # to be found at build time
  eval "$CC -shared -nostdlib -Wl,-soname,lib$library.so.7 -o $tmp/blas/lib$library.so -x c /dev/null"
done
plan_of() { make -n --no-print-directory BUILD="$tmp/other" LDFLAGS="-L$tmp/blas" "$@" all 2>"$tmp/make.log"; }

# opens BLAS NAME [FLAG]: the unit cblas opens NAME; with LINK_BLAS=1 it is linked, too, by the flag
opens() {
  plan_of BLAS="$1" LINK_BLAS= >"$tmp/plan" || { cat "$tmp/make.log"; fail "make -n BLAS=$1"; }
  grep -qF -e "-DMMS_BLAS='\"$2\"'" "$tmp/plan" || fail "BLAS=$1 would not open $2"
  [ -n "${3-}" ] || return 0
  grep -F -e " $3 " "$tmp/plan" && fail "BLAS=$1 would be linked"
  plan_of BLAS="$1" LINK_BLAS=1 | grep -qF -e "-Wl,--push-state,--no-as-needed $3 " || fail "BLAS=$1 LINK_BLAS=1 would not link $3"
}
opens openblas libopenblas.so.7 -lopenblas
opens blis libblis.so.7 -lblis
opens blas libblas.so.7 -lblas
opens mkl libmkl_rt.so.7 -lmkl_rt
opens "$tmp/blas/libblis.so" "$tmp/blas/libblis.so" "$tmp/blas/libblis.so -Wl,-rpath,$tmp/blas/"
opens none ''
refuses() {
  wrong=$1
  shift
  plan_of "$@" >/dev/null && fail "$* is taken"
  grep -qF -e "$wrong" "$tmp/make.log" || { cat "$tmp/make.log"; fail "$*: not said: $wrong"; }
}
refuses 'not one of openblas' BLAS=nonsense
refuses 'a path with a space' BLAS='/opt/some blas.so'
refuses 'there is no such file' BLAS="$tmp/blas/libnothing.so"
refuses 'an archive' BLAS="$tmp/blas/libblas.a"
refuses 'there is none' BLAS=none LINK_BLAS=1
rm "$tmp/blas/libblis.so"
plan_of BLAS=blis >/dev/null || grep -qF 'libblis-dev in Debian' "$tmp/make.log" || fail "a BLAS that is not there: $(cat "$tmp/make.log")"

# other_build NAME SETTING: a build that differs in the BLAS alone; of the library one object is compiled again. Of the
# examples, which are linked alike, one is built.
other_build() {
  other=$tmp/$1
  mkdir -p "$other/test/unit"
  (cd "$build" && cp -pR flags objects blas lib tools bench examples libmmscan* mmscan "$other/")
  [ ! -e "$build/toys" ] || cp -p "$build/toys" "$other/"
  cp -p "$build"/test/toy_*.so "$other/test/" 2>/dev/null || :
  cp -p "$build"/test/unit/test_guest.o "$other/test/unit/" 2>/dev/null || :
  make -n --no-print-directory BUILD="$other" "$2" lib 2>/dev/null | grep -e ' -c ' >"$tmp/compiled" || :
  grep -q lib/unit/cblas.c "$tmp/compiled" || fail "$2 does not compile cblas.c"
  grep -v lib/unit/cblas.c "$tmp/compiled" && fail "$2 compiles more than cblas.c"
  guest=
  [ ! -e "$other/test/unit/test_guest.o" ] || guest=$other/test/test_guest
  make -s --no-print-directory BUILD="$other" "$2" lib "$other/mmscan" "$other/examples/cumsum" ${guest:+"$guest"} \
    >"$tmp/make.log" 2>&1 ||
    { cat "$tmp/make.log"; fail "make $2"; }
  "$other/examples/cumsum" >/dev/null || fail "$2: an example"
}
needs_blas() { readelf -d "$1" | grep NEEDED | grep -iE 'blas|blis|mkl'; }
scans_by() { env "$@" "$other/mmscan" scan "$tmp/numbers.txt" 2>&1; }
echo '1 2 3' >"$tmp/numbers.txt"

# Without a BLAS all but the engine gemm works, and that with a BLAS that is named.
if [ -z "${LINK_BLAS-}" ]; then
  other_build none BLAS=none
  "$other/mmscan" info | grep -A1 '^  cblas' | grep -q 'built without a BLAS' || fail "BLAS=none: $("$other/mmscan" info)"
  [ "$(scans_by MMSCAN_ENGINE=auto | tr '\n' ' ')" = '1 3 6 ' ] || fail "BLAS=none does not scan"
  scans_by MMSCAN_ENGINE=gemm && fail "BLAS=none scans by gemm"
  named=$("$prefix/bin/mmscan" info | awk '$1 == "cblas" { getline; sub(/,$/, "", $1); print $1 }')
  case $named in
    /*) [ "$(scans_by MMSCAN_ENGINE=gemm MMSCAN_UNIT="$named" | tr '\n' ' ')" = '1 3 6 ' ] || fail "BLAS=none does not scan by $named" ;;
    *) echo "skipped: a BLAS that is named: there is none here" ;;
  esac
  [ ! -e "$other/test/test_guest" ] || "$other/test/test_guest" >"$tmp/guest.log" 2>&1 || { cat "$tmp/guest.log"; fail "BLAS=none: test_guest"; }
fi

# What is linked is there from the start, and the test that it is not fails.
other_build linked LINK_BLAS=1
for file in "$other/mmscan" "$other/libmmscan.so"; do needs_blas "$file" >/dev/null || fail "LINK_BLAS=1: $file needs no BLAS"; done
if [ -e "$other/test/test_guest" ]; then
  LINK_BLAS='' "$other/test/test_guest" >/dev/null 2>&1 && fail "test_guest does not see that a BLAS is linked"
  LINK_BLAS=1 "$other/test/test_guest" >"$tmp/guest.log" 2>&1 || { cat "$tmp/guest.log"; fail "LINK_BLAS=1: test_guest"; }
fi

# ---- Flags that are refused -----------------------------------------------------------------------------------------
for wrong in -Ofast -ffast-math -funsafe-math-optimizations -fassociative-math -ffinite-math-only -ffp-model=fast -fno-honor-nans \
  -fno-honor-infinities -fno-signed-zeros; do
  make -n BUILD="$tmp/other" CFLAGS="-O2 $wrong" all >/dev/null 2>&1 && fail "CFLAGS=$wrong is taken"
  make -n BUILD="$tmp/other" CC="$CC $wrong" all >/dev/null 2>&1 && fail "CC with $wrong is taken"
done
make -n BUILD="$tmp/other" CFLAGS="-O2 -flto -fno-lto" all >/dev/null 2>&1 || fail "CFLAGS with -flto and -fno-lto are refused"
make -n BUILD="$tmp/other" CFLAGS=-Ofast clean >/dev/null 2>&1 || fail "make clean looks at flags"

# ---- The libraries themselves ---------------------------------------------------------------------------------------
version=$("$prefix/bin/mmscan" --version | sed 's/.* //')
shared=$prefix/lib/libmmscan.so.$version
[ -f "$shared" ] || fail "mmscan --version says '$version', but there is no $shared"
readelf -d "$shared" | grep -F "SONAME" | grep -qF "[libmmscan.so.${version%%.*}]" || fail "wrong soname"
readelf -d "$shared" | grep -qF STATIC_TLS || fail "a thread without memory would end the process at its first thread-local variable"
for file in "$shared" "$prefix/bin/mmscan"; do
  [ -n "${LINK_BLAS-}" ] || ! needs_blas "$file" || fail "$file is linked with a BLAS"
  readelf -d "$file" | grep -E 'RPATH|RUNPATH' && case ${LINK_BLAS:+${BLAS-}} in */*) ;; *) fail "$file has an rpath" ;; esac
done
nm -u "$shared" "$prefix/lib/libmmscan.a" |
  grep -wE 'stdout|stderr|printf|__printf_chk|puts|putchar|perror|abort|exit|_exit|__assert_fail' &&
  fail "the library could print, abort or exit"
objdump -R "$shared" | grep ' mmscan_' && fail "the library would call a program's own function of that name"

# names_of PREFIX LIBRARY ...: the libraries there have no names that may clash. Every function that they export is
# declared in one header, and the man page of its name is that of this header.
names_of() {
  there=$1
  shift
  : >"$tmp/exported"
  for library in "$@"; do
    nm -D --defined-only "$there/lib/lib$library.so" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' >>"$tmp/exported"
    nm -g --defined-only "$there/lib/lib$library.a" | awk 'NF == 3 && $3 !~ /^(mmscan|mms)_/' | grep . &&
      fail "a name in lib$library.a that may clash"
  done
  grep -v '^mmscan_' "$tmp/exported" && fail "exported, but not mmscan_"
  while read -r name; do
    header=$(cd "$there/include" && grep -lE "^[a-z].*\<$name\(" -- *.h) || fail "$name is exported, but not in a header"
    grep -qFx ".so man3/${header%.h}.3" "$there/share/man/man3/$name.3" || fail "$name: not in the man page of $header"
  done <"$tmp/exported"
  for page in "$there"/share/man/man3/*.3; do
    name=$(basename "$page" .3)
    [ -f "$there/include/$name.h" ] || grep -qx "$name" "$tmp/exported" || fail "$name has a man page, but is not exported"
  done
}
names_of "$prefix" mmscan

# ---- Programs that use them -----------------------------------------------------------------------------------------
mkdir "$tmp/user"
cat >"$tmp/user/user.c" <<'PROGRAM'
#include <mmscan.h>
#include <mmscan_paper.h>
#include <stdio.h>
#define N 300000 /* more than a tile */
static float x[N], y[N];
int main(void) {
  int64_t count[3] = {5, 0, 7}, offset[3];
  for (int i = 0; i < N; i++) x[i] = 1;
  if (mmscan_inclusive_f32(N, x, y) != MMSCAN_OK) return 1;
  for (int i = 0; i < N; i++)
    if (y[i] != (float)(i + 1)) return 2;
  if (mmscan_exclusive_i64(3, 100, count, offset) != MMSCAN_OK) return 3;
  if (offset[0] != 100 || offset[1] != 105 || offset[2] != 105) return 4;
  if (mmscan_inclusive_f32(N, NULL, y) != MMSCAN_EINVAL) return 5;
  if (mmscan_inclusive_f32(N - 1, x, x + 1) != MMSCAN_EOVERLAP) return 6;
  if (!mmscan_matrix_entry(MMSCAN_MATRIX_L, 1, 0) || mmscan_matrix_entry(MMSCAN_MATRIX_L, 0, 1)) return 7;
  return puts(mmscan_version()) < 0;
}
PROGRAM
cp "$tmp/user/user.c" "$tmp/user/user.cc"

# runs PROGRAM yes|no [COMMAND ...]: started (by a command) it says $answer and nothing else, and needs the shared
# library or not
answer=$version
runs() {
  program=$1 needs=$2 status=0
  shift 2
  said=$(cd / && "$@" "$program" 2>&1) || status=$?
  [ "$status:$said" = "0:$answer" ] || fail "$program: exit status $status, and said: $said"
  needed=no
  readelf -d "$program" | grep NEEDED | grep -qF libmmscan && needed=yes
  [ "$needed" = "$needs" ] || fail "$program: needs the shared library: $needed"
}

PKG_CONFIG_PATH="$tmp/multi/lib/some-arch/pkgconfig" pkg-config --cflags --libs mmscan >"$tmp/flags"
eval "$CC -o $tmp/user/multi $tmp/user/user.c $(cat "$tmp/flags") -Wl,-rpath,$tmp/multi/lib/some-arch"
runs "$tmp/user/multi" yes
export PKG_CONFIG_PATH="$prefix/lib/pkgconfig"
[ "$(pkg-config --modversion mmscan)" = "$version" ] || fail "pkg-config: wrong version"
shared_flags=$(pkg-config --cflags --libs mmscan)
static_flags=$(pkg-config --static --cflags --libs mmscan | sed 's/-lmmscan/-l:libmmscan.a/')
for header in mmscan.h mmscan_paper.h mmscan.hpp; do # each by itself
  for compiler in "$CC -std=c11 -x c" "$CXX -std=c++17 -x c++"; do
    case $header:$compiler in *.hpp:*c11*) continue ;; esac
    echo "#include <$header>" | eval "$compiler -Wall -Wextra -pedantic -Werror -fsyntax-only $(pkg-config --cflags mmscan) -" ||
      fail "${compiler%% *} does not take $header by itself"
  done
done
for compiler in "$CC -std=c11 $tmp/user/user.c" "$CXX -std=c++17 $tmp/user/user.cc"; do
  name=$tmp/user/${compiler%% *}
  # pkg-config has quoted what the shell must not split.
  eval "$compiler -Wall -Wextra -pedantic -Werror -o $name-shared $shared_flags '-Wl,-rpath,$prefix/lib'"
  eval "$compiler -Wall -Wextra -pedantic -Werror -o $name-static $static_flags"
  runs "$name-shared" yes
  runs "$name-static" no
done

# The example in C++, which is given the Nile.
# shellcheck disable=SC2016 # for the inner sh
printf 'exec "$1" "%s"\n' "$here/examples/data/nile.csv" >"$tmp/user/on_nile"
hurst_says='100 years of 919 on average: R 4995, S 168, K = log(R/S) / log(n/2) = 0.87
a full store that lets out the mean would have needed 4995'
eval "$CXX -std=c++17 -Wall -Wextra -pedantic -Werror -o $tmp/user/hurst-shared $here/examples/hurst.cpp $shared_flags '-Wl,-rpath,$prefix/lib'"
eval "$CXX -std=c++17 -o $tmp/user/hurst-static $here/examples/hurst.cpp $static_flags"
answer=$hurst_says
runs "$tmp/user/hurst-shared" yes sh "$tmp/user/on_nile"
runs "$tmp/user/hurst-static" no sh "$tmp/user/on_nile"
answer=$version

# A plugin that contains the static library may be closed while OpenMP's threads wait for work.
cat >"$tmp/user/plugin.c" <<'PROGRAM'
#include <mmscan.h>
#define N (1 << 20)
static float x[N], y[N];
int scan_here(void);
int scan_here(void) { return mmscan_inclusive_f32(N, x, y) != MMSCAN_OK; }
PROGRAM
cat >"$tmp/user/host.c" <<'PROGRAM'
#include <dlfcn.h>
#include <unistd.h>
int main(int argc, char **argv) {
  void *plugin = dlopen(argv[argc - 1], RTLD_NOW);
  int (*scan)(void);
  if (!plugin) return 1;
  *(void **)&scan = dlsym(plugin, "scan_here");
  if (scan() != 0 || dlclose(plugin) != 0) return 2;
  return usleep(200000);
}
PROGRAM
eval "$CC -shared -fPIC -o $tmp/user/plugin.so $tmp/user/plugin.c $static_flags"
eval "$CC -o $tmp/user/host $tmp/user/host.c -ldl"
MMSCAN_NUM_THREADS=2 "$tmp/user/host" "$tmp/user/plugin.so" || fail "a plugin that was closed: the program ended with $?"

# A program that is built with a sanitizer, unlike libmmscan, opens libraries too.
cat >"$tmp/user/units.c" <<'PROGRAM'
#include <mmscan.h>
#include <stdio.h>
int main(void) {
  mmscan_part part = {.struct_size = sizeof part};
  for (size_t i = 0; mmscan_get_unit(i, &part) == MMSCAN_OK; i++) continue;
  if (mmscan_unit_open("libm.so.6", NULL, NULL, 0) != MMSCAN_EBLAS) return 1;
  return puts(mmscan_version()) < 0;
}
PROGRAM
for sanitizer in address thread; do
  name=$tmp/user/$sanitizer
  if eval "$CC -fsanitize=$sanitizer -o $name-shared $tmp/user/units.c $shared_flags '-Wl,-rpath,$prefix/lib'" \
    2>"$tmp/cc.log"; then
    eval "$CC -fsanitize=$sanitizer -o $name-static $tmp/user/units.c $static_flags"
    runs "$name-shared" yes
    runs "$name-static" no
  else
    echo "skipped: $CC has no sanitizer of the kind: $sanitizer"
  fi
done

for language in C CXX; do
  project=$tmp/cmake-$language
  mkdir "$project"
  suffix=c config=$prefix/lib
  [ $language = C ] || suffix=cc config=$tmp/multi/lib/some-arch
  cp "$tmp/user/user.$suffix" "$project/"
  [ $language = C ] || cp examples/hurst.cpp "$project/"
  cat >"$project/CMakeLists.txt" <<PROJECT
cmake_minimum_required(VERSION 3.13)
project(user $language)
set(CMAKE_CXX_STANDARD 17)
find_package(mmscan ${version%%.*} REQUIRED CONFIG)
find_package(mmscan $version EXACT REQUIRED) # twice is fine
add_executable(shared user.$suffix)
target_link_libraries(shared PRIVATE mmscan::mmscan)
add_executable(static user.$suffix)
target_link_libraries(static PRIVATE mmscan::mmscan_static)
if(EXISTS \${CMAKE_SOURCE_DIR}/hurst.cpp)
  add_executable(hurst hurst.cpp)
  target_link_libraries(hurst PRIVATE mmscan::mmscan)
endif()
foreach(other ${version%%.*}.999 999 0.0.1...0.0.9 0.0.1...<$version)
  find_package(mmscan \${other} QUIET PATHS "$config/cmake/mmscan" NO_DEFAULT_PATH)
  if(mmscan_FOUND)
    message(FATAL_ERROR "version $version says that it serves who wants \${other}")
  endif()
endforeach()
PROJECT
  { cmake -S "$project" -B "$project/build" -Dmmscan_DIR="$config/cmake/mmscan" -DCMAKE_C_COMPILER="$CC" \
      -DCMAKE_CXX_COMPILER="$CXX" && cmake --build "$project/build"; } >"$tmp/cmake.log" 2>&1 ||
    { cat "$tmp/cmake.log"; fail "CMake, $language"; }
  runs "$project/build/shared" yes
  runs "$project/build/static" no
done
answer=$hurst_says
runs "$tmp/cmake-CXX/build/hurst" yes sh "$tmp/user/on_nile"
answer=$version

# ---- libmmscan_mpi --------------------------------------------------------------------------------------------------
# The program of README.md. What its last rank says is below it.
# shellcheck disable=SC2016 # the quotes are of Markdown
sed -n '/^```c mpi$/,/^```$/p' README.md | sed '/^```/d' >"$tmp/user/ranks.c"
cp "$tmp/user/ranks.c" "$tmp/user/ranks.cc"
cat >"$tmp/list.mpi" <<LIST
./bin/mmscan-mpi
./bin/mmscan-mpi-bench
./include/mmscan_mpi.h
./lib/libmmscan_mpi.a
./lib/libmmscan_mpi.so
./lib/libmmscan_mpi.so.${version%%.*}
./lib/libmmscan_mpi.so.$version
./lib/pkgconfig/mmscan_mpi.pc
./share/man/man1/mmscan-mpi.1
./share/man/man3/mmscan_mpi.3
./share/man/man3/mmscan_mpi_scan.3
./share/man/man3/mmscan_mpi_scan_block.3
LIST
sort "$tmp/list.library" "$tmp/list.mpi" >"$tmp/list.both"

# by_cmake LANGUAGE SUFFIX SETTING ...: builds programs in $tmp/$mpi-LANGUAGE/build
by_cmake() {
  project=$tmp/$mpi-$1
  mkdir -p "$project"
  cp "$tmp/user/ranks.$2" "$project/"
  cat >"$project/CMakeLists.txt" <<PROJECT
cmake_minimum_required(VERSION 3.13)
project(user $1)
find_package(mmscan REQUIRED CONFIG)
find_package(mmscan REQUIRED CONFIG COMPONENTS mpi OPTIONAL_COMPONENTS other)
if(mmscan_other_FOUND)
  message(FATAL_ERROR "a component that is none")
endif()
add_executable(shared ranks.$2)
target_link_libraries(shared PRIVATE mmscan::mmscan_mpi)
add_executable(static ranks.$2)
target_link_libraries(static PRIVATE mmscan::mmscan_mpi_static)
PROJECT
  shift 2
  cmake -S "$project" -B "$project/build" -Dmmscan_DIR="$place/lib/cmake/mmscan" -DCMAKE_C_COMPILER="$CC" \
    -DCMAKE_CXX_COMPILER="$CXX" "$@" >"$tmp/cmake.log" 2>&1 && cmake --build "$project/build" >>"$tmp/cmake.log" 2>&1
}

# with_mpi MPI: what install-mpi puts down works for programs that MPI's compilers build, and goes again
with_mpi() {
  mpi=$1 place="$tmp/a place of $1"
  # shellcheck disable=SC2016
  answer=$(sed -n '/^```c mpi$/,$p' README.md | sed -n '/^```text$/,/^```$/ { /^```$/q; /^```/!p }')
  export MPIRUN="mpirun.$mpi" PKG_CONFIG_PATH="$place/lib/pkgconfig"
  make_quietly install-lib PREFIX="$place"
  by_cmake C c -DMPI_C_COMPILER="mpicc.$mpi" && fail "CMake finds the component mpi where it is not"
  grep -q 'libmmscan_mpi is not in' "$tmp/cmake.log" || { cat "$tmp/cmake.log"; fail "CMake: not said what lacks"; }
  make_quietly uninstall PREFIX="$place"
  make_quietly install-mpi MPICC="mpicc.$mpi" MPI_BUILD="$tmp/mpi-$mpi" PREFIX="$tmp/first/$mpi"
  make_quietly install-mpi MPICC="mpicc.$mpi" MPI_BUILD="$tmp/mpi-$mpi" PREFIX=/opt/mmscan DESTDIR="$tmp/stage-$mpi"
  diff -r "$tmp/first/$mpi" "$tmp/stage-$mpi/opt/mmscan" || fail "a file of libmmscan_mpi knows its prefix"
  mv "$tmp/first/$mpi" "$place"
  files "$place" | diff "$tmp/list.both" - || fail "install-mpi puts down something else than both libraries"
  names_of "$place" mmscan mmscan_mpi
  [ "$("$here/scripts/mpirun" 2 "$place/bin/mmscan-mpi" --version)" = "mmscan-mpi $version" ] || fail "mmscan-mpi --version"
  built=$tmp/user/$mpi
  eval "OMPI_CC=$CC MPICH_CC=$CC mpicc.$mpi -std=c11 -Wall -Wextra -Werror -o $built-shared $tmp/user/ranks.c" \
    "$(pkg-config --cflags --libs mmscan_mpi)" "'-Wl,-rpath,$place/lib'"
  eval "OMPI_CC=$CC MPICH_CC=$CC mpicc.$mpi -std=c11 -o $built-static $tmp/user/ranks.c" \
    "$(pkg-config --static --cflags --libs mmscan_mpi | sed 's/-lmmscan\(_mpi\)*/-l:libmmscan\1.a/g')"
  runs "$built-shared" yes "$here/scripts/mpirun" 4
  runs "$built-static" no "$here/scripts/mpirun" 4
  by_cmake C c -DMPI_C_COMPILER="mpicc.$mpi" || { cat "$tmp/cmake.log"; fail "CMake, $mpi, C"; }
  by_cmake CXX cc -DMPI_CXX_COMPILER="mpicxx.$mpi" || { cat "$tmp/cmake.log"; fail "CMake, $mpi, C++"; }
  for language in C CXX; do
    runs "$tmp/$mpi-$language/build/shared" yes "$here/scripts/mpirun" 4
    runs "$tmp/$mpi-$language/build/static" no "$here/scripts/mpirun" 4
  done
  make_quietly uninstall-mpi PREFIX="$place"
  files "$place" | diff "$tmp/list.library" - || fail "uninstall-mpi leaves something else than the library"
  make -s BUILD="$build" uninstall-mpi PREFIX="$place" >"$tmp/make.log" 2>&1 &&
    fail "uninstall-mpi takes away nothing, and does not fail"
  make_quietly uninstall-mpi DESTDIR="$tmp/stage-$mpi" PREFIX=/opt/mmscan
  make_quietly uninstall DESTDIR="$tmp/stage-$mpi" PREFIX=/opt/mmscan
  make_quietly uninstall PREFIX="$place"
  files "$place" | grep . && fail "uninstall left files"
  [ ! -e "$tmp/stage-$mpi" ] || fail "uninstall left: $(find "$tmp/stage-$mpi")"
}
found=
for mpi in openmpi mpich; do
  if command -v "mpicc.$mpi" >/dev/null && command -v "mpirun.$mpi" >/dev/null; then
    found=yes
    (with_mpi "$mpi") || exit 1
  fi
done
[ -n "$found" ] || echo "skipped: libmmscan_mpi: there is neither Open MPI nor MPICH here"

# ---- libmmscan_fortran ----------------------------------------------------------------------------------------------
# The program of README.md. What it says is below it.
# shellcheck disable=SC2016 # the quotes are of Markdown
sed -n '/^```fortran$/,/^```$/p' README.md | sed '/^```/d' >"$tmp/user/rows.f90"

# fortran_by_cmake SETTING ...: builds programs in $tmp/cmake-Fortran/build
fortran_by_cmake() {
  project=$tmp/cmake-Fortran
  mkdir -p "$project"
  cp "$tmp/user/rows.f90" "$project/"
  cat >"$project/CMakeLists.txt" <<PROJECT
cmake_minimum_required(VERSION 3.13)
project(user \${LANGUAGES})
find_package(mmscan REQUIRED CONFIG COMPONENTS fortran)
find_package(mmscan REQUIRED CONFIG COMPONENTS fortran) # twice is fine
add_executable(shared rows.f90)
target_link_libraries(shared PRIVATE mmscan::mmscan_fortran)
add_executable(static rows.f90)
target_link_libraries(static PRIVATE mmscan::mmscan_fortran_static)
add_executable(nile $here/bindings/fortran/example/nile.f90)
target_link_libraries(nile PRIVATE mmscan::mmscan_fortran)
PROJECT
  rm -rf "$project/build"
  cmake -S "$project" -B "$project/build" -Dmmscan_DIR="$place/lib/cmake/mmscan" -DCMAKE_C_COMPILER="$CC" \
    -DCMAKE_Fortran_COMPILER="$FC" "$@" >"$tmp/cmake.log" 2>&1 && cmake --build "$project/build" >>"$tmp/cmake.log" 2>&1
}

# fortran_needs SAYS SETTING ...: CMake does not find the component, and says why
fortran_needs() {
  says=$1
  shift
  fortran_by_cmake "$@" && fail "CMake finds the component fortran where it is not"
  tr -s ' \n' ' ' <"$tmp/cmake.log" | grep -qF -e "$says" || { cat "$tmp/cmake.log"; fail "CMake: not said: $says"; }
}

# What install-fortran puts down works for programs that gfortran builds, and goes again.
with_fortran() {
  place="$tmp/a place of Fortran" modules=gfortran-$("$FC" -dumpversion | sed 's/\..*//')
  # shellcheck disable=SC2016
  answer=$(sed -n '/^```fortran$/,$p' README.md | sed -n '/^```text$/,/^```$/ { /^```$/q; /^```/!p }')
  export PKG_CONFIG_PATH="$place/lib/pkgconfig"
  cat >"$tmp/list.fortran" <<LIST
./include/mmscan/$modules/mmscan.mod
./lib/libmmscan_fortran.a
./lib/libmmscan_fortran.so
./lib/libmmscan_fortran.so.${version%%.*}
./lib/libmmscan_fortran.so.$version
./lib/pkgconfig/mmscan_fortran.pc
LIST
  sort "$tmp/list.library" "$tmp/list.fortran" >"$tmp/list.both"
  make_quietly install-lib PREFIX="$place"
  fortran_needs 'libmmscan_fortran is not in' -DLANGUAGES=Fortran
  make_quietly uninstall PREFIX="$place"
  make_quietly install-fortran FC="$FC" PREFIX="$tmp/first/fortran"
  make_quietly install-fortran FC="$FC" PREFIX=/opt/mmscan DESTDIR="$tmp/stage-fortran"
  diff -r "$tmp/first/fortran" "$tmp/stage-fortran/opt/mmscan" || fail "a file of libmmscan_fortran knows its prefix"
  mv "$tmp/first/fortran" "$place"
  files "$place" | diff "$tmp/list.both" - || fail "install-fortran puts down something else than both libraries"
  grep -F -e "$here" -e "$tmp" -e @ "$place/lib/pkgconfig/mmscan_fortran.pc" && fail "mmscan_fortran.pc: a path, or something unfilled"
  nm -D --defined-only "$place/lib/libmmscan_fortran.so" | grep -v ' __mmscan' && fail "a name in libmmscan_fortran that may clash"
  readelf -d "$place/lib/libmmscan_fortran.so" | grep -qF "[libmmscan_fortran.so.${version%%.*}]" || fail "wrong soname"
  built=$tmp/user/fortran
  eval "$FC -std=f2018 -Wall -Wextra -Werror -o $built-shared $tmp/user/rows.f90" \
    "$(pkg-config --cflags --libs mmscan_fortran)" "'-Wl,-rpath,$place/lib'"
  eval "$FC -std=f2018 -o $built-static $tmp/user/rows.f90" \
    "$(pkg-config --static --cflags --libs mmscan_fortran | sed 's/-lmmscan\(_fortran\)*/-l:libmmscan\1.a/g')"
  eval "$FC -std=f2018 -o $built-nile '$here/bindings/fortran/example/nile.f90'" \
    "$(pkg-config --cflags --libs mmscan_fortran)" "'-Wl,-rpath,$place/lib'"
  runs "$built-shared" yes
  runs "$built-static" no
  fortran_by_cmake -DLANGUAGES=Fortran || { cat "$tmp/cmake.log"; fail "CMake, Fortran"; }
  runs "$tmp/cmake-Fortran/build/shared" yes
  runs "$tmp/cmake-Fortran/build/static" no
  for nile in "$built-nile" "$tmp/cmake-Fortran/build/nile"; do
    "$nile" examples/data/nile.csv | grep -qF 'The level changed in 1898' || fail "$nile"
  done
  fortran_needs 'needs the language Fortran' -DLANGUAGES=C
  mv "$place/include/mmscan/$modules" "$place/include/mmscan/gfortran-1"
  fortran_needs 'its module is not there for GNU' -DLANGUAGES=Fortran
  mv "$place/include/mmscan/gfortran-1" "$place/include/mmscan/$modules"
  make_quietly uninstall-fortran FC="$FC" PREFIX="$place"
  files "$place" | diff "$tmp/list.library" - || fail "uninstall-fortran leaves something else than the library"
  [ ! -e "$place/include/mmscan" ] || fail "uninstall-fortran leaves a folder"
  make -s BUILD="$build" uninstall-fortran FC="$FC" PREFIX="$place" >"$tmp/make.log" 2>&1 &&
    fail "uninstall-fortran takes away nothing, and does not fail"
  make_quietly uninstall-fortran FC="$FC" DESTDIR="$tmp/stage-fortran" PREFIX=/opt/mmscan
  make_quietly uninstall DESTDIR="$tmp/stage-fortran" PREFIX=/opt/mmscan
  make_quietly uninstall PREFIX="$place"
  files "$place" | grep . && fail "uninstall left files"
  [ ! -e "$tmp/stage-fortran" ] || fail "uninstall left: $(find "$tmp/stage-fortran")"
}
if command -v "${FC:=gfortran}" >/dev/null; then
  (with_fortran) || exit 1
else
  echo "skipped: libmmscan_fortran: there is no $FC here"
fi

# ---- The man pages --------------------------------------------------------------------------------------------------
if command -v mandoc >/dev/null; then
  (cd doc/man && mandoc -T lint -W warning ./*.[13]) ||
    fail "mandoc finds fault with a man page"
  (cd "$prefix/share/man" && mandoc -T markdown man1/mmscan.1 man3/mmscan_scan.3) >"$tmp/pages"
  for heading in 'EXIT STATUS' 'RETURN VALUES'; do
    grep -q "$heading" "$tmp/pages" || fail "a man page has no $heading"
  done
else
  echo "no mandoc here: the man pages are not looked at"
fi

for subcommand in scan info tune bench table draw model; do # every option that --help lists
  for option in $("$prefix/bin/mmscan" $subcommand --help | grep -oE -e '--[a-z0-9]+' | sort -u); do
    grep -qE "Fl .*${option#-}\>" "$prefix/share/man/man1/mmscan.1" ||
      fail "mmscan.1 does not tell of $subcommand $option"
  done
done

# ---- As README.md says ----------------------------------------------------------------------------------------------
# Its lines for PREFIX=$HOME/.local, one after the other, in a home without spaces.
mkdir -p "$tmp/home/bin" "$tmp/home/work"
printf '#!/bin/sh\nexec %s -s --no-print-directory -C "%s" BUILD="%s" "$@"\n' "$(command -v make)" "$here" "$build" >"$tmp/home/bin/make"
printf '#!/bin/sh\nexec %s "$@"\n' "$CC" >"$tmp/home/bin/cc"
chmod +x "$tmp/home/bin/make" "$tmp/home/bin/cc"
sed -n '/^. make install PREFIX=.HOME/,/^```/s/^[$] //p' README.md >"$tmp/home/lines"
cat >>"$tmp/home/lines" <<'LINES'
./program
cmake -S "$PROJECT" -B by-cmake
cmake --build by-cmake
LINES
cp "$tmp/user/user.c" "$tmp/home/work/program.c"
(cd "$tmp/home/work" && unset PKG_CONFIG_PATH && HOME=$tmp/home PATH=$tmp/home/bin:$PATH CC=$CC CXX=$CXX PROJECT=$tmp/cmake-C \
  sh -eu "$tmp/home/lines") >"$tmp/make.log" 2>&1 || { cat "$tmp/make.log"; fail "README.md, PREFIX=\$HOME/.local"; }
runs "$tmp/home/work/program-static" no
runs "$tmp/home/work/by-cmake/static" no

# ---- Uninstalling ---------------------------------------------------------------------------------------------------
# uninstalls SAYS SETTING ...: with this message
uninstalls() {
  says=$1
  shift
  make -s --no-print-directory BUILD="$build" uninstall "$@" >"$tmp/make.log" 2>&1 || status=$?
  grep -qF -e "$says" "$tmp/make.log" || { cat "$tmp/make.log"; fail "uninstall $*: not said: $says"; }
}
all=$(wc -l <"$tmp/list")
libraries=$(grep -c '^\./lib/' "$tmp/list")
status=0
uninstalls "removed 0 of $all files from $tmp/stage" PREFIX="$tmp/stage"
[ "$status" != 0 ] || fail "uninstall takes away nothing, and does not fail"
status=0
uninstalls "removed $((all - libraries)) of $all files from $tmp/multi" PREFIX="$tmp/multi"
[ "$status" != 0 ] || fail "uninstall without LIBDIR leaves the library, and does not fail"
grep -qF "no mmscan $version in $tmp/multi/lib: give" "$tmp/make.log" || fail "uninstall does not ask for LIBDIR"
status=0
uninstalls "removed $libraries of $all files from" PREFIX="$tmp/multi" LIBDIR="$tmp/multi/lib/some-arch"
uninstalls "removed $all of $all files from" DESTDIR="$tmp/stage" PREFIX=/opt/mmscan
touch "$prefix/lib/pkgconfig/other.pc"
uninstalls "removed $all of $all files from" PREFIX="$prefix"
[ "$status" = 0 ] || fail "uninstall fails"
[ "$(files "$prefix")" = ./lib/pkgconfig/other.pc ] || fail "uninstall left, or took too much: $(files "$prefix")"
for folder in stage multi; do [ ! -e "$tmp/$folder" ] || fail "uninstall left: $(find "$tmp/$folder")"; done

# What is not empty stays, and what was there before install.
mkdir -p "$tmp/shared/share/man" "$tmp/shared/bin"
make_quietly install PREFIX="$tmp/shared"
touch "$tmp/shared/include/other.h"
make_quietly uninstall PREFIX="$tmp/shared"
[ "$(cd "$tmp/shared" && find . ! -name . | sort | tr '\n' ' ')" = './bin ./include ./include/other.h ./share ./share/man ' ] ||
  fail "uninstall left, or took too much: $(find "$tmp/shared")"
