// How the fast CPU sorts use threads: nothing else in them starts one or waits for one.
#pragma once

#include "common/threads/loops.hpp"
#include "common/threads/team.hpp"

namespace sortlab::cpu::primitives::parallel {

using team::at_hand;
using threads::chunk_begin, threads::for_each_chunk, threads::for_each_part,
    threads::on_all_threads;

}  // namespace sortlab::cpu::primitives::parallel
