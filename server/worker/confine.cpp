// SPDX-License-Identifier: Apache-2.0
#include "server/worker/confine.h"

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/status.h"
#include "server/worker/landlock.h"

namespace weft::worker {
namespace {

#if defined(__x86_64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr uint32_t kArchitecture = 0;
#endif

// System calls of the 32-bit ABI on x86-64 carry this bit and other numbers.
constexpr uint32_t kX32Bit = 0x40000000;

sock_filter statement(int code, uint32_t value) { return {uint16_t(code), 0, 0, value}; }
// Skips `if_true` or `if_false` instructions.
sock_filter jump(int test, uint32_t value, int if_true, int if_false) {
  return {uint16_t(BPF_JMP | test | BPF_K), uint8_t(if_true), uint8_t(if_false), value};
}
sock_filter load(size_t offset) { return statement(BPF_LD | BPF_W | BPF_ABS, uint32_t(offset)); }
sock_filter allow() { return statement(BPF_RET | BPF_K, SECCOMP_RET_ALLOW); }
sock_filter refuse() { return statement(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES); }

// Processes with different filters.
enum class Confined { kDevice, kComputing, kFolderProcess };

// Returns the system calls that no confined process needs. Those on files by path are the calls
// that Landlock does not cover.
std::vector<long> refused_calls() {
  constexpr long kFchmodAt2 = 452;  // newer than Debian 12's headers
  std::vector<long> calls = {SYS_execve, SYS_execveat,
                             SYS_io_uring_setup,  // could open sockets despite the filter
                             SYS_connect,
                             // a datagram socket could be connected to another address
                             SYS_socketpair, SYS_process_vm_readv, SYS_process_vm_writev, SYS_pidfd_getfd,
                             SYS_pidfd_send_signal, SYS_tkill, SYS_bpf, SYS_perf_event_open, SYS_userfaultfd,
                             SYS_keyctl, SYS_add_key, SYS_request_key, SYS_setns, SYS_unshare, SYS_mount,
                             SYS_truncate, SYS_fchmodat, kFchmodAt2, SYS_fchownat, SYS_utimensat,
                             SYS_setxattr, SYS_lsetxattr, SYS_removexattr, SYS_lremovexattr};
#if defined(__x86_64__)
  calls.insert(calls.end(), {SYS_chmod, SYS_chown, SYS_lchown, SYS_utime, SYS_utimes, SYS_futimesat});
#endif
// LeakSanitizer stops the other threads of the process with ptrace
#if !defined(__SANITIZE_ADDRESS__)
  calls.push_back(SYS_ptrace);
#endif
  return calls;
}

// System calls with a process id as the first argument. Only the id of this process is permitted,
// or 0 if 0 means this process.
struct ProcessCall {
  long call;
  bool zero_is_self;
};
constexpr ProcessCall kProcessCalls[] = {{SYS_kill, false},
                                         {SYS_tgkill, false},
                                         {SYS_rt_sigqueueinfo, false},
                                         {SYS_rt_tgsigqueueinfo, false},
                                         {SYS_prlimit64, true}};

// Offsets of the low halves of the arguments, since both processor architectures are little-endian.
constexpr size_t kFirstArgument = offsetof(seccomp_data, args);
constexpr size_t kSecondArgument = kFirstArgument + sizeof(uint64_t);
constexpr uint32_t kSocketTypes = 0xf;  // mask of the socket type without flags

// Returns the filter in classic BPF over seccomp_data.
std::vector<sock_filter> filter_for(Confined kind) {
  std::vector<sock_filter> filter = {
      load(offsetof(seccomp_data, arch)), jump(BPF_JEQ, kArchitecture, 1, 0), refuse(),
      load(offsetof(seccomp_data, nr)),   jump(BPF_JGE, kX32Bit, 0, 1),       refuse(),
  };
  const auto add = [&filter](std::initializer_list<sock_filter> more) { filter.insert(filter.end(), more); };
  for (const long call : refused_calls()) add({jump(BPF_JEQ, uint32_t(call), 0, 1), refuse()});
  const auto self = uint32_t(::getpid());
  for (const ProcessCall& each : kProcessCalls)
    add({jump(BPF_JEQ, uint32_t(each.call), 0, 5), load(kFirstArgument), jump(BPF_JEQ, self, 2, 0),
         jump(BPF_JEQ, each.zero_is_self ? 0 : self, 1, 0), refuse(), allow()});
  add({jump(BPF_JEQ, SYS_socket, 1, 0), allow()});
  // Drivers query the kernel over netlink. CUDA's driver opens a Unix socket to find out whether
  // MPS runs, and hangs if it gets none. The socket cannot be connected, since connect() is
  // refused.
  if (kind == Confined::kDevice)
    add({load(kFirstArgument), jump(BPF_JEQ, AF_NETLINK, 0, 1), allow(), jump(BPF_JEQ, AF_UNIX, 1, 0),
         refuse(), load(kSecondArgument), statement(BPF_ALU | BPF_AND | BPF_K, kSocketTypes),
         jump(BPF_JEQ, SOCK_SEQPACKET, 0, 1), allow()});
  add({refuse()});
  return filter;
}

uint64_t kept_capabilities(Confined kind) {
  switch (kind) {
    case Confined::kDevice:
      return uint64_t(1) << CAP_IPC_LOCK;
    case Confined::kFolderProcess:
      return uint64_t(1) << CAP_DAC_OVERRIDE;
    case Confined::kComputing:
      break;
  }
  return 0;
}

// Drops all capabilities except `kept`. Only a process of root has any.
Status drop_capabilities(uint64_t kept) {
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  // The bounding set limits the capabilities that a started program can gain. The call fails in a
  // process without CAP_SETPCAP, which has no capabilities to lose.
  for (int capability = 0; ::prctl(PR_CAPBSET_READ, capability) >= 0; capability++)
    if ((kept >> capability & 1) == 0) ::prctl(PR_CAPBSET_DROP, capability);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct halves[_LINUX_CAPABILITY_U32S_3] = {};
  if (::syscall(SYS_capget, &header, halves) != 0)
    return unavailable("The kernel does not tell the worker's capabilities: {}.", std::strerror(errno));
  for (__user_cap_data_struct& half : halves) {
    half.permitted &= uint32_t(kept);
    half.effective = half.permitted;
    half.inheritable = 0;
    kept >>= 32;
  }
  if (::syscall(SYS_capset, &header, halves) != 0)
    return unavailable("The worker cannot drop its capabilities: {}.", std::strerror(errno));
  return ok_status();
}

Status drop_privileges(Confined kind) {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return unavailable("The worker cannot renounce new privileges: {}.", std::strerror(errno));
  RETURN_IF_ERROR(drop_capabilities(kept_capabilities(kind)));
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
    return unavailable("The worker cannot tie itself to its daemon: {}.", std::strerror(errno));
  return ok_status();
}

Status filter_calls(Confined kind) {
  if (kArchitecture == 0)
    return unimplemented(
        "There is no seccomp filter for this processor: the worker may use the network and send signals.");
  std::vector<sock_filter> filter = filter_for(kind);
  const sock_fprog program{uint16_t(filter.size()), filter.data()};
  if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    return unavailable(
        "The kernel takes no seccomp filter ({}): the worker may use the network and send signals.",
        std::strerror(errno));
  return ok_status();
}

void note(const Status& status, std::vector<std::string>& lacking) {
  if (!status.ok()) lacking.push_back(message_of(status));
}

}  // namespace

std::vector<std::string> confine(Confinement kind, const std::string& cache_folder,
                                 const std::string& scratch_folder) {
  const Confined confined = kind == Confinement::kDevice ? Confined::kDevice : Confined::kComputing;
  std::vector<std::string> lacking;
  note(drop_privileges(confined), lacking);
  AllowedPaths paths = paths_of_worker(kind == Confinement::kDevice, cache_folder);
  if (!scratch_folder.empty()) paths.make.push_back(scratch_folder);
  note(allow_only(paths), lacking);
  note(filter_calls(confined), lacking);
  return lacking;
}

std::vector<std::string> confine_folder_process() {
  std::vector<std::string> lacking;
  note(drop_privileges(Confined::kFolderProcess), lacking);
  if (::prctl(PR_SET_DUMPABLE, 0) != 0)
    lacking.emplace_back("Other processes may look into the one that opens files.");
  note(filter_calls(Confined::kFolderProcess), lacking);
  return lacking;
}

}  // namespace weft::worker
