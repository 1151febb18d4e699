/* Bring your own sort: the interface of a shared library whose sorts `sortlab --plugin libmysort.so`
 * uses beside the built-in ones. Plain C99, and C++; nothing to link with.
 *
 *   #include "sortlab_plugin.h"
 *
 *   static int32_t my_sort(const sortlab_job *job) {
 *     uint32_t *keys = job->keys;
 *     ...                                                  sort keys[0] to keys[job->n - 1]
 *     return SORTLAB_IN_KEYS;
 *   }
 *   static const sortlab_instance instances[] = {{.key_types = SORTLAB_U32, .sort = my_sort}};
 *   static const sortlab_plugin_sort sorts[] = {
 *       {.name = "my_sort", .instances = instances, .instance_count = SORTLAB_COUNT(instances)}};
 *   SORTLAB_PLUGIN("mine", "1.0", sorts)
 *
 * Its id is then plugin/mine/my_sort. Only worker processes load the library. A crash, a hang or an
 * exit fails one measurement and nothing else. */
#ifndef SORTLAB_PLUGIN_H
#define SORTLAB_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

/* The version of this interface. It grows when anything below changes its meaning or its layout. */
#define SORTLAB_PLUGIN_ABI 1

/* Marks members that need no value: in C++, no compiler then warns where they are left out. */
#ifdef __cplusplus
  #define SORTLAB_OPTIONAL = {}
#else
  #define SORTLAB_OPTIONAL
#endif

struct CUstream_st; /* CUDA's cudaStream_t is a pointer to it */

/* Types of keys. Floats are IEEE-754. */
#define SORTLAB_U32 1u
#define SORTLAB_I32 2u
#define SORTLAB_U64 4u
#define SORTLAB_I64 8u
#define SORTLAB_F32 16u
#define SORTLAB_F64 32u
#define SORTLAB_ALL_KEYS 63u

/* Kinds of values: none, or one value of this many bytes with each key. sortlab's own inputs have
 * values of 4 bytes today. A sort may declare 8 and 16 as well; nothing asks for them yet. */
#define SORTLAB_NO_VALUES 1u
#define SORTLAB_VALUES_4 4u
#define SORTLAB_VALUES_8 8u
#define SORTLAB_VALUES_16 16u

/* Orders. Floats ascend when -NaN < -inf < ... < -0 < +0 < ... < +inf < +NaN (IEEE-754 totalOrder),
 * by their bits where they are equal. */
#define SORTLAB_ASCENDING 1u
#define SORTLAB_DESCENDING 2u

/* Traits of an instance, for sortlab_instance.traits. */
#define SORTLAB_STABLE 1u        /* equal keys keep their order; checked with values */
#define SORTLAB_IN_PLACE 2u      /* extra memory is constant, or O(log n) */
#define SORTLAB_ALTERNATE 4u     /* needs a second buffer as large as the data */
#define SORTLAB_TOTAL_ORDER 8u   /* orders NaNs, and -0 before +0; without it, it never gets any */
#define SORTLAB_CAPTURABLE 16u   /* a device sort that only enqueues work, for CUDA graphs */
#define SORTLAB_ALLOCATES 32u    /* allocates memory itself, in create() or sort() */
#define SORTLAB_KEEPS_MEMORY 64u /* likewise, and keeps some of it even after destroy() */

/* Traits of a sort, for sortlab_plugin_sort.traits. */
#define SORTLAB_PARALLEL 1u /* uses job->threads threads; without it, threads is always 1 */
#define SORTLAB_DEVICE 2u   /* sorts on a CUDA GPU: all buffers are in its memory */

/* What the functions of a plug-in return. All other numbers mean SORTLAB_FAILED. */
#define SORTLAB_OK 0             /* of workspace_bytes() and create() */
#define SORTLAB_IN_KEYS 0        /* of sort(): the result is in keys (and values) */
#define SORTLAB_IN_ALTERNATE 1   /* of sort(): it is in alternate_keys (and alternate_values) */
#define SORTLAB_FAILED (-1)      /* job->message may say why */
#define SORTLAB_UNSUPPORTED (-2) /* the job is skipped; job->message may say why */
#define SORTLAB_NO_MEMORY (-3)   /* an allocation failed */

/* One sort to be done. The caller owns all of it. It is valid until the function returns.
 *
 * Keys, values and alternate buffers are aligned to 64 bytes, the workspace to 256, on the host and
 * on the device. n may be 0; pointers may then be NULL. workspace_bytes() and create() get the job
 * without its buffers: those pointers are NULL. workspace_bytes() gets it without a stream, too.
 *
 * A host sort may write [0, n) of each buffer, [0, workspace_bytes) of the workspace, the message,
 * and its own memory. Guard zones around the buffers show all other writes.
 *
 * A device sort gets pointers into the memory of the current device. It does all its work on
 * `stream`, and need not wait for it. It checks its own launches (cudaGetLastError). */
typedef struct sortlab_job {
  size_t size;                /* of this structure in bytes; later versions append members */
  uint32_t key_type;          /* SORTLAB_U32 or another one */
  uint32_t order;             /* SORTLAB_ASCENDING or SORTLAB_DESCENDING */
  size_t n;                   /* how many keys */
  size_t value_bytes;         /* of one value; 0 for keys alone */
  void* keys;                 /* the input */
  void* values;               /* value i belongs to key i; NULL for keys alone */
  void* alternate_keys;       /* room for n keys, undefined; NULL without SORTLAB_ALTERNATE */
  void* alternate_values;     /* likewise; NULL for keys alone, too */
  void* workspace;            /* undefined */
  size_t workspace_bytes;     /* at least as many as the sort asked for */
  struct CUstream_st* stream; /* NULL for a host sort */
  void* state;                /* from create(); NULL without it */
  char* message;              /* room for one line that says why it failed, ended by '\0' */
  size_t message_bytes;       /* the size of that room, 256 or more */
  int32_t threads;            /* how many threads it may use, 1 or more; 0 for a device sort */
} sortlab_job;

/* The code for some types. It covers every combination of its key types, values and orders. No two
 * instances of a sort may cover the same combination. */
typedef struct sortlab_instance {
  uint32_t key_types; /* SORTLAB_U32 | ... */
  uint32_t values
      SORTLAB_OPTIONAL; /* SORTLAB_NO_VALUES | SORTLAB_VALUES_4 | ...; 0: SORTLAB_NO_VALUES */
  uint32_t orders
      SORTLAB_OPTIONAL; /* SORTLAB_ASCENDING | SORTLAB_DESCENDING; 0: SORTLAB_ASCENDING */
  uint32_t traits SORTLAB_OPTIONAL;        /* SORTLAB_STABLE | ... */
  int32_t (*sort)(const sortlab_job* job); /* the only function that is timed */
} sortlab_instance;

/* One sort of the library. For each configuration (types, n, threads) that sortlab measures or
 * checks, one thread makes these calls, in this order:
 *
 *   workspace_bytes   once or more
 *   create            once
 *   sort              once, or again and again; a measurement does not time the first call
 *   destroy           once, also when a sort failed; not when the process crashed or was killed
 *
 * Threads may live from create() to destroy(), or until the process ends. So may memory: all
 * that create() and the first sort() allocate with malloc counts as the sort's extra memory in the
 * CSV.
 * A sort with SORTLAB_KEEPS_MEMORY is measured in a new process each time: otherwise the memory that
 * it kept from an earlier configuration would not count. No C++ exception may leave a function
 * (it fails the measurement, if the process survives). */
typedef struct sortlab_plugin_sort {
  const char* name; /* letters, digits and _ - . (at most 64); the last part of its id */
  const char* summary SORTLAB_OPTIONAL; /* one line for `sortlab list`; NULL: none */
  const char* version SORTLAB_OPTIONAL; /* for the column lib_version; NULL: the library's */
  const char* isa SORTLAB_OPTIONAL;     /* for the column isa: "avx2"; NULL: unknown */
  uint32_t traits SORTLAB_OPTIONAL;     /* SORTLAB_PARALLEL | SORTLAB_DEVICE, or 0 */
  const sortlab_instance* instances;
  size_t instance_count; /* SORTLAB_COUNT(instances) */
  /* Sets *bytes to the size of its workspace for this job. NULL: none. */
  int32_t (*workspace_bytes)(const sortlab_job* job, size_t* bytes) SORTLAB_OPTIONAL;
  /* Sets *state to the value of job->state in sort(): a thread pool, a context, a
   * buffer. NULL: no state. With it, destroy() is needed, too. */
  int32_t (*create)(const sortlab_job* job, void** state) SORTLAB_OPTIONAL;
  void (*destroy)(void* state) SORTLAB_OPTIONAL;
} sortlab_plugin_sort;

/* The library. All of it, names included, must stay valid and unchanged once described. */
typedef struct sortlab_plugin {
  size_t size;          /* sizeof(sortlab_plugin) */
  size_t sort_size;     /* sizeof(sortlab_plugin_sort) */
  size_t instance_size; /* sizeof(sortlab_instance) */
  const char* name;     /* like a sort's name; the middle part of the ids, "algorithm" in results */
  const char* version;  /* one line for the column lib_version; NULL: none */
  const sortlab_plugin_sort* sorts;
  size_t sort_count;
} sortlab_plugin;

#ifdef __cplusplus
  #define SORTLAB_PLUGIN_EXPORT extern "C" __attribute__((visibility("default")))
#else
  #define SORTLAB_PLUGIN_EXPORT __attribute__((visibility("default")))
#endif

/* The two symbols of a plug-in. SORTLAB_PLUGIN below defines both. */
SORTLAB_PLUGIN_EXPORT int32_t sortlab_plugin_abi(void); /* SORTLAB_PLUGIN_ABI; asked first */
SORTLAB_PLUGIN_EXPORT const sortlab_plugin* sortlab_plugin_describe(void);

/* The number of elements of an array. */
#define SORTLAB_COUNT(array) (sizeof(array) / sizeof(*(array)))

/* Defines the two symbols, for an array of sortlab_plugin_sort. Use it once in a library, without
 * a semicolon. In C++ the name and the version may be any expressions; they are evaluated when the
 * library is loaded. */
#define SORTLAB_PLUGIN(name, version, sorts)                                            \
  SORTLAB_PLUGIN_EXPORT int32_t sortlab_plugin_abi(void) { return SORTLAB_PLUGIN_ABI; } \
  SORTLAB_PLUGIN_EXPORT const sortlab_plugin* sortlab_plugin_describe(void) {           \
    static const sortlab_plugin plugin = {sizeof(sortlab_plugin),                       \
                                          sizeof(sortlab_plugin_sort),                  \
                                          sizeof(sortlab_instance),                     \
                                          name,                                         \
                                          version,                                      \
                                          sorts,                                        \
                                          SORTLAB_COUNT(sorts)};                        \
    return &plugin;                                                                     \
  }

#endif
