# libmmscan_mpi: scans over the ranks of MPI, by whatever MPI MPICC compiles for. The Makefile includes this.
#
#   MPICC=mpicc    the compiler of an MPI; what is built by another is in another folder (MPI_BUILD)
#   MPIRUN=mpirun  what starts its programs

MPICC ?= mpicc
MPIRUN ?= mpirun
MPI_BUILD := $(BUILD)/mpi/$(notdir $(MPICC))

MPI_SRC := $(sort $(wildcard mpi/*.c))
MPI_OBJ := $(MPI_SRC:mpi/%.c=$(MPI_BUILD)/%.o)
MPI_SHARED := $(MPI_BUILD)/libmmscan_mpi.so.$(VERSION)
MPI_STATIC := $(MPI_BUILD)/libmmscan_mpi.a
MPI_TEST := $(MPI_BUILD)/test_mpi
MPI_SLEEPY := $(MPI_BUILD)/sleepy.so
MPI_TOOL := $(MPI_BUILD)/mmscan-mpi
MPI_BENCH := $(MPI_BUILD)/mmscan-mpi-bench
MPI_BENCH_OBJ := $(patsubst %.c,$(MPI_BUILD)/%.o,$(wildcard bench/mpi/*.c))

.PHONY: mpi install-mpi uninstall-mpi check-mpi

mpi: $(MPI_SHARED) $(MPI_STATIC) $(MPI_TOOL) $(MPI_BENCH) ## build libmmscan_mpi, mmscan-mpi and mmscan-mpi-bench, by MPICC=mpicc

# The library is compiled as the rest is, and by the same compiler where MPICC lets itself be told.
MPI_COMPILE = OMPI_CC=$(call quote,$(CC)) MPICH_CC=$(call quote,$(CC)) $(MPICC)
mpi_flags = $(wordlist 2,$(words $(COMPILE)),$(COMPILE))
$(MPI_BUILD)/%.o: mpi/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(MPI_COMPILE) $(mpi_flags) -fPIC -fvisibility=hidden -c $< -o $@

$(MPI_STATIC): $(MPI_OBJ)
	rm -f $@
	$(AR) rcs $@ $(MPI_OBJ)

# It finds libmmscan beside it, once both are installed.
$(MPI_SHARED): $(MPI_OBJ) $(SHARED) mpi/mmscan_mpi.map
	$(MPI_COMPILE) -shared $(CFLAGS) $(LDFLAGS) -Wl,-soname,libmmscan_mpi.so.$(MAJOR) \
	  -Wl,--version-script=mpi/mmscan_mpi.map -Wl,--no-undefined -Wl,-rpath,'$$ORIGIN' $(MPI_OBJ) -L$(BUILD) -lmmscan -o $@
	ln -sf $(@F) $(MPI_BUILD)/libmmscan_mpi.so.$(MAJOR)
	ln -sf $(@F) $(MPI_BUILD)/libmmscan_mpi.so

# The command is made of its own files and of those of mmscan that scan.
MPI_TOOL_SRC := $(sort $(wildcard tools/mpi/*.c))
MPI_TOOL_OBJ := $(MPI_TOOL_SRC:tools/mpi/%.c=$(MPI_BUILD)/tools/%.o)
MPI_TOOL_USES := $(patsubst %,$(BUILD)/tools/%.o,arguments element flatten half input message npy order output \
  progress result scan scanfile segmentfile stdout suspect temporary textfile transfer)
$(MPI_BUILD)/tools/%.o: tools/mpi/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(MPI_COMPILE) $(mpi_flags) -Itools -c $< -o $@

$(MPI_TOOL): $(MPI_TOOL_OBJ) $(MPI_TOOL_USES) $(MPI_STATIC) $(STATIC)
	$(MPI_COMPILE) $(OPENMP_LINK) $(CFLAGS) $(LDFLAGS) $^ $(TOOL_LIBS) $(LIBS) -o $@

$(MPI_BUILD)/bench/%.o: bench/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(MPI_COMPILE) $(mpi_flags) -Ibench -c $< -o $@

$(MPI_BENCH): $(MPI_BENCH_OBJ) $(BUILD)/bench/statistics.o $(MPI_STATIC) $(STATIC)
	$(MPI_COMPILE) $(OPENMP_LINK) $(CFLAGS) $(LDFLAGS) $^ $(LIBS) -o $@

$(MPI_TEST).o: test/mpi/test_mpi.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(MPI_COMPILE) $(mpi_flags) -O1 -Itest -c $< -o $@

# Allocations of the library fail where the test says.
$(MPI_TEST): $(MPI_TEST).o $(MPI_STATIC) $(SHARED)
	$(MPI_COMPILE) $(CFLAGS) $(LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc,--wrap=posix_memalign $< $(MPI_STATIC) \
	  -L$(BUILD) -lmmscan -lcmocka -lm -Wl,-rpath,$(abspath $(BUILD)) -o $@

$(MPI_SLEEPY): test/mpi/sleepy.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(filter-out -fopenmp%,$(COMPILE)) -fPIC -shared $< $(LDFLAGS) -ldl -o $@

install-mpi: lib mpi ## install libmmscan_mpi, and the library that it needs
	$(run_install) $(BUILD) $(VERSION) library mpi

uninstall-mpi: ## remove libmmscan_mpi, and leave the library to uninstall
	$(run_install) --remove $(BUILD) $(VERSION) mpi

check-mpi: $(MPI_SLEEPY)
check-mpi: $(MPI_TEST) $(MPI_TOOL) $(MPI_BENCH) $(TOOL) ## the tests of libmmscan_mpi and its commands, started by MPIRUN=mpirun
	MPIRUN=$(call quote,$(MPIRUN)) sh test/mpi/run.sh $(MPI_BUILD) $(TOOL)

-include $(MPI_OBJ:.o=.d) $(MPI_TOOL_OBJ:.o=.d) $(MPI_BENCH_OBJ:.o=.d) $(MPI_TEST).d
