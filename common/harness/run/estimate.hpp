// Estimates the time for the remaining configurations from those that are done.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>

namespace sortlab {

class Estimate {
 public:
  /// Adds a configuration that is not done yet.
  void expect(const std::string& variant, std::size_t n) { ++left_[{variant, n}]; }
  /// Marks one as done, or as left out (0 seconds).
  void finished(const std::string& variant, std::size_t n, double seconds);

  /// Seconds for all that remain; empty before the first is done. At a new size a variant is
  /// assumed to take as long as at the neighbouring sizes. Beyond its largest size, only a time
  /// well above the mean of all grows with n, because most configurations take the same time and
  /// get fewer samples. A new variant is assumed to take the average time of the others.
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
