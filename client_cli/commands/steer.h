// SPDX-License-Identifier: Apache-2.0
// Changes jobs named by their IDs or selected by flags, for cancel, pause, resume, retry, forget
// and priority.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "client/devices.h"
#include "client/jobs.h"
#include "client_cli/command_line/job_filter.h"
#include "client_cli/context/context.h"

namespace weft::cli {

// The jobs that a command line names or selects.
struct JobChoice {
  // Adds the flags and a word for IDs. Completion offers jobs in `states`.
  void add(Command& command, const std::vector<v1::JobState>& states);
  void add_flags(Command& command);

  std::vector<std::string> ids;
  FilterFlags filter;
  bool all = false;
  bool yes = false;

  // Returns true if flags select the jobs, and false if IDs name them.
  bool is_by_flags() const { return all || filter.is_given(); }
};

// A change of jobs.
struct Steering {
  std::string verb;  // verb for messages: "Cancel"
  // States of the jobs that flags may select; jobs in other states are left unchanged.
  std::vector<v1::JobState> states;
  std::function<StatusOr<v1::Job>(client::Jobs& jobs, const std::string& id)> apply;
  std::string done{};  // word for a changed job: "forgotten"; empty: its state
};

// The states of jobs that have not ended.
inline const std::vector<v1::JobState> kUnfinishedStates = {v1::JOB_STATE_QUEUED, v1::JOB_STATE_RUNNING,
                                                            v1::JOB_STATE_PAUSED};

// Changes the jobs. Prints "<id>: <state>" or the job for each, and the errors; an error does not
// end the command. Asks for confirmation before changing several jobs that flags select; without a
// terminal --yes is required. Returns the exit code.
int steer_jobs(const CommandContext& context, const JobChoice& choice, const Steering& steering);

// Prints devices after a change of their state.
void print_devices(const CommandContext& context, const std::vector<v1::DeviceStatus>& devices);

// Adds a command `name ID...` that applies the change.
void add_steering(Command& root, CommandContext& context, const std::string& name, const std::string& summary,
                  const Steering& steering);

}  // namespace weft::cli
