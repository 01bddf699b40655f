// SPDX-License-Identifier: Apache-2.0
// Each case runs in a child, since a confinement is for ever.
#include "server/worker/confine.h"

#include <cerrno>
#include <cstdint>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

namespace weft::worker {
namespace {

constexpr int kNoFilter = 77;

// The exit code of a child that confines itself and then calls `then`.
int in_confined_child(Confinement kind, const std::function<int()>& then) {
  const pid_t child = ::fork();
  if (child == 0) {
    const Status confined = confine(kind);
    if (!confined.ok()) ::_exit(kNoFilter);
    ::_exit(then());
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int errno_of_socket(int domain) { return ::socket(domain, SOCK_STREAM, 0) >= 0 ? 0 : errno; }

class ConfineTest : public testing::Test {
 protected:
  void SetUp() override {
    if (in_confined_child(Confinement::kComputing, [] { return 0; }) == kNoFilter)
      GTEST_SKIP() << "the kernel takes no seccomp filter here";
  }
};

TEST_F(ConfineTest, NoNetworkForAnyWorker) {
  for (const Confinement kind : {Confinement::kDevice, Confinement::kComputing})
    for (const int domain : {AF_INET, AF_INET6, AF_PACKET})
      EXPECT_EQ(in_confined_child(kind, [&] { return errno_of_socket(domain); }), EACCES);
}

TEST_F(ConfineTest, UnixSocketsAndThreadsWork) {
  EXPECT_EQ(in_confined_child(Confinement::kComputing,
                              [] {
                                int in_thread = -1;
                                std::thread([&] { in_thread = errno_of_socket(AF_UNIX); }).join();
                                return in_thread;
                              }),
            0);
}

TEST_F(ConfineTest, ThreadsThatStartLaterAreConfinedToo) {
  EXPECT_EQ(in_confined_child(Confinement::kComputing,
                              [] {
                                int in_thread = -1;
                                std::thread([&] { in_thread = errno_of_socket(AF_INET); }).join();
                                return in_thread;
                              }),
            EACCES);
}

TEST_F(ConfineTest, AComputingWorkerStartsNoProgramAndLooksIntoNoProcess) {
  EXPECT_EQ(in_confined_child(Confinement::kComputing,
                              [] {
                                ::execl("/bin/true", "true", nullptr);
                                return errno;
                              }),
            EACCES);
  EXPECT_EQ(in_confined_child(Confinement::kComputing,
                              [] {
                                char byte = 0;
                                iovec here{&byte, 1}, there{&byte, 1};
                                return ::process_vm_readv(::getpid(), &here, 1, &there, 1, 0) == 1 ? 0
                                                                                                   : errno;
                              }),
            EACCES);
#if !defined(__SANITIZE_ADDRESS__)  // LeakSanitizer needs it
  EXPECT_EQ(in_confined_child(Confinement::kComputing,
                              [] { return ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0 ? 0 : errno; }),
            EACCES);
#endif
}

// A set of capabilities of this process, such as "CapEff".
uint64_t capabilities(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == name + ":") return status >> word, std::stoull(word, nullptr, 16);
  return ~uint64_t(0);
}

TEST_F(ConfineTest, LittleIsLeftOfWhatRootMay) {
  const uint64_t files = uint64_t(1) << CAP_DAC_OVERRIDE, memory = uint64_t(1) << CAP_IPC_LOCK;
  const uint64_t before = capabilities("CapEff");
  const bool may_bound = (before >> CAP_SETPCAP & 1) != 0;
  for (const auto& [kind, kept] :
       {std::pair{Confinement::kDevice, files | memory}, std::pair{Confinement::kComputing, files}})
    EXPECT_EQ(in_confined_child(kind,
                                [&, most = kept] {
                                  if (capabilities("CapEff") != (before & most)) return 1;
                                  if ((capabilities("CapPrm") & ~most) != 0) return 2;
                                  if (may_bound && (capabilities("CapBnd") & ~most) != 0) return 3;
                                  if (capabilities("CapInh") != 0 || capabilities("CapAmb") != 0) return 4;
                                  return 0;
                                }),
              0);
}

}  // namespace
}  // namespace weft::worker
