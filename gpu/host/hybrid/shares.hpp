// Which pieces of a pass the GPU sorts, and which the CPU: both take from one row of pieces until none is left.
//
//   | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 |
//     GPU ->                 <- CPU      the CPU takes one only if it will not be the last to finish
//
// So the shares follow from the rates of this very sort. Needs no CUDA.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>

namespace sortlab::gpu::hybrid {

/// The time of one piece in nanoseconds, as it was last; 0 while unknown.
struct Rates {
  double gpu = 0;  // from one piece to the next
  double cpu = 0;
};

class Shares {
 public:
  /// Nanoseconds from any fixed moment.
  using Clock = double (*)();

  /// The rates are those of the pass before, or unknown.
  Shares(std::size_t pieces, Rates rates, Clock clock = &now)
      : behind_(pieces), rates_(rates), clock_(clock) {}

  /// The next piece for the GPU, which asks for one as soon as the link is free.
  std::optional<std::size_t> for_gpu() {
    const std::lock_guard lock(mutex_);
    measure(gpu_asked_, rates_.gpu);
    if (front_ == behind_) return std::nullopt;
    return front_++;
  }

  /// The next piece for the CPU, which asks for one when it has sorted the one before; none where the GPU would be done
  /// with all of them before.
  std::optional<std::size_t> for_cpu() {
    const std::lock_guard lock(mutex_);
    measure(cpu_asked_, rates_.cpu);
    if (front_ == behind_ || !is_worth_it()) return std::nullopt;
    return --behind_;
  }

  Rates rates() const { return rates_; }

 private:
  /// Until both rates are known: a piece takes the CPU as long as so many take the GPU. On the H200's host it is 5 for
  /// u32 keys, by the rates of cpu/auto and of the link.
  static constexpr double kGuess = 8;
  /// The pieces that the GPU still has when it has taken the last one.
  static constexpr std::size_t kInFlight = 2;

  bool is_worth_it() const {
    const auto left = static_cast<double>(behind_ - front_ + kInFlight);
    const double ratio = rates_.gpu > 0 && rates_.cpu > 0 ? rates_.cpu / rates_.gpu : kGuess;
    return ratio <= left;
  }

  void measure(std::optional<double>& asked, double& rate) const {
    const double time = clock_();
    if (asked) rate = time - *asked;
    asked = time;
  }

  static double now() {
    return std::chrono::duration<double, std::nano>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }

  std::mutex mutex_;
  std::size_t front_ = 0, behind_;
  Rates rates_;
  std::optional<double> gpu_asked_, cpu_asked_;
  Clock clock_;
};

}  // namespace sortlab::gpu::hybrid
