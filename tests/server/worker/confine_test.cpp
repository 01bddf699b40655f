// SPDX-License-Identifier: Apache-2.0
// Tests the confinement of the worker. Each case runs in a child process, since a confinement
// cannot be undone.
#include "server/worker/confine.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/channel/file_descriptor.h"

namespace weft::worker {
namespace {

constexpr int kNoFilter = 77;
constexpr int kNoLandlock = 78;

bool lacks(const std::vector<std::string>& lacking, const std::string& what) {
  return std::any_of(lacking.begin(), lacking.end(),
                     [&](const std::string& each) { return each.find(what) != std::string::npos; });
}

// Returns the exit code of a child process that runs `body`.
int in_child(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Returns the exit code of a child process that confines itself and then runs `then`.
int in_confined_child(Confinement kind, const std::function<int()>& then,
                      const std::string& cache_folder = "") {
  return in_child([&] {
    const std::vector<std::string> lacking = confine(kind, cache_folder);
    if (lacks(lacking, "seccomp")) return kNoFilter;
    if (lacks(lacking, "Landlock")) return kNoLandlock;
    return then();
  });
}

// Returns 0, or errno if the call failed.
int error_of(int result) { return result >= 0 ? 0 : errno; }
int errno_of_socket(int domain, int type) { return error_of(::socket(domain, type, 0)); }
int errno_of_open(const std::string& path, int flags) {
  return error_of(::open(path.c_str(), flags | O_CLOEXEC, 0600));
}

class ConfineTest : public testing::Test {
 protected:
  void SetUp() override {
    const int found = in_confined_child(Confinement::kComputing, [] { return 0; });
    if (found == kNoFilter) GTEST_SKIP() << "the kernel takes no seccomp filter here";
    if (found == kNoLandlock) GTEST_SKIP() << "the kernel has no Landlock here";
  }
};

TEST_F(ConfineTest, NothingIsLacking) {
  EXPECT_EQ(in_child([] { return int(confine(Confinement::kComputing, "").size()); }), 0);
  EXPECT_EQ(in_child([] { return int(confine(Confinement::kDevice, "").size()); }), 0);
  EXPECT_EQ(in_child([] { return int(confine_folder_process().size()); }), 0);
}

TEST_F(ConfineTest, NoSocketForAnyWorker) {
  for (const Confinement kind : {Confinement::kDevice, Confinement::kComputing}) {
    for (const int domain : {AF_INET, AF_INET6, AF_PACKET, AF_UNIX})
      EXPECT_EQ(in_confined_child(kind, [&] { return errno_of_socket(domain, SOCK_STREAM); }), EACCES);
    EXPECT_EQ(in_confined_child(kind, [] { return errno_of_socket(AF_UNIX, SOCK_DGRAM); }), EACCES);
    EXPECT_EQ(in_confined_child(kind,
                                [] {
                                  int ends[2];
                                  return error_of(::socketpair(AF_UNIX, SOCK_DGRAM, 0, ends));
                                }),
              EACCES);
  }
  EXPECT_EQ(in_confined_child(Confinement::kComputing, [] { return errno_of_socket(AF_NETLINK, SOCK_RAW); }),
            EACCES);
  EXPECT_EQ(
      in_confined_child(Confinement::kComputing, [] { return errno_of_socket(AF_UNIX, SOCK_SEQPACKET); }),
      EACCES);
}

// CUDA's driver hangs without these sockets.
TEST_F(ConfineTest, ADriverGetsSocketsThatLeadNowhere) {
  EXPECT_EQ(in_confined_child(Confinement::kDevice, [] { return errno_of_socket(AF_NETLINK, SOCK_RAW); }), 0);
  const channel::FileDescriptor listener(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<sockaddr*>(&name), sizeof(name.sun_family)), 0);
  ASSERT_EQ(::listen(listener.get(), 1), 0);
  socklen_t size = sizeof(name);
  ASSERT_EQ(::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&name), &size), 0);
  const auto connect = [&] {
    const int own = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    return own < 0 ? 1 : error_of(::connect(own, reinterpret_cast<sockaddr*>(&name), size));
  };
  EXPECT_EQ(in_child(connect), 0);
  EXPECT_EQ(in_confined_child(Confinement::kDevice, connect), EACCES);
}

TEST_F(ConfineTest, ThreadsThatStartLaterAreConfinedToo) {
  EXPECT_EQ(in_confined_child(Confinement::kComputing,
                              [] {
                                int socket = -1, file = -1;
                                std::thread([&] {
                                  socket = errno_of_socket(AF_INET, SOCK_STREAM);
                                  file = errno_of_open("/etc/passwd", O_RDONLY);
                                }).join();
                                return socket == EACCES && file == EACCES ? 0 : 1;
                              }),
            0);
}

TEST_F(ConfineTest, FilesOpenAsFarAsTheyAreNeeded) {
  char folder[] = "/tmp/weft-confine-XXXXXX";
  ASSERT_NE(::mkdtemp(folder), nullptr);
  const std::string outside = folder, cache = outside + "/cache";
  ASSERT_EQ(::mkdir(cache.c_str(), 0700), 0);
  std::ofstream(outside + "/secret") << "x";
  for (const Confinement kind : {Confinement::kDevice, Confinement::kComputing})
    EXPECT_EQ(in_confined_child(
                  kind,
                  [&] {
                    if (errno_of_open("/usr/bin/env", O_RDONLY) != 0) return 1;
                    if (errno_of_open("/proc/self/status", O_RDONLY) != 0) return 2;
                    if (errno_of_open("/dev/null", O_RDWR) != 0) return 3;
                    if (errno_of_open(cache + "/made", O_RDWR | O_CREAT) != 0) return 4;
                    if (::rename((cache + "/made").c_str(), (cache + "/kept").c_str()) != 0) return 5;
                    if (::unlink((cache + "/kept").c_str()) != 0) return 6;
                    if (errno_of_open(outside + "/secret", O_RDONLY) != EACCES) return 7;
                    if (errno_of_open(outside + "/made", O_WRONLY | O_CREAT) != EACCES) return 8;
                    if (errno_of_open("/etc/passwd", O_RDONLY) != EACCES) return 9;
                    if (errno_of_open("/usr/bin/env", O_WRONLY) != EACCES) return 10;
                    if (errno_of_open("/proc/1/status", O_RDONLY) != EACCES) return 11;
                    if (::truncate((outside + "/secret").c_str(), 0) == 0 || errno != EACCES) return 12;
                    if (::chmod((outside + "/secret").c_str(), 0777) == 0 || errno != EACCES) return 13;
                    if (::unlink((outside + "/secret").c_str()) == 0 || errno != EACCES) return 14;
                    return 0;
                  },
                  cache),
              0);
  EXPECT_EQ(::unlink((outside + "/secret").c_str()), 0) << "it is there";
  std::filesystem::remove_all(folder);
}

TEST_F(ConfineTest, WhatIsOpenStaysOpen) {
  const channel::FileDescriptor file(::open("/etc/passwd", O_RDONLY | O_CLOEXEC));
  char byte = 0;
  EXPECT_EQ(in_confined_child(Confinement::kComputing,
                              [&] { return ::pread(file.get(), &byte, 1, 0) == 1 ? 0 : 1; }),
            0);
}

TEST_F(ConfineTest, SignalsAndLimitsAreForItselfAlone) {
  for (const Confinement kind : {Confinement::kDevice, Confinement::kComputing})
    EXPECT_EQ(
        in_confined_child(kind,
                          [] {
                            const pid_t others[] = {::getppid(), 0, -1, 1};
                            for (const pid_t other : others)
                              if (::kill(other, 0) == 0 || errno != EACCES) return 1;
                            if (::syscall(SYS_tgkill, ::getppid(), ::getppid(), 0) == 0 || errno != EACCES)
                              return 2;
                            rlimit limit{};
                            if (::prlimit(::getppid(), RLIMIT_CPU, nullptr, &limit) == 0 || errno != EACCES)
                              return 3;
                            if (::prlimit(0, RLIMIT_CPU, nullptr, &limit) != 0) return 4;
                            return ::kill(::getpid(), 0) == 0 ? 0 : 5;
                          }),
        0);
  // An abort sends a signal to the process itself, which must be permitted.
  const pid_t child = ::fork();
  if (child == 0) {
    static_cast<void>(confine(Confinement::kComputing, ""));
    std::abort();
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT) << status;
}

TEST_F(ConfineTest, NoWorkerStartsAProgram) {
  for (const Confinement kind : {Confinement::kDevice, Confinement::kComputing})
    EXPECT_EQ(in_confined_child(kind, [] { return error_of(::execl("/bin/true", "true", nullptr)); }),
              EACCES);
}

// CUDA's driver names its threads in this way.
TEST_F(ConfineTest, ADriverNamesItsThreads) {
  EXPECT_EQ(in_confined_child(Confinement::kDevice,
                              [] {
                                const std::string name =
                                    "/proc/self/task/" + std::to_string(::gettid()) + "/comm";
                                return errno_of_open(name, O_WRONLY | O_CREAT | O_TRUNC);
                              }),
            0);
}

TEST_F(ConfineTest, NoWorkerLooksIntoAProcess) {
  for (const Confinement kind : {Confinement::kDevice, Confinement::kComputing}) {
    EXPECT_EQ(in_confined_child(kind,
                                [] {
                                  char byte = 0;
                                  iovec here{&byte, 1}, there{&byte, 1};
                                  return ::process_vm_readv(::getpid(), &here, 1, &there, 1, 0) == 1 ? 0
                                                                                                     : errno;
                                }),
              EACCES);
    EXPECT_EQ(in_confined_child(kind,
                                [] {
                                  const std::string memory = "/proc/" + std::to_string(::getppid()) + "/mem";
                                  return errno_of_open(memory, O_RDWR);
                                }),
              EACCES);
#if !defined(__SANITIZE_ADDRESS__)  // LeakSanitizer needs the call.
    EXPECT_EQ(
        in_confined_child(kind, [] { return error_of(int(::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr))); }),
        EACCES);
#endif
  }
}

// Returns a set of capabilities of this process, such as "CapEff".
uint64_t capabilities(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == name + ":") return status >> word, std::stoull(word, nullptr, 16);
  return ~uint64_t(0);
}

TEST_F(ConfineTest, LittleIsLeftOfWhatRootMay) {
  const uint64_t before = capabilities("CapEff");
  const bool may_bound = (before >> CAP_SETPCAP & 1) != 0;
  const auto check = [&](uint64_t most) {
    if (capabilities("CapEff") != (before & most)) return 1;
    if ((capabilities("CapPrm") & ~most) != 0) return 2;
    if (may_bound && (capabilities("CapBnd") & ~most) != 0) return 3;
    if (capabilities("CapInh") != 0 || capabilities("CapAmb") != 0) return 4;
    return 0;
  };
  EXPECT_EQ(in_confined_child(Confinement::kComputing, [&] { return check(0); }), 0);
  EXPECT_EQ(in_confined_child(Confinement::kDevice, [&] { return check(uint64_t(1) << CAP_IPC_LOCK); }), 0);
  EXPECT_EQ(in_child([&] {
              static_cast<void>(confine_folder_process());
              return check(uint64_t(1) << CAP_DAC_OVERRIDE);
            }),
            0);
}

}  // namespace
}  // namespace weft::worker
