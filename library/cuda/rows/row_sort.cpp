#include <sortlab/detail/cuda/radix_sort.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <sortlab/detail/cuda/segment_sort.hpp>
#include <sortlab/detail/cuda/temp_layout.hpp>

#include "common/cuda_check.hpp"
#include "common/utils.hpp"
#include "gpu/segments/sorts.hpp"
#include "library/cuda/columns.hpp"
#include "library/cuda/gpu_facts.hpp"
#include "library/cuda/rows/counted_rows.hpp"
#include "library/cuda/rows/long_rows.hpp"
#include "library/cuda/rows/short_rows.hpp"

namespace sortlab::cuda::detail {
namespace {

/// From so many keys on, rows are sorted one after the other.
/// measured: f32 with indices, rows of 150,000 keys by row and key 59 ps a key, of 170,000 one after the other 295, as a
/// sort takes 50 us; results/h200/attempts/rows.1.txt
constexpr std::size_t kLeastLongRow = std::size_t{1} << 20;
/// Fewer rows are sorted one after the other, too, unless they are short.
constexpr std::size_t kFewRows = 3;
/// A row alone of keys of 4 bytes or more that a warp sorts. The sort of one array has more threads for longer ones.
constexpr std::size_t kMostAlone = 256;
/// The most keys of one sort of several rows: it bounds the memory.
constexpr std::size_t kMostAtOnce = std::size_t{1} << 27;

enum class RowWay : std::uint8_t {
  one_by_one,
  short_rows,       // a warp or a block for each row
  counted,          // of 1 byte: how often each value comes
  by_class,         // as segments: blocks, or all blocks for all rows
  narrow_by_class,  // the same, of words of 4 bytes
  by_words,         // one sort by row and key
  by_two_sorts      // by key, then by row
};

/// Asks a sort for its memory.
template <class Sort>
std::size_t bytes_of(Sort sort) {
  std::size_t bytes = 0;
  check(sort(nullptr, bytes, nullptr), "memory of a sort of rows");
  return bytes;
}

bool wants_keys(const RadixSort& row) { return row.index_bytes == 0 || row.with_keys; }

/// Whether this GPU has the sort of segments.
bool has_classes(const GpuFacts& gpu) {
  return gpu.cooperative && gpu.shared_bytes_per_block >= gpu::segments::by_class::kSharedBytes;
}

/// Fewer keys of 2 bytes are sorted by row and key.
/// measured: f16 with indices, one H200, ms: 1000 x 16,500 0.53 (by class) vs 0.70 (by words), 2 x 50,000 0.11 vs 0.08
constexpr std::size_t kLeastNarrow = std::size_t{1} << 23;

/// How many bits the place of a key in such a row has.
unsigned place_bits_of(const RadixSort& row) {
  return static_cast<unsigned>(std::bit_width(row.n - 1));
}

/// Of two rows or more, on a GPU that has the sort of segments.
std::optional<RowWay> way_by_class(const RowSort& call) {
  const RadixSort& row = call.row;
  if (row.n >= kLeastLongRow) return std::nullopt;
  if (row.key_bytes >= 4) {
    return row.floats == FloatOrder::equal_zeros ? std::nullopt : std::optional(RowWay::by_class);
  }
  const bool has_room = 8 * row.key_bytes + place_bits_of(row) <= 32;
  if (!has_room || call.rows * row.n < kLeastNarrow) return std::nullopt;
  return RowWay::narrow_by_class;
}

RowWay way_of(const RowSort& call) {
  const RadixSort& row = call.row;
  const bool with_index = row.index_bytes != 0;
  // There is no way back from the bits of floats that were made equal.
  if (wants_keys(row) && has_equal_floats(row)) return RowWay::one_by_one;
  const GpuFacts gpu = gpu_facts();
  const std::size_t most_of_short =
      row.key_bytes == 8 ? most_of_short_row<std::uint64_t>(gpu, 8, with_index)
                         : most_of_short_row<std::uint32_t>(gpu, row.key_bytes, with_index);
  const bool is_alone = call.rows == 1;
  if (row.n <= (is_alone && row.key_bytes >= 4 ? kMostAlone : most_of_short)) {
    return RowWay::short_rows;
  }
  if (is_alone) return RowWay::one_by_one;
  if (row.key_bytes == 1 && row.n <= UINT32_MAX) return RowWay::counted;
  if (has_classes(gpu)) {
    if (const auto way = way_by_class(call)) return *way;
  }
  if (row.n >= kLeastLongRow || call.rows < kFewRows) return RowWay::one_by_one;
  return row.key_bytes == 8 ? RowWay::by_two_sorts : RowWay::by_words;
}

/// `count` rows from number `first` on.
template <class Bits>
RowKeys<Bits> row_keys(const RowSort& call, std::size_t first, std::size_t count) {
  const RadixSort& row = call.row;
  const std::size_t begin = first * row.n;
  const auto from = [&](auto* array, std::size_t item_bytes) {
    using Byte = std::conditional_t<std::is_const_v<std::remove_pointer_t<decltype(array)>>,
                                    const std::byte, std::byte>;
    return array == nullptr ? nullptr : static_cast<Byte*>(array) + begin * item_bytes;
  };
  return {.in = from(row.keys.in, row.key_bytes),
          .out = from(wants_keys(row) ? row.keys.out : nullptr, row.key_bytes),
          .index = from(row.index_bytes != 0 ? row.values.out : nullptr, row.index_bytes),
          .rows = count,
          .n = static_cast<unsigned>(row.n),
          .key_bytes = row.key_bytes,
          .index_bytes = row.index_bytes,
          .form = key_form_of<Bits>(row)};
}

/// Groups of rows that are sorted together, all of the same size but for the last.
struct Groups {
  std::size_t rows;
  std::size_t of_group;

  explicit Groups(const RowSort& call) : rows(call.rows) {
    const std::size_t most = std::max<std::size_t>(kMostAtOnce / call.row.n, 1);
    of_group = ceil_div(rows, ceil_div(rows, most));
  }
  std::size_t last() const { return rows - (ceil_div(rows, of_group) - 1) * of_group; }

  template <class Use>
  void for_each(Use use) const {
    for (std::size_t first = 0; first < rows; first += of_group) {
      use(first, std::min(of_group, rows - first));
    }
  }
  /// The most bytes that a sort of a group takes: sort_of(keys) makes it.
  template <class SortOf>
  std::size_t bytes(std::size_t n, SortOf sort_of) const {
    return std::max(bytes_of(sort_of(of_group * n)), bytes_of(sort_of(last() * n)));
  }
};

/// Enqueues a sort in the memory that was made for it, and says where the keys are.
void* enqueue(RadixSort& sort, void* d_memory, std::size_t bytes, cudaStream_t stream) {
  check(sort(d_memory, bytes, stream), "sort of rows");
  return sort.keys.result_is_in_in ? const_cast<void*>(sort.keys.in) : sort.keys.out;
}

/// Rows of keys of 2 or 4 bytes by one sort of words.
class ByWords {
 public:
  ByWords(const RowSort& call, TempLayout& layout) : call_(call), groups_(call) {
    const auto row_bits = static_cast<unsigned>(std::bit_width(groups_.of_group - 1));
    word_bytes_ = 8 * call.row.key_bytes + row_bits <= 32 ? 4 : 8;
    const std::size_t most = groups_.of_group * call.row.n;
    for (std::byte*& d_words : d_words_) d_words = layout.take<std::byte>(most * word_bytes_);
    if (call.row.index_bytes != 0) d_places_ = layout.take<std::uint32_t>(most);
    sort_bytes_ = groups_.bytes(call.row.n, [&](std::size_t n) { return sort_of(n); });
    d_memory_ = layout.take<std::byte>(sort_bytes_);
  }

  void enqueue(cudaStream_t stream) const {
    groups_.for_each([&](std::size_t first, std::size_t count) {
      const auto keys = row_keys<std::uint32_t>(call_, first, count);
      make_row_words(keys, word_bytes_, d_words_[0], stream);
      RadixSort sort = sort_of(count * keys.n);
      const void* const d_sorted = detail::enqueue(sort, d_memory_, sort_bytes_, stream);
      take_row_words(keys, word_bytes_, d_sorted, d_places_, stream);
    });
  }

 private:
  RadixSort sort_of(std::size_t n) const {
    RadixSort sort{.kind = KeyKind::unsigned_integer,
                   .key_bytes = word_bytes_,
                   .order = Order::ascending,
                   .floats = FloatOrder::total};
    sort.n = n;
    sort.keys = {d_words_[0], d_words_[1], true};
    if (call_.row.index_bytes != 0) {
      sort.index_bytes = sizeof(*d_places_);
      sort.with_keys = wants_keys(call_.row);
      sort.values = {nullptr, d_places_};
    }
    return sort;
  }

  const RowSort& call_;
  Groups groups_;
  unsigned word_bytes_;
  std::byte* d_words_[2] = {};
  std::uint32_t* d_places_ = nullptr;
  std::byte* d_memory_ = nullptr;
  std::size_t sort_bytes_;
};

/// Rows of keys of 1 byte by counting.
class Counted {
 public:
  Counted(const RowSort& call, TempLayout& layout)
      : call_(call), d_counts_(layout.take<std::uint32_t>(counts_of_rows(call.rows, call.row.n))) {}
  void enqueue(cudaStream_t stream) const {
    count_rows(row_keys<std::uint32_t>(call_, 0, call_.rows), d_counts_, stream);
  }

 private:
  const RowSort& call_;
  std::uint32_t* d_counts_;
};

/// Rows of keys of 2 bytes as segments of words that have the place behind the key. No word equals another one, and
/// they lie close to each other, as the sort of segments likes them.
class NarrowByClass {
 public:
  NarrowByClass(const RowSort& call, TempLayout& layout)
      : call_(call), groups_(call), place_bits_(place_bits_of(call.row)) {
    d_words_ = layout.take<std::uint32_t>(groups_.of_group * call.row.n);
    sort_bytes_ = groups_.bytes(call.row.n, [&](std::size_t n) { return sort_of(n); });
    d_memory_ = layout.take<std::byte>(sort_bytes_);
  }

  void enqueue(cudaStream_t stream) const {
    groups_.for_each([&](std::size_t first, std::size_t count) {
      const auto keys = row_keys<std::uint32_t>(call_, first, count);
      make_placed_words(keys, place_bits_, d_words_, stream);
      SegmentSort sort = sort_of(count * keys.n);
      std::size_t bytes = sort_bytes_;
      check(sort(d_memory_, bytes, stream), "sort of rows");
      take_placed_words(keys, place_bits_, d_words_, stream);
    });
  }

 private:
  SegmentSort sort_of(std::size_t n) const {
    return {.kind = KeyKind::unsigned_integer,
            .key_bytes = sizeof(*d_words_),
            .order = Order::ascending,
            .nans_last = false,
            .n = n,
            .segments = {.count = n / call_.row.n, .columns = call_.row.n},
            .keys_in = d_words_,
            .keys_out = d_words_};
  }

  const RowSort& call_;
  Groups groups_;
  unsigned place_bits_;
  std::uint32_t* d_words_ = nullptr;
  std::byte* d_memory_ = nullptr;
  std::size_t sort_bytes_;
};

/// Rows of keys of 8 bytes by two sorts.
class ByTwoSorts {
 public:
  ByTwoSorts(const RowSort& call, TempLayout& layout) : call_(call), groups_(call) {
    const std::size_t most = groups_.of_group * call.row.n;
    for (auto*& d_keys : d_keys_) d_keys = layout.take<std::uint64_t>(most);
    for (auto*& d_places : d_places_) d_places = layout.take<std::uint32_t>(most);
    const std::size_t n = call.row.n;
    sort_bytes_ = std::max(groups_.bytes(n, [&](std::size_t all) { return by_key(all); }),
                           groups_.bytes(n, [&](std::size_t all) { return by_row(all); }));
    d_memory_ = layout.take<std::byte>(sort_bytes_);
  }

  void enqueue(cudaStream_t stream) const {
    groups_.for_each([&](std::size_t first, std::size_t count) {
      const auto keys = row_keys<std::uint64_t>(call_, first, count);
      const std::size_t items = count * keys.n;
      order_keys(keys, d_keys_[0], stream);
      RadixSort sort = by_key(items);
      (void)detail::enqueue(sort, d_memory_, sort_bytes_, stream);
      rows_of_places(d_places_[0], d_rows(0), items, keys.n, stream);
      sort = by_row(items);
      (void)detail::enqueue(sort, d_memory_, sort_bytes_, stream);
      const auto* const d_places = d_places_[sort.values.result_is_in_in ? 0 : 1];
      // In place, through the memory of the bits.
      auto* const d_out = static_cast<std::uint64_t*>(keys.out);
      auto* const d_gathered = keys.out == keys.in ? d_keys_[0] : d_out;
      take_places(keys, d_places, d_out == nullptr ? nullptr : d_gathered, stream);
      if (d_out != nullptr) copy(d_out, d_gathered, items * sizeof(*d_out), stream);
    });
  }

 private:
  RadixSort by_key(std::size_t n) const {
    RadixSort sort = unsigned_keys(sizeof(std::uint64_t), n);
    sort.keys = {d_keys_[0], d_keys_[1], true};
    sort.index_bytes = sizeof(std::uint32_t);
    sort.values = {nullptr, d_places_[0]};
    return sort;
  }
  RadixSort by_row(std::size_t n) const {
    RadixSort sort = unsigned_keys(sizeof(std::uint32_t), n);
    sort.keys = {d_rows(0), d_rows(1), true};
    sort.value_bytes = sizeof(std::uint32_t);
    sort.values = {d_places_[0], d_places_[1], true};
    return sort;
  }
  static RadixSort unsigned_keys(unsigned bytes, std::size_t n) {
    RadixSort sort{.kind = KeyKind::unsigned_integer,
                   .key_bytes = bytes,
                   .order = Order::ascending,
                   .floats = FloatOrder::total};
    sort.n = n;
    return sort;
  }
  /// Rows lie where the keys' bits were.
  std::uint32_t* d_rows(unsigned i) const { return reinterpret_cast<std::uint32_t*>(d_keys_[i]); }

  const RowSort& call_;
  Groups groups_;
  std::uint64_t* d_keys_[2] = {};
  std::uint32_t* d_places_[2] = {};
  std::byte* d_memory_ = nullptr;
  std::size_t sort_bytes_;
};

void enqueue_short(const RowSort& call, cudaStream_t stream) {
  if (call.row.key_bytes == 8) {
    sort_short_rows(row_keys<std::uint64_t>(call, 0, call.rows), stream);
  } else {
    sort_short_rows(row_keys<std::uint32_t>(call, 0, call.rows), stream);
  }
}

/// Each row in the same memory.
cudaError_t sort_one_by_one(const RowSort& call, void* d_temp, std::size_t& temp_bytes,
                            cudaStream_t stream) {
  const std::size_t rows = d_temp == nullptr ? std::min<std::size_t>(call.rows, 1) : call.rows;
  for (std::size_t row = 0; row < rows; ++row) {
    RadixSort sort = call.row;
    const auto at = [&](const void* array, std::size_t bytes) -> std::byte* {
      auto* const begin = static_cast<std::byte*>(const_cast<void*>(array));
      return begin == nullptr ? nullptr : begin + row * sort.n * bytes;
    };
    sort.keys = {at(sort.keys.in, sort.key_bytes), at(sort.keys.out, sort.key_bytes)};
    sort.values = {nullptr, at(sort.values.out, sort.index_bytes)};
    const cudaError_t status = sort(d_temp, temp_bytes, stream);
    if (status != cudaSuccess) return status;
  }
  return cudaSuccess;
}

/// All rows as segments.
cudaError_t sort_by_class(const RowSort& call, void* d_temp, std::size_t& temp_bytes,
                          cudaStream_t stream) {
  const RadixSort& row = call.row;
  SegmentSort sort{.kind = row.kind,
                   .key_bytes = row.key_bytes,
                   .order = row.order,
                   .nans_last = row.floats == FloatOrder::nans_last,
                   .n = call.rows * row.n,
                   .segments = {.count = call.rows, .columns = row.n},
                   .keys_in = row.keys.in,
                   .keys_out = wants_keys(row) ? row.keys.out : nullptr,
                   .values_out = row.index_bytes != 0 ? row.values.out : nullptr,
                   .index_bytes = row.index_bytes,
                   .are_ranks = has_equal_floats(row)};
  return sort(d_temp, temp_bytes, stream);
}

/// Makes a plan, with its arrays, and enqueues if there is memory.
template <class Plan>
cudaError_t sort_by(const RowSort& call, void* d_temp, std::size_t& temp_bytes,
                    cudaStream_t stream) {
  TempLayout layout(d_temp);
  const Plan plan(call, layout);
  if (const auto returned = layout.finish(temp_bytes)) return *returned;
  plan.enqueue(stream);
  return cudaSuccess;
}

struct ShortRows {
  const RowSort& call;
  ShortRows(const RowSort& of, TempLayout&) : call(of) {}
  void enqueue(cudaStream_t stream) const { enqueue_short(call, stream); }
};
struct NoRows {
  NoRows(const RowSort&, TempLayout&) {}
  void enqueue(cudaStream_t) const {}
};

bool is_valid(const RadixSort& row) {
  const bool is_float = is_floating(row.kind);
  const bool is_width =
      row.key_bytes == 1 || row.key_bytes == 2 || row.key_bytes == 4 || row.key_bytes == 8;
  return row.kind != KeyKind::none && is_width && !(is_float && row.key_bytes == 1) &&
         (row.kind != KeyKind::brain_floating || row.key_bytes == 2) && row.value_bytes == 0 &&
         (row.index_bytes == 0 || row.index_bytes == 4 || row.index_bytes == 8);
}

bool has_arrays(const RadixSort& row) {
  return row.keys.in != nullptr && (row.keys.out != nullptr || !wants_keys(row)) &&
         (row.index_bytes == 0 || row.values.out != nullptr);
}

}  // namespace

cudaError_t RowSort::operator()(void* d_temp, std::size_t& temp_bytes,
                                cudaStream_t stream) noexcept {
  try {
    if (!is_valid(row)) return cudaErrorInvalidValue;
    if (rows == 0 || row.n == 0) return sort_by<NoRows>(*this, d_temp, temp_bytes, stream);
    if (d_temp != nullptr && !has_arrays(row)) return cudaErrorInvalidValue;
    const OnDeviceOf device(stream);
    switch (way_of(*this)) {
      case RowWay::short_rows:
        return sort_by<ShortRows>(*this, d_temp, temp_bytes, stream);
      case RowWay::counted:
        return sort_by<Counted>(*this, d_temp, temp_bytes, stream);
      case RowWay::by_class:
        return sort_by_class(*this, d_temp, temp_bytes, stream);
      case RowWay::narrow_by_class:
        return sort_by<NarrowByClass>(*this, d_temp, temp_bytes, stream);
      case RowWay::by_words:
        return sort_by<ByWords>(*this, d_temp, temp_bytes, stream);
      case RowWay::by_two_sorts:
        return sort_by<ByTwoSorts>(*this, d_temp, temp_bytes, stream);
      default:
        return sort_one_by_one(*this, d_temp, temp_bytes, stream);
    }
  } catch (...) {
    return current_error();
  }
}

void gather_rows(const void* d_in, void* d_out, std::size_t item_bytes, const void* d_index,
                 unsigned index_bytes, std::size_t rows, std::size_t n, cudaStream_t stream) {
  if (rows <= 1) return gather_items(d_in, d_out, item_bytes, d_index, index_bytes, n, stream);
  gather_in_rows(d_in, d_out, item_bytes, d_index, index_bytes, rows * n, n, stream);
}

}  // namespace sortlab::cuda::detail
