// SPDX-License-Identifier: Apache-2.0
// Fixture of tests of publishing: a job with a finished file, and its publishing in a child
// process, which may be killed and has restricted file system calls.
#pragma once

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fault_point.h"
#include "server/queue/files/job_files.h"
#include "server/queue/files/publishing.h"
#include "server/queue/files/work_binding.h"
#include "tests/server/queue/queue_fixture.h"

namespace weft::queue {

inline constexpr char kSecret[] = "a secret";

// File systems by the method that moves a file to its target without replacing another.
enum class FileSystem { kRename, kLink, kNeither };
inline constexpr std::array kAll = {FileSystem::kRename, FileSystem::kLink, FileSystem::kNeither};

// Makes the system call fail with `error` in this process from now on.
inline bool refuse(long call, int error) {
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<__u32>(call), 0, 1),
      BPF_STMT(BPF_RET | BPF_K, static_cast<__u32>(SECCOMP_RET_ERRNO | error)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program = {.len = std::size(code), .filter = code};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

inline bool know_only(FileSystem knows) {
  return (knows == FileSystem::kRename || refuse(SYS_renameat2, EINVAL)) &&
         (knows != FileSystem::kNeither || refuse(SYS_linkat, EPERM));
}

class PublishingTest : public testing::Test {
 protected:
  // Exit code of a child that cannot install a seccomp filter.
  static constexpr int kNoFilter = 100;
  static constexpr int kKilled = -1;

  PublishingTest() {
    job_.set_id("01ARZ3NDEKTSV4RRFFQ69G5FAV");
    job_.set_attempt(1);
    job_.mutable_spec()->mutable_video()->set_input(folder_.path() + "/in.ts");
    job_.mutable_spec()->mutable_video()->set_output(folder_.path() + "/outputs/out.mkv");
    std::filesystem::create_directory(folder_.path() + "/outputs");
  }

  // Returns the file systems that can be simulated here. All but the first need a seccomp filter.
  std::vector<FileSystem> file_systems() const {
    std::vector<FileSystem> played;
    for (const FileSystem knows : kAll)
      if (publish(knows) != kNoFilter) played.push_back(knows);
    EXPECT_THAT(played, testing::Contains(FileSystem::kRename));
    if (played.size() < kAll.size()) printf("The kernel takes no seccomp filter here: renames alone.\n");
    return played;
  }

  static void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }
  static std::string read(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string work() const { return work_folder_of(job_, ""); }
  std::string output() const { return job_.spec().video().output(); }
  void finish(const std::string& text = "the result") const {
    make_work_folder();
    write(work() + "/finished", text);
  }
  // Makes the work folder as an attempt does.
  void make_work_folder() const {
    std::filesystem::create_directories(work());
    bind(job_, work());
  }
  // Binds the work folder in a child process: a process counts its fault points from its start.
  static void bind(const v1::Job& job, const std::string& work) {
    ASSERT_EQ(
        in_child([&] {
          const channel::FileDescriptor folder(::open(work.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
          return bind_work_folder(folder.get(), job, kSecret).ok() ? 0 : 1;
        }),
        0);
  }
  // Makes another job in the same folder, with a work folder and a finished file.
  v1::Job other_job(const std::string& text) const {
    v1::Job other = job_;
    other.set_id("01ARZ3NDEKTSV4RRFFQ69G5FAW");
    other.mutable_spec()->mutable_video()->set_output(folder_.path() + "/outputs/his.mkv");
    std::filesystem::create_directories(work_folder_of(other, ""));
    bind(other, work_folder_of(other, ""));
    write(work_folder_of(other, "") + "/finished", text);
    return other;
  }

  // Runs `work` in a child process. Returns its result, or kKilled.
  static int in_child(const std::function<int()>& work) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(work());
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : kKilled;
  }
  // Publishes in a child process. Returns the code of the status, kKilled or kNoFilter.
  int publish(FileSystem knows = FileSystem::kRename, int kill_at = 0,
              const CopyReport& report = nullptr) const {
    return in_child([&] {
      ::setenv("WEFT_KILL_AT", std::to_string(kill_at).c_str(), 1);
      if (!know_only(knows)) return kNoFilter;
      return int(publish_job(job_, "", {"a store", kSecret}, {}, report).code());
    });
  }
  static constexpr int code(StatusCode value) { return int(value); }

  TemporaryFolder folder_;
  v1::Job job_;
};

}  // namespace weft::queue
