# The tests, the ways to run them, and other checks. The Makefile includes this; test/ways says what runs in which way.
#
# The sources are in folders by room, as in lib/. The programs are not: build/test/test_api.

.PHONY: tests check test check-units check-command check-reproduction check-install check-asan check-fuzz \
        check-promises check-ubsan check-tsan check-valgrind check-neon lint

# Those of mpi/ are built and started by an MPI (mpi/mpi.mk).
TEST_SRC := $(sort $(filter-out test/mpi/%,$(wildcard test/*/test_*.c)))
TEST_OBJ := $(TEST_SRC:%.c=$(BUILD)/%.o)
TEST_NAMES := $(notdir $(TEST_SRC:.c=))
ifneq ($(words $(TEST_NAMES)),$(words $(sort $(TEST_NAMES))))
$(error test/: two tests have one name)
endif

# A way or a test that is not in test/ways is an error.
LEFT_OUT := $(if $(TEST_WAY),$(shell awk -v way=$(call quote,$(TEST_WAY)) '$$1 == "test" { for (i = 2; i <= NF; i++) if ($$i == way) column = i } \
  column && $$column == "-" { print $$1 } END { if (!column) print "TEST_WAY=" way }' test/ways))
ifneq ($(filter-out $(TEST_NAMES:test_%=%),$(LEFT_OUT)),)
$(error test/ways: there is no $(filter-out $(TEST_NAMES:test_%=%),$(LEFT_OUT)))
endif
TESTS := $(filter-out $(LEFT_OUT:%=$(BUILD)/test/test_%),$(TEST_NAMES:%=$(BUILD)/test/%))

# ---- Building ---------------------------------------------------------------------------------------------------------
# Tests, and the small libraries that they open, need not be fast; with -O1 they compile in half the time. For check-asan
# they are built with the address sanitizer only: the library is given what they allocate, and tells the libraries what
# to read. Other faults of theirs are not looked for, as the checks are slow.
COMPILE_TEST = $(patsubst -fsanitize=address%,-fsanitize=address,$(COMPILE))
$(BUILD)/test/%: TEST_FLAGS := -O1
$(BUILD)/test/%.o: test/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(COMPILE_TEST) $(TEST_FLAGS) -Ilib -Itest -c $< -o $@

# A test that defines __wrap_NAME has it called in place of NAME (ld --wrap), by the library, too.
wraps = $(addprefix -Wl$(comma)--wrap=,$(shell grep -ao '__wrap_[a-z_0-9]*' $(1) 2>/dev/null | sed 's/__wrap_//' | sort -u))
$(foreach source,$(TEST_SRC),$(eval $(BUILD)/test/$(notdir $(source:.c=)): $(source:%.c=$(BUILD)/%.o)))
$(TEST_NAMES:%=$(BUILD)/test/%): $(STATIC)
	$(CC) $(OPENMP) $(CFLAGS) $(LDFLAGS) $(if $(LTO),-fno-lto) $(call wraps,$(filter %.o,$^)) $(filter %.o,$^) $(STATIC) \
	  -lcmocka $(LIBS) -o $@

include test/toys/toys.mk
include test/cpp/cpp.mk

tests: $(TESTS) ## build the tests of the library

# ---- Checking ---------------------------------------------------------------------------------------------------------
check: ## build with warnings as errors and run every test
	$(MAKE) WERROR=1 check-units check-command check-reproduction check-install

test: check ## check

check-units: $(TESTS) ## the tests of the library (MMSCAN_TEST_QUICK=1: fewer cases, and shorter ones)
	$(if $(LEFT_OUT),@echo "left out here: $(LEFT_OUT)")
	test/runner $(TESTS)

check-command: all $(TOY_FILES) ## the tests of the command, README.md, doc/FROM.md and the how-to documents
	test/runner test/limit.sh test/command/command.py:$(TOOL) test/docs/readme.sh:$(BUILD) test/docs/from.sh:$(BUILD) \
	  test/docs/add_unit.sh:$(BUILD) test/docs/add_type.sh:$(BUILD) test/docs/add_operator.sh:$(BUILD) test/arrows.py \
	  test/names.sh:$(BUILD)

check-reproduction: all ## doc/REPRODUCTION.md and doc/SCALE.md agree with the counts
	test/runner bench/reproduction/reproduce.py:$(TOOL) bench/scale.py:$(TOOL)

check-install: all ## the tests of an installation
	test/runner test/install.sh:$(BUILD)

# passive: idle threads sleep.
SANITIZE = $(MAKE) WERROR=1 MMSCAN_TEST_QUICK=1 MMSCAN_TEST_LIMIT=1800 OMP_WAIT_POLICY=passive check-units
# By clang, which checks more pointer arithmetic, and takes half of GCC's time for the kernels. Checks are calls:
# inline, they would make compiling the kernels take longer than the tests. Kernels are built without checks of pointer
# arithmetic, as the accesses that follow are checked. Of the stack of an allocation only the innermost function is
# recorded, so that lsan.supp suppresses what OpenMP itself loses, which is not ours, but not what we lose in one of its
# threads. Thread-local memory of loaded libraries is not recorded: before LLVM 17 the leak sanitizer takes some of it,
# by its address, for that of an old glibc, and crashes (github.com/google/sanitizers/issues/1322).
ASAN = ASAN_OPTIONS=detect_leaks=1:malloc_context_size=2:intercept_tls_get_addr=0 \
  LSAN_OPTIONS=suppressions=test/support/lsan.supp:print_suppressions=0 \
  $(SANITIZE) BUILD=$(BUILD)/asan CC=clang RUNNABLE=1 \
  CFLAGS="-O1 -gline-tables-only -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all \
  -mllvm -asan-instrumentation-with-call-threshold=0" KERNEL_CFLAGS="-fno-sanitize=null,object-size,pointer-overflow"
check-asan: ## the tests under the address, leak and undefined-behaviour sanitizers (clang)
	+$(ASAN) TEST_WAY=asan
check-fuzz: ## a quarter of a minute of descriptions that are anything, by the build of check-asan
	+MMSCAN_TEST_SECONDS=15 $(ASAN) TESTS=$(BUILD)/asan/test/test_fuzz
check-promises: ## a quarter of a minute of random scans, each beside what mmscan.h promises of it
	+MMSCAN_TEST_SECONDS=15 $(MAKE) WERROR=1 check-units TESTS=$(BUILD)/test/test_promises
check-ubsan: check-asan ## check-asan, which has the undefined-behaviour sanitizer too
# Archer, a library beside clang's OpenMP runtime, tells the sanitizer of its barriers. The runtime looks for it where
# the loader looks, which need not be there. Of x86-64's kernels those of AVX2 and the portable ones are built: threads
# share the same memory by any instruction set, and check-asan runs each.
ARCHER = $(or $(wildcard $(shell clang -print-resource-dir)/../../libarcher.so),libarcher.so)
check-tsan: ## the tests under the thread sanitizer (clang, whose OpenMP runtime reports its barriers to it)
	+TSAN_OPTIONS="ignore_noninstrumented_modules=1" OMP_TOOL_LIBRARIES=$(ARCHER) \
	  $(SANITIZE) BUILD=$(BUILD)/tsan CC=clang RUNNABLE=1 ISA_FLAGS_avx512= ISA_FLAGS_avx512vl= \
	  CFLAGS="-O1 -gline-tables-only -fsanitize=thread" TEST_WAY=tsan
# Runs the programs of the plain build. The CPU that valgrind emulates is not this machine's: the tests' children, which
# are asked what CPU they have, must be on it, too.
check-valgrind: ## the tests under valgrind
	+MMSCAN_TEST_WRAPPER="valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite --suppressions=test/support/valgrind.supp \
	  --vgdb=no --fair-sched=try --trace-children=yes --trace-children-skip=*/sh,*/python3*" \
	  $(SANITIZE) TEST_WAY=valgrind

# An Armv8.0 core: NEON, and no later extension.
NEON_ROOT = $(abspath $(BUILD)/arm64)
NEON_LIBS = $(NEON_ROOT)/usr/lib/aarch64-linux-gnu
check-neon: ## the tests for aarch64, cross-built, in an emulator
	scripts/fetch-arm64 $(NEON_ROOT)
	+QEMU_CPU=cortex-a57 QEMU_LD_PREFIX=$(NEON_ROOT) MMSCAN_TEST_EMULATOR=qemu-aarch64 \
	  MMSCAN_TEST_WRAPPER="timeout -k 9 300 qemu-aarch64" $(SANITIZE) BUILD=$(BUILD)/neon BLAS=openblas \
	  CC=aarch64-linux-gnu-gcc AR=aarch64-linux-gnu-ar CFLAGS=-O3 CPPFLAGS="-isystem $(NEON_ROOT)/usr/include" \
	  TEST_WAY=neon LDFLAGS="-L$(NEON_LIBS) -Wl,-rpath-link,$(NEON_LIBS)"

# ---- Static analysis --------------------------------------------------------------------------------------------------
# Every compiler that is supported shifts copies of the sign into a signed integer.
CPPCHECK = cppcheck --quiet --error-exitcode=1 --enable=warning,portability --inline-suppr --suppress=normalCheckLevelMaxBranches \
  --suppress=shiftTooManyBitsSigned --library=test/support/cppcheck.cfg -Iinclude -Ilib
# Cells are checked one by one, with the macros by which compilers tell that they have the instructions: all of one
# instruction set, and with them each file of kernels; and the sums of each other one, and with them its vocabulary. In
# body.inc `aside` is NULL only where no scan looks into it; no number of vectors is 0.
CELL_SRC := lib/kernel/cell.c $(foreach kind,$(CELL_KINDS),$(CELL_SOURCE_$(kind)))
CELL_MACROS := __AVX2__ __AVX512F__ __AVX512BW__ __AVX512DQ__ __AVX512VL__ __FMA__ __aarch64__ __ARM_NEON
LINTED := $(filter avx2-% %-plus %-rows %-recurrence,$(CELLS))
lint: ## static analysis of the library and the scripts
	$(CPPCHECK) $(CELL_SRC:%=-i%) lib tools bench mpi
	for cell in $(foreach cell,$(LINTED),$(cell):$(call cell_source,$(cell))); do \
	  source=$${cell#*:}; cell=$${cell%:*}; \
	  $(CPPCHECK) $(CELL_MACROS:%=-D%) -DISA=$${cell%-*} -DOPERATORS=$${cell#*-} \
	    --suppress=nullPointer:lib/kernel/body.inc --suppress=uninitvar:lib/kernel/vectors.inc \
	    --suppress=uninitvar:lib/engine/gemm/rows_body.inc $$source || { echo "lint: in the cell $$cell" >&2; exit 1; }; done
	shellcheck -s sh scripts/* test/runner test/*.sh test/*/*.sh bindings/*/*/*.sh

-include $(TEST_OBJ:.o=.d)
