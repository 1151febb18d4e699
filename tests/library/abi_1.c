/* The C interface as programs that were compiled against ABI 1 know it: functions, sizes, places of members,
 * values of constants. If sortlab/sortlab.h or the library breaks one of them, this file does not compile or
 * does not link, and SORTLAB_ABI_VERSION has to be raised (docs/library.md, "Versions").
 * What a later version adds is added here: then it is kept, too. */
#include <sortlab/segments.h>
#include <sortlab/sortlab.h>
#include <sortlab/top_k.h>

/* Functions: each is declared again, which is an error if its type differs, and used, so that the linker
 * looks for it. */
int sortlab_sort(void*, size_t, int, const sortlab_options*);
int sortlab_sort_pairs(void*, void*, size_t, int, size_t, const sortlab_options*);
int sortlab_argsort(const void*, void*, size_t, int, size_t, const sortlab_options*);
size_t sortlab_scratch_bytes(size_t, int, size_t, const sortlab_options*);
size_t sortlab_argsort_scratch_bytes(size_t, int, size_t, const sortlab_options*);
int sortlab_segmented_sort(void*, size_t, int, const sortlab_segments*, const sortlab_options*);
int sortlab_sort_rows_to(const void*, void*, size_t, size_t, int, const sortlab_options*);
int sortlab_segmented_sort_pairs(void*, void*, size_t, int, size_t, const sortlab_segments*,
                                 const sortlab_options*);
int sortlab_segmented_argsort(const void*, void*, size_t, int, size_t, const sortlab_segments*,
                              const sortlab_options*);
int sortlab_nth_element(void*, size_t, int, size_t, const sortlab_options*);
int sortlab_partial_sort(void*, size_t, int, size_t, const sortlab_options*);
int sortlab_argpartition(const void*, void*, size_t, int, size_t, size_t, const sortlab_options*);
size_t sortlab_argpartition_scratch_bytes(size_t, int, size_t, const sortlab_options*);
int sortlab_top_k(const void*, int, const sortlab_rows*, const sortlab_top*, void*, void*, size_t,
                  const sortlab_options*);
size_t sortlab_top_k_scratch_bytes(int, const sortlab_rows*, const sortlab_top*, size_t,
                                   const sortlab_options*);
sortlab_sorter* sortlab_sorter_create(void);
void sortlab_sorter_destroy(sortlab_sorter*);
void* sortlab_sorter_memory(sortlab_sorter*, size_t);
int sortlab_set_threads(int);
int sortlab_threads(void);
void sortlab_end_threads(void);
void sortlab_set_kept_memory(size_t);
size_t sortlab_kept_memory(void);
void sortlab_release_memory(void);
void sortlab_run(int, void (*)(void*, int), void*);
int sortlab_threads_at_hand(int);
const char* sortlab_error_text(int);
int sortlab_abi_version(void);
const char* sortlab_version(void);

typedef void (*function)(void);
static const function functions[] = {
    (function)sortlab_sort,
    (function)sortlab_sort_pairs,
    (function)sortlab_argsort,
    (function)sortlab_scratch_bytes,
    (function)sortlab_argsort_scratch_bytes,
    (function)sortlab_segmented_sort,
    (function)sortlab_sort_rows_to,
    (function)sortlab_segmented_sort_pairs,
    (function)sortlab_segmented_argsort,
    (function)sortlab_nth_element,
    (function)sortlab_partial_sort,
    (function)sortlab_argpartition,
    (function)sortlab_argpartition_scratch_bytes,
    (function)sortlab_top_k,
    (function)sortlab_top_k_scratch_bytes,
    (function)sortlab_sorter_create,
    (function)sortlab_sorter_destroy,
    (function)sortlab_sorter_memory,
    (function)sortlab_set_threads,
    (function)sortlab_threads,
    (function)sortlab_end_threads,
    (function)sortlab_set_kept_memory,
    (function)sortlab_kept_memory,
    (function)sortlab_release_memory,
    (function)sortlab_run,
    (function)sortlab_threads_at_hand,
    (function)sortlab_error_text,
    (function)sortlab_abi_version,
    (function)sortlab_version,
};

/* Options: a later version may add members at the end. */
#define PLACE(type, member, at)                                                  \
  _Static_assert(offsetof(sortlab_options, member) == (at),                      \
                 "ABI 1: sortlab_options." #member " has moved");                \
  _Static_assert(_Generic(((sortlab_options*)0)->member, type : 1, default : 0), \
                 "ABI 1: sortlab_options." #member " is of another type")
PLACE(size_t, size, 0);
PLACE(int32_t, order, 8);
PLACE(int32_t, floats, 12);
PLACE(int32_t, threads, 16);
PLACE(int32_t, any_order, 20);
PLACE(void*, scratch, 24);
PLACE(size_t, scratch_bytes, 32);
PLACE(sortlab_sorter*, sorter, 40);
_Static_assert(sizeof(sortlab_options) >= 48, "ABI 1: sortlab_options has shrunk");

#define VALUE(name, value) _Static_assert((name) == (value), "ABI 1: " #name " has another value")
VALUE(SORTLAB_ABI_VERSION, 1);
VALUE(SORTLAB_SUCCESS, 0);
VALUE(SORTLAB_ERROR_ARGUMENT, 1);
VALUE(SORTLAB_ERROR_MEMORY, 2);
VALUE(SORTLAB_ERROR_SCRATCH, 3);
VALUE(SORTLAB_ERROR_INDEX, 4);
VALUE(SORTLAB_TYPE_U8, 1);
VALUE(SORTLAB_TYPE_I8, 2);
VALUE(SORTLAB_TYPE_U16, 3);
VALUE(SORTLAB_TYPE_I16, 4);
VALUE(SORTLAB_TYPE_U32, 5);
VALUE(SORTLAB_TYPE_I32, 6);
VALUE(SORTLAB_TYPE_U64, 7);
VALUE(SORTLAB_TYPE_I64, 8);
VALUE(SORTLAB_TYPE_F32, 9);
VALUE(SORTLAB_TYPE_F64, 10);
VALUE(SORTLAB_TYPE_F16, 11);
VALUE(SORTLAB_ORDER_ASCENDING, 0);
VALUE(SORTLAB_ORDER_DESCENDING, 1);
VALUE(SORTLAB_FLOATS_TOTAL, 0);
VALUE(SORTLAB_FLOATS_NANS_LAST, 1);

int main(void) {
  /* A program of ABI 1 passes options of 48 bytes, also to a later library. */
  const sortlab_options options = {48, SORTLAB_ORDER_DESCENDING, 0, 0, 0, NULL, 0, NULL};
  uint32_t keys[] = {1, 3, 2};
  size_t missing = 0;
  for (size_t i = 0; i < sizeof functions / sizeof *functions; ++i) missing += functions[i] == NULL;
  return missing == 0 && sortlab_sort(keys, 3, SORTLAB_TYPE_U32, &options) == SORTLAB_SUCCESS &&
                 keys[0] == 3 && keys[1] == 2 && keys[2] == 1
             ? 0
             : 1;
}
