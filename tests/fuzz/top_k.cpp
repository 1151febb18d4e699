// Fuzzes the library's partial sorts and top-k: all types and options, rows with gaps, against a stable sort. Buffers end
// where the items end, so that the sanitizer sees each access outside of them.
#include <sortlab/top_k.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <tuple>
#include <vector>

#include "tests/fuzz/fuzzing.hpp"

using namespace sortlab::fuzzing;

namespace {

constexpr std::size_t kBytesOf[] = {0, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 2};

/// The numbers of an input, one after the other; zeros behind its end.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  std::uint64_t next(std::size_t bytes) {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < bytes && at_ < size_; ++i)
      number |= std::uint64_t{data_[at_++]} << 8 * i;
    return number;
  }
  std::size_t below(std::size_t end) { return next(2) % end; }
  bool flag() { return (next(1) & 1) != 0; }
  bool is_at_end() const { return at_ >= size_; }

 private:
  const std::uint8_t* data_;
  std::size_t size_, at_ = 0;
};

/// Keys of any type, as bits.
class Keys {
 public:
  Keys(int type, const std::vector<std::uint64_t>& bits)
      : type_(type), memory_(bits.size() * bytes()) {
    for (std::size_t i = 0; i < bits.size(); ++i)
      std::memcpy(&memory_[i * bytes()], &bits[i], bytes());
  }
  std::size_t bytes() const { return kBytesOf[type_]; }
  std::size_t size() const { return memory_.size() / bytes(); }
  void* data() { return memory_.data(); }
  std::uint64_t operator[](std::size_t i) const {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &memory_[i * bytes()], bytes());
    return bits;
  }
  std::vector<std::uint64_t> sorted_bits() const {
    std::vector<std::uint64_t> all(size());
    for (std::size_t i = 0; i < size(); ++i) all[i] = (*this)[i];
    std::sort(all.begin(), all.end());
    return all;
  }

 private:
  int type_;
  std::vector<std::uint8_t> memory_;
};

/// The order that is asked for: of two ranks the lesser one is the better key.
struct Order {
  int type;
  bool descends, nans_last, nans_first;
  using Rank = std::pair<int, std::uint64_t>;  // NaNs that are apart have one rank

  Rank of(std::uint64_t bits) const {
    const std::size_t width = 8 * kBytesOf[type];
    const std::uint64_t sign = std::uint64_t{1} << (width - 1), all = sign | (sign - 1);
    const bool is_float = type >= SORTLAB_TYPE_F32;
    const std::size_t mantissa = width == 64 ? 52 : width == 32 ? 23 : 10;
    const std::uint64_t infinity = (sign - 1) >> mantissa << mantissa;
    if (is_float && (bits & (sign - 1)) > infinity && (nans_last || nans_first)) {
      return {nans_first ? -1 : 1, 0};
    }
    const bool is_signed = is_float || type % 2 == 0;
    std::uint64_t rank = is_signed ? bits ^ sign : bits;
    if (is_float && (bits & sign) != 0) rank = ~bits & all;
    return {0, descends ? ~rank & all : rank};
  }
};

void check_in_place(Keys keys, std::size_t k, bool is_sorted, const Order& order,
                    const sortlab_options& options) {
  const std::size_t n = keys.size();
  const auto before = keys.sorted_bits();
  std::vector<Order::Rank> ranks(n), wanted(n);
  for (std::size_t i = 0; i < n; ++i) wanted[i] = order.of(keys[i]);
  std::sort(wanted.begin(), wanted.end());
  const auto call = is_sorted ? sortlab_partial_sort : sortlab_nth_element;
  require(call(keys.data(), n, order.type, k, &options) == SORTLAB_SUCCESS, "refused");
  require(keys.sorted_bits() == before, "keys were lost");
  for (std::size_t i = 0; i < n; ++i) ranks[i] = order.of(keys[i]);
  if (is_sorted) {
    require(std::equal(ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(std::min(k, n)),
                       wanted.begin()),
            "the first keys of a partial sort");
    return;
  }
  for (std::size_t i = 0; i < n && k < n; ++i) {
    require(i < k   ? ranks[i] <= wanted[k]
            : i > k ? ranks[i] >= wanted[k]
                    : ranks[i] == wanted[k],
            "the sides of a selection");
  }
}

template <class Place>
void check_argpartition(Keys& keys, std::size_t k, const Order& order,
                        const sortlab_options& options) {
  const std::size_t n = keys.size();
  std::vector<Place> places(n);
  std::vector<Order::Rank> wanted(n);
  for (std::size_t i = 0; i < n; ++i) wanted[i] = order.of(keys[i]);
  std::sort(wanted.begin(), wanted.end());
  require(sortlab_argpartition(keys.data(), places.data(), n, order.type, k, sizeof(Place),
                               &options) == SORTLAB_SUCCESS,
          "refused");
  std::vector<bool> seen(n);
  for (std::size_t i = 0; i < n; ++i) {
    require(places[i] < n && !seen[places[i]], "places of an argpartition");
    seen[places[i]] = true;
    if (k >= n) continue;
    const Order::Rank rank = order.of(keys[places[i]]);
    require(i < k   ? rank <= wanted[k]
            : i > k ? rank >= wanted[k]
                    : rank == wanted[k],
            "the sides of an argpartition");
  }
}

template <class Place>
void check_top_k(Keys& keys, const sortlab_rows& rows, const sortlab_top& top, const Order& order,
                 const sortlab_options& options, bool has_places) {
  const std::size_t room = std::min(top.k, rows.length), found = rows.count * room;
  Keys best(order.type, std::vector<std::uint64_t>(found));
  std::vector<Place> places(has_places ? found : 0);
  require(sortlab_top_k(keys.data(), order.type, &rows, &top, best.data(),
                        has_places ? places.data() : nullptr, sizeof(Place),
                        &options) == SORTLAB_SUCCESS,
          "refused");
  using Ranked = std::pair<Order::Rank, std::size_t>;
  for (std::size_t r = 0; r < rows.count; ++r) {
    std::vector<Ranked> wanted(rows.length), given;
    for (std::size_t i = 0; i < rows.length; ++i)
      wanted[i] = {order.of(keys[r * rows.stride + i]), i};
    std::sort(wanted.begin(), wanted.end());
    const std::size_t k = top.ks == nullptr ? room : std::min<std::size_t>(room, top.ks[r]);
    std::vector<bool> seen(rows.length);
    for (std::size_t i = 0; i < k; ++i) {
      const std::size_t at = r * room + i, place = has_places ? places[at] : 0;
      given.emplace_back(order.of(best[at]), place);
      if (!has_places) continue;
      require(place < rows.length && !seen[place] && keys[r * rows.stride + place] == best[at],
              "a place of the best");
      seen[place] = true;
    }
    if (top.sorted == 0) std::sort(given.begin(), given.end());
    for (std::size_t i = 0; i < k; ++i) {
      const bool is_number = given[i].first.first == 0;
      require(given[i].first == wanted[i].first, "the best of a row");
      require(!has_places || top.first == 0 || !is_number || given[i].second == wanted[i].second,
              "the first places of equal keys");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const std::size_t call = input.below(5);
  const int type = 1 + static_cast<int>(input.below(11));
  sortlab_options options{};
  options.size = sizeof options;
  options.order = input.flag() ? SORTLAB_ORDER_DESCENDING : SORTLAB_ORDER_ASCENDING;
  options.floats = input.flag() ? SORTLAB_FLOATS_NANS_LAST : SORTLAB_FLOATS_TOTAL;
  options.threads = 1 + static_cast<int>(input.below(3));
  sortlab_top top{};
  top.size = sizeof top;
  top.sorted = input.flag();
  top.first = input.flag();
  top.nans_first = call > 2 && input.flag();
  const bool has_rows = call == 4, has_places = input.flag(), is_wide = input.flag();
  sortlab_rows rows{sizeof rows, has_rows ? 1 + input.below(40) : 1, 0, 0};
  rows.length = input.below(has_rows ? 300 : 20'000);
  rows.stride = rows.length + (has_rows ? input.below(4) : 0);
  const std::size_t n = rows.stride * rows.count;
  const std::size_t k = input.below(input.flag() ? 40 : rows.length + 3);
  top.k = k;
  std::vector<std::uint32_t> ks;
  for (std::size_t r = 0; has_rows && input.flag() && r < rows.count; ++r) {
    ks.resize(rows.count);
    ks[r] = static_cast<std::uint32_t>(input.below(rows.length + 3));
  }
  if (!ks.empty()) top.ks = ks.data();

  // The keys that the input names, again and again, or with other bits each time.
  const std::uint64_t factor = input.flag() ? 0x9E3779B97F4A7C15 : 0;
  std::vector<std::uint64_t> named, bits(n);
  while (!input.is_at_end()) named.push_back(input.next(kBytesOf[type]));
  if (named.empty()) named.push_back(0);
  for (std::size_t i = 0; i < n; ++i)
    bits[i] = named[i % named.size()] ^ (i / named.size() * factor);

  const Order order{type, options.order == SORTLAB_ORDER_DESCENDING,
                    options.floats == SORTLAB_FLOATS_NANS_LAST, top.nans_first != 0};
  Keys keys(type, bits);
  if (call < 2) check_in_place(keys, k, call == 1, order, options);
  if (call == 2) {
    is_wide ? check_argpartition<std::uint64_t>(keys, k, order, options)
            : check_argpartition<std::uint32_t>(keys, k, order, options);
  }
  if (call > 2) {
    is_wide ? check_top_k<std::uint64_t>(keys, rows, top, order, options, has_places)
            : check_top_k<std::uint32_t>(keys, rows, top, order, options, has_places);
  }
  const Keys before(type, bits);
  for (std::size_t i = 0; i < n; ++i) require(keys[i] == before[i], "a call changed its keys");
  return 0;
}
