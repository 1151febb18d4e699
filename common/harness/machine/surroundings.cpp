#include "common/harness/machine/surroundings.hpp"

#include "common/contract/usable_cpus.hpp"
#include "common/harness/machine/cpu_share.hpp"

namespace sortlab {

Surroundings surroundings() {
  Surroundings now;
  if (double load = 0; getloadavg(&load, 1) == 1) now.load_1min = load;
  now.cpu_quota = cpu_quota();
  now.cpu_list = cpu_list(allowed_cpus());
  return now;
}

}  // namespace sortlab
