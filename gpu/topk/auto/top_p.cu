// Top-p: the best items of each row by gpu/topk/auto, then how many of them are needed.
#include "common/contract/errors.hpp"
#include "gpu/primitives/launch/kernel.cuh"
#include "gpu/topk/auto/top_p.cuh"
#include "gpu/topk/calls.hpp"

namespace sortlab::gpu::topk::top_p {

void find(Call call, const Sum& sum) {
  if (call.keys.type != KeyType::f32 && call.keys.type != KeyType::f64) {
    throw BadInput("top-p takes weights of 4 or 8 bytes, f32 or f64");
  }
  call.keys.order = Order::descending;
  call.top.is_sorted = true;
  choice::find(call);
  if (call.rows.count == 0) return;
  const auto count = [&]<class Weight>(Weight) {
    constexpr unsigned kThreads = 256;
    const BestWeights<Weight> best{.weights = static_cast<const Weight*>(call.d_best),
                                   .room = call.room(),
                                   .ks = call.top.ks,
                                   .ps = sum.d_ps,
                                   .p = sum.p,
                                   .counts = sum.d_counts};
    launch("count_to_sum", count_to_sum<Weight, kThreads>, {call.rows.count, kThreads}, call.stream,
           best);
  };
  call.keys.type == KeyType::f32 ? count(float{}) : count(double{});
}

}  // namespace sortlab::gpu::topk::top_p
