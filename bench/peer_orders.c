/* peer_orders.c: the orders in which others add up floats, made anew for `mmscan bench --accuracy`.
 *
 * NumPy's cumsum is the plain loop, which the bench has. PyTorch's torch.cumsum on a CPU is a loop, too, but f32 is
 * added up in f64, at::acc_type<float, false>, and each sum rounded (cumsum_cpu_kernel() of
 * aten/src/ATen/native/cpu/ReduceOpsKernel.cpp). Julia's cumsum of floats is accumulate_pairwise!() of
 * base/accumulate.jl: see julia_part(). */
#include "peer.h"

enum { JULIA_BLOCK = 128 };

static void torch_f32(size_t n, const void *from, void *to, int threads) {
  const float *x = from;
  float *y = to;
  double sum = 0;
  (void)threads;
  for (size_t i = 0; i < n; i++) {
    sum += (double)x[i];
    y[i] = (float)sum;
  }
}

#define T       float
#define NAME(f) f##_f32
#include "peer_orders_body.inc"
#undef T
#undef NAME

#define T       double
#define NAME(f) f##_f64
#include "peer_orders_body.inc"
#undef T
#undef NAME

const peer peer_torch = {"PyTorch's order, in f64", PEER_BUILT, PEER_NEEDS, PEER_ONE_THREAD, NULL, {torch_f32}};

const peer peer_julia = {"Julia's order, pairwise", PEER_BUILT, PEER_NEEDS,
                         PEER_ONE_THREAD,           NULL,       {julia_f32, julia_f64}};
