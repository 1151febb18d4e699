#include <fnmatch.h>

#include <stdexcept>

#include "common/contract/made_once.hpp"
#include "common/contract/variant.hpp"
#include "common/contract/variant_table.hpp"

namespace sortlab {
namespace {

Variants described() {
  Variants variants;
  for (const auto describe : variant_table().variants) {
    Variant variant;
    describe(variant);
    variants.insert(std::move(variant));
  }
  return variants;
}

constinit MadeOnce<Variants> variants;

Variants& storage() { return variants.get(described); }

}  // namespace

void register_variant(Variant variant) {
  const std::string id = variant.id;
  if (!storage().insert(std::move(variant)).second) {
    throw std::logic_error("there are two variants " + id);
  }
}

void keep_only_variants(const char* glob) {
  std::erase_if(storage(), [&](const Variant& v) { return fnmatch(glob, v.id.c_str(), 0) != 0; });
}

const Variants& all_variants() { return storage(); }

const Variant* find_variant(std::string_view id) {
  const auto found = storage().find(id);
  return found == storage().end() ? nullptr : &*found;
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
