// SPDX-License-Identifier: Apache-2.0
#include "server/worker/job/job_key.h"

#include <array>
#include <cerrno>
#include <cstdint>
#include <span>

#include <sys/stat.h>

#include "options/canonical_bytes.h"
#include "options/values.h"
#include "server/media/file_calls.h"
#include "server/media/frame_hash.h"

namespace weft::worker {

namespace {

StatusOr<std::string> info_of_file(const OpenJobFile& input) {
  ASSIGN_OR_RETURN(const media::InputFilePtr file, open_input_file(input));
  const media::FileCall call("examined", file->name());
  struct stat info {};
  if (::fstat(file->descriptor(), &info) != 0) return media::system_error(errno, "looked at", file->name());
  return fmt::format("{}|{}.{}", file->bytes(), info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
}

}  // namespace

StatusOr<std::string> key_of(const JobOrder& order, int output_version, std::string_view first_input) {
  v1::JobSpec complete = order.spec;
  options::apply_defaults(complete);
  std::string bytes = options::canonical_bytes(complete);
  bytes += fmt::format("|{}|{}|{}", WEFT_VERSION, order.outputs.empty() ? "" : order.outputs[0].name(),
                       output_version);
  for (const OpenJobFile& input : order.inputs) {
    if (input.declared.is_sequence) continue;
    if (&input == &order.inputs[0] && !first_input.empty()) {
      bytes += fmt::format("|{}", first_input);
      continue;
    }
    ASSIGN_OR_RETURN(const std::string info, info_of_file(input));
    bytes += "|" + info;
  }
  const std::array<uint64_t, 2> seeds = {1, 2};
  std::string key;
  for (const uint64_t seed : seeds) {
    media::Hasher hasher(seed);
    hasher.add(std::span(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()));
    key += fmt::format("{:016x}", hasher.value());
  }
  return key;
}

}  // namespace weft::worker
