// SPDX-License-Identifier: Apache-2.0
// Chains of filters for tests, as text.
#pragma once

#include <gmock/gmock.h>

#include "options/chain.h"

// Sets the chain of a job or a stream, such as "yadif=frame".
inline void set_filters(google::protobuf::Message& holder, std::string_view chain) {
  EXPECT_THAT(weft::options::parse_chain(chain, holder, *weft::options::chain_of(holder.GetDescriptor())),
              weft::IsOk());
}
