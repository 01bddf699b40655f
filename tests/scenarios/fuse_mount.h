// SPDX-License-Identifier: Apache-2.0
// Runs a FUSE file system as a child process of a test. The process reads orders from its standard
// input and writes replies to its standard output, one per line.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace weft::scenarios {

// For use by one thread.
class FuseMount {
 public:
  // Makes the mount point and runs `program ARGUMENT... MOUNTPOINT`, which writes "mounted". An
  // empty `program` was not built.
  FuseMount(const std::string& program, std::vector<std::string> arguments, const std::string& mount_point);
  ~FuseMount();  // ends the file system and all calls that wait for it
  FuseMount(const FuseMount&) = delete;
  FuseMount& operator=(const FuseMount&) = delete;

  bool is_there() const { return why_not_.empty(); }
  const std::string& why_not() const { return why_not_; }
  const std::string& mount_point() const { return mount_point_; }
  std::string path(const std::string& name) const { return mount_point_ + "/" + name; }

  void order(const std::string& line);
  // Waits for a line that begins with `begin` and sets `rest` to the remainder of the line. Returns
  // false if no such line arrives in time.
  bool wait_for_line(const std::string& begin, std::string* rest = nullptr);
  // Returns true if a line that begins with `begin` has arrived. The line is not removed.
  bool has_line(const std::string& begin);

 private:
  bool hear(int milliseconds);

  const std::string mount_point_;
  std::string why_not_;
  pid_t pid_ = -1;
  int orders_ = -1;   // standard input of the process
  int answers_ = -1;  // standard output of the process
  std::string heard_;
};

}  // namespace weft::scenarios
