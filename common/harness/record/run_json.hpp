// FILE.run.json: what describes the runs that added to FILE.csv.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace sortlab {

/// The descriptions by run_id; none when there is no such file. What is read of them (cpu, gpu,
/// roofs, ...) is of its kind wherever it is there. Throws BadInput, which names the
/// file, the key and what was expected, for any other file.
nlohmann::json read_run_json(const std::string& path);

}  // namespace sortlab
