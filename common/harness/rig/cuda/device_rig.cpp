#include "common/harness/rig/cuda/device_rig.hpp"

#include <fmt/format.h>

#include <atomic>
#include <vector>

#include "common/contract/errors.hpp"
#include "common/harness/rig/cuda/kept_inputs.hpp"
#include "common/harness/rig/cuda/nvidia_libraries.hpp"
#include "common/timers.hpp"

namespace sortlab {
namespace device {
namespace {

/// From this many bytes on, several threads stage the copies if `staged` asks for it. Smaller
/// copies gain less from it.
constexpr std::size_t kWorthStaging = std::size_t{512} << 10;

/// Of the rigs that have been made in this process: a bit for each GPU.
std::atomic<std::uint64_t> devices_in_use = 0;
static_assert(kMostDeviceParts <= 64);

/// Each error message names the variant.
template <class Work>
void blame(const Config& config, Work work) try {
  work();
} catch (const BadInput&) {
  throw;
} catch (const NotCapturable&) {
  throw;
} catch (const std::runtime_error& error) {
  throw std::runtime_error(
      fmt::format("{} (in {} at n = {})", error.what(), config.variant, config.n));
}

void copy_async(std::byte* to, const std::byte* from, std::size_t bytes, cudaMemcpyKind kind,
                cudaStream_t stream) {
  if (bytes == 0) return;
  check(cudaMemcpyAsync(to, from, bytes, kind, stream), "cudaMemcpyAsync");
}

std::int64_t count_kernels(cudaGraph_t graph) {
  std::size_t count = 0;
  check(cudaGraphGetNodes(graph, nullptr, &count), "cudaGraphGetNodes");
  std::vector<cudaGraphNode_t> nodes(count);
  check(cudaGraphGetNodes(graph, nodes.data(), &count), "cudaGraphGetNodes");
  std::int64_t kernels = 0;
  for (const cudaGraphNode_t node : nodes) {
    cudaGraphNodeType type{};
    check(cudaGraphNodeGetType(node, &type), "cudaGraphNodeGetType");
    if (type == cudaGraphNodeTypeKernel) ++kernels;
  }
  return kernels;
}

}  // namespace

int current_device() {
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  return device;
}

void use_device(int device) { devices_in_use |= std::uint64_t{1} << device; }

DeviceRig::DeviceRig(const Task& task, std::size_t misalign)
    : DeviceRig(task, misalign, task.workspace_bytes()) {
  sorts(&job_);
}

DeviceRig::DeviceRig(const Task& task, std::size_t misalign, std::size_t workspace_bytes)
    : task_(task), from_host_(task.config.host_mem != HostMem::none), job_(task_.job()) {
  KeptInputs::instance().drop_outdated();
  allocate(misalign, workspace_bytes);
  for (const DeviceBuffer* const buffer : buffers_.all()) buffer->paint_red_zones(stream_);
  buffers_.attach(job_);
  job_.stream = stream_;
  job_.host_clock = &host_clock_;
  stream_.wait();
}

void DeviceRig::sorts(const void* job) {
  sorted_job_ = job;
  if (task_.variant.make_state != nullptr) {
    blame(task_.config, [this] { state_.reset(task_.variant.make_state(job_)); });
    job_.state = state_.get();
  }
  if (task_.config.launch == Launch::graph) blame(task_.config, [this] { capture(); });
}

DeviceRig::~DeviceRig() {
  (void)cudaStreamSynchronize(stream_);
  if (graph_ != nullptr) (void)cudaGraphExecDestroy(graph_);
}

void DeviceRig::allocate(std::size_t misalign, std::size_t workspace_bytes) {
  const Config& config = task_.config;
  const auto buffer = [&](std::size_t n, std::size_t bytes) {
    return DeviceBuffer(n * bytes, misalign * bytes);
  };
  const auto data = [&] { buffers_.make_data(config, config.n, buffer); };
  if (from_host_) {
    const bool pinned = config.host_mem == HostMem::pinned;
    host_keys_ = HostMemory(config.n * config.key_bytes(), pinned);
    host_values_ = HostMemory(config.n * config.value_bytes, pinned);
  } else {
    data();
  }
  const Stopwatch watch;
  if (from_host_) data();
  if (config.host_mem == HostMem::staged && task_.input_bytes() >= kWorthStaging) {
    staged_.emplace(buffers_.keys.size(), buffers_.values.size());
  }
  if (task_.instance.traits.alternate) buffers_.make_alternate(config, config.n, buffer);
  buffers_.workspace = DeviceBuffer(workspace_bytes);
  alloc_ns_ = watch.elapsed_ns();
}

/// Records the sort instead of running it. Before that, it runs the sort once on equal keys,
/// because a kernel's first launch loads its code, which must not happen during recording.
void DeviceRig::capture() {
  buffers_.keys.fill(0, stream_);
  buffers_.values.fill(0, stream_);
  task_.instance.function(sorted_job_);
  stream_.wait();

  std::string failure;
  check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal),
        "cudaStreamBeginCapture");
  try {
    landed_ = task_.instance.function(sorted_job_);
  } catch (const std::exception& error) {
    failure = error.what();
  }
  cudaGraph_t graph = nullptr;
  const cudaError_t ended = cudaStreamEndCapture(stream_, &graph);
  (void)cudaGetLastError();
  if (failure.empty() && ended != cudaSuccess) failure = cudaGetErrorString(ended);
  if (!failure.empty() || graph == nullptr) {
    throw NotCapturable("can't be captured into a graph: " + failure);
  }
  kernels_in_graph_ = count_kernels(graph);
  const cudaError_t instantiated = cudaGraphInstantiate(&graph_, graph, 0);
  (void)cudaGraphDestroy(graph);
  check(instantiated, "cudaGraphInstantiate");
  check(cudaGraphUpload(graph_, stream_), "cudaGraphUpload");
  stream_.wait();
}

void DeviceRig::restore(const Input& input) {
  if (from_host_) {
    input.copy_to(host_keys_.data(), host_values_.data());
    return;
  }
  if (input.keys.size() + input.values.size() < kWorthKeeping) {
    copy_async(buffers_.keys.data(), input.keys.data(), buffers_.keys.size(),
               cudaMemcpyHostToDevice, stream_);
    copy_async(buffers_.values.data(), input.values.data(), buffers_.values.size(),
               cudaMemcpyHostToDevice, stream_);
  } else {
    const auto& pristine = KeptInputs::instance().of(input);
    copy_async(buffers_.keys.data(), pristine.keys.data(), buffers_.keys.size(),
               cudaMemcpyDeviceToDevice, stream_);
    copy_async(buffers_.values.data(), pristine.values.data(), buffers_.values.size(),
               cudaMemcpyDeviceToDevice, stream_);
  }
  stream_.wait();
}

void DeviceRig::run() {
  if (graph_ == nullptr) {
    landed_ = task_.instance.function(sorted_job_);
  } else {
    check(cudaGraphLaunch(graph_, stream_), "cudaGraphLaunch");
  }
}

void DeviceRig::copy_to_device() {
  if (staged_) {
    staged_->to_device(
        {{host_keys_.data(), buffers_.keys.data()}, {host_values_.data(), buffers_.values.data()}},
        stream_);
    return;
  }
  copy_async(buffers_.keys.data(), host_keys_.data(), buffers_.keys.size(), cudaMemcpyHostToDevice,
             stream_);
  copy_async(buffers_.values.data(), host_values_.data(), buffers_.values.size(),
             cudaMemcpyHostToDevice, stream_);
}

void DeviceRig::copy_to_host() {
  if (staged_) {
    staged_->to_host({{host_keys_.data(), buffers_.result_keys(landed_).data()},
                      {host_values_.data(), buffers_.result_values(landed_).data()}},
                     stream_);
    return;
  }
  copy_async(host_keys_.data(), buffers_.result_keys(landed_).data(), buffers_.keys.size(),
             cudaMemcpyDeviceToHost, stream_);
  copy_async(host_values_.data(), buffers_.result_values(landed_).data(), buffers_.values.size(),
             cudaMemcpyDeviceToHost, stream_);
}

//   host clock  |<----------------- total_ns ----------------->|
//   stream        [h2d_ns] [------- kernel_ns -------] [d2h_ns]
//   events       ^        ^                           ^        ^
void DeviceRig::sort(Sample& sample) {
  blame(task_.config, [&] {
    host_clock_ = {};
    (void)cudaGetLastError();  // of an earlier sort that threw
    const Stopwatch watch;
    if (from_host_) {
      copies_begin_.record(stream_);
      copy_to_device();
    }
    sort_begin_.record(stream_);
    run();
    sort_end_.record(stream_);
    if (from_host_) {
      copy_to_host();
      copies_end_.record(stream_);
    }
    stream_.wait();
    sample.total_ns = watch.elapsed_ns();
  });
  sample.alloc_ns = alloc_ns_;
  sample.kernel_ns = sort_end_.ns_since(sort_begin_);
  if (host_clock_.ns > 0) sample.host_ns = host_clock_.ns;
  if (from_host_) {
    sample.h2d_ns = sort_begin_.ns_since(copies_begin_);
    sample.d2h_ns = copies_end_.ns_since(sort_end_);
  }
  if (graph_ != nullptr) sample.launches = kernels_in_graph_;
}

Verdict DeviceRig::verdict(const Input& input) {
  const Config& config = task_.config;
  const bool claims_stable = task_.instance.traits.stable;
  if (from_host_) {
    return verify(config.key_type, config.order, host_keys_.data(),
                  {host_values_.data(), config.value_bytes}, config.n, input.fingerprint,
                  claims_stable);
  }
  const Findings found =
      verifier_.look(config.key_type, config.order, buffers_.result_keys(landed_).data(),
                     {buffers_.result_values(landed_).data(), config.value_bytes}, config.n,
                     claims_stable, stream_);
  return judged(std::span(&found, 1), input.fingerprint);
}

std::string DeviceRig::overrun() {
  return overrun_text(red_zones_.first_overrun(buffers_.all(), stream_));
}

void DeviceRig::poison() {
  if (!poison_is_wanted()) return;
  for (const DeviceBuffer* const buffer : buffers_.extra()) buffer->fill(kPoisonByte, stream_);
  stream_.wait();
}

void DeviceRig::flush_caches() {
  if (from_host_) sortlab::flush_caches();
  caches_.flush(stream_);
  stream_.wait();
}

void DeviceRig::read_sensors(Sample& sample) {
  sample.sm_mhz = sm_clock_mhz();
  sample.throttled_by = throttled_by();
}

std::optional<double> DeviceRig::device_joules() const { return joules_used(); }

std::size_t DeviceRig::provided_bytes() const {
  return buffers_.extra_bytes() + (staged_ ? staged_->pinned_bytes() : 0);
}

}  // namespace device

std::unique_ptr<Rig> make_device_rig(const Task& task, std::size_t misalign) {
  device::use_device(device::current_device());
  return std::make_unique<device::DeviceRig>(task, misalign);
}

std::string device_lacks_memory(const Task& task) {
  const std::size_t inputs = task.config.resident() ? InputPool::bytes_needed(task.config) : 0;
  const std::size_t sorts = task.bytes_needed();
  if (const std::size_t cap = task.config.gpu_mem; cap != 0 && sorts > cap) {
    return fmt::format("needs {:.2f} GiB on the device, --gpu-mem allows {:.2f}",
                       static_cast<double>(sorts) / (1u << 30),
                       static_cast<double>(cap) / (1u << 30));
  }
  return device::KeptInputs::instance().lacks(inputs + sorts, device::current_device(),
                                              "the device");
}

bool device_is_broken() {
  int current = 0;
  bool is_broken = false;
  for (int device = 0; device < kMostDeviceParts; ++device) {
    if ((device::devices_in_use >> device & 1) == 0) continue;
    is_broken = is_broken || cudaGetDevice(&current) != cudaSuccess ||
                cudaSetDevice(device) != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess ||
                cudaSetDevice(current) != cudaSuccess;
  }
  return is_broken;
}

}  // namespace sortlab
