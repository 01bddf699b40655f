// SPDX-License-Identifier: Apache-2.0
#include "client_cli/top/top_view.h"

#include <algorithm>
#include <tuple>

#include "client_cli/context/context.h"
#include "client_cli/output/text.h"
#include "client_cli/top/top_devices.h"
#include "options/option.h"
#include "options/values.h"

namespace weft::cli {
namespace {

constexpr size_t kRowsForFooter = 6;  // least number of rows of a terminal with a footer

constexpr const char* kSortNames[] = {"queue", "done", "rate", "eta", "owner", "age"};

bool is_running(const v1::Job& job) { return job.state() == v1::JOB_STATE_RUNNING; }

// Returns a sort key: running jobs, then jobs with a position in the queue, then the others.
auto queue_order(const v1::Job& job) {
  return std::tuple(is_running(job) ? 0 : job.position() > 0 ? 1 : 2, job.position());
}

double done_part(const v1::Job& job) {
  const v1::JobProgress& progress = job.progress();
  return progress.units_total() > 0 ? double(progress.units_done()) / double(progress.units_total()) : 0;
}

bool comes_before(const v1::Job& a, const v1::Job& b, TopSort sort) {
  const auto by = [&](auto value_of) {
    const auto of_a = value_of(a), of_b = value_of(b);
    return of_a == of_b ? a.id() < b.id() : of_a < of_b;
  };
  switch (sort) {
    case TopSort::kDone:
      return by([](const v1::Job& job) { return -done_part(job); });
    case TopSort::kRate:
      return by([](const v1::Job& job) { return is_running(job) ? -job.progress().units_per_second() : 0; });
    case TopSort::kEta:
      return by([](const v1::Job& job) {
        return is_running(job) && job.progress().has_eta() ? seconds_of(job.progress().eta()) : 1e18;
      });
    case TopSort::kOwner:
      return by([](const v1::Job& job) { return job.settings().owner(); });
    case TopSort::kAge:
      return a.id() < b.id();  // the order of IDs is the order of submission
    default:
      return by(queue_order);
  }
}

TableRow title(const TopState& state, const TopChoices& choices) {
  TableRow line{{"weft top", TextColour::kBold}, {"  " + printable(state.server)}};
  if (!choices.work_class.empty()) line.push_back({"  class " + choices.work_class, TextColour::kCyan});
  if (!choices.owner.empty()) line.push_back({"  owner " + printable(choices.owner), TextColour::kCyan});
  return line;
}

TableRow stale_line(const TopState& state) {
  const std::string age = format_age(*state.stale_seconds);
  return {{state.lost ? fmt::format("The connection is lost; showing the state of {} ago. Reconnecting.", age)
                      : fmt::format("The daemon does not answer; showing the state of {} ago.", age),
           TextColour::kRed}};
}

// Returns true if a device reports that the queue is paused.
bool is_queue_paused(const TopState& state) {
  return std::ranges::any_of(state.devices, &v1::DeviceStatus::queue_paused);
}

TableRow queue_title(const TopState& state) {
  // number of jobs, and number of those of class SPARE
  std::map<v1::JobState, std::pair<int, int>> counts;
  for (const auto& [id, job] : state.jobs) {
    auto& [all, spare] = counts[job.state()];
    all++;
    spare += job.settings().job_class() == v1::JOB_CLASS_SPARE;
  }
  std::string text;
  for (const v1::JobState each : {v1::JOB_STATE_RUNNING, v1::JOB_STATE_QUEUED, v1::JOB_STATE_PAUSED}) {
    const auto [all, spare] = counts[each];
    text += fmt::format("   {} {}", all, options::choice_name(each));
    if (spare > 0) text += fmt::format(" ({} spare)", spare);
  }
  for (const auto& [each, number] : state.ended)
    text += fmt::format("   {} {}", number, options::choice_name(each));
  TableRow line{{"QUEUE", TextColour::kBold}, {text}};
  if (is_queue_paused(state)) line.push_back({"   paused: `weft queue resume`", TextColour::kYellow});
  return line;
}

std::vector<Cell> job_row(const v1::Job& job, double now) {
  const v1::JobProgress& progress = job.progress();
  return {
      {"  " + job.id().substr(0, kShortIdLength)},
      {options::choice_name(job.state()), state_colour(job.state())},
      {options::choice_name(job.settings().job_class())},
      {std::to_string(job.settings().priority())},
      {job.settings().owner()},
      {format_done(job)},
      {is_running(job) && progress.units_per_second() > 0 ? fmt::format("{:.1f}", progress.units_per_second())
                                                          : "-"},
      {is_running(job) && progress.has_eta() ? format_clock(seconds_of(progress.eta())) : "-"},
      {job.device().empty() ? "-" : client::devices_text(job)},
      {format_age(now - seconds_of(job.submit_time()))},
      {job_files(job)},
      {job.waiting_reason()}};
}

// Marks a line with ">" and with reversed colours.
void mark(TableRow& line, size_t columns) {
  line.front().text.replace(0, 1, ">");
  for (Cell& cell : line) cell.colour = TextColour::kReversed;
  const size_t width = display_width(line);
  if (columns != kAnyWidth && width < columns)
    line.push_back({std::string(columns - width, ' '), TextColour::kReversed});
}

std::vector<TableRow> queue_lines(const TopState& state, const TopChoices& choices, size_t columns,
                                  size_t rows) {
  const std::vector<const v1::Job*> jobs = chosen_jobs(state, choices);
  std::vector<TableRow> lines{queue_title(state)};
  if (jobs.empty()) {
    lines.push_back({{state.jobs.empty() ? "  No job runs or waits." : "  No job is of this class and owner.",
                      TextColour::kDim}});
    return lines;
  }
  constexpr size_t kTitles = 2;
  if (rows <= kTitles) return lines;
  const size_t shown = std::min(jobs.size(), rows - kTitles);
  const size_t selected =
      size_t(std::distance(jobs.begin(), std::find_if(jobs.begin(), jobs.end(), [&](const v1::Job* job) {
                             return job->id() == choices.selected;
                           })));
  const bool is_there = selected < jobs.size();
  const size_t first = !is_there || selected < shown ? 0 : selected - shown + 1;
  std::vector<Table::Column> columns_shown = {{"  ID"},
                                              {"STATE"},
                                              {"CLASS", Align::kLeft, 4},
                                              {"PRIORITY", Align::kRight, 6},
                                              {"OWNER", Align::kLeft, 5},
                                              {"DONE", Align::kRight},
                                              {"FPS", Align::kRight, 2},
                                              {"ETA", Align::kRight, 1},
                                              {"DEVICE", Align::kLeft, 3},
                                              {"AGE", Align::kRight, 7},
                                              {"FILES", Align::kLeft, 0, 24}};
  const bool any_waits = std::any_of(jobs.begin() + ptrdiff_t(first), jobs.begin() + ptrdiff_t(first + shown),
                                     [](const v1::Job* job) { return !job->waiting_reason().empty(); });
  if (any_waits) columns_shown.push_back({"WAITS BECAUSE", Align::kLeft, 8, 24, true});
  Table table(std::move(columns_shown));
  for (size_t i = first; i < first + shown; i++) table.add(job_row(*jobs[i], state.now));
  for (TableRow& line : table.lines(columns)) lines.push_back(std::move(line));
  for (Cell& cell : lines[1]) cell.colour = TextColour::kDim;
  if (is_there) mark(lines[kTitles + selected - first], columns);
  return lines;
}

std::vector<TableRow> help_lines() {
  static constexpr const char* kText[] = {
      "q, Ctrl-C    quit",
      "Up Down j k  choose a job; with the devices alone: scroll",
      "PgUp PgDn    ten at a time; Home, End: the first, the last",
      "s            sort by: place in the queue, part done, rate, time left, owner, age",
      "f            only one class: all, realtime, normal, spare",
      "o            only one owner: all, then each in turn",
      "Tab          devices and queue, devices alone, queue alone",
      "c            cancel the chosen job",
      "p            pause the chosen job, or let it go on",
      "Esc          every class and owner again, nothing chosen",
      "",
      "The bar is a device's time: █ realtime streams, ▓ normal, ▒ spare, ░ other programs, · idle.",
      "Budget: the part of the last second that streams and other programs left to jobs.",
      "P50, P99 and MISSED count from the stream's start.",
  };
  std::vector<TableRow> lines{{{"Keys", TextColour::kBold}}};
  for (const char* text : kText) lines.push_back({{text}});
  return lines;
}

TableRow footer(const TopState& state, const TopChoices& choices) {
  static constexpr const char* kQuestions[] = {"", "", "Cancel", "Pause", "Resume"};
  if (choices.asked.kind != TopOrder::Kind::kNone)
    return {{fmt::format("{} job {}? y: yes, any other key: no", kQuestions[int(choices.asked.kind)],
                         printable(choices.asked.job.substr(0, kShortIdLength))),
             TextColour::kYellow}};
  if (!choices.message.empty()) return {{printable(choices.message), TextColour::kYellow}};
  const auto job = state.jobs.find(choices.selected);
  if (job != state.jobs.end() && !job->second.waiting_reason().empty())
    return {{printable(job->second.waiting_reason()), TextColour::kDim}};
  return {{fmt::format("q quit  ? help  s sort: {}  f class  o owner  Tab view  c cancel  p pause",
                       kSortNames[int(choices.sort)]),
           TextColour::kDim}};
}

bool has_footer(TopSize size) { return size.rows != kAnyWidth && size.rows >= kRowsForFooter; }

size_t minus(size_t rows, size_t used) { return rows == kAnyWidth ? rows : rows - std::min(rows, used); }

void append(std::vector<TableRow>& lines, std::vector<TableRow> more) {
  lines.insert(lines.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

// Returns the devices above the queue. Each part gets the rows that the other one does not need, or
// half of the rows if both need more.
std::vector<TableRow> body(const TopState& state, const TopChoices& choices, TopSize size) {
  if (!state.complete) return {{{"Waiting for the daemon's answer ...", TextColour::kDim}}};
  if (choices.part == TopPart::kQueue) return queue_lines(state, choices, size.columns, size.rows);
  if (choices.part == TopPart::kDevices) {
    std::vector<TableRow> all = device_lines(state, choices, size.columns, kAnyWidth);
    const size_t hidden = std::min(choices.row, minus(all.size(), size.rows));
    all.erase(all.begin(), all.begin() + ptrdiff_t(hidden));
    return all;
  }
  const size_t jobs = std::max<size_t>(1, chosen_jobs(state, choices).size());
  // for the jobs, two titles and an empty line
  const size_t for_queue = std::min(jobs + 3, size.rows / 2);
  std::vector<TableRow> lines = device_lines(state, choices, size.columns, minus(size.rows, for_queue));
  if (size.rows > kRowsForFooter) lines.emplace_back();
  append(lines, queue_lines(state, choices, size.columns, minus(size.rows, lines.size())));
  return lines;
}

}  // namespace

std::vector<const v1::Job*> chosen_jobs(const TopState& state, const TopChoices& choices) {
  std::vector<const v1::Job*> jobs;
  for (const auto& [id, job] : state.jobs)
    if ((choices.work_class.empty() ||
         choices.work_class == options::choice_name(job.settings().job_class())) &&
        (choices.owner.empty() || choices.owner == job.settings().owner()))
      jobs.push_back(&job);
  std::sort(jobs.begin(), jobs.end(),
            [&](const v1::Job* a, const v1::Job* b) { return comes_before(*a, *b, choices.sort); });
  return jobs;
}

TopSize body_size(const TopState& state, TopSize size) {
  const size_t footer = has_footer(size) ? 1 : 0;
  return {size.columns, minus(size.rows, 1 + footer + (state.stale_seconds ? 1 : 0))};
}

size_t last_scroll(const TopState& state, const TopChoices& choices, TopSize size) {
  const size_t lines = device_lines(state, choices, size.columns, kAnyWidth).size();
  return minus(lines, body_size(state, size).rows);
}

std::vector<TableRow> lay_out_top(const TopState& state, const TopChoices& choices, TopSize size) {
  std::vector<TableRow> lines{title(state, choices)};
  if (state.stale_seconds) lines.push_back(stale_line(state));
  append(lines, choices.help ? help_lines() : body(state, choices, body_size(state, size)));
  if (size.rows != kAnyWidth) {
    const size_t for_lines = has_footer(size) ? size.rows - 1 : size.rows;
    lines.resize(has_footer(size) ? for_lines : std::min(lines.size(), for_lines));
    if (has_footer(size)) lines.push_back(footer(state, choices));
  }
  for (TableRow& line : lines) line = cut(line, size.columns);
  return lines;
}

}  // namespace weft::cli
