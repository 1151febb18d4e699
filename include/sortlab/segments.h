/* Sorts of many segments of one array, each for itself, in one call: rows of a matrix, lists of a data frame.
 *
 *     float rows[1000][8];
 *     sortlab_segments cut = {sizeof cut, 1000};
 *     cut.stride = cut.length = 8;
 *     sortlab_segmented_sort(rows, 8000, SORTLAB_TYPE_F32, &cut, NULL);
 *
 * The rules of sortlab.h hold. Where an argument is wrong, nothing is changed. */
#ifndef SORTLAB_SEGMENTS_H
#define SORTLAB_SEGMENTS_H

#include <sortlab/sortlab.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where the segments of n items lie. All members may be 0, except `size`.
 *
 * Segment s is [begins[s], ends[s]). For offsets, begins is the first of count + 1 numbers, and ends the second. Without
 * begins, segment s begins at s * stride; without ends, each has `length` items. Offsets are signed or unsigned integers
 * of offset_bytes, and aligned to that.
 *
 * A call refuses segments that end before they begin, or are not within the n items, and one that begins within the
 * segment before it. Segments in another order must not overlap either, which no call checks. Items of no segment stay
 * as they are; of an argsort, their places in `order` do. */
typedef struct sortlab_segments {
  size_t size;         /* sizeof(sortlab_segments) */
  size_t count;        /* of segments */
  const void* begins;  /* or null */
  const void* ends;    /* or null */
  size_t offset_bytes; /* 4 or 8; without begins and ends, 0 */
  size_t stride;       /* items from the begin of a row to that of the next one */
  size_t length;       /* items of a row */
} sortlab_segments;

/* Sorts each segment in place. */
SORTLAB_API int sortlab_segmented_sort(void* keys, size_t n, int type,
                                       const sortlab_segments* segments,
                                       const sortlab_options* options);

/* Sorts contiguous rows of `columns` keys each into the array `sorted`. It may be `keys` itself; any other overlap is a
 * SORTLAB_ERROR_ARGUMENT. */
SORTLAB_API int sortlab_sort_rows_to(const void* keys, void* sorted, size_t rows, size_t columns,
                                     int type, const sortlab_options* options);

/* Sorts each segment in place with values, as sortlab_sort_pairs. Values of equal keys always keep their order. */
SORTLAB_API int sortlab_segmented_sort_pairs(void* keys, void* values, size_t n, int type,
                                             size_t value_bytes, const sortlab_segments* segments,
                                             const sortlab_options* options);

/* The order of each segment, as sortlab_argsort: order[begin + i] is the place in its segment, from 0, that the i-th key
 * of the segment in sorted order has. */
SORTLAB_API int sortlab_segmented_argsort(const void* keys, void* order, size_t n, int type,
                                          size_t index_bytes, const sortlab_segments* segments,
                                          const sortlab_options* options);

#ifdef __cplusplus
}
#endif

#endif
