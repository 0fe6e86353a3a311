# libmmscan: see `make help`. What it includes: bench/bench.mk, mpi/mpi.mk, bindings/fortran/fortran.mk, test/test.mk,
# test/toys/toys.mk.
#
# Settings, on the command line or in the environment:
#   CC CFLAGS CPPFLAGS LDFLAGS LDLIBS   as usual; CFLAGS defaults to -O3 -g
#   BLAS=openblas|blis|blas|mkl|/path/lib.so|none   the CBLAS that is opened at the first product
#   LINK_BLAS=1                          it is linked, too, so that it is loaded as a program starts
#   PREFIX=/usr/local LIBDIR=lib DESTDIR=
#                                        where `make install` puts things; LIBDIR is under PREFIX
#   BUILD=build                          where things are built
#   STRIP=strip                          what `make install-strip` strips with
#   PEER_CFLAGS PEER_CXXFLAGS            for other people's scans in the bench; default to -O3 -march=native; C++'s have
#                                        aligned loops, too
#   WERROR=1                             warnings are errors (set by the checks)
#   TEST_WAY=asan|tsan|…                 the tests that test/ways lists for it, not all
#   RUNNABLE=1                           leaves out kernels that this CPU cannot run (set by slow checks)

BUILD ?= build
PREFIX ?= /usr/local
LIBDIR ?= lib
# Without built-in rules, by which nothing here is made: to try them takes half of the time that make needs to start.
MAKEFLAGS += -r
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

# By a name that nothing here reads, a folder would be ignored, and files go to /usr/local. In the environment such a name
# may be meant for others.
MISNAMED := $(foreach name,prefix exec_prefix destdir bindir sbindir libdir libexecdir includedir datadir datarootdir docdir \
  mandir man1dir man3dir pkgconfigdir sysconfdir BINDIR INCLUDEDIR DATADIR MANDIR,$(if $(filter command,$(origin $(name))),$(name)=))
ifneq ($(and $(strip $(MISNAMED)),$(filter install uninstall,$(MAKECMDGOALS))),)
$(error $(strip $(MISNAMED)) is no setting here: PREFIX=, LIBDIR= and DESTDIR= say where files go; under PREFIX there are \
  bin, include and share/man, and LIBDIR, which is lib by default)
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

MACHINE := $(shell $(CC) -dumpmachine)
X86_64 := $(findstring x86_64,$(MACHINE))

# A tiny call takes so few cycles that it matters where in a cache line its code begins (doc/TUNING.md, "Short
# scans and batches").
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
# Its vectors are wider than the machine need have, and no function passes one to another object; -Os halves its code.
# GCC 14 for AArch64, with -Os, takes a function that is passed such vectors, by reference, for one that reads no memory:
# what is stored for it was then seen to be moved past the call. Clang has no such pass.
ISA_FLAGS_portable32 := -Wno-psabi -Os -fno-gcse -Wno-ignored-optimization-argument
ifneq ($(RUNNABLE),)
ifeq ($(filter avx512vl,$(shell cat /proc/cpuinfo 2>/dev/null)),)
ISA_FLAGS_avx512   :=
ISA_FLAGS_avx512vl :=
endif
endif

# Kernels are objects for each instruction set and operator, as cells.def has them. So are other loops for each
# instruction set: for each kind of them there is such a list, a source, and maybe flags.
CELLS := $(shell sed -n 's/^MMS_CELL(\(.*\), \(.*\))/\1-\2/p' lib/kernel/cells.def)
CELL_KINDS := rows raster recurrence filter storage
CELL_LIST_rows         := lib/engine/gemm/rows.def
CELL_LIST_raster       := lib/engine/image/raster.def
CELL_LIST_recurrence   := lib/engine/recurrence.def
CELL_LIST_filter       := lib/engine/filters.def
CELL_LIST_storage      := lib/pack/storage.def
CELL_SOURCE_rows       := lib/engine/gemm/rows_cell.c
CELL_SOURCE_raster     := lib/engine/image/raster_cell.c
CELL_SOURCE_recurrence := lib/engine/recurrence_cell.c
CELL_SOURCE_filter     := lib/engine/filter_cell.c
CELL_SOURCE_storage    := lib/pack/storage_cell.c
CELL_FLAGS_filter       = -ffp-contract=fast $(if $(ISA_FLAGS_$(cell_isa)),-mfma)
CELL_FLAGS_storage      = $(if $(ISA_FLAGS_$(cell_isa)),-mf16c)
CELLS += $(foreach kind,$(CELL_KINDS),$(shell sed -n 's/^MMS_[A-Z]*_CELL(\(.*\))/\1-$(kind)/p' $(CELL_LIST_$(kind))))
# The source of a cell.
cell_source = $(or $(CELL_SOURCE_$(lastword $(subst -, ,$(1)))),lib/kernel/cell.c)
cell_isa = $(firstword $(subst -, ,$(basename $(@F))))
cell_operators = $(lastword $(subst -, ,$(basename $(@F))))

# ---- Files ------------------------------------------------------------------------------------------------------------
LIB_SRC   := $(sort $(filter-out %_cell.c %/cell.c,$(wildcard lib/*.c lib/*/*.c lib/*/*/*.c)))
TOOL_SRC  := $(sort $(wildcard tools/*.c))
EXAMPLE_SRC := $(sort $(wildcard examples/*.c))
# Scripts in Python are parts of the command, as lists of modules (tools/python.h) in the order in which they are imported.
SCRIPTS_numpy   := bench/numpy_peer.py
SCRIPTS_pages   := $(patsubst %,bench/pages/%.py,contest text gnuplot plot contest_plot accuracy_plot page)
SCRIPTS_figures := $(patsubst %,tools/figures/%.py,svg trace circuit tensor segments figure)
SCRIPTS   := $(SCRIPTS_numpy) $(SCRIPTS_pages) $(SCRIPTS_figures)

CELL_OBJ  := $(CELLS:%=$(BUILD)/lib/kernel/cell/%.o)
LIB_OBJ   := $(CELL_OBJ) $(LIB_SRC:%.c=$(BUILD)/%.o)
TOOL_OBJ  := $(TOOL_SRC:%.c=$(BUILD)/%.o) $(BUILD)/scripts.o
EXAMPLES  := $(EXAMPLE_SRC:examples/%.c=$(BUILD)/examples/%)

STATIC := $(BUILD)/libmmscan.a
SHARED := $(BUILD)/libmmscan.so.$(VERSION)
TOOL   := $(BUILD)/mmscan

include bench/bench.mk

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
ifneq ($(filter clean,$(MAKECMDGOALS)),)
.NOTPARALLEL: # make -j clean all
endif
.PHONY: help all lib install install-lib install-strip uninstall demo format format-check dist wheel clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

all: lib $(TOOL) $(EXAMPLES) ## build the libraries, the command and the examples (default)

lib: $(STATIC) $(SHARED) ## build the libraries only

# ---- Building ---------------------------------------------------------------------------------------------------------
# What things are made of is kept in files that are rewritten only when it changes: the flags of all objects, the
# objects that are linked, the BLAS that is opened, the definitions of the toys. A change of flags is reported, as
# `make install` may have been given fewer flags than `make`. -Werror is left out, as it does not change an object.
BUILT_WITH = $(filter-out -Werror,$(COMPILE)) $(KERNEL_CFLAGS) $(LINES) $(TLS) $(foreach flags,$(sort $(filter ISA_FLAGS_%,$(.VARIABLES))),$($(flags))) $(LDFLAGS) \
  $(PEER_CFLAGS)
LINKED_OF = $(LIB_OBJ) $(TOOL_OBJ) $(BENCH_OBJ) $(CXX_PEER_OBJ) $(SCRIPTS) $(AR) $(LIBS) $(TOOL_LIBS)
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
$(filter-out $(foreach kind,$(CELL_KINDS),%-$(kind).o),$(CELL_OBJ)): lib/kernel/cell.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(compile_cell)
define kind_rule
$(filter %-$(1).o,$(CELL_OBJ)): $(CELL_SOURCE_$(1)) $(BUILD)/flags
	@mkdir -p $$(@D)
	$$(compile_cell) $$(CELL_FLAGS_$(1))
endef
$(foreach kind,$(CELL_KINDS),$(eval $(call kind_rule,$(kind))))

$(BUILD)/lib/api.o $(BUILD)/lib/algebra/algebra.o: LAYOUT = $(LINES)

$(BUILD)/lib/unit/cblas.o: OPENS = -DMMS_BLAS=$(call c_string,$(BLAS_OPENED))
$(BUILD)/lib/unit/cblas.o: $(BUILD)/blas

$(BUILD)/tools/%.o: tools/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(COMPILE) -c $< -o $@

put_module = echo '{"$(basename $(notdir $(1)))",' && sed 's/[\"?]/\\&/g; s/.*/  "&\\n"/' $(1) && echo '},' &&
put_list = echo 'const python_module python_$(1)[] = {' && $(foreach script,$(SCRIPTS_$(1)),$(call put_module,$(script))) echo '{NULL, NULL}};'
$(BUILD)/scripts.c: $(SCRIPTS) $(BUILD)/objects
	@mkdir -p $(@D)
	@{ echo '#include "python.h"' && $(call put_list,numpy) && $(call put_list,pages) && $(call put_list,figures); } >$@
$(BUILD)/scripts.o: $(BUILD)/scripts.c $(BUILD)/flags
	$(COMPILE) -Itools -c $< -o $@

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

$(BUILD)/examples/%: examples/%.c $(STATIC) $(BUILD)/flags
	@mkdir -p $(@D)
	$(COMPILE) $(LDFLAGS) $(if $(LTO),-fno-lto) $< $(STATIC) $(LIBS) -o $@

demo: ## what this is for, on real data
	./scripts/demo

# ---- Installing -------------------------------------------------------------------------------------------------------
run_install = STRIP=$(call quote,$(STRIP_BY)) DESTDIR=$(call quote,$(DESTDIR)) PREFIX=$(call quote,$(PREFIX)) LIBDIR=$(call quote,$(LIBDIR)) \
  BLAS_LIBS=$(call quote,$(BLAS_LIBS)) MPI_BUILD=$(call quote,$(MPI_BUILD)) $(INSTALL_WITH) scripts/install

install: all ## install under DESTDIR and PREFIX
	$(run_install) $(BUILD) $(VERSION) library command

install-lib: lib ## the same without the command, which alone needs jansson and libcsv
	$(run_install) $(BUILD) $(VERSION) library

install-strip: ## install, without debugging symbols
	$(MAKE) install STRIP_BY=$(call quote,$(or $(STRIP),strip))

uninstall: ## remove what install put there
	$(run_install) --remove $(BUILD) $(VERSION) library command

# ---- Libraries beside it ----------------------------------------------------------------------------------------------
# Not in a copy of the library alone.
include $(wildcard mpi/mpi.mk bindings/fortran/fortran.mk)

# ---- Keeping house ----------------------------------------------------------------------------------------------------
C_FILES = $(or $(shell git ls-files -co --exclude-standard '*.c' '*.h' '*.inc' '*.cpp' '*.hpp' 2>/dev/null),$(error git lists no files here))
FIND_FORMATTER = formatter=$$(scripts/formatter $(BUILD)/clang-format)
format: ## reformat the C files (by clang-format 14, which is fetched if need be)
	$(FIND_FORMATTER) && $$formatter -i $(C_FILES)
format-check: ## fail if a C file is not formatted
	$(FIND_FORMATTER) && $$formatter --dry-run -Werror $(C_FILES)

dist: ## a source archive of HEAD
	@mkdir -p $(BUILD)
	git archive --format=tar.gz --prefix=libmmscan-$(VERSION)/ -o $(BUILD)/dist.tar.gz HEAD || { rm -f $(BUILD)/dist.tar.gz; exit 1; }
	mv $(BUILD)/dist.tar.gz $(BUILD)/libmmscan-$(VERSION).tar.gz

wheel: ## a wheel and a source distribution of the Python package, in $(BUILD)/wheel
	BUILD=$(BUILD) scripts/wheel

clean: ## remove what was built
	rm -rf $(BUILD)

# Not in a copy of the library alone.
include $(wildcard test/test.mk)

.PHONY: $(call would_keep,$(BUILT_WITH),$(BUILD)/flags) $(call would_keep,$(LINKED_OF),$(BUILD)/objects) \
        $(if $(ONLY_TELLS),$(call would_keep,$(BLAS_FOUND) $(BLAS_LIBS),$(BUILD)/blas)) \
        $(if $(filter peers,$(MAKECMDGOALS)),$(call would_keep,$(CXX_PEER_WITH),$(BUILD)/bench/cxx_flags))
-include $(LIB_OBJ:.o=.d) $(TOOL_OBJ:.o=.d) $(BENCH_OBJ:.o=.d) $(CXX_PEER_OBJ:.o=.d) $(EXAMPLES:=.d)
