// The only interface to threads for the fast CPU sorts: no other code in them starts a thread or
// waits for one.
#pragma once

#include "common/threads/loops.hpp"
#include "common/threads/team.hpp"

namespace sortlab::cpu::primitives::parallel {

using team::at_hand;
using threads::chunk_begin, threads::for_each_chunk, threads::for_each_part,
    threads::on_all_threads;

}  // namespace sortlab::cpu::primitives::parallel
