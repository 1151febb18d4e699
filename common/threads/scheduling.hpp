// How the system schedules the team's threads.
#pragma once

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstring>

#include "common/contract/usable_cpus.hpp"

namespace sortlab::team {

/// A thread begins with the CPUs, the class and the nice value of the one that starts it. This gives the calling thread
/// those of the process's main thread, but no real-time class, since the team's threads wait by spinning. The system
/// may refuse: only who has the right to do so lowers a nice value. A sandbox may even end a process that tries, so
/// nothing is set that is right already.
inline void schedule_as_the_process() {
  const pid_t process = getpid();
  int own = SCHED_OTHER;
  sched_param parameters{};
  pthread_getschedparam(pthread_self(), &own, &parameters);
  const int of_process = sched_getscheduler(process) & ~SCHED_RESET_ON_FORK;
  const bool is_modest = of_process == SCHED_BATCH || of_process == SCHED_IDLE;
  if (const int wanted = is_modest ? of_process : SCHED_OTHER; own != wanted) {
    parameters = {};
    pthread_setschedparam(pthread_self(), wanted, &parameters);
  }
  const int nice = getpriority(PRIO_PROCESS, static_cast<id_t>(process));
  if (getpriority(PRIO_PROCESS, 0) != nice) setpriority(PRIO_PROCESS, 0, nice);
  CpuSet cpus, own_cpus;
  if (cpus.read(process) && own_cpus.read(0) && std::memcmp(&cpus, &own_cpus, sizeof cpus) != 0) {
    cpus.apply();
  }
}

}  // namespace sortlab::team
