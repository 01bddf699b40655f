// SPDX-License-Identifier: Apache-2.0
#include "server/queue/store/totals.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <ctime>
#include <map>

#include <google/protobuf/util/time_util.h>

#include "options/job_kinds.h"
#include "server/queue/records/proto_time.h"

namespace weft::queue {
namespace {

using google::protobuf::util::TimeUtil;
using Day = std::chrono::sys_days;

std::string text_of(int day) {
  const std::chrono::year_month_day date{Day{std::chrono::days(day)}};
  return fmt::format("{:04}-{:02}-{:02}", int(date.year()), unsigned(date.month()), unsigned(date.day()));
}

StatusOr<int> parse_day(std::string_view text) {
  int parts[3] = {};
  const bool has_shape = text.size() == 10 && text[4] == '-' && text[7] == '-';
  const std::string_view fields[] = {text.substr(0, 4), has_shape ? text.substr(5, 2) : "",
                                     has_shape ? text.substr(8, 2) : ""};
  bool ok = has_shape;
  for (int i = 0; ok && i < 3; i++) {
    const char* end = fields[i].data() + fields[i].size();
    const auto read = std::from_chars(fields[i].data(), end, parts[i]);
    ok = read.ec == std::errc() && read.ptr == end && parts[i] > 0;
  }
  const std::chrono::year_month_day date{std::chrono::year(parts[0]), std::chrono::month(unsigned(parts[1])),
                                         std::chrono::day(unsigned(parts[2]))};
  if (!ok || !date.ok()) return invalid_argument("The day ({}) is none; write it as 2026-11-22.", text);
  return int(Day{date}.time_since_epoch().count());
}

struct Range {
  int first = 0, last = 0;
};

StatusOr<Range> range_of(const v1::GetStatisticsRequest& request, WallTime now) {
  Range range;
  range.last = day_of(now);
  if (!request.last_day().empty()) {
    ASSIGN_OR_RETURN(range.last, parse_day(request.last_day()));
  }
  if (request.days() < 0 || request.days() > kDaysKept)
    return invalid_argument("The number of days ({}) is not between 0 and {}, which is what is kept.",
                            request.days(), kDaysKept);
  if (request.days() > 0 && !request.first_day().empty())
    return invalid_argument("Give a first day ({}) or a number of days ({}), not both.", request.first_day(),
                            request.days());
  range.first = range.last - (request.days() == 0 ? kDaysByDefault : request.days()) + 1;
  if (!request.first_day().empty()) {
    ASSIGN_OR_RETURN(range.first, parse_day(request.first_day()));
  }
  if (range.first > range.last)
    return invalid_argument("The first day ({}) lies behind the last ({}).", text_of(range.first),
                            text_of(range.last));
  if (range.last - range.first >= kDaysKept)
    return invalid_argument("The range from {} to {} is too long; totals are kept for {} days.",
                            text_of(range.first), text_of(range.last), kDaysKept);
  return range;
}

void add(v1::JobTotals& totals, v1::JobState state, int64_t jobs, int64_t units, int64_t gpu_ns) {
  if (state == v1::JOB_STATE_SUCCEEDED) totals.set_succeeded(totals.succeeded() + jobs);
  if (state == v1::JOB_STATE_FAILED) totals.set_failed(totals.failed() + jobs);
  if (state == v1::JOB_STATE_CANCELLED) totals.set_cancelled(totals.cancelled() + jobs);
  totals.set_units(totals.units() + units);
  *totals.mutable_gpu_time() =
      TimeUtil::NanosecondsToDuration(TimeUtil::DurationToNanoseconds(totals.gpu_time()) + gpu_ns);
}

// Returns the totals grouped by a column.
StatusOr<std::map<std::string, v1::JobTotals>> read_by(Database& db, std::string_view column,
                                                       const Range& range) {
  ASSIGN_OR_RETURN(Statement select,
                   db.prepare(fmt::format("SELECT {0}, state, sum(jobs), sum(units), sum(gpu_ns) FROM totals "
                                          "WHERE day BETWEEN ? AND ? GROUP BY {0}, state",
                                          column)));
  select.bind(1, int64_t(range.first)).bind(2, int64_t(range.last));
  std::map<std::string, v1::JobTotals> totals;
  while (true) {
    ASSIGN_OR_RETURN(const bool row, select.step());
    if (!row) return totals;
    add(totals[select.text(0)], v1::JobState(select.integer(1)), select.integer(2), select.integer(3),
        select.integer(4));
  }
}

Status read_names(Database& db, std::string_view column, const Range& range,
                  google::protobuf::RepeatedPtrField<v1::NamedTotals>& names) {
  ASSIGN_OR_RETURN(const auto totals, read_by(db, column, range));
  for (const auto& [name, each] : totals) {
    v1::NamedTotals& message = *names.Add();
    message.set_name(name);
    *message.mutable_totals() = each;
  }
  const auto gpu_time = [](const v1::NamedTotals& each) {
    return TimeUtil::DurationToNanoseconds(each.totals().gpu_time());
  };
  std::stable_sort(names.begin(), names.end(), [&](const v1::NamedTotals& a, const v1::NamedTotals& b) {
    return gpu_time(a) > gpu_time(b);
  });
  if (size_t(names.size()) > kMostNames)
    names.DeleteSubrange(int(kMostNames), names.size() - int(kMostNames));
  return ok_status();
}

// With max(), SQLite returns the other columns from the row with the maximum.
Status read_failures(Database& db, const Range& range, v1::GetStatisticsResponse& response) {
  ASSIGN_OR_RETURN(Statement select,
                   db.prepare("SELECT reason, sum(jobs), example, max(day) FROM totals WHERE day "
                              "BETWEEN ? AND ? AND state = ? GROUP BY reason ORDER BY 2 DESC, 1"));
  select.bind(1, int64_t(range.first)).bind(2, int64_t(range.last)).bind(3, int64_t(v1::JOB_STATE_FAILED));
  while (true) {
    ASSIGN_OR_RETURN(const bool row, select.step());
    if (!row) return ok_status();
    v1::FailureTotals& failure = *response.add_failures();
    failure.set_reason(select.text(0));
    failure.set_jobs(select.integer(1));
    failure.set_newest_message(select.text(2));
  }
}

// Cuts at the beginning of a UTF-8 character.
std::string cut(std::string text) {
  if (text.size() <= kLongestExample) return text;
  size_t end = kLongestExample;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) end--;
  text.resize(end);
  return text;
}

}  // namespace

int day_of(WallTime time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(
      std::chrono::time_point_cast<std::chrono::system_clock::duration>(time));
  std::tm parts{};
  localtime_r(&seconds, &parts);
  const std::chrono::year_month_day date{std::chrono::year(parts.tm_year + 1900),
                                         std::chrono::month(unsigned(parts.tm_mon) + 1),
                                         std::chrono::day(unsigned(parts.tm_mday))};
  return int(Day{date}.time_since_epoch().count());
}

Total total_of(const v1::Job& job) {
  Total total;
  total.day = day_of(end_of(job));
  total.owner = job.settings().owner();
  total.kind = options::kind_name(job.spec());
  total.state = job.state();
  if (job.state() == v1::JOB_STATE_FAILED) {
    total.reason = with_dashes(absl::StatusCodeToString(absl::StatusCode(job.error().code())));
    total.example = cut(job.error().message());
  }
  total.jobs = 1;
  total.units = job.result().units_in();
  total.gpu_ns = TimeUtil::DurationToNanoseconds(job.result().gpu_time());
  return total;
}

std::vector<Total> totals_of(const JobRecord* before, const JobRecord& after) {
  const bool had_ended = before != nullptr && is_final(before->job.state());
  const bool has_ended = is_final(after.job.state());
  if (!had_ended && has_ended) return {total_of(after.job)};
  if (!had_ended || has_ended || !before->keeps_work) return {};
  Total back = total_of(before->job);
  back.jobs = 0;
  back.units = -back.units;
  back.gpu_ns = -back.gpu_ns;
  return {back};
}

Status TotalsTable::prepare(Database& db) {
  ASSIGN_OR_RETURN(
      put_, db.prepare("INSERT INTO totals (day, owner, kind, state, reason, example, jobs, units, gpu_ns) "
                       "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) "
                       "ON CONFLICT (day, owner, kind, state, reason) DO UPDATE SET "
                       "example = excluded.example, jobs = jobs + excluded.jobs, "
                       "units = units + excluded.units, gpu_ns = gpu_ns + excluded.gpu_ns"));
  ASSIGN_OR_RETURN(trim_, db.prepare("DELETE FROM totals WHERE day < ?"));
  return ok_status();
}

Status TotalsTable::add(const std::vector<Total>& totals) {
  int newest = 0;
  for (const Total& total : totals) {
    put_.bind(1, int64_t(total.day)).bind(2, total.owner).bind(3, total.kind).bind(4, int64_t(total.state));
    put_.bind(5, total.reason).bind(6, total.example).bind(7, total.jobs).bind(8, total.units);
    RETURN_IF_ERROR(put_.bind(9, total.gpu_ns).run());
    newest = std::max(newest, total.day);
  }
  return totals.empty() ? ok_status() : trim_.bind(1, int64_t(newest - kDaysKept)).run();
}

StatusOr<v1::GetStatisticsResponse> read_statistics(const std::string& state_folder,
                                                    const v1::GetStatisticsRequest& request, WallTime now) {
  ASSIGN_OR_RETURN(const Range range, range_of(request, now));
  ASSIGN_OR_RETURN(Database db, Database::open(state_folder + "/jobs.db"));
  v1::GetStatisticsResponse response;
  // All queries below read the same state of the table.
  RETURN_IF_ERROR(db.execute("BEGIN"));
  ASSIGN_OR_RETURN(const auto days, read_by(db, "day", range));
  for (int day = range.first; day <= range.last; day++) {
    v1::DayTotals& message = *response.add_days();
    message.set_day(text_of(day));
    if (const auto found = days.find(std::to_string(day)); found != days.end())
      *message.mutable_totals() = found->second;
  }
  ASSIGN_OR_RETURN(const auto all, read_by(db, "''", range));
  if (!all.empty()) *response.mutable_total() = all.begin()->second;
  RETURN_IF_ERROR(read_names(db, "owner", range, *response.mutable_owners()));
  RETURN_IF_ERROR(read_names(db, "kind", range, *response.mutable_kinds()));
  RETURN_IF_ERROR(read_failures(db, range, response));
  RETURN_IF_ERROR(db.execute("COMMIT"));
  return response;
}

}  // namespace weft::queue
