// FILE.run.json, which describes the runs that added to FILE.csv.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace sortlab {

/// The descriptions by run_id; empty when there is no such file. Their members that sortlab reads
/// (cpu, gpu, roofs, ...) have the right kind if they are present. Throws BadInput, which names the
/// file, the key and the expected kind, for any other file.
nlohmann::json read_run_json(const std::string& path);

}  // namespace sortlab
