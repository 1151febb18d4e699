// Sorts records by pairs of a key's first 8 bytes and the record's number, then moves each record once.
//
//   read a word of each key  ->  sort pairs (12 bytes)  ->  finish ties  ->  gather the records
//
// The foot of the ladder of records, and the baseline for cpu/records/ranks: one process, all threads. A sort
// that moved records in each pass would move 100 bytes where this one moves 12.
// Passes over the records: two, one that reads a cache line of each and one that copies it from its place.
// Bytes per record beside the buffers: 24 and the workspace of the sort of pairs.
// Limits: 2^32 - 1 records. Keys that begin with the same words cost a sort of pairs for each such word.
// Source: Nyberg, Barclay et al., "AlphaSort: A RISC Machine Sort", SIGMOD 1994 (key prefixes with pointers).
#include "common/contract/records.hpp"
#include "cpu/primitives/records/key_order.hpp"

namespace sortlab {
namespace {

using cpu::records::KeyOrder;

struct Prefix {
  static constexpr Info info{.summary = "records: pairs of key prefix and number, then one gather",
                             .source = "Nyberg, Barclay et al. 1994",
                             .stable = true,
                             .alternate = true,
                             .parallel = true,
                             .isas = kEveryIsa};

  static Limit capacity() { return {UINT32_MAX, "u32 numbers of records"}; }

  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    return KeyOrder::workspace_bytes(request.n, request.threads);
  }

  static ResultIn sort(const RecordJob& job) {
    KeyOrder order({job.records, job.shape}, job.n, job.workspace, job.threads, job.isa);
    order.sort(job.n);
    order.gather(job.n, job.alternate);
    return ResultIn::alternate;
  }
};
SORTLAB_REGISTER(Prefix, RecordKeys, KeysOnly);

}  // namespace
}  // namespace sortlab
