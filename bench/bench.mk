# The subcommands that measure, and other people's scans, which they time. The Makefile includes this.

.PHONY: bench peers accuracy reproduce scale

BENCH_SRC := $(sort $(wildcard bench/*.c))
BENCH_OBJ := $(BENCH_SRC:%.c=$(BUILD)/%.o) $(if $(X86_64),$(BUILD)/bench/peer_omp_simd_avx2.o)
CXX_PEER_OBJ := $(BUILD)/bench/peers_cxx.o
PEERS := $(BUILD)/mmscan-peers.so

# Other people's scans, which the bench times, are compiled with their own flags, and record them.
# A cross-compiler does not take -march=native. A short loop takes up to twice as long where its first instructions are in
# two lines of the cache, which is chance unless loops are aligned.
ifeq ($(origin PEER_CFLAGS),undefined)
PEER_CFLAGS := $(strip -O3 $(call accepted,$(CC),-march=native))
endif
ifeq ($(origin PEER_CXXFLAGS),undefined)
PEER_CXXFLAGS := $(strip -O3 $(call accepted,$(CXX),-march=native) $(call accepted,$(CXX),-falign-loops=64))
endif
PEER = $(CC) -std=c11 -D_GNU_SOURCE $(WARN) $(OPENMP) -MMD -MP $(CPPFLAGS)
EIGEN = $(patsubst -I%,-isystem %,$(shell pkg-config --cflags eigen3 2>/dev/null))
CXX_PEER = $(CXX) -std=c++17 -fPIC -Iinclude -Ibench $(EIGEN) $(CPPFLAGS) $(PEER_CXXFLAGS) -DPEER_FLAGS=$(call c_string,$(PEER_CXXFLAGS)) -MMD -MP

$(BUILD)/bench/%.o: bench/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(COMPILE) -Itools -DPEER_FLAGS=$(call c_string,$(CFLAGS)) -c $< -o $@

$(BUILD)/bench/peer_%.o: bench/peer_%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(PEER) $(PEER_CFLAGS) -DPEER_FLAGS=$(call c_string,$(PEER_CFLAGS)) -c $< -o $@

$(BUILD)/bench/peer_omp_simd_avx2.o: bench/peer_omp_simd.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(PEER) -O3 -mavx2 -DPEER_OMP_SIMD_AVX2 -DPEER_FLAGS='"-O3 -mavx2"' -c $< -o $@

# Known by itself, so that a C++ compiler that is installed later has nothing else built again.
CXX_PEER_WITH = $(CXX) $(EIGEN) $(CPPFLAGS) $(PEER_CXXFLAGS)
$(BUILD)/bench/cxx_flags: FORCE
	$(call keep,$(CXX_PEER_WITH))
$(CXX_PEER_OBJ): bench/peers_cxx.cpp $(BUILD)/bench/cxx_flags
	@mkdir -p $(@D)
	$(CXX_PEER) -Wall -Wextra $(if $(WERROR),-Werror) -fvisibility=hidden -c $< -o $@

# The C++ peers are a library of their own, so that the command need not be linked with the libraries of C++ and TBB.
# TBB is linked if its headers are there. mmscan.hpp calls the shared library.
$(PEERS): $(CXX_PEER_OBJ) $(SHARED) $(BUILD)/objects
	tbb=$$(echo '#include <tbb/tbb.h>' | $(CXX) -E -x c++ - >/dev/null 2>&1 && echo -ltbb || :); \
	$(CXX) -shared $(LDFLAGS) $(CXX_PEER_OBJ) $$tbb -L$(BUILD) -lmmscan -Wl,-rpath,'$$ORIGIN' -o $@

# Without a C++ compiler the C++ peers are missing, and the bench says so.
peers: $(if $(shell command -v $(CXX) 2>/dev/null),$(PEERS)) ## build the C++ peers of the bench, where there is a C++ compiler

bench: $(TOOL) peers ## time the engines beside the copy bound and other scans (BENCH_ARGS="--help")
	$(TOOL) bench $(BENCH_ARGS)

accuracy: all ## measure the errors of sums, for doc/ACCURACY.md and README.md's picture (a minute; needs gnuplot)
	$${PYTHON:-python3} bench/accuracy_tables.py $(TOOL)

reproduce: all ## make doc/REPRODUCTION.md: every claim of the paper counted, this machine measured (some minutes; needs gnuplot)
	$${PYTHON:-python3} bench/reproduction/reproduce.py --make $(TOOL)

scale: all mpi ## make doc/SCALE.md: scans over MPI measured by MPIRUN, and computed for other machines (minutes; needs gnuplot)
	$${PYTHON:-python3} bench/scale.py --measure $(call quote,$(MPIRUN)) $(MPI_BENCH) $(TOOL)
