// The process groups that this process has started: those of its worker and of the load.
#pragma once

namespace sortlab {

/// Registers a group, whose processes this process has started, until remove_child_group().
void add_child_group(int group);
void remove_child_group(int group);

/// Sends a signal to all of them. Safe in a signal handler.
void signal_child_groups(int signal);

/// From now on, descendants whose parent has ended become children of this process, even those that
/// a sort has started in another session.
void adopt_orphans();

/// Kills all adopted processes: the children that did not exist at the first call of
/// adopt_orphans() and that are in no child group.
void end_orphans();

}  // namespace sortlab
