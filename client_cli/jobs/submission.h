// SPDX-License-Identifier: Apache-2.0
// Submission of jobs: the flags of a kind of job, the jobs that they mean, and sending them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "client/connection.h"
#include "client_cli/command_line/filter_texts.h"
#include "client_cli/command_line/spec_flags.h"
#include "client_cli/context/context.h"
#include "client_cli/jobs/follow.h"
#include "options/job_kinds.h"
#include "weft/v1/job_service.pb.h"

namespace weft::cli {

// The kinds of job with a chain of filters.
std::vector<options::JobKind> kinds_with_filters();
// Those that take these filters; INVALID_ARGUMENT states the reason if there is none.
StatusOr<std::vector<options::JobKind>> kinds_that_take(const std::string& filters);

// A command that describes jobs: those of one kind, or those of any kind that takes the filters of its first word. Must live until the
// command has run.
struct SubmitCommand {
  explicit SubmitCommand(options::JobKind kind) : kinds({std::move(kind)}) {}
  SubmitCommand() : kinds(kinds_with_filters()), has_filters_word(true) {}

  // The word for it, and a sentence on it.
  std::string name() const { return has_filters_word ? kFiltersWord : kinds[0].name; }
  std::string summary() const;

  // Adds inputs, output and all flags.
  void add_flags(Command& command);

  // The requests that the command line means, one an input. INVALID_ARGUMENT and others: usage.
  StatusOr<std::vector<v1::SubmitJobRequest>> resolve() const;

  StatusOr<std::optional<double>> timeout_seconds() const;

  // For help: command lines, one a line. `command`: "submit".
  std::string examples(std::string_view command) const;

  std::vector<options::JobKind> kinds;  // not empty; the output chooses
  bool has_filters_word = false;
  std::string filters;  // the first word
  std::vector<std::string> inputs;
  std::string output;
  std::string request_id;
  std::string timeout;
  std::string profile;
  bool dry_run = false;
  SpecFlags spec;
  SpecFlags settings;

 private:
  void add_files(Command& command);
  void add_options(Command& command);
  StatusOr<options::JobKind> chosen_kind(const v1::JobSpec& profile_spec) const;
};

// Sends them. The jobs that were accepted are added to `jobs`; errors are printed. Gives the worst exit code.
int send(const CommandContext& context, const std::shared_ptr<client::Connection>& connection,
         const std::vector<v1::SubmitJobRequest>& requests, std::vector<v1::Job>& jobs);

// Asks for checks and estimates only, and prints them.
int dry_run(const CommandContext& context, const std::shared_ptr<client::Connection>& connection,
            std::vector<v1::SubmitJobRequest> requests);

// Follows these jobs with `options`, whose filter is set here.
int follow_jobs(const CommandContext& context, const std::shared_ptr<client::Connection>& connection,
                const std::vector<v1::Job>& jobs, FollowOptions options);

}  // namespace weft::cli
