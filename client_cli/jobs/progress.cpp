// SPDX-License-Identifier: Apache-2.0
#include "client_cli/jobs/progress.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "client/jobs.h"
#include "client_cli/output/text.h"
#include "options/job_kinds.h"
#include "options/option.h"

namespace weft::cli {
namespace {

constexpr Duration kRedraw = std::chrono::milliseconds(100);
constexpr const char* kStarting = "starting";

// "unit" for jobs with different units.
std::string common_unit(const std::map<std::string, v1::Job>& jobs) {
  std::string common;
  for (const auto& [id, job] : jobs) {
    const std::string unit = options::unit_of(job.spec());
    if (!common.empty() && unit != common) return "unit";
    common = unit;
  }
  return common;
}

}  // namespace

std::string format_progress(const v1::JobProgress& progress, std::string_view unit) {
  std::string text;
  if (progress.units_total() > 0) {
    const double share = 100.0 * double(progress.units_done()) / double(progress.units_total());
    text = fmt::format("[{:5.1f}%] {}/{}", std::min(100.0, share), progress.units_done(),
                       format_count(progress.units_total(), unit));
  } else {
    text = format_count(progress.units_done(), unit);
  }
  if (progress.units_per_second() > 0) text += ", " + format_rate(progress.units_per_second(), unit);
  if (progress.has_eta()) text += fmt::format(", eta {}", format_clock(seconds_of(progress.eta())));
  return text;
}

v1::JobProgress sum_progress(const std::map<std::string, v1::Job>& jobs) {
  v1::JobProgress sum;
  bool totals_known = true;
  for (const auto& [id, job] : jobs) {
    const v1::JobProgress& progress = job.progress();
    const bool succeeded = job.state() == v1::JOB_STATE_SUCCEEDED;
    const int64_t total =
        succeeded && job.result().units_in() > 0 ? job.result().units_in() : progress.units_total();
    sum.set_units_done(sum.units_done() + (succeeded ? total : progress.units_done()));
    sum.set_units_total(sum.units_total() + total);
    totals_known = totals_known && (total > 0 || client::is_finished(job.state()));
    if (job.state() != v1::JOB_STATE_RUNNING) continue;
    sum.set_units_per_second(sum.units_per_second() + progress.units_per_second());
    if (jobs.size() == 1 && progress.has_eta()) *sum.mutable_eta() = progress.eta();
  }
  if (!totals_known) sum.clear_units_total();
  if (jobs.size() > 1 && totals_known && sum.units_per_second() > 0) {
    const double left = double(sum.units_total() - sum.units_done()) / sum.units_per_second();
    if (left > 0) sum.mutable_eta()->set_seconds(int64_t(std::ceil(left)));
  }
  return sum;
}

ProgressView::ProgressView(Terminal terminal, const Clock& clock, Duration interval, Write write)
    : terminal_(terminal), clock_(clock), interval_(interval), write_(write) {}

ProgressView::~ProgressView() { erase(); }

std::string ProgressView::line_for(const std::map<std::string, v1::Job>& jobs) const {
  size_t finished = 0, running = 0;
  for (const auto& [id, job] : jobs) {
    finished += client::is_finished(job.state()) ? 1 : 0;
    running += job.state() == v1::JOB_STATE_RUNNING ? 1 : 0;
  }
  if (jobs.size() > 1)
    return fmt::format("{} of {}, {}", finished, format_count(int64_t(jobs.size()), "job"),
                       format_progress(sum_progress(jobs), common_unit(jobs)));
  const v1::Job& job = jobs.begin()->second;
  if (running == 0) {
    if (job.state() == v1::JOB_STATE_QUEUED && !job.waiting_reason().empty())
      return printable(job.waiting_reason());
    return options::choice_name(job.state());
  }
  if (!job.waiting_reason().empty()) return printable(job.waiting_reason());
  const v1::JobProgress& progress = job.progress();
  if (progress.units_done() == 0 && progress.units_total() == 0)
    return progress.stage().empty() ? kStarting : printable(progress.stage());
  return format_progress(progress, options::unit_of(job.spec()));
}

void ProgressView::show(const std::map<std::string, v1::Job>& jobs, bool force) {
  if (jobs.empty() || (!force && clock_.now() < next_)) return;
  const std::string line = line_for(jobs);
  if (!terminal_.can_redraw) {
    next_ = clock_.now() + interval_;
    if (line != drawn_ && line != kStarting)
      write_(line + "\n");  // a terminal alone shows that nothing is known
    drawn_ = line;
    return;
  }
  next_ = clock_.now() + kRedraw;
  const std::string shown = cut(line, terminal_.width - 1);
  if (shown == drawn_) return;
  write_(fmt::format("\r{}\x1b[K", shown));
  drawn_ = shown;
}

void ProgressView::print(std::string_view line) {
  erase();
  write_(fmt::format("{}\n", line));
}

void ProgressView::erase() {
  if (terminal_.can_redraw && !drawn_.empty()) write_("\r\x1b[K");
  if (terminal_.can_redraw) drawn_.clear();
}

}  // namespace weft::cli
