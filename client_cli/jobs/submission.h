// SPDX-License-Identifier: Apache-2.0
// What `submit` and `run` share: the flags of a kind of job, the jobs they mean, and sending them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "client/connection.h"
#include "client_cli/command_line/chain_flags.h"
#include "client_cli/command_line/spec_flags.h"
#include "client_cli/context/context.h"
#include "client_cli/jobs/follow.h"
#include "options/job_kinds.h"
#include "weft/v1/job_service.pb.h"

namespace weft::cli {

// One subcommand that describes jobs: those of a kind, or of one of several kinds with one filter. Must live until the command
// has run.
struct SubmitCommand {
  explicit SubmitCommand(options::JobKind kind) : kinds({std::move(kind)}) {}
  explicit SubmitCommand(options::Shorthand word) : kinds(word.kinds), shorthand(std::move(word)) {}

  // The word for it, and a sentence on it.
  std::string name() const { return shorthand ? shorthand->name() : kinds[0].name; }
  std::string summary() const { return shorthand ? shorthand->summary() : kinds[0].summary; }

  // Adds inputs, output and all flags.
  void add_flags(Command& command);

  // The requests that the command line means, one an input. INVALID_ARGUMENT and others: usage.
  StatusOr<std::vector<v1::SubmitJobRequest>> resolve() const;

  StatusOr<std::optional<double>> timeout_seconds() const;

  // For help: command lines, one a line. `command`: "submit".
  std::string examples(std::string_view command) const;

  std::vector<options::JobKind> kinds;          // not empty; the output chooses
  std::optional<options::Shorthand> shorthand;  // absent: any chain
  std::vector<std::string> inputs;
  std::string output;
  std::string request_id;
  std::string timeout;
  std::string profile;
  bool dry_run = false;
  SpecFlags spec;
  ChainFlags filter;  // of a shorthand
  SpecFlags settings;

 private:
  void add_files(Command& command);
  void add_options(Command& command);
  StatusOr<options::JobKind> chosen_kind(const v1::JobSpec& profile_spec) const;
};

// Every submission that there is a word for, kinds of job first. Type: Submission or a son.
template <class Type>
std::vector<std::shared_ptr<Type>> all_submissions() {
  std::vector<std::shared_ptr<Type>> all;
  for (const options::JobKind& kind : options::job_kinds()) all.push_back(std::make_shared<Type>(kind));
  for (const options::Shorthand& word : options::shorthands()) all.push_back(std::make_shared<Type>(word));
  return all;
}

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
