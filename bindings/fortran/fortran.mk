# libmmscan_fortran: the Fortran module mmscan, for gfortran. The Makefile includes this.
#
#   FC=gfortran   the compiler; programs that use the module need one of the same major version
#   FFLAGS=-O2 -g its flags

ifneq ($(call unset,FC),)
FC := gfortran
endif
FFLAGS ?= -O2 -g
FORTRAN_BUILD := $(BUILD)/fortran
FORTRAN := bindings/fortran

# Of two modules the first is used by the second.
FORTRAN_OBJ := $(patsubst %,$(FORTRAN_BUILD)/%.o,mmscan_c mmscan_place mmscan)
FORTRAN_SHARED := $(FORTRAN_BUILD)/libmmscan_fortran.so.$(VERSION)
FORTRAN_STATIC := $(FORTRAN_BUILD)/libmmscan_fortran.a
FORTRAN_LAYOUT := $(FORTRAN_BUILD)/layout.txt
FORTRAN_EXAMPLES := $(patsubst $(FORTRAN)/example/%.f90,$(FORTRAN_BUILD)/%,$(wildcard $(FORTRAN)/example/*.f90))

.PHONY: fortran install-fortran uninstall-fortran check-fortran

fortran: $(FORTRAN_SHARED) $(FORTRAN_STATIC) $(FORTRAN_EXAMPLES) ## build libmmscan_fortran, by FC=gfortran

# Files of modules are read by compilers of the same major version. That is more than the number in them asks for, which
# several versions share; but only releases of one version are meant to read each other's.
FORTRAN_FOLDER = gfortran-$(firstword $(subst ., ,$(shell $(FC) -dumpversion 2>/dev/null)))
FORTRAN_WARN := -Wall -Wextra $(if $(WERROR),-Werror)
FORTRAN_COMPILE = $(FC) -std=f2018 $(FORTRAN_WARN) $(FFLAGS) -fPIC -cpp -J$(FORTRAN_BUILD)
FORTRAN_WITH = $(filter-out -Werror -J%,$(FORTRAN_COMPILE)) $(shell $(FC) -dumpfullversion 2>/dev/null)
$(FORTRAN_BUILD)/flags: FORCE
	@command -v $(firstword $(FC)) >/dev/null || \
	  { echo "make: there is no $(firstword $(FC)); ./scripts/install-deps fortran installs gfortran" >&2; exit 1; }
	$(call keep,$(FORTRAN_WITH),$(FORTRAN_BUILD) was built with other settings: rebuilding)

$(FORTRAN_BUILD)/mmscan_c.o: $(FORTRAN)/src/mmscan_c.f90 $(FORTRAN_BUILD)/flags
	$(FORTRAN_COMPILE) -c $< -o $@
$(FORTRAN_BUILD)/mmscan_place.o: $(FORTRAN)/src/mmscan_place.f90 $(FORTRAN_BUILD)/mmscan_c.o
	$(FORTRAN_COMPILE) -c $< -o $@
$(FORTRAN_BUILD)/mmscan.o: $(FORTRAN)/src/mmscan.F90 $(wildcard $(FORTRAN)/src/*.fi) $(FORTRAN_BUILD)/mmscan_place.o
	$(FORTRAN_COMPILE) -c $< -o $@

# Before anything is linked: whether C's structs are what the module takes them for.
$(FORTRAN_LAYOUT): $(FORTRAN_BUILD)/mmscan_c.o include/mmscan.h $(wildcard $(FORTRAN)/layout/*)
	CC=$(call quote,$(CC)) FC=$(call quote,$(FC)) sh $(FORTRAN)/layout/check.sh $(FORTRAN_BUILD)
	@touch $@

$(FORTRAN_STATIC): $(FORTRAN_OBJ) $(FORTRAN_LAYOUT)
	rm -f $@
	$(AR) rcs $@ $(FORTRAN_OBJ)

# It finds libmmscan beside it, once both are installed.
$(FORTRAN_SHARED): $(FORTRAN_OBJ) $(FORTRAN_LAYOUT) $(SHARED)
	$(FC) -shared $(FFLAGS) $(LDFLAGS) -Wl,-soname,libmmscan_fortran.so.$(MAJOR) -Wl,--no-undefined -Wl,-rpath,'$$ORIGIN' \
	  $(FORTRAN_OBJ) -L$(BUILD) -lmmscan -o $@
	ln -sf $(@F) $(FORTRAN_BUILD)/libmmscan_fortran.so.$(MAJOR)
	ln -sf $(@F) $(FORTRAN_BUILD)/libmmscan_fortran.so

FORTRAN_LIBS = $(FORTRAN_STATIC) -L$(BUILD) -lmmscan -Wl,-rpath,$(abspath $(BUILD)) $(LDFLAGS)
$(FORTRAN_EXAMPLES): $(FORTRAN_BUILD)/%: $(FORTRAN)/example/%.f90 $(FORTRAN_STATIC) $(SHARED)
	$(FC) -std=f2018 $(FORTRAN_WARN) $(FFLAGS) -I$(FORTRAN_BUILD) $< $(FORTRAN_LIBS) -o $@

# ---- Tests ------------------------------------------------------------------------------------------------------------
# The module is tested as it is installed; the tests themselves are checked for all that gfortran can check. Their
# numbers are exact.
FORTRAN_TEST := $(FORTRAN_BUILD)/test_mmscan
FORTRAN_TEST_OBJ := $(patsubst %,$(FORTRAN_BUILD)/test/%.o,oracle draw random_scans threads test_mmscan)
FORTRAN_TEST_COMPILE = $(FC) -std=f2018 $(FORTRAN_WARN) -Wno-compare-reals -O0 -g -fcheck=all,no-array-temps \
  -fwrapv -cpp -I$(FORTRAN_BUILD) -J$(FORTRAN_BUILD)/test
$(FORTRAN_BUILD)/test/%.o: $(FORTRAN)/test/%.F90 $(FORTRAN_STATIC) $(wildcard $(FORTRAN)/test/*.fi)
	@mkdir -p $(@D)
	$(FORTRAN_TEST_COMPILE) -c $< -o $@
$(FORTRAN_BUILD)/test/%.o: $(FORTRAN)/test/%.f90 $(FORTRAN_STATIC)
	@mkdir -p $(@D)
	$(FORTRAN_TEST_COMPILE) -c $< -o $@
$(FORTRAN_BUILD)/test/random_scans.o: $(FORTRAN_BUILD)/test/oracle.o $(FORTRAN_BUILD)/test/draw.o
$(FORTRAN_BUILD)/test/test_mmscan.o: $(FORTRAN_BUILD)/test/random_scans.o $(FORTRAN_BUILD)/test/threads.o
$(FORTRAN_BUILD)/test/threads.o: FORTRAN_TEST_COMPILE += -fopenmp
$(FORTRAN_TEST): $(FORTRAN_TEST_OBJ) $(FORTRAN_STATIC) $(SHARED)
	$(FC) -fopenmp $(FORTRAN_TEST_OBJ) $(FORTRAN_LIBS) -o $@

check-fortran: fortran $(FORTRAN_TEST) ## the tests of libmmscan_fortran
	FC=$(call quote,$(FC)) sh $(FORTRAN)/test/run.sh $(FORTRAN_BUILD)

# ---- Installing -------------------------------------------------------------------------------------------------------
install-fortran uninstall-fortran: INSTALL_WITH = FORTRAN_BUILD=$(call quote,$(FORTRAN_BUILD)) \
  FORTRAN_FOLDER=$(FORTRAN_FOLDER)

install-fortran: lib fortran ## install libmmscan_fortran, and the library that it needs
	$(run_install) $(BUILD) $(VERSION) library fortran

uninstall-fortran: ## remove libmmscan_fortran, and leave the library to uninstall
	$(run_install) --remove $(BUILD) $(VERSION) fortran

# See the end of the Makefile.
.PHONY: $(if $(filter %fortran,$(MAKECMDGOALS)),$(call would_keep,$(FORTRAN_WITH),$(FORTRAN_BUILD)/flags))
