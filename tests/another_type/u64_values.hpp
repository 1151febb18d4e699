// One entry more of the table of values (common/contract/key_types.hpp).
#define SORTLAB_MORE_VALUES , std::uint64_t
