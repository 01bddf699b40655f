// SPDX-License-Identifier: Apache-2.0
// Assumes a user's ids on one thread for the lifetime of the object, so that the kernel checks that
// user's rights to the files that the thread opens.
#pragma once

#include <vector>

#include <sys/types.h>

#include "server/channel/credentials.h"

namespace weft::queue {

// Has an effect only if the daemon runs as root and the caller is another user. The ids are those
// for files (setfsuid): the user cannot signal or trace the thread, and root's capabilities over
// files are not effective meanwhile.
class CallersIds {
 public:
  explicit CallersIds(const channel::Credentials& caller);
  ~CallersIds();
  CallersIds(const CallersIds&) = delete;
  CallersIds& operator=(const CallersIds&) = delete;

  // Returns true if the thread has the ids. If is_refused() returns true, the kernel denied the
  // change, and no file may be opened.
  bool are_taken() const { return taken_; }
  bool is_refused() const { return refused_; }

 private:
  void give_back();

  std::vector<gid_t> groups_;  // the thread's original groups
  bool changed_ = false;
  bool taken_ = false;
  bool refused_ = false;
};

}  // namespace weft::queue
