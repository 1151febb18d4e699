// The process's team of threads, for machines that other programs use too.
//
// A thread that shares its CPU with another program may be stopped for milliseconds. So a region
// never waits for a thread to come: it waits only for started work (region.hpp). A thread that was
// stopped leaves the team; later it returns on trial, to find out whether its CPU is free again
// (roster.hpp). Members spin between two regions for a short time only, then sleep.
//
// One region runs at a time. A region that starts inside of another one, or while another thread's
// region runs, gets no members and runs on its caller alone. A forked child makes its own team,
// with the same limit.
#pragma once

#include <cstddef>

namespace sortlab::team {

inline constexpr int kMostSlots = 512;

/// Bytes between what different threads write: Intel's CPUs fetch cache lines in pairs.
inline constexpr std::size_t kApart = 128;

/// A part of a region's work.
using Body = void (*)(void* context, int slot);

/// Calls body(context, slot) once for each slot < slots, on this thread and on others that come while
/// slots are free. Returns when all calls have returned. `slots` is at most kMostSlots. A body must
/// not throw or wait for another body.
void run(int slots, Body body, void* context);

/// How many of `threads` threads will probably come at once. They are fewer on a busy machine, but
/// never only for lack of CPUs. A sort that cuts its input into this many parts loses nothing by
/// the missing threads.
int at_hand(int threads);

/// Limits the threads of a region, its caller included. The default is usable_cpus(); 0 restores
/// it. If the team has more threads, all of them end.
void limit(int threads);

/// The limit that limit() has set.
int limit();

/// Ends the team's threads, once no region runs. The next region starts them again. Not to be called from
/// inside of a region.
void end();

}  // namespace sortlab::team
