// The process's team of threads, made for machines that other programs use too.
//
// A thread that shares its CPU with another program may stand still for milliseconds. So a region
// never waits for a thread to come: it waits only for work that was begun (region.hpp). A thread that
// stood still leaves the team; later it is let in again, to see whether its CPU has become free
// (roster.hpp). Members spin between two regions for a short time only, then sleep.
//
// One region runs at a time. A region that is begun inside of another one, or while another thread's
// region runs, gets no members and runs on its caller alone. A forked child makes a team of its own, with
// the same limit.
#pragma once

#include <cstddef>

namespace sortlab::team {

inline constexpr int kMostSlots = 512;

/// Bytes between what different threads write: Intel's CPUs fetch cache lines in pairs.
inline constexpr std::size_t kApart = 128;

/// A part of a region's work.
using Body = void (*)(void* context, int slot);

/// Calls body(context, slot) once for each slot < slots, on this thread and on others that come while
/// slots are free. Returns when all calls have returned. `slots` is at most kMostSlots. A body throws
/// nothing, and waits for no other one.
void run(int slots, Body body, void* context);

/// Of `threads` threads, those that can be expected to come at once: fewer on a machine that is busy,
/// but never for lack of CPUs alone. A sort that asks before it cuts its input into as many parts loses
/// nothing by those that do not come.
int at_hand(int threads);

/// The most threads that take part in a region, its caller among them; usable_cpus() until it is set.
/// The threads of the team end if it has more; 0 is as at first.
void limit(int threads);

/// What limit() has set.
int limit();

/// Ends the team's threads, once no region runs. The next region starts them again. Not to be called from
/// inside of a region.
void end();

}  // namespace sortlab::team
