// SPDX-License-Identifier: Apache-2.0
#include "server/process.h"

#include <algorithm>
#include <csignal>
#include <string>
#include <string_view>

#include <google/protobuf/stubs/logging.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sysexits.h>
#include <unistd.h>

#include "base/log.h"

namespace weft {
namespace {

constexpr rlim_t kMostDescriptors = 1 << 20;  // used if the hard limit is "unlimited"
// Linux's default, used if the kernel reports no limit
constexpr int kFewestDescriptors = 1024;

void log_of_protobuf(google::protobuf::LogLevel level, const char* file, int line, const std::string& text) {
  const std::string_view name(file);
  const std::string sentence =
      fmt::format("Protobuf ({}:{}): {}", name.substr(name.rfind('/') + 1), line, text);
  if (level == google::protobuf::LOGLEVEL_INFO)
    log_info("{}", sentence);
  else
    log_warning("{}", sentence);
}

}  // namespace

bool tie_to_parent() {
  const pid_t parent = ::getppid();
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  return parent != 1 && ::getppid() == parent;
}

int raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return kFewestDescriptors;
  const rlim_t before = limit.rlim_cur;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, kMostDescriptors);
  if (limit.rlim_cur > before && ::setrlimit(RLIMIT_NOFILE, &limit) == 0) return int(limit.rlim_cur);
  return int(std::min<rlim_t>(before, kMostDescriptors));
}

void log_words_of_protobuf() { google::protobuf::SetLogHandler(log_of_protobuf); }

int exit_code(const Status& status) {
  switch (status.code()) {
    case StatusCode::kOk:
      return EX_OK;
    case StatusCode::kInvalidArgument:
    case StatusCode::kFailedPrecondition:
      return EX_CONFIG;
    case StatusCode::kAborted:
      return EX_TEMPFAIL;
    case StatusCode::kPermissionDenied:
      return EX_NOPERM;
    case StatusCode::kUnavailable:
    case StatusCode::kDeadlineExceeded:
      return EX_UNAVAILABLE;
    case StatusCode::kDataLoss:
      return EX_IOERR;
    case StatusCode::kNotFound:
    case StatusCode::kResourceExhausted:
      return EX_CANTCREAT;
    default:
      return EX_SOFTWARE;
  }
}

}  // namespace weft
