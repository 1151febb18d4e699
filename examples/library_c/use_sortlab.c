/* Sorts measurements by their time, and moves a record of 24 bytes with each. */
#include <sortlab/sortlab.h>
#include <stdint.h>
#include <stdio.h>

struct record {
  double position[3];
};

int main(void) {
  int64_t times[] = {30, -10, 20};
  struct record records[] = {{{3, 3, 3}}, {{1, 1, 1}}, {{2, 2, 2}}};
  const int status =
      sortlab_sort_pairs(times, records, 3, SORTLAB_TYPE_I64, sizeof records[0], NULL);
  if (status != SORTLAB_SUCCESS) {
    fprintf(stderr, "%s\n", sortlab_error_text(status));
    return 1;
  }
  for (int i = 0; i < 3; ++i) printf("%lld: %g\n", (long long)times[i], records[i].position[0]);
  return 0;
}
