// Fuzzes the GPU's sorts of data in device memory: several sorts sort each random input, and the
// results must equal std::stable_sort's to the byte. Buffers begin at any element, with a pattern
// between them, and memory without input is poisoned. Several threads sort concurrently, each on
// its own stream.
//
// Single sorts allocate nothing, because that takes longer than most sorts. Each thread has an
// arena of device memory, and pinned host memory with the same layout.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <utility>

#include "common/contract/usable_cpus.hpp"
#include "common/harness/rig/cuda/handles.hpp"
#include "common/harness/rig/device.hpp"
#include "common/utils.hpp"
#include "tests/fuzz/sorts/driver.hpp"

namespace sortlab::fuzz {
namespace {

constexpr int kSkipped = 77;
constexpr int kMostThreads = 16;
constexpr int kPattern = 0x5C;
constexpr std::size_t kPatternBytes = 512;  // at least, before and behind each buffer
constexpr std::size_t kAlignment = 256;     // of a workspace

/// Memory that loses its content when it grows.
template <cudaError_t (*kAllocate)(void**, std::size_t), cudaError_t (*kFree)(void*)>
class Arena {
 public:
  Arena() = default;
  ~Arena() { (void)kFree(data_); }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  std::byte* with_room(std::size_t bytes) {
    if (bytes > bytes_) {
      check(kFree(std::exchange(data_, nullptr)), "free");
      bytes_ = 0;
      check(kAllocate(&data_, bytes), "allocate");
      bytes_ = bytes;
    }
    return static_cast<std::byte*>(data_);
  }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

cudaError_t allocate_pinned(void** memory, std::size_t bytes) {
  return cudaMallocHost(memory, bytes);
}
cudaError_t allocate_on_device(void** memory, std::size_t bytes) {
  return cudaMalloc(memory, bytes);
}
using PinnedArena = Arena<allocate_pinned, cudaFreeHost>;
using DeviceArena = Arena<allocate_on_device, cudaFree>;

/// The places of a call's buffers in its arena:
///
///   pattern | keys | pattern | values | pattern | alternate keys | pattern | alternate values
///           | pattern | workspace | pattern
///
/// Everything before the workspace is the image, which the host writes and reads as a whole.
struct Plan {
  struct Part {
    const char* name = "";
    std::size_t begin = 0, bytes = 0;
    std::size_t end() const { return begin + bytes; }
  };
  static constexpr std::size_t kData = 4;  // parts that hold items
  std::array<Part, kData + 1> parts;

  Plan(Call& call, const Case& one) {
    const std::size_t key_bytes = bytes_of(one.key_type);
    const std::size_t value_bytes = one.pairs ? sizeof(std::uint32_t) : 0;
    const std::size_t copies = call.sort.variant->info.alternate ? one.n : 0;
    const auto any_element = [&](std::size_t element) {
      return element == 0 ? 0 : element * call.dice.below(kAlignment / element);
    };
    std::size_t end = 0;
    const auto place = [&](const char* name, std::size_t misaligned, std::size_t bytes) {
      const Part part{name, round_up(end + kPatternBytes, kAlignment) + misaligned, bytes};
      end = part.end();
      return part;
    };
    parts = {place("keys", any_element(key_bytes), one.n * key_bytes),
             place("values", any_element(value_bytes), one.n * value_bytes),
             place("alternate keys", any_element(key_bytes), copies * key_bytes),
             place("alternate values", any_element(value_bytes), copies * value_bytes),
             place("workspace", kAlignment * call.dice.below(4), call.workspace_bytes)};
  }

  const Part& workspace() const { return parts.back(); }
  std::size_t image_bytes() const { return workspace().begin; }
  std::size_t bytes() const { return workspace().end() + kPatternBytes; }
};

class DeviceCaller : public Caller {
 public:
  std::string fault_of(Call& call, const Case& one, const Input& input) override {
    const Info& info = call.sort.variant->info;
    const Plan plan(call, one);
    std::byte* const image = sent_.with_room(plan.image_bytes());
    std::byte* const d_arena = device_.with_room(plan.bytes());
    write_image(image, plan, call.dice, input);
    send(d_arena, image, plan, call.dice);

    const auto at = [&](std::size_t part) { return d_arena + plan.parts[part].begin; };
    ErasedJob job{};
    job.instance = call.instance;
    job.n = one.n;
    job.params = &call.params;
    job.stream = stream_;
    job.keys = at(0);
    if (one.pairs) job.values = at(1);
    if (info.alternate) job.alternate_keys = at(2);
    if (info.alternate && one.pairs) job.alternate_values = at(3);
    job.workspace = {at(4), call.workspace_bytes};
    const std::size_t first = call.instance->sort(job) == ResultIn::data ? 0 : 2;

    const std::byte* const result = receive(d_arena, plan);
    if (std::string fault = overrun(result, plan); !fault.empty()) return fault;
    const std::byte* const values = one.pairs ? result + plan.parts[first + 1].begin : nullptr;
    return input.fault_of(result + plan.parts[first].begin, values, info.stable);
  }

 private:
  static void write_image(std::byte* image, const Plan& plan, Dice& dice, const Input& input) {
    std::memset(image, kPattern, plan.image_bytes());
    const auto copy = [&](const Plan::Part& part, const void* from) {
      if (part.bytes > 0) std::memcpy(image + part.begin, from, part.bytes);
    };
    copy(plan.parts[0], input.keys().data());
    copy(plan.parts[1], input.values().data());
    for (const std::size_t part : {2, 3}) {
      std::memset(image + plan.parts[part].begin, draw_poison(dice), plan.parts[part].bytes);
    }
  }

  void send(std::byte* d_arena, const std::byte* image, const Plan& plan, Dice& dice) {
    const Plan::Part& workspace = plan.workspace();
    check(cudaMemcpyAsync(d_arena, image, plan.image_bytes(), cudaMemcpyHostToDevice, stream_),
          "cudaMemcpyAsync");
    check(cudaMemsetAsync(d_arena + workspace.begin, draw_poison(dice), workspace.bytes, stream_),
          "cudaMemsetAsync");
    check(cudaMemsetAsync(d_arena + workspace.end(), kPattern, kPatternBytes, stream_),
          "cudaMemsetAsync");
  }

  /// The image, followed by the pattern from behind the workspace.
  const std::byte* receive(const std::byte* d_arena, const Plan& plan) {
    std::byte* const result = received_.with_room(plan.image_bytes() + kPatternBytes);
    check(cudaMemcpyAsync(result, d_arena, plan.image_bytes(), cudaMemcpyDeviceToHost, stream_),
          "cudaMemcpyAsync");
    check(cudaMemcpyAsync(result + plan.image_bytes(), d_arena + plan.workspace().end(),
                          kPatternBytes, cudaMemcpyDeviceToHost, stream_),
          "cudaMemcpyAsync");
    stream_.wait();
    return result;
  }

  /// "" or the buffers between which the sort wrote.
  static std::string overrun(const std::byte* result, const Plan& plan) {
    const auto intact = [&](std::size_t begin, std::size_t end) {
      return std::all_of(result + begin, result + end,
                         [](std::byte b) { return b == std::byte{kPattern}; });
    };
    std::size_t begin = 0;
    const char* before = "its memory";
    for (const Plan::Part& part : plan.parts) {
      if (!intact(begin, part.begin)) {
        return std::string("wrote between ") + before + " and its " + part.name;
      }
      before = part.name;
      begin = part.end();
    }
    return intact(plan.image_bytes(), plan.image_bytes() + kPatternBytes)
               ? ""
               : "wrote behind its workspace";
  }

  device::OwnedStream stream_;
  PinnedArena sent_, received_;
  DeviceArena device_;
};

}  // namespace
}  // namespace sortlab::fuzz

int main(int argc, char** argv) {
  using namespace sortlab;
  if (const std::string& reason = device_unavailable(); !reason.empty()) {
    std::printf("fuzz_device: skipped: %s\n", reason.c_str());
    return fuzz::kSkipped;
  }
  return fuzz::fuzz({.name = "fuzz_device",
                     .memory = Memory::device,
                     .make_caller = [] { return std::make_unique<fuzz::DeviceCaller>(); },
                     .threads = std::min(fuzz::kMostThreads, usable_cpus()),
                     .large_one_in = 400,
                     .is_broken = device_is_broken},
                    argc, argv);
}
