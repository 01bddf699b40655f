// SPDX-License-Identifier: Apache-2.0
#include "client_cli/jobs/sending.h"

#include <filesystem>

#include "client/draft.h"
#include "client/jobs.h"
#include "client_cli/jobs/waiting.h"
#include "client_cli/output/exit_codes.h"
#include "client_cli/output/text.h"
#include "options/job_kinds.h"
#include "options/values.h"

namespace weft::cli {
namespace {

using google::protobuf::Message;

std::string format_estimate(const v1::SubmitJobResponse& response) {
  const v1::JobSpec& spec = response.job().spec();
  const v1::JobEstimate& estimate = response.estimate();
  const auto kind = options::job_kind_of(spec);
  std::string text;
  const auto line = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) text += fmt::format("  {:<10}{}\n", name, printable(value));
  };
  const auto known = [](int64_t count) { return count > 0 ? std::to_string(count) : "unknown"; };
  v1::JobSpec shown = spec;
  options::clear_defaults(shown);
  const Message& job = options::job_message(shown);
  for (const options::Option& option : options::options_of(job.GetDescriptor())) {
    const std::string value = options::format_value(job, option);
    if (option.path_kind() != v1::PATH_KIND_UNSPECIFIED && !value.empty())
      text += fmt::format("{:<12}{}\n", option.flag(), printable(value));
  }
  if (text.empty()) text = fmt::format("{}\n", options::kind_name(spec));  // it has no files
  line("reads", estimate.input_summary());
  line("writes", estimate.output_summary());
  const bool is_read = kind && kind->input_option();
  line(options::unit_of(spec) + "s",
       is_read ? fmt::format("{} in, {} out", known(estimate.units_in()), known(estimate.units_out()))
               : known(estimate.units_in()));
  if (kind && kind->output_option())
    line("space", estimate.output_bytes() > 0
                      ? fmt::format("{} wanted, {} free{}", format_bytes(estimate.output_bytes()),
                                    format_bytes(estimate.free_bytes()),
                                    estimate.output_bytes() > estimate.free_bytes() ? ": waits for room" : "")
                      : "not known");
  if (const std::string& location = response.job().work_location(); !location.empty())
    line("work", estimate.work_free_bytes() > 0
                     ? fmt::format("in {}, {} free", location, format_bytes(estimate.work_free_bytes()))
                     : "in " + location);
  if (estimate.shared_bytes() > 0)
    line("memory", fmt::format("{} of the machine's, {} on a device without memory of its own",
                               format_bytes(estimate.host_bytes()), format_bytes(estimate.shared_bytes())));
  if (const auto& bytes = estimate.device_bytes(); !bytes.empty())
    line("device",
         fmt::format("{} of a device's own memory, {} with batches of one {}", format_bytes(bytes[0]),
                     format_bytes(*bytes.rbegin()), options::unit_of(spec)));
  if (response.predictions().empty())
    line("time", "not known: no device takes the job now, or too many wait before it");
  for (const v1::DevicePrediction& prediction : response.predictions())
    line(prediction.chosen() ? "time" : "or", prediction.summary());
  std::string chosen;
  for (const options::Option& option : options::options_of(job.GetDescriptor()))
    if (option.path_kind() == v1::PATH_KIND_UNSPECIFIED && options::is_set(job, option))
      chosen += fmt::format("{}{} {}", chosen.empty() ? "" : ", ", option.flag(),
                            options::format_value(job, option));
  line("options", chosen);
  return text;
}

void print_submitted(const CommandContext& context, const SendFlags& flags,
                     const std::vector<v1::Job>& jobs) {
  for (const v1::Job& job : jobs) {
    if (!context.json)
      context.print(job.id() + "\n");
    else if (!flags.waits())
      context.print_json(job);
  }
  if (flags.waits() || flags.detach || context.json || jobs.empty()) return;
  if (jobs.size() == 1)
    context.note(fmt::format("Queued. `weft watch {}` follows it.", jobs[0].id()));
  else
    context.note(format_count(int64_t(jobs.size()), "job") + " are queued. `weft watch` follows them.");
}

}  // namespace

void SendFlags::add_flags(Command& command) {
  command.flag("--dry-run", dry_run, "Check and estimate only; print the resulting jobs.").under("Queue");
  command
      .value("--request-id", "ID", request_id,
             "Identifier of this submission. A repeated command with the same ID submits no second job. "
             "With several jobs, -1, -2 ... is appended.")
      .under("Queue");
  command
      .value("--timeout", "TIME", timeout,
             "Maximum time to wait for the jobs: 90 (seconds), 5m, 1h30m. After it, the command exits with "
             "status "
             "6. Jobs of a daemon continue; `weft run` without a daemon cancels its jobs.")
      .under("Queue");
}

void SendFlags::add_wait_flags(Command& command) {
  command.flag("--wait", wait, "Wait for the end without output; the exit code is the result.")
      .under("Queue");
  command.flag("--follow", follow, "Wait for the end and show the progress (default of `weft run`).")
      .under("Queue")
      .without("--wait");
  command.flag("--detach", detach, "Print only the ids.")
      .under("Queue")
      .without("--wait")
      .without("--follow");
}

StatusOr<std::optional<double>> SendFlags::timeout_seconds() const {
  if (timeout.empty()) return std::optional<double>();
  ASSIGN_OR_RETURN(const double seconds, parse_seconds(timeout));
  return std::optional<double>(seconds);
}

Status SendFlags::check_timeout() const {
  RETURN_IF_ERROR(timeout_seconds().status());
  if (timeout.empty() || waits()) return ok_status();
  return invalid_argument("--timeout ({}) is for waiting; give --wait or --follow too, or leave it out.",
                          timeout);
}

void SendFlags::set_request_ids(std::vector<v1::SubmitJobRequest>& requests) const {
  for (size_t i = 0; i < requests.size(); i++) {
    const bool several = requests.size() > 1 && !request_id.empty();
    requests[i].set_request_id(several ? fmt::format("{}-{}", request_id, i + 1) : request_id);
  }
}

Status make_output_folders(const std::vector<v1::SubmitJobRequest>& requests) {
  for (const v1::SubmitJobRequest& request : requests)
    for (const std::string& output : options::paths_of(request.spec(), v1::PATH_KIND_OUTPUT_FILE)) {
      const std::filesystem::path folder = std::filesystem::path(output).parent_path();
      std::error_code error;
      std::filesystem::create_directories(folder, error);
      if (error)
        return permission_denied("The folder ({}) cannot be created ({}); choose another one.",
                                 folder.string(), error.message());
    }
  return ok_status();
}

int send(const CommandContext& context, const std::shared_ptr<client::Connection>& connection,
         const std::vector<v1::SubmitJobRequest>& requests, std::vector<v1::Job>& jobs) {
  client::Jobs client(connection);
  int code = kExitDone;
  for (const v1::SubmitJobRequest& request : requests) {
    auto response = client.submit(request);
    if (response.ok()) {
      jobs.push_back(std::move(*response->mutable_job()));
      continue;
    }
    code = worse(code, context.fail(response.status(), requests.size() > 1 ? client::input_of(request) : ""));
    if (code == kExitUnreachable) break;
  }
  return code;
}

int dry_run(const CommandContext& context, const std::shared_ptr<client::Connection>& connection,
            std::vector<v1::SubmitJobRequest> requests) {
  client::Jobs client(connection);
  int code = kExitDone;
  for (v1::SubmitJobRequest& request : requests) {
    request.set_validate_only(true);
    const auto response = client.submit(request);
    if (!response.ok()) {
      code =
          worse(code, context.fail(response.status(), requests.size() > 1 ? client::input_of(request) : ""));
      if (code == kExitUnreachable) break;
    } else if (context.json) {
      context.print_json(*response);
    } else {
      context.print(format_estimate(*response));
    }
  }
  return code;
}

int follow_jobs(const CommandContext& context, const std::shared_ptr<client::Connection>& connection,
                const std::vector<v1::Job>& jobs, FollowOptions options) {
  if (jobs.empty()) return kExitDone;
  for (const v1::Job& job : jobs) options.filter.add_ids(job.id());
  return follow(context, connection, options);
}

int submit_jobs(const CommandContext& context, const SendFlags& flags,
                const std::shared_ptr<client::Connection>& connection,
                const std::vector<v1::SubmitJobRequest>& requests, std::vector<v1::Job>& jobs) {
  if (flags.dry_run) return dry_run(context, connection, requests);
  const int code = send(context, connection, requests, jobs);
  print_submitted(context, flags, jobs);
  if (flags.waits()) {
    FollowOptions options;
    options.timeout_seconds = flags.timeout_seconds().value_or(std::nullopt);
    options.progress = flags.follow;
    return worse(code, follow_jobs(context, connection, jobs, options));
  }
  if (!jobs.empty() && !jobs[0].settings().device().empty())
    if (const std::string reason = why_nothing_takes(connection, jobs[0]); !reason.empty())
      context.note(reason);
  return code;
}

}  // namespace weft::cli
