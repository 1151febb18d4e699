/* The C interface, compiled as strict C11: prints "sorted" if all calls do as they say. */
#include <sortlab/sortlab.h>
#include <stdio.h>
#include <string.h>

static int expect(int condition, const char* what) {
  if (!condition) fprintf(stderr, "wrong: %s\n", what);
  return condition;
}

int main(void) {
  uint32_t keys[] = {3, 1, 2};
  double values[] = {0.3, 0.1, 0.2};
  uint64_t order[3];
  sortlab_options descending;
  int good = 1;
  memset(&descending, 0, sizeof descending);
  descending.size = sizeof descending;
  descending.order = SORTLAB_ORDER_DESCENDING;
  good &= expect(sortlab_argsort(keys, order, 3, SORTLAB_TYPE_U32, 8, NULL) == SORTLAB_SUCCESS &&
                     order[0] == 1 && order[1] == 2 && order[2] == 0,
                 "sortlab_argsort");
  good &= expect(sortlab_sort_pairs(keys, values, 3, SORTLAB_TYPE_U32, sizeof values[0], NULL) ==
                         SORTLAB_SUCCESS &&
                     keys[0] == 1 && values[0] == 0.1 && values[2] == 0.3,
                 "sortlab_sort_pairs");
  descending.sorter = sortlab_sorter_create();
  good &= expect(sortlab_sort(keys, 3, SORTLAB_TYPE_U32, &descending) == SORTLAB_SUCCESS &&
                     keys[0] == 3 && keys[2] == 1,
                 "sortlab_sort");
  sortlab_sorter_destroy(descending.sorter);
  good &= expect(sortlab_sort(keys, 3, 99, NULL) == SORTLAB_ERROR_ARGUMENT, "an unknown type");
  good &= expect(sortlab_abi_version() == SORTLAB_ABI_VERSION, "the version");
  if (good) puts("sorted");
  return good ? 0 : 1;
}
