// Compiles the sorts in registers and caches that several SIMD sorts call. Otherwise each of these would compile
// them again: they are most of what it takes to compile cpu/quick/simd, for one.
#define SORTLAB_WITH_NETWORKS
#include "cpu/primitives/simd/kernels.hpp"
