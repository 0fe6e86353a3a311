# libmmscan: see `make help`.
#
# Settings, on the command line or in the environment:
#   CC CFLAGS CPPFLAGS LDFLAGS LDLIBS   as usual; CFLAGS defaults to -O3 -g
#   BLAS=openblas|blis|blas|mkl|/path/lib.so|none   the CBLAS that is opened at the first product
#   LINK_BLAS=1                          it is linked, too, so that it is loaded as a program starts
#   PREFIX=/usr/local LIBDIR=lib DESTDIR=
#                                        where `make install` puts things; LIBDIR is under PREFIX
#   BUILD=build                          where things are built
#   STRIP=strip                          what `make install-strip` strips with
#   PEER_CFLAGS PEER_CXXFLAGS            for other people's scans in the bench; default to -O3 -march=native
#   WERROR=1                             warnings are errors (set by the checks)
#   TEST_WAY=asan|tsan|…                 the tests that test/ways lists for it, not all
#   RUNNABLE=1                           leaves out kernels that this CPU cannot run (set by slow checks)

BUILD ?= build
PREFIX ?= /usr/local
LIBDIR ?= lib
BLAS ?= openblas
CFLAGS ?= -O3 -g
# Not empty if a variable has its default value of make, or is not defined (make -R).
unset = $(filter default undefined,$(origin $(1)))
ifneq ($(call unset,CC),)
CC := gcc
endif
ifneq ($(call unset,AR),)
AR := ar
endif
ifneq ($(call unset,CXX),)
CXX := g++
endif

VERSION := $(shell awk '/define MMSCAN_VERSION_(MAJOR|MINOR|PATCH)/ { v = v s $$3; s = "." } END { print v }' include/mmscan.h)
MAJOR := $(firstword $(subst ., ,$(VERSION)))

ifneq ($(word 2,$(BUILD)),)
$(error BUILD=$(BUILD): make cannot build in a folder with a space)
endif

comma := ,

# ---- The BLAS behind it -----------------------------------------------------------------------------------------------
# The unit cblas opens what BLAS_OPENED names: the path that is given, or else the soname of what the linker finds.
BLAS_LIBS_openblas := -lopenblas
BLAS_LIBS_blis     := -lblis
BLAS_LIBS_blas     := -lblas
BLAS_LIBS_mkl      := -lmkl_rt
BLAS_PACKAGE_openblas := libopenblas-dev
BLAS_PACKAGE_blis     := libblis-dev
BLAS_PACKAGE_blas     := libblas-dev
BLAS_PACKAGE_mkl      := libmkl-dev
ifneq ($(word 2,$(BLAS)),)
$(error BLAS=$(BLAS): a path with a space cannot be linked)
endif
ifneq ($(findstring /,$(BLAS)),)
ifneq ($(word 2,$(abspath $(BLAS))),)
$(error BLAS=$(BLAS): in $(abspath .), a path with a space, cannot be linked)
endif
ifneq ($(filter %.a,$(BLAS)),)
$(error BLAS=$(BLAS): an archive cannot be opened; give a shared library)
endif
BLAS_FOUND := $(wildcard $(abspath $(BLAS)))
BLAS_OPENED = $(or $(BLAS_FOUND),$(error BLAS=$(BLAS): there is no such file))
BLAS_LINK := $(abspath $(BLAS)) -Wl,-rpath,$(dir $(abspath $(BLAS)))
else ifeq ($(BLAS),none)
ifneq ($(LINK_BLAS),)
$(error BLAS=none: there is none that LINK_BLAS could link)
endif
BLAS_FOUND :=
BLAS_OPENED :=
else
BLAS_LINK := $(BLAS_LIBS_$(BLAS))
ifeq ($(BLAS_LINK),)
$(error BLAS=$(BLAS): not one of openblas, blis, blas, mkl, none or the path of a library)
endif
# Looked for once, when it is first needed. It is the first that a library without anything else needs.
soname_of = $(shell made=$$(mktemp) && echo | $(CC) $(CFLAGS) -shared -nostdlib -o "$$made" -x c - -x none -Wl,--no-as-needed $(1) $(LDFLAGS) \
  2>/dev/null && readelf -d "$$made" 2>/dev/null | sed -n '/(NEEDED)/{s/.*\[\(.*\)\]$$/\1/p;q;}'; rm -f "$$made")
BLAS_FOUND = $(eval BLAS_FOUND := $$(call soname_of,$(BLAS_LINK)))$(BLAS_FOUND)
BLAS_OPENED = $(or $(BLAS_FOUND),$(error BLAS=$(BLAS): $(CC) finds no shared library by $(BLAS_LINK): install it \
  ($(BLAS_PACKAGE_$(BLAS)) in Debian), or give another, its path, or BLAS=none))
endif
# Nothing calls it by name, and the linker is to keep it all the same.
BLAS_LIBS := $(if $(LINK_BLAS),-Wl$(comma)--push-state$(comma)--no-as-needed $(BLAS_LINK) -Wl$(comma)--pop-state)

# quote: as one word for the shell. c_string: flags as a C string, without those that differ from folder to folder.
quote = '$(subst ','\'',$(1))'
c_string = $(call quote,"$(subst ",\",$(subst \,\\,$(filter-out $(FOLDER_FLAGS),$(1))))")
FOLDER_FLAGS := -ffile-prefix-map=% -fdebug-prefix-map=% -fmacro-prefix-map=%

# ---- Flags ------------------------------------------------------------------------------------------------------------
# $(call accepted,COMPILER,FLAG): the flag, if the compiler takes it.
accepted = $(shell echo | $(1) $(2) -E - >/dev/null 2>&1 && echo $(2))

OPENMP := -fopenmp
# Installed files find OpenMP's runtime where the system has it: no clang adds a path of its own.
IS_CLANG := $(findstring clang,$(shell $(CC) --version 2>/dev/null))
OPENMP_LINK := $(OPENMP) $(if $(IS_CLANG),$(call accepted,$(CC),-fno-openmp-implicit-rpath))
WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla $(if $(WERROR),-Werror)
# With link-time optimisation, objects hold machine code as well, so that they can be linked without it: by users of the
# static library, into the examples, and into the tests, which replace functions (--wrap). Some compilers cannot do both.
LTO := $(filter -flto%,$(lastword $(filter -flto -flto=% -fno-lto,$(CFLAGS))))
# Compilers do not say in a macro that they were given some of these (lib/algebra/algebra.h).
FAST_MATH := $(filter -Ofast -ffast-math -ffp-model=fast -funsafe-math-optimizations -fassociative-math -ffinite-math-only \
  -fno-honor-nans -fno-honor-infinities -fno-signed-zeros,$(CC) $(CPPFLAGS) $(CFLAGS))
ifneq ($(filter-out clean help uninstall dist,$(or $(MAKECMDGOALS),all)),)
ifneq ($(FAST_MATH),)
$(error $(FAST_MATH): results, and what is finite and what is not, would be wrong)
endif
ifneq ($(if $(LTO),$(if $(call accepted,$(CC),-ffat-lto-objects -Werror),,$(call accepted,$(CC),$(LTO)))),)
$(error $(LTO): with it this $(CC) makes objects that no other compiler can link; leave it out, or take gcc)
endif
endif
COMPILE = $(CC) -std=c11 -D_GNU_SOURCE -Iinclude $(WARN) $(OPENMP) -MMD -MP $(CPPFLAGS) $(CFLAGS) $(if $(LTO),-ffat-lto-objects)
LIBS = $(BLAS_LIBS) -ldl -lpthread -lm $(LDLIBS)
TOOL_LIBS := -ljansson -lcsv

# Other people's scans, which the bench times, are compiled with their own flags, and record them.
MACHINE := $(shell $(CC) -dumpmachine)
X86_64 := $(findstring x86_64,$(MACHINE))
# A cross-compiler does not take -march=native.
ifeq ($(origin PEER_CFLAGS),undefined)
PEER_CFLAGS := $(strip -O3 $(call accepted,$(CC),-march=native))
endif
ifeq ($(origin PEER_CXXFLAGS),undefined)
PEER_CXXFLAGS := $(strip -O3 $(call accepted,$(CXX),-march=native))
endif
PEER = $(CC) -std=c11 -D_GNU_SOURCE $(WARN) $(OPENMP) -MMD -MP $(CPPFLAGS)
EIGEN = $(patsubst -I%,-isystem %,$(shell pkg-config --cflags eigen3 2>/dev/null))
CXX_PEER = $(CXX) -std=c++17 -fPIC -Ibench $(EIGEN) $(CPPFLAGS) $(PEER_CXXFLAGS) -DPEER_FLAGS=$(call c_string,$(PEER_CXXFLAGS)) -MMD -MP

# A tiny call takes so few cycles that it matters where in a cache line its code begins (doc/PERFORMANCE.md,
# "Short scans").
LINES := -falign-functions=64

# In a library that is opened by dlopen(), glibc allocates a thread's variables at their first use, and ends the process
# if it has no memory. Few bytes are had beforehand, as OpenMP's runtimes take theirs.
TLS := $(if $(findstring gnu,$(MACHINE)),-ftls-model=initial-exec)

# Kernels are compiled for their own instruction sets; lib/kernel/isa.c asks the CPU before one is called.
ifneq ($(X86_64),)
ISA_FLAGS_avx512   := -mavx512f -mavx512bw -mavx512dq -mavx512vl
ISA_FLAGS_avx512vl := -mfma -mavx512f -mavx512bw -mavx512dq -mavx512vl
ISA_FLAGS_avx2     := -mavx2
endif
ifneq ($(RUNNABLE),)
ifeq ($(filter avx512vl,$(shell cat /proc/cpuinfo 2>/dev/null)),)
ISA_FLAGS_avx512   :=
ISA_FLAGS_avx512vl :=
endif
endif

# Kernels are objects for each instruction set and operator, as these lists have them.
CELLS := $(shell sed -n 's/^MMS_CELL(\(.*\), \(.*\))/\1-\2/p' lib/kernel/cells.def)
ROWS  := $(shell sed -n 's/^MMS_ROWS_CELL(\(.*\))/\1-rows/p' lib/engine/gemm/rows.def)
cell_isa = $(firstword $(subst -, ,$(basename $(@F))))
cell_operators = $(lastword $(subst -, ,$(basename $(@F))))

# ---- Files ------------------------------------------------------------------------------------------------------------
LIB_SRC   := $(sort $(filter-out %_cell.c %/cell.c,$(wildcard lib/*.c lib/*/*.c lib/*/*/*.c)))
TOOL_SRC  := $(sort $(wildcard tools/*.c))
BENCH_SRC := $(sort $(wildcard bench/*.c))
TEST_SRC  := $(sort $(wildcard test/test_*.c))
EXAMPLE_SRC := $(sort $(wildcard examples/*.c))

CELL_OBJ  := $(CELLS:%=$(BUILD)/lib/kernel/cell/%.o)
ROWS_OBJ  := $(ROWS:%=$(BUILD)/lib/kernel/cell/%.o)
LIB_OBJ   := $(CELL_OBJ) $(ROWS_OBJ) $(LIB_SRC:%.c=$(BUILD)/%.o)
TOOL_OBJ  := $(TOOL_SRC:%.c=$(BUILD)/%.o)
BENCH_OBJ := $(BENCH_SRC:%.c=$(BUILD)/%.o) $(if $(X86_64),$(BUILD)/bench/peer_omp_simd_avx2.o)
CXX_PEER_SRC := $(sort $(wildcard bench/cxx/*.cpp))
CXX_PEER_OBJ := $(CXX_PEER_SRC:%.cpp=$(BUILD)/%.o)
# A way or a test that is not in test/ways is an error.
LEFT_OUT := $(if $(TEST_WAY),$(shell awk -v way=$(call quote,$(TEST_WAY)) '$$1 == "test" { for (i = 2; i <= NF; i++) if ($$i == way) column = i } \
  column && $$column == "-" { print $$1 } END { if (!column) print "TEST_WAY=" way }' test/ways))
ifneq ($(filter-out $(TEST_SRC:test/test_%.c=%),$(LEFT_OUT)),)
$(error test/ways: there is no $(filter-out $(TEST_SRC:test/test_%.c=%),$(LEFT_OUT)))
endif
TESTS     := $(filter-out $(LEFT_OUT:%=$(BUILD)/test/test_%),$(TEST_SRC:test/%.c=$(BUILD)/test/%))
EXAMPLES  := $(EXAMPLE_SRC:examples/%.c=$(BUILD)/examples/%)

STATIC := $(BUILD)/libmmscan.a
SHARED := $(BUILD)/libmmscan.so.$(VERSION)
TOOL   := $(BUILD)/mmscan
PEERS  := $(BUILD)/mmscan-peers.so

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
ifneq ($(filter clean,$(MAKECMDGOALS)),)
.NOTPARALLEL: # make -j clean all
endif
.PHONY: help all lib tests check test check-units check-command check-reproduction check-install check-asan check-ubsan check-tsan check-valgrind \
        check-neon bench peers reproduce install install-lib install-strip uninstall demo format format-check lint dist clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

all: lib $(TOOL) $(EXAMPLES) ## build the libraries, the command and the examples (default)

lib: $(STATIC) $(SHARED) ## build the libraries only

# ---- Building ---------------------------------------------------------------------------------------------------------
# What things are made of is kept in files that are rewritten only when it changes: the flags of all objects, the
# objects that are linked, the BLAS that is opened, the definitions of the toys. A change of flags is reported, as
# `make install` may have been given fewer flags than `make`. -Werror is left out, as it does not change an object.
BUILT_WITH = $(filter-out -Werror,$(COMPILE)) $(KERNEL_CFLAGS) $(LINES) $(TLS) $(foreach flags,$(sort $(filter ISA_FLAGS_%,$(.VARIABLES))),$($(flags))) $(LDFLAGS) \
  $(PEER_CFLAGS) $(CXX) $(EIGEN) $(PEER_CXXFLAGS)
LINKED_OF = $(LIB_OBJ) $(TOOL_OBJ) $(BENCH_OBJ) $(CXX_PEER_OBJ) $(AR) $(LIBS) $(TOOL_LIBS)
# $(call keep,WHAT,MESSAGE): writes WHAT to the target if that is not what it holds. It also runs if make only tells
# what it would do (-n), or whether there is anything to do (-q), as the answer would be "everything" if it did not. It
# then writes nothing, and the end of this file declares phony what it would have written.
ONLY_TELLS := $(findstring n,$(firstword -$(MAKEFLAGS)))$(findstring q,$(firstword -$(MAKEFLAGS)))
would_keep = $(if $(ONLY_TELLS),$(shell echo $(call quote,$(1)) | cmp -s - $(2) || echo $(2)))
keep = +@if ! echo $(call quote,$(1)) | cmp -s - $@; then \
	  [ ! -e $@ ] || $(if $(2),echo $(call quote,$(2)) >&2,:); \
	  $(if $(ONLY_TELLS),:,mkdir -p $(@D) && echo $(call quote,$(1)) > $@); fi
$(BUILD)/flags: FORCE
	$(call keep,$(BUILT_WITH),$(BUILD) was built with other settings: rebuilding)
$(BUILD)/objects: FORCE
	$(call keep,$(LINKED_OF))
$(BUILD)/blas: FORCE
	$(call keep,$(BLAS_OPENED) $(BLAS_LIBS),$(BUILD) was built for another BLAS: rebuilding what depends on it)
$(BUILD)/toys: FORCE
	$(call keep,$(TOYS))
FORCE:

# What some objects are compiled with, besides; the environment has no part in it.
LAYOUT :=
OPENS :=
compile_lib = $(COMPILE) $(TLS) $(LAYOUT) $(OPENS) -Ilib -fPIC -fvisibility=hidden -c $< -o $@
$(BUILD)/lib/%.o: lib/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(compile_lib)

# -g1: names of variables, few of which survive vectorisation, would double the time that GCC takes for kernels.
compile_cell = $(compile_lib) $(ISA_FLAGS_$(cell_isa)) $(if $(filter -g -g2 -g3 -ggdb,$(CFLAGS)),-g1) $(KERNEL_CFLAGS) \
  -DISA=$(cell_isa) -DOPERATORS=$(cell_operators)
$(ROWS_OBJ): lib/engine/gemm/rows_cell.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(compile_cell)
$(CELL_OBJ): lib/kernel/cell.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(compile_cell)

$(BUILD)/lib/api.o $(BUILD)/lib/algebra/algebra.o: LAYOUT = $(LINES)

$(BUILD)/lib/unit/cblas.o: OPENS = -DMMS_BLAS=$(call c_string,$(BLAS_OPENED))
$(BUILD)/lib/unit/cblas.o: $(BUILD)/blas

$(BUILD)/tools/%.o: tools/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(COMPILE) -c $< -o $@

$(BUILD)/bench/%.o: bench/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(COMPILE) -Itools -DPEER_FLAGS=$(call c_string,$(CFLAGS)) -c $< -o $@

$(BUILD)/bench/peer_%.o: bench/peer_%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(PEER) $(PEER_CFLAGS) -DPEER_FLAGS=$(call c_string,$(PEER_CFLAGS)) -c $< -o $@

$(BUILD)/bench/peer_omp_simd_avx2.o: bench/peer_omp_simd.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(PEER) -O3 -mavx2 -DPEER_OMP_SIMD_AVX2 -DPEER_FLAGS='"-O3 -mavx2"' -c $< -o $@

$(BUILD)/bench/cxx/%.o: bench/cxx/%.cpp $(BUILD)/flags
	@mkdir -p $(@D)
	$(CXX_PEER) -Wall -Wextra $(if $(WERROR),-Werror) -fvisibility=hidden -c $< -o $@

# Tests, and the small libraries that they open, need not be fast; with -O1 they compile in half the time. For check-asan
# they are built with the address sanitizer only: the library is given what they allocate, and tells the libraries what
# to read. Other faults of theirs are not looked for, as the checks are slow.
COMPILE_TEST = $(patsubst -fsanitize=address%,-fsanitize=address,$(COMPILE))
$(BUILD)/test/%: TEST_FLAGS := -O1
# Objects of tests are kept. Otherwise make would delete them as intermediate files, and the next make, which reads
# about them in their .d files, would make them again, even while another make runs in the same folder.
.SECONDARY: $(TEST_SRC:%.c=$(BUILD)/%.o)
$(BUILD)/test/%.o: test/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(COMPILE_TEST) $(TEST_FLAGS) -Ilib -c $< -o $@

$(STATIC): $(LIB_OBJ) $(BUILD)/objects
	rm -f $@
	$(AR) rcs $@ $(LIB_OBJ)

# nodelete: OpenMP's threads outlive a dlclose(), so the code that they run must, too. Bsymbolic-functions: the library
# calls its own functions, whatever a program defines.
$(SHARED): $(LIB_OBJ) lib/mmscan.map $(BUILD)/objects
	$(CC) -shared $(OPENMP_LINK) $(CFLAGS) $(LDFLAGS) -Wl,-soname,libmmscan.so.$(MAJOR) -Wl,--version-script=lib/mmscan.map \
	  -Wl,-z,nodelete -Wl,--no-undefined -Wl,-Bsymbolic-functions $(LIB_OBJ) $(LIBS) -o $@
	ln -sf $(@F) $(BUILD)/libmmscan.so.$(MAJOR)
	ln -sf $(@F) $(BUILD)/libmmscan.so

$(TOOL): $(TOOL_OBJ) $(BENCH_OBJ) $(STATIC) $(BUILD)/objects
	$(CC) $(OPENMP_LINK) $(CFLAGS) $(LDFLAGS) $(filter-out $(BUILD)/objects,$^) $(TOOL_LIBS) $(LIBS) -o $@

# The C++ peers are a library of their own, so that the command need not be linked with the libraries of C++ and TBB.
# TBB is linked if its headers are there.
$(PEERS): $(CXX_PEER_OBJ) $(BUILD)/objects
	tbb=$$(echo '#include <tbb/tbb.h>' | $(CXX) -E -x c++ - >/dev/null 2>&1 && echo -ltbb || :); \
	$(CXX) -shared $(LDFLAGS) $(CXX_PEER_OBJ) $$tbb -o $@

$(BUILD)/examples/%: examples/%.c $(STATIC) $(BUILD)/flags
	@mkdir -p $(@D)
	$(COMPILE) $(LDFLAGS) $(if $(LTO),-fno-lto) $< $(STATIC) $(LIBS) -o $@

# A test that defines __wrap_NAME has it called in place of NAME (ld --wrap), by the library, too.
wraps = $(addprefix -Wl$(comma)--wrap=,$(shell grep -ao '__wrap_[a-z_0-9]*' $(1) 2>/dev/null | sed 's/__wrap_//' | sort -u))
$(BUILD)/test/test_%: $(BUILD)/test/test_%.o $(STATIC)
	$(CC) $(OPENMP) $(CFLAGS) $(LDFLAGS) $(if $(LTO),-fno-lto) $(call wraps,$<) $^ -lcmocka $(LIBS) -o $@

# The toys: small libraries like a BLAS or LIBXSMM that tests open, most of them faulty on purpose. An entry is
# NAME:DEFINITION,...; each is built into a file of its own.
TOYS := sound: ilp64:INTEGER=int64_t scipy:'AFFIX(name)=scipy_\#\#name' \
  scipy64:INTEGER=int64_t,'AFFIX(name)=scipy_\#\#name\#\#64_' suffix64:INTEGER=int64_t,'AFFIX(name)=name\#\#_64' \
  no_gemm:NO_GEMM no_dgemm:NO_DGEMM drops:DROPS reads:READS sly:SLY \
  blis_pthread:PTHREADS_OF=0 blis_local:PTHREADS_OF=0,LOCAL forks:FORKS at_load:AT_LOAD rounds:ROUNDS teams:TEAMS teams_of_all:TEAMS,TEAMS_OF_ALL \
  openblas_pthread:PTHREADS_OF=1 openblas_full:FULL,PTHREADS_OF=1 \
  bad_trmm:BAD_TRMM bad_batch:BAD_BATCH crashes:CRASHES exits:EXITS via_fortran:VIA_FORTRAN threads:THREADS \
  two_lines:TWO_LINES long_line:LONG_LINE openblas_haswell:OPENBLAS=Haswell openblas_skylakex:OPENBLAS=SkylakeX \
  openblas_adds:OPENBLAS=Haswell,ADDS_WRONG mkl_adds:FULL,MKL=2026,ADDS_WRONG \
  blis:FULL,BLIS=0.9.0 blis_later:FULL,BLIS=0.9.01 \
  fights:THREADS,FIGHTS serial:SERIAL locking:SERIAL,LOCKING full:FULL,MKL=2026 mkl_later:FULL,MKL=2027 \
  mkl_first:FULL,MKL=2020 mkl_earlier:FULL,MKL=2019 \
  full64:FULL,INTEGER=int64_t,BF16=cblas_gemm_bf16bf16f32 \
  bad_strided:FULL,BAD_STRIDED bad_bf16:FULL,BAD_BF16 bad_complex:FULL,BAD_COMPLEX \
  xsmm_1:API=1 xsmm_1_ilp64:API=1,INTEGER=int64_t xsmm_2:API=2 xsmm_v2:API=2,DISPATCH=libxsmm_dispatch_gemm_v2 \
  xsmm_few:API=2,MOST=16 xsmm_drops:API=1,DROPS xsmm_reads:API=2,READS \
  xsmm_skx:API=1,ARCH=1020 xsmm_wide:API=2,ARCH=1101 xsmm_narrow:API=2,ARCH=1053 xsmm_few_wide:API=2,ARCH=1101,MOST=16 \
  xsmm_forgets:API=2,ARCH=1101,FORGETS=0 xsmm_forgets_some:API=2,ARCH=1101,FORGETS=512
toy = $(@:$(BUILD)/test/toy_%.so=%)
toy_flags = $(addprefix -D,$(subst $(comma), ,$(patsubst $(toy):%,%,$(filter $(toy):%,$(TOYS)))))
TOY_FILES := $(foreach toy,$(TOYS),$(BUILD)/test/toy_$(firstword $(subst :, ,$(toy))).so)
# Most use no OpenMP.
make_toy = $(COMPILE_TEST) $(TEST_FLAGS) -g0 -fPIC -shared $(LDFLAGS) \
  -Wl,--as-needed $(toy_flags) $< -o $@
$(BUILD)/test/toy_%.so: test/toy_blas.c test/toy_blas_body.inc $(BUILD)/flags $(BUILD)/toys
	@mkdir -p $(@D)
	$(make_toy)
$(BUILD)/test/toy_xsmm_%.so: test/toy_xsmm.c $(BUILD)/flags $(BUILD)/toys
	@mkdir -p $(@D)
	$(make_toy)
$(patsubst %.c,$(BUILD)/%,$(shell grep -l '"toy.h"' $(TEST_SRC) /dev/null)): | $(TOY_FILES)

tests: $(TESTS) ## build the tests of the library

# ---- Checking ---------------------------------------------------------------------------------------------------------
check: ## build with warnings as errors and run every test
	$(MAKE) WERROR=1 check-units check-command check-reproduction check-install

test: check ## check

check-units: $(TESTS) ## the tests of the library (MMSCAN_TEST_QUICK=1: fewer cases, and shorter ones)
	$(if $(LEFT_OUT),@echo "left out here: $(LEFT_OUT)")
	test/run $(TESTS)

check-command: all $(TOY_FILES) ## the tests of the command, the README and the how-to documents
	test/run test/limit.sh test/command.py:$(TOOL) test/readme.sh:$(BUILD) test/add_unit.sh:$(BUILD) \
	  test/add_type.sh:$(BUILD) test/add_operator.sh:$(BUILD) test/names.sh:$(BUILD)

check-reproduction: all ## doc/REPRODUCTION.md agrees with the counts
	test/run bench/reproduction/reproduce.py:$(TOOL)

check-install: all ## the tests of an installation
	test/run test/install.sh:$(BUILD)

# passive: idle threads sleep.
SANITIZE = $(MAKE) WERROR=1 MMSCAN_TEST_QUICK=1 MMSCAN_TEST_LIMIT=1800 OMP_WAIT_POLICY=passive check-units
# By clang, which checks more pointer arithmetic, and takes half of GCC's time for the kernels. Checks are calls:
# inline, they would make compiling the kernels take longer than the tests. Kernels are built without checks of pointer
# arithmetic, as the accesses that follow are checked. Of the stack of an allocation only the innermost function is
# recorded, so that lsan.supp suppresses what OpenMP itself loses, which is not ours, but not what we lose in one of its
# threads. Thread-local memory of loaded libraries is not recorded: before LLVM 17 the leak sanitizer takes some of it,
# by its address, for that of an old glibc, and crashes (github.com/google/sanitizers/issues/1322).
check-asan: ## the tests under the address, leak and undefined-behaviour sanitizers (clang)
	+ASAN_OPTIONS=detect_leaks=1:malloc_context_size=2:intercept_tls_get_addr=0 \
	  LSAN_OPTIONS=suppressions=test/lsan.supp:print_suppressions=0 \
	  $(SANITIZE) BUILD=$(BUILD)/asan CC=clang RUNNABLE=1 \
	  CFLAGS="-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all \
	  -mllvm -asan-instrumentation-with-call-threshold=0" KERNEL_CFLAGS="-fno-sanitize=null,object-size,pointer-overflow" TEST_WAY=asan
check-ubsan: check-asan ## check-asan, which has the undefined-behaviour sanitizer too
# Archer, a library beside clang's OpenMP runtime, tells the sanitizer of its barriers. The runtime looks for it where
# the loader looks, which need not be there.
ARCHER = $(or $(wildcard $(shell clang -print-resource-dir)/../../libarcher.so),libarcher.so)
check-tsan: ## the tests under the thread sanitizer (clang, whose OpenMP runtime reports its barriers to it)
	+TSAN_OPTIONS="ignore_noninstrumented_modules=1" OMP_TOOL_LIBRARIES=$(ARCHER) \
	  $(SANITIZE) BUILD=$(BUILD)/tsan CC=clang RUNNABLE=1 CFLAGS="-O1 -g -fsanitize=thread" TEST_WAY=tsan
# Runs the programs of the plain build. The CPU that valgrind emulates is not this machine's: the tests' children, which
# are asked what CPU they have, must be on it, too.
check-valgrind: ## the tests under valgrind
	+MMSCAN_TEST_WRAPPER="valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite --suppressions=test/valgrind.supp \
	  --vgdb=no --fair-sched=try --trace-children=yes --trace-children-skip=*/sh,*/python3*" \
	  $(SANITIZE) TEST_WAY=valgrind

# An Armv8.0 core: NEON, and no later extension.
NEON_ROOT = $(abspath $(BUILD)/arm64)
NEON_LIBS = $(NEON_ROOT)/usr/lib/aarch64-linux-gnu
check-neon: ## the tests for aarch64, cross-built, in an emulator
	scripts/fetch-arm64 $(NEON_ROOT)
	+QEMU_CPU=cortex-a57 QEMU_LD_PREFIX=$(NEON_ROOT) MMSCAN_TEST_EMULATOR=qemu-aarch64 \
	  MMSCAN_TEST_WRAPPER="timeout -k 9 300 qemu-aarch64" $(SANITIZE) BUILD=$(BUILD)/neon BLAS=openblas \
	  CC=aarch64-linux-gnu-gcc AR=aarch64-linux-gnu-ar CFLAGS="-O3 -g" CPPFLAGS="-isystem $(NEON_ROOT)/usr/include" TEST_WAY=neon \
	  LDFLAGS="-L$(NEON_LIBS) -Wl,-rpath-link,$(NEON_LIBS)"

# Without a C++ compiler the C++ peers are missing, and the bench says so.
peers: $(if $(shell command -v $(CXX) 2>/dev/null),$(PEERS)) ## build the C++ peers of the bench, where there is a C++ compiler

bench: $(TOOL) peers ## time the engines beside the copy bound and other scans (BENCH_ARGS="--help")
	$(TOOL) bench $(BENCH_ARGS)

reproduce: all ## make doc/REPRODUCTION.md: every claim of the paper counted, this machine measured (some minutes; needs gnuplot)
	$${PYTHON:-python3} bench/reproduction/reproduce.py --make $(TOOL)

demo: ## what this is for, on real data
	./scripts/demo

# ---- Installing -------------------------------------------------------------------------------------------------------
run_install = STRIP=$(call quote,$(STRIP_BY)) DESTDIR=$(call quote,$(DESTDIR)) PREFIX=$(call quote,$(PREFIX)) LIBDIR=$(call quote,$(LIBDIR)) \
  BLAS_LIBS=$(call quote,$(BLAS_LIBS)) scripts/install

install: all ## install under DESTDIR and PREFIX
	$(run_install) $(BUILD) $(VERSION) library command

install-lib: lib ## the same without the command, which alone needs jansson and libcsv
	$(run_install) $(BUILD) $(VERSION) library

install-strip: ## install, without debugging symbols
	$(MAKE) install STRIP_BY=$(call quote,$(or $(STRIP),strip))

uninstall: ## remove what install put there
	$(run_install) --remove $(BUILD) $(VERSION) library command

# ---- Keeping house ----------------------------------------------------------------------------------------------------
C_FILES = $(or $(shell git ls-files -co --exclude-standard '*.c' '*.h' '*.inc' '*.cpp' 2>/dev/null),$(error git lists no files here))
FIND_FORMATTER = formatter=$$(scripts/formatter $(BUILD)/clang-format)
format: ## reformat the C files (by clang-format 14, which is fetched if need be)
	$(FIND_FORMATTER) && $$formatter -i $(C_FILES)
format-check: ## fail if a C file is not formatted
	$(FIND_FORMATTER) && $$formatter --dry-run -Werror $(C_FILES)
# Every compiler that is supported shifts copies of the sign into a signed integer.
CPPCHECK = cppcheck --quiet --error-exitcode=1 --enable=warning,portability --inline-suppr --suppress=normalCheckLevelMaxBranches \
  --suppress=shiftTooManyBitsSigned --library=test/cppcheck.cfg -Iinclude -Ilib
# Each cell is checked by itself, with the macros by which compilers tell that they have the instructions. In body.inc
# `aside` is NULL only where no scan looks into it; no number of vectors is 0.
CELL_SRC := lib/kernel/cell.c lib/engine/gemm/rows_cell.c
CELL_MACROS := __AVX2__ __AVX512F__ __AVX512BW__ __AVX512DQ__ __AVX512VL__ __FMA__ __aarch64__ __ARM_NEON
lint: ## static analysis of the library and the scripts
	$(CPPCHECK) $(CELL_SRC:%=-i%) lib tools bench
	for cell in $(CELLS) $(ROWS); do \
	  case $$cell in *-rows) source=lib/engine/gemm/rows_cell.c ;; *) source=lib/kernel/cell.c ;; esac; \
	  $(CPPCHECK) $(CELL_MACROS:%=-D%) -DISA=$${cell%-*} -DOPERATORS=$${cell#*-} \
	    --suppress=nullPointer:lib/kernel/body.inc --suppress=uninitvar:lib/kernel/vectors.inc \
	    --suppress=uninitvar:lib/engine/gemm/rows_body.inc $$source || { echo "lint: in the cell $$cell" >&2; exit 1; }; done
	shellcheck -s sh scripts/* test/run test/*.sh

dist: ## a source archive of HEAD
	@mkdir -p $(BUILD)
	git archive --format=tar.gz --prefix=libmmscan-$(VERSION)/ -o $(BUILD)/dist.tar.gz HEAD || { rm -f $(BUILD)/dist.tar.gz; exit 1; }
	mv $(BUILD)/dist.tar.gz $(BUILD)/libmmscan-$(VERSION).tar.gz

clean: ## remove what was built
	rm -rf $(BUILD)

.PHONY: $(call would_keep,$(BUILT_WITH),$(BUILD)/flags) $(call would_keep,$(LINKED_OF),$(BUILD)/objects) \
        $(call would_keep,$(TOYS),$(BUILD)/toys) $(if $(ONLY_TELLS),$(call would_keep,$(BLAS_FOUND) $(BLAS_LIBS),$(BUILD)/blas))
-include $(LIB_OBJ:.o=.d) $(TOOL_OBJ:.o=.d) $(BENCH_OBJ:.o=.d) $(CXX_PEER_OBJ:.o=.d) $(TEST_SRC:%.c=$(BUILD)/%.d) $(EXAMPLES:=.d)
