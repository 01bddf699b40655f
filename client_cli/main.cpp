// SPDX-License-Identifier: Apache-2.0
#include "client_cli/commands/commands.h"

int main(int argc, char** argv) { return weft::cli::run_program({argv, argv + argc}); }
