// SPDX-License-Identifier: Apache-2.0
// A user's ids on one thread, for as long as this lives: what it opens, the kernel checks against them.
#pragma once

#include <vector>

#include <sys/types.h>

#include "server/channel/credentials.h"

namespace weft::queue {

// Only a daemon of root can, and only others' ids are taken; else nothing happens. They are the ids for files (setfsuid): nobody can
// signal or trace the thread for them, and root's capabilities over files do not act meanwhile.
class CallersIds {
 public:
  explicit CallersIds(const channel::Credentials& caller);
  ~CallersIds();
  CallersIds(const CallersIds&) = delete;
  CallersIds& operator=(const CallersIds&) = delete;

  // The thread has the ids. False with is_refused(): the kernel refuses, and nothing may be opened.
  bool are_taken() const { return taken_; }
  bool is_refused() const { return refused_; }

 private:
  void give_back();

  std::vector<gid_t> groups_;  // the thread's own
  bool changed_ = false;
  bool taken_ = false;
  bool refused_ = false;
};

}  // namespace weft::queue
