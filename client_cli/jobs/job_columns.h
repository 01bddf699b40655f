// SPDX-License-Identifier: Apache-2.0
// Formats and sorts a table of jobs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <google/protobuf/repeated_ptr_field.h>

#include "base/status.h"
#include "client_cli/output/terminal.h"
#include "options/option.h"
#include "weft/v1/job.pb.h"

namespace weft::cli {

// The default columns of `weft list`, in the syntax of --columns.
inline constexpr const char* kUsualColumns = "id,state,done,fps,eta,priority,device,age,files";

// Returns the names of all columns with their meaning. `reversible` adds "-name" after each name.
std::vector<options::Choice> column_names(bool reversible);

// Sorts jobs by a list of columns, separated by commas. "-" in front of a name means descending
// order. The sort is stable. The message of INVALID_ARGUMENT names the unknown column and all
// columns.
Status sort_jobs(google::protobuf::RepeatedPtrField<v1::Job>& jobs, std::string_view columns);

// Returns the jobs as a table of these columns. `now` is in seconds since 1970. Errors are those of
// sort_jobs().
StatusOr<std::string> format_jobs(const Terminal& terminal,
                                  const google::protobuf::RepeatedPtrField<v1::Job>& jobs,
                                  std::string_view columns, double now);

}  // namespace weft::cli
