/* sortlab's sorts for the CPU, callable from C and from any language that can call C.
 *
 *     uint32_t keys[] = {3, 1, 2};
 *     int status = sortlab_sort(keys, 3, SORTLAB_TYPE_U32, NULL);
 *     if (status != SORTLAB_SUCCESS) puts(sortlab_error_text(status));
 *
 * All functions may be called from several threads at once. A sort allocates its memory, unless its
 * options provide it. No function keeps a pointer of the caller's. Keys must be aligned to the size of one
 * key; values may be at any address. */
#ifndef SORTLAB_SORTLAB_H
#define SORTLAB_SORTLAB_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(SORTLAB_EXPORTS)
  #define SORTLAB_API __attribute__((visibility("default")))
#else
  #define SORTLAB_API
#endif

/* The version of this header. A library with another number must not be used with it. */
#define SORTLAB_ABI_VERSION 1

/* What functions return. */
enum {
  SORTLAB_SUCCESS = 0,
  SORTLAB_ERROR_ARGUMENT = 1, /* a null pointer, a misaligned one, an unknown type or option */
  SORTLAB_ERROR_MEMORY = 2,   /* an allocation failed */
  SORTLAB_ERROR_SCRATCH = 3,  /* options.scratch is too small for the call */
  SORTLAB_ERROR_INDEX = 4     /* n does not fit in an index of this width */
};

/* Types of keys: unsigned and signed integers, and IEEE-754 floats, by their bits. */
enum {
  SORTLAB_TYPE_U8 = 1,
  SORTLAB_TYPE_I8 = 2,
  SORTLAB_TYPE_U16 = 3,
  SORTLAB_TYPE_I16 = 4,
  SORTLAB_TYPE_U32 = 5,
  SORTLAB_TYPE_I32 = 6,
  SORTLAB_TYPE_U64 = 7,
  SORTLAB_TYPE_I64 = 8,
  SORTLAB_TYPE_F32 = 9,
  SORTLAB_TYPE_F64 = 10,
  SORTLAB_TYPE_F16 = 11 /* IEEE-754's binary16, for instance NumPy's float16 */
};

enum { SORTLAB_ORDER_ASCENDING = 0, SORTLAB_ORDER_DESCENDING = 1 };

/* Orders of floats. TOTAL: -NaN < -inf < ... < -0 < +0 < ... < +inf < +NaN, by their bits.
 * NANS_LAST: all NaNs come last, also in descending order. sortlab_argsort then treats all NaNs as equal,
 * and -0 and +0 as equal, as NumPy does. */
enum { SORTLAB_FLOATS_TOTAL = 0, SORTLAB_FLOATS_NANS_LAST = 1 };

/* Memory that is kept from call to call. One thread at a time may use a sorter. */
typedef struct sortlab_sorter sortlab_sorter;

/* How to sort. All members may be 0, except `size`. A null pointer to options means the same. */
typedef struct sortlab_options {
  size_t size;            /* sizeof(sortlab_options): a later version may add members */
  int32_t order;          /* SORTLAB_ORDER_... */
  int32_t floats;         /* SORTLAB_FLOATS_... */
  int32_t threads;        /* at most this many; 0: as many as are free */
  int32_t any_order;      /* 1: values, or indices, of equal keys may change places */
  void* scratch;          /* memory to use: then the call allocates none */
  size_t scratch_bytes;   /* its size */
  sortlab_sorter* sorter; /* provides memory if `scratch` is null */
} sortlab_options;

/* Sorts n keys in place. */
SORTLAB_API int sortlab_sort(void* keys, size_t n, int type, const sortlab_options* options);

/* Sorts n keys in place and moves their values, of value_bytes each, with them. Values of equal keys keep
 * their order, unless the options say any_order. */
SORTLAB_API int sortlab_sort_pairs(void* keys, void* values, size_t n, int type, size_t value_bytes,
                                   const sortlab_options* options);

/* Writes the index of the i-th key in sorted order to order[i]. The indices are unsigned integers of
 * index_bytes (4 or 8). Equal keys come in the order of their indices, unless the options say any_order. */
SORTLAB_API int sortlab_argsort(const void* keys, void* order, size_t n, int type,
                                size_t index_bytes, const sortlab_options* options);

/* How much scratch memory the calls above need for the same arguments; value_bytes is 0 for sortlab_sort.
 * 0 for arguments that the calls refuse. */
SORTLAB_API size_t sortlab_scratch_bytes(size_t n, int type, size_t value_bytes,
                                         const sortlab_options* options);
SORTLAB_API size_t sortlab_argsort_scratch_bytes(size_t n, int type, size_t index_bytes,
                                                 const sortlab_options* options);

/* A sorter allocates the memory of sorts, and keeps the largest block. Null: no memory. */
SORTLAB_API sortlab_sorter* sortlab_sorter_create(void);
SORTLAB_API void sortlab_sorter_destroy(sortlab_sorter* sorter);
/* At least `bytes` of its memory, aligned to 256 bytes, with undefined content. Null: no memory. The
 * next call with this sorter invalidates the pointer. */
SORTLAB_API void* sortlab_sorter_memory(sortlab_sorter* sorter, size_t bytes);

/* The library has one team of threads per process. Its threads start with the first sort that can use
 * them, and sleep soon after a sort. They sort for one call at a time: a call that finds them busy sorts
 * on its own thread.
 * sortlab_set_threads: the most threads of any call from now on, the calling one included; 0: as many
 * as CPUs that the process may use. It ends the team's threads.
 * sortlab_threads: the limit, or the number of CPUs that the process may use: those of its main thread.
 * sortlab_end_threads: ends the team's threads. The next sort starts new ones.
 * None of these may be called from within a comparison or a body of sortlab_run. */
SORTLAB_API int sortlab_set_threads(int threads);
SORTLAB_API int sortlab_threads(void);
SORTLAB_API void sortlab_end_threads(void);

/* The process keeps the memory of large sorts for later ones, unless other programs need it.
 * sortlab_set_kept_memory: the most bytes that it keeps from now on; 0: none. It releases what is kept.
 * sortlab_kept_memory: how many bytes it keeps now.
 * sortlab_release_memory: returns them to the system. */
SORTLAB_API void sortlab_set_kept_memory(size_t bytes);
SORTLAB_API size_t sortlab_kept_memory(void);
SORTLAB_API void sortlab_release_memory(void);

/* Calls body(context, slot) once for each slot < slots, on this thread and on free ones of the team, and
 * returns when all calls have returned. `body` must not throw. All calls have the caller's floating-point
 * environment, and the caller can't be cancelled meanwhile (pthread_cancel). */
SORTLAB_API void sortlab_run(int slots, void (*body)(void* context, int slot), void* context);
/* How many of `threads` threads (0: of all) will probably come to sortlab_run at once. */
SORTLAB_API int sortlab_threads_at_hand(int threads);

/* One line in English, never null. */
SORTLAB_API const char* sortlab_error_text(int status);
/* The SORTLAB_ABI_VERSION that the library was built with. */
SORTLAB_API int sortlab_abi_version(void);
/* "0.1.0" */
SORTLAB_API const char* sortlab_version(void);

#ifdef __cplusplus
}
#endif

#endif
