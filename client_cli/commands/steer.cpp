// SPDX-License-Identifier: Apache-2.0
#include "client_cli/commands/steer.h"

#include <algorithm>
#include <iostream>
#include <map>

#include <unistd.h>

#include "client_cli/commands/commands.h"
#include "client_cli/output/exit_codes.h"
#include "client_cli/output/text.h"
#include "options/option.h"

namespace weft::cli {
namespace {

// Ids of jobs that are left unchanged, by the reason.
using Unchanged = std::map<std::string, std::vector<std::string>>;

void print_changed(const CommandContext& context, const Steering& steering, const v1::Job& job) {
  if (context.json) return context.print_json(job);
  const std::string state = paint(context.err, state_colour(job.state()), options::choice_name(job.state()));
  context.note(fmt::format("{}: {}", job.id(), steering.done.empty() ? state : steering.done));
}

// "a.ts, b.ts and 10 more"; up to three words are all named.
std::string name_some(std::vector<std::string> words) {
  constexpr size_t kMost = 3;
  if (words.size() > kMost) {
    const size_t more = words.size() - (kMost - 1);
    words.resize(kMost - 1);
    words.push_back(fmt::format("{} more", more));
  }
  return options::join_and(words);
}

void note_unchanged(const CommandContext& context, const Unchanged& unchanged) {
  std::string text;
  for (const auto& [reason, ids] : unchanged)
    text += fmt::format("{}{} {} ({})", text.empty() ? "" : "; ", ids.size(), reason, name_some(ids));
  if (!text.empty()) context.note(fmt::format("Left unchanged: {}.", text));
}

bool is_terminal(const CommandContext& context) { return isatty(0) == 1 && context.err.is_terminal; }

// Asks "Cancel 12 jobs (a.ts, b.ts and 10 more)? [y/N]".
bool is_confirmed(const CommandContext& context, const Steering& steering, const std::vector<v1::Job>& jobs) {
  std::vector<std::string> names;
  for (const v1::Job& job : jobs) {
    const std::string files = job_files(job);
    names.push_back(printable(files.substr(0, files.find(" -> "))));
  }
  write_error(fmt::format("{} {} ({})? [y/N] ", steering.verb, format_count(int64_t(jobs.size()), "job"),
                          name_some(names)));
  std::string answer;
  std::getline(std::cin, answer);
  if (answer.starts_with('y') || answer.starts_with('Y')) return true;
  context.note("Nothing was changed.");
  return false;
}

int steer_ids(const CommandContext& context, client::Jobs& jobs, const std::vector<std::string>& ids,
              const Steering& steering) {
  int code = kExitDone;
  for (const std::string& id : ids) {
    const auto job = steering.apply(jobs, id);
    if (job.ok())
      print_changed(context, steering, *job);
    else
      code = worse(code, context.fail(job.status()));
    if (code == kExitUnreachable) break;
  }
  return code;
}

// A job that ends or is forgotten between the listing and its change is left unchanged.
int steer_listed(const CommandContext& context, client::Jobs& jobs, const std::vector<v1::Job>& listed,
                 const Steering& steering) {
  int code = kExitDone;
  for (const v1::Job& each : listed) {
    const auto job = steering.apply(jobs, each.id());
    if (job.ok())
      print_changed(context, steering, *job);
    else if (job.status().code() == StatusCode::kFailedPrecondition ||
             job.status().code() == StatusCode::kNotFound)
      context.note(fmt::format("{}: left unchanged. {}", each.id(), message_of(job.status())));
    else
      code = worse(code, context.fail(job.status(), each.id()));
    if (code == kExitUnreachable) break;
  }
  return code;
}

int steer_chosen(const CommandContext& context, client::Jobs& jobs, const v1::JobFilter& filter, bool yes,
                 const Steering& steering) {
  auto found = jobs.list_all(filter);
  if (!found.ok()) return context.fail(found.status());
  std::vector<v1::Job> chosen;
  Unchanged unchanged;
  for (v1::Job& job : *found->mutable_jobs()) {
    if (std::ranges::find(steering.states, job.state()) != steering.states.end())
      chosen.push_back(std::move(job));
    else
      unchanged[options::choice_name(job.state())].push_back(job.id());
  }
  if (chosen.empty()) {
    context.note(found->jobs().empty() ? "No job matches."
                                       : "None of the jobs that match can be changed this way.");
    note_unchanged(context, unchanged);
    return kExitDone;
  }
  if (chosen.size() > 1 && !yes && !is_confirmed(context, steering, chosen)) return kExitDone;
  const int code = steer_listed(context, jobs, chosen, steering);
  note_unchanged(context, unchanged);
  return code;
}

}  // namespace

void JobChoice::add(Command& command, const std::vector<v1::JobState>& states) {
  command.words("ID", ids, kIdHelp).completed_by(Values::Kind::kJob).values.states = states;
  add_flags(command);
}

void JobChoice::add_flags(Command& command) {
  filter.add(command);
  command.flag("--all", all, "All jobs, or all that match the other flags.");
  command.flag("-y,--yes", yes,
               "Do not ask before several chosen jobs are changed; needed without a terminal.");
}

int steer_jobs(const CommandContext& context, const JobChoice& choice, const Steering& steering) {
  if (choice.ids.empty() && !choice.is_by_flags())
    return context.fail_usage(invalid_argument(
        "No job is named; give ids, or choose jobs by --state, --label, --owner and the like, or --all."));
  if (!choice.ids.empty() && choice.is_by_flags())
    return context.fail_usage(invalid_argument(
        "Jobs are named by ids ({}) and chosen by flags; give one of the two.", choice.ids[0]));
  const auto filter = choice.filter.resolve();
  if (!filter.ok()) return context.fail_usage(filter.status());
  if (choice.is_by_flags() && !choice.yes && !is_terminal(context))
    return context.fail_usage(
        invalid_argument("Without a terminal nobody can confirm the change of the chosen jobs; give --yes, "
                         "or name jobs by ids."));
  const auto connection = context.connect();
  if (!connection.ok()) return context.fail_usage(connection.status());
  client::Jobs jobs(*connection);
  return choice.is_by_flags() ? steer_chosen(context, jobs, *filter, choice.yes, steering)
                              : steer_ids(context, jobs, choice.ids, steering);
}

void print_devices(const CommandContext& context, const std::vector<v1::DeviceStatus>& devices) {
  for (const v1::DeviceStatus& device : devices) {
    if (context.json)
      context.print_json(device);
    else
      context.note(fmt::format("{}: {}", device.id(), options::choice_name(device.state())));
  }
}

void add_steering(Command& root, CommandContext& context, const std::string& name, const std::string& summary,
                  const Steering& steering) {
  const auto choice = std::make_shared<JobChoice>();
  Command& command = root.add(name, summary);
  choice->add(command, steering.states);
  command.examples = fmt::format("weft {0} 01JBX3AB\nweft {0} --label batch=7 --yes", name);
  command.run = [&context, choice, steering] { return steer_jobs(context, *choice, steering); };
}

}  // namespace weft::cli
