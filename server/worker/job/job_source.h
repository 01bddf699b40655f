// SPDX-License-Identifier: Apache-2.0
// Converts a job's settings for the schedule of its device.
#pragma once

#include "server/schedule/device_schedule.h"
#include "weft/v1/job.pb.h"

namespace weft::worker {

// `owner_weight` is unknown if it is not above 0.
inline schedule::SourceSpec source_of(const v1::JobSettings& settings, double owner_weight) {
  schedule::SourceSpec source;
  source.work_class = settings.job_class() == v1::JOB_CLASS_SPARE ? schedule::SourceClass::kSpare
                                                                  : schedule::SourceClass::kNormal;
  source.priority = settings.priority();
  source.owner = settings.owner();
  if (owner_weight > 0) source.owner_weight = owner_weight;
  if (settings.weight() > 0) source.weight = settings.weight();
  return source;
}

inline schedule::SourceChanged change_of(const v1::JobSettings& settings, double owner_weight) {
  const schedule::SourceSpec source = source_of(settings, owner_weight);
  return {0, source.work_class, source.priority, source.owner_weight, source.weight};
}

inline void apply(const schedule::SourceChanged& change, schedule::SourceSpec& source) {
  source.work_class = change.work_class;
  source.priority = change.priority;
  source.owner_weight = change.owner_weight;
  source.weight = change.weight;
}

}  // namespace weft::worker
