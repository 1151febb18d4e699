// How long the configurations that are left will take, from those that are done.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>

namespace sortlab {

class Estimate {
 public:
  /// A configuration that is to come.
  void expect(const std::string& variant, std::size_t n) { ++left_[{variant, n}]; }
  /// One that is done, or was left out (0 seconds).
  void finished(const std::string& variant, std::size_t n, double seconds);

  /// Seconds for all that are left; nothing before the first is done. A variant at a size that was not
  /// seen yet takes as long as at the sizes next to it. Beyond its largest, only what it took there over the
  /// mean of all grows with n: most configurations take the same time, and get fewer samples. A variant that
  /// was never seen takes what the others do on average.
  std::optional<double> seconds_left() const;

 private:
  struct Seen {
    double seconds = 0;
    std::size_t count = 0;
    double mean() const { return seconds / static_cast<double>(count); }
  };
  using BySize = std::map<std::size_t, Seen>;

  double seconds_at(const BySize& sizes, std::size_t n) const;

  std::map<std::pair<std::string, std::size_t>, std::size_t> left_;
  std::map<std::string, BySize> seen_;
  Seen all_;
};

}  // namespace sortlab
