// Sort over several GPUs, the first rung: one GPU gets all items, sorts them, and sends them back.
//
//   GPU 0   [own items][from GPU 1][from GPU 2]  -> gpu/auto ->  [GPU 0's][GPU 1's][GPU 2's]
//
// What people do first. One GPU sorts while the others wait, and its memory must hold all items twice. The
// copies go over the links of one GPU, all items in and out.
// Stable: items arrive in the order of (GPU, place), and the sort keeps the order of equal keys.
// Source: textbook.
#include "common/contract/device_parts.hpp"
#include "gpu/parts/local_sort.cuh"
#include "gpu/parts/streams.cuh"

namespace sortlab {
namespace {

struct Gather {
  using JobKind = DeviceParts;
  static constexpr Info info{.summary = "one GPU gets all items, sorts them and sends them back",
                             .memory = Memory::device,
                             .stable = true,
                             .capturable = false};

  static PartNeeds needs(const PartRequest& request) {
    if (request.part != 0) return {.capacity = request.n()};
    const auto bytes = [&]<class Bits, class Value>(Bits, Value) {
      return gpu::parts::local_sort_bytes<Bits, Value>(request.all_n);
    };
    return {.capacity = request.all_n,
            .workspace_bytes = visit_widths(request.key_bytes, request.value_bytes, bytes)};
  }

  template <class Job>
  static std::vector<PartResult> sort(const Job& job) {
    using gpu::parts::copy_items_between;
    using gpu::parts::Reached;
    const auto& root = job.parts.front();
    std::vector<PartResult> results{{ResultIn::data, root.n}};
    std::size_t begin = root.n;
    for (std::size_t p = 1; p < job.parts.size(); ++p) {
      const auto& part = job.parts[p];
      const OnDevice here(part.device);
      copy_items_between(part, part.data, root, root.data.from(begin), part.n, part.stream);
      Reached(part.stream).hold_back(root.stream);
      begin += part.n;
    }
    const OnDevice here(root.device);
    gpu::parts::sort_in_place(kind_of(job), gpu::as_bits(root.data), gpu::as_bits(root.alternate),
                              begin, root.workspace, root.stream);
    const Reached sorted(root.stream);
    begin = root.n;
    for (std::size_t p = 1; p < job.parts.size(); ++p) {
      const auto& part = job.parts[p];
      sorted.hold_back(root.copy_streams[p]);
      copy_items_between(root, root.data.from(begin), part, part.data, part.n,
                         root.copy_streams[p]);
      Reached(root.copy_streams[p]).hold_back(part.stream);
      begin += part.n;
      const std::size_t crossed =
          2 * part.n * (sizeof(typename Job::Key) + kValueBytes<typename Job::Value>);
      results.push_back({ResultIn::data, part.n, crossed});
    }
    return results;
  }
};
SORTLAB_REGISTER(Gather, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
