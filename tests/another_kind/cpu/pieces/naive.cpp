// Sorts of pieces: a right one, and what the verdict on pieces must find.
#include "tests/another_kind/pieces.hpp"

namespace sortlab {
namespace {

constexpr ParamSpec kParams[] = {
    {"pieces", 16, 1, 4096, "pieces of the array, of one size"},
    {"fault", 0, 0, 4,
     "planted: 1 an item lost, 2 one doubled, 3 two exchanged between pieces, 4 unstable"}};

struct Naive {
  using JobKind = Pieces;
  static constexpr Info info{.summary = "insertion sort of each piece",
                             .source = "made for the tests",
                             .stable = true,
                             .in_place = true,
                             .params = kParams};

  template <class Job>
  static ResultIn sort(const Job& job) {
    std::size_t begin = 0;
    for (const std::size_t end : job.ends) {
      sort(job, begin, end);
      begin = end;
    }
    plant(job);
    return ResultIn::data;
  }

 private:
  template <class Job>
  static void sort(const Job& job, std::size_t begin, std::size_t end) {
    const typename Job::Less less;
    for (std::size_t i = begin + 1; i < end; ++i) {
      const auto item = job.data[i];
      std::size_t hole = i;
      for (; hole > begin && less(item.key, job.data.keys[hole - 1]); --hole) {
        job.data.put(hole, job.data[hole - 1]);
      }
      job.data.put(hole, item);
    }
  }

  /// At the border between the first two pieces, or among the first piece's equal items.
  template <class Job>
  static void plant(const Job& job) {
    const std::size_t border = job.ends.front();
    switch (job.params["fault"]) {
      case 1:
        job.data.put(border - 1, job.data[border - 2]);
        break;
      case 2:
        job.data.put(border, job.data[border + 1]);
        break;
      case 3:
        job.data.swap(border - 1, border);
        break;
      case 4:
        job.data.swap(0, 1);
        break;
      default:
        break;
    }
  }
};
SORTLAB_REGISTER(Naive, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
