# The tests of mmscan.hpp: every program by two compilers, as C++17 and C++20. test.mk includes this.

.PHONY: check-cpp check-libstdcxx

CPP_BUILD := $(BUILD)/test/cpp
CPP_NAMES := $(basename $(notdir $(wildcard test/cpp/test_*.cpp)))
# Compilers that are not here are left out. With the last and C++17 there are the sanitizers, and the standard library's
# assertions, too: clang++ compiles these in half of g++'s time. Without optimisation all compile in half the time.
CPP_COMPILERS := $(foreach compiler,g++ clang++,$(if $(shell command -v $(compiler)),$(compiler)))
CPP_PROGRAMS := $(foreach compiler,$(CPP_COMPILERS),$(CPP_NAMES:%=$(CPP_BUILD)/%-$(compiler)-17) \
  $(CPP_NAMES:%=$(CPP_BUILD)/%-$(compiler)-20))
CPP_CHECKED := -D_GLIBCXX_ASSERTIONS -fsanitize=address,undefined -fno-sanitize-recover=all

# Calls that the tests count, or have fail.
CPP_CALLS := $(foreach type,f32 f64 i32 i64 u32 u64,mmscan_inclusive_$(type) mmscan_exclusive_$(type)) mmscan_scan \
  mmscan_scan_block mmscan_plan_create_with
# <execution> wants TBB's headers and library. Each compiler is asked once, when something is to be built.
ask_tbb = $(shell echo '#include <tbb/tbb.h>' | $(1) -E -x c++ - >/dev/null 2>&1 && echo -DWITH_EXECUTION -ltbb)
TBB = $(if $(filter undefined,$(origin TBB_$(1))),$(eval TBB_$(1) := $(call ask_tbb,$(1))))$(TBB_$(1))
compile_cpp = $(1) -std=c++$(2) -O0 -Iinclude -Wall -Wextra -Wshadow -Wconversion -pedantic -Werror $< -o $@ \
  $(CPP_CALLS:%=-Wl,--wrap=%) -L$(BUILD) -lmmscan -Wl,-rpath,$(abspath $(BUILD)) $(call TBB,$(1))

define cpp_rule
$(CPP_BUILD)/%-$(1)-$(2): test/cpp/%.cpp test/cpp/checks.hpp include/mmscan.hpp include/mmscan.h $(SHARED)
	@mkdir -p $$(@D)
	$$(call compile_cpp,$(1),$(2)) $(if $(filter $(lastword $(CPP_COMPILERS))-17,$(1)-$(2)),$$(CPP_CHECKED))
endef
$(foreach compiler,$(CPP_COMPILERS),$(foreach standard,17 20,$(eval $(call cpp_rule,$(compiler),$(standard)))))

check-cpp: $(CPP_PROGRAMS) ## the tests of mmscan.hpp, by g++ and clang++, as C++17 and C++20
	test/runner $(CPP_PROGRAMS)

check-libstdcxx: $(SHARED) ## libstdc++'s own tests of the scans of C++, and those of oneDPL there, with mmscan.hpp
	test/runner test/cpp/libstdcxx.sh:$(BUILD)
