# The toys: small libraries like a BLAS or LIBXSMM that tests open, most of them faulty on purpose. Included by
# test/test.mk.

# An entry is NAME:DEFINITION,...; each is built into a file of its own.
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
$(BUILD)/test/toy_%.so: test/toys/toy_blas.c test/toys/toy_blas_body.inc $(BUILD)/flags $(BUILD)/toys
	@mkdir -p $(@D)
	$(make_toy)
$(BUILD)/test/toy_xsmm_%.so: test/toys/toy_xsmm.c $(BUILD)/flags $(BUILD)/toys
	@mkdir -p $(@D)
	$(make_toy)

$(BUILD)/toys: FORCE
	$(call keep,$(TOYS))

# Tests that open toys.
$(addprefix $(BUILD)/test/,$(basename $(notdir $(shell grep -l '"toys/toy.h"' $(TEST_SRC) /dev/null)))): | $(TOY_FILES)

.PHONY: $(call would_keep,$(TOYS),$(BUILD)/toys)
