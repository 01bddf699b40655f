// SPDX-License-Identifier: Apache-2.0
// What a job or a stream reads: files that the daemon opened.
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

// An input with its descriptor: a file, or the folder of a sequence's frames, open for reading.
struct OpenJobFile {
  options::JobFile declared;
  channel::FileDescriptor descriptor;
  channel::Credentials submitter = {};  // whose rights count for a sequence's frames
};

// Pairs the inputs of a job or a stream with the descriptors that came with it; `descriptors` keeps what is left over. INTERNAL:
// too few.
StatusOr<std::vector<OpenJobFile>> take_inputs(std::vector<options::JobFile> inputs,
                                               std::vector<channel::FileDescriptor>& descriptors,
                                               const channel::Credentials& submitter = {});

// Null: the option has none.
const OpenJobFile* find_input(const std::vector<OpenJobFile>& inputs, std::string_view option);

// Any thread. Errors are InputFile::adopt's.
StatusOr<media::InputFilePtr> open_input_file(const OpenJobFile& input);

// A file of a sequence or a set, by its name in the folder. Likewise; PERMISSION_DENIED: whoever submitted the job may not read it.
StatusOr<media::InputFilePtr> open_file_of(const OpenJobFile& input, const std::string& name);

// By the first bytes; a folder is one of images, or of textures.
StatusOr<v1::MediaKind> media_of(const OpenJobFile& input);

// What is wrong with a file or a value is wrong with the field that names it: INVALID_ARGUMENT with a violation. Other errors, and
// those that name a field already, stay.
Status blame(std::string_view field, const Status& reason);

}  // namespace weft::worker
