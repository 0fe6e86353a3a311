/* For the C lines of doc/FROM.md: what libraries that are not here are documented to do, as plain loops, and what
 * prints results. vDSP: developer.apple.com/documentation/accelerate/vdsp_vrsum, and its header. IPP: "Integral", in
 * the developer reference of Intel IPP. */
#include <stdio.h>
#include <stdlib.h>

/* c[k] = s (a[1] + ... + a[k]) */
static inline void vDSP_vrsumD(const double *a, ptrdiff_t a_stride, const double *s, double *c, ptrdiff_t c_stride,
                               size_t length) {
  for (size_t k = 0; k < length; k++) {
    double sum = 0;
    for (size_t j = 1; j <= k; j++) sum += a[(ptrdiff_t)j * a_stride];
    c[(ptrdiff_t)k * c_stride] = *s * sum;
  }
}

typedef struct IppiSize {
  int width, height;
} IppiSize;

/* Sums over all pixels above and to the left, and val; the first row and column are val. Steps are bytes. */
static inline void ippiIntegral_8u32s_C1R(const uint8_t *from, int from_step, int32_t *to, int to_step, IppiSize size,
                                          int32_t val) {
  for (int i = 0; i <= size.height; i++)
    for (int j = 0; j <= size.width; j++) {
      int32_t sum = val;
      for (int k = 0; k < i; k++)
        for (int l = 0; l < j; l++) sum += from[k * from_step + l];
      to[i * (to_step / 4) + j] = sum;
    }
}

static inline void show_y(void) {
  for (size_t i = 0; i < n; i++) printf("%.17g\n", y[i]);
}
static inline void show_s(void) { printf("s %.17g\n", s); }
static inline void show_sums(void) {
  for (size_t i = 0; i < sizeof sums / sizeof sums[0][0]; i++) printf("%d\n", (int)(&sums[0][0])[i]);
}
