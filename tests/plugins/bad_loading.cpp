// A library that can't be used as a plug-in. SORTLAB_TEST_FAULT, a variable of the environment,
// selects the fault.
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include <unistd.h>

#include "include/sortlab_plugin.h"

namespace {

bool fault_is(const char* name) {
  const char* const fault = std::getenv("SORTLAB_TEST_FAULT");
  return fault != nullptr && std::strcmp(fault, name) == 0;
}

int32_t sort(const sortlab_job*) { return SORTLAB_IN_KEYS; }
int32_t create(const sortlab_job*, void**) { return SORTLAB_OK; }

const sortlab_instance instances[] = {
    {fault_is("no_key_types")       ? 0
     : fault_is("unknown_key_type") ? 64u
                                    : SORTLAB_U32,
     fault_is("unknown_values") ? 2u : 0, fault_is("unknown_orders") ? 4u : 0,
     fault_is("unknown_trait") ? 1u << 20 : 0, fault_is("no_function") ? nullptr : sort},
    {fault_is("same_types_twice") ? SORTLAB_ALL_KEYS : SORTLAB_F64, 0, 0, 0, sort},
};

const sortlab_plugin_sort sorts[] = {
    {fault_is("bad_sort_name") ? "a/b" : "first",
     fault_is("two_lines") ? "one\ntwo"
     : fault_is("no_utf8") ? "\xFF"
                           : "",
     nullptr, fault_is("isa_of_two_lines") ? "a\nb" : nullptr,
     fault_is("unknown_trait_of_sort") ? 4u : 0, instances, fault_is("no_instances") ? 0 : 2u,
     nullptr, fault_is("create_without_destroy") ? create : nullptr, nullptr},
    {fault_is("same_name_twice") ? "first" : "second", nullptr, nullptr, nullptr, 0, instances, 2,
     nullptr, nullptr, nullptr},
};

const sortlab_plugin plugin = {sizeof(sortlab_plugin) - (fault_is("size_of_plugin") ? 8 : 0),
                               sizeof(sortlab_plugin_sort) + (fault_is("size_of_sort") ? 8 : 0),
                               fault_is("size_of_instance") ? 0 : sizeof(sortlab_instance),
                               fault_is("bad_name") ? "a*b"
                               : fault_is("long_name")
                                   ? "a12345678901234567890123456789012345678901234"
                                     "56789012345678901234567890"
                                   : "bad",
                               "1",
                               sorts,
                               fault_is("no_sorts") ? 0 : 2u};

[[gnu::constructor]] void constructor() {
  if (fault_is("crashes_in_constructor")) std::raise(SIGSEGV);
  if (fault_is("exits_in_constructor")) std::exit(0);
  while (fault_is("hangs_in_constructor")) pause();
}

}  // namespace

int32_t sortlab_plugin_abi() {
  return fault_is("other_abi") ? SORTLAB_PLUGIN_ABI + 1 : SORTLAB_PLUGIN_ABI;
}

const sortlab_plugin* sortlab_plugin_describe() {
  if (fault_is("crashes_when_described")) std::raise(SIGSEGV);
  if (fault_is("throws_when_described")) throw std::runtime_error("no words");
  return fault_is("null_description") ? nullptr : &plugin;
}
