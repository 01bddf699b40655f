// SPDX-License-Identifier: Apache-2.0
// Declares `weft pipe upsample`, which reads consecutive DDS and KTX2 files and writes them with
// twice the size.
#pragma once

#include "client_cli/command_line/command.h"
#include "client_cli/context/context.h"

namespace weft::cli {

void add_pipe_textures(Command& pipe, CommandContext& context);

}  // namespace weft::cli
