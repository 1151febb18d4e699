// Which configurations would take too long, judged by their own times at smaller n.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "common/harness/config.hpp"
#include "common/harness/record/record.hpp"

namespace sortlab {

class SlowSorts {
 public:
  /// A sort of more than `limit_s` seconds is slow; 0: none is. The times are those of `table`, with the
  /// rows that are added to it later. It must outlive this.
  SlowSorts(double limit_s, const CsvTable& table) : limit_s_(limit_s), table_(table) {}

  /// Why this configuration is not measured: at the next smaller n it was slow, or it would be slow here if
  /// it goes on to grow as between its two next smaller n. "" if it is measured. The same rows give the
  /// same answer, in a run that resumes too.
  std::string reason(const Config& config);

 private:
  using FastestByN = std::map<std::size_t, double>;  // seconds of a sort

  void read_new_rows();

  double limit_s_;
  const CsvTable& table_;
  std::size_t rows_read_ = 0;
  std::map<std::string, FastestByN> times_;      // by the configuration without its n
  std::map<std::string, FastestByN*> times_of_;  // by config_id
};

}  // namespace sortlab
