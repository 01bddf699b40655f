// SPDX-License-Identifier: Apache-2.0
#include "server/worker/memory_limit.h"

#include <cerrno>
#include <cstring>
#include <new>
#include <string>

#include <fcntl.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include "server/channel/file_descriptor.h"
#include "server/channel/worker_exit.h"

namespace weft::worker {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kHasShadowMemory = true;
#else
constexpr bool kHasShadowMemory = false;
#endif

Status end_first_without_memory() {
  const std::string score = std::to_string(kOutOfMemoryScore);
  const channel::FileDescriptor file(::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC));
  if (!file.is_open() || ::write(file.get(), score.data(), score.size()) != ssize_t(score.size()))
    return unavailable("The kernel does not take the worker's score for want of memory ({}): {}.", score,
                       std::strerror(errno));
  return ok_status();
}

Status limit_memory(int64_t bytes) {
  if (kHasShadowMemory) return unimplemented("A sanitizer needs the address space; there is no limit on it.");
  // Each malloc arena reserves 64 MiB of address space; by default there are up to eight per
  // processor.
  constexpr int kArenas = 4;
  ::mallopt(M_ARENA_MAX, kArenas);
  const rlimit limit{rlim_t(bytes), rlim_t(bytes)};
  if (::setrlimit(RLIMIT_AS, &limit) != 0)
    return unavailable("The kernel does not limit the process's memory ({} bytes): {}.", bytes,
                       std::strerror(errno));
  std::set_new_handler([] { ::_exit(channel::kExitOutOfMemory); });
  return ok_status();
}

}  // namespace weft::worker
