// SPDX-License-Identifier: Apache-2.0
// Describes jobs on the command line: declares the flags of a kind of job and makes the requests
// from them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "client_cli/command_line/filter_texts.h"
#include "client_cli/command_line/spec_flags.h"
#include "client_cli/jobs/sending.h"
#include "options/job_kinds.h"
#include "weft/v1/job_service.pb.h"

namespace weft::cli {

// Returns the kinds of jobs with a chain of filters.
std::vector<options::JobKind> kinds_with_filters();
// Returns the kinds of jobs that accept these filters. INVALID_ARGUMENT: none does; the message
// states the reason.
StatusOr<std::vector<options::JobKind>> kinds_that_take(const std::string& filters);

// A command that describes jobs of one kind, or of the kind that accepts the filters in the first
// word. The object must exist until the command has run.
struct SubmitCommand {
  explicit SubmitCommand(options::JobKind kind) : kinds({std::move(kind)}) {}
  SubmitCommand() : kinds(kinds_with_filters()), has_filters_word(true) {}

  // The name of the command and its summary.
  std::string name() const { return has_filters_word ? kFiltersWord : kinds[0].name; }
  std::string summary() const;

  // Adds inputs, output and all flags to the command.
  void add_flags(Command& command);

  // Returns the requests that the command line describes, one per input. Errors are mistakes in the
  // command line.
  StatusOr<std::vector<v1::SubmitJobRequest>> resolve() const;

  // Returns example command lines for help, one a line. `command` is "submit" or "run".
  std::string examples(std::string_view command) const;

  // at least one; the output determines the kind if there are several
  std::vector<options::JobKind> kinds;
  bool has_filters_word = false;
  std::string filters;  // the first word: a chain of filters
  std::vector<std::string> inputs;
  std::string output;
  std::string profile;
  SendFlags sending;
  SpecFlags spec;
  SpecFlags settings;

 private:
  void add_files(Command& command);
  void add_options(Command& command);
  StatusOr<options::JobKind> chosen_kind(const v1::JobSpec& profile_spec) const;
};

}  // namespace weft::cli
