/* The best keys of an array or of rows, without a sort of the rest. The best are those that come first in the order of the
 * options: the smallest, or with SORTLAB_ORDER_DESCENDING the largest.
 *
 *     float scores[1000][256], best[1000][8];
 *     uint32_t places[1000][8];
 *     sortlab_rows rows = {sizeof rows, 1000, 256, 256};
 *     sortlab_top top = {sizeof top, 8};
 *     top.sorted = 1;
 *     sortlab_top_k(scores, SORTLAB_TYPE_F32, &rows, &top, best, places, 4, NULL);
 *
 * The rules of sortlab.h hold. Where an argument is wrong, nothing is changed. */
#ifndef SORTLAB_TOP_K_H
#define SORTLAB_TOP_K_H

#include <sortlab/sortlab.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Rearranges n keys so that the one that sorting would bring to place k is there, none before it comes after it in the
 * order, and none behind it comes before it. With k of n or more any arrangement will do. */
SORTLAB_API int sortlab_nth_element(void* keys, size_t n, int type, size_t k,
                                    const sortlab_options* options);

/* Rearranges n keys so that the first k are those that sorting would bring there, in that order. With k of n or more all
 * are sorted. */
SORTLAB_API int sortlab_partial_sort(void* keys, size_t n, int type, size_t k,
                                     const sortlab_options* options);

/* Writes the places of n keys, from 0, in such an order that the keys would be as sortlab_nth_element arranges them: unsigned
 * integers of index_bytes (4 or 8). The keys stay as they are. */
SORTLAB_API int sortlab_argpartition(const void* keys, void* order, size_t n, int type, size_t k,
                                     size_t index_bytes, const sortlab_options* options);

/* The bytes of options->scratch that are enough for sortlab_argpartition(), whatever k is; 0 where an argument is wrong. */
SORTLAB_API size_t sortlab_argpartition_scratch_bytes(size_t n, int type, size_t index_bytes,
                                                      const sortlab_options* options);

/* Rows of one length. Row r begins at r * stride. One array is one row. */
typedef struct sortlab_rows {
  size_t size; /* sizeof(sortlab_rows) */
  size_t count;
  size_t length; /* keys of a row */
  size_t stride; /* keys from the begin of a row to that of the next one: `length` or more */
} sortlab_rows;

/* What is asked for. All members may be 0, except `size`. */
typedef struct sortlab_top {
  size_t size;        /* sizeof(sortlab_top) */
  size_t k;           /* of each row; all keys of a shorter row */
  const uint32_t* ks; /* of each row, where it is less than k; or null */
  int32_t sorted;     /* 1: the best come first. 0: in any order */
  int32_t
      first; /* 1: of equal keys, those in the first places; with `sorted` these come in their order */
  int32_t
      nans_first; /* 1: NaNs are better than all numbers, in both orders, whatever options->floats says */
} sortlab_top;

/* Finds the best k keys of each row. The keys stay as they are. `best` gets the keys, `places` their places in the row, from
 * 0, as unsigned integers of place_bytes (4 or 8); one of the two may be null. What belongs to row r begins at item
 * r * min(k, length); what is behind a row's own k is undefined. -0 and +0 are two keys, in this order. Neither result
 * may overlap the keys. */
SORTLAB_API int sortlab_top_k(const void* keys, int type, const sortlab_rows* rows,
                              const sortlab_top* top, void* best, void* places, size_t place_bytes,
                              const sortlab_options* options);

/* The bytes of options->scratch that are enough for sortlab_top_k(), whichever of `best` and `places` is null; 0 where an
 * argument is wrong. */
SORTLAB_API size_t sortlab_top_k_scratch_bytes(int type, const sortlab_rows* rows,
                                               const sortlab_top* top, size_t place_bytes,
                                               const sortlab_options* options);

#ifdef __cplusplus
}
#endif

#endif
