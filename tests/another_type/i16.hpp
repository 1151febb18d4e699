// One row more of the table of key types (common/contract/key_types.hpp).
#define SORTLAB_MORE_KEY_TYPES(ROW) ROW(i16, std::int16_t, "int16 int16_t short smallint")
