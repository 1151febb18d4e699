// This file declares the few calls and constants that it needs of NCCL's stable C interface (nccl.h of version 2).
#include "common/harness/rig/cuda/nvidia_libraries.hpp"

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <stdexcept>

namespace sortlab::device {
namespace {

using Result = int;
constexpr Result kSuccess = 0;
constexpr int kBytes = 0;  // ncclInt8
using Comm = struct OpaqueComm*;
struct UniqueId {
  char bytes[128];
};

constexpr const char* kLibrary = "libnccl.so.2";

class Library {
 public:
  static const Library& get() {
    static const Library library;
    return library;
  }

  const std::string& missing() const { return missing_; }

  /// Throws std::runtime_error if a call failed.
  void check(Result result, const char* call) const {
    if (result != kSuccess) throw std::runtime_error(std::string(call) + ": " + error_text(result));
  }

  Result (*get_unique_id)(UniqueId*) = nullptr;
  Result (*comm_init_rank)(Comm*, int ranks, UniqueId, int rank) = nullptr;
  Result (*comm_destroy)(Comm) = nullptr;
  Result (*group_start)() = nullptr;
  Result (*group_end)() = nullptr;
  Result (*send)(const void*, std::size_t count, int type, int peer, Comm, cudaStream_t) = nullptr;
  Result (*recv)(void*, std::size_t count, int type, int peer, Comm, cudaStream_t) = nullptr;

 private:
  Library() : handle_(dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) {
      missing_ =
          std::string("there is no ") + kLibrary +
          ": install libnccl2, or nvidia-nccl-cu13 of PyPI and name its folder in LD_LIBRARY_PATH";
      return;
    }
    find(get_unique_id, "ncclGetUniqueId");
    find(comm_init_rank, "ncclCommInitRank");
    find(comm_destroy, "ncclCommDestroy");
    find(group_start, "ncclGroupStart");
    find(group_end, "ncclGroupEnd");
    find(send, "ncclSend");
    find(recv, "ncclRecv");
    find(error_text, "ncclGetErrorString");
  }

  template <class Function>
  void find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(handle_, name));
    if (function == nullptr)
      missing_ = std::string(kLibrary) + " has no " + name + ": it is too old";
  }

  void* handle_;
  std::string missing_;
  const char* (*error_text)(Result) = nullptr;
};

class NcclExchange : public DeviceExchange {
 public:
  explicit NcclExchange(Communicator& parts) : library_(Library::get()) {
    UniqueId id{};
    Result made = kSuccess;
    if (parts.part() == 0) made = library_.get_unique_id(&id);
    library_.check(gathered(parts, made).front(), "ncclGetUniqueId");
    id = gathered(parts, id).front();
    library_.check(library_.comm_init_rank(&comm_, parts.parts(), id, parts.part()),
                   "ncclCommInitRank");
  }
  ~NcclExchange() override { (void)library_.comm_destroy(comm_); }
  NcclExchange(const NcclExchange&) = delete;
  NcclExchange& operator=(const NcclExchange&) = delete;

  void exchange(std::span<const Outgoing> out, std::span<const Incoming> in,
                Stream stream) override {
    library_.check(library_.group_start(), "ncclGroupStart");
    for (const Outgoing& message : out) {
      library_.check(
          library_.send(message.from, message.bytes, kBytes, message.part, comm_, stream),
          "ncclSend");
    }
    for (const Incoming& message : in) {
      library_.check(library_.recv(message.to, message.bytes, kBytes, message.part, comm_, stream),
                     "ncclRecv");
    }
    library_.check(library_.group_end(), "ncclGroupEnd");
  }

 private:
  const Library& library_;
  Comm comm_ = nullptr;
};

}  // namespace

std::string nccl_missing() { return Library::get().missing(); }

std::unique_ptr<DeviceExchange> make_nccl_exchange(Communicator& parts) {
  return std::make_unique<NcclExchange>(parts);
}

}  // namespace sortlab::device
