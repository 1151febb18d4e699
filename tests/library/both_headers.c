/* A plug-in whose sort calls the library, so that it needs both headers, in C or C++ and in any order. */
#ifdef PLUGIN_FIRST
  #include "sortlab_plugin.h"
#endif
#include <sortlab/sortlab.h>
#ifndef PLUGIN_FIRST
  #include "sortlab_plugin.h"
#endif

static int32_t sort(const sortlab_job* job) {
  const int status = sortlab_sort(job->keys, job->n, SORTLAB_TYPE_U32, NULL);
  return status == SORTLAB_SUCCESS ? SORTLAB_IN_KEYS : SORTLAB_FAILED;
}

static const sortlab_instance instances[] = {{.key_types = SORTLAB_U32, .sort = sort}};
static const sortlab_plugin_sort sorts[] = {
    {.name = "library", .instances = instances, .instance_count = SORTLAB_COUNT(instances)}};

SORTLAB_PLUGIN("both", "1.0", sorts)
