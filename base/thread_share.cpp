// SPDX-License-Identifier: Apache-2.0
#include "base/thread_share.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <set>

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

namespace weft {
namespace {

constexpr int kHighestNice = 19;

std::optional<int> number_of(std::string_view text) {
  int number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0 || number > kMostProcessor)
    return std::nullopt;
  return number;
}

}  // namespace

// In Linux, getpriority() and setpriority() act on single threads: 0 is the calling thread, and the
// id of the process is that of its first thread.
void raise_nice(int levels) {
  const int base = ::getpriority(PRIO_PROCESS, id_t(::getpid()));
  const int wanted = std::min(base + levels, kHighestNice);
  if (::getpriority(PRIO_PROCESS, 0) < wanted) ::setpriority(PRIO_PROCESS, 0, wanted);
}

StatusOr<std::vector<int>> parse_processors(std::string_view text) {
  std::set<int> processors;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view item = rest.substr(0, rest.find(','));
    const size_t dash = item.find('-');
    const std::optional<int> first = number_of(item.substr(0, dash));
    const std::optional<int> last = dash == std::string_view::npos ? first : number_of(item.substr(dash + 1));
    const bool ends_with_comma = item.size() + 1 == rest.size();
    if (!first || !last || *first > *last || ends_with_comma)
      return invalid_argument(
          "The list of processors is not understood ('{}'); use numbers and ranges from 0 to {}, such as "
          "0-3,8.",
          text, kMostProcessor);
    for (int processor = *first; processor <= *last; processor++) processors.insert(processor);
    rest.remove_prefix(std::min(item.size() + 1, rest.size()));
  }
  return std::vector<int>(processors.begin(), processors.end());
}

Status keep_to_processors(const std::vector<int>& processors) {
  if (processors.empty()) return ok_status();
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int processor : processors) CPU_SET(size_t(processor), &set);
  if (::sched_setaffinity(0, sizeof(set), &set) == 0) return ok_status();
  return failed_precondition(
      "The threads of jobs cannot be kept to the processors of cpu_affinity ({}), so they use all; correct "
      "the list.",
      std::strerror(errno));
}

}  // namespace weft
