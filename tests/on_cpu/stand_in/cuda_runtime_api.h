// Stands in for CUDA's header where a test runs the host side of a GPU sort without a GPU.
//
// Device memory is host memory. Each stream is a thread, which does its copies one after the other and idles between
// them by turns, so code that does not wait for a stream where it must finds old data. Streams and events belong to the
// GPU that was the current one of their thread when they were made, and may not be mixed.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

inline thread_local int stand_in_device = 0;

struct CUstream_st {
  const int device = stand_in_device;

  CUstream_st() : thread_([this](const std::stop_token& stop) { work(stop); }) {}
  ~CUstream_st() {
    const std::lock_guard lock(mutex_);
    thread_.request_stop();
    changed_.notify_all();
  }

  void enqueue(std::function<void()> task) {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    changed_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return tasks_.empty(); });
  }

 private:
  void work(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    for (int turn = 0;; ++turn) {
      changed_.wait(lock, [&] { return stop.stop_requested() || !tasks_.empty(); });
      if (tasks_.empty()) return;
      const std::function<void()> task = tasks_.front();
      lock.unlock();
      if (turn % 5 == 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
      task();
      lock.lock();
      tasks_.pop_front();  // only now: wait() waits for the one at work, too
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  std::jthread thread_;
};
using cudaStream_t = CUstream_st*;

/// How many records were asked for, and how many happened.
struct StandInEvent {
  const int device = stand_in_device;
  std::atomic<int> recorded = 0, happened = 0;
};
using cudaEvent_t = StandInEvent*;

enum cudaError_t { cudaSuccess, cudaErrorMemoryAllocation, cudaErrorInvalidResourceHandle };
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };
inline constexpr unsigned cudaEventDisableTiming = 2;
enum cudaDeviceAttr {
  cudaDevAttrMultiProcessorCount,
  cudaDevAttrMaxSharedMemoryPerBlockOptin,
};
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize };

inline cudaError_t cudaGetLastError() { return cudaSuccess; }
inline const char* cudaGetErrorString(cudaError_t) { return ""; }
inline cudaError_t cudaGetDevice(int* device) {
  *device = stand_in_device;
  return cudaSuccess;
}
inline cudaError_t cudaSetDevice(int device) {
  stand_in_device = device;
  return cudaSuccess;
}

inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = new StandInEvent;
  return cudaSuccess;
}
inline cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, 0);
}
inline cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t, cudaEvent_t) {
  *ms = 0;
  return cudaSuccess;
}
inline cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  if (event->device != stream->device) return cudaErrorInvalidResourceHandle;
  const int number = ++event->recorded;
  stream->enqueue([=] { event->happened = number; });
  return cudaSuccess;
}
inline cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  const int number = event->recorded;
  while (event->happened < number) std::this_thread::yield();
  return cudaSuccess;
}

inline constexpr unsigned cudaStreamNonBlocking = 1;
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = new CUstream_st;
  return cudaSuccess;
}
inline cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  return cudaSuccess;
}
inline cudaError_t cudaMallocHost(void** memory, std::size_t bytes) {
  *memory = ::operator new(bytes);
  return cudaSuccess;
}
inline cudaError_t cudaFreeHost(void* memory) {
  ::operator delete(memory);
  return cudaSuccess;
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  stream->wait();
  return cudaSuccess;
}
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                                   cudaStream_t stream) {
  stream->enqueue([=] { std::memcpy(to, from, bytes); });
  return cudaSuccess;
}
/// On no stream, as fibers run kernels.
inline cudaError_t cudaMemsetAsync(void* memory, int byte, std::size_t bytes, cudaStream_t) {
  std::memset(memory, byte, bytes);
  return cudaSuccess;
}
