// SPDX-License-Identifier: Apache-2.0
// Represents the inputs of a job or stream: files that the daemon opened.
#pragma once

#include <string_view>
#include <vector>

#include "base/status.h"
#include "options/job_files.h"
#include "server/channel/credentials.h"
#include "server/channel/file_descriptor.h"
#include "server/media/file.h"
#include "weft/v1/options.pb.h"

namespace weft::worker {

// An input and its descriptor: a file, or the folder of a sequence's frames, open for reading.
struct OpenJobFile {
  options::JobFile declared;
  channel::FileDescriptor descriptor;
  channel::Credentials submitter = {};  // credentials for a sequence's frames
};

// Pairs the inputs of a job or stream with the received descriptors. Surplus descriptors remain in
// `descriptors`. INTERNAL: the descriptors are too few.
StatusOr<std::vector<OpenJobFile>> take_inputs(std::vector<options::JobFile> inputs,
                                               std::vector<channel::FileDescriptor>& descriptors,
                                               const channel::Credentials& submitter = {});

// Returns the input of an option, or null if the option has none.
const OpenJobFile* find_input(const std::vector<OpenJobFile>& inputs, std::string_view option);

// Opens an input for reading. Any thread may call it. Errors are those of InputFile::adopt().
StatusOr<media::InputFilePtr> open_input_file(const OpenJobFile& input);

// Opens a file of a sequence or a set by its name in the folder. Any thread may call it. Errors are
// those of InputFile::adopt(). PERMISSION_DENIED: the submitter may not read the file.
StatusOr<media::InputFilePtr> open_file_of(const OpenJobFile& input, const std::string& name);

// Returns the kind of media of an input by its first bytes. A folder has the kind of its files:
// images or textures.
StatusOr<v1::MediaKind> media_of(const OpenJobFile& input);

// Attributes an error of a file or a value to its field: returns INVALID_ARGUMENT with a violation.
// Other errors, and those with a field already, are returned unchanged.
Status blame(std::string_view field, const Status& reason);

}  // namespace weft::worker
