// Libraries that can't be used as plug-ins. FAULT, which the build sets, selects the fault.
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "include/sortlab_plugin.h"

// NOLINTBEGIN: each value is a fault of its own
#define no_abi 1
#define no_description 2
#define other_abi 3
#define null_description 4
#define no_sorts 5
#define bad_name 6
#define bad_sort_name 7
#define long_name 8
#define same_name_twice 9
#define no_key_types 10
#define unknown_key_type 11
#define unknown_trait 12
#define no_function 13
#define two_lines 14
#define no_utf8 15
#define crashes_in_constructor 16
#define hangs_in_constructor 17
#define exits_in_constructor 18
#define crashes_when_described 19
#define throws_when_described 20
#define missing_function 21
#define unknown_values 22
#define unknown_orders 23
#define unknown_trait_of_sort 24
#define no_instances 25
#define same_types_twice 26
#define create_without_destroy 27
#define size_of_plugin 28
#define size_of_sort 29
#define size_of_instance 30
#define isa_of_two_lines 31
// NOLINTEND

namespace {

int32_t sort(const sortlab_job*) { return SORTLAB_IN_KEYS; }
int32_t create(const sortlab_job*, void**) { return SORTLAB_OK; }

const sortlab_instance instances[] = {
    {FAULT == no_key_types       ? 0
     : FAULT == unknown_key_type ? 64u
                                 : SORTLAB_U32,
     FAULT == unknown_values ? 2u : 0, FAULT == unknown_orders ? 4u : 0,
     FAULT == unknown_trait ? 1u << 20 : 0, FAULT == no_function ? nullptr : sort},
    {FAULT == same_types_twice ? SORTLAB_ALL_KEYS : SORTLAB_F64, 0, 0, 0, sort},
};

const sortlab_plugin_sort sorts[] = {
    {FAULT == bad_sort_name ? "a/b" : "first",
     FAULT == two_lines ? "one\ntwo"
     : FAULT == no_utf8 ? "\xFF"
                        : "",
     nullptr, FAULT == isa_of_two_lines ? "a\nb" : nullptr, FAULT == unknown_trait_of_sort ? 4u : 0,
     instances, FAULT == no_instances ? 0 : 2u, nullptr,
     FAULT == create_without_destroy ? create : nullptr, nullptr},
    {FAULT == same_name_twice ? "first" : "second", nullptr, nullptr, nullptr, 0, instances, 2,
     nullptr, nullptr, nullptr},
};

const sortlab_plugin plugin = {sizeof(sortlab_plugin) - (FAULT == size_of_plugin ? 8 : 0),
                               sizeof(sortlab_plugin_sort) + (FAULT == size_of_sort ? 8 : 0),
                               FAULT == size_of_instance ? 0 : sizeof(sortlab_instance),
                               FAULT == bad_name ? "a*b"
                               : FAULT == long_name
                                   ? "a12345678901234567890123456789012345678901234"
                                     "56789012345678901234567890"
                                   : "bad",
                               "1",
                               sorts,
                               FAULT == no_sorts ? 0 : 2u};

#if FAULT == missing_function
extern "C" void this_function_is_nowhere();
[[gnu::used]] void calls_it() { this_function_is_nowhere(); }
#elif FAULT == crashes_in_constructor || FAULT == hangs_in_constructor || \
    FAULT == exits_in_constructor
[[gnu::constructor]] void constructor() {
  if (FAULT == crashes_in_constructor) std::raise(SIGSEGV);
  if (FAULT == exits_in_constructor) std::exit(0);
  while (true) std::this_thread::sleep_for(std::chrono::seconds(1));
}
#endif

}  // namespace

#if FAULT != no_abi
int32_t sortlab_plugin_abi() {
  return FAULT == other_abi ? SORTLAB_PLUGIN_ABI + 1 : SORTLAB_PLUGIN_ABI;
}
#endif

#if FAULT != no_description
const sortlab_plugin* sortlab_plugin_describe() {
  if (FAULT == crashes_when_described) std::raise(SIGSEGV);
  if (FAULT == throws_when_described) throw std::runtime_error("no words");
  return FAULT == null_description ? nullptr : &plugin;
}
#endif
