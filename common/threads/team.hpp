// The process's team of threads, made for machines that other programs use too.
//
// A thread that shares its CPU with another program may stand still for milliseconds. So a region
// never waits for a thread to come: it waits only for those that have begun. A thread that stood still
// leaves the team; from time to time one is let in again, to see whether its CPU has become free.
// Members spin between two regions for a short time only, then sleep.
//
// One region runs at a time. A region that is begun inside of another one, or while another thread's
// region runs, gets no members and runs on its caller alone. A forked child makes a team of its own.
#pragma once

namespace sortlab::team {

/// The slot says which participant calls: 0 is the caller of run().
using Body = void (*)(void* context, int slot);

/// Calls body(context, slot) on this thread, and on up to threads - 1 others while that call lasts,
/// each with a slot of its own below `threads`. So a body takes work from a common store until none is
/// left. Returns when all calls that began have returned. A body throws nothing.
void run(int threads, Body body, void* context);

/// Of `threads` threads, those that can be expected to come at once: fewer on a machine that is busy,
/// but never for lack of CPUs alone. A sort that asks before it cuts its input into as many parts loses
/// nothing by those that do not come.
int at_hand(int threads);

}  // namespace sortlab::team
