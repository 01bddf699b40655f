// SPDX-License-Identifier: Apache-2.0
// A file system of FUSE that hangs when a test says so: hanging_fs as a process.
//
//   HangingMount mount(path("disk"));
//   if (!mount.is_there()) GTEST_SKIP() << mount.why_not();
//   mount.order("hang");
#pragma once

#include <string>

#include <sys/types.h>

namespace weft::scenarios {

// One thread.
class HangingMount {
 public:
  // Makes the folder and mounts there what lies in another beside it.
  explicit HangingMount(const std::string& folder);
  ~HangingMount();  // ends the file system, whatever waits for it
  HangingMount(const HangingMount&) = delete;
  HangingMount& operator=(const HangingMount&) = delete;

  bool is_there() const { return why_not_.empty(); }
  const std::string& why_not() const { return why_not_; }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  // The same file past the file system, which does not hang.
  std::string behind(const std::string& name) const { return folder_ + ".behind/" + name; }

  // A line of hanging_fs.
  void order(const std::string& line);
  // Waits until something waits for the file system; false: nothing did in time.
  bool wait_until_it_hangs();

 private:
  bool wait_for_line(const std::string& wanted);

  const std::string folder_;
  std::string why_not_;
  pid_t pid_ = -1;
  int orders_ = -1;   // its standard input
  int answers_ = -1;  // its standard output
  std::string heard_;
};

}  // namespace weft::scenarios
