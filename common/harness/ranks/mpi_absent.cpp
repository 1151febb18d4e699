// A build without MPI.
#include <stdexcept>

#include "common/harness/ranks/ranks.hpp"

namespace sortlab {

std::string mpi_missing() {
  return "this build has no MPI: install libopenmpi-dev and openmpi-bin, then build again";
}

std::unique_ptr<Ranks> join_ranks(std::size_t) { throw std::runtime_error(mpi_missing()); }

}  // namespace sortlab
