#include "common/harness/record/run_json.hpp"

#include <climits>
#include <filesystem>

#include "common/harness/json_value.hpp"

namespace sortlab {
namespace {

void check_cpu(const JsonValue& cpu) {
  for (const auto& [key, value] : cpu.members()) {
    if (key == "model" || key == "family" || key == "model_number") value.text();
    if (key == "threads") value.whole<int>(1, INT_MAX);
    if (key == "caches") value.elements();
  }
}

void check_gpu(const JsonValue& gpu) {
  for (const auto& [key, value] : gpu.members()) {
    if (key == "name" || key == "cuda_driver" || key == "cuda_runtime") value.text();
    if (key == "sms") value.whole<int>(1, INT_MAX);
  }
}

void check_roofs(const JsonValue& roofs) {
  for (const auto& [key, value] : roofs.members()) value.number();
}

void check_build(const JsonValue& build) {
  for (const auto& [key, value] : build.members()) {
    if (key == "git_revision") value.text();
    if (key == "git_dirty") value.truth();
  }
}

void check_run(const JsonValue& run) {
  for (const auto& [key, value] : run.members()) {
    if (key == "cpu") check_cpu(value);
    if (key == "gpu") check_gpu(value);
    if (key == "roofs" || key == "gpu_roofs") check_roofs(value);
    if (key == "memory_bytes") value.number();
    if (key == "started_utc") value.text();
    if (key == "build") check_build(value);
    if (key == "os") value.members();
  }
}

}  // namespace

nlohmann::json read_run_json(const std::string& path) {
  if (!std::filesystem::exists(path)) return nlohmann::json::object();
  const JsonValue file = JsonValue::of_file(path);
  for (const auto& [run_id, run] : file.members()) check_run(run);
  return file.json();
}

}  // namespace sortlab
