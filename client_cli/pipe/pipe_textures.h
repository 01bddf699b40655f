// SPDX-License-Identifier: Apache-2.0
// weft pipe upsample: DDS and KTX2 files back to back in, the same files with a doubled first level out.
#pragma once

#include "client_cli/command_line/command.h"
#include "client_cli/context/context.h"

namespace weft::cli {

void add_pipe_textures(Command& pipe, CommandContext& context);

}  // namespace weft::cli
