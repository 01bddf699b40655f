// SPDX-License-Identifier: Apache-2.0
// What jobs took, added up by day, owner, kind and how they ended, in a table of the store: written in the commit in which a
// job ends, and kept when the job is forgotten.
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

inline constexpr int kDaysKept = 3 * 366;       // older totals go
inline constexpr int kDaysByDefault = 30;       // of a request that does not say
inline constexpr size_t kMostNames = 1000;      // of owners or kinds in an answer
inline constexpr size_t kLongestExample = 300;  // bytes of an error's message

// What one end of a job adds, or its retry takes back.
struct Total {
  int day = 0;  // days since 1970-01-01, by the calendar of this machine's time zone
  std::string owner;
  std::string kind;
  v1::JobState state{};
  std::string reason;   // "data-loss"; empty where nothing failed
  std::string example;  // the error's message
  int64_t jobs = 0, units = 0, gpu_ns = 0;
};

int day_of(WallTime time);
// Of a job that has ended.
Total total_of(const v1::Job& job);
// What a change of a job adds to the totals; null `before`: it is new. A retry that goes on from what was finished reports that
// again when it ends, so that it is taken back.
std::vector<Total> totals_of(const JobRecord* before, const JobRecord& after);

// Writes totals; also removes what is too old. To be prepared on the store's connection, and run in its transactions.
class TotalsTable {
 public:
  Status prepare(Database& db);
  Status add(const std::vector<Total>& totals);

 private:
  Statement put_;
  Statement trim_;
};

// Reads them, on a connection of its own: from any thread. INVALID_ARGUMENT: a day that is none, the first behind the last, more
// than kDaysKept.
StatusOr<v1::GetStatisticsResponse> read_statistics(const std::string& state_folder,
                                                    const v1::GetStatisticsRequest& request, WallTime now);

}  // namespace weft::queue
