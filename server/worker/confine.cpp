// SPDX-License-Identifier: Apache-2.0
#include "server/worker/confine.h"

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

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

// Classic BPF over seccomp_data. Only Unix and netlink sockets (drivers ask the kernel with the latter).
std::vector<sock_filter> filter_for(Confinement kind) {
  std::vector<sock_filter> filter = {
      load(offsetof(seccomp_data, arch)), jump(BPF_JEQ, kArchitecture, 1, 0), refuse(),
      load(offsetof(seccomp_data, nr)),   jump(BPF_JGE, kX32Bit, 0, 1),       refuse(),
  };
  std::vector<long> refused = {SYS_io_uring_setup};  // would open sockets past the filter
  if (kind == Confinement::kComputing) {
    refused.insert(refused.end(), {SYS_execve, SYS_execveat, SYS_process_vm_readv, SYS_process_vm_writev});
#if !defined(__SANITIZE_ADDRESS__)  // LeakSanitizer stops the process's other threads with it
    refused.push_back(SYS_ptrace);
#endif
  }
  for (const long call : refused) {
    filter.push_back(jump(BPF_JEQ, uint32_t(call), 0, 1));
    filter.push_back(refuse());
  }
  filter.push_back(jump(BPF_JEQ, SYS_socket, 1, 0));
  filter.push_back(allow());
  filter.push_back(load(offsetof(seccomp_data, args)));  // the low half: both processors are little-endian
  filter.push_back(jump(BPF_JEQ, AF_UNIX, 1, 0));
  filter.push_back(jump(BPF_JEQ, AF_NETLINK, 0, 1));
  filter.push_back(allow());
  filter.push_back(refuse());
  return filter;
}

uint64_t kept_capabilities(Confinement kind) {
  const uint64_t files = uint64_t(1) << CAP_DAC_OVERRIDE;
  return kind == Confinement::kDevice ? files | uint64_t(1) << CAP_IPC_LOCK : files;
}

// Only root has any.
Status drop_capabilities(uint64_t kept) {
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  // What no program that is started could have again; refused to whoever may not, and has none to lose.
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

}  // namespace

Status confine(Confinement kind) {
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return unavailable("The worker cannot tie itself to its daemon: {}.", std::strerror(errno));
  RETURN_IF_ERROR(drop_capabilities(kept_capabilities(kind)));
  if (kArchitecture == 0) return unimplemented("There is no seccomp filter for this processor.");
  std::vector<sock_filter> filter = filter_for(kind);
  const sock_fprog program{uint16_t(filter.size()), filter.data()};
  if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    return unavailable("The kernel takes no seccomp filter: {}.", std::strerror(errno));
  return ok_status();
}

}  // namespace weft::worker
