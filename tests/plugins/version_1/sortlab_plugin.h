/* Version 1 of the header of plug-ins, as it was: the tests compile a plug-in against it. */

/* Bring your own sort: what a shared library must offer so that `sortlab --plugin libmysort.so`
 * takes its sorts beside the built-in ones. Plain C99, and C++; nothing to link with.
 *
 *   #include "sortlab_plugin.h"
 *
 *   static int32_t my_sort(const sortlab_job *job) {
 *     uint32_t *keys = job->keys;
 *     ...                                                  sort keys[0] to keys[job->n - 1]
 *     return SORTLAB_IN_KEYS;
 *   }
 *   static const sortlab_sort sorts[] = {{"my_sort", "how it sorts", SORTLAB_U32, 0, my_sort, NULL}};
 *   SORTLAB_PLUGIN("mine", "1.0", sorts)
 *
 * Its id is then plugin/mine/my_sort. The library is loaded into processes of its own, which may
 * crash, hang or end: that fails one measurement. */
#ifndef SORTLAB_PLUGIN_H
#define SORTLAB_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

/* Grows when anything below changes its meaning or its layout. */
#define SORTLAB_PLUGIN_ABI 1

struct CUstream_st; /* CUDA's cudaStream_t is a pointer to it */

/* Types of keys. Floats are IEEE-754. Or them together in sortlab_sort. */
#define SORTLAB_U32 1u
#define SORTLAB_I32 2u
#define SORTLAB_U64 4u
#define SORTLAB_I64 8u
#define SORTLAB_F32 16u
#define SORTLAB_F64 32u
#define SORTLAB_ALL_KEYS 63u

/* What a sort can do, and what it asks for. Or them together in sortlab_sort. Without any it sorts
 * keys alone, in ascending order, on one thread of the CPU, with no memory but the keys. */
#define SORTLAB_STABLE 1u        /* equal keys keep their order; checked */
#define SORTLAB_IN_PLACE 2u      /* extra memory is constant, or O(log n) */
#define SORTLAB_PARALLEL 4u      /* uses as many threads as it is given */
#define SORTLAB_PAIRS 8u         /* moves a uint32_t value along with each key, too */
#define SORTLAB_DESCENDING 16u   /* sorts in descending order, too */
#define SORTLAB_ALTERNATE 32u    /* wants a second buffer as large as the data */
#define SORTLAB_DEVICE 64u       /* sorts on a CUDA GPU: all buffers are in its memory */
#define SORTLAB_CAPTURABLE 128u  /* a device sort that only enqueues, for CUDA graphs */
#define SORTLAB_ALLOCATES 256u   /* takes memory of its own in each sort */
#define SORTLAB_TOTAL_ORDER 512u /* orders NaNs, and -0 before +0; see below */

/* Floats are in order when -NaN < -inf < ... < -0 < +0 < ... < +inf < +NaN, by their bits where
 * they are equal. A sort without SORTLAB_TOTAL_ORDER is never given a NaN or a -0. */

/* What a sort returns. Other numbers fail the measurement. */
#define SORTLAB_IN_KEYS 0      /* sorted; the result is in keys (and values) */
#define SORTLAB_IN_ALTERNATE 1 /* sorted; the result is in alternate_keys (and alternate_values) */
#define SORTLAB_FAILED (-1)    /* failed; job->message may say why */
#define SORTLAB_UNSUPPORTED (-2) /* can't sort this job: it is skipped; job->message may say why */
#define SORTLAB_NO_MEMORY (-3)   /* an allocation of its own failed */

/* One sort to be done. Everything is the caller's, and valid until the sort returns.
 *
 * A host sort may write [0, n) of each buffer, [0, workspace_bytes) of the workspace and the
 * message, and no other memory that it did not allocate itself: red zones tell. Keys and values
 * are aligned to their own size, the workspace to 256 bytes. n may be 0, and pointers then NULL.
 *
 * A device sort gets pointers into device memory, on the current device, and must do all its work
 * on `stream`; it need not wait for it. It checks its own launches (cudaGetLastError). */
typedef struct sortlab_job {
  uint32_t key_type;          /* one of SORTLAB_U32, ... */
  int32_t descending;         /* 0: ascending; else descending, only with SORTLAB_DESCENDING */
  size_t n;                   /* how many keys */
  void* keys;                 /* the input */
  uint32_t* values;           /* values[i] belongs to keys[i]; NULL for keys alone */
  void* alternate_keys;       /* n keys, undefined; NULL without SORTLAB_ALTERNATE */
  uint32_t* alternate_values; /* likewise; NULL for keys alone, too */
  void* workspace;            /* undefined */
  size_t workspace_bytes;     /* at least as many as the sort asked for */
  int32_t threads;            /* how many threads it may use, 1 or more; 0 for a device sort */
  struct CUstream_st* stream; /* NULL for a host sort */
  char* message;              /* room for a text, ended by '\0', on why it failed: one line */
  size_t message_bytes;       /* the size of that room, 256 or more */
} sortlab_job;

/* One sort of the library. It is called by one thread at a time, again and again, with other jobs.
 * No C++ exception may leave it (one that does fails the measurement, if the process survives). */
typedef struct sortlab_sort {
  const char* name;    /* letters, digits and _ - . (at most 64); the last part of its id */
  const char* summary; /* one line for `sortlab list` */
  uint32_t key_types;  /* SORTLAB_U32 | ...: those it can sort */
  uint32_t traits;     /* SORTLAB_STABLE | ... */
  int32_t (*sort)(const sortlab_job* job); /* returns SORTLAB_IN_KEYS, ... */
  /* The workspace that it wants for n keys, in bytes; NULL: none. value_bytes: 0 for keys alone. */
  size_t (*workspace_bytes)(size_t n, size_t key_bytes, size_t value_bytes, int32_t threads);
} sortlab_sort;

/* The library. All of it, names included, must stay valid and unchanged once described. */
typedef struct sortlab_plugin {
  const char* name;    /* like a sort's name; the middle part of the ids, "algorithm" in results */
  const char* version; /* one line for the column lib_version; NULL: none */
  const sortlab_sort* sorts;
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

/* Defines the two symbols, for an array of sortlab_sort. Once in a library, no semicolon. */
#define SORTLAB_PLUGIN(name, version, sorts)                                                       \
  SORTLAB_PLUGIN_EXPORT int32_t sortlab_plugin_abi(void) { return SORTLAB_PLUGIN_ABI; }            \
  SORTLAB_PLUGIN_EXPORT const sortlab_plugin* sortlab_plugin_describe(void) {                      \
    static const sortlab_plugin plugin = {name, version, sorts, sizeof(sorts) / sizeof(*(sorts))}; \
    return &plugin;                                                                                \
  }

#endif
