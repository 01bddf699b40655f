// SPDX-License-Identifier: Apache-2.0
#include "server/queue/files/callers_ids.h"

#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace weft::queue {
namespace {

constexpr uid_t kAsk = uid_t(-1);  // an invalid id: changes nothing and returns the current one

// Sets the groups of this thread by a system call, since the C library's function sets those of all
// threads.
bool set_groups_of_thread(const std::vector<gid_t>& groups) {
  return ::syscall(SYS_setgroups, groups.size(), groups.data()) == 0;
}

}  // namespace

CallersIds::CallersIds(const channel::Credentials& caller) {
  if (channel::is_own(caller) || ::geteuid() != 0) return;
  const int count = ::getgroups(0, nullptr);
  groups_.resize(count > 0 ? size_t(count) : 0);
  refused_ = count < 0 || ::getgroups(count, groups_.data()) != count ||
             !set_groups_of_thread({caller.groups().begin(), caller.groups().end()});
  if (refused_) return;
  changed_ = true;
  ::setfsgid(caller.group());
  ::setfsuid(caller.user());
  taken_ = gid_t(::setfsgid(kAsk)) == caller.group() && uid_t(::setfsuid(kAsk)) == caller.user();
  refused_ = !taken_;
}

CallersIds::~CallersIds() {
  if (changed_) give_back();
}

void CallersIds::give_back() {
  ::setfsuid(::geteuid());
  ::setfsgid(::getegid());
  // If this fails, the thread has fewer rights, not more.
  static_cast<void>(set_groups_of_thread(groups_));
}

}  // namespace weft::queue
