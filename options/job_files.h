// SPDX-License-Identifier: Apache-2.0
// The files that a job or a stream reads and writes, as the declarations of its options say: one list for the clients, the queue and
// the workers.
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

// A file of a job or a stream: the value of an option that names one.
struct JobFile {
  std::string option{};  // "input", "filters[0].bloom.kernel": from the message of the job or stream
  std::string field{};   // "spec.video.input", "open.filters[0].bloom.kernel"
  std::string path{};    // absolute
  bool is_sequence =
      false;  // the name has a field for a frame's number, and the option takes that: a folder with frames is open
  bool is_set = false;      // of a sequence: its files have names of their own (file_set.h)
  bool has_pieces = false;  // of an output: further files may come of it (piece_of)
  bool is_raw = false;      // an input that a filter reads as bytes; it is no image
  // What the finished output is called in the work folder: "finished", a further output "finished-preview". Of a sequence it is a
  // folder with its frames. Empty: an input.
  std::string finished_name{};

  std::string role() const;    // what it is called in a sentence: "input", "kernel", "file of weights"
  std::string name() const;    // without folder
  std::string folder() const;  // without a slash at its end
};

// Where a job makes several files of one output: its file of that number. The first is the output itself, the second
// "/videos/out.2.mkv" for "/videos/out.mkv", and "finished.2" in the work folder.
JobFile piece_of(const JobFile& output, int number);
// The number, from 2 on, of the piece that a file name in the output's folder is; 0: it is none.
int piece_number_of(const JobFile& output, std::string_view name);

inline constexpr size_t kMaxFileNameBytes = 255;  // of Linux's file systems
// The work folder of a job, beside its first output: "/videos/.out.mkv.weft-01H..." for "/videos/out.mkv". A long name is cut.
std::string work_folder_of(const JobFile& output, std::string_view job_id);

// Whether a job's outputs may have pieces.
bool has_pieces(const v1::JobSpec& spec);

struct JobFiles {
  std::vector<JobFile> inputs{};   // what is worked on comes first
  std::vector<JobFile> outputs{};  // the first is the one that the work folder lies beside
};
// Those that are given, in the order of declaration. From a specification that passed validate(): the first of each is there.
JobFiles files_of_job(const v1::JobSpec& spec);
// Files that a stream's filters read; likewise.
std::vector<JobFile> files_of_stream(const v1::OpenStream& open);

// Which frames are meant of a sequence: as the job's frame range says and its choice for missing frames.
struct FrameChoice {
  std::optional<FrameRange> range{};  // not given: from the first to the last there is
  bool skips_missing = false;
};
// INVALID_ARGUMENT with a violation: what is given is no range.
StatusOr<FrameChoice> frame_choice_of(const v1::JobSpec& spec);

}  // namespace weft::options
