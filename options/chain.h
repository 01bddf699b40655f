// SPDX-License-Identifier: Apache-2.0
// Reads and prints chains of filters as text, in FFmpeg's grammar:
// `bwdif,resize=1280x720:kernel=spline36,deband`.
//
//   chain    = filter { "," filter }
//   filter   = name [ "=" argument { ":" argument } ]
//   argument = key "=" value | value     (only the first may lack a key; it sets the first_option)
//
// A key is an option's flag, with - or _, or its declared label in any case: `qtgmc=TR0=2`. A
// backslash escapes the next character; single quotes enclose literal text; white space around
// separators is ignored. As in FFmpeg there are two levels of quoting. The chain is first split at
// commas and unquoted; then each filter's arguments are split at colons and unquoted. A value may
// be a chain: `merge=edges:a=deband:b='crop=8x8,bob'`. FFmpeg's chains with several inputs
// ("[a][b]overlay", ";") are rejected.
#pragma once

#include <string>
#include <string_view>

#include <google/protobuf/message.h>

#include "base/status.h"
#include "options/filters.h"

namespace weft::options {

inline constexpr int kMostChainDepth = 4;  // levels of nested chains
// number of filters of a chain, nested chains included
inline constexpr int kMostFilters = 64;
inline constexpr size_t kMostChainBytes = 1 << 16;  // bytes of the text of a chain

// Parses `text` into the field `chain` of `holder`. An INVALID_ARGUMENT error leaves the field
// unchanged. The message marks the position:
//
//   There is no filter 'resise'; did you mean 'resize'?
//     bwdif,resise=1280x720
//           ^
Status parse_chain(std::string_view text, google::protobuf::Message& holder,
                   const google::protobuf::FieldDescriptor& chain);

// Returns the shortest text that parse_chain() reads as the same chain. It contains every value
// that is set, and only the necessary quotes, backslashes and keys.
std::string print_chain(const google::protobuf::Message& holder,
                        const google::protobuf::FieldDescriptor& chain);

// The nesting depth of a chain (1 if no filter holds a chain), and the total number of its filters.
struct ChainSize {
  int depth = 0;
  int filters = 0;
};
ChainSize size_of_chain(const google::protobuf::Message& holder,
                        const google::protobuf::FieldDescriptor& chain);

}  // namespace weft::options
