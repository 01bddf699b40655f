// SPDX-License-Identifier: Apache-2.0
// Sums the work of jobs by day, owner, kind and outcome, in a table of the store. A job is added in
// the commit of its end. Its sums stay when the job is forgotten.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "server/queue/records/record.h"
#include "server/queue/store/sqlite.h"
#include "weft/v1/statistics_service.pb.h"

namespace weft::queue {

inline constexpr int kDaysKept = 3 * 366;       // older totals are removed
inline constexpr int kDaysByDefault = 30;       // days of a request that sets none
inline constexpr size_t kMostNames = 1000;      // owners or kinds in an answer
inline constexpr size_t kLongestExample = 300;  // bytes of an error's message

// The sums added by the end of one job, or subtracted by its retry.
struct Total {
  int day = 0;  // days since 1970-01-01 in this machine's time zone
  std::string owner;
  std::string kind;
  v1::JobState state{};
  std::string reason;   // "data-loss"; empty without an error
  std::string example;  // message of the error
  int64_t jobs = 0, units = 0, gpu_ns = 0;
};

int day_of(WallTime time);
// Returns the sums of a job that has ended.
Total total_of(const v1::Job& job);
// Returns the sums that a change of a job adds to the totals. `before` is null for a new job. A
// retry that resumes from finished work is subtracted, since its end reports that work again.
std::vector<Total> totals_of(const JobRecord* before, const JobRecord& after);

// Writes totals and removes old ones. Its statements are prepared on the store's connection and run
// in the store's transactions.
class TotalsTable {
 public:
  Status prepare(Database& db);
  Status add(const std::vector<Total>& totals);

 private:
  Statement put_;
  Statement trim_;
};

// Reads totals on a separate connection. Any thread may call it. INVALID_ARGUMENT: a day is
// invalid, the first day is after the last, or there are more than kDaysKept days.
StatusOr<v1::GetStatisticsResponse> read_statistics(const std::string& state_folder,
                                                    const v1::GetStatisticsRequest& request, WallTime now);

}  // namespace weft::queue
