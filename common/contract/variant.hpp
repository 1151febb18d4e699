// What a sort is, as data: the contract between the harness and every variant.
//
// A variant is one file, cpu/<algorithm>/<name>.cpp or gpu/<algorithm>/<name>.cu; its path is its
// id. It holds one struct and registers it. Everything that others must know about the variant
// stands in its Info, so nothing else has to be declared:
//
//   struct BottomUp {
//     static constexpr Info info{.summary = "iterative bottom-up merge", .stable = true,
//                                .alternate = true, .after = "cpu/merge/naive"};
//     template <class Job>
//     static ResultIn sort(const Job& job);
//   };
//   SORTLAB_REGISTER(BottomUp, AllKeys, KeysAndPairs);
//
// `sort` is instantiated for each Job<Key, Value, order>. It reads and writes job.data, and may use
// job.alternate (when Info::alternate asks for it) and job.workspace (when the struct has
// workspace_bytes). It allocates nothing and copies nothing home: memory, copies, clocks and checks
// belong to the harness. Optional members of the struct:
//
//   static size_t workspace_bytes(const WorkspaceRequest&);  // beyond data and alternate
//   static Limit capacity();                     // the largest n that its code and this GPU can sort
//   static Limit patience(std::string_view dist);  // the largest n worth waiting for
//   static std::string unavailable();  // why it can't run in this build or on this machine
//   static std::string isa_name();     // for libraries that choose by themselves
//   static std::string details();      // what `sortlab show` adds to the facts
//   template <class Job>
//   static ResultIn sort_erased(const ErasedJob&);  // in place of `sort`: one function for all types, or another sort's
//   using JobKind = RankParts;  // its jobs are of another kind
//
// Most sorts sort one array. Other kinds of jobs have a file each: parts.hpp, device_parts.hpp, offload.hpp. Such a file
// says what a job is, what it needs and what its result is; all else is here, and the same for every kind:
//
//   struct RankParts {
//     static constexpr Kind kKind{"ranks"};
//     template <class Key, class Value, Order kOrder>
//     using Job = PartJob<Key, Value, kOrder>;  // what a sort gets; made by Job::of(const Erased&)
//     using Erased = ErasedPartJob;             // the same with its types erased
//     using Request = PartRequest;              // what `needs` of a sort may know
//     using Needs = PartNeeds;                  // and what it returns
//     // Where a sort returns more than a ResultIn: puts it where the job says.
//     static ResultIn deliver(const ErasedPartJob&, const PartResult&);
//   };
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/contract/isa.hpp"
#include "common/contract/items.hpp"
#include "common/contract/key_types.hpp"
#include "common/contract/record_shape.hpp"

struct CUstream_st;  // CUDA's cudaStream_t is a pointer to it; host code needs no CUDA header

namespace sortlab {

using Stream = CUstream_st*;

struct HostClock;  // common/contract/host_work.hpp

/// Where a sort's items are, and where it has memory. `both`: the items are in host memory, and it takes device memory
/// too (common/contract/offload.hpp).
enum class Memory : std::uint8_t { host, device, both };
constexpr std::string_view name_of(Memory memory) {
  constexpr std::string_view kNames[] = {"host", "device", "both"};
  return kNames[static_cast<int>(memory)];
}

/// Who allocates a sort's extra memory: the harness before the clock starts, the sort in each call, or
/// the sort once, which then keeps it.
enum class TempPolicy : std::uint8_t { prealloc, per_call, cached };
constexpr std::string_view name_of(TempPolicy policy) {
  constexpr std::string_view kNames[] = {"prealloc", "per_call", "cached"};
  return kNames[static_cast<int>(policy)];
}

/// A kind of jobs; each has one of these objects.
struct Kind {
  std::string_view name;
};

/// A run-time parameter that `--param name=value` sets.
struct ParamSpec {
  std::string_view name;
  std::int64_t fallback;  // the value when nobody sets it
  std::int64_t min;
  std::int64_t max;
  std::string_view help;
};

/// Makes a variant one that gpu/auto or cpu/auto may choose, and says where it can't be chosen.
struct Candidate {
  /// Where no measurement decides, the fit candidate with the lowest rank is taken.
  int rank = std::numeric_limits<int>::max();
  std::size_t most_n = std::numeric_limits<std::size_t>::max();  // beyond, never near the fastest

  // A host sort that pads n to a power of two:
  std::size_t padded_key_bytes = 16;  // keys this wide or wider are chosen unpadded only, ...
  std::size_t most_unpadded = 0;      // ... unless there are at most this many

  // A device sort can't run without:
  std::size_t block_kib = 0;  // shared memory of a block
  std::size_t sm_kib = 0;  // of an SM, where blocks that wait for each other must be there at once
  bool clusters = false;
};

struct Info {
  std::string_view summary;              // one line for `sortlab list`
  std::string_view source = "textbook";  // paper and section, or the library
  std::string_view after = "";           // id of the rung before, "" for the first
  std::optional<Candidate> candidate = {};
  Memory memory = Memory::host;
  bool stable = false;
  bool in_place = false;    // extra memory is O(log n) or constant
  bool alternate = false;   // needs a second buffer of n items
  bool parallel = false;    // uses more than one thread when given them
  bool total_order = true;  // false: takes -0 and +0, or NaNs, as equal or in another order
  bool capturable = true;   // a device sort: all it does can be recorded into a graph
  IsaSet isas = kScalarOnly;
  std::span<const ParamSpec> params = {};
  std::string_view lib_version = "";  // of the library behind a baseline
  TempPolicy temp_policy = TempPolicy::prealloc;
};

/// What Info says of all types, for one combination of them: a plug-in's sort may differ there.
struct Traits {
  bool stable = false;
  bool in_place = false;
  bool alternate = false;
  bool total_order = true;
  bool capturable = true;
  TempPolicy temp_policy = TempPolicy::prealloc;

  static constexpr Traits of(const Info& info) {
    return {info.stable,      info.in_place,   info.alternate,
            info.total_order, info.capturable, info.temp_policy};
  }
};

/// The values of a variant's parameters for one run, in the order of Info::params.
class Params {
 public:
  Params() = default;
  explicit Params(std::span<const ParamSpec> specs) : specs_(specs) {
    for (const auto& spec : specs) values_.push_back(spec.fallback);
  }
  /// The value of the parameter `name`, which Info::params must hold.
  std::int64_t operator[](std::string_view name) const { return values_[index_of(name)]; }
  void set(std::string_view name, std::int64_t value) { values_[index_of(name)] = value; }
  std::span<const ParamSpec> specs() const { return specs_; }

 private:
  std::size_t index_of(std::string_view name) const {
    std::size_t i = 0;
    while (specs_[i].name != name) ++i;
    return i;
  }
  std::span<const ParamSpec> specs_;
  std::vector<std::int64_t> values_;
};

struct Instance;

/// What a variant may know when it says how much workspace it needs.
struct WorkspaceRequest {
  std::size_t n;
  std::size_t key_bytes;
  std::size_t value_bytes;  // 0 for keys alone
  int threads;
  const Params& params;
  const Instance* instance = nullptr;  // the code that it is for; only plug-ins need it
  std::optional<Isa> isa = {};         // of the job; unknown: enough for any
};

/// The largest n that a variant is fit for, and why.
struct Limit {
  std::size_t max_n = std::numeric_limits<std::size_t>::max();
  std::string_view reason = "";
};

/// What a sort keeps from call to call.
struct SortState {
  virtual ~SortState() = default;
};

/// One sort to be done, with its types erased: what the harness hands to the registry.
struct ErasedJob {
  const Instance* instance;  // the code that it is for
  void* keys;
  void* values;          // null for keys alone
  void* alternate_keys;  // null unless Info::alternate
  void* alternate_values;
  std::size_t n;
  std::span<std::byte> workspace;  // 256-byte aligned, contents undefined
  int threads;
  Isa isa;
  Stream stream;  // null for host sorts
  const Params* params;
  HostClock* host_clock = nullptr;  // for a device sort's work on the host; may be null
  SortState* state = nullptr;       // what the instance's make_state made
  RecordShape record = {};          // of the keys, where they are records
};

template <class Key, class Value>
Items<Key, Value> items_at(void* keys, void* values) {
  return {static_cast<Key*>(keys), static_cast<Value*>(values)};
}

/// One sort to be done.
template <class KeyT, class ValueT, Order kOrderT>
struct Job {
  using Key = KeyT;
  using Value = ValueT;
  using Less = KeyLess<Key, kOrderT>;
  static constexpr Order kOrder = kOrderT;
  static constexpr bool kPairs = Items<Key, Value>::kPairs;

  Items<Key, Value> data;
  Items<Key, Value> alternate;
  std::size_t n;
  std::span<std::byte> workspace;
  int threads;
  Isa isa;
  Stream stream;
  const Params& params;
  HostClock* host_clock = nullptr;

  static Job of(const ErasedJob& e) {
    return {items_at<Key, Value>(e.keys, e.values),
            items_at<Key, Value>(e.alternate_keys, e.alternate_values),
            e.n,
            e.workspace,
            e.threads,
            e.isa,
            e.stream,
            *e.params,
            e.host_clock};
  }
};

/// The kind of most jobs: one array, in the memory of the host or of a GPU.
struct OneArray {
  static constexpr Kind kKind{"one array"};
  template <class Key, class Value, Order kOrder>
  using Job = sortlab::Job<Key, Value, kOrder>;
  using Erased = ErasedJob;
  using Request = WorkspaceRequest;
  using Needs = std::size_t;  // bytes of the workspace
};

/// Sorts a job of its variant's kind, whose types are erased. Returns where the result is; what a kind says beyond that
/// it writes to its job.
using SortFunction = ResultIn (*)(const void* job);

/// A variant's code for one combination of types.
struct Instance {
  KeyType key_type;
  std::size_t value_bytes;
  Order order;
  SortFunction function;
  Traits traits = {};
  void* context = nullptr;  // whatever else `function` must know

  /// `job` is an erased one of the variant's kind.
  template <class Erased = ErasedJob>
  ResultIn sort(const Erased& job) const {
    return function(&job);
  }
};

struct Variant {
  std::string id;         // "cpu/radix/naive": the path below the root, without its ending
  std::string extension;  // "cpp" or "cu"
  Info info;
  std::vector<Instance> instances;
  const Kind* kind = &OneArray::kKind;
  void (*write_needs)(const void* request, void* needs);  // of its kind, whose types are erased
  Limit (*capacity)();
  Limit (*patience)(std::string_view dist);
  std::string (*unavailable)();
  std::string (*isa_name)(const Variant&);  // null: by Job::isa
  std::string plugin_file = "";             // where a plug-in's sort lies; "": in this program
  std::string (*details)() = nullptr;
  /// Makes ErasedJob::state, once for all sorts of one setup; the caller's from then on. Null: there is none.
  SortState* (*make_state)(const ErasedJob&) = nullptr;

  template <class OfKind>
  bool is() const {
    return kind == &OfKind::kKind;
  }
  /// What a job needs, of a variant of that kind.
  template <class OfKind>
  typename OfKind::Needs needs(const typename OfKind::Request& request) const {
    typename OfKind::Needs needs{};
    write_needs(&request, &needs);
    return needs;
  }
  std::size_t workspace_bytes(const WorkspaceRequest& request) const {
    return needs<OneArray>(request);
  }

  /// "radix" of "cpu/radix/naive".
  std::string_view algorithm() const;
  /// The lower of its two limits for a distribution.
  Limit limit(std::string_view dist) const;
  /// null when it has no code for these types.
  const Instance* instance(KeyType key_type, std::size_t value_bytes, Order order) const;
};

struct ById {
  using is_transparent = void;
  static std::string_view id(const Variant& variant) { return variant.id; }
  static std::string_view id(std::string_view id) { return id; }
  bool operator()(const auto& a, const auto& b) const { return id(a) < id(b); }
};
using Variants = std::set<Variant, ById>;

/// All variants of this program, by id: those of its table, and plug-ins. Each stays in its place.
const Variants& all_variants();
/// null when there is no such id.
const Variant* find_variant(std::string_view id);

/// Adds a variant at run time: a plug-in's. Throws std::logic_error when the id is taken.
void register_variant(Variant variant);
/// Forgets the variants whose id does not match the glob: for programs of one algorithm.
void keep_only_variants(const char* glob);

namespace detail {

template <class Impl>
struct KindOf : std::type_identity<OneArray> {};
template <class Impl>
requires requires { typename Impl::JobKind; }
struct KindOf<Impl> : std::type_identity<typename Impl::JobKind> {};

/// Orders of keys that a sort has code for: records are in ascending order.
template <class Key>
constexpr bool has_order(Order order) {
  return key_type_of<Key>() != KeyType::record || order == Order::ascending;
}

/// What a sort returned, delivered to whom its job names.
template <class OfKind, class Result>
ResultIn delivered(const typename OfKind::Erased& job, Result result) {
  if constexpr (std::is_same_v<Result, ResultIn>) {
    return result;
  } else {
    return OfKind::deliver(job, std::move(result));
  }
}

template <class Impl, class Key, class Value, Order kOrder>
ResultIn run(const typename KindOf<Impl>::type::Erased& e) {
  using OfKind = typename KindOf<Impl>::type;
  using Job = typename OfKind::template Job<Key, Value, kOrder>;
  if constexpr (requires { Impl::template sort_erased<Job>(e); }) {
    return delivered<OfKind>(e, Impl::template sort_erased<Job>(e));
  } else {
    return delivered<OfKind>(e, Impl::sort(Job::of(e)));
  }
}

/// The code of one combination of types. A struct whose `sort_erased` is no template has one function for all of them.
template <class Impl, class Key, class Value, Order kOrder>
ResultIn run_erased(const void* job) {
  return run<Impl, Key, Value, kOrder>(
      *static_cast<const typename KindOf<Impl>::type::Erased*>(job));
}
template <class Impl>
ResultIn run_of_any_type(const void* job) {
  using OfKind = typename KindOf<Impl>::type;
  const auto& e = *static_cast<const typename OfKind::Erased*>(job);
  return delivered<OfKind>(e, Impl::sort_erased(e));
}
template <class Impl, class Key, class Value, Order kOrder>
constexpr SortFunction function_of() {
  using Erased = typename KindOf<Impl>::type::Erased;
  if constexpr (requires(const Erased& e) { Impl::sort_erased(e); }) {
    return &run_of_any_type<Impl>;
  } else {
    return &run_erased<Impl, Key, Value, kOrder>;
  }
}

template <class Impl, class Key, class Value, Order kOrder>
void add_instance(std::vector<Instance>& out) {
  if constexpr (has_order<Key>(kOrder)) {
    out.push_back({key_type_of<Key>(), kValueBytes<Value>, kOrder,
                   function_of<Impl, Key, Value, kOrder>(), Traits::of(Impl::info)});
  }
}

template <class Impl, class Key, class... Values>
void add_instances(std::vector<Instance>& out, TypeList<Values...>) {
  ((add_instance<Impl, Key, Values, Order::ascending>(out),
    add_instance<Impl, Key, Values, Order::descending>(out)),
   ...);
}

template <class Impl>
void write_needs(const void* erased, void* needs) {
  using OfKind = typename KindOf<Impl>::type;
  const auto& request = *static_cast<const typename OfKind::Request*>(erased);
  auto& to = *static_cast<typename OfKind::Needs*>(needs);
  if constexpr (requires { Impl::needs(request); }) {
    to = Impl::needs(request);
  } else if constexpr (requires { Impl::workspace_bytes(request); }) {
    to = Impl::workspace_bytes(request);
  } else {
    static_assert(std::is_same_v<typename OfKind::Needs, std::size_t>,
                  "a sort of this kind of jobs must say what it needs");
  }
}

template <class Impl, class... Keys, class ValueList>
Variant describe(std::string id, std::string extension, TypeList<Keys...>, ValueList values) {
  using OfKind = typename KindOf<Impl>::type;
  Variant v{.id = std::move(id),
            .extension = std::move(extension),
            .info = Impl::info,
            .instances = {},
            .kind = &OfKind::kKind,
            .write_needs = &write_needs<Impl>,
            .capacity =
                [] {
                  if constexpr (requires { Impl::capacity(); }) return Impl::capacity();
                  return Limit{};
                },
            .patience =
                [](std::string_view dist) {
                  if constexpr (requires { Impl::patience(dist); }) return Impl::patience(dist);
                  return Limit{};
                },
            .unavailable = []() -> std::string {
              if constexpr (requires { Impl::unavailable(); }) return Impl::unavailable();
              return "";
            },
            .isa_name = nullptr};
  if constexpr (requires { Impl::isa_name(); }) {
    v.isa_name = [](const Variant&) { return Impl::isa_name(); };
  }
  if constexpr (requires { Impl::details(); }) v.details = &Impl::details;
  (add_instances<Impl, Keys>(v.instances, values), ...);
  return v;
}

}  // namespace detail
}  // namespace sortlab

/// Registers the variant `Impl` for all keys of the list Keys and all values of the list Values:
/// defines the function that the program's table of variants (variant_table.hpp) names. C linkage
/// keeps it visible there from within an unnamed namespace, too.
/// The build passes the id, which is the file's path, in SORTLAB_VARIANT_ID,
/// SORTLAB_VARIANT_EXTENSION, and the function's name in SORTLAB_VARIANT_ENTRY.
#define SORTLAB_REGISTER(Impl, Keys, Values)                                                   \
  extern "C" void SORTLAB_VARIANT_ENTRY(::sortlab::Variant& variant) {                         \
    variant = ::sortlab::detail::describe<Impl>(SORTLAB_VARIANT_ID, SORTLAB_VARIANT_EXTENSION, \
                                                Keys{}, Values{});                             \
  }                                                                                            \
  static_assert(true)
