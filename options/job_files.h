// SPDX-License-Identifier: Apache-2.0
// Lists the files that a job or a stream reads and writes, as its options declare them. Clients,
// the queue and the workers use this list.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "options/frame_pattern.h"
#include "weft/v1/job.pb.h"
#include "weft/v1/stream_service.pb.h"

namespace weft::options {

// A file of a job or a stream: the value of an option of file type.
struct JobFile {
  // path of the option in the job or stream: "input", "filters[0].bloom.kernel"
  std::string option{};
  // path of the option with prefix: "spec.video.input", "open.filters[0].bloom.kernel"
  std::string field{};
  std::string path{};  // absolute path
  bool is_sequence =
      // A sequence: the option allows one and the name has a frame field, or the file is a set. Its
      // folder is opened instead of a file.
      false;
  bool is_set = false;            // a file set (file_set.h); is_sequence is then true too
  bool has_output_parts = false;  // an output that may be divided into several files (output_part)
  bool is_raw = false;            // an input that a filter reads as bytes, not as an image
  // Name of the finished output in the work folder: "finished" for the first output,
  // "finished-preview" for another. For a sequence it names a folder of frames. Empty for an input.
  std::string finished_name{};

  std::string role() const;    // name in a message: "input", "kernel", "file of weights"
  std::string name() const;    // file name without folder
  std::string folder() const;  // folder without a slash at its end
};

// Returns the name of a job's decisions in its owner's folder of analyses.
std::string decisions_name(std::string_view job_id);

// Returns output part `number` of an output. Part 1 is the output itself. Part 2 of
// "/videos/out.mkv" is "/videos/out.2.mkv", and "finished.2" in the work folder.
JobFile output_part(const JobFile& output, int number);
// Returns the number, from 2, of the output part with this file name, or 0 if the name is not that
// of a part.
int output_part_number(const JobFile& output, std::string_view name);

inline constexpr size_t kMaxFileNameBytes = 255;  // limit of Linux file systems
// Returns the work folder of a job, next to its first output: "/videos/.out.mkv.weft-01H..." for
// "/videos/out.mkv". A long name is shortened to kMaxFileNameBytes.
std::string work_folder_of(const JobFile& output, std::string_view job_id);

// Returns the work folder of a job: in Job.work_location with the same name, or next to the first
// output if that is empty. `location` contains the work folder of a job without outputs.
std::string work_folder_of(const v1::Job& job, std::string_view location = "");
// Returns the folders next to the job's outputs, one for each folder of outputs, into which
// finished files are copied from a work folder on another file system. Their names are those of
// work folders.
std::vector<std::string> landing_folders_of(const v1::Job& job);

// Returns true if an output of the job may be divided into several files.
bool has_output_parts(const v1::JobSpec& spec);

struct JobFiles {
  std::vector<JobFile> inputs{};   // the main input first
  std::vector<JobFile> outputs{};  // the main output first
};
// Returns the files that the specification gives, in the order of declaration. After validate(),
// the required inputs and outputs are present.
JobFiles files_of_job(const v1::JobSpec& spec);
// Returns the input files of a stream's filters, in the order of declaration.
std::vector<JobFile> files_of_stream(const v1::OpenStream& open);

// The frames of a sequence that a job processes: its frame range and its treatment of missing
// frames.
struct FrameChoice {
  std::optional<FrameRange> range{};  // nullopt: all frames from the first to the last one found
  bool skips_missing = false;
};
// Reads the choice from a job. INVALID_ARGUMENT, with a violation: the text is not a frame range.
StatusOr<FrameChoice> frame_choice_of(const v1::JobSpec& spec);

}  // namespace weft::options
