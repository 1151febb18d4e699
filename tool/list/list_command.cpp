// `sortlab list`: the variants, as text, as the table of docs/variants.md, or with all their facts
// as JSON.
#include <fmt/format.h>

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "common/contract/errors.hpp"
#include "common/contract/variant_table.hpp"
#include "common/harness/machine/build_info.hpp"
#include "common/harness/plan/plan.hpp"
#include "common/harness/terminal/window.hpp"
#include "tool/flags.hpp"
#include "tool/help.hpp"
#include "tool/list/catalogue.hpp"
#include "tool/list/facts.hpp"
#include "tool/selection_flags.hpp"

namespace sortlab {
namespace {

enum class ListFormat { text, markdown, json };

struct ListOptions {
  std::vector<std::string> filters;
  ListFormat format = ListFormat::text;
};

/// The variants that this build has no code for, by reason. Sorts of the GPU are one line.
std::string left_out() {
  std::string text;
  std::size_t of_gpu = 0;
  for (const auto& entry : catalogue_of_sources()) {
    if (entry.memory != Memory::host && find_variant(entry.id) == nullptr) ++of_gpu;
  }
  const bool with_cuda = !std::string_view(kCudaCompiler).empty();
  for (const auto& [id, reason] : variant_table().left_out) {
    text += fmt::format("not in this build: {}: {}\n", id, reason);
  }
  if (of_gpu > 0 && !with_cuda) {
    text += fmt::format(
        "not in this build: {} sorts of the GPU: it has no CUDA (./run --cuda build)\n", of_gpu);
  }
  return text;
}

constexpr std::size_t kAllColumns = 110;  // narrower windows get the summaries alone

std::string facts_of(const Variant& v) {
  const std::string many = parallel(v);
  return fmt::format("{:>4} {:>5} {:>7} {:>6} {:18} ", key_types(v).size(), pair_types(v).size(),
                     many == "yes"  ? "many"
                     : many == "no" ? "1"
                                    : "-",
                     v.info.stable ? "yes" : "no", isas(v));
}

/// One line per variant, cut to the window. A variant that can't run here is grey, with the reason
/// in place of its summary.
void print_for_people(const std::vector<const Variant*>& variants) {
  std::size_t width = 0;
  for (const Variant* v : variants) width = std::max(width, v->id.size());
  const std::size_t room = room_for_text(STDOUT_FILENO);
  const bool narrow = room < kAllColumns;
  const std::string heads = narrow ? "" : fmt::format("keys pairs threads stable {:18} ", "isa");
  std::string text =
      painted(Tone::strong, cut_to(fmt::format("{:{}} {}what it is", "id", width, heads), room)) +
      '\n';
  std::string_view family;
  for (const Variant* v : variants) {
    if (!family.empty() && family != ladder_of(v->id)) text += '\n';
    family = ladder_of(v->id);
    const std::string reason = why_not_here(*v);
    const std::string line =
        cut_to(fmt::format("{:{}} {}{}", v->id, width, narrow ? "" : facts_of(*v),
                           reason.empty() ? v->info.summary : "can't run here: " + reason),
               room);
    text += (reason.empty() ? line : painted(Tone::faint, line)) + '\n';
  }
  const std::string missing = left_out();
  const std::string legend =
      fmt::format("`show ID` tells more of one. keys, pairs: of {} key types.", kKeyTypeCount);
  fmt::print("{}\n{}{}{}\n", text, wrapped(missing, room_for_text(STDOUT_FILENO)),
             missing.empty() ? "" : "\n", wrapped(legend, room_for_text(STDOUT_FILENO)));
}

int list_command(ListOptions& options, const CommandContext&) {
  const auto variants = select_variants(options.filters);
  if (options.format == ListFormat::json) {
    fmt::print("{}\n", variants_json(variants));
    return 0;
  }
  if (options.format == ListFormat::markdown) {
    fmt::print("| id | key types | pairs | memory | parallel | stable | isa | summary |\n");
    fmt::print("|---|---|---|---|---|---|---|---|\n");
    for (const Variant* v : variants) {
      fmt::print("| {} | {} | {} | {} | {} | {} | {} | {} |\n", v->id, key_types(*v).size(),
                 pair_types(*v).size(), name_of(v->info.memory), parallel(*v),
                 v->info.stable ? "yes" : "no", isas(*v), v->info.summary);
    }
    return 0;
  }
  print_for_people(variants);
  return 0;
}

}  // namespace

void add_list_command(CLI::App& app, CommandContext& context) {
  auto [list, options] = add_command(app, context, "list", "List the variants", list_command);
  add_list(list, "--filter", options.filters, "VARIANT",
           "Globs on ids; @auto: what `auto` may choose");
  add_plugin_flag(list);
  add_examples(list, context, {"list --filter 'cpu/radix/*'", "list --format json"});
  add_choice(list, "--format", options.format, "text|markdown|json",
             "How to print it (default text)");
}

}  // namespace sortlab
