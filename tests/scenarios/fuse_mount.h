// SPDX-License-Identifier: Apache-2.0
// A file system of FUSE as a process of a test's: it takes orders on its standard input and answers on its standard output, a line each.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace weft::scenarios {

// One thread.
class FuseMount {
 public:
  // Makes the mount point and runs `program ARGUMENT... MOUNTPOINT`, which answers "mounted". `program`: empty, it was not built.
  FuseMount(const std::string& program, std::vector<std::string> arguments, const std::string& mount_point);
  ~FuseMount();  // ends the file system, whatever waits for it
  FuseMount(const FuseMount&) = delete;
  FuseMount& operator=(const FuseMount&) = delete;

  bool is_there() const { return why_not_.empty(); }
  const std::string& why_not() const { return why_not_; }
  const std::string& mount_point() const { return mount_point_; }
  std::string path(const std::string& name) const { return mount_point_ + "/" + name; }

  void order(const std::string& line);
  // Waits for a line that begins so and gives the rest of it; false: none came in time.
  bool wait_for_line(const std::string& begin, std::string* rest = nullptr);
  // Whether such a line has come; it is not taken.
  bool has_line(const std::string& begin);

 private:
  bool hear(int milliseconds);

  const std::string mount_point_;
  std::string why_not_;
  pid_t pid_ = -1;
  int orders_ = -1;   // its standard input
  int answers_ = -1;  // its standard output
  std::string heard_;
};

}  // namespace weft::scenarios
