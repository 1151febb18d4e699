// What NVIDIA's tools see. Activity records of CUPTI, the profiling interface: it fills buffers in the background and
// delivers them when they are full or flushed; the sorts need no change for it. And the time ranges of NVTX, which Nsight
// shows. A build without one of them says so or does nothing.
#if defined(SORTLAB_CUPTI_LIBRARY)
  #include <cuda_runtime_api.h>
  #include <cupti.h>
  #include <cxxabi.h>
  #include <dlfcn.h>

  #include <algorithm>
  #include <cstdlib>
  #include <map>
  #include <memory>
  #include <mutex>
  #include <type_traits>
  #include <utility>
#endif
#if defined(SORTLAB_HAVE_NVTX)
  #include <nvtx3/nvToolsExt.h>
#endif
#include <stdexcept>

#include "common/harness/breakdown/breakdown.hpp"
#include "common/harness/measure/sampler.hpp"
#if defined(SORTLAB_CUPTI_LIBRARY)
  #include "common/harness/rig/cuda/handles.hpp"
  #include "common/harness/rig/device.hpp"
#endif

namespace sortlab {

#if defined(SORTLAB_HAVE_NVTX)
NvtxRange::NvtxRange(const char* name) { nvtxRangePushA(name); }
NvtxRange::~NvtxRange() { nvtxRangePop(); }
#else
NvtxRange::NvtxRange(const char*) {}
NvtxRange::~NvtxRange() {}
#endif

#if defined(SORTLAB_CUPTI_LIBRARY)
namespace {

/// The functions of the library. It is loaded on demand, so that sorting does not depend on it.
struct Cupti {
  decltype(&cuptiActivityRegisterCallbacks) register_callbacks = nullptr;
  decltype(&cuptiActivityEnable) enable = nullptr;
  decltype(&cuptiActivityDisable) disable = nullptr;
  decltype(&cuptiActivityFlushAll) flush_all = nullptr;
  decltype(&cuptiActivityGetNextRecord) next_record = nullptr;
  std::string missing;  // why it can't be loaded

  Cupti() {
    const std::string name = "libcupti.so." + std::to_string(CUDART_VERSION / 1000);
    void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) library = dlopen(SORTLAB_CUPTI_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      missing = "no " + name + ", which is part of NVIDIA's CUDA toolkit";
      return;
    }
    const auto find = [&](auto& function, const char* symbol) {
      function =
          reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, symbol));
      if (function == nullptr) missing = name + " has no " + symbol;
    };
    find(register_callbacks, "cuptiActivityRegisterCallbacks");
    find(enable, "cuptiActivityEnable");
    find(disable, "cuptiActivityDisable");
    find(flush_all, "cuptiActivityFlushAll");
    find(next_record, "cuptiActivityGetNextRecord");
  }
};

const Cupti& cupti() {
  static const Cupti functions;
  return functions;
}

void check_cupti(CUptiResult result, const char* call) {
  if (result == CUPTI_SUCCESS) return;
  throw std::runtime_error(std::string(call) + ": CUPTI error " + std::to_string(result));
}

// CUPTI calls back from its own thread and passes no user argument.
std::mutex records_mutex;
std::vector<Span> records;

/// "sortlab::(anonymous namespace)::merge_tiles" of the mangled name, without its template
/// arguments and parameters, which fill a screen for some libraries.
std::string short_name(const char* mangled) {
  if (mangled == nullptr) return "unnamed kernel";
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> demangled(
      abi::__cxa_demangle(mangled, nullptr, nullptr, &status), std::free);
  if (status != 0) return mangled;
  std::string name = demangled.get();
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  for (auto at = name.find(kAnonymous); at != std::string::npos; at = name.find(kAnonymous)) {
    name.erase(at, kAnonymous.size());
  }
  std::string kept;
  int depth = 0;
  for (const char c : name) {
    if (c == '(' && depth == 0) break;
    if (c == '<') ++depth;
    if (depth == 0) kept += c;
    if (c == '>') --depth;
  }
  // A template's name has its return type before it.
  return kept.substr(kept.rfind(' ') + 1);
}

std::string copy_name(std::uint8_t kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
      return "copy to the device";
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
      return "copy to the host";
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOD:
      return "copy on the device";
    default:
      return "other copy";
  }
}

void add(const CUpti_Activity& record) {
  switch (record.kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
      const auto& kernel = reinterpret_cast<const CUpti_ActivityKernel9&>(record);
      records.push_back({kernel.deviceId, short_name(kernel.name), kernel.start, kernel.end});
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY: {
      const auto& copy = reinterpret_cast<const CUpti_ActivityMemcpy5&>(record);
      records.push_back({copy.deviceId, copy_name(copy.copyKind), copy.start, copy.end});
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY2: {
      const auto& copy = reinterpret_cast<const CUpti_ActivityMemcpyPtoP4&>(record);
      records.push_back({copy.srcDeviceId, "copy between GPUs", copy.start, copy.end});
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMSET: {
      const auto& fill = reinterpret_cast<const CUpti_ActivityMemset4&>(record);
      records.push_back({fill.deviceId, "fill", fill.start, fill.end});
      break;
    }
    default:
      break;
  }
}

void CUPTIAPI provide_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  constexpr std::size_t kBytes = std::size_t{8} << 20;
  constexpr std::size_t kAlignment = 8;  // as CUPTI asks
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(kAlignment, kBytes));
  *size = *buffer == nullptr ? 0 : kBytes;
  *most_records = 0;  // as many as fit
}

void CUPTIAPI take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                          std::size_t valid_bytes) {
  const std::scoped_lock lock(records_mutex);
  CUpti_Activity* record = nullptr;
  while (cupti().next_record(buffer, valid_bytes, &record) == CUPTI_SUCCESS) add(*record);
  std::free(buffer);
}

std::vector<Span> take_records() {
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  check_cupti(cupti().flush_all(0), "cuptiActivityFlushAll");
  const std::scoped_lock lock(records_mutex);
  return std::exchange(records, {});
}

constexpr CUpti_ActivityKind kKinds[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                         CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY2,
                                         CUPTI_ACTIVITY_KIND_MEMSET};

}  // namespace

std::string recording_unavailable() {
  return device_unavailable().empty() ? cupti().missing : device_unavailable();
}

Recording record_activities(const std::function<void()>& work) {
  static const bool registered = [] {
    check_cupti(cupti().register_callbacks(provide_buffer, take_buffer),
                "cuptiActivityRegisterCallbacks");
    return true;
  }();
  (void)registered;
  for (const auto kind : kKinds) check_cupti(cupti().enable(kind), "cuptiActivityEnable");
  take_records();  // the earlier ones
  work();
  Recording recording;
  recording.spans = take_records();
  for (const auto kind : kKinds) check_cupti(cupti().disable(kind), "cuptiActivityDisable");

  std::map<std::string, Activity> by_name;
  for (const auto& span : recording.spans) {
    Activity& activity = by_name[span.name];
    activity.name = span.name;
    ++activity.launches;
    activity.total_ns += static_cast<std::int64_t>(span.end - span.start);
  }
  for (const auto& [name, activity] : by_name) recording.activities.push_back(activity);
  std::stable_sort(recording.activities.begin(), recording.activities.end(),
                   [](const auto& a, const auto& b) { return a.total_ns > b.total_ns; });
  return recording;
}

#else
std::string recording_unavailable() {
  return "built without CUPTI, which is part of NVIDIA's CUDA toolkit";
}

Recording record_activities(const std::function<void()>&) {
  throw std::runtime_error(recording_unavailable());
}
#endif

}  // namespace sortlab
