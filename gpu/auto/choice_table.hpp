// What gpu/auto goes by at a sort: for each combination of types, from which n on whose code.
//
// A choice must cost nothing beside the shortest sorts, of 7 us: names, limits, parameters and the
// file are looked at once a device. What is left is one atomic load for the device's table and a few
// comparisons of n. No CUDA in here, so it is tested and timed without a GPU.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "common/tune/gpu_choice.hpp"

namespace sortlab::gpu {

/// A rung that may be chosen, and its parameters as nobody sets them. A copy of what was registered:
/// later registrations move the variants about.
struct ChosenRung {
  explicit ChosenRung(const Variant& registered)
      : variant(registered), params(variant.info.params) {}
  Variant variant;
  Params params;
};

/// A rung's code for one combination of types, and from which n on it is chosen.
struct ChosenCode {
  std::size_t from_n;
  const Instance* instance;
  const ChosenRung* rung;
};

/// What is chosen on one GPU.
class ChoiceTable {
 public:
  ChoiceTable(const Choices& choices, const GpuFacts& gpu, bool stable) {
    for (int t = 0; t < kKeyTypeCount; ++t) {
      const auto type = static_cast<KeyType>(t);
      for (const std::size_t value_bytes : {0, 4}) {
        for (const auto& step : fit_steps(choices, gpu, {bytes_of(type), value_bytes, stable})) {
          const ChosenRung& rung = rungs_.try_emplace(step.rung->id, *step.rung).first->second;
          for (const Order order : {Order::ascending, Order::descending}) {
            codes_[place(type, value_bytes, order)].push_back(
                {step.from_n, rung.variant.instance(type, value_bytes, order), &rung});
          }
        }
      }
    }
  }
  ChoiceTable(const ChoiceTable&) = delete;
  ChoiceTable& operator=(const ChoiceTable&) = delete;

  const ChosenCode& code(KeyType type, std::size_t value_bytes, Order order, std::size_t n) const {
    const auto& codes = codes_[place(type, value_bytes, order)];
    const ChosenCode* code = &codes.back();
    while (code->from_n > n) --code;
    return *code;
  }

 private:
  static constexpr std::size_t place(KeyType type, std::size_t value_bytes, Order order) {
    return static_cast<std::size_t>(type) * 4 + (value_bytes != 0 ? 2 : 0) +
           (order == Order::descending ? 1 : 0);
  }

  std::map<std::string, ChosenRung> rungs_;  // by id
  std::array<std::vector<ChosenCode>, kKeyTypeCount * 4> codes_;  // each grows from n = 0 on
};

/// A T for each device, made when it is first asked for and kept until the program ends. Asking
/// again locks nothing.
template <class T>
class PerDevice {
 public:
  /// `make` returns a new T.
  template <class Make>
  const T& of(int device, Make make) {
    std::atomic<const T*>& made = all_.at(static_cast<std::size_t>(device));
    if (const T* const known = made.load(std::memory_order_acquire)) return *known;
    const std::lock_guard lock(making_);
    if (made.load(std::memory_order_relaxed) == nullptr) {
      made.store(make(), std::memory_order_release);
    }
    return *made.load(std::memory_order_relaxed);
  }

 private:
  static constexpr std::size_t kMostDevices = 64;
  std::array<std::atomic<const T*>, kMostDevices> all_{};
  std::mutex making_;
};

}  // namespace sortlab::gpu
