// SPDX-License-Identifier: Apache-2.0
// Converts times of Protocol Buffers.
#pragma once

#include <chrono>

#include <google/protobuf/duration.pb.h>

#include "base/clock.h"
#include "weft/v1/job.pb.h"

namespace weft::queue {

inline double seconds_of(const google::protobuf::Duration& duration) {
  return double(duration.seconds()) + 1e-9 * double(duration.nanos());
}

inline WallTime end_of(const v1::Job& job) {
  return WallTime(std::chrono::seconds(job.end_time().seconds()) +
                  std::chrono::nanoseconds(job.end_time().nanos()));
}

}  // namespace weft::queue
