// The process groups that this process has started: its worker's, and that of the load.
#pragma once

namespace sortlab {

/// Keeps the group of that number, whose processes this process has started, among its own until
/// remove_child_group().
void add_child_group(int group);
void remove_child_group(int group);

/// Sends a signal to all of them. Safe in a signal handler.
void signal_child_groups(int signal);

/// From now on processes whose parent has ended become children of this one, those that a sort has
/// started in a session of their own included.
void adopt_orphans();

/// Kills all that adopt_orphans() has brought: the children that were not there when it was called
/// first, and that are in no child group.
void end_orphans();

}  // namespace sortlab
