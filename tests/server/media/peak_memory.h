// SPDX-License-Identifier: Apache-2.0
// Measures a function's peak memory.
#pragma once

#include <functional>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace weft::media {

// Returns the growth of peak memory during `work`, in KiB. `work` runs in a process of its own, as
// the peak of a process never falls. The test fails if `work` returns false.
inline long peak_growth_kib(const std::function<bool()>& work) {
  const auto peak = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
  };
  int ends[2];
  if (pipe(ends) != 0) return ADD_FAILURE() << "no pipe", 0;
  const pid_t child = fork();
  if (child == 0) {
    const long before = peak();
    const bool is_ok = work();
    const long growth = peak() - before;
    const bool is_told = write(ends[1], &growth, sizeof(growth)) == ssize_t(sizeof(growth));
    _exit(is_ok && is_told ? 0 : 1);
  }
  close(ends[1]);
  long growth = 0;
  EXPECT_EQ(read(ends[0], &growth, sizeof(growth)), ssize_t(sizeof(growth)));
  close(ends[0]);
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "the work failed";
  return growth;
}

}  // namespace weft::media
