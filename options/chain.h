// SPDX-License-Identifier: Apache-2.0
// Chains of filters as text, in FFmpeg's grammar: `bwdif,resize=1280x720:kernel=spline36,deband`.
//
//   chain    = filter { "," filter }
//   filter   = name [ "=" argument { ":" argument } ]
//   argument = key "=" value | value          a value without a key may come first: it is the filter's first_option's
//
// A backslash takes the next character as it is, single quotes take all between them as it is; white space around
// separators does not count. As in FFmpeg there are two levels: first the chain is cut at commas and its quotes are taken
// off, then the arguments are cut at colons and theirs are. A value may be a chain: `merge=edges:a=deband:b='crop=8x8,bob'`.
// Chains of FFmpeg with several inputs ("[a][b]overlay", ";") are refused.
#pragma once

#include <string>
#include <string_view>

#include <google/protobuf/message.h>

#include "base/status.h"
#include "options/filters.h"

namespace weft::options {

inline constexpr int kMostChainDepth = 4;           // a chain in a filter of a chain in ...
inline constexpr int kMostFilters = 64;             // of a chain, those of chains inside it counted
inline constexpr size_t kMostChainBytes = 1 << 16;  // of a chain's text

// Sets the chain `chain` of `holder`. INVALID_ARGUMENT leaves it as it was; the message shows the place:
//
//   There is no filter 'resise'; did you mean 'resize'?
//     bwdif,resise=1280x720
//           ^
Status parse_chain(std::string_view text, google::protobuf::Message& holder,
                   const google::protobuf::FieldDescriptor& chain);

// The chain's text, which parse_chain() reads as the same chain: every value that is set, with no quote, backslash or key
// that could be left out.
std::string print_chain(const google::protobuf::Message& holder,
                        const google::protobuf::FieldDescriptor& chain);

// How deep chains are nested in it (a chain without chains in its filters: 1), and how many filters it has in all.
struct ChainSize {
  int depth = 0;
  int filters = 0;
};
ChainSize size_of_chain(const google::protobuf::Message& holder,
                        const google::protobuf::FieldDescriptor& chain);

}  // namespace weft::options
