// SPDX-License-Identifier: Apache-2.0
#include "client_cli/jobs/job_columns.h"

#include <algorithm>
#include <limits>
#include <map>

#include "client_cli/context/context.h"
#include "client_cli/output/table.h"
#include "client_cli/output/text.h"
#include "options/job_kinds.h"
#include "options/values.h"

namespace weft::cli {
namespace {

using google::protobuf::RepeatedPtrField;

struct ListColumn {
  const char* name;  // its title in capitals
  const char* help;
  Align align;
  std::string (*text)(const v1::Job& job, double now);
  // The value to sort by; null: the text.
  double (*number)(const v1::Job& job) = nullptr;
};

std::string or_dash(std::string text) { return text.empty() ? "-" : text; }

bool is_running(const v1::Job& job) { return job.state() == v1::JOB_STATE_RUNNING; }

double rate_of(const v1::Job& job) { return is_running(job) ? job.progress().units_per_second() : 0; }

double share_done(const v1::Job& job) {
  if (job.state() == v1::JOB_STATE_SUCCEEDED) return 1;
  const v1::JobProgress& progress = job.progress();
  return progress.units_total() > 0 ? double(progress.units_done()) / double(progress.units_total()) : 0;
}

// Jobs without an estimate come last.
double eta_of(const v1::Job& job) {
  return is_running(job) && job.progress().has_eta() ? seconds_of(job.progress().eta())
                                                     : std::numeric_limits<double>::infinity();
}

std::string time_text(const google::protobuf::Timestamp& time) {
  return time.seconds() > 0 ? format_time(time) : "-";
}

std::string path_text(const v1::Job& job, v1::PathKind kind) {
  const std::vector<std::string> paths = options::paths_of(job.spec(), kind);
  return paths.empty() ? "" : paths[0];
}

std::string paths_text(const v1::Job& job) {
  const std::string input = path_text(job, v1::PATH_KIND_INPUT_FILE);
  const std::string output = path_text(job, v1::PATH_KIND_OUTPUT_FILE);
  return or_dash(input.empty() || output.empty() ? input + output : input + " -> " + output);
}

std::string labels_text(const v1::Job& job) {
  const std::map<std::string, std::string> sorted(job.settings().labels().begin(),
                                                  job.settings().labels().end());
  std::string text;
  for (const auto& [key, value] : sorted) text += fmt::format("{}{}={}", text.empty() ? "" : ",", key, value);
  return or_dash(text);
}

const ListColumn kColumns[] = {
    {"id", "Id of the job.", Align::kLeft, [](const v1::Job& job, double) { return job.id(); }},
    {"state", "State of the job.", Align::kLeft,
     [](const v1::Job& job, double) { return options::choice_name(job.state()); },
     [](const v1::Job& job) { return double(job.state()); }},
    {"done", "Finished part.", Align::kRight, [](const v1::Job& job, double) { return format_done(job); },
     share_done},
    {"fps", "Units per second of a running job, such as frames.", Align::kRight,
     [](const v1::Job& job, double) { return rate_of(job) > 0 ? fmt::format("{:.1f}", rate_of(job)) : "-"; },
     rate_of},
    {"eta", "Time left of a running job.", Align::kRight,
     [](const v1::Job& job, double) {
       const bool is_known = is_running(job) && job.progress().has_eta();
       return is_known ? format_clock(seconds_of(job.progress().eta())) : "-";
     },
     eta_of},
    {"priority", "Priority in the queue.", Align::kRight,
     [](const v1::Job& job, double) { return std::to_string(job.settings().priority()); },
     [](const v1::Job& job) { return double(job.settings().priority()); }},
    {"device", "Current or last device; +N: it and N others that render segments.", Align::kLeft,
     [](const v1::Job& job, double) { return or_dash(client::devices_text(job)); }},
    {"age", "Time since submission.", Align::kRight,
     [](const v1::Job& job, double now) { return format_age(now - seconds_of(job.submit_time())); },
     [](const v1::Job& job) { return -seconds_of(job.submit_time()); }},
    {"files", "Names of the input and the output.", Align::kLeft,
     [](const v1::Job& job, double) { return job_files(job); }},
    {"kind", "Kind of job.", Align::kLeft,
     [](const v1::Job& job, double) { return options::kind_name(job.spec()); }},
    {"class", "Scheduling class.", Align::kLeft,
     [](const v1::Job& job, double) { return options::choice_name(job.settings().job_class()); }},
    {"owner", "Owner of the job.", Align::kLeft,
     [](const v1::Job& job, double) { return or_dash(job.settings().owner()); }},
    {"labels", "Labels as KEY=VALUE,KEY=VALUE.", Align::kLeft,
     [](const v1::Job& job, double) { return labels_text(job); }},
    {"position", "Position in the queue over all devices.", Align::kRight,
     [](const v1::Job& job, double) { return job.position() > 0 ? std::to_string(job.position()) : "-"; },
     [](const v1::Job& job) {
       return job.position() > 0 ? double(job.position()) : std::numeric_limits<double>::infinity();
     }},
    {"attempt", "Number of the running or last attempt.", Align::kRight,
     [](const v1::Job& job, double) { return std::to_string(job.attempt()); },
     [](const v1::Job& job) { return double(job.attempt()); }},
    {"submitted", "Time of submission.", Align::kLeft,
     [](const v1::Job& job, double) { return time_text(job.submit_time()); },
     [](const v1::Job& job) { return seconds_of(job.submit_time()); }},
    {"started", "Start of the first attempt.", Align::kLeft,
     [](const v1::Job& job, double) { return time_text(job.start_time()); },
     [](const v1::Job& job) { return seconds_of(job.start_time()); }},
    {"ended", "End of the job.", Align::kLeft,
     [](const v1::Job& job, double) { return time_text(job.end_time()); },
     [](const v1::Job& job) { return seconds_of(job.end_time()); }},
    {"waiting", "Cause of a wait.", Align::kLeft,
     [](const v1::Job& job, double) { return or_dash(job.waiting_reason()); }},
    {"error", "Cause of a failure.", Align::kLeft,
     [](const v1::Job& job, double) { return or_dash(job.error().message()); }},
    {"input", "Full path of the input.", Align::kLeft,
     [](const v1::Job& job, double) { return or_dash(path_text(job, v1::PATH_KIND_INPUT_FILE)); }},
    {"output", "Full path of the output.", Align::kLeft,
     [](const v1::Job& job, double) { return or_dash(path_text(job, v1::PATH_KIND_OUTPUT_FILE)); }},
    {"path", "Full paths of the input and the output.", Align::kLeft,
     [](const v1::Job& job, double) { return paths_text(job); }},
};

StatusOr<const ListColumn*> find_column(std::string_view word) {
  std::string name(word);
  for (char& letter : name) letter = char(std::tolower(static_cast<unsigned char>(letter)));
  std::vector<std::string> names;
  for (const ListColumn& column : kColumns) {
    if (name == column.name) return &column;
    names.emplace_back(column.name);
  }
  const std::string hint = options::did_you_mean(name, names);
  return invalid_argument("There is no column '{}'{} There are {}.", word, hint.empty() ? "." : hint,
                          options::join_and(names));
}

std::vector<std::string_view> split(std::string_view list) {
  std::vector<std::string_view> words;
  while (true) {
    const size_t comma = std::min(list.find(','), list.size());
    words.push_back(list.substr(0, comma));
    if (comma == list.size()) return words;
    list.remove_prefix(comma + 1);
  }
}

// Below zero: `a` comes first.
int compare(const ListColumn& column, const v1::Job& a, const v1::Job& b) {
  if (column.number == nullptr) return column.text(a, 0).compare(column.text(b, 0));
  const double of_a = column.number(a), of_b = column.number(b);
  return of_a < of_b ? -1 : of_a > of_b ? 1 : 0;
}

std::string in_capitals(std::string text) {
  for (char& letter : text) letter = char(std::toupper(static_cast<unsigned char>(letter)));
  return text;
}

}  // namespace

std::vector<options::Choice> column_names(bool reversible) {
  std::vector<options::Choice> names;
  for (const ListColumn& column : kColumns) {
    names.push_back({column.name, column.help, 0});
    if (reversible) names.push_back({fmt::format("-{}", column.name), "Descending.", 0});
  }
  return names;
}

Status sort_jobs(RepeatedPtrField<v1::Job>& jobs, std::string_view columns) {
  struct Order {
    const ListColumn* column;
    int sign;
  };
  std::vector<Order> orders;
  for (std::string_view word : split(columns)) {
    const bool is_descending = word.starts_with('-');
    if (is_descending) word.remove_prefix(1);
    ASSIGN_OR_RETURN(const ListColumn* column, find_column(word));
    orders.push_back({column, is_descending ? -1 : 1});
  }
  std::stable_sort(jobs.pointer_begin(), jobs.pointer_end(), [&](const v1::Job* a, const v1::Job* b) {
    for (const Order& order : orders)
      if (const int compared = order.sign * compare(*order.column, *a, *b); compared != 0)
        return compared < 0;
    return false;
  });
  return ok_status();
}

StatusOr<std::string> format_jobs(const Terminal& terminal, const RepeatedPtrField<v1::Job>& jobs,
                                  std::string_view columns, double now) {
  std::vector<const ListColumn*> chosen;
  std::vector<Table::Column> titles;
  for (const std::string_view word : split(columns)) {
    ASSIGN_OR_RETURN(const ListColumn* column, find_column(word));
    chosen.push_back(column);
    titles.push_back({in_capitals(column->name), column->align});
    // Paths that are asked for are not shortened.
    if (std::string_view(column->help).starts_with("Full path")) titles.back().keeps = kAnyWidth;
  }
  std::vector<std::string> ids;
  for (const v1::Job& job : jobs) ids.push_back(job.id());
  const size_t id_length = short_id_length(ids);
  Table table(std::move(titles));
  for (const v1::Job& job : jobs) {
    std::vector<Cell> row;
    for (const ListColumn* column : chosen) {
      std::string text = column->text(job, now);
      if (column == &kColumns[0]) text.resize(std::min(text.size(), id_length));
      const bool is_state = std::string_view(column->name) == "state";
      row.push_back({std::move(text), is_state ? state_colour(job.state()) : TextColour::kNone});
    }
    table.add(std::move(row));
  }
  return table.format(terminal);
}

}  // namespace weft::cli
