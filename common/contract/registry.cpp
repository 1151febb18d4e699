#include <fnmatch.h>

#include <algorithm>

#include "common/contract/variant.hpp"

namespace sortlab {
namespace {
// A function-local object, so that registrars in other files may run before this file's own
// statics.
std::vector<Variant>& storage() {
  static std::vector<Variant> variants;
  return variants;
}
}  // namespace

void register_variant(Variant variant) {
  auto& variants = storage();
  const auto place =
      std::lower_bound(variants.begin(), variants.end(), variant.id,
                       [](const Variant& v, const std::string& id) { return v.id < id; });
  variants.insert(place, std::move(variant));
}

void keep_only_variants(const char* glob) {
  std::erase_if(storage(), [&](const Variant& v) { return fnmatch(glob, v.id.c_str(), 0) != 0; });
}

const std::vector<Variant>& all_variants() { return storage(); }

const Variant* find_variant(std::string_view id) {
  for (const auto& variant : storage()) {
    if (variant.id == id) return &variant;
  }
  return nullptr;
}

std::string_view Variant::algorithm() const {
  const std::string_view path = id;
  const auto first = path.find('/') + 1;
  return path.substr(first, path.find('/', first) - first);
}

Limit Variant::limit(std::string_view dist) const {
  const Limit most = capacity();
  const Limit longest = patience(dist);
  return longest.max_n < most.max_n ? longest : most;
}

const Instance* Variant::instance(KeyType key_type, std::size_t value_bytes, Order order) const {
  for (const auto& i : instances) {
    if (i.key_type == key_type && i.value_bytes == value_bytes && i.order == order) return &i;
  }
  return nullptr;
}

}  // namespace sortlab
