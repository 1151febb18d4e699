/* A plug-in for `sortlab --plugin`: Shell sort of u32 keys, with Ciura's gaps. */
#include "sortlab_plugin.h"

static int32_t shell_sort(const sortlab_job* job) {
  static const size_t gaps[] = {701, 301, 132, 57, 23, 10, 4, 1};
  uint32_t* keys = job->keys;
  for (size_t g = 0; g < sizeof gaps / sizeof *gaps; ++g) {
    const size_t gap = gaps[g];
    for (size_t i = gap; i < job->n; ++i) {
      const uint32_t key = keys[i];
      size_t hole = i;
      for (; hole >= gap && key < keys[hole - gap]; hole -= gap) keys[hole] = keys[hole - gap];
      keys[hole] = key;
    }
  }
  return SORTLAB_IN_KEYS;
}

static const sortlab_instance instances[] = {
    {.key_types = SORTLAB_U32, .traits = SORTLAB_IN_PLACE, .sort = shell_sort},
};

static const sortlab_plugin_sort sorts[] = {
    {.name = "shell_sort",
     .summary = "Shell sort, Ciura's gaps",
     .instances = instances,
     .instance_count = SORTLAB_COUNT(instances)},
};

SORTLAB_PLUGIN("mine", "1.0", sorts)
