/* candidates.c: where vendors and distributions put libraries that multiply. */
#include "unit/loaded.h"

#include "unit/xsmm.h"

#ifdef __x86_64__
#define TRIPLET "x86_64-linux-gnu"
#else
#define TRIPLET "aarch64-linux-gnu"
#endif

/* Debian installs three builds of OpenBLAS and of BLIS side by side; elsewhere only the soname is known. */
static const char *const candidates[] = {
    "/usr/lib/" TRIPLET "/openblas-pthread/libopenblas.so.0",
    "/usr/lib/" TRIPLET "/openblas-openmp/libopenblas.so.0",
    "/usr/lib/" TRIPLET "/openblas-serial/libopenblas.so.0",
    "libopenblas.so.0",
    "libopenblas.so",
    "libopenblas64.so.0",
    "libopenblas64_.so.0",
    "/usr/lib/" TRIPLET "/blis-openmp/libblis.so.4",
    "/usr/lib/" TRIPLET "/blis-pthread/libblis.so.4",
    "/usr/lib/" TRIPLET "/blis-serial/libblis.so.4",
    "libblis.so.4",
    "libblis.so",
    "libblis-mt.so",
    "libblis64.so.4",
    "/usr/lib/" TRIPLET "/atlas/libblas.so.3",
    "libsatlas.so.3",
    "libtatlas.so.3",
    "/usr/lib/" TRIPLET "/blas/libblas.so.3",
    "libmkl_rt.so.3",
    "libmkl_rt.so.2",
    "libmkl_rt.so.1",
    "libmkl_rt.so",
    "libarmpl_lp64.so",
    "libnvpl_blas_lp64_gomp.so.0",
};

const char *mms_loaded_candidate(size_t index) {
  const size_t blases = sizeof candidates / sizeof *candidates;
  return index < blases ? candidates[index] : mms_xsmm_soname(index - blases);
}
