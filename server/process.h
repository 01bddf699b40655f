// SPDX-License-Identifier: Apache-2.0
// The daemon as a process: its parent, its limits, and what libraries have to say.
#pragma once

namespace weft {

// The end of the process that started us ends us as SIGTERM does. False: it has ended already.
bool tie_to_parent();

// As many open files as the process may have at most; how many that are now. Programs that it starts inherit it.
int raise_descriptor_limit();

// Protobuf's complaints go to the log from here on, instead of past it to standard error.
void log_words_of_protobuf();

}  // namespace weft
