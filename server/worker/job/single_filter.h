// SPDX-License-Identifier: Apache-2.0
// Chains of one filter, as the filters take their options today. Longer chains do not run yet.
#pragma once

#include <optional>
#include <string>

#include <google/protobuf/message.h>

#include "base/status.h"
#include "weft/v1/bloom.pb.h"
#include "weft/v1/deinterlace.pb.h"

namespace weft::worker {

// Exactly one is there.
struct SingleFilter {
  std::optional<v1::DeinterlaceOptions> deinterlacer{};
  std::optional<v1::BloomOptions> bloom{};
};

// The name of the first filter's entry below the message that holds the chain: what files of its options are called by.
inline constexpr const char* kFirstFilter = "filters[0]";

// Of a job or stream whose chain is in the field `filters`, defaults filled in. UNIMPLEMENTED names `prefix` ("spec.video") and
// what does not run yet: a chain of none or several, another filter, a part of a video.
StatusOr<SingleFilter> single_filter(const google::protobuf::Message& holder, const std::string& prefix);

}  // namespace weft::worker
